//! What can go wrong, before the first step and during a run.

use crate::solution::Solution;

/// Input that no run can start from. Found before the right-hand side is called.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A tolerance is negative, not finite, or everything is zero.
    #[error(
        "{which} tolerance{} must be finite and at least zero, and not zero together with the \
         other one, got {value}",
        component.map_or(String::new(), |i| format!(" of component {i}"))
    )]
    Tolerance {
        /// `relative` or `absolute`.
        which: &'static str,
        /// The component, where there is one tolerance per component.
        component: Option<usize>,
        /// The value found.
        value: f64,
    },
    /// The number of absolute tolerances fits neither "one for all" nor "one each".
    #[error("{found} absolute tolerances for {required} components; give one or {required}")]
    ToleranceCount {
        /// Tolerances found.
        found: usize,
        /// Components of the problem.
        required: usize,
    },
    /// The initial state has the wrong length.
    #[error("initial state has {found} components, the problem has {required}")]
    StateLength {
        /// Length found.
        found: usize,
        /// Dimension of the problem.
        required: usize,
    },
    /// A component of the initial state is NaN or infinite.
    #[error("component {component} of the initial state must be finite, got {value}")]
    StateNotFinite {
        /// The component.
        component: usize,
        /// The value found.
        value: f64,
    },
    /// An end of the time span is NaN or infinite.
    #[error("{which} of the time span must be finite, got {value}")]
    SpanNotFinite {
        /// `start` or `end`.
        which: &'static str,
        /// The value found.
        value: f64,
    },
    /// A requested output time lies outside the span, is not finite, or runs against it.
    #[error(
        "output time {value} at index {index} must lie in the span from {start} to {end}, in the \
         direction of integration"
    )]
    OutputTime {
        /// Position in the list.
        index: usize,
        /// The value found.
        value: f64,
        /// Start of the span.
        start: f64,
        /// End of the span.
        end: f64,
    },
    /// A declared stop lies outside the span or is not finite.
    #[error("stop {value} at index {index} must lie in the span from {start} to {end}")]
    StopTime {
        /// Position in the list.
        index: usize,
        /// The value found.
        value: f64,
        /// Start of the span.
        start: f64,
        /// End of the span.
        end: f64,
    },
    /// The mass matrix is singular, and the method is explicit.
    #[error(
        "the mass matrix is singular: there are algebraic equations; choose an implicit method"
    )]
    SingularMass,
    /// A method that cannot solve for derivatives was given a mass matrix: by an adjoint, or by a
    /// function that is compiled for the type of the problem.
    #[error("{method} is explicit and takes no mass matrix here; choose an implicit method")]
    MassWithExplicit {
        /// The method.
        method: &'static str,
    },
    /// A step size option is zero, negative or NaN.
    #[error("{which} step must be positive, got {value}")]
    StepOption {
        /// `initial` or `maximal`.
        which: &'static str,
        /// The value found.
        value: f64,
    },
    /// A size or an index of a matrix does not fit.
    #[error("{what}: found {found}, required {required}")]
    Matrix {
        /// What was looked at.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number required, or the bound.
        required: usize,
    },
    /// A value of the mass matrix is NaN or infinite.
    #[error("value {index} of the mass matrix must be finite, got {value}")]
    MassNotFinite {
        /// Position in the order of its structure.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// The problem is too large for an implicit method on lanes.
    #[error(
        "{found} components on lanes of an implicit method, at most {most}; solve its members one \
         by one"
    )]
    LaneDimension {
        /// Components of the problem.
        found: usize,
        /// Most components.
        most: usize,
    },
    /// The workspace was made for another number of root functions.
    #[error(
        "workspace is for {found} root functions, the problem has {required}; make it by \
         `EnsembleWorkspace::for_method`"
    )]
    Roots {
        /// Functions that the workspace has room for.
        found: usize,
        /// Functions of the problem.
        required: usize,
    },
    /// The workspace was made for another method.
    #[error("workspace has {found} arrays of lanes, the method needs {required}")]
    Arrays {
        /// Arrays of the workspace.
        found: usize,
        /// Arrays of the method.
        required: usize,
    },
    /// The workspace was made for another dimension.
    #[error("workspace is for {found} components, the problem has {required}")]
    Workspace {
        /// Dimension of the workspace.
        found: usize,
        /// Dimension of the problem.
        required: usize,
    },
}

