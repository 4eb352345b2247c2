//! Consistent initial values: hard conditions beat guesses, everything is checked and reported.

mod elimination;
mod full;
mod report;

use std::collections::BTreeMap;

use bifrons_expr::{Expr, Symbol};
use bifrons_hybrid::TIME;

pub(crate) use full::{FullSystem, full_footprint};
pub use report::{InitialReport, Used};

use crate::error::InitialError;
use crate::flat::StartCondition;
use crate::reduced::ReducedModel;
use crate::structure::matching::NONE;

/// What is known about the start, as numbers.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    /// First value of every unknown.
    pub(crate) values: Vec<f64>,
    /// How each unknown is known.
    pub(crate) used: Vec<Known>,
    /// Quantity, value and text of each hard condition.
    pub(crate) hard: Vec<Hard>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Known {
    Nothing,
    Guess,
    Fixed,
}

#[derive(Debug, Clone)]
pub(crate) struct Hard {
    pub(crate) quantity: Expr,
    pub(crate) value: f64,
    pub(crate) text: String,
}

impl Hard {
    pub(crate) fn tolerance(&self) -> f64 {
        1e-8 * (1.0 + self.value.abs())
    }
}

impl Start {
    /// Evaluates the conditions for these parameters, switches after them.
    pub(crate) fn new(
        model: &ReducedModel,
        t0: f64,
        parameters: &BTreeMap<Symbol, f64>,
    ) -> Result<Self, InitialError> {
        let mut this = Self {
            values: vec![0.0; model.unknowns.len()],
            used: vec![Known::Nothing; model.unknowns.len()],
            hard: Vec::new(),
        };
        let numbers: BTreeMap<&Symbol, usize> = model
            .unknowns
            .iter()
            .enumerate()
            .map(|(number, unknown)| (&unknown.symbol, number))
            .collect();
        let known = |symbol: &Symbol| {
            if symbol.name() == TIME {
                Some(t0)
            } else {
                parameters.get(symbol).copied()
            }
        };
        for start in &model.starts {
            let text = crate::name::plain(&start.quantity);
            let value = start.value.evaluate(&mut |s: &Symbol| known(s));
            let value = value.map_err(|source| InitialError::Condition {
                quantity: text.clone(),
                source,
            })?;
            let symbols = start.quantity.dependencies();
            if let Some(symbol) = symbols.iter().find(|s| !numbers.contains_key(*s)) {
                return Err(InitialError::UnknownQuantity {
                    quantity: text,
                    symbol: symbol.name().to_owned(),
                });
            }
            if let (1, Some(symbol)) = (symbols.len(), symbols.first()) {
                this.know(start, symbol, numbers[symbol], value);
            }
            if start.fixed {
                this.hard.push(Hard {
                    text: format!("{text} = {value}"),
                    quantity: start.quantity.clone(),
                    value,
                });
            }
        }
        Ok(this)
    }

    /// Takes the value of a quantity that is one unknown with a factor and an offset.
    fn know(&mut self, start: &StartCondition, symbol: &Symbol, number: usize, value: f64) {
        let affine = start.quantity.affine_in(symbol);
        let numbers = affine.map(|a| (a.slope.as_constant(), a.offset.as_constant()));
        let Some((Some(slope), Some(offset))) = numbers else {
            return;
        };
        let level = if start.fixed {
            Known::Fixed
        } else {
            Known::Guess
        };
        if level >= self.used[number] {
            self.values[number] = (value - offset) / slope;
            self.used[number] = level;
        }
    }

    /// Hard conditions that the values violate.
    pub(crate) fn violated(&self, model: &ReducedModel, values: &[f64]) -> Vec<usize> {
        let numbers: BTreeMap<&Symbol, usize> = model
            .unknowns
            .iter()
            .enumerate()
            .map(|(number, unknown)| (&unknown.symbol, number))
            .collect();
        let violated = |position: &usize| {
            let hard = &self.hard[*position];
            let found = hard
                .quantity
                .evaluate(&mut |symbol| numbers.get(symbol).map(|number| values[*number]));
            !found.is_ok_and(|found| (found - hard.value).abs() <= hard.tolerance())
        };
        (0..self.hard.len()).filter(violated).collect()
    }

    /// How well a variable's value should be kept: the larger, the better.
    pub(crate) fn keep(&self, model: &ReducedModel, unknown: usize) -> u8 {
        let is_state = model.unknowns[unknown].derivative != NONE;
        match (self.used[unknown], is_state) {
            (Known::Nothing, false) => 0,
            (Known::Nothing, true) => 1,
            (Known::Guess, false) => 2,
            (Known::Guess, true) => 3,
            (Known::Fixed, _) => 4,
        }
    }
}
