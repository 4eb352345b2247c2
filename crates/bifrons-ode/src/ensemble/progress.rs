//! Where a member stands between two steps.

/// Everything that a member's integration needs to go on from a step, beside its state.
///
/// A member that starts with the [`Progress`] with which another run of it was stopped takes the
/// same steps as if it had not been stopped, bit for bit: see
/// [`LaneProblem::progress`](crate::LaneProblem::progress) and
/// [`MemberEnd::progress`](crate::MemberEnd::progress). It belongs to one problem, span and set of
/// options, and to an explicit method: Rosenbrock methods predict steps from more than one step.
/// Signs of stiffness are counted anew.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    pub(super) t: f64,
    pub(super) step: f64,
    pub(super) memory: f64,
    pub(super) accepted: u64,
    pub(super) attempts: u64,
    pub(super) restart_rhs: u64,
}

impl Progress {
    /// Words of [`to_bits`](Self::to_bits).
    pub const WORDS: usize = 6;

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
        ]
    }

    /// What [`to_bits`](Self::to_bits) has written.
    #[must_use]
    pub const fn from_bits(words: [u64; Self::WORDS]) -> Self {
        let [t, step, memory, accepted, attempts, restart_rhs] = words;
        Self {
            t: f64::from_bits(t),
            step: f64::from_bits(step),
            memory: f64::from_bits(memory),
            accepted,
            attempts,
            restart_rhs,
        }
    }
}
