//! Slopes that cannot be zero, from the ranges of the parameters.

use std::collections::BTreeMap;

use bifrons_expr::{Expr, Interval, Symbol};

use crate::flat::FlatModel;

/// Enclosures of the ranges of parameters and switches.
#[derive(Debug, Clone)]
pub(crate) struct Ranges(BTreeMap<Symbol, Vec<Interval>>);

/// Parameters with two intervals (everything but zero) of which all combinations are tried.
const MOST: usize = 4;

impl Ranges {
    pub(super) fn of(flat: &FlatModel) -> Self {
        let parameters = flat.parameters.iter();
        let parameters = parameters.map(|p| (p.symbol.clone(), p.range.intervals()));
        let switch = vec![Interval::new(0.0, 1.0)];
        let switches = flat.switches.iter();
        let switches = switches.map(|s| (s.symbol.clone(), switch.clone()));
        Self(parameters.chain(switches).collect())
    }

    /// Whether a slope reads parameters and switches only and is never zero.
    pub(super) fn exclude_zero(&self, slope: &Expr) -> bool {
        if let Some(value) = slope.as_constant() {
            return value != 0.0 && value.is_finite();
        }
        let symbols: Vec<Symbol> = slope.dependencies().into_iter().collect();
        let Some(ranges) = symbols
            .iter()
            .map(|s| self.0.get(s))
            .collect::<Option<Vec<_>>>()
        else {
            return false;
        };
        let combinations: usize = ranges.iter().map(|r| r.len()).product();
        if combinations > 1 << MOST {
            return false;
        }
        (0..combinations).all(|mut combination| {
            let picked = ranges.iter().map(|range| {
                let interval = range[combination % range.len()];
                combination /= range.len();
                interval
            });
            let picked: Vec<Interval> = picked.collect();
            let bounds = slope.interval(&mut |symbol| {
                let position = symbols.binary_search(symbol).ok()?;
                Some(picked[position])
            });
            bounds.is_ok_and(|b| !b.may_be_nan() && (b.low() > 0.0 || b.high() < 0.0))
        })
    }
}
