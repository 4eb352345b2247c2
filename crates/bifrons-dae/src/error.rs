//! What can go wrong, by component, pin and variable.

mod structural;

use bifrons_hybrid::{NameProblem, UnknownName};
use thiserror::Error;

pub use structural::{Flaw, StructuralError};

use crate::domain::Domain;
use crate::range::Range;

fn hint(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// A component whose description is not valid.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ComponentError {
    /// The parts of an equation are in different units.
    #[error("component {kind}: units of `{place}` do not fit")]
    Unit {
        /// The kind of the component.
        kind: String,
        /// The equation.
        place: String,
        /// The part and both units.
        source: Box<bifrons_expr::UnitError>,
    },
    /// A unit cannot be read.
    #[error("component {kind}: the unit of `{name}` cannot be read")]
    UnitName {
        /// The kind of the component.
        kind: String,
        /// What has the unit.
        name: String,
        /// What is wrong with the text.
        source: Box<bifrons_expr::UnitParseError>,
    },
    /// A name that is malformed, reserved or taken.
    #[error("name `{name}` of component kind {kind} {problem}")]
    Name {
        /// Kind of the component.
        kind: String,
        /// The refused name.
        name: String,
        /// Why it is refused.
        problem: NameProblem,
    },
    /// An equation uses a name that the component does not declare.
    #[error(
        "`{place}` in component kind {kind} uses the undeclared name `{symbol}`{}",
        hint(nearest)
    )]
    UnknownSymbol {
        /// Kind of the component.
        kind: String,
        /// The expression.
        place: String,
        /// The unknown name.
        symbol: String,
        /// The known name that is nearest to it.
        nearest: Option<String>,
    },
    /// The numbers of equations and unknowns differ.
    #[error(
        "component kind {kind} has {equations} equations for {unknowns} variables and flows; add \
         or remove equations until both numbers agree"
    )]
    Balance {
        /// Kind of the component.
        kind: String,
        /// Number of equations.
        equations: usize,
        /// Number of own variables and flows.
        unknowns: usize,
    },
    /// A parameter outside its range.
    #[error("parameter `{parameter}` of component kind {kind} must be {range}, got {value}")]
    Parameter {
        /// Kind of the component.
        kind: String,
        /// The parameter.
        parameter: String,
        /// The allowed values.
        range: Range,
        /// The value found.
        value: f64,
    },
    /// A setting that shapes the equations makes no sense.
    #[error("`{setting}` of component kind {kind} {requirement}")]
    Setting {
        /// Kind of the component.
        kind: String,
        /// The setting.
        setting: String,
        /// What is required of it.
        requirement: String,
    },
}

/// A network that cannot be put together.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// A name that is malformed, reserved or taken.
    #[error("name `{name}` in network `{network}` {problem}")]
    Name {
        /// The network.
        network: String,
        /// The refused name.
        name: String,
        /// Why it is refused.
        problem: NameProblem,
    },
    /// A component that is not valid.
    #[error("component `{component}` is not valid")]
    Component {
        /// Name of the component.
        component: String,
        /// Why.
        #[source]
        source: ComponentError,
    },
    /// A pin or signal that does not exist.
    #[error(transparent)]
    Unknown(UnknownName),
    /// Two pins that carry different quantities.
    #[error(
        "{} is {} and {} is {}: only pins of one domain can be connected, use a component that \
         converts between them", pins[0], domains[0], pins[1], domains[1]
    )]
    Domains {
        /// The pins.
        pins: [String; 2],
        /// What they carry.
        domains: [Domain; 2],
    },
    /// A signal was fed into something that is no input.
    #[error("`{signal}` is no input signal: connect from it, not to it")]
    NotAnInput {
        /// The target.
        signal: String,
    },
}

