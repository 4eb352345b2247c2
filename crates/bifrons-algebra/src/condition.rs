//! An estimate of the condition number.

use crate::lu::Lu;
use crate::structure::Structure;

impl Lu<f64> {
    /// Estimate of `1 / (‖A‖₁ ‖A⁻¹‖₁)` from the factors and the values that were factored.
    ///
    /// The norm of the inverse is estimated from below by at most five pairs of solutions, nearly
    /// always within a factor of three, so the estimate is from above. Zero for a matrix whose
    /// inverse overflows. Allocates two vectors.
    ///
    /// # References
    ///
    /// Higham (1988), FORTRAN codes for estimating the one-norm of a real or complex matrix,
    /// algorithm 4.1; Hager (1984), Condition estimates.
    #[must_use]
    pub fn reciprocal_condition(&mut self, structure: &Structure, values: &[f64]) -> f64 {
        let n = structure.dimension();
        if n == 0 {
            return 1.0;
        }
        let mut norm = 0.0_f64;
        for column in 0..n {
            let mut sum = 0.0;
            structure.for_column(column, |_, at| sum += values[at].abs());
            norm = norm.max(sum);
        }
        let inverse = self.inverse_norm(n);
        let product = norm * inverse;
        if product.is_finite() && product > 0.0 {
            1.0 / product
        } else {
            0.0
        }
    }

    fn inverse_norm(&mut self, n: usize) -> f64 {
        let mut x = vec![1.0 / n as f64; n];
        let mut best = 0.0_f64;
        let mut last = usize::MAX;
        for _ in 0..5 {
            self.solve(&mut x);
            let norm: f64 = x.iter().map(|v| v.abs()).sum();
            if !norm.is_finite() {
                return f64::INFINITY;
            }
            if norm <= best {
                break;
            }
            best = norm;
            x.iter_mut().for_each(|v| *v = 1.0_f64.copysign(*v));
            self.solve_transposed(&mut x);
            let place = |(k, v): (usize, &f64)| (k, v.abs());
            let largest = |a: (usize, f64), b: (usize, f64)| if b.1 > a.1 { b } else { a };
            let (k, _) = x.iter().enumerate().map(place).fold((0, -1.0), largest);
            if k == last {
                break;
            }
            last = k;
            x.fill(0.0);
            x[k] = 1.0;
        }
        // A vector with alternating signs catches what the walk may miss.
        for (k, v) in x.iter_mut().enumerate() {
            let size = 1.0 + k as f64 / (n.max(2) - 1) as f64;
            *v = if k % 2 == 0 { size } else { -size };
        }
        self.solve(&mut x);
        let norm: f64 = x.iter().map(|v| v.abs()).sum();
        let bound = 2.0 * norm / (3.0 * n as f64);
        if bound.is_finite() {
            best.max(bound)
        } else {
            f64::INFINITY
        }
    }
}
