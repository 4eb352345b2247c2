//! The solution inside the last accepted step.

use super::Esdirk;
use super::kernel::combine;
use crate::implicit::norm::fixed;

impl Esdirk {
    /// Writes the quartic terms.
    pub(super) fn fill_quartic(&mut self) {
        let (weights, stages) = (&self.tableau.quartic, self.tableau.stages);
        self.d.fill(0.0);
        fixed!(
            self.n,
            combine,
            (&self.d, &self.k, weights, stages, &mut self.quartic)
        );
    }

    /// Coefficients of component `i` in the basis of dense solutions.
    #[inline]
    pub(super) fn basis(&self, i: usize) -> [f64; 5] {
        let (ends, slopes) = ((self.y_old[i], self.y[i]), (self.begin[i], self.end[i]));
        basis(ends, slopes, self.quartic[i])
    }
}

/// Coefficients from the values at both ends, the slopes there, and the quartic term.
#[inline]
pub(super) fn basis(ends: (f64, f64), slopes: (f64, f64), quartic: f64) -> [f64; 5] {
    let change = ends.1 - ends.0;
    let (begin, end) = slopes;
    [
        ends.0,
        change,
        begin - change,
        2.0 * change - begin - end,
        quartic,
    ]
}

/// Value at `θ` of the step.
#[inline]
pub(super) fn value(r: [f64; 5], theta: f64) -> f64 {
    let rest = 1.0 - theta;
    r[0] + theta * (r[1] + rest * (r[2] + theta * (r[3] + rest * r[4])))
}
