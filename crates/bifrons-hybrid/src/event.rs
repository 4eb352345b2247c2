//! What happens at instants: clocks, guards, discrete states and what they do.

mod clock;
mod rational;
mod timeline;

use std::sync::Arc;

pub use clock::Clock;
pub use rational::{Rational, RationalError};
pub use timeline::{TimeGrid, TimelineError};

/// Direction in which a guard passes zero, seen along the direction of integration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// From negative to positive, or from positive to negative.
    #[default]
    Either,
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
}

impl Direction {
    /// Whether a function whose sign was `before` (−1, 0 or 1) fires when its value is `now`.
    ///
    /// It fires when it has reached or passed zero; from zero it never fires, so that a start on
    /// the surface is not a crossing, and leaving and returning is one. A guard at `+∞` is not
    /// watched and never fires.
    #[must_use]
    pub fn fires(self, before: i8, now: f64) -> bool {
        if now == f64::INFINITY {
            return false;
        }
        let rises = before < 0 && now >= 0.0;
        let falls = before > 0 && now <= 0.0;
        match self {
            Self::Either => rises || falls,
            Self::Rising => rises,
            Self::Falling => falls,
        }
    }
}

/// A function of time and state whose zero crossing is an event.
///
/// While the function is `+∞` it is not watched: it does not fire, and where it becomes finite its
/// side counts from there on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Guard {
    /// Its name, with the path of the block that it belongs to.
    pub name: Arc<str>,
    /// Crossings that count.
    pub direction: Direction,
    /// Whether the run ends at a crossing, after its updates.
    pub terminal: bool,
    /// Whether a crossing is only reported: it changes nothing, and no step is cut for it.
    pub observe: bool,
    /// Whether the function comes from below zero wherever it begins to be watched.
    pub initially_below: bool,
}

impl Guard {
    /// A guard that neither ends the run nor is for observation only.
    pub fn new(name: impl Into<Arc<str>>, direction: Direction) -> Self {
        Self {
            name: name.into(),
            direction,
            terminal: false,
            observe: false,
            initially_below: false,
        }
    }

    /// The same guard, taken to come from below zero at the start of a run and where it begins to
    /// be watched, so that a value of at least zero there is a crossing.
    #[must_use]
    pub fn initially_below(mut self) -> Self {
        self.initially_below = true;
        self
    }

    /// The side that counts as the one before the next crossing, given the value now: −1, 0 (not
    /// armed) or 1.
    #[must_use]
    pub fn side(&self, value: f64) -> i8 {
        if value == f64::INFINITY {
            -i8::from(self.initially_below)
        } else {
            i8::from(value > 0.0) - i8::from(value < 0.0)
        }
    }

    /// The same guard, ending the run.
    #[must_use]
    pub fn terminal(mut self) -> Self {
        self.terminal = true;
        self
    }

    /// The same guard, reported only.
    #[must_use]
    pub fn observed(mut self) -> Self {
        self.observe = true;
        self
    }
}

/// How a guard that depends on time alone runs over a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// It neither reaches nor passes zero, or it is constant.
    Away,
    /// It only rises or only falls, without a jump: it passes zero once at most.
    OneWay,
    /// It may pass zero any number of times.
    Unknown,
}

/// What makes an update due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trigger {
    /// An instant of the clock at this position.
    Clock(usize),
    /// A crossing of the guard at this position.
    Guard(usize),
}

/// Two updates of one variable that are not ordered: an error if both triggers are due at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rivals {
    /// The variable that both write.
    pub variable: Arc<str>,
    /// The two triggers, in ascending order.
    pub triggers: (Trigger, Trigger),
}

/// What a system has beside its differential equations. Positions in slices are positions here.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventTable {
    discretes: Vec<Arc<str>>,
    clocks: Vec<Clock>,
    guards: Vec<Guard>,
    rivals: Vec<Rivals>,
    rates: bool,
}

/// The table of a system without events.
static NONE: EventTable = EventTable {
    discretes: Vec::new(),
    clocks: Vec::new(),
    guards: Vec::new(),
    rivals: Vec::new(),
    rates: false,
};

impl EventTable {
    /// Collects what a hand-written system has; lists may be empty.
    #[must_use]
    pub fn new(discretes: Vec<Arc<str>>, clocks: Vec<Clock>, guards: Vec<Guard>) -> Self {
        Self {
            discretes,
            clocks,
            guards,
            rivals: Vec::new(),
            rates: false,
        }
    }

    /// The table of a system without events.
    #[must_use]
    pub fn none() -> &'static Self {
        &NONE
    }

    /// Adds pairs of updates that must not be due at once.
    #[must_use]
    pub fn with_rivals(mut self, rivals: Vec<Rivals>) -> Self {
        self.rivals = rivals;
        self
    }

    /// Says that the system computes the time derivatives of its guards, see
    /// [`HybridSystem::guard_rates`](crate::HybridSystem::guard_rates).
    #[must_use]
    pub fn with_rates(mut self) -> Self {
        self.rates = true;
        self
    }

    /// Names of the discrete states, in order.
    #[must_use]
    pub fn discretes(&self) -> &[Arc<str>] {
        &self.discretes
    }

    /// Clocks, in order.
    #[must_use]
    pub fn clocks(&self) -> &[Clock] {
        &self.clocks
    }

    /// Guards, in order.
    #[must_use]
    pub fn guards(&self) -> &[Guard] {
        &self.guards
    }

    /// Pairs of updates that must not be due at once.
    #[must_use]
    pub fn rivals(&self) -> &[Rivals] {
        &self.rivals
    }

    /// Whether the system computes the time derivatives of its guards.
    #[must_use]
    pub fn has_rates(&self) -> bool {
        self.rates
    }

    /// Whether nothing ever happens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clocks.is_empty() && self.guards.is_empty()
    }
}

/// What is due at an instant, and the values just before it.
#[derive(Debug, Clone, Copy)]
pub struct Instant<'i> {
    /// The instant.
    pub t: f64,
    /// Continuous states before it.
    pub state: &'i [f64],
    /// Parameters of the member.
    pub parameters: &'i [f64],
    /// Discrete states before it.
    pub discrete: &'i [f64],
    /// Per clock: whether it ticks.
    pub clocks: &'i [bool],
    /// Per guard: whether it fires.
    pub guards: &'i [bool],
}
