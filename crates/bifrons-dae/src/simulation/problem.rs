//! A stage as a problem of the integrator.

use bifrons_ode::LaneProblem;

use crate::stage::{Fault, Stage, Workspace};

/// The explicit equations of a stage; the tears are solved for within each evaluation.
pub(super) struct Explicit<'a> {
    pub(super) stage: &'a Stage,
    pub(super) workspace: &'a mut Workspace,
    pub(super) initial: &'a [f64],
    /// The last evaluation that failed.
    pub(super) fault: Option<(f64, Fault)>,
}

impl LaneProblem<1> for Explicit<'_> {
    fn dimension(&self) -> usize {
        self.stage.state_count()
    }

    fn load(&mut self, _lane: usize, _member: usize, state: &mut [f64]) {
        state.copy_from_slice(self.initial);
    }

    fn rhs(&mut self, t: &[f64; 1], y: &[[f64; 1]], dy: &mut [[f64; 1]]) {
        self.rhs_one(0, t[0], y.as_flattened(), dy.as_flattened_mut());
    }

    fn rhs_one(&mut self, _lane: usize, t: f64, y: &[f64], dy: &mut [f64]) {
        match self.stage.solve_tears(self.workspace, t, y) {
            Ok(()) => self.stage.rates(self.workspace, t, y, dy),
            Err(fault) => {
                self.fault = Some((t, fault));
                dy.fill(f64::NAN);
            }
        }
    }
}
