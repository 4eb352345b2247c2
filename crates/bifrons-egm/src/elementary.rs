//! Exponential and logarithm that a loop over a slice vectorises.
//!
//! One definition, without branches, tables or contracted products: a loop compiled for any
//! instruction set gives the bits of the scalar call.

/// High and low part of `ln 2`; the high part has 32 trailing zero bits.
const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// `1.5 · 2^52`: adding it rounds to a whole number.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// `e^x`, error below 1.5 units in the last place.
///
/// Below -708 the result is zero (no subnormal numbers), above 709.78 infinite; NaN stays.
///
/// Formula: `x = k ln 2 + r` with `|r| ≤ ln 2 / 2`, Taylor polynomial of degree 13 in the
/// pairwise form of Estrin, scaled by `2^k`.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    let inside = if x > -708.0 { x } else { -708.0 };
    let inside = if inside < 709.9 { inside } else { 709.9 };
    let shifted = inside * core::f64::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (inside - k * LN2_HIGH) - k * LN2_LOW;
    // 2^(k-1), so that k = 1024 does not overflow on the way.
    let half = f64::from_bits(shifted.to_bits().wrapping_add(1022) << 52);
    let r2 = r * r;
    let r4 = r2 * r2;
    let a = 1.0 / 2.0 + r * (1.0 / 6.0);
    let b = 1.0 / 24.0 + r * (1.0 / 120.0);
    let c = 1.0 / 720.0 + r * (1.0 / 5_040.0);
    let d = 1.0 / 40_320.0 + r * (1.0 / 362_880.0);
    let e = 1.0 / 3_628_800.0 + r * (1.0 / 39_916_800.0);
    let f = 1.0 / 479_001_600.0 + r * (1.0 / 6_227_020_800.0);
    let high = (e + r2 * f) * r4 + (c + r2 * d);
    let series = (a + r2 * b) + r4 * high;
    let value = ((1.0 + (r + r2 * series)) * half) * 2.0;
    let value = if x < -708.0 { 0.0 } else { value };
    let value = if x > 709.782_712_893_384 {
        f64::INFINITY
    } else {
        value
    };
    if x.is_nan() { x } else { value }
}

/// `ln x`, error below 1.5 units in the last place.
///
/// `ln 0 = -inf`, NaN below zero; NaN and infinity stay.
///
/// Formula: `x = 2^e (1 + f)` with `1 + f` in `[√½, √2)`, `s = f / (2 + f)`,
/// `ln(1 + f) = f - f²/2 + s (f²/2 + R)`, `R = 2 s²/3 + 2 s⁴/5 + …`.
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const BIAS: u64 = 1023;
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    const TWO_54: f64 = 18_014_398_509_481_984.0;
    let tiny = x < f64::MIN_POSITIVE;
    let scaled = if tiny { x * TWO_54 } else { x };
    let bits = scaled.to_bits();
    let exponent = bits.wrapping_sub(SQRT_HALF).wrapping_add(BIAS << 52) >> 52;
    let mantissa = f64::from_bits(bits.wrapping_sub(exponent.wrapping_sub(BIAS) << 52));
    let shift = if tiny {
        TWO_52 + 1023.0 + 54.0
    } else {
        TWO_52 + 1023.0
    };
    let e = f64::from_bits(TWO_52.to_bits() | exponent) - shift;
    let f = mantissa - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let z2 = z * z;
    let z4 = z2 * z2;
    let a = 2.0 / 3.0 + z * (2.0 / 5.0);
    let b = 2.0 / 7.0 + z * (2.0 / 9.0);
    let c = 2.0 / 11.0 + z * (2.0 / 13.0);
    let d = 2.0 / 15.0 + z * (2.0 / 17.0);
    let g = 2.0 / 19.0 + z * (2.0 / 21.0);
    let r = z * ((a + z2 * b) + z4 * ((c + z2 * d) + z4 * g));
    let half = 0.5 * f * f;
    let value = e * LN2_HIGH - ((half - (s * (half + r) + e * LN2_LOW)) - f);
    let value = if x < 0.0 { f64::NAN } else { value };
    let value = if x == 0.0 { f64::NEG_INFINITY } else { value };
    if x.is_nan() || x == f64::INFINITY {
        x
    } else {
        value
    }
}

/// `x^y = e^(y ln x)` for `x ≥ 0`.
///
/// Relative error about `(1 + |y ln x|) · 2e-16`.
#[inline(always)]
pub(crate) fn power(x: f64, y: f64) -> f64 {
    exp(y * ln(x))
}

#[cfg(test)]
mod tests;
