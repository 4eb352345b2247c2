//! Derivatives by the liquid state of what is behind savings.

use std::collections::BTreeSet;

use bifrons_expr::{CompileError, Expr, SwitchKind, Symbol};

use super::{MarginPlanner, Roles};
use crate::edge::MeshAxis;
use crate::program::Program;
use crate::scope::Definitions;
use crate::solver::Solver;
use crate::stage::{preference_symbol, probability_symbol};

/// Programs of derivatives by the liquid state.
#[derive(Debug, Clone)]
pub(crate) struct Slopes {
    /// Inputs and places of outputs as those of the program of now; zero for what is not behind
    /// savings.
    pub(crate) now: Program,
    /// For each edge, of slope and offset of the next state in savings; inputs as for its laws.
    pub(crate) laws: Vec<Option<Program>>,
}

impl MarginPlanner<'_> {
    /// Whether the savings stage may move with the liquid state.
    pub(super) fn takes_slopes(&self) -> bool {
        matches!(self.regime.solver, Solver::DcEgm(_))
    }

    /// Complains about a formula whose derivative by the liquid state is unknown, or that jumps.
    pub(super) fn check_smooth(
        &mut self,
        definitions: &Definitions,
        name: &Symbol,
        whole: &Expr,
        roles: &Roles,
    ) {
        let state = &roles.state;
        if self.is_opaque(definitions, whole, state) {
            let message = format!("`{name}` depends on `{state}` through a closure");
            let remedy = "write it as a formula: it is differentiated";
            return self.refuse("SAVSTAGE", name.name(), message, remedy);
        }
        let switches = whole.switches();
        let mut all = switches.visible.iter().chain(&switches.hidden);
        let jump = all
            .find(|own| own.kind != SwitchKind::Kink && own.surface.dependencies().contains(state));
        if let Some(jump) = jump {
            let surface = jump.surface.simplify();
            let message = format!("`{name}` jumps where `{surface}` is zero");
            let remedy = "use NbEgm, which takes what changes by steps, or GridSearch";
            self.refuse("JUMP", name.name(), message, remedy);
        }
    }

    /// The derivatives of the savings stage; those of the laws are given.
    pub(super) fn slopes(
        &self,
        roles: &Roles,
        laws: Vec<Option<Program>>,
    ) -> Result<Slopes, CompileError> {
        let mut outputs = vec![Expr::constant(0.0); self.outputs];
        let slope = |name: &Symbol| {
            let whole = self.definitions.inlined(name, &BTreeSet::new());
            whole.map_or(Expr::constant(0.0), |own| own.derivative(&roles.state))
        };
        let discount = self.layout.preferences;
        let parts = self.regime.preferences.formulas();
        if let Some((name, _)) = parts.first() {
            outputs[discount] = slope(&preference_symbol(name));
        }
        for (index, edge) in self.edges.iter().enumerate() {
            outputs[self.layout.edges[index]] = slope(&probability_symbol(index));
            for (place, axis) in edge.plan.axes.iter().enumerate() {
                if let MeshAxis::Markov { probabilities, .. } = axis {
                    let first = self.layout.markov[index][place];
                    for (slot, name) in outputs[first..].iter_mut().zip(probabilities) {
                        *slot = slope(name);
                    }
                }
            }
        }
        let inputs = self.inputs();
        Ok(Slopes {
            now: self.compile(self.definitions, &inputs, &outputs)?,
            laws,
        })
    }
}
