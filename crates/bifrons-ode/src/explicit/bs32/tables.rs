//! Coefficients of Bogacki and Shampine 3(2).
//!
//! Bogacki, P., Shampine, L. F. (1989): A 3(2) pair of Runge-Kutta formulas. Applied Mathematics
//! Letters 2, 321–325. The interpolant is Hermite's cubic.

pub(crate) const C2: f64 = 1.0 / 2.0;
pub(crate) const C3: f64 = 3.0 / 4.0;

pub(crate) const A21: f64 = 1.0 / 2.0;
pub(crate) const A32: f64 = 3.0 / 4.0;
pub(crate) const A41: f64 = 2.0 / 9.0;
pub(crate) const A42: f64 = 1.0 / 3.0;
pub(crate) const A43: f64 = 4.0 / 9.0;

/// Difference of the third- and second-order weights.
pub(crate) const E1: f64 = -5.0 / 72.0;
pub(crate) const E2: f64 = 1.0 / 12.0;
pub(crate) const E3: f64 = 1.0 / 9.0;
pub(crate) const E4: f64 = -1.0 / 8.0;
