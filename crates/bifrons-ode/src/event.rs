//! Root functions and declared stops: when something happens, and what follows.

/// Direction in which a root function passes zero, seen along the direction of integration.
///
/// In a backward run a function that falls while `t` grows is rising.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Crossing {
    /// From negative to positive, or from positive to negative.
    #[default]
    Either,
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
}

/// What a root function does at the very start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AtStart {
    /// Nothing: a function that is zero at the start is armed once it has left zero.
    #[default]
    Ignore,
    /// It fires if it is zero, or if it is already on the far side of its crossing: at or above
    /// zero for [`Crossing::Rising`], at or below zero for [`Crossing::Falling`].
    Fire,
}

/// How one root function is watched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RootRule {
    /// Crossings that count. Default: either.
    pub crossing: Crossing,
    /// Ends the run at this crossing, counted from one. Default: never.
    pub terminal: Option<u32>,
    /// What happens at the start. Default: nothing.
    pub at_start: AtStart,
}

impl RootRule {
    /// Watches crossings in one direction.
    #[must_use]
    pub const fn new(crossing: Crossing) -> Self {
        Self {
            crossing,
            terminal: None,
            at_start: AtStart::Ignore,
        }
    }

    /// The same rule, ending the run at the first crossing.
    #[must_use]
    pub const fn terminal(self) -> Self {
        self.terminal_after(1)
    }

    /// The same rule, ending the run at crossing number `count` (zero counts as one).
    #[must_use]
    pub const fn terminal_after(mut self, count: u32) -> Self {
        self.terminal = Some(if count == 0 { 1 } else { count });
        self
    }

    /// The same rule, firing at the start where it has already happened.
    #[must_use]
    pub const fn firing_at_start(mut self) -> Self {
        self.at_start = AtStart::Fire;
        self
    }
}

/// A root function that fired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fired {
    /// Its index.
    pub index: usize,
    /// How it crossed; [`Crossing::Either`] if it fired at the start.
    pub crossing: Crossing,
}

/// Something that happened at one instant.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Event<'e> {
    /// The instant.
    pub t: f64,
    /// Every root function that fired, by ascending index.
    pub roots: &'e [Fired],
    /// Index of the declared stop that is due, if one is.
    pub stop: Option<usize>,
}

/// What follows an event.
///
/// A handler that changes the state makes the run start anew from the new state whatever it
/// returns, unless it returns [`Response::Terminate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Response {
    /// Nothing changed.
    Continue,
    /// The state is unchanged, the right-hand side is another one from here on: a kink.
    Kink,
    /// The state or the right-hand side has jumped: the history is forgotten.
    Reset,
    /// The run ends here, with the state that the handler left.
    Terminate,
}

/// What happened in a run: every event with the state before and after it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventLog {
    dimension: usize,
    times: Vec<f64>,
    stops: Vec<Option<usize>>,
    /// End of the functions of each event in `fired`.
    ends: Vec<usize>,
    fired: Vec<Fired>,
    /// States before and after, one after the other.
    states: Vec<f64>,
}

/// One entry of an [`EventLog`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LoggedEvent<'l> {
    /// When.
    pub t: f64,
    /// Every root function that fired.
    pub roots: &'l [Fired],
    /// Index of the declared stop that was due.
    pub stop: Option<usize>,
    /// State before the handler was called.
    pub before: &'l [f64],
    /// State that it left.
    pub after: &'l [f64],
}

impl EventLog {
    pub(crate) const fn new(dimension: usize) -> Self {
        Self {
            dimension,
            times: Vec::new(),
            stops: Vec::new(),
            ends: Vec::new(),
            fired: Vec::new(),
            states: Vec::new(),
        }
    }

    /// Forgets everything; the next events are those of a system of `dimension` components.
    pub(crate) fn renew(&mut self, dimension: usize) {
        self.dimension = dimension;
        self.times.clear();
        self.stops.clear();
        self.ends.clear();
        self.fired.clear();
        self.states.clear();
    }

    pub(crate) fn push(&mut self, event: &Event<'_>, before: &[f64], after: &[f64]) {
        self.times.push(event.t);
        self.stops.push(event.stop);
        self.fired.extend_from_slice(event.roots);
        self.ends.push(self.fired.len());
        self.states.extend_from_slice(before);
        self.states.extend_from_slice(after);
    }

    /// Number of events.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether nothing happened.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Event number `k`, in the order of integration.
    #[must_use]
    pub fn get(&self, k: usize) -> Option<LoggedEvent<'_>> {
        let t = *self.times.get(k)?;
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        let n = self.dimension;
        let states = &self.states[2 * n * k..2 * n * (k + 1)];
        Some(LoggedEvent {
            t,
            roots: &self.fired[start..self.ends[k]],
            stop: self.stops[k],
            before: &states[..n],
            after: &states[n..],
        })
    }

    /// All events in the order of integration.
    pub fn iter(&self) -> impl Iterator<Item = LoggedEvent<'_>> {
        (0..self.len()).filter_map(|k| self.get(k))
    }

    /// The last event.
    #[must_use]
    pub fn last(&self) -> Option<LoggedEvent<'_>> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Times at which a root function fired.
    pub fn times_of(&self, root: usize) -> impl Iterator<Item = f64> {
        self.iter()
            .filter(move |event| event.roots.iter().any(|fired| fired.index == root))
            .map(|event| event.t)
    }
}
