//! The polynomial through the last states.

use super::Bdf;
use super::tables::MAX_ORDER;

impl Bdf {
    /// Value of component `i` at `s = (t − t_new) / h`, by Newton's backward form
    /// `Σ_j ∇^j y Π_{m<j} (s + m) / (m + 1)`.
    pub(super) fn at(&self, i: usize, s: f64) -> f64 {
        let (_, q) = self.done;
        let mut value = self.differences[q * self.n + i];
        for j in (0..q).rev() {
            let factor = (s + j as f64) / (j as f64 + 1.0);
            value = self.differences[j * self.n + i] + factor * value;
        }
        value
    }

    /// Coefficients of component `i` in the alternating basis of the crate.
    ///
    /// They are fitted to the values at `q + 1` points of the step by peeling: `r_0 = p(0)`, then
    /// `p ← (p − r) / θ` and `p ← (p − r) / (1 − θ)` in turn. Points are inside of the step.
    pub(super) fn alternating(&self, i: usize, out: &mut [f64]) {
        let (_, q) = self.done;
        // Monomials in θ of the polynomial, by expansion of the backward form with s = θ − 1.
        let mut poly = [0.0; MAX_ORDER + 1];
        poly[0] = self.differences[q * self.n + i];
        for j in (0..q).rev() {
            // poly ← ∇^j + (θ + j − 1) / (j + 1) · poly
            let over = 1.0 / (j as f64 + 1.0);
            for k in (0..=q).rev() {
                let below = if k > 0 { poly[k - 1] } else { 0.0 };
                poly[k] = (below + (j as f64 - 1.0) * poly[k]) * over;
            }
            poly[0] += self.differences[j * self.n + i];
        }
        crate::implicit::basis::alternating(&poly[..=q], out);
        // The ends are the states themselves.
        if let [first, second, ..] = out {
            *first = self.y_old[i];
            *second = self.y[i] - self.y_old[i];
        }
    }
}
