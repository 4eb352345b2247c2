//! Recorded expressions over what a system has names for.

use bifrons_expr::{Expr, Parser, Registers, Symbol, Tape, TapeBuilder};
use bifrons_hybrid::{HybridSystem, TIME, UnknownName};
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::error::BuildError;
use crate::recording::Formula;

/// Where a symbol of an expression gets its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Time,
    Output(usize),
    State(usize),
    Discrete(usize),
    Parameter(usize),
}

/// The expressions of a recording as one tape.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Formulas {
    tape: Tape,
    /// One per variable of the tape.
    inputs: Vec<Input>,
}

/// Everything that an expression may read at one time of one member.
#[derive(Debug, Clone, Copy)]
pub(super) struct Values<'v> {
    pub(super) t: f64,
    pub(super) outputs: &'v [f64],
    pub(super) state: &'v [f64],
    pub(super) discrete: &'v [f64],
    pub(super) parameters: &'v [f64],
}

/// Working memory of [`Formulas`].
pub(super) struct FormulaWorkspace {
    level: Level,
    registers: Registers<1>,
    inputs: Vec<[f64; 1]>,
    results: Vec<[f64; 1]>,
}

impl Formulas {
    /// `None` without expressions.
    pub(super) fn new<S: HybridSystem>(
        system: &S,
        formulas: &[(String, Formula)],
    ) -> Result<Option<Self>, BuildError> {
        let Some((first, _)) = formulas.first() else {
            return Ok(None);
        };
        let names = names(system);
        let parser = Parser::new().symbols(names.iter().map(|(name, _)| Symbol::new(name)));
        let mut exprs = Vec::with_capacity(formulas.len());
        for (name, formula) in formulas {
            exprs.push(match formula {
                Formula::Expr(expr) => expr.clone(),
                Formula::Text(text) => parser.parse(text).map_err(|error| {
                    let name = name.clone();
                    BuildError::Expression { name, error }
                })?,
            });
        }
        let mut symbols: Vec<Symbol> = exprs.iter().flat_map(Expr::dependencies).collect();
        symbols.sort_unstable();
        symbols.dedup();
        let inputs = symbols
            .iter()
            .map(|symbol| find(system, &names, symbol))
            .collect::<Result<_, UnknownName>>()?;
        let builder = TapeBuilder::new().variables(symbols).outputs(exprs);
        let tape = builder.build().map_err(|error| {
            let name = first.clone();
            BuildError::ExpressionTape { name, error }
        })?;
        Ok(Some(Self { tape, inputs }))
    }

    pub(super) fn workspace(&self, level: Level) -> FormulaWorkspace {
        FormulaWorkspace {
            level,
            registers: self.tape.registers(),
            inputs: vec![[0.0]; self.tape.variable_count()],
            results: vec![[0.0]; self.tape.output_count()],
        }
    }

    /// Bytes of a [`workspace`](Self::workspace).
    pub(super) fn footprint(&self) -> Footprint {
        let numbers = self.tape.variable_count() + self.tape.output_count();
        self.tape.footprint(1).beside(Footprint::of::<f64>(numbers))
    }

    /// The values of all expressions, in order.
    pub(super) fn evaluate<'w>(
        &self,
        workspace: &'w mut FormulaWorkspace,
        values: Values<'_>,
    ) -> &'w [[f64; 1]] {
        for (own, input) in workspace.inputs.iter_mut().zip(&self.inputs) {
            own[0] = match *input {
                Input::Time => values.t,
                Input::Output(i) => values.outputs[i],
                Input::State(i) => values.state[i],
                Input::Discrete(i) => values.discrete[i],
                Input::Parameter(i) => values.parameters[i],
            };
        }
        let (inputs, results) = (&workspace.inputs[..], &mut workspace.results[..]);
        let registers = &mut workspace.registers;
        self.tape
            .evaluate(workspace.level, registers, &[inputs], results);
        &workspace.results
    }
}

/// All names of a system; the first of equal ones counts.
fn names<S: HybridSystem>(system: &S) -> Vec<(String, Input)> {
    let schema = system.schema();
    let outputs = schema.output_names().map(str::to_owned).enumerate();
    let states = schema.state_names().map(str::to_owned).enumerate();
    let discretes = system.events().discretes().iter();
    let discretes = discretes.map(ToString::to_string).enumerate();
    let parameters = schema.parameter_names().map(str::to_owned).enumerate();
    let time = (TIME.to_owned(), Input::Time);
    core::iter::once(time)
        .chain(outputs.map(|(i, name)| (name, Input::Output(i))))
        .chain(states.map(|(i, name)| (name, Input::State(i))))
        .chain(discretes.map(|(i, name)| (name, Input::Discrete(i))))
        .chain(parameters.map(|(i, name)| (name, Input::Parameter(i))))
        .collect()
}

fn find<S: HybridSystem>(
    system: &S,
    names: &[(String, Input)],
    symbol: &Symbol,
) -> Result<Input, UnknownName> {
    let found = names.iter().find(|(name, _)| name == symbol.name());
    found.map(|(_, input)| *input).ok_or_else(|| UnknownName {
        what: "symbol of a recorded expression",
        name: symbol.name().to_owned(),
        owner: system.schema().name().to_owned(),
        nearest: None,
    })
}
