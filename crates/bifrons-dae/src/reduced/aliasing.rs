//! From a flat model to one without aliases.

use std::collections::BTreeMap;

use bifrons_expr::{Expr, Jacobian, Symbol};

use super::safe::Ranges;
use super::{Equation, Meaning, ReducedModel, Slope, Unknown, diagnose};
use crate::alias::{Aliases, Fate, Linear, Verdict, eliminate};
use crate::error::StructuralError;
use crate::flat::{FlatEvent, FlatModel, FlatSwitch, Origin, StartCondition};
use crate::name::{derivative_symbol, differentiated};
use crate::structure::matching::NONE;

pub(super) fn reduce(flat: &FlatModel) -> Result<ReducedModel, StructuralError> {
    let by_name: BTreeMap<Symbol, usize> = flat
        .variables
        .iter()
        .enumerate()
        .map(|(position, variable)| (variable.symbol.clone(), position))
        .collect();
    let is_differentiated = differentiated_variables(flat, &by_name);
    let residuals: Vec<Expr> = flat.equations.iter().map(|e| &e.left - &e.right).collect();
    let symbols: Vec<Symbol> = flat.variables.iter().map(|v| v.symbol.clone()).collect();
    let derivatives = symbols.iter().zip(&is_differentiated);
    let derivatives: Vec<Symbol> = derivatives
        .filter(|(_, is)| **is)
        .map(|(symbol, _)| derivative_symbol(symbol.name()))
        .collect();
    let columns: Vec<Symbol> = symbols.iter().cloned().chain(derivatives).collect();
    let jacobian = Jacobian::new(&residuals, &columns);
    crate::reference::check(flat, &jacobian)?;
    let linear = linear_equations(flat, &residuals, &jacobian);
    let ranks = ranks(flat, &is_differentiated, &by_name);
    let aliases = eliminate(&linear, &ranks);
    diagnose::contradictions(flat, &aliases.verdicts)?;
    let renaming = Renaming::new(flat, &aliases, &is_differentiated);
    Ok(renaming.finish(flat, &aliases, by_name))
}

fn differentiated_variables(flat: &FlatModel, by_name: &BTreeMap<Symbol, usize>) -> Vec<bool> {
    let mut found = vec![false; flat.variables.len()];
    for equation in &flat.equations {
        if !matches!(equation.origin, Origin::Component { .. }) {
            continue;
        }
        for side in [&equation.left, &equation.right] {
            for symbol in side.dependencies() {
                if let Some(base) = differentiated(symbol.name())
                    && let Some(&position) = by_name.get(&Symbol::new(base))
                {
                    found[position] = true;
                }
            }
        }
    }
    found
}

/// Terms of the equations that are sums of constants times variables.
fn linear_equations(
    flat: &FlatModel,
    residuals: &[Expr],
    jacobian: &Jacobian,
) -> Vec<Option<Linear>> {
    let count = flat.variables.len();
    let mut first = 0;
    let mut equations = Vec::with_capacity(residuals.len());
    for (row, residual) in residuals.iter().enumerate() {
        let columns = jacobian.pattern().row(row);
        let slopes = &jacobian.entries()[first..first + columns.len()];
        first += columns.len();
        let mut terms = Vec::with_capacity(columns.len());
        for (&column, slope) in columns.iter().zip(slopes) {
            match slope.as_constant() {
                Some(factor) if column < count => terms.push((column, factor)),
                _ => break,
            }
        }
        let complete = terms.len() == columns.len();
        let is_connection = !matches!(
            flat.equations[row].origin,
            Origin::Component { .. } | Origin::Signal { .. }
        );
        let closed = complete && (is_connection || residual.dependencies().len() == columns.len());
        let constant = if is_connection {
            Some(0.0)
        } else if closed {
            residual.evaluate(&mut |_| Some(0.0)).ok()
        } else {
            None
        };
        equations.push(match constant {
            Some(constant) if closed => Some(Linear { terms, constant }),
            _ => None,
        });
    }
    equations
}