/// A network whose equations cannot be written down.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FlattenError {
    /// A signal feeds an input of another unit.
    #[error("`{signal}` in {} feeds `{input}` in {}: convert it on the way", units[0], units[1])]
    SignalUnits {
        /// The source.
        signal: String,
        /// The input.
        input: String,
        /// Units of both.
        units: [String; 2],
    },
    /// A parameter is given a value in a unit that measures something else.
    #[error("parameter `{parameter}` is in {expected}, which {given} cannot be converted to")]
    Unit {
        /// The parameter.
        parameter: String,
        /// The given unit.
        given: String,
        /// The unit of the parameter, `no unit` if it has none.
        expected: String,
    },
    /// The unit of a value cannot be read.
    #[error("the unit of the value of `{parameter}` cannot be read")]
    UnitName {
        /// The parameter.
        parameter: String,
        /// What is wrong with the text.
        source: Box<bifrons_expr::UnitParseError>,
    },
    /// An input has two sources.
    #[error("input `{input}` is fed by `{}` and by `{}`: keep one of them", sources[0], sources[1])]
    TwoSources {
        /// The input.
        input: String,
        /// Its sources.
        sources: [String; 2],
    },
    /// An input has no source.
    #[error("input `{input}` is not connected: feed or export it")]
    OpenInput {
        /// The input.
        input: String,
    },
    /// A path that names nothing.
    #[error("there is no {what} `{name}`{}", hint(nearest))]
    UnknownPath {
        /// `variable` or `parameter`.
        what: &'static str,
        /// The path.
        name: String,
        /// The known path that is nearest to it.
        nearest: Option<String>,
    },
    /// A parameter outside its range.
    #[error("parameter `{parameter}` must be {range}, got {value}")]
    Parameter {
        /// Its path.
        parameter: String,
        /// The allowed values.
        range: Range,
        /// The value found.
        value: f64,
    },
}

/// Initial values that do not exist or were not found.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum InitialError {
    /// The value of a condition cannot be computed.
    #[error("value of the condition for `{quantity}` must depend on parameters and time only")]
    Condition {
        /// The quantity.
        quantity: String,
        /// Why.
        #[source]
        source: bifrons_expr::EvaluateError,
    },
    /// A condition is about a derivative that no equation contains.
    #[error("condition for `{quantity}` reads `{symbol}`, which no equation contains")]
    UnknownQuantity {
        /// The quantity.
        quantity: String,
        /// The symbol.
        symbol: String,
    },
    /// Hard conditions contradict the equations or each other.
    #[error(
        "inconsistent initial conditions: `{condition}` is missed by {residual:e} where the \
         equations and {} hold; make one of them a guess",
        if others.is_empty() { "no other condition".to_owned() } else { others.join(", ") }
    )]
    Contradictory {
        /// The condition that cannot hold.
        condition: String,
        /// The other hard conditions.
        others: Vec<String>,
        /// By how much it is missed.
        residual: f64,
    },
    /// Neither Newton's method nor the homotopy found a solution.
    #[error(
        "initial values not found at t = {time}: worst equation {equation} has residual \
         {residual:e}; give better guesses"
    )]
    NotConverged {
        /// The worst equation with its origin.
        equation: String,
        /// Its residual.
        residual: f64,
        /// The start.
        time: f64,
    },
    /// Too many unknowns for conditions that states alone cannot satisfy.
    #[error(
        "hard conditions on other quantities than states need a dense solution, which is limited \
         to {limit} unknowns, got {unknowns}; fix states instead"
    )]
    TooLarge {
        /// Unknowns of the model.
        unknowns: usize,
        /// The limit.
        limit: usize,
    },
}

