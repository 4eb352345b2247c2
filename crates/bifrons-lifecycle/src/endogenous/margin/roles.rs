//! Roles of the margin and the constraints on it.

use std::collections::BTreeSet;

use bifrons_expr::{Expr, Symbol};
use bifrons_grids::Grid;

use super::{MarginPlanner, Roles};
use crate::error::BuildError;
use crate::solver::{Liquid, Solver};
use crate::space::Quantity;
use crate::stage::constraint_symbol;

impl MarginPlanner<'_> {
    /// State, action, savings and resources by their roles.
    pub(super) fn roles(&mut self, liquid: &Liquid) -> Option<Roles> {
        self.check_names(liquid)?;
        let (state, action) = (Symbol::new(&liquid.state), Symbol::new(&liquid.action));
        let resources = match &liquid.resources {
            Some(name) => Expr::symbol(name.as_str()),
            None => Expr::symbol(&state),
        };
        let savings = Symbol::new(&liquid.savings);
        let kept: BTreeSet<Symbol> = resources.as_symbol().cloned().into_iter().collect();
        let left = self.definitions.inlined(&savings, &kept)?;
        let gap = (left - (&resources - Expr::symbol(&action))).simplify();
        if gap.as_constant() != Some(0.0) {
            let message =
                format!("`{savings}` is not `{resources} - {action}` (difference `{gap}`)");
            self.refuse(
                "POST-SIG",
                "liquid margin",
                message,
                "define savings as what is left",
            );
        }
        Some(Roles {
            state,
            action,
            savings,
            resources,
        })
    }

    /// Whether the names of the margin are there.
    fn check_names(&mut self, liquid: &Liquid) -> Option<()> {
        let last = self.states.last().filter(|own| own.is_continuous());
        if last.is_none_or(|own| own.name != liquid.state) {
            let message = format!(
                "`{}` is not the continuous state of the regime",
                liquid.state
            );
            self.refuse(
                "ROLE-STATE",
                "liquid margin",
                message,
                "name the continuous state",
            );
            return None;
        }
        let last = self.actions.last().filter(|own| own.is_continuous());
        if last.is_none_or(|own| own.name != liquid.action) {
            let message = format!(
                "`{}` is not the continuous action of the regime",
                liquid.action
            );
            self.refuse(
                "ROLE-ACTION",
                "liquid margin",
                message,
                "name the continuous action",
            );
            return None;
        }
        let named = liquid.resources.iter().chain([&liquid.savings]);
        for name in named {
            if self.definitions.get(&Symbol::new(name)).is_none() {
                let message = format!("there is no function `{name}`");
                self.refuse("FUNCS", "liquid margin", message, "declare the function");
                return None;
            }
        }
        Some(())
    }

    pub(super) fn check_kinds(&mut self, liquid: &Liquid) {
        let continuous = |all: &[Quantity]| all.iter().filter(|own| own.is_continuous()).count();
        let expected = 1 + usize::from(self.regime.solver.outer().is_some());
        if continuous(self.states) > expected {
            let message = "there is another continuous state";
            self.refuse(
                "PASSIVE",
                "states",
                message,
                "make it discrete or use GridSearch",
            );
        }
        if continuous(self.actions) > expected {
            let message = "there is another continuous action";
            self.refuse(
                "ROLE-ACTION",
                "actions",
                message,
                "keep one or use GridSearch",
            );
        }
        if self.regime.solver.kinked().is_some()
            && self.regime.solver.outer().is_none()
            && self.regime.taste_shocks.is_some()
        {
            let message = "there are taste shocks";
            self.refuse("EV1", "taste shocks", message, "use DcEgm or GridSearch");
        }
        let solver = &self.regime.solver;
        let recursive = solver.kinked().is_some() && solver.outer().is_none();
        if !self.regime.preferences.is_linear() && !recursive {
            let message = "preferences are not linear";
            self.refuse(
                "AGG",
                "preferences",
                message,
                "use linear preferences, NbEgm without an outer margin, or GridSearch",
            );
        }
        self.check_plain(liquid);
        if liquid.grid.len() < 2 || !liquid.grid.is_continuous() {
            let message = format!("the grid of savings has {} nodes", liquid.grid.len());
            self.refuse(
                "GRID",
                "liquid margin",
                message,
                "give at least two numbers",
            );
        }
    }

    /// What plain EGM asks for beyond DC-EGM.
    fn check_plain(&mut self, liquid: &Liquid) {
        if self.regime.solver == Solver::Egm {
            if self.states.len() > 1 {
                let message = "there are discrete states or processes";
                self.refuse("STATES", "states", message, "use DcEgm");
            }
            if self.actions.len() > 1 {
                self.refuse(
                    "ACTIONS",
                    "actions",
                    "there are discrete actions",
                    "use DcEgm",
                );
            }
            if liquid.resources.is_some() {
                let message = "resources are not the state itself";
                self.refuse("RESOURCES", "liquid margin", message, "use DcEgm");
            }
        }
    }

    /// Places every constraint: as the lower bound of savings (proved) or at the cell.
    pub(super) fn check_constraints(&mut self, liquid: &Liquid, roles: &Roles) -> Vec<String> {
        let mut bounds = Vec::new();
        for (name, _) in &self.regime.constraints.clone() {
            let symbol = Expr::symbol(constraint_symbol(name));
            let reads = self.definitions.reaches(&symbol, &BTreeSet::new());
            let stage = [&roles.state, &roles.action];
            if stage.iter().all(|own| !reads.contains(*own)) {
                continue;
            }
            match self.bound(name, roles) {
                Some(bound) if bound.to_bits() == liquid.lower().to_bits() => {
                    bounds.push(name.clone());
                }
                Some(bound) => {
                    let message = format!(
                        "savings must be at least {bound}, but their grid begins at {}",
                        liquid.lower()
                    );
                    let remedy = "let the grid of savings begin at the bound, to the bit";
                    let error = BuildError::new(
                        "E-LOWER-BOUND-MISMATCH",
                        &self.regime.name,
                        name,
                        message,
                        remedy,
                    );
                    self.errors.push(error);
                }
                None => {
                    let message = "it is neither a lower bound of savings nor free of the liquid \
                                   state and the action";
                    self.refuse("CONSTRAINT", name, message, "use GridSearch");
                }
            }
        }
        bounds
    }

    /// The number that savings must not be below, if that is what a constraint says.
    fn bound(&self, name: &str, roles: &Roles) -> Option<f64> {
        let kept: BTreeSet<Symbol> = [roles.savings.clone()]
            .into_iter()
            .chain(roles.resources.as_symbol().cloned())
            .collect();
        let truth = self.definitions.inlined(&constraint_symbol(name), &kept)?;
        // What is spent is resources less savings.
        let spent = &roles.resources - Expr::symbol(&roles.savings);
        let truth = truth.substitute(&mut |own| (*own == roles.action).then(|| spent.clone()));
        let switches = truth.switches();
        let [surface] = &*switches.visible else {
            return None;
        };
        let line = surface.surface.simplify().affine_in(&roles.savings)?;
        let (slope, offset) = (line.slope.simplify(), line.offset.simplify());
        let bound = -offset.as_constant()? / slope.as_constant()?;
        // A bound of -0 is the number 0.
        let bound = bound + 0.0;
        let holds = |savings: f64| {
            truth
                .evaluate(&mut |own| (*own == roles.savings).then_some(savings).or(Some(1.0)))
                .ok()
        };
        let width = bound.abs().max(1.0);
        let (below, at, above) = (holds(bound - width), holds(bound), holds(bound + width));
        (below == Some(0.0) && at == Some(1.0) && above == Some(1.0)).then_some(bound)
    }
}
