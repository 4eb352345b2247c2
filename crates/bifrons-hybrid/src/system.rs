//! The compiled face of a system, as solvers and drivers see it.

use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::event::{Course, EventTable, Instant};
use crate::schema::Schema;

/// An algebraic loop for which no solution was found.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LoopFailure {
    /// Position among the [`loops`](HybridSystem::loops) of the system.
    pub index: usize,
    /// The largest residual at the last point of the iteration.
    pub residual: f64,
    /// Time at which the system was evaluated.
    pub t: f64,
}

/// A system of ordinary differential equations with parameters and outputs, evaluated for `W`
/// members at a time.
///
/// ```text
/// dx/dt = f(t, x, p)      x(t0) = s(t0, p)      y = h(t, x, p)
/// ```
///
/// A system with events has discrete states `d` that the right-hand sides read, too, clocks, and
/// guards; what happens at an instant is [`update`](Self::update). Discrete states are constant
/// between instants, so they are set like parameters.
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

    /// Discrete states, clocks and guards. Default: none.
    fn events(&self) -> &EventTable {
        EventTable::none()
    }

    /// Gives the member in `lane` its parameters and its discrete states, which all other methods
    /// use until they are given new ones.
    ///
    /// Default: [`set_parameters`](Self::set_parameters), for systems without discrete states.
    fn set_values<const W: usize>(
        &self,
        workspace: &mut Self::Workspace<W>,
        lane: usize,
        parameters: &[f64],
        discrete: &[f64],
    ) {
        let _ = discrete;
        self.set_parameters(workspace, lane, parameters);
    }

    /// Discrete states of one member before the first instant. Default: left as they are.
    fn initial_discrete<const W: usize>(
        &self,
        workspace: &mut Self::Workspace<W>,
        t0: f64,
        parameters: &[f64],
        discrete: &mut [f64],
    ) {
        let _ = (workspace, t0, parameters, discrete);
    }

    /// Guards of one member, one value each. Default: left as they are.
    fn guards(&self, workspace: &mut Self::Workspace<1>, t: f64, x: &[f64], guards: &mut [f64]) {
        let _ = (workspace, t, x, guards);
    }

    /// Time derivatives of the guards along the solution, `∂g/∂t + ∂g/∂x f`, where
    /// [`EventTable::has_rates`] says so. They let a driver find crossings that lie close together.
    fn guard_rates(
        &self,
        workspace: &mut Self::Workspace<1>,
        t: f64,
        x: &[f64],
        rates: &mut [f64],
    ) {
        let _ = (workspace, t, x, rates);
    }

    /// How one guard of one member runs from one time to another, both included; `None` for a
    /// guard that depends on more than time, parameters and discrete states, or of which nothing
    /// is known. It lets a driver find every crossing of such a guard. Default: `None`.
    fn guard_course(
        &self,
        workspace: &mut Self::Workspace<1>,
        guard: usize,
        from: f64,
        to: f64,
    ) -> Option<Course> {
        let _ = (workspace, guard, from, to);
        None
    }

    /// What happens at an instant: `state` and `discrete` hold the values before it and get those
    /// after it. Default: nothing.
    fn update(
        &self,
        workspace: &mut Self::Workspace<1>,
        instant: &Instant<'_>,
        state: &mut [f64],
        discrete: &mut [f64],
    ) {
        let _ = (workspace, instant, state, discrete);
    }

    /// The loops that are solved by iteration, each by the names of its unknowns. Default: none.
    fn loops(&self) -> &[String] {
        &[]
    }

    /// The last loop of the member in `lane` for which no solution was found since the member's
    /// values were set; what depends on it was NaN. Default: none.
    fn loop_failure<const W: usize>(
        &self,
        workspace: &Self::Workspace<W>,
        lane: usize,
    ) -> Option<LoopFailure> {
        let _ = (workspace, lane);
        None
    }

    /// Memory of a workspace with `lanes` lanes.
    fn workspace_footprint(&self, lanes: usize) -> Footprint;
}
