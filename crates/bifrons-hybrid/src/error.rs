//! What can go wrong between the description of a block and a compiled system.

mod analysis;

use std::fmt;

use thiserror::Error;

pub use analysis::{LinearisationError, SensitivityError, SlideError, TrimError};

use crate::event::TimelineError;
use crate::name::{Hint, NameProblem};

/// A look-up by name that found nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{owner}` has no {what} `{name}`{hint}", hint = Hint(nearest))]
pub struct UnknownName {
    /// What was looked up: `parameter`, `state`, `output`, `input`.
    pub what: &'static str,
    /// The name that was asked for.
    pub name: String,
    /// The system, diagram or block that was asked.
    pub owner: String,
    /// The known name that is nearest to it.
    pub nearest: Option<String>,
}

/// Names or defaults that do not make a [`Schema`](crate::Schema).
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Two quantities of one group have the same name.
    #[error("system `{system}` has two {what}s called `{name}`, names must be unique")]
    Duplicate {
        /// Name of the system.
        system: String,
        /// The group: `state`, `parameter` or `output`.
        what: &'static str,
        /// The name that is taken twice.
        name: String,
    },
    /// The default of a parameter is NaN.
    #[error("default of parameter `{parameter}` of system `{system}` must be a number, got NaN")]
    Default {
        /// Name of the system.
        system: String,
        /// The parameter.
        parameter: String,
    },
}

/// A block whose description is not valid.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BlockError {
    /// A state machine that makes no sense.
    #[error("{kind}: {problem}")]
    Machine {
        /// Kind of the block.
        kind: String,
        /// What is wrong, by the names of states.
        problem: String,
    },
    /// An update whose trigger is no clock or guard of the block, or whose target is no state.
    #[error(
        "update of `{variable}` at `{trigger}` of block kind {kind}: `{trigger}` must be a clock \
         or guard of the block and `{variable}` a discrete or continuous state of it"
    )]
    Update {
        /// Kind of the block.
        kind: String,
        /// The variable.
        variable: String,
        /// The clock or guard.
        trigger: String,
    },
    /// The equations of the diagram within a container make no system.
    #[error("{kind} container around `{diagram}`")]
    Inside {
        /// Kind of the container.
        kind: String,
        /// Name of the diagram within it.
        diagram: String,
        /// What is wrong with its equations.
        source: Box<EquationError>,
    },
    /// An equation whose units do not fit.
    #[error("units of the equation of `{equation}` in block kind {kind} do not fit")]
    Unit {
        /// Kind of the block.
        kind: String,
        /// The quantity whose equation it is.
        equation: String,
        /// Which part, with both units and the fix.
        source: Box<bifrons_expr::UnitError>,
    },
    /// A conversion between units of different dimensions.
    #[error("`{from}` cannot be converted to `{to}`, they measure different things")]
    Conversion {
        /// Unit of the input.
        from: String,
        /// Unit of the output.
        to: String,
    },
    /// A guess of something that is no definition or output of the block, or one that reads an
    /// input, a definition or an output.
    #[error(
        "guess of `{equation}` in block kind {kind} cannot use `{symbol}`; guesses are of \
         definitions and outputs and read parameters, states and `time` only"
    )]
    Guess {
        /// Kind of the block.
        kind: String,
        /// What the guess is of.
        equation: String,
        /// The name that does not fit.
        symbol: String,
    },
    /// Something that this kind of container cannot hold.
    #[error("{kind} container around `{diagram}` cannot hold {what} `{name}`; {fix}")]
    Content {
        /// Kind of the container.
        kind: String,
        /// Name of the diagram within it.
        diagram: String,
        /// What it is.
        what: &'static str,
        /// Its path within the container.
        name: String,
        /// What to do.
        fix: &'static str,
    },
    /// The elements of a container do not make a diagram.
    #[error("{kind} container cannot be put together")]
    Elements {
        /// Kind of the container.
        kind: String,
        /// What is wrong.
        source: Box<DiagramError>,
    },
    /// An element of a container has other ports than the first one.
    #[error("{kind} container: element {element} ({found}) has other ports than element 1")]
    Ports {
        /// Kind of the container.
        kind: String,
        /// Number of the element, from 1.
        element: usize,
        /// What the element is.
        found: String,
    },
    /// A name that is malformed, reserved or taken.
    #[error("name `{name}` of block kind {kind} {problem}")]
    Name {
        /// Kind of the block.
        kind: String,
        /// The refused name.
        name: String,
        /// Why it is refused.
        problem: NameProblem,
    },
    /// An equation uses a name that the block does not declare.
    #[error(
        "equation of `{equation}` in block kind {kind} uses the undeclared name `{symbol}`{hint}",
        hint = Hint(nearest)
    )]
    UnknownSymbol {
        /// Kind of the block.
        kind: String,
        /// The quantity whose equation it is.
        equation: String,
        /// The unknown name.
        symbol: String,
        /// The known name that is nearest to it.
        nearest: Option<String>,
    },
    /// A number that the block cannot work with.
    #[error("`{setting}` of block kind {kind} {requirement}, got {value}")]
    Value {
        /// Kind of the block.
        kind: String,
        /// The setting.
        setting: String,
        /// The value found.
        value: f64,
        /// What is required of it.
        requirement: &'static str,
    },
    /// A setting of the wrong shape.
    #[error("`{setting}` of block kind {kind} must have {required}, got {found}")]
    Shape {
        /// Kind of the block.
        kind: String,
        /// The setting.
        setting: String,
        /// The required shape, in words.
        required: String,
        /// The shape found, in words.
        found: String,
    },
    /// A text that cannot be read as an expression.
    #[error("`{setting}` of block kind {kind} cannot be read: `{text}`")]
    Text {
        /// Kind of the block.
        kind: String,
        /// The setting.
        setting: String,
        /// The text.
        text: String,
        /// What the parser says, with the place and a suggestion.
        source: Box<bifrons_expr::ParseError>,
    },
}

