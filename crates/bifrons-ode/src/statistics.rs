//! What a run cost.

/// Counts of one member's integration.
///
/// Counts of what a method does not do stay zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Accepted steps.
    pub accepted: u64,
    /// Rejected attempts, for whatever reason.
    pub rejected: u64,
    /// Of those: attempts whose Newton iteration did not converge.
    pub newton_failures: u64,
    /// Of those: attempts whose error norm was not finite.
    pub not_finite: u64,
    /// Evaluations of the right-hand side, including those of the initial step, of interpolants
    /// and of difference quotients.
    pub rhs: u64,
    /// Evaluations of the Jacobian, by the problem or by differences.
    pub jacobians: u64,
    /// Factorisations of iteration matrices; a real and a complex one are two.
    pub factorisations: u64,
    /// Solves with a factorised matrix.
    pub linear_solves: u64,
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Evaluations of all root functions together.
    pub root_evaluations: u64,
    /// Instants at which a root function fired or a declared stop was due.
    pub events: u64,
    /// Steps at whose end a root function was exactly zero and had not left zero before.
    pub disarmed: u64,
    /// Times that an explicit method met signs of stiffness, from its last two stages.
    pub stiff_suspected: u64,
    /// Accepted steps by the implicit method of [`Method::Auto`](crate::Method::Auto).
    pub implicit_steps: u64,
    /// Changes between the methods of [`Method::Auto`](crate::Method::Auto).
    pub switches: u64,
}

impl core::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.rejected += other.rejected;
        self.newton_failures += other.newton_failures;
        self.not_finite += other.not_finite;
        self.rhs += other.rhs;
        self.jacobians += other.jacobians;
        self.factorisations += other.factorisations;
        self.linear_solves += other.linear_solves;
        self.newton_iterations += other.newton_iterations;
        self.root_evaluations += other.root_evaluations;
        self.events += other.events;
        self.disarmed += other.disarmed;
        self.stiff_suspected += other.stiff_suspected;
        self.implicit_steps += other.implicit_steps;
        self.switches += other.switches;
    }
}
