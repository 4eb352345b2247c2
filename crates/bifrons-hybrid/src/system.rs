//! The compiled face of a system, as solvers and drivers see it.

use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::schema::Schema;

/// A system of ordinary differential equations with parameters and outputs, evaluated for `W`
/// members at a time.
///
/// ```text
/// dx/dt = f(t, x, p)      x(t0) = s(t0, p)      y = h(t, x, p)
/// ```
///
/// The system is immutable and shared; what a run changes lives in its workspace. Each member has
/// its own parameters and its own time.
///
/// **Shapes.** `x` and `dx` have one entry per state, `y` one per output, each with the values of
/// the `W` members; a member's `parameters` have one entry per parameter. Orders and counts are
/// those of the [`schema`](Self::schema). Slices of other lengths are a programming error and may
/// panic.
///
/// **Contract.** A member's results depend on its own lane only, and have the same bits for every
/// `W`, level and lane position. Values outside the domain of the equations give NaN or infinity,
/// never a panic. No method but [`workspace`](Self::workspace) allocates.
pub trait HybridSystem: Send + Sync {
    /// Registers, buffers and the parameters of `W` members.
    type Workspace<const W: usize>: Send;

    /// Names, counts and default parameters.
    fn schema(&self) -> &Schema;

    /// Allocates a workspace whose loops run at `level`; all lanes have the default parameters.
    fn workspace<const W: usize>(&self, level: Level) -> Self::Workspace<W>;

    /// Gives the member in `lane` its parameters.
    fn set_parameters<const W: usize>(
        &self,
        workspace: &mut Self::Workspace<W>,
        lane: usize,
        parameters: &[f64],
    );

    /// Start values of one member. Leaves the parameters of all lanes as they are.
    fn initial_state<const W: usize>(
        &self,
        workspace: &mut Self::Workspace<W>,
        t0: f64,
        parameters: &[f64],
        state: &mut [f64],
    );

    /// Derivatives of the states of all lanes.
    fn derivatives<const W: usize>(
        &self,
        workspace: &mut Self::Workspace<W>,
        t: &[f64; W],
        x: &[[f64; W]],
        dx: &mut [[f64; W]],
    );

    /// Outputs of all lanes.
    fn outputs<const W: usize>(
        &self,
        workspace: &mut Self::Workspace<W>,
        t: &[f64; W],
        x: &[[f64; W]],
        y: &mut [[f64; W]],
    );

    /// `Some(i)` if the output is state `i` itself, so that a recorder can copy it.
    fn output_state(&self, output: usize) -> Option<usize>;

    /// Memory of a workspace with `lanes` lanes.
    fn workspace_footprint(&self, lanes: usize) -> Footprint;
}
