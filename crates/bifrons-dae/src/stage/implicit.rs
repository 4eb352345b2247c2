//! The same equations for implicit methods: tears are algebraic components.
//!
//! ```text
//! states' = rates(t, states, tears)
//!      0  = residuals(t, states, tears)
//! ```

use bifrons_expr::{CompileError, Expr, Jacobian, Registers, Symbol, Tape, TapeBuilder};
use bifrons_hybrid::TIME;
use bifrons_lanes::Level;
use bifrons_ode::{Mass, MatrixMut, Pattern, Structure};

use super::workspace::{lanes, lanes_mut};
use super::{Stage, Workspace, inline};
use crate::reduced::ReducedModel;

/// Derivatives of rates and residuals by states and tears.
#[derive(Debug)]
pub(crate) struct ImplicitSlopes {
    tape: Tape,
    registers: Registers<1>,
    pub(crate) entries: Vec<f64>,
    /// Row and column of each entry.
    pub(crate) places: Vec<(usize, usize)>,
    pub(crate) structure: Structure,
    pub(crate) mass: Mass,
}

/// Dimension from which on the Jacobian is sparse.
const SPARSE: usize = 17;

impl ImplicitSlopes {
    pub(crate) fn new(model: &ReducedModel, stage: &Stage) -> Result<Self, CompileError> {
        let order = &stage.order;
        let symbol = |u: &usize| model.unknowns[*u].symbol.clone();
        let columns: Vec<Symbol> = order
            .states
            .iter()
            .chain(&order.tears)
            .map(symbol)
            .collect();
        let rates = order.states.iter().map(|state| {
            let derivative = model.unknowns[*state].derivative;
            Expr::symbol(&model.unknowns[derivative].symbol)
        });
        let residual = |e: &usize| &model.equations[*e].left - &model.equations[*e].right;
        let rows: Vec<Expr> = rates.chain(order.residuals.iter().map(residual)).collect();
        let jacobian = Jacobian::new(&inline(model, order, &rows), &columns);
        let places: Vec<(usize, usize)> = jacobian.pattern().entries().collect();
        let count = columns.len();
        let structure = if count < SPARSE {
            Structure::Dense
        } else {
            Pattern::from_entries(count, &places).map_or(Structure::Dense, Structure::Sparse)
        };
        let parameters = model.parameters.iter().map(|p| p.symbol.clone());
        let switches = model.switches.iter().map(|s| s.symbol.clone());
        let tape = TapeBuilder::new()
            .parameters(parameters.chain(switches))
            .variables([Symbol::new(TIME)])
            .variables(columns)
            .outputs(jacobian.entries().iter().cloned())
            .build()?;
        let mass = if order.tears.is_empty() {
            Mass::Identity
        } else {
            let ones = order.states.iter().map(|_| 1.0);
            Mass::Diagonal(ones.chain(order.tears.iter().map(|_| 0.0)).collect())
        };
        Ok(Self {
            registers: tape.registers(),
            entries: vec![0.0; tape.output_count()],
            tape,
            places,
            structure,
            mass,
        })
    }

    pub(crate) fn set_parameters(&mut self, parameters: &[f64]) {
        self.tape.set_parameters(&mut self.registers, 0, parameters);
    }

    /// Evaluates the entries.
    pub(crate) fn evaluate(&mut self, t: f64, y: &[f64]) {
        let inputs = [&[[t]][..], lanes(y)];
        let entries = lanes_mut(&mut self.entries);
        self.tape
            .evaluate(Level::detect(), &mut self.registers, &inputs, entries);
    }

    pub(crate) fn fill(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        self.evaluate(t, y);
        for (&(row, column), &entry) in self.places.iter().zip(&self.entries) {
            out.set(row, column, entry);
        }
    }
}

impl Stage {
    /// Rates and residuals for given states and tears.
    pub(crate) fn semi_explicit(&self, w: &mut Workspace, t: f64, y: &[f64], out: &mut [f64]) {
        let inputs = [&[[t]][..], lanes(y)];
        let (rates, residuals) = out.split_at_mut(self.state_count());
        self.rates
            .evaluate(w.level, &mut w.rates, &inputs, lanes_mut(rates));
        self.residuals
            .evaluate(w.level, &mut w.residuals, &inputs, lanes_mut(residuals));
    }
}
