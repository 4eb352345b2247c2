//! Gauss rules: Golub–Welsch, then a Newton polish.

mod tridiagonal;

use crate::spacing::{check_count, mirrored};
use crate::{Discretisation, ShockError};

/// Most nodes of a Gauss rule. Beyond about 370 nodes the outer Gauss–Hermite weights underflow.
const MOST_GAUSS: usize = 1_024;

/// Gauss rule of the standard normal density: weights sum to one.
///
/// ```text
/// Σ w_i f(z_i) = ∫ f(z) exp(-z²/2)/√(2π) dz   for polynomials f up to degree 2 count - 1
/// ```
///
/// Tables for the weight `exp(-x²)` have `x_i = z_i/√2` and `√π w_i`.
/// Nodes and weights are symmetric to the bit, the middle node of an odd number is zero.
///
/// Cost: `O(count²)`.
///
/// # Accuracy
///
/// Nodes to a relative 5e-16, weights to a relative `2e-15 (1 + z²)`, which is what the rounding
/// of the node itself costs: 3e-16 with 5 nodes, 4e-14 with 100, 8e-14 with 300. Weights that are
/// smaller than `f64` can hold are zero.
///
/// # Errors
///
/// [`ShockError::NodeCount`] unless the count is between 1 and 1,024.
///
/// # References
///
/// G. H. Golub and J. H. Welsch (1969), "Calculation of Gauss quadrature rules", Math. Comp.
/// 23(106), doi:10.1090/S0025-5718-69-99647-1. Departure: the eigenvalues only start a Newton
/// iteration, and the weights are the Christoffel numbers at the polished nodes.
///
/// # Examples
///
/// ```
/// let rule = bifrons_shocks::gauss_hermite(3)?;
/// assert!((rule.nodes()[2] - 3.0_f64.sqrt()).abs() < 1e-15);
/// assert!((rule.weights()[1] - 2.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), bifrons_shocks::ShockError>(())
/// ```
pub fn gauss_hermite(count: usize) -> Result<Discretisation, ShockError> {
    gauss(count, |k| k as f64)
}

/// Gauss rule of the uniform density on [-1, 1]: weights sum to one.
///
/// ```text
/// Σ w_i f(x_i) = ½ ∫ f(x) dx   for polynomials f up to degree 2 count - 1
/// ```
///
/// Tables for the weight 1 have `2 w_i`. Symmetric to the bit; cost and method as
/// [`gauss_hermite`].
///
/// # Accuracy
///
/// Nodes to a relative 5e-16, weights to a relative `2e-15 (1 + 1/(1 - x²))`, which is what the
/// rounding of the node itself costs next to the ends: 1e-15 with 10 nodes, 3e-13 with 200.
///
/// # Errors
///
/// [`ShockError::NodeCount`] unless the count is between 1 and 1,024.
///
/// # Examples
///
/// ```
/// let rule = bifrons_shocks::gauss_legendre(2)?;
/// assert!((rule.nodes()[1] - 1.0 / 3.0_f64.sqrt()).abs() < 2e-16);
/// # Ok::<(), bifrons_shocks::ShockError>(())
/// ```
pub fn gauss_legendre(count: usize) -> Result<Discretisation, ShockError> {
    gauss(count, |k| {
        let k = k as f64;
        k * k / (4.0 * k * k - 1.0)
    })
}

/// Rule of a symmetric density of mass one whose orthonormal polynomials satisfy
/// `√b_{k+1} p_{k+1} = x p_k - √b_k p_{k-1}`; `squares(k)` is `b_k`.
fn gauss(count: usize, squares: impl Fn(usize) -> f64) -> Result<Discretisation, ShockError> {
    check_count(count, MOST_GAUSS)?;
    let roots: Vec<f64> = (0..=count).map(|k| squares(k).sqrt()).collect();
    let mut start =
        tridiagonal::eigenvalues(&roots[1..count]).ok_or(ShockError::Quadrature { count })?;
    start.sort_by(f64::total_cmp);
    let polynomial = Orthonormal { roots: &roots[1..] };
    let nodes = mirrored(count, |i| polynomial.polish(start[i]));
    let mut weights = vec![0.0; count];
    for i in count / 2..count {
        let weight = polynomial.christoffel(nodes[i]);
        weights[i] = weight;
        weights[count - 1 - i] = weight;
    }
    Discretisation::new(nodes, weights)
}

/// Orthonormal polynomials up to degree `n = roots.len()`; `roots[k]` is `√b_{k+1}`.
struct Orthonormal<'a> {
    roots: &'a [f64],
}

/// Rescaling of polynomial values that would overflow: `2^256`.
const LARGE: f64 = 1.157_920_892_373_162e77;

impl Orthonormal<'_> {
    /// Newton's method on `p_n` from an eigenvalue; two steps leave only rounding.
    fn polish(&self, start: f64) -> f64 {
        let mut x = start;
        for _ in 0..3 {
            let (value, slope) = self.value_and_slope(x);
            let step = value / slope;
            if !step.is_finite() {
                break;
            }
            x -= step;
        }
        x
    }

    /// Value and derivative of `p_n`, both up to a common factor.
    fn value_and_slope(&self, x: f64) -> (f64, f64) {
        let (mut before, mut value) = (0.0, 1.0);
        let (mut slope_before, mut slope) = (0.0, 0.0);
        let mut root_before = 0.0;
        for &root in self.roots {
            let next = (x * value - root_before * before) / root;
            let slope_next = (value + x * slope - root_before * slope_before) / root;
            (before, value) = (value, next);
            (slope_before, slope) = (slope, slope_next);
            root_before = root;
            if value.abs() > LARGE || slope.abs() > LARGE {
                for part in [&mut before, &mut value, &mut slope_before, &mut slope] {
                    *part /= LARGE;
                }
            }
        }
        (value, slope)
    }

    /// `1 / Σ_{k<n} p_k(x)²`, the weight of the node `x`.
    fn christoffel(&self, x: f64) -> f64 {
        let (mut before, mut value) = (0.0, 1.0);
        let mut root_before = 0.0;
        let mut sum = 1.0;
        let mut rescaled = 0;
        for &root in &self.roots[..self.roots.len() - 1] {
            (before, value) = (value, (x * value - root_before * before) / root);
            root_before = root;
            sum += value * value;
            if value.abs() > LARGE {
                (before, value) = (before / LARGE, value / LARGE);
                sum /= LARGE * LARGE;
                rescaled += 1;
            }
        }
        let mut weight = 1.0 / sum;
        for _ in 0..rescaled {
            weight = weight / LARGE / LARGE;
        }
        weight
    }
}