/// A diagram that cannot be put together.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DiagramError {
    /// A name of a block or of an exported port that is malformed, reserved or taken.
    #[error("name `{name}` in diagram `{diagram}` {problem}")]
    Name {
        /// Name of the diagram.
        diagram: String,
        /// The refused name.
        name: String,
        /// Why it is refused.
        problem: NameProblem,
    },
    /// A block that is added has no valid description.
    #[error("block `{block}` cannot be added to diagram `{diagram}`")]
    Block {
        /// Name of the diagram.
        diagram: String,
        /// Name under which the block was to be added.
        block: String,
        /// What is wrong with the block.
        source: Box<BlockError>,
    },
    /// A block that the diagram does not have.
    #[error("diagram `{diagram}` has no block `{block}`{hint}", hint = Hint(nearest))]
    UnknownBlock {
        /// Name of the diagram.
        diagram: String,
        /// The block that was asked for.
        block: String,
        /// The known name that is nearest to it.
        nearest: Option<String>,
    },
    /// An identifier that another builder has given out.
    #[error("block `{block}` was added to another diagram than `{diagram}`")]
    ForeignBlock {
        /// Name of the diagram.
        diagram: String,
        /// Name of the block in the other diagram.
        block: String,
    },
    /// A port that the block does not have.
    #[error(transparent)]
    UnknownPort(Box<UnknownPort>),
    /// An input that would have two sources.
    #[error(
        "input `{input}` of diagram `{diagram}` already has the source `{first}`, \
         `{second}` cannot be connected as well"
    )]
    SecondSource {
        /// Name of the diagram.
        diagram: String,
        /// The input, as `block.port`.
        input: String,
        /// The source that it has.
        first: String,
        /// The source that was to be connected.
        second: String,
    },
    /// An input that would be fed in another unit.
    #[error(transparent)]
    Units(Box<UnitMismatch>),
    /// Inputs without a source.
    #[error(
        "diagram `{diagram}` leaves {} without a source; connect them, export them or give them \
         a constant",
        Names(inputs)
    )]
    Unconnected {
        /// Name of the diagram.
        diagram: String,
        /// Every such input, as `block.port`.
        inputs: Vec<String>,
    },
    /// A constant for an input that is NaN.
    #[error("constant of input `{input}` of diagram `{diagram}` must be a number, got {value}")]
    Constant {
        /// Name of the diagram.
        diagram: String,
        /// The input.
        input: String,
        /// The value found.
        value: f64,
    },
}

