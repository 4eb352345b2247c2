//! Hierarchical state machines.

mod compile;

use bifrons_expr::Expr;
use bifrons_hybrid::{Block, BlockError, Component};

use crate::rate::Rate;

/// A hierarchical state machine with variables.
///
/// A *leaf* is a state without substates; the machine is in one leaf and in all that contain it.
/// A composite state is entered at its first substate, or, with [`history`](Self::history), at
/// the leaf that was active when it was left.
///
/// A transition has a margin, an expression of inputs, variables, parameters and `time`:
///
/// * a clocked machine looks at each tick and takes one transition whose margin is positive;
/// * an event-driven machine takes a transition when its margin reaches or passes zero from below
///   (a guard of the run), or at once when its source is entered with a margin that is not negative.
///
/// Of several transitions the one of the innermost source counts, then the one with the smallest
/// priority number, which is the order of declaration unless set.
///
/// Actions assign variables: on exit (inner states first), on entry (outer states first), and, in a
/// clocked machine, during a tick without transition. All of them read the values before the
/// instant; the last assignment counts. Orthogonal regions are several machines.
///
/// Inputs and parameters as declared; outputs `mode` (number of the active leaf in the order of
/// declaration of leaves, from 0) and one per variable, held between instants.
///
/// # Examples
///
/// ```
/// use bifrons_blocks::{Rate, StateMachine};
/// use bifrons_expr::Expr;
///
/// let x = Expr::symbol("x");
/// let machine = StateMachine::clocked(Rate::every(0.05))
///     .input("x")
///     .variable("y", 0.0)
///     .state("idle")
///     .state("running")
///     .transition("idle", "running", &x - 0.5)
///     .on_entry("running", "y", Expr::constant(1.0));
/// ```
#[derive(Debug, Clone)]
pub struct StateMachine {
    rate: Option<Rate>,
    inputs: Vec<String>,
    parameters: Vec<(String, f64)>,
    variables: Vec<(String, f64)>,
    states: Vec<State>,
    transitions: Vec<Transition>,
    actions: Vec<Action>,
}

#[derive(Debug, Clone)]
struct State {
    name: String,
    parent: Option<String>,
    history: bool,
}

#[derive(Debug, Clone)]
struct Transition {
    from: String,
    to: String,
    margin: Expr,
    priority: i32,
}

#[derive(Debug, Clone)]
struct Action {
    state: String,
    when: When,
    variable: String,
    value: Expr,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Entry,
    Exit,
    During,
}

impl StateMachine {
    fn new(rate: Option<Rate>) -> Self {
        Self {
            rate,
            inputs: Vec::new(),
            parameters: Vec::new(),
            variables: Vec::new(),
            states: Vec::new(),
            transitions: Vec::new(),
            actions: Vec::new(),
        }
    }

    /// A machine that looks at its transitions at the ticks of a clock.
    #[must_use]
    pub fn clocked(rate: Rate) -> Self {
        Self::new(Some(rate))
    }

    /// A machine whose transitions are located as crossings.
    #[must_use]
    pub fn event_driven() -> Self {
        Self::new(None)
    }

    /// Declares an input.
    #[must_use]
    pub fn input(mut self, name: impl Into<String>) -> Self {
        self.inputs.push(name.into());
        self
    }

    /// Declares a parameter.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, default: f64) -> Self {
        self.parameters.push((name.into(), default));
        self
    }

    /// Declares a variable with its value at the start; it is an output, too.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, initial: f64) -> Self {
        self.variables.push((name.into(), initial));
        self
    }

    /// Declares a state; the first one is active at the start.
    #[must_use]
    pub fn state(mut self, name: impl Into<String>) -> Self {
        self.states.push(State {
            name: name.into(),
            parent: None,
            history: false,
        });
        self
    }

    /// Declares a substate of a state that was declared before.
    #[must_use]
    pub fn substate(mut self, parent: impl Into<String>, name: impl Into<String>) -> Self {
        self.states.push(State {
            name: name.into(),
            parent: Some(parent.into()),
            history: false,
        });
        self
    }

    /// The state declared last remembers its active leaf when it is left.
    #[must_use]
    pub fn history(mut self) -> Self {
        if let Some(state) = self.states.last_mut() {
            state.history = true;
        }
        self
    }

    /// Adds a transition; its priority is the number of transitions added before.
    #[must_use]
    pub fn transition(
        self,
        from: impl Into<String>,
        to: impl Into<String>,
        margin: impl Into<Expr>,
    ) -> Self {
        let priority = i32::try_from(self.transitions.len()).unwrap_or(i32::MAX);
        self.transition_with_priority(from, to, margin, priority)
    }

    /// Adds a transition; of two with the same source the smaller number is looked at first, and
    /// equal numbers are an error.
    #[must_use]
    pub fn transition_with_priority(
        mut self,
        from: impl Into<String>,
        to: impl Into<String>,
        margin: impl Into<Expr>,
        priority: i32,
    ) -> Self {
        self.transitions.push(Transition {
            from: from.into(),
            to: to.into(),
            margin: margin.into(),
            priority,
        });
        self
    }

    /// Assigns a variable when a state is entered.
    #[must_use]
    pub fn on_entry(
        self,
        state: impl Into<String>,
        variable: impl Into<String>,
        value: impl Into<Expr>,
    ) -> Self {
        self.action(state.into(), When::Entry, variable.into(), value.into())
    }

    /// Assigns a variable when a state is left.
    #[must_use]
    pub fn on_exit(
        self,
        state: impl Into<String>,
        variable: impl Into<String>,
        value: impl Into<Expr>,
    ) -> Self {
        self.action(state.into(), When::Exit, variable.into(), value.into())
    }

    /// Assigns a variable at each tick at which the machine stays in a state.
    #[must_use]
    pub fn during(
        self,
        state: impl Into<String>,
        variable: impl Into<String>,
        value: impl Into<Expr>,
    ) -> Self {
        self.action(state.into(), When::During, variable.into(), value.into())
    }

    fn action(mut self, state: String, when: When, variable: String, value: Expr) -> Self {
        self.actions.push(Action {
            state,
            when,
            variable,
            value,
        });
        self
    }
}

impl Block for StateMachine {
    fn into_component(self) -> Result<Component, BlockError> {
        compile::component(&self)
    }
}