/// Preference among equal variables: differentiated, fixed at the start, guessed, connectors last.
fn ranks(
    flat: &FlatModel,
    is_differentiated: &[bool],
    by_name: &BTreeMap<Symbol, usize>,
) -> Vec<u64> {
    let mut ranks: Vec<u64> = is_differentiated
        .iter()
        .map(|d| 8 * u64::from(*d))
        .collect();
    for start in &flat.starts {
        if let Some(symbol) = start.quantity.as_symbol()
            && let Some(&position) = by_name.get(symbol)
        {
            ranks[position] |= if start.fixed { 4 } else { 2 };
        }
    }
    for (rank, variable) in ranks.iter_mut().zip(&flat.variables) {
        let path = variable.component.len() + 1;
        let is_own =
            !variable.symbol.name()[path.min(variable.symbol.name().len())..].contains('.');
        *rank |= u64::from(is_own);
    }
    ranks
}

/// Unknowns of the reduced model and the expressions that replace eliminated symbols.
struct Renaming {
    unknowns: Vec<Unknown>,
    meanings: Vec<Meaning>,
    replaced: BTreeMap<Symbol, Expr>,
}

impl Renaming {
    fn new(flat: &FlatModel, aliases: &Aliases, is_differentiated: &[bool]) -> Self {
        let count = flat.variables.len();
        let mut has_derivative = vec![false; count];
        let mut is_flow = vec![false; count];
        let mut numbers = vec![NONE; count];
        let mut kept = 0;
        for (variable, fate) in aliases.fates.iter().enumerate() {
            let root = match fate {
                Fate::Kept => {
                    numbers[variable] = kept;
                    kept += 1;
                    variable
                }
                Fate::Alias { of, .. } => *of,
                Fate::Constant(_) => continue,
            };
            has_derivative[root] |= is_differentiated[variable];
            is_flow[root] |= flat.variables[variable].is_flow;
        }
        let mut unknowns = Vec::with_capacity(2 * kept);
        for variable in (0..count).filter(|v| numbers[*v] != NONE) {
            unknowns.push(Unknown {
                symbol: flat.variables[variable].symbol.clone(),
                derivative: NONE,
                integral: NONE,
                is_flow: is_flow[variable],
            });
        }
        for variable in (0..count).filter(|v| numbers[*v] != NONE && has_derivative[*v]) {
            let integral = numbers[variable];
            unknowns[integral].derivative = unknowns.len();
            unknowns.push(Unknown {
                symbol: derivative_symbol(flat.variables[variable].symbol.name()),
                derivative: NONE,
                integral,
                is_flow: false,
            });
        }
        let meaning = |(variable, fate): (usize, &Fate)| match *fate {
            Fate::Kept => Meaning::Unknown(numbers[variable]),
            Fate::Alias { of, negated: false } => Meaning::Unknown(numbers[of]),
            Fate::Alias { of, negated: true } => Meaning::Negated(numbers[of]),
            Fate::Constant(value) => Meaning::Constant(value),
        };
        let meanings: Vec<Meaning> = aliases.fates.iter().enumerate().map(meaning).collect();
        let mut this = Self {
            unknowns,
            meanings,
            replaced: BTreeMap::new(),
        };
        this.replace(flat, aliases, is_differentiated);
        this
    }

    fn replace(&mut self, flat: &FlatModel, aliases: &Aliases, is_differentiated: &[bool]) {
        for (variable, fate) in aliases.fates.iter().enumerate() {
            if *fate == Fate::Kept {
                continue;
            }
            let symbol = &flat.variables[variable].symbol;
            let (value, slope) = match self.meanings[variable] {
                Meaning::Constant(value) => (Expr::constant(value), Some(Expr::constant(0.0))),
                Meaning::Unknown(of) => (self.symbol(of), self.derivative(of)),
                Meaning::Negated(of) => (-self.symbol(of), self.derivative(of).map(|d| -d)),
            };
            self.replaced.insert(symbol.clone(), value);
            if let Some(slope) = slope
                && (is_differentiated[variable] || matches!(fate, Fate::Alias { .. }))
            {
                let derivative = derivative_symbol(symbol.name());
                self.replaced.insert(derivative, slope);
            }
        }
    }

    fn symbol(&self, unknown: usize) -> Expr {
        Expr::symbol(&self.unknowns[unknown].symbol)
    }