/// An input that would be fed in another unit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[error(
    "`{from}` in `{from_unit}` cannot feed input `{to}` in `{to_unit}` of diagram `{diagram}`; \
     {fix}"
)]
pub struct UnitMismatch {
    /// Name of the diagram.
    pub diagram: String,
    /// The source, as `block.port`.
    pub from: String,
    /// Its unit.
    pub from_unit: String,
    /// The input, as `block.port`.
    pub to: String,
    /// Its unit.
    pub to_unit: String,
    /// What to do.
    pub fix: String,
}

/// A port that a block of a diagram does not have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[error(
    "`{block}` ({kind}) of diagram `{diagram}` has no {direction} `{port}`; it has {}{hint}",
    Names(known), hint = Hint(nearest)
)]
pub struct UnknownPort {
    /// Name of the diagram.
    pub diagram: String,
    /// Name of the block, or that of the diagram for an exported port.
    pub block: String,
    /// Kind of the block.
    pub kind: String,
    /// `input` or `output`.
    pub direction: &'static str,
    /// The port that was asked for.
    pub port: String,
    /// The ports of that direction.
    pub known: Vec<String>,
    /// The known name that is nearest to it.
    pub nearest: Option<String>,
}

/// An algebraic loop that is not solved.
///
/// Displayed port by port in the direction of the signal: `gain.y -> sum.u1 -> sum.y -> gain.u`.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
#[error("{kind}: {} in `{system}`; {}", Route { ports, loop_size: *port_count }, kind.fix())]
pub struct AlgebraicLoop {
    /// Name of the diagram or system.
    pub system: String,
    /// A shortest cycle through the loop, in the direction of the signal.
    pub ports: Vec<String>,
    /// Number of ports and quantities that depend on each other; more than `ports` has if the
    /// loop is a web of several cycles.
    pub port_count: usize,
    /// Why it is not solved.
    pub kind: LoopKind,
}

/// Why an algebraic loop is not solved.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LoopKind {
    /// Linear with a coefficient `1 - slope` that is zero, so that there is no or no single solution.
    Singular {
        /// The loop variable.
        variable: String,
    },
    /// Not linear in the loop variable.
    Nonlinear {
        /// The loop variable.
        variable: String,
    },
    /// More loop variables than are solved for: 100.
    TooManyVariables {
        /// Number of loop variables found.
        count: usize,
    },
    /// Newton's method from the guess finds no solution of a nonlinear loop.
    NoConvergence {
        /// The loop variables, joined by commas.
        variable: String,
        /// The largest residual at the last point.
        residual: f64,
    },
    /// Samples that read each other at one instant.
    Samples,
}

impl LoopKind {
    fn fix(&self) -> &'static str {
        match self {
            Self::Singular { .. } => "its equations have no single solution, change a gain",
            Self::Nonlinear { .. } | Self::TooManyVariables { .. } => {
                "put a state between two of its ports"
            }
            Self::NoConvergence { .. } => {
                "it may have no solution; give a guess, or put a state between two of its ports"
            }
            Self::Samples => "put a unit delay between two of its ports",
        }
    }
}

impl fmt::Display for LoopKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Singular { variable } => write!(f, "singular algebraic loop of `{variable}`"),
            Self::Nonlinear { variable } => write!(f, "nonlinear algebraic loop of `{variable}`"),
            Self::TooManyVariables { count } => {
                write!(f, "algebraic loop with {count} loop variables")
            }
            Self::NoConvergence { variable, residual } => {
                write!(
                    f,
                    "no convergence for the nonlinear algebraic loop of `{variable}`, residual \
                     {residual:e}"
                )
            }
            Self::Samples => f.write_str("algebraic loop of samples"),
        }
    }
}

