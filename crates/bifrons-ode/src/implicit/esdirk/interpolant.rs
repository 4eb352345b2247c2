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
        let change = self.y[i] - self.y_old[i];
        let (begin, end) = (self.begin[i], self.end[i]);
        [
            self.y_old[i],
            change,
            begin - change,
            2.0 * change - begin - end,
            self.quartic[i],
        ]
    }

    /// Value of component `i` at `θ` of the last step.
    pub(super) fn at(&self, i: usize, theta: f64) -> f64 {
        let r = self.basis(i);
        let rest = 1.0 - theta;
        r[0] + theta * (r[1] + rest * (r[2] + theta * (r[3] + rest * r[4])))
    }
}
