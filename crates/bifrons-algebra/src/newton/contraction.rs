//! When to stop a simplified Newton iteration.

/// What to do after an iteration.
///
/// Deliberately closed: callers handle each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The iterate is accurate enough.
    Converged,
    /// Iterate again.
    Continue,
    /// It will not converge with this matrix.
    Diverged,
}

/// Judges a simplified Newton iteration by its weighted corrections `δ_0, δ_1, …`.
///
/// With the contraction `ρ` the error after a correction is at most `ρ / (1 − ρ) ‖δ‖`, and the
/// iteration ends when that is below the tolerance. The contraction is a property of the matrix,
/// so it is kept from one solution to the next,
///
/// ```text
/// ρ ← max(0.3 ρ, ‖δ_k‖ / ‖δ_{k−1}‖),
/// ```
///
/// and set to 1/2 by [`refactored`](Self::refactored); mostly one iteration is enough. A
/// correction at or below `floor` is round-off: there the quotient of two corrections is about one
/// and says nothing, so the iteration has converged.
///
/// # References
///
/// Hairer and Wanner (1996), Solving Ordinary Differential Equations II, section IV.8; the
/// persistent rate is that of Hindmarsh et al. (2005), SUNDIALS, section 2.1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contraction {
    rate: f64,
    last: f64,
    iteration: u32,
    limit: u32,
}

impl Contraction {
    /// At most `limit` iterations per solution.
    #[must_use]
    pub const fn new(limit: u32) -> Self {
        Self {
            rate: 0.5,
            last: 0.0,
            iteration: 0,
            limit,
        }
    }

    /// The matrix is new: nothing is known about its contraction.
    pub const fn refactored(&mut self) {
        self.rate = 0.5;
    }

    /// Something has changed that makes the contraction at least `rate`, such as a factor of the
    /// Jacobian by which the matrix differs from that of the iteration.
    #[inline(always)]
    pub const fn expect_at_least(&mut self, rate: f64) {
        if rate > self.rate {
            self.rate = rate;
        }
    }

    /// A new solution begins.
    #[inline(always)]
    pub const fn begin(&mut self) {
        self.iteration = 0;
    }

    /// Iterations of this solution.
    #[inline(always)]
    #[must_use]
    pub const fn iterations(&self) -> u32 {
        self.iteration
    }

    /// The contraction as known now.
    #[inline(always)]
    #[must_use]
    pub const fn rate(&self) -> f64 {
        self.rate
    }

    /// Judges a correction of weighted norm `size` against `tolerance` and round-off `floor`.
    #[inline(always)]
    pub fn judge(&mut self, size: f64, tolerance: f64, floor: f64) -> Verdict {
        self.iteration += 1;
        if size <= floor {
            return Verdict::Converged;
        }
        if !size.is_finite() {
            return Verdict::Diverged;
        }
        if self.iteration > 1 {
            let ratio = size / self.last;
            self.rate = (0.3 * self.rate).max(ratio);
            if ratio >= 0.9 {
                return Verdict::Diverged;
            }
        }
        self.last = size;
        let rest = self.rate / (1.0 - self.rate) * size;
        if rest < tolerance {
            return Verdict::Converged;
        }
        if self.iteration >= self.limit {
            return Verdict::Diverged;
        }
        Verdict::Continue
    }
}
