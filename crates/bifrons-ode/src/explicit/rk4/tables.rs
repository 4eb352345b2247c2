//! Coefficients of the classical Runge-Kutta method.
//!
//! Kutta, W. (1901): Beitrag zur näherungsweisen Integration totaler Differentialgleichungen.
//! Zeitschrift für Mathematik und Physik 46, 435–453. The interpolant is Hermite's cubic.

pub(crate) const C2: f64 = 1.0 / 2.0;
pub(crate) const C3: f64 = 1.0 / 2.0;

pub(crate) const A21: f64 = 1.0 / 2.0;
pub(crate) const A32: f64 = 1.0 / 2.0;
pub(crate) const A43: f64 = 1.0;
/// Weights; their sum is exactly one if 1 and 4 are added first.
pub(crate) const A51: f64 = 1.0 / 6.0;
pub(crate) const A52: f64 = 1.0 / 3.0;
pub(crate) const A53: f64 = 1.0 / 3.0;
pub(crate) const A54: f64 = 1.0 / 6.0;

/// There is no estimate: the error counts as zero where the end of the step is finite.
pub(crate) const E1: f64 = 0.0;
