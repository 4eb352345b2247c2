//! From powers to the basis of dense solutions.

/// Coefficients `r` with `r₀ + θ (r₁ + θ̄ (r₂ + θ (r₃ + θ̄ (…)))) = Σ a_k θ^k`, `θ̄ = 1 − θ`.
/// Missing ones are zero; `out` holds at least as many as `powers`, which has at most 8.
///
/// Division by `θ` shifts the powers, division by `1 − θ` is the partial sums of the coefficients
/// of the remainder after its value at one is taken out.
pub(crate) fn alternating(powers: &[f64], out: &mut [f64]) {
    let mut rest = [0.0; 8];
    rest[..powers.len()].copy_from_slice(powers);
    let mut length = powers.len();
    for (k, r) in out.iter_mut().enumerate() {
        *r = 0.0;
        if length == 0 {
            continue;
        }
        if k % 2 == 0 {
            // p = r + θ p₁
            *r = rest[0];
            rest.copy_within(1..length, 0);
        } else {
            // p = r + (1 − θ) p₁ with r = p(1): the coefficients of p₁ are partial sums of p − r.
            *r = rest[..length].iter().sum();
            rest[0] -= *r;
            for j in 1..length {
                rest[j] += rest[j - 1];
            }
        }
        length -= 1;
        rest[length] = 0.0;
    }
}