/// Equations that do not make a system.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum EquationError {
    /// A name that is malformed, reserved or taken.
    #[error("name `{name}` of system `{system}` {problem}")]
    Name {
        /// Name of the system.
        system: String,
        /// The refused name.
        name: String,
        /// Why it is refused.
        problem: NameProblem,
    },
    /// An equation uses a name that the system does not declare.
    #[error(
        "equation of `{equation}` in system `{system}` uses the undeclared name `{symbol}`{hint}",
        hint = Hint(nearest)
    )]
    UnknownSymbol {
        /// Name of the system.
        system: String,
        /// The quantity whose equation it is.
        equation: String,
        /// The unknown name.
        symbol: String,
        /// The known name that is nearest to it.
        nearest: Option<String>,
    },
    /// A parameter whose default value is NaN.
    #[error(
        "default of parameter `{parameter}` of system `{system}` must be a number, got {value}"
    )]
    Value {
        /// Name of the system.
        system: String,
        /// The parameter.
        parameter: String,
        /// The value found.
        value: f64,
    },
    /// A start value that depends on more than parameters and the start time.
    #[error(
        "start of state `{state}` in system `{system}` depends on `{symbol}`; it may depend on \
         parameters and `time` only"
    )]
    Start {
        /// Name of the system.
        system: String,
        /// The state.
        state: String,
        /// The state or input that its start depends on.
        symbol: String,
    },
    /// A guess of something that is no definition, or one that reads a definition.
    #[error(
        "guess of `{definition}` in system `{system}` cannot use `{symbol}`; guesses are of \
         definitions and read parameters, inputs, states and `time` only"
    )]
    Guess {
        /// Name of the system.
        system: String,
        /// What the guess is of.
        definition: String,
        /// The name that does not fit.
        symbol: String,
    },
    /// An algebraic loop that is not solved.
    #[error(transparent)]
    AlgebraicLoop(#[from] AlgebraicLoop),
    /// Inputs of the whole system without a value.
    #[error(
        "system `{system}` has {} without a value; connect them or give them a constant",
        Names(inputs)
    )]
    OpenInputs {
        /// Name of the system.
        system: String,
        /// Every such input.
        inputs: Vec<String>,
    },
    /// Clocks that cannot be used together.
    #[error("clocks of system `{system}` cannot be used")]
    Clocks {
        /// Name of the system.
        system: String,
        /// Which clock and why.
        source: TimelineError,
    },
    /// An update names a clock or guard that the system does not have.
    #[error("update of `{variable}` in system `{system}`")]
    Trigger {
        /// Name of the system.
        system: String,
        /// The variable that would be written.
        variable: String,
        /// The unknown clock or guard.
        source: Box<UnknownName>,
    },
    /// An update writes something that is neither a discrete nor a continuous state.
    #[error(
        "update of `{variable}` in system `{system}` at `{trigger}`: only discrete and continuous \
         states can be written, and a sample must be discrete and written as a sample only"
    )]
    UpdateTarget {
        /// Name of the system.
        system: String,
        /// The variable.
        variable: String,
        /// Name of the clock or guard.
        trigger: String,
    },
    /// One clock or guard updates a variable twice with equal priority.
    #[error(
        "variable `{variable}` of system `{system}` is updated twice at `{trigger}`; give the \
         updates different priorities"
    )]
    SecondUpdate {
        /// Name of the system.
        system: String,
        /// The variable.
        variable: String,
        /// Name of the clock or guard.
        trigger: String,
    },
    /// The equations cannot be compiled to a tape.
    #[error("equations of system `{system}` cannot be compiled")]
    Tape {
        /// Name of the system.
        system: String,
        /// What the compiler of expressions says.
        source: bifrons_expr::CompileError,
    },
}

/// Names in quotes, joined by commas; long lists are cut with a count of the rest.
struct Names<'a>(&'a [String]);

const NAMES_SHOWN: usize = 20;

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (position, name) in self.0.iter().take(NAMES_SHOWN).enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            write!(f, "{comma}`{name}`")?;
        }
        match self.0.len().saturating_sub(NAMES_SHOWN) {
            0 => Ok(()),
            rest => write!(f, " and {rest} more"),
        }
    }
}

/// A cycle as `a -> b -> c`; the middle of a long one is left out.
struct Route<'a> {
    ports: &'a [String],
    loop_size: usize,
}

const ROUTE_ENDS_SHOWN: usize = 20;

impl fmt::Display for Route<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.ports.len();
        f.write_str("`")?;
        for (position, port) in self.ports.iter().enumerate() {
            if position == ROUTE_ENDS_SHOWN && count > 2 * ROUTE_ENDS_SHOWN {
                write!(f, " -> ({} ports)", count - 2 * ROUTE_ENDS_SHOWN)?;
            }
            if position < ROUTE_ENDS_SHOWN || position + ROUTE_ENDS_SHOWN >= count {
                let arrow = if position == 0 { "" } else { " -> " };
                write!(f, "{arrow}{port}")?;
            }
        }
        f.write_str("`")?;
        if self.loop_size > count {
            write!(f, " (one cycle of a loop of {} ports)", self.loop_size)?;
        }
        Ok(())
    }
}