/// A run that could not start or ended early.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RunError {
    /// A name that the model does not know.
    #[error("the model has no {what} `{name}`{}", hint(nearest))]
    UnknownName {
        /// `variable` or `parameter`.
        what: &'static str,
        /// The name.
        name: String,
        /// The known name that is nearest to it.
        nearest: Option<String>,
    },
    /// The end lies before the start, or one of them is not finite.
    #[error("the span must be finite and ascend, got {t0} to {t_end}")]
    Span {
        /// The start.
        t0: f64,
        /// The end.
        t_end: f64,
    },
    /// A time of a row is outside of the span or out of order.
    #[error("time {time} of row {index} must ascend and lie in the span")]
    Time {
        /// The row.
        index: usize,
        /// Its time.
        time: f64,
    },
    /// The model has an input without a value.
    #[error("input `{input}` of the model has no value: feed it before a run")]
    OpenInput {
        /// The input.
        input: String,
    },
    /// A parameter outside its range.
    #[error("parameter `{parameter}` must be {range}, got {value}")]
    Parameter {
        /// Its path.
        parameter: String,
        /// The allowed values.
        range: Range,
        /// The value found.
        value: f64,
    },
    /// Initial values do not exist or were not found.
    #[error("no consistent initial values")]
    Initial(#[from] InitialError),
    /// The equations became too large for a program.
    #[error("the equations cannot be compiled")]
    Compile(#[from] bifrons_expr::CompileError),
    /// The integrator refused its settings.
    #[error("the settings of the integration make no sense")]
    Settings(#[from] bifrons_ode::InputError),
    /// No set of states determines all other unknowns at this point.
    #[error("the constraints are dependent at t = {time}: no states can be chosen there")]
    NoStates {
        /// The instant.
        time: f64,
    },
    /// Equations that determine nothing for the chosen states.
    #[error("equations {} determine nothing for the chosen states", equations.join("; "))]
    Unordered {
        /// The equations with their origins.
        equations: Vec<String>,
    },
    /// A system of equations is singular.
    #[error(
        "the equations are singular at t = {time}: `{unknown}` is not determined; look for ideal \
         elements in parallel or in series"
    )]
    Singular {
        /// An unknown that is not determined.
        unknown: String,
        /// The instant.
        time: f64,
    },
    /// A variable is NaN or infinite.
    #[error("`{variable}` is not finite at t = {time}")]
    NotFinite {
        /// The variable.
        variable: String,
        /// The instant.
        time: f64,
    },
    /// Newton's method failed.
    #[error("no solution found at t = {time}: worst equation {equation} has residual {residual:e}")]
    NotConverged {
        /// The worst equation with its origin.
        equation: String,
        /// Its residual.
        residual: f64,
        /// The instant.
        time: f64,
    },
    /// Switches do not come to rest.
    #[error("switches {} find no common position at t = {time}", switches.join(", "))]
    Switches {
        /// The instant.
        time: f64,
        /// Those that disagree with their surfaces.
        switches: Vec<String>,
    },
    /// An event sets a variable that is no state.
    #[error("event `{event}` sets `{variable}`, which is neither a state nor iterated")]
    Reset {
        /// The event.
        event: String,
        /// The variable.
        variable: String,
    },
    /// More events than allowed, or events without progress.
    #[error(
        "{events} events at t = {time} without an end in sight; raise `max_events` or look for chattering"
    )]
    Events {
        /// The instant.
        time: f64,
        /// Events so far.
        events: u64,
    },
    /// The integrator gave up.
    #[error("the integration failed")]
    Integration {
        /// Why.
        #[source]
        failure: bifrons_ode::Failure,
        /// The evaluation that failed before, if one did.
        cause: Option<Box<RunError>>,
    },
    /// The solver failed in a way that is not known here.
    #[error("the solver failed: {message}")]
    Solver {
        /// What it said.
        message: String,
    },
    /// The run ended early; what was recorded before is kept.
    #[error("the run ended at t = {time}")]
    Ended {
        /// The instant.
        time: f64,
        /// Why.
        #[source]
        cause: Box<RunError>,
        /// Rows and events until then.
        partial: Box<crate::simulation::Run>,
    },
}

/// A model that cannot be written as explicit equations.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BridgeError {
    /// A system of equations has no inputs.
    #[error("input `{input}` of the model is open: make a block of it, or feed the input")]
    Input {
        /// The input.
        input: String,
    },
    /// Switches and events have no place in explicit equations.
    #[error("switches and events ({}) need a run of the network itself", names.join(", "))]
    Discrete {
        /// Their names.
        names: Vec<String>,
    },
    /// Some blocks have no solution in symbols.
    #[error("equations {} need iterations: run the network itself", equations.join("; "))]
    Iterations {
        /// The equations with their origins.
        equations: Vec<String>,
    },
    /// The states must be chosen anew during a run.
    #[error("no choice of states holds everywhere: run the network itself")]
    Selection,
    /// More sets of states are possible than are compiled.
    #[error("more than {limit} sets of states are possible: run the network by `simulation`")]
    Sets {
        /// Sets that are compiled at most.
        limit: usize,
    },
    /// An event sets a variable that follows from the equations in every set of states.
    #[error("event `{event}` sets `{variable}`, which is neither a state nor iterated")]
    Reset {
        /// The event.
        event: String,
        /// The variable.
        variable: String,
    },
    /// The names of outputs or states are not unique.
    #[error("the names make no schema")]
    Schema(#[from] bifrons_hybrid::SchemaError),
    /// A hard condition at the start is about something else than a state.
    #[error("the start of `{quantity}` is no start of a state: fix a state instead")]
    Start {
        /// The quantity.
        quantity: String,
    },
    /// An output that the model does not know.
    #[error("the model has no variable `{name}`")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// The equations became too large for a program.
    #[error("the equations cannot be compiled")]
    Compile(#[from] bifrons_expr::CompileError),
    /// The system of equations was refused.
    #[error("the equations make no system")]
    Equations(#[from] bifrons_hybrid::EquationError),
    /// The block was refused.
    #[error("the equations make no block")]
    Block(#[from] bifrons_hybrid::BlockError),
}