    fn derivative(&self, unknown: usize) -> Option<Expr> {
        let derivative = self.unknowns[unknown].derivative;
        (derivative != NONE).then(|| self.symbol(derivative))
    }

    fn rename(&self, expression: &Expr) -> Expr {
        expression.substitute(&mut |symbol| self.replaced.get(symbol).cloned())
    }

    fn finish(
        self,
        flat: &FlatModel,
        aliases: &Aliases,
        by_name: BTreeMap<Symbol, usize>,
    ) -> ReducedModel {
        let equations = self.equations(flat, aliases);
        let ranges = Ranges::of(flat);
        let slopes = slopes(&equations, &self.unknowns, &ranges);
        let starts = flat.starts.iter().map(|start| StartCondition {
            quantity: self.rename(&start.quantity),
            value: start.value.clone(),
            fixed: start.fixed,
        });
        let switches = flat.switches.iter().map(|switch| FlatSwitch {
            symbol: switch.symbol.clone(),
            surface: self.rename(&switch.surface),
        });
        let events = flat.events.iter().map(|event| FlatEvent {
            surface: self.rename(&event.surface),
            resets: event
                .resets
                .iter()
                .map(|(target, value)| (target.clone(), self.rename(value)))
                .collect(),
            ..event.clone()
        });
        let (starts, switches) = (starts.collect(), switches.collect());
        let events = events.collect();
        let names = flat.variables.iter().map(|v| v.symbol.clone());
        let kept = self.meanings.len() - self.count_kept(aliases);
        ReducedModel {
            name: flat.name.clone(),
            parameters: flat.parameters.clone(),
            inputs: flat.inputs.clone(),
            equations,
            slopes,
            variables: names.zip(self.meanings).collect(),
            unknowns: self.unknowns,
            by_name,
            starts,
            switches,
            events,
            outputs: flat.outputs.clone(),
            eliminated: kept,
            ranges,
        }
    }

    fn count_kept(&self, aliases: &Aliases) -> usize {
        aliases
            .fates
            .iter()
            .filter(|fate| **fate == Fate::Kept)
            .count()
    }

    fn equations(&self, flat: &FlatModel, aliases: &Aliases) -> Vec<Equation> {
        let mut equations = Vec::new();
        for (flat, verdict) in flat.equations.iter().zip(&aliases.verdicts) {
            let (left, right) = match verdict {
                Verdict::Left(None) => (self.rename(&flat.left), self.rename(&flat.right)),
                Verdict::Left(Some(linear)) => self.sum(linear),
                _ => continue,
            };
            equations.push(Equation {
                left,
                right,
                origin: flat.origin.clone(),
                order: 0,
                derivative: NONE,
            });
        }
        equations
    }

    /// Positive terms on the left, negative terms on the right.
    fn sum(&self, linear: &Linear) -> (Expr, Expr) {
        let mut sides = [Expr::constant(0.0), Expr::constant(0.0)];
        for &(variable, factor) in &linear.terms {
            let Meaning::Unknown(unknown) = self.meanings[variable] else {
                continue;
            };
            let side = usize::from(factor < 0.0);
            sides[side] = &sides[side] + factor.abs() * self.symbol(unknown);
        }
        let side = usize::from(linear.constant < 0.0);
        sides[side] = &sides[side] + linear.constant.abs();
        let [left, right] = sides;
        (left, right)
    }
}

/// Slopes of all equations by all unknowns.
pub(super) fn slopes(
    equations: &[Equation],
    unknowns: &[Unknown],
    ranges: &Ranges,
) -> Vec<Vec<Slope>> {
    let residuals: Vec<Expr> = equations.iter().map(|e| &e.left - &e.right).collect();
    let symbols: Vec<Symbol> = unknowns.iter().map(|u| u.symbol.clone()).collect();
    let jacobian = Jacobian::new(&residuals, &symbols);
    let mut entries = jacobian.entries().iter();
    let rows = (0..residuals.len()).map(|row| {
        let columns = jacobian.pattern().row(row).iter();
        let pairs = columns.zip(entries.by_ref());
        pairs
            .map(|(&unknown, value)| Slope {
                unknown,
                is_safe: ranges.exclude_zero(value),
                value: value.clone(),
            })
            .collect()
    });
    rows.collect()
}
