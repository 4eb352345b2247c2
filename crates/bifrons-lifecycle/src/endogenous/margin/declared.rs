//! Declared breakpoints against those that the formulas have.

use std::collections::BTreeSet;

use bifrons_egm::{BreakKind, BreakOwner};
use bifrons_expr::{Expr, Pieces, Symbol};

use super::{MarginPlanner, Roles};
use crate::breakpoint::Breakpoint;
use crate::stage::breakpoint_symbol;

/// Draws of the other symbols at which places are compared.
const PROBES: usize = 8;
/// Places, levels and slopes that differ by less than this share are the same.
const SAME: f64 = 1e-9;
/// Breakpoints are looked for among liquid states up to this size.
const FAR: f64 = 1e9;

/// A breakpoint of the resources at one draw.
struct Found {
    at: f64,
    kind: BreakKind,
    owner: BreakOwner,
    text: String,
}

impl MarginPlanner<'_> {
    /// Complains about declared breakpoints that are not there, are something else or elsewhere,
    /// and about breakpoints that were not declared.
    ///
    /// What is there: breakpoints of the resources, and jumps where a law, a probability or the
    /// discount factor switches, of which `steps` has the places.
    pub(super) fn check_declared(&mut self, roles: &Roles, steps: &[Pieces]) {
        let declared = self.regime.breakpoints.clone();
        if declared.is_empty() || self.regime.solver.kinked().is_none() {
            return;
        }
        let Some(whole) = self.base_resources(roles) else {
            return;
        };
        if self.is_opaque(self.definitions, &whole, &roles.state) {
            return;
        }
        let pieces = whole.pieces_along(&roles.state);
        let slope = whole.derivative(&roles.state);
        let places: Vec<Option<Expr>> = (0..declared.len())
            .map(|index| self.place(index, &declared[index], roles))
            .collect();
        let mut seen = vec![false; declared.len()];
        let mut extra: BTreeSet<String> = BTreeSet::new();
        let mut wrong: BTreeSet<String> = BTreeSet::new();
        for probe in 0..PROBES {
            let mut found = self.found(&pieces, &slope, roles, probe);
            self.find_steps(steps, probe, &mut found);
            let mut known = vec![false; found.len()];
            for (index, own) in declared.iter().enumerate() {
                let Some(at) = places[index].as_ref().and_then(|at| self.probe(at, probe)) else {
                    continue;
                };
                let near = |other: &Found| (other.at - at).abs() <= SAME * (1.0 + at.abs());
                let Some(place) = found.iter().position(near) else {
                    continue;
                };
                (seen[index], known[place]) = (true, true);
                if let Some(message) = differs(own, &found[place]) {
                    wrong.insert(message);
                }
            }
            let strangers = found.iter().zip(&known).filter(|(_, known)| !**known);
            extra.extend(strangers.map(|(own, _)| format!("{} at {}", name(own.kind), own.text)));
        }
        let missing = declared.iter().zip(&seen).filter(|(_, seen)| !**seen);
        let missing: Vec<String> = missing
            .map(|(own, _)| format!("{} at {:?} of `{}`", name(own.kind), own.at, own.function))
            .collect();
        self.refuse_declared(&missing, &extra, &wrong);
    }

    fn refuse_declared(
        &mut self,
        missing: &[String],
        extra: &BTreeSet<String>,
        wrong: &BTreeSet<String>,
    ) {
        let mut messages: Vec<String> = wrong.iter().cloned().collect();
        if let ([missing], Some(extra), 1) = (missing, extra.first(), extra.len()) {
            messages.push(format!(
                "moved: {missing} is declared, {extra} is in the formula"
            ));
        } else {
            let missing = missing.iter();
            messages.extend(missing.map(|own| format!("missing: {own} is not in the formula")));
            let extra = extra.iter();
            messages.extend(extra.map(|own| format!("extra: {own} is not declared")));
        }
        for message in messages {
            let remedy = "correct the declaration or the formula, or declare no breakpoint";
            self.refuse_outer("E-NB-DECL", "breakpoints", message, remedy);
        }
    }

    /// The liquid state at which a declared threshold is met.
    fn place(&self, index: usize, own: &Breakpoint, roles: &Roles) -> Option<Expr> {
        let none = BTreeSet::new();
        let level = self.definitions.inlined(&breakpoint_symbol(index), &none)?;
        let Some(variable) = &own.variable else {
            return Some(level);
        };
        let variable = Symbol::new(variable);
        if variable == roles.state {
            return Some(level);
        }
        let line = self.definitions.inlined(&variable, &none)?;
        let line = line.affine_in(&roles.state)?;
        Some((level - line.offset) / line.slope)
    }

    /// The breakpoints at a draw.
    fn found(&self, pieces: &Pieces, slope: &Expr, roles: &Roles, probe: usize) -> Vec<Found> {
        let mut value = |symbol: &Symbol| Some(self.draw(symbol, probe));
        let located = pieces.locate(-FAR, FAR, &mut value).unwrap_or_default();
        let mut all = Vec::new();
        for own in located {
            let scale = own.left.abs().max(own.right.abs()).max(1.0);
            let jumps = (own.left - own.right).abs() > SAME * scale;
            let step = 1e-6 * own.at.abs().max(1.0);
            let slopes = [own.at - step, own.at + step].map(|at| {
                let mut value = |symbol: &Symbol| {
                    let is_state = *symbol == roles.state;
                    Some(if is_state {
                        at
                    } else {
                        self.draw(symbol, probe)
                    })
                };
                slope.evaluate(&mut value).unwrap_or(f64::NAN)
            });
            let [left, right] = slopes;
            let bends = (left - right).abs() > SAME * left.abs().max(right.abs());
            if !jumps && !bends {
                continue;
            }
            let kind = match (jumps, left == 0.0 || right == 0.0) {
                (true, _) => BreakKind::Jump,
                (false, true) => BreakKind::Floor,
                (false, false) => BreakKind::Kink,
            };
            let below = (own.value - own.left).abs() < (own.value - own.right).abs();
            all.push(Found {
                at: own.at,
                kind,
                owner: if below {
                    BreakOwner::Below
                } else {
                    BreakOwner::Above
                },
                text: self.text(pieces, own.at, probe),
            });
        }
        all
    }

    /// Adds the jumps of the continuation at a draw; they dominate what resources do there.
    fn find_steps(&self, steps: &[Pieces], probe: usize, all: &mut Vec<Found>) {
        for pieces in steps {
            let mut value = |symbol: &Symbol| Some(self.draw(symbol, probe));
            let located = pieces.locate(-FAR, FAR, &mut value).unwrap_or_default();
            for own in located {
                let below = (own.value - own.left).abs() < (own.value - own.right).abs();
                let found = Found {
                    at: own.at,
                    kind: BreakKind::Jump,
                    owner: if below {
                        BreakOwner::Below
                    } else {
                        BreakOwner::Above
                    },
                    text: self.text(pieces, own.at, probe),
                };
                let near = |other: &Found| (other.at - own.at).abs() <= SAME * (1.0 + own.at.abs());
                match all.iter_mut().find(|other| near(other)) {
                    Some(other) => *other = found,
                    None => all.push(found),
                }
            }
        }
    }

    /// The formula of a breakpoint that was found.
    fn text(&self, pieces: &Pieces, at: f64, probe: usize) -> String {
        let same = |own: &Expr| {
            let value = self.probe(own, probe);
            value.is_some_and(|value| (value - at).abs() <= SAME * (1.0 + at.abs()))
        };
        let own = pieces.breakpoints().iter().find(|own| same(&own.at));
        own.map_or_else(
            || at.to_string(),
            |own| own.at.simplify().to_string().replace('\'', ""),
        )
    }

    pub(super) fn probe(&self, expr: &Expr, probe: usize) -> Option<f64> {
        let mut value = |symbol: &Symbol| Some(self.draw(symbol, probe));
        expr.evaluate(&mut value).ok().filter(|at| at.is_finite())
    }

    /// The value of a symbol at a draw: codes 0 and 1 for categories, else a short binary fraction
    /// that differs between symbols and draws.
    pub(super) fn draw(&self, symbol: &Symbol, probe: usize) -> f64 {
        let mut quantities = self.states.iter().chain(self.actions);
        let discrete = quantities.any(|own| own.symbol == *symbol && !own.is_continuous());
        if discrete {
            return (probe % 2) as f64;
        }
        let bytes = symbol.name().bytes();
        let hash = bytes.fold(17 + 31 * probe, |hash, byte| {
            (hash * 131 + usize::from(byte)) % 65_521
        });
        (64 + hash % 1024) as f64 / 1024.0
    }
}

/// What is wrong with a declaration whose place is right.
fn differs(own: &Breakpoint, found: &Found) -> Option<String> {
    if own.kind != found.kind {
        let (own, other) = (name(own.kind), name(found.kind));
        return Some(format!(
            "a {own} is declared at {}, it is a {other}",
            found.text
        ));
    }
    (own.kind == BreakKind::Jump && own.owner != found.owner).then(|| {
        let side = |owner| match owner {
            BreakOwner::Above => "above",
            BreakOwner::Below => "below",
        };
        format!(
            "the jump at {} is declared to belong to what is {}, it belongs to what is {}",
            found.text,
            side(own.owner),
            side(found.owner)
        )
    })
}

fn name(kind: BreakKind) -> &'static str {
    match kind {
        BreakKind::Kink => "kink",
        BreakKind::Jump => "jump",
        _ => "floor",
    }
}
