//! The polynomial through the last states.

use super::tables::MAX_ORDER;

/// Value of component `i` of `n` at `s = (t − t_new) / h`, by Newton's backward form
/// `Σ_j ∇^j y Π_{m<j} (s + m) / (m + 1)` from differences up to order `q`.
pub(super) fn value(differences: &[f64], n: usize, q: usize, i: usize, s: f64) -> f64 {
    let mut value = differences[q * n + i];
    for j in (0..q).rev() {
        let factor = (s + j as f64) / (j as f64 + 1.0);
        value = differences[j * n + i] + factor * value;
    }
    value
}

/// Coefficients of component `i` of `n` in the alternating basis of the crate, from differences up
/// to order `q` and the values at both ends.
///
/// They are fitted to the values at `q + 1` points of the step by peeling: `r_0 = p(0)`, then
/// `p ← (p − r) / θ` and `p ← (p − r) / (1 − θ)` in turn. Points are inside of the step.
pub(super) fn alternating(
    (differences, n): (&[f64], usize),
    q: usize,
    i: usize,
    ends: (f64, f64),
    out: &mut [f64],
) {
    // Monomials in θ of the polynomial, by expansion of the backward form with s = θ − 1.
    let mut poly = [0.0; MAX_ORDER + 1];
    poly[0] = differences[q * n + i];
    for j in (0..q).rev() {
        // poly ← ∇^j + (θ + j − 1) / (j + 1) · poly
        let over = 1.0 / (j as f64 + 1.0);
        for k in (0..=q).rev() {
            let below = if k > 0 { poly[k - 1] } else { 0.0 };
            poly[k] = (below + (j as f64 - 1.0) * poly[k]) * over;
        }
        poly[0] += differences[j * n + i];
    }
    crate::implicit::basis::alternating(&poly[..=q], out);
    // The ends are the states themselves.
    if let [first, second, ..] = out {
        *first = ends.0;
        *second = ends.1 - ends.0;
    }
}
