//! Guards that fire because an update at the same instant has carried them through zero.

use std::collections::BTreeSet;

use bifrons_expr::{Expr, Symbol};

use crate::equations::{DiscreteState, EquationSystem, Meaning, Parts, Update};
use crate::error::EquationError;
use crate::event::Trigger;
use crate::name::TIME;

/// Holds the time of the last instant at which something was updated.
pub(super) const LAST: &str = "event(time)";

/// For each guard: whether an update may carry it through zero.
pub(super) fn carried(system: &EquationSystem, residuals: &[Vec<Expr>]) -> Vec<bool> {
    let written: BTreeSet<&Symbol> = system.updates().iter().map(|u| &u.target).collect();
    let roots = system.guards().iter().map(|g| g.expression.clone());
    let through_loops = residuals.iter().flatten().flat_map(Expr::dependencies);
    let through_loops = through_loops.filter(|s| written.contains(s)).count() > 0;
    let reads = |guard: &Expr| {
        let mut symbols = guard.dependencies().into_iter();
        symbols.any(|symbol| match system.meaning(&symbol) {
            Some(Meaning::Unknown { .. }) => through_loops,
            _ => written.contains(&symbol),
        })
    };
    let inserted = system.inserted(roots.collect());
    inserted.iter().map(reads).collect()
}

/// The system that remembers when something was updated last, if a guard may be carried.
///
/// The derivative of that time by a parameter is how the instant moves with it, which is what a
/// guard needs that is carried at the same instant.
pub(super) fn remembering(
    system: &EquationSystem,
    carried: &[bool],
) -> Result<EquationSystem, EquationError> {
    let last = Symbol::new(LAST);
    if !carried.contains(&true) || system.meaning(&last).is_some() {
        return Ok(system.clone());
    }
    let mut parts: Parts = system.parts().clone();
    let triggers: BTreeSet<Trigger> = parts.updates.iter().map(|u| u.trigger).collect();
    parts.discretes.push(DiscreteState {
        symbol: last.clone(),
        start: Expr::symbol(TIME),
    });
    for (order, trigger) in (0..).zip(triggers) {
        parts.updates.push(Update {
            trigger,
            target: last.clone(),
            expression: Expr::symbol(TIME),
            // They write the same number; the order only has to be one.
            priority: order,
            sample: false,
        });
    }
    EquationSystem::from_parts(parts)
}
