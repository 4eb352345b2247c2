//! Index reduction: differentiates equations as Pantelides' algorithm says.

use bifrons_expr::{Expr, Jacobian, Symbol};
use bifrons_hybrid::TIME;

use super::{Equation, ReducedModel, Unknown, aliasing};
use crate::error::{Flaw, StructuralError};
use crate::name::derivative_symbol;
use crate::structure::matching::NONE;
use crate::structure::pantelides::{Differentiated, differentiate};

pub(super) fn reduce(model: &mut ReducedModel) -> Result<(), StructuralError> {
    let rows = model.slopes.iter();
    let rows = rows.map(|row| row.iter().map(|slope| slope.unknown).collect());
    let derivative = model.unknowns.iter().map(|u| u.derivative).collect();
    let plan = differentiate(rows.collect(), derivative);
    name_unknowns(model, &plan);
    let first = model.equations.len();
    for (equation, &derivative) in model.equations.iter_mut().zip(&plan.equation_derivative) {
        equation.derivative = derivative;
    }
    // Derivatives of equations have higher numbers than the equations.
    let mut next = first;
    while next < plan.rows.len() {
        let ready = (next..plan.rows.len()).take_while(|e| plan.equation_integral[*e] < next);
        let ready: Vec<usize> = ready.collect();
        add(model, &plan, &ready)?;
        next += ready.len();
    }
    Ok(())
}

fn name_unknowns(model: &mut ReducedModel, plan: &Differentiated) {
    for unknown in model.unknowns.len()..plan.derivative.len() {
        let integral = plan.integral[unknown];
        model.unknowns[integral].derivative = unknown;
        let symbol = derivative_symbol(model.unknowns[integral].symbol.name());
        model.unknowns.push(Unknown {
            symbol,
            derivative: NONE,
            integral,
            is_flow: false,
        });
    }
}

/// Adds the derivatives of equations that are there.
fn add(
    model: &mut ReducedModel,
    plan: &Differentiated,
    new: &[usize],
) -> Result<(), StructuralError> {
    let integrals = new
        .iter()
        .map(|e| &model.equations[plan.equation_integral[*e]]);
    let residuals: Vec<Expr> = integrals.map(|e| &e.left - &e.right).collect();
    let unknowns = model.unknowns.iter().map(|u| u.symbol.clone());
    let time = model.unknowns.len();
    let others = std::iter::once(Symbol::new(TIME)).chain(model.inputs.iter().cloned());
    let symbols: Vec<Symbol> = unknowns.chain(others).collect();
    let jacobian = Jacobian::new(&residuals, &symbols);
    let mut entries = jacobian.entries().iter();
    let mut equations = Vec::with_capacity(new.len());
    for (row, &equation) in new.iter().enumerate() {
        let integral = &model.equations[plan.equation_integral[equation]];
        let mut sum = Expr::constant(0.0);
        for (&column, slope) in jacobian.pattern().row(row).iter().zip(entries.by_ref()) {
            let term = if column < time {
                let derivative = model.unknowns[column].derivative;
                slope * Expr::symbol(&model.unknowns[derivative].symbol)
            } else if column == time {
                slope.clone()
            } else {
                return Err(input_derivative(
                    model,
                    plan.equation_integral[equation],
                    &symbols[column],
                ));
            };
            sum += term;
        }
        equations.push(Equation {
            left: sum,
            right: Expr::constant(0.0),
            origin: integral.origin.clone(),
            order: integral.order + 1,
            derivative: plan.equation_derivative[equation],
        });
    }
    let mut slopes = aliasing::slopes(&equations, &model.unknowns, &model.ranges);
    model.equations.append(&mut equations);
    model.slopes.append(&mut slopes);
    Ok(())
}

fn input_derivative(model: &ReducedModel, equation: usize, input: &Symbol) -> StructuralError {
    let origin = &model.equations[equation].origin;
    StructuralError {
        flaw: Flaw::InputDerivative,
        network: Box::from(&*model.name),
        components: origin.components().into_iter().map(str::to_owned).collect(),
        pins: Box::default(),
        equations: Box::from([model.describe(equation)]),
        unknowns: Box::from([input.name().to_owned()]),
        proposal: "the input acts on a constraint: smooth it by a state or feed it elsewhere"
            .into(),
    }
}
