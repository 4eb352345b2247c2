//! A model compiled for chosen states.

mod implicit;
mod workspace;

use std::collections::BTreeMap;

use bifrons_algebra::{Sparsity, Structure};
use bifrons_expr::{CompileError, Expr, Jacobian, Symbol, Tape, TapeBuilder};
use bifrons_hybrid::TIME;

pub(crate) use implicit::ImplicitSlopes;
pub(crate) use workspace::{Fault, Workspace};

use crate::order::Order;
use crate::reduced::ReducedModel;

/// Straight-line programs of a model for chosen states.
///
/// Variables of all programs: time, states, tears; parameters: those of the model, then one
/// number per switch.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) order: Order,
    /// Derivatives of the states.
    rates: Tape,
    /// What must be zero for the tears.
    residuals: Tape,
    slopes: Option<TearSlopes>,
    /// All unknowns, then surfaces of switches, then surfaces and new values of events.
    values: Tape,
}

/// Derivatives of the residuals by the tears.
#[derive(Debug)]
struct TearSlopes {
    tape: Tape,
    structure: Structure,
    /// Position of each entry of the tape in the values of the structure.
    positions: Vec<usize>,
    /// Whether the residuals are affine in the tears.
    linear: bool,
    /// Whether the slopes depend on parameters and switches only.
    constant: bool,
}

impl Stage {
    /// Compiles a model in this order.
    pub(crate) fn new(model: &ReducedModel, order: Order) -> Result<Self, CompileError> {
        let symbol = |u: &usize| model.unknowns[*u].symbol.clone();
        let parameters = model.parameters.iter().map(|p| p.symbol.clone());
        let switches = model.switches.iter().map(|s| s.symbol.clone());
        let parameters: Vec<Symbol> = parameters.chain(switches).collect();
        let mut base = TapeBuilder::new()
            .parameters(parameters.iter().cloned())
            .variables([Symbol::new(TIME)])
            .variables(order.states.iter().map(symbol))
            .variables(order.tears.iter().map(symbol));
        for (unknown, expression) in &order.definitions {
            base = base.define(symbol(unknown), expression.clone());
        }
        let read = |unknown: usize| Expr::symbol(&model.unknowns[unknown].symbol);
        let rates = order.states.iter();
        let rates = rates.map(|state| read(model.unknowns[*state].derivative));
        let residual = |e: &usize| &model.equations[*e].left - &model.equations[*e].right;
        let residuals: Vec<Expr> = order.residuals.iter().map(residual).collect();
        let unknowns = (0..model.unknowns.len()).map(read);
        let surfaces = model.switches.iter().map(|s| s.surface.clone());
        let events = model.events.iter().flat_map(|event| {
            let values = event.resets.iter().map(|(_, value)| value.clone());
            std::iter::once(event.surface.clone()).chain(values)
        });
        let values = base.clone().outputs(unknowns.chain(surfaces).chain(events));
        Ok(Self {
            rates: base.clone().outputs(rates).build()?,
            slopes: TearSlopes::new(model, &order, &parameters, &residuals)?,
            residuals: base.outputs(residuals).build()?,
            values: values.build()?,
            order,
        })
    }

    /// Number of states.
    pub(crate) fn state_count(&self) -> usize {
        self.order.states.len()
    }
}

impl TearSlopes {
    fn new(
        model: &ReducedModel,
        order: &Order,
        parameters: &[Symbol],
        residuals: &[Expr],
    ) -> Result<Option<Self>, CompileError> {
        if order.tears.is_empty() {
            return Ok(None);
        }
        let residuals = inline(model, order, residuals);
        let symbol = |u: &usize| model.unknowns[*u].symbol.clone();
        let tears: Vec<Symbol> = order.tears.iter().map(symbol).collect();
        let jacobian = Jacobian::new(&residuals, &tears);
        let count = tears.len();
        // The diagonal is always part of the pattern: a sparse factorisation wants it.
        let places = jacobian.pattern().entries();
        let structure = if count <= 16 {
            Structure::dense(count)
        } else {
            match Sparsity::from_places(count, places) {
                Ok(sparsity) => Structure::Sparse(sparsity),
                Err(_) => Structure::dense(count),
            }
        };
        let places = jacobian.pattern().entries();
        let positions = places.filter_map(|(row, column)| structure.position(row, column));
        let mut linear = true;
        let mut constant = true;
        let mut sorted_tears = tears.clone();
        sorted_tears.sort();
        let fixed: std::collections::BTreeSet<&Symbol> = parameters.iter().collect();
        for entry in jacobian.entries() {
            for symbol in entry.dependencies() {
                linear &= sorted_tears.binary_search(&symbol).is_err();
                constant &= fixed.contains(&symbol);
            }
        }
        let tape = TapeBuilder::new()
            .parameters(parameters.iter().cloned())
            .variables([Symbol::new(TIME)])
            .variables(order.states.iter().map(symbol))
            .variables(tears)
            .outputs(jacobian.entries().iter().cloned())
            .build()?;
        Ok(Some(Self {
            positions: positions.collect(),
            tape,
            structure,
            linear,
            constant,
        }))
    }
}

/// Expressions with the definitions that they need put in their place.
pub(crate) fn inline(model: &ReducedModel, order: &Order, roots: &[Expr]) -> Vec<Expr> {
    let mut needed: std::collections::BTreeSet<Symbol> = std::collections::BTreeSet::new();
    for root in roots {
        needed.extend(root.dependencies());
    }
    for (unknown, expression) in order.definitions.iter().rev() {
        if needed.contains(&model.unknowns[*unknown].symbol) {
            needed.extend(expression.dependencies());
        }
    }
    let mut by: BTreeMap<&Symbol, Expr> = BTreeMap::new();
    for (unknown, expression) in &order.definitions {
        let symbol = &model.unknowns[*unknown].symbol;
        if needed.contains(symbol) {
            let value = expression.substitute(&mut |s| by.get(s).cloned());
            by.insert(symbol, value);
        }
    }
    let root = |root: &Expr| root.substitute(&mut |s| by.get(s).cloned());
    roots.iter().map(root).collect()
}
