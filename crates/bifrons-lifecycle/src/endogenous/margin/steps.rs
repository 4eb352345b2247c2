//! Proof that what is behind savings depends on the liquid state by steps only.

use bifrons_expr::{CompileError, Crossing, Expr, Owner, Pieces, Symbol};

use super::{MarginPlanner, Roles};
use crate::endogenous::switching::Switching;
use crate::scope::{Body, Definitions};
use crate::stage::on_edge;

/// Draws of the other symbols at which a place is looked for where a formula moves.
const PROBES: usize = 8;

impl MarginPlanner<'_> {
    /// Whether the savings stage may read the liquid state, by steps.
    pub(super) fn takes_steps(&self) -> bool {
        let solver = &self.regime.solver;
        solver.kinked().is_some() && solver.outer().is_none() && self.regime.preferences.is_linear()
    }

    /// The definitions that a formula of the savings stage is made of: those of its edge, if it is
    /// the law of a discrete state.
    pub(super) fn definitions_of(&self, name: &Symbol) -> Definitions {
        let of_edge = self
            .edges
            .iter()
            .position(|edge| edge.plan.laws.contains(name));
        of_edge.map_or_else(
            || self.definitions.clone(),
            |index| on_edge(self.definitions, self.regime, index),
        )
    }

    /// Collects the steps of a formula; complains if it is not shown that it has only steps.
    pub(super) fn add_steps(
        &mut self,
        definitions: &Definitions,
        name: &Symbol,
        whole: &Expr,
        roles: &Roles,
        steps: &mut Vec<Pieces>,
    ) {
        let state = &roles.state;
        let remedy = "let it compare the state with thresholds and be constant in between, or use \
                      GridSearch";
        if self.is_opaque(definitions, whole, state) {
            let message = format!("`{name}` depends on `{state}` through a closure");
            return self.refuse("SAVSTAGE", name.name(), message, remedy);
        }
        if !whole.dependencies().contains(state) {
            return;
        }
        let pieces = whole.pieces_along(state);
        if let Some(switch) = pieces.unresolved().first() {
            if switch.crossing == Crossing::Zero {
                let surface = switch.surface.simplify();
                let message = format!("`{surface}` in `{name}` cannot be solved for `{state}`");
                let remedy = "let conditions compare formulas that are straight in the state";
                return self.refuse("VAR", name.name(), message, remedy);
            }
            let message = format!("`{name}` steps at every integer of a formula of `{state}`");
            return self.refuse("SAVSTAGE", name.name(), message, remedy);
        }
        let slope = whole.derivative(state).simplify();
        if slope.as_constant() != Some(0.0) {
            let place = self.moving(&pieces, &slope, roles);
            let message = format!("`{name}` is not shown to be constant in `{state}` {place}");
            return self.refuse("SAVSTAGE", name.name(), message, remedy);
        }
        for own in pieces.breakpoints() {
            let surface = own.switch.surface.simplify();
            if own.switch.owner == Owner::Itself {
                let message = format!("`{name}` is a case of its own where `{surface}` is zero");
                return self.refuse("SAVSTAGE", name.name(), message, remedy);
            }
            let reads = own.switch.surface.dependencies().into_iter();
            let mut reads = reads.chain(own.at.dependencies());
            if let Some(other) = reads.find(|symbol| !self.is_known(symbol)) {
                let message = format!("`{surface}` in `{name}` depends on `{other}`");
                let remedy = "let thresholds depend on discrete states, actions and parameters";
                return self.refuse("VAR", name.name(), message, remedy);
            }
        }
        steps.push(pieces);
    }

    /// Whether a symbol has a value before savings are chosen.
    fn is_known(&self, symbol: &Symbol) -> bool {
        let mut quantities = self.states.iter().chain(self.actions);
        self.leaves.contains_key(symbol)
            || quantities.any(|own| own.symbol == *symbol)
            || matches!(self.definitions.get(symbol), Some(Body::Closure(_)))
    }

    /// The interval in which a slope is not zero, in words.
    fn moving(&self, pieces: &Pieces, slope: &Expr, roles: &Roles) -> String {
        for probe in 0..PROBES {
            let mut places: Vec<(f64, String)> = pieces
                .breakpoints()
                .iter()
                .filter_map(|own| {
                    let text = own.at.simplify().to_string().replace('\'', "");
                    Some((self.probe(&own.at, probe)?, text))
                })
                .collect();
            places.sort_by(|a, b| a.0.total_cmp(&b.0));
            places.dedup_by(|next, kept| next.0 <= kept.0);
            for index in 0..=places.len() {
                let below = index.checked_sub(1).map(|at| &places[at]);
                let above = places.get(index);
                let start = below.map(|own| own.0);
                let stop = above.map(|own| own.0);
                let start = start.or(stop.map(|stop| stop - 1.0)).unwrap_or(0.5);
                let stop = stop.unwrap_or(start + 1.0);
                let moves = [0.25, 0.5, 0.75].into_iter().any(|share| {
                    let at = start + share * (stop - start);
                    let mut value = |symbol: &Symbol| match *symbol == roles.state {
                        true => Some(at),
                        false => Some(self.draw(symbol, probe)),
                    };
                    slope.evaluate(&mut value).is_ok_and(|own| own != 0.0)
                });
                if moves {
                    return match (below, above) {
                        (None, None) => "at any place".to_owned(),
                        (None, Some(above)) => format!("below {}", above.1),
                        (Some(below), None) => format!("above {}", below.1),
                        (Some(below), Some(above)) => {
                            format!("between {} and {}", below.1, above.1)
                        }
                    };
                }
            }
        }
        "between its switches".to_owned()
    }

    /// All steps, compiled; `None` without.
    pub(super) fn switching(&self, steps: Vec<Pieces>) -> Result<Option<Switching>, CompileError> {
        if steps.iter().all(|own| own.breakpoints().is_empty()) {
            return Ok(None);
        }
        let inputs = self.inputs();
        Switching::new(steps, self.definitions, self.leaves, &inputs).map(Some)
    }
}
