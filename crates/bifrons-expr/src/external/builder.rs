//! Declaring a function.

use crate::external::{Closure, Content, Function, MOST_ARGUMENTS, Nodes, Partial};
use crate::interval::Interval;
use crate::print::is_plain_name;
use std::sync::{Arc, OnceLock};

/// Cost of a call unless it is declared, in multiplications.
const COST: usize = 10;
/// Step of central differences relative to `1 + |x|`: `ε^(1/3)` balances round-off and the third
/// derivative.
const STEP: f64 = 6.055_454_452_393_343e-6;

/// A function can't be declared or called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FunctionError {
    /// The name is no identifier, or a word or function of the expression language.
    #[error(
        "`{name}` is no name of a function: use letters, digits and `_`, and no word of the expression language"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// Too few or too many arguments are declared.
    #[error("`{name}` is declared with {found} arguments: functions have from 1 to {limit}")]
    Arity {
        /// The function.
        name: String,
        /// Arguments that are declared.
        found: usize,
        /// Most arguments.
        limit: usize,
    },
    /// A derivative has other arguments than the function.
    #[error(
        "derivative {argument} of `{name}` takes {found} arguments: it must take the {expected} of the function"
    )]
    Derivative {
        /// The function.
        name: String,
        /// Argument by which is differentiated, from 1.
        argument: usize,
        /// Arguments of the function.
        expected: usize,
        /// Arguments of the derivative.
        found: usize,
    },
    /// A setting speaks of an argument that does not exist.
    #[error("`{name}` has no argument {argument}: arguments are counted from 0 to {last}")]
    NoSuchArgument {
        /// The function.
        name: String,
        /// The argument.
        argument: usize,
        /// The last one.
        last: usize,
    },
    /// A place where the function switches is no finite number.
    #[error("`{name}` switches at {value}: places must be finite")]
    Place {
        /// The function.
        name: String,
        /// The place, as text.
        value: String,
    },
    /// A call has too few or too many arguments.
    #[error("`{name}` takes {expected} arguments, got {found}")]
    Arguments {
        /// The function.
        name: String,
        /// How many it takes.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// The data of a table do not fit together.
    #[error("the table `{name}` {problem}")]
    Table {
        /// The function.
        name: String,
        /// What is wrong and what is required.
        problem: String,
    },
}

/// Settings of a [`Function`].
#[must_use]
pub struct FunctionBuilder {
    name: String,
    arity: usize,
    value: Closure,
    cost: usize,
    smooth: bool,
    range: Interval,
    given: Vec<(usize, Option<Function>)>,
    switches: Vec<Nodes>,
}

impl FunctionBuilder {
    pub(super) fn new(name: String, arity: usize, value: Closure) -> Self {
        Self {
            name,
            arity,
            value,
            cost: COST,
            smooth: false,
            range: Interval::new(f64::NAN, f64::NAN),
            given: vec![],
            switches: vec![],
        }
    }

    /// Gives the derivatives by all arguments, in order.
    pub fn derivatives(mut self, functions: impl IntoIterator<Item = Function>) -> Self {
        let functions = functions.into_iter().enumerate();
        self.given
            .extend(functions.map(|(argument, function)| (argument, Some(function))));
        self
    }

    /// Gives the derivative by one argument, counted from 0.
    pub fn derivative(mut self, argument: usize, function: Function) -> Self {
        self.given.push((argument, Some(function)));
        self
    }

    /// Declares that the derivative by one argument, counted from 0, is zero (almost) everywhere.
    pub fn flat(mut self, argument: usize) -> Self {
        self.given.push((argument, None));
        self
    }

    /// Declares what a call costs, in multiplications.
    pub fn cost(mut self, multiplications: usize) -> Self {
        self.cost = multiplications;
        self
    }

    /// Declares that the function is infinitely often differentiable.
    pub fn smooth(mut self) -> Self {
        self.smooth = true;
        self
    }

    /// Declares that all values are in this interval.
    pub fn within(mut self, range: Interval) -> Self {
        self.range = range;
        self
    }

    /// Declares that the slope jumps where an argument, counted from 0, has these values.
    pub fn kinks(mut self, argument: usize, at: impl Into<Vec<f64>>) -> Self {
        let (at, jumps) = (at.into(), false);
        self.switches.push(Nodes {
            argument,
            at,
            jumps,
        });
        self
    }

