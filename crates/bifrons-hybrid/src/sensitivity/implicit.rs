//! Derivatives of the unknowns of loops that are solved by iteration.
//!
//! Each is again a loop: linear in its unknowns, so that one step of the iteration solves it.

use std::collections::BTreeMap;

use bifrons_expr::{Expr, Symbol};

use super::{Tangent, derivative_name};
use crate::equations::{EquationSystem, LoopEquations, Meaning, Update};
use crate::error::SensitivityError;
use crate::event::Trigger;
use crate::name::TIME;

/// The derivative of an unknown by time along the solution, as a name.
pub(super) fn rate_name(unknown: &Symbol) -> Symbol {
    derivative_name(unknown, &Symbol::new(TIME))
}

/// The unknown as it is after the updates of a guard.
fn after_name(system: &EquationSystem, guard: usize, unknown: &Symbol) -> Symbol {
    let guard = system.trigger_name(Trigger::Guard(guard));
    Symbol::from(format!("after({guard})({})", unknown.name()))
}

/// Residuals of the loops with definitions inserted.
pub(super) fn residuals(system: &EquationSystem) -> Vec<Vec<Expr>> {
    let loops = system.loops().iter();
    let residuals = loops.map(|own| system.inserted(own.residuals.clone()));
    residuals.collect()
}

/// A loop whose unknowns cannot be told just before a guard, because a sample that the guard
/// takes feeds it.
pub(super) fn check(
    system: &EquationSystem,
    residuals: &[Vec<Expr>],
) -> Result<(), SensitivityError> {
    let taken = |symbol: &Symbol| {
        let mut updates = system.updates().iter();
        updates.any(|update| {
            update.sample && matches!(update.trigger, Trigger::Guard(_)) && update.target == *symbol
        })
    };
    for (own, residuals) in system.loops().iter().zip(residuals) {
        if residuals
            .iter()
            .flat_map(Expr::dependencies)
            .any(|s| taken(&s))
        {
            return Err(SensitivityError::Loop {
                system: system.name().to_owned(),
                variables: own.names(),
            });
        }
    }
    Ok(())
}

/// A loop that is linear in its unknowns begins anywhere.
fn linear(variables: Vec<Symbol>, residuals: Vec<Expr>) -> LoopEquations {
    LoopEquations {
        guesses: vec![Expr::constant(0.0); variables.len()],
        variables,
        residuals,
    }
}

impl Tangent<'_> {
    /// `r_z ż_p + r_x S + r_p = 0` for each loop.
    pub(super) fn loops(&self) -> Vec<LoopEquations> {
        let loops = self.system.loops().iter().zip(&self.residuals);
        let tangent = |(own, residuals): (&LoopEquations, &Vec<Expr>)| {
            let variables = own.variables.iter().map(|z| self.name(z)).collect();
            let changes = residuals.iter().map(|r| self.change(r, None)).collect();
            linear(variables, changes)
        };
        loops.map(tangent).collect()
    }

    /// Loops that do not depend on the parameter and are not there yet: the rates of the unknowns
    /// just before guards, `r_z ż + r_x f + r_t = 0`, and the unknowns just after them.
    pub(super) fn loops_at_guards(&self) -> Vec<LoopEquations> {
        let guards = 0..self.system.guards().len();
        let acting: Vec<usize> = guards
            .filter(|&guard| !self.updates_of(Trigger::Guard(guard)).is_empty())
            .collect();
        if acting.is_empty() || self.system.loops().is_empty() {
            return Vec::new();
        }
        let is_new = |own: &LoopEquations| {
            let first = own.variables.first();
            first.is_some_and(|symbol| self.system.meaning(symbol).is_none())
        };
        let mut all = Vec::new();
        for (own, residuals) in self.system.loops().iter().zip(&self.residuals) {
            let variables = own.variables.iter().map(rate_name).collect();
            let rates = residuals.iter().map(|residual| self.rate(residual));
            all.push(linear(variables, rates.collect()));
        }
        for guard in acting {
            let after = after(&self.updates_of(Trigger::Guard(guard)));
            for (own, residuals) in self.system.loops().iter().zip(&self.residuals) {
                let guesses = self.system.inserted(own.guesses.clone());
                let moved = |expressions: &[Expr]| {
                    let moved = expressions.iter();
                    moved.map(|e| self.moved(guard, e, &after)).collect()
                };
                let variables = own.variables.iter();
                all.push(LoopEquations {
                    variables: variables
                        .map(|z| after_name(self.system, guard, z))
                        .collect(),
                    residuals: moved(residuals),
                    guesses: moved(&guesses),
                });
            }
        }
        all.retain(is_new);
        all
    }

    /// The time derivative of an expression along the solution, just before an instant.
    pub(super) fn rate(&self, expression: &Expr) -> Expr {
        let mut rate = expression.derivative(&Symbol::new(TIME));
        for symbol in expression.dependencies() {
            match self.system.meaning(&symbol) {
                Some(Meaning::State(index)) => {
                    rate += expression.derivative(&symbol) * self.before(&self.slopes[index]);
                }
                Some(Meaning::Unknown { .. }) => {
                    rate += expression.derivative(&symbol) * Expr::symbol(rate_name(&symbol));
                }
                _ => {}
            }
        }
        rate
    }

    /// An expression as it is after the updates of a guard, over what was before them. Samples are
    /// fresh at the instant anyway.
    pub(super) fn moved(
        &self,
        guard: usize,
        expression: &Expr,
        after: &BTreeMap<Symbol, Expr>,
    ) -> Expr {
        expression.substitute(&mut |symbol| match self.system.meaning(symbol) {
            Some(Meaning::Unknown { .. }) => {
                Some(Expr::symbol(after_name(self.system, guard, symbol)))
            }
            _ => after.get(symbol).cloned(),
        })
    }
}

/// What the updates of one trigger leave, samples aside: of several updates of one variable the
/// one with the largest priority counts.
pub(super) fn after(updates: &[Update]) -> BTreeMap<Symbol, Expr> {
    let mut sorted: Vec<&Update> = updates.iter().filter(|update| !update.sample).collect();
    sorted.sort_by_key(|update| update.priority);
    let values = sorted.into_iter();
    values
        .map(|update| (update.target.clone(), update.expression.clone()))
        .collect()
}
