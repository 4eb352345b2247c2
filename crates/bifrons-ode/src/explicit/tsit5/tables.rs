//! Coefficients of Tsitouras 5(4).
//!
//! Tsitouras, Ch. (2011): Runge-Kutta pairs of order 5(4) satisfying only the first column
//! simplifying assumption. Computers and Mathematics with Applications 62, 770–775,
//! doi:10.1016/j.camwa.2011.06.002, table 1 and the interpolant of order 4 of section 3, in
//! 16 digits. The conditions of order are checked in `explicit/tests.rs`.

pub(crate) const C2: f64 = 0.161;
pub(crate) const C3: f64 = 0.327;
pub(crate) const C4: f64 = 0.9;
pub(crate) const C5: f64 = 0.980_025_540_904_509_7;

pub(crate) const A21: f64 = 0.161;
pub(crate) const A31: f64 = -0.008_480_655_492_356_989;
pub(crate) const A32: f64 = 0.335_480_655_492_357;
pub(crate) const A41: f64 = 2.897_153_057_105_493_5;
pub(crate) const A42: f64 = -6.359_448_489_975_075;
pub(crate) const A43: f64 = 4.362_295_432_869_581_5;
pub(crate) const A51: f64 = 5.325_864_828_439_257;
pub(crate) const A52: f64 = -11.748_883_564_062_828;
pub(crate) const A53: f64 = 7.495_539_342_889_836_5;
pub(crate) const A54: f64 = -0.092_495_066_361_755_25;
pub(crate) const A61: f64 = 5.861_455_442_946_42;
pub(crate) const A62: f64 = -12.920_969_317_847_11;
pub(crate) const A63: f64 = 8.159_367_898_576_159;
pub(crate) const A64: f64 = -0.071_584_973_281_401;
pub(crate) const A65: f64 = -0.028_269_050_394_068_383;
pub(crate) const A71: f64 = 0.096_460_766_818_065_23;
pub(crate) const A72: f64 = 0.01;
pub(crate) const A73: f64 = 0.479_889_650_414_499_6;
pub(crate) const A74: f64 = 1.379_008_574_103_742;
pub(crate) const A75: f64 = -3.290_069_515_436_081;
pub(crate) const A76: f64 = 2.324_710_524_099_774;

/// Difference of the fifth- and fourth-order weights.
pub(crate) const E1: f64 = -0.001_780_011_052_225_777;
pub(crate) const E2: f64 = -0.000_816_434_459_656_746_9;
pub(crate) const E3: f64 = 0.007_880_878_010_261_995;
pub(crate) const E4: f64 = -0.144_711_007_173_262_9;
pub(crate) const E5: f64 = 0.582_357_165_452_555_2;
pub(crate) const E6: f64 = -0.458_082_105_929_186_97;
pub(crate) const E7: f64 = 1.0 / 66.0;

/// Coefficients of `θ⁴` in the weights of the interpolant; what remains is Hermite's cubic.
pub(crate) const D1: f64 = -1.053_088_497_729_021_6;
pub(crate) const D2: f64 = 0.1017;
pub(crate) const D3: f64 = 2.490_627_285_651_253;
pub(crate) const D4: f64 = -16.548_102_889_244_902;
pub(crate) const D5: f64 = 47.379_521_962_819_28;
pub(crate) const D6: f64 = -34.870_657_861_496_61;
pub(crate) const D7: f64 = 2.5;
