//! Coefficients of Dormand and Prince 5(4).
//!
//! Dormand, J. R., Prince, P. J. (1980): A family of embedded Runge-Kutta formulae. Journal of
//! Computational and Applied Mathematics 6, 19–26, table 2 (RK5(4)7M). The dense output is that
//! of Shampine (1986) as given by Hairer, Nørsett, Wanner (1993): Solving Ordinary Differential
//! Equations I, section II.6, equations (6.12) and exercise 1.

pub(crate) const C2: f64 = 1.0 / 5.0;
pub(crate) const C3: f64 = 3.0 / 10.0;
pub(crate) const C4: f64 = 4.0 / 5.0;
pub(crate) const C5: f64 = 8.0 / 9.0;

pub(crate) const A21: f64 = 1.0 / 5.0;
pub(crate) const A31: f64 = 3.0 / 40.0;
pub(crate) const A32: f64 = 9.0 / 40.0;
pub(crate) const A41: f64 = 44.0 / 45.0;
pub(crate) const A42: f64 = -56.0 / 15.0;
pub(crate) const A43: f64 = 32.0 / 9.0;
pub(crate) const A51: f64 = 19372.0 / 6561.0;
pub(crate) const A52: f64 = -25360.0 / 2187.0;
pub(crate) const A53: f64 = 64448.0 / 6561.0;
pub(crate) const A54: f64 = -212.0 / 729.0;
pub(crate) const A61: f64 = 9017.0 / 3168.0;
pub(crate) const A62: f64 = -355.0 / 33.0;
pub(crate) const A63: f64 = 46732.0 / 5247.0;
pub(crate) const A64: f64 = 49.0 / 176.0;
pub(crate) const A65: f64 = -5103.0 / 18656.0;
pub(crate) const A71: f64 = 35.0 / 384.0;
pub(crate) const A73: f64 = 500.0 / 1113.0;
pub(crate) const A74: f64 = 125.0 / 192.0;
pub(crate) const A75: f64 = -2187.0 / 6784.0;
pub(crate) const A76: f64 = 11.0 / 84.0;

/// Difference of the fifth- and fourth-order weights.
pub(crate) const E1: f64 = 71.0 / 57600.0;
pub(crate) const E3: f64 = -71.0 / 16695.0;
pub(crate) const E4: f64 = 71.0 / 1920.0;
pub(crate) const E5: f64 = -17253.0 / 339_200.0;
pub(crate) const E6: f64 = 22.0 / 525.0;
pub(crate) const E7: f64 = -1.0 / 40.0;

/// Last coefficient of the dense output.
pub(crate) const D1: f64 = -12_715_105_075.0 / 11_282_082_432.0;
pub(crate) const D3: f64 = 87_487_479_700.0 / 32_700_410_799.0;
pub(crate) const D4: f64 = -10_690_763_975.0 / 1_880_347_072.0;
pub(crate) const D5: f64 = 701_980_252_875.0 / 199_316_789_632.0;
pub(crate) const D6: f64 = -1_453_857_185.0 / 822_651_844.0;
pub(crate) const D7: f64 = 69_997_945.0 / 29_380_423.0;
