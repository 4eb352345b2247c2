//! Constants of the formulas (Shampine and Reichelt 1997, table 1).

/// Largest order.
pub(super) const MAX_ORDER: usize = 5;
/// Rows of differences: orders 0 to 5, and two more for the estimates of the next order.
pub(super) const ROWS: usize = MAX_ORDER + 3;

/// `κ_q`; Klopfenstein's for orders 1 and 2, Shampine and Reichelt's for 3 and 4.
pub(super) const KAPPA: [f64; MAX_ORDER + 1] = [0.0, -0.185, -1.0 / 9.0, -0.0823, -0.0415, 0.0];

/// `γ_k = Σ_{j=1}^{k} 1/j`.
pub(super) const GAMMA: [f64; MAX_ORDER + 1] =
    [0.0, 1.0, 1.5, 11.0 / 6.0, 25.0 / 12.0, 137.0 / 60.0];

/// `α_q = (1 − κ_q) γ_q`.
#[inline(always)]
pub(super) const fn alpha(q: usize) -> f64 {
    (1.0 - KAPPA[q]) * GAMMA[q]
}

/// `κ_q γ_q + 1/(q + 1)`: the local error is this times the difference of order `q + 1`.
#[inline(always)]
pub(super) const fn error_constant(q: usize) -> f64 {
    KAPPA[q] * GAMMA[q] + 1.0 / (q as f64 + 1.0)
}

/// Square matrix of a change of differences, by rows.
pub(super) type Change = [[f64; MAX_ORDER + 1]; MAX_ORDER + 1];

/// `R(ρ)`: `R_0j = 1`, `R_ij = R_{i−1, j} (i − 1 − ρ j) / i`.
const fn shift(ratio: f64, q: usize) -> Change {
    let mut r = [[0.0; MAX_ORDER + 1]; MAX_ORDER + 1];
    let mut j = 0;
    while j <= q {
        r[0][j] = 1.0;
        let mut i = 1;
        while i <= q {
            let step = (i as f64 - 1.0 - ratio * j as f64) / i as f64;
            r[i][j] = if j == 0 { 0.0 } else { r[i - 1][j] * step };
            i += 1;
        }
        j += 1;
    }
    r
}

/// `R(1)` for the largest order; smaller orders are its leading parts.
const UNIT: Change = shift(1.0, MAX_ORDER);

/// `R(ρ) R(1)`: differences of step `ρ h` are its transpose times those of step `h`.
pub(super) fn change(ratio: f64, q: usize) -> Change {
    let r = shift(ratio, q);
    let mut product = [[0.0; MAX_ORDER + 1]; MAX_ORDER + 1];
    for i in 0..=q {
        for j in 0..=q {
            for k in 0..=q {
                product[i][j] += r[i][k] * UNIT[k][j];
            }
        }
    }
    product
}

/// The change that leaves all differences as they are.
pub(super) const UNCHANGED: Change = {
    let mut unit = [[0.0; MAX_ORDER + 1]; MAX_ORDER + 1];
    let mut k = 0;
    while k <= MAX_ORDER {
        unit[k][k] = 1.0;
        k += 1;
    }
    unit
};

/// Makes of `all` the change that `next`, of differences of order `1 ..= q`, follows.
pub(super) fn compose(all: &mut Change, next: &Change, q: usize) {
    for row in &mut all[1..] {
        let old = *row;
        for k in 1..=q {
            row[k] = (1..=q).map(|l| old[l] * next[l][k]).sum();
        }
    }
}
