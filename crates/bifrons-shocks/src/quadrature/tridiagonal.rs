//! Eigenvalues of a symmetric tridiagonal matrix with zero diagonal.

use bifrons_lanes::math;

/// Sweeps per eigenvalue; three are usual.
const SWEEPS: usize = 60;

/// Eigenvalues (in no order) of the matrix with zero diagonal and this off-diagonal, by the
/// implicitly shifted QL iteration; `None` if it does not converge.
///
/// H. Bowdler, R. S. Martin, C. Reinsch and J. H. Wilkinson (1968), "The QR and QL algorithms
/// for symmetric matrices", Numer. Math. 11(4), doi:10.1007/BF02166681.
pub(super) fn eigenvalues(off_diagonal: &[f64]) -> Option<Vec<f64>> {
    let n = off_diagonal.len() + 1;
    let mut diagonal = vec![0.0; n];
    let mut off = off_diagonal.to_vec();
    off.push(0.0);
    for first in 0..n {
        let mut sweeps = 0;
        loop {
            let last = unreduced(&diagonal, &off, first);
            if last == first {
                break;
            }
            if sweeps == SWEEPS {
                return None;
            }
            sweeps += 1;
            sweep(&mut diagonal, &mut off, first, last);
        }
    }
    Some(diagonal)
}

/// Last index of the block that starts at `first` and has no negligible off-diagonal entry.
fn unreduced(diagonal: &[f64], off: &[f64], first: usize) -> usize {
    let negligible = |i: usize| {
        let size = diagonal[i].abs() + diagonal[i + 1].abs();
        off[i].abs() <= f64::EPSILON * size
    };
    (first..diagonal.len() - 1)
        .find(|&i| negligible(i))
        .unwrap_or(diagonal.len() - 1)
}

/// One implicit QL sweep over the block, with Wilkinson's shift.
fn sweep(diagonal: &mut [f64], off: &mut [f64], first: usize, last: usize) {
    let g = (diagonal[first + 1] - diagonal[first]) / (2.0 * off[first]);
    let r = math::hypot(g, 1.0).copysign(g);
    let mut g = diagonal[last] - diagonal[first] + off[first] / (g + r);
    let (mut sine, mut cosine, mut shift) = (1.0, 1.0, 0.0);
    for i in (first..last).rev() {
        let (f, b) = (sine * off[i], cosine * off[i]);
        let r = math::hypot(f, g);
        off[i + 1] = r;
        if r <= 0.0 {
            // The block splits here; the next sweep starts over.
            diagonal[i + 1] -= shift;
            off[last] = 0.0;
            return;
        }
        (sine, cosine) = (f / r, g / r);
        let h = diagonal[i + 1] - shift;
        let t = (diagonal[i] - h) * sine + 2.0 * cosine * b;
        shift = sine * t;
        diagonal[i + 1] = h + shift;
        g = cosine * t - b;
    }
    diagonal[first] -= shift;
    off[first] = g;
    off[last] = 0.0;
}
