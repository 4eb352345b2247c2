//! Reduced models: what is left of a flat model after aliases, with its derivatives.

mod aliasing;
mod diagnose;
mod display;
mod index;
mod safe;

use std::collections::BTreeMap;
use std::sync::Arc;

use bifrons_expr::{Expr, Symbol};

use crate::error::StructuralError;
use crate::flat::{FlatEvent, FlatModel, FlatParameter, FlatSwitch, Origin, StartCondition};

/// What a variable of the flat model is in the reduced one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Meaning {
    /// An unknown.
    Unknown(usize),
    /// The negative of an unknown.
    Negated(usize),
    /// A number.
    Constant(f64),
}

/// An unknown of the reduced model: a variable, or a derivative of one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unknown {
    pub(crate) symbol: Symbol,
    /// The unknown that is its derivative, or `NONE`.
    pub(crate) derivative: usize,
    /// The unknown whose derivative it is, or `NONE`.
    pub(crate) integral: usize,
    pub(crate) is_flow: bool,
}

/// An equation, or the derivative of one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Equation {
    pub(crate) left: Expr,
    pub(crate) right: Expr,
    pub(crate) origin: Origin,
    /// How often it was differentiated.
    pub(crate) order: u32,
    /// The equation that is its derivative, or `NONE`.
    pub(crate) derivative: usize,
}

/// Derivative of an equation by an unknown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slope {
    pub(crate) unknown: usize,
    pub(crate) value: Expr,
    /// Whether it cannot be zero, for every allowed parameter.
    pub(crate) is_safe: bool,
}

/// A model without aliases, completed by the derivatives of equations that hide constraints.
///
/// Made by [`FlatModel::reduce`]. `Display` prints the equations with their origins; a
/// differentiated equation says so.
#[derive(Debug, Clone)]
pub struct ReducedModel {
    pub(crate) name: Arc<str>,
    pub(crate) parameters: Vec<FlatParameter>,
    pub(crate) inputs: Vec<Symbol>,
    pub(crate) unknowns: Vec<Unknown>,
    pub(crate) equations: Vec<Equation>,
    /// Slopes of each equation, by ascending unknown.
    pub(crate) slopes: Vec<Vec<Slope>>,
    /// Every variable of the flat model.
    pub(crate) variables: Vec<(Symbol, Meaning)>,
    /// Positions in `variables` by name.
    pub(crate) by_name: BTreeMap<Symbol, usize>,
    pub(crate) starts: Vec<StartCondition>,
    pub(crate) switches: Vec<FlatSwitch>,
    pub(crate) events: Vec<FlatEvent>,
    pub(crate) outputs: Vec<(Symbol, Symbol)>,
    pub(crate) eliminated: usize,
    pub(crate) ranges: safe::Ranges,
}

impl FlatModel {
    /// Eliminates aliases, checks the structure and reduces the index.
    ///
    /// Cost: close to linear in the number of equations.
    ///
    /// # Errors
    ///
    /// [`StructuralError`] names the components and pins that take part.
    pub fn reduce(&self) -> Result<ReducedModel, StructuralError> {
        let mut model = aliasing::reduce(self)?;
        diagnose::check(&model)?;
        index::reduce(&mut model)?;
        Ok(model)
    }
}

impl ReducedModel {
    /// Number of unknowns, derivatives included.
    #[must_use]
    pub fn unknown_count(&self) -> usize {
        self.unknowns.len()
    }

    /// Number of equations, derivatives included.
    #[must_use]
    pub fn equation_count(&self) -> usize {
        self.equations.len()
    }

    /// Number of variables that were eliminated; all stay addressable by name.
    #[must_use]
    pub fn eliminated_count(&self) -> usize {
        self.eliminated
    }

    /// Degrees of freedom: how many values at the start can be chosen.
    #[must_use]
    pub fn freedom(&self) -> usize {
        self.unknowns.len() - self.equations.len()
    }

    /// Structural index: one more than the most often that an equation was differentiated, 0 for
    /// a system without equations to solve between its unknowns.
    #[must_use]
    pub fn structural_index(&self) -> u32 {
        let most = self.equations.iter().map(|equation| equation.order).max();
        most.map_or(0, |order| order + 1)
    }

    /// Text of an equation with its origin.
    pub(crate) fn describe(&self, equation: usize) -> String {
        let equation = &self.equations[equation];
        let (left, right) = (
            crate::name::plain(&equation.left),
            crate::name::plain(&equation.right),
        );
        let times = match equation.order {
            0 => "",
            1 => ", differentiated",
            _ => ", differentiated twice",
        };
        format!("{left} = {right} [{}{times}]", equation.origin)
    }

    /// The expression for a name of the flat model, or of a derivative, over unknowns.
    pub(crate) fn expression(&self, name: &str) -> Option<Expr> {
        if let Some(base) = crate::name::differentiated(name) {
            let inner = self.meaning(base)?;
            let derivative = |unknown: usize| {
                let derivative = self.unknowns[unknown].derivative;
                self.unknowns
                    .get(derivative)
                    .map(|u| Expr::symbol(&u.symbol))
            };
            return match inner {
                Meaning::Constant(_) => Some(Expr::constant(0.0)),
                Meaning::Unknown(unknown) => derivative(unknown),
                Meaning::Negated(unknown) => derivative(unknown).map(|d| -d),
            };
        }
        let symbol = |unknown: usize| Expr::symbol(&self.unknowns[unknown].symbol);
        Some(match self.meaning(name)? {
            Meaning::Constant(value) => Expr::constant(value),
            Meaning::Unknown(unknown) => symbol(unknown),
            Meaning::Negated(unknown) => -symbol(unknown),
        })
    }

    pub(crate) fn meaning(&self, name: &str) -> Option<Meaning> {
        let position = self.by_name.get(&Symbol::new(name))?;
        Some(self.variables[*position].1)
    }
}
