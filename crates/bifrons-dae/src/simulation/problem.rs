//! A stage as a problem of the integrator.

use bifrons_ode::{
    Crossing, Event, Fault as Refusal, LaneProblem, Mass, MatrixMut, Problem, Response, RootRule,
    Structure,
};

use super::events::Surfaces;
use crate::component::Direction;
use crate::selection::{SelectionPlan, SelectionWorkspace};
use crate::stage::{Fault, ImplicitSlopes, Stage, Workspace};

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

/// States and tears of a stage as one vector, for implicit methods.
pub(super) struct SemiExplicit<'a> {
    pub(super) stage: &'a Stage,
    pub(super) workspace: &'a mut Workspace,
    pub(super) slopes: &'a mut ImplicitSlopes,
    pub(super) surfaces: &'a Surfaces,
    /// Positions of the switches.
    pub(super) positions: &'a [f64],
    pub(super) plan: &'a SelectionPlan,
    pub(super) selection: &'a mut SelectionWorkspace,
    pub(super) values: Vec<f64>,
    /// Surfaces that ended the run.
    pub(super) fired: Vec<usize>,
}

impl SemiExplicit<'_> {
    fn has_selection(&self) -> bool {
        !(self.plan.is_trivial() || self.plan.is_fixed)
    }
}

impl Problem for SemiExplicit<'_> {
    fn dimension(&self) -> usize {
        self.stage.state_count() + self.stage.order.tears.len()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        self.stage.semi_explicit(self.workspace, t, y, dy);
        Ok(())
    }

    fn structure(&self) -> &Structure {
        &self.slopes.structure
    }

    fn has_jacobian(&self) -> bool {
        true
    }

    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Refusal> {
        self.slopes.fill(t, y, out);
        Ok(())
    }

    fn mass(&self) -> &Mass {
        &self.slopes.mass
    }

    fn root_count(&self) -> usize {
        self.surfaces.count_all() + usize::from(self.has_selection())
    }

    fn root_rule(&self, root: usize) -> RootRule {
        let crossing = if root == self.surfaces.count_all() {
            Crossing::Falling
        } else {
            match self.surfaces.direction(root, self.positions) {
                Some(Direction::Rising) => Crossing::Rising,
                Some(Direction::Falling) => Crossing::Falling,
                _ => Crossing::Either,
            }
        };
        RootRule::new(crossing)
    }

    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Refusal> {
        let (x, tears) = y.split_at(self.stage.state_count());
        self.workspace.tears.copy_from_slice(tears);
        self.stage.values(self.workspace, t, x, &mut self.values);
        let count = self.surfaces.count_all();
        for (surface, g) in g[..count].iter_mut().enumerate() {
            *g = self.surfaces.surface(surface, &self.values);
        }
        if let Some(g) = g.get_mut(count) {
            let states = &self.stage.order.states;
            *g = self.plan.quality(self.selection, t, &self.values, states);
        }
        Ok(())
    }

    fn event(&mut self, event: &Event<'_>, _y: &mut [f64]) -> Response {
        self.fired.clear();
        for fired in event.roots {
            let is_selection = fired.index == self.surfaces.count_all();
            if is_selection
                || self
                    .surfaces
                    .direction(fired.index, self.positions)
                    .is_some()
            {
                self.fired.push(fired.index);
            }
        }
        if self.fired.is_empty() {
            Response::Continue
        } else {
            Response::Terminate
        }
    }
}