    /// Declares that the value jumps where an argument, counted from 0, has these values; a place
    /// belongs to the piece above it.
    pub fn jumps(mut self, argument: usize, at: impl Into<Vec<f64>>) -> Self {
        let (at, jumps) = (at.into(), true);
        self.switches.push(Nodes {
            argument,
            at,
            jumps,
        });
        self
    }

    /// Makes the function.
    ///
    /// # Errors
    ///
    /// [`FunctionError`] names the setting that does not fit.
    pub fn build(self) -> Result<Function, FunctionError> {
        if !is_plain_name(&self.name) || self.name.contains('.') {
            return Err(FunctionError::Name { name: self.name });
        }
        self.checked()
    }

    /// The derivative by an argument, counted from 1, of the function of this name.
    pub(super) fn renamed(mut self, argument: usize) -> Result<Function, FunctionError> {
        if !is_plain_name(&self.name) {
            return Err(FunctionError::Name { name: self.name });
        }
        self.name = format!("{}.d{argument}", self.name);
        self.checked()
    }

    pub(super) fn checked(self) -> Result<Function, FunctionError> {
        let (name, arity) = (self.name, self.arity);
        if arity == 0 || arity > MOST_ARGUMENTS {
            let (found, limit) = (arity, MOST_ARGUMENTS);
            return Err(FunctionError::Arity { name, found, limit });
        }
        let mentioned = self.given.iter().map(|(argument, _)| *argument);
        let mentioned = mentioned.chain(self.switches.iter().map(|nodes| nodes.argument));
        if let Some(argument) = mentioned.into_iter().find(|argument| *argument >= arity) {
            let last = arity - 1;
            return Err(FunctionError::NoSuchArgument {
                name,
                argument,
                last,
            });
        }
        let places = self.switches.iter().flat_map(|nodes| &nodes.at);
        if let Some(value) = places.into_iter().find(|at| !at.is_finite()) {
            let value = value.to_string();
            return Err(FunctionError::Place { name, value });
        }
        let mut partials: Vec<Partial> = (0..arity)
            .map(|_| Partial::Difference(OnceLock::new()))
            .collect();
        for (argument, given) in self.given {
            partials[argument] = match given {
                None => Partial::Zero,
                Some(function) if function.arity() == arity => Partial::Given(function),
                Some(function) => {
                    return Err(FunctionError::Derivative {
                        name,
                        argument: argument + 1,
                        expected: arity,
                        found: function.arity(),
                    });
                }
            };
        }
        Ok(Function(Arc::new(Content {
            name: Arc::from(name),
            arity,
            cost: self.cost,
            smooth: self.smooth,
            range: self.range,
            value: self.value,
            partials,
            switches: self.switches,
        })))
    }
}

impl std::fmt::Debug for FunctionBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FunctionBuilder({}/{})", self.name, self.arity)
    }
}

/// The derivative of a function by central differences; it holds the closure and not the
/// function, so that nothing refers to itself.
pub(super) fn difference(function: &Function, argument: usize) -> Function {
    let Content {
        name,
        arity,
        cost,
        smooth,
        value,
        switches,
        ..
    } = &*function.0;
    let (of, count) = (value.clone(), *arity);
    let slope = move |arguments: &[f64]| {
        let mut moved = [0.0; MOST_ARGUMENTS];
        moved[..count].copy_from_slice(arguments);
        let x = arguments[argument];
        let h = STEP * (1.0 + x.abs());
        // Steps that were taken, not those that were meant.
        let (above, below) = (x + h, x - h);
        moved[argument] = above;
        let high = of(&moved[..count]);
        moved[argument] = below;
        let low = of(&moved[..count]);
        (high - low) / (above - below)
    };
    let partials = (0..count)
        .map(|_| Partial::Difference(OnceLock::new()))
        .collect();
    Function(Arc::new(Content {
        name: Arc::from(format!("{name}.d{}", argument + 1)),
        arity: count,
        cost: cost.saturating_mul(2),
        smooth: *smooth,
        range: Interval::new(f64::NAN, f64::NAN),
        value: Arc::new(slope),
        partials,
        switches: switches
            .iter()
            .map(|nodes| Nodes {
                jumps: true,
                ..nodes.clone()
            })
            .collect(),
    }))
}
