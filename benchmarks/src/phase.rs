//! The phases of a sample and what each one used.

use std::time::Instant;

use bifrons_memory::profiler::{self, Counts};

use crate::process;

/// The phases, in order.
///
/// Deliberately closed: the protocol has these four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// `main` has begun and the case is known.
    Ready,
    /// The model is built, validated, planned.
    Assembled,
    /// The first result is there.
    First,
    /// Warm-up and repetitions are done.
    Steady,
}

impl Phase {
    /// The name in the protocol.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Assembled => "assembled",
            Self::First => "first",
            Self::Steady => "steady",
        }
    }
}

/// What is known at the end of a phase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) phase: Phase,
    /// Nanoseconds since `main` began.
    pub(crate) elapsed: u64,
    /// Largest resident set within the phase, in bytes.
    pub(crate) peak: Option<u64>,
    /// Heap numbers at the end of the phase; `peak_bytes` is the peak within the phase.
    pub(crate) heap: Option<Counts>,
}

/// Reads the meters at the end of each phase and resets the peaks for the next one.
#[derive(Debug)]
pub(crate) struct Meter {
    origin: Instant,
    /// Whether every earlier peak could be reset, so that a reading belongs to one phase.
    separate: bool,
    highest: Option<u64>,
}

impl Meter {
    pub(crate) fn new(origin: Instant) -> Self {
        Self {
            origin,
            separate: true,
            highest: None,
        }
    }

    /// Ends `phase` now.
    pub(crate) fn mark(&mut self, phase: Phase) -> Mark {
        let elapsed = nanoseconds(self.origin);
        let heap = profiler::is_installed().then(profiler::counts);
        let peak = process::status().peak;
        self.highest = self.highest.max(peak);
        Mark {
            phase,
            elapsed,
            peak: peak.filter(|_| self.separate),
            heap,
        }
    }

    /// Forgets the peaks up to now. Called after the mark was written, so that writing it
    /// belongs to no phase.
    pub(crate) fn restart(&mut self) {
        self.separate &= process::reset_peak();
        if profiler::is_installed() {
            profiler::reset_peak();
        }
    }

    /// Reads the resident set for the last time.
    pub(crate) fn last(&mut self) -> Resident {
        let last = process::status().peak;
        self.highest = self.highest.max(last);
        Resident {
            last,
            highest: self.highest,
        }
    }
}

/// Resident set of the whole sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resident {
    /// Peak since the last reset: what the kernel itself will report for this process.
    pub(crate) last: Option<u64>,
    /// Peak over all phases.
    pub(crate) highest: Option<u64>,
}

/// Nanoseconds since `origin`.
pub(crate) fn nanoseconds(origin: Instant) -> u64 {
    u64::try_from(origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
