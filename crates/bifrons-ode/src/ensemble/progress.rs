//! Where a member stands between two steps.

/// Everything that a member's integration needs to go on from a step, beside its state.
///
/// A member that starts with the [`Progress`] with which another run of it was stopped takes the
/// same steps as if it had not been stopped, bit for bit: see
/// [`LaneProblem::progress`](crate::LaneProblem::progress) and
/// [`MemberEnd::progress`](crate::MemberEnd::progress). It belongs to one problem, span and set of
/// options, and to one method; [`Progress::for_another_method`] is where another one goes on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    pub(super) t: f64,
    pub(super) step: f64,
    pub(super) memory: f64,
    pub(super) accepted: u64,
    pub(super) attempts: u64,
    pub(super) restart_rhs: u64,
    /// Mean square error and length of the last step of an implicit method.
    pub(super) trend: (f64, f64),
    /// Evaluations and Jacobians that the method counts itself.
    pub(super) counted: (u64, u64),
    /// Signs of stiffness, see `Stiffness::to_words`.
    pub(super) stiffness: [u64; 3],
    /// Whether another method has made the steps before.
    pub(super) anew: bool,
    /// Whether the step ended with signs of stiffness that ask for another method.
    pub(super) stiff: bool,
}

impl Progress {
    /// Words of [`to_bits`](Self::to_bits).
    pub const WORDS: usize = 14;

    /// Where another method goes on from the same point, with the step that was wanted next: its
    /// counts and what it knows of errors begin anew.
    #[must_use]
    pub fn for_another_method(&self) -> Self {
        Self {
            t: self.t,
            step: self.step,
            anew: true,
            ..Self::default()
        }
    }

    /// Whether another method is due at this point: the sink has stopped the member at a step after
    /// which it would have been asked [`MemberSink::is_stiff`](crate::MemberSink::is_stiff).
    #[must_use]
    pub const fn is_stiff(&self) -> bool {
        self.stiff
    }

    /// The time, the next step and the counts as words, to be kept somewhere. The first word has
    /// the bits of the time.
    #[must_use]
    pub const fn to_bits(&self) -> [u64; Self::WORDS] {
        [
            self.t.to_bits(),
            self.step.to_bits(),
            self.memory.to_bits(),
            self.accepted,
            self.attempts,
            self.restart_rhs,
            self.trend.0.to_bits(),
            self.trend.1.to_bits(),
            self.counted.0,
            self.counted.1,
            self.stiffness[0],
            self.stiffness[1],
            self.stiffness[2],
            (if self.anew { 1 } else { 0 }) | (if self.stiff { 2 } else { 0 }),
        ]
    }

    /// What [`to_bits`](Self::to_bits) has written.
    #[must_use]
    pub const fn from_bits(words: [u64; Self::WORDS]) -> Self {
        let [
            t,
            step,
            memory,
            accepted,
            attempts,
            restart_rhs,
            error,
            done,
            rhs,
            jacobians,
            signs,
            due,
            suspected,
            flags,
        ] = words;
        Self {
            t: f64::from_bits(t),
            step: f64::from_bits(step),
            memory: f64::from_bits(memory),
            accepted,
            attempts,
            restart_rhs,
            trend: (f64::from_bits(error), f64::from_bits(done)),
            counted: (rhs, jacobians),
            stiffness: [signs, due, suspected],
            anew: flags & 1 != 0,
            stiff: flags & 2 != 0,
        }
    }
}
