//! What a run cost.

/// Counts of one member's integration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Accepted steps.
    pub accepted: u64,
    /// Rejected attempts.
    pub rejected: u64,
    /// Evaluations of the right-hand side, including the two of the initial step.
    pub rhs: u64,
}

impl core::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.rejected += other.rejected;
        self.rhs += other.rhs;
    }
}