/// Why the integration of one member ended early. Its valid part is kept.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A component of the initial state is NaN or infinite.
    #[error("component {component} of the initial state must be finite, got {value}")]
    InitialState {
        /// The component.
        component: usize,
        /// The value found.
        value: f64,
    },
    /// The derivative at the start is NaN or infinite.
    #[error("derivative of component {component} is {value} at the start t = {t}")]
    InitialDerivative {
        /// The component.
        component: usize,
        /// The value found.
        value: f64,
        /// The start.
        t: f64,
    },
    /// The step fell below the resolution of time: four units in the last place of `t`.
    #[error(
        "step size underflow at t = {t}: step {step:e}, error norm {norm:e}, worst component \
         {component}; the solution may be singular there or the tolerance too small"
    )]
    StepUnderflow {
        /// Time reached.
        t: f64,
        /// The step that would have been tried next.
        step: f64,
        /// Component with the largest weighted error (or the first that is not finite).
        component: usize,
        /// Weighted error norm of the last attempt, infinite if it was not finite.
        norm: f64,
    },
    /// A component that changes has no tolerance: its absolute one is zero, and so is its value,
    /// or the relative one. No step is small enough.
    #[error(
        "component {component} has the tolerance zero at t = {t}; give it an absolute tolerance"
    )]
    ZeroWeight {
        /// The component.
        component: usize,
        /// Time reached.
        t: f64,
    },
    /// The tolerances ask for more digits than the state has: `ε ‖y‖` in their norm is above one,
    /// or no step made the error small although it is round-off.
    ///
    /// It needs a relative tolerance of zero or a few `ε`, see [`Tolerance`](crate::Tolerance).
    #[error(
        "tolerances at t = {t} are below the round-off of component {component}; raise them by a \
         factor of {factor:e} at least, or give a relative tolerance"
    )]
    ToleranceTooSmall {
        /// Time reached.
        t: f64,
        /// Component whose round-off is the largest in units of its tolerance.
        component: usize,
        /// What the tolerances must be multiplied with.
        factor: f64,
    },
    /// The step budget (accepted and rejected attempts) is used up.
    #[error(
        "step budget of {budget} attempts used up at t = {t}; raise `max_steps` or loosen the tolerance"
    )]
    StepBudget {
        /// Time reached.
        t: f64,
        /// The budget.
        budget: u64,
    },
    /// The handler of events left a state that is NaN or infinite.
    #[error("component {component} is {value} after the event at t = {t}")]
    EventState {
        /// The component.
        component: usize,
        /// The value found.
        value: f64,
        /// Time of the event.
        t: f64,
    },
    /// A root function is NaN. The solution is valid to the last time at which it was not.
    #[error("root function {root} is not a number at t = {t}")]
    RootNotANumber {
        /// The root function.
        root: usize,
        /// First time known at which it is NaN.
        t: f64,
    },
    /// A root function fires again and again without time passing, or nearly so: impacts that
    /// accumulate, or a state that two vector fields push to the same surface.
    #[error(
        "root function {root} fired {count} times up to t = {t} within {window:e};          let it slide or come to rest, or raise `max_events_per_window`"
    )]
    EventAccumulation {
        /// The root function.
        root: usize,
        /// Time of the last firing.
        t: f64,
        /// Firings counted.
        count: u32,
        /// Time within which they fell.
        window: f64,
    },
    /// The initial state violates an algebraic equation by more than the tolerances allow.
    #[error(
        "initial state violates algebraic equation {equation} at t = {t}: residual {residual:e}; \
         mend the state or set `initialisation` to `Algebraic`"
    )]
    Inconsistent {
        /// Time of the start.
        t: f64,
        /// The algebraic equation with the largest residual.
        equation: usize,
        /// Its residual.
        residual: f64,
    },
    /// No state that satisfies the algebraic equations was found near the given one.
    #[error(
        "no consistent state at t = {t}: algebraic equation {equation} keeps residual \
         {residual:e}; start from a better guess"
    )]
    NoConsistentState {
        /// The time.
        t: f64,
        /// Equation with the largest residual.
        equation: usize,
        /// Its residual, NaN if it could not be evaluated.
        residual: f64,
    },
    /// The algebraic equations do not determine a component: the index is above one.
    #[error(
        "algebraic equations do not determine component {component} at t = {t}: the index is \
         above one; state it by `with_index` and use `Radau`"
    )]
    Undetermined {
        /// The time.
        t: f64,
        /// The first such component.
        component: usize,
    },
    /// The right-hand side asked to stop.
    #[error("right-hand side failed at t = {t}: {message}")]
    Fatal {
        /// Time of the last accepted state.
        t: f64,
        /// What the right-hand side said.
        message: &'static str,
    },
}

/// Error of [`solve`](crate::solve).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// Nothing was computed.
    #[error("invalid input")]
    Input(#[from] InputError),
    /// The run ended early; what was computed until then is kept.
    #[error("integration ended early")]
    Failed {
        /// Why.
        #[source]
        failure: Failure,
        /// The valid part: every row, the last accepted state, the statistics.
        partial: Box<Solution>,
    },
}
