//! Builder and validation of a [`BlockSpec`].

use std::sync::Arc;

use bifrons_expr::{Expr, Symbol};

use super::{BlockSpec, Local, Role};
use crate::error::BlockError;
use crate::name::{NameProblem, TIME, check_name, nearest};

/// Collects the description of a block; made by [`BlockSpec::builder`].
///
/// The order of the calls is the order of ports, parameters and states. Nothing is checked before
/// [`build`](Self::build).
#[derive(Debug, Clone)]
#[must_use]
pub struct BlockSpecBuilder {
    kind: Arc<str>,
    locals: Vec<Local>,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

impl BlockSpecBuilder {
    pub(super) fn new(kind: Arc<str>) -> Self {
        Self {
            kind,
            locals: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Declares an input.
    pub fn input(mut self, name: impl AsRef<str>) -> Self {
        self.inputs.push(self.locals.len());
        self.push(name.as_ref(), Role::Input)
    }

    /// Declares a parameter with its default value; infinite is allowed, NaN is not.
    pub fn parameter(self, name: impl AsRef<str>, default: f64) -> Self {
        self.push(name.as_ref(), Role::Parameter(default))
    }

    /// Declares a continuous state with its derivative and its value at the start.
    ///
    /// The start may depend on parameters and on `time` (the start time).
    pub fn state(
        self,
        name: impl AsRef<str>,
        derivative: impl Into<Expr>,
        start: impl Into<Expr>,
    ) -> Self {
        let role = Role::State {
            derivative: derivative.into(),
            start: start.into(),
        };
        self.push(name.as_ref(), role)
    }

    /// Declares a local quantity that other equations of the block use by name.
    pub fn definition(self, name: impl AsRef<str>, expression: impl Into<Expr>) -> Self {
        self.push(name.as_ref(), equation(expression.into()))
    }

    /// Declares an output.
    pub fn output(mut self, name: impl AsRef<str>, expression: impl Into<Expr>) -> Self {
        self.outputs.push(self.locals.len());
        self.push(name.as_ref(), equation(expression.into()))
    }

    fn push(mut self, name: &str, role: Role) -> Self {
        self.locals.push(Local {
            symbol: Symbol::new(name),
            role,
        });
        self
    }

    /// Checks and finishes the description.
    ///
    /// Cost: linear in the equations, plus sorting the names.
    ///
    /// # Errors
    ///
    /// [`BlockError::Name`] for a name that is malformed, reserved or taken;
    /// [`BlockError::UnknownSymbol`] for an equation that uses an undeclared name;
    /// [`BlockError::Value`] for a parameter that is NaN.
    pub fn build(self) -> Result<BlockSpec, BlockError> {
        let Self {
            kind,
            mut locals,
            inputs,
            outputs,
        } = self;
        let by_name = sort_names(&kind, &locals)?;
        for local in &locals {
            if let Role::Parameter(value) = local.role
                && value.is_nan()
            {
                return Err(BlockError::Value {
                    kind: kind.to_string(),
                    setting: local.symbol.name().to_owned(),
                    value,
                    requirement: "must be a number",
                });
            }
        }
        let mut uses: Vec<Vec<usize>> = Vec::with_capacity(locals.len());
        for local in &locals {
            let mut found = Vec::new();
            for expression in local.role.expressions() {
                for symbol in expression.dependencies() {
                    match find(&locals, &by_name, symbol.name()) {
                        Some(position) => found.push(position),
                        None if symbol.name() == TIME => {}
                        None => return Err(unknown_symbol(&kind, local, &symbol, &locals)),
                    }
                }
            }
            uses.push(found);
        }
        for (local, found) in locals.iter_mut().zip(uses) {
            if let Role::Equation { uses, .. } = &mut local.role {
                *uses = found;
            }
        }
        Ok(BlockSpec {
            kind,
            locals,
            by_name,
            inputs,
            outputs,
        })
    }
}

impl Role {
    fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let (first, second) = match self {
            Self::Input | Self::Parameter(_) => (None, None),
            Self::State { derivative, start } => (Some(derivative), Some(start)),
            Self::Equation { expression, .. } => (Some(expression), None),
        };
        first.into_iter().chain(second)
    }
}

fn equation(expression: Expr) -> Role {
    Role::Equation {
        expression,
        uses: Vec::new(),
    }
}

fn sort_names(kind: &str, locals: &[Local]) -> Result<Vec<usize>, BlockError> {
    let refuse = |local: &Local, problem| BlockError::Name {
        kind: kind.to_owned(),
        name: local.symbol.name().to_owned(),
        problem,
    };
    for local in locals {
        check_name(local.symbol.name()).map_err(|problem| refuse(local, problem))?;
    }
    let mut by_name: Vec<usize> = (0..locals.len()).collect();
    by_name.sort_by(|&a, &b| locals[a].symbol.name().cmp(locals[b].symbol.name()));
    for pair in by_name.windows(2) {
        if locals[pair[0]].symbol.name() == locals[pair[1]].symbol.name() {
            return Err(refuse(&locals[pair[1]], NameProblem::Duplicate));
        }
    }
    Ok(by_name)
}

fn find(locals: &[Local], by_name: &[usize], name: &str) -> Option<usize> {
    by_name
        .binary_search_by(|&local| locals[local].symbol.name().cmp(name))
        .ok()
        .map(|position| by_name[position])
}

fn unknown_symbol(kind: &str, local: &Local, symbol: &Symbol, locals: &[Local]) -> BlockError {
    let known = locals.iter().map(|local| local.symbol.name()).chain([TIME]);
    BlockError::UnknownSymbol {
        kind: kind.to_owned(),
        equation: local.symbol.name().to_owned(),
        symbol: symbol.name().to_owned(),
        nearest: nearest(symbol.name(), known).map(str::to_owned),
    }
}
