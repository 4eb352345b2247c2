//! The equations of a diagram on their way into a container.

use bifrons_expr::{Expr, Symbol};

use crate::block::{Assembly, BlockUpdate, Local, Role, equation};
use crate::diagram::Diagram;
use crate::equations::{EquationSystem, GuardEquation, base_name, pre_symbol};
use crate::error::BlockError;
use crate::event::{Guard, Trigger};
use crate::flatten;
use crate::range::ParameterRange;

/// Flattens the diagram within a container; all its exported inputs stay inputs.
pub(super) fn flatten(kind: &str, diagram: &Diagram) -> Result<EquationSystem, BlockError> {
    flatten::flatten(diagram, false).map_err(|source| BlockError::Inside {
        kind: kind.to_owned(),
        diagram: diagram.name().to_owned(),
        source: Box::new(source),
    })
}

/// The value of an output inside, before the container switches it.
pub(super) fn inner(output: &Symbol) -> Symbol {
    Symbol::from(format!("inner({})", output.name()))
}

/// The last value of an output that the container shows.
pub(super) fn held(output: &Symbol) -> Symbol {
    Symbol::from(format!("held({})", output.name()))
}

/// Collects the parts of a container.
pub(super) struct Parts {
    assembly: Assembly,
}

impl Parts {
    /// The signal that controls the container and the inputs and parameters of the diagram.
    pub(super) fn new(kind: &'static str, control: &str, system: &EquationSystem) -> Self {
        let mut parts = Self {
            assembly: Assembly {
                kind,
                locals: Vec::new(),
                defaults: Vec::new(),
                clocks: system.clocks().to_vec(),
                guards: Vec::new(),
                updates: Vec::new(),
                outputs: Vec::new(),
                guesses: Vec::new(),
            },
        };
        parts.push(control, Role::Input);
        for input in system.inputs() {
            parts.push(input, Role::Input);
        }
        for parameter in system.parameters() {
            parts.parameter(&parameter.symbol, parameter.default, parameter.range);
        }
        parts
    }

    /// Adds a local and returns its position.
    pub(super) fn push(&mut self, symbol: impl Into<Symbol>, role: Role) -> usize {
        self.assembly.locals.push(Local {
            symbol: symbol.into(),
            role,
            unit: None,
        });
        self.assembly.locals.len() - 1
    }

    pub(super) fn parameter(
        &mut self,
        symbol: impl Into<Symbol>,
        default: f64,
        range: ParameterRange,
    ) {
        self.assembly.defaults.push(default);
        let default = self.assembly.defaults.len() - 1;
        self.push(symbol, Role::Parameter { default, range });
    }

    pub(super) fn define(&mut self, symbol: impl Into<Symbol>, expression: Expr) {
        self.push(symbol, equation(expression));
    }

    /// Definitions and loops of the diagram, each expression as `read` changes it.
    ///
    /// The whole finds the loops again: `z := z - r` has the residual `r`.
    pub(super) fn equations(&mut self, system: &EquationSystem, read: impl Fn(&Expr) -> Expr) {
        for definition in system.definitions() {
            self.define(&definition.symbol, read(&definition.expression));
        }
        for own in system.loops() {
            let equations = own.variables.iter().zip(&own.residuals);
            for ((variable, residual), guess) in equations.zip(&own.guesses) {
                let expression = Expr::symbol(variable) - read(residual);
                let position = self.push(variable, equation(expression));
                self.assembly.guesses.push((position, guess.clone()));
            }
        }
    }

    pub(super) fn output(&mut self, symbol: &Symbol, expression: Expr) {
        let position = self.push(symbol, equation(expression));
        self.assembly.outputs.push(position);
    }

    /// Adds a guard and returns its trigger.
    pub(super) fn guard(&mut self, guard: Guard, expression: Expr) -> Trigger {
        self.assembly
            .guards
            .push(GuardEquation { guard, expression });
        Trigger::Guard(self.assembly.guards.len() - 1)
    }

    pub(super) fn update(&mut self, update: BlockUpdate) {
        self.assembly.updates.push(update);
    }

    /// Containers without clocks of their own.
    pub(super) fn drop_clocks(&mut self) {
        self.assembly.clocks.clear();
    }

    /// Finishes the container; its ports have the units of those of the diagram.
    pub(super) fn build(
        mut self,
        diagram: &Diagram,
    ) -> Result<crate::block::BlockSpec, BlockError> {
        for local in &mut self.assembly.locals {
            let name = local.symbol.name();
            let input = diagram.find_input(name).map(|i| &diagram.0.inputs[i].unit);
            let output = diagram
                .find_output(name)
                .map(|i| &diagram.0.outputs[i].unit);
            local.unit = input.or(output).and_then(Clone::clone);
        }
        self.assembly.build()
    }
}

/// Replaces what equations inside read: `x` and `pre(x)` of a variable by what `find` says.
pub(super) fn rename(expression: &Expr, find: impl Fn(&str, bool) -> Option<Symbol>) -> Expr {
    expression.substitute(&mut |symbol| {
        let base = base_name(symbol.name());
        find(base, base != symbol.name()).map(Expr::symbol)
    })
}

/// The value of a variable before the instant.
pub(super) fn before(symbol: &Symbol) -> Expr {
    Expr::symbol(pre_symbol(symbol))
}
