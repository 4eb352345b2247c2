//! Elementary functions with one definition for every width.
//!
//! The accurate functions are pure Rust code (the `libm` crate, a port of musl's), not the
//! platform's library, which picks its algorithm by processor: results are the same bits on
//! every machine. `sqrt`, `floor`, `ceil`, `abs` are exact by IEEE 754 and come from `core`.
//!
//! | function | error (units in the last place) |
//! |---|---|
//! | `exp ln exp_m1 ln_1p tanh sinh cosh` | < 1 … 2 |
//! | `sin cos tan asin acos atan atan2 hypot` | < 1 |
//! | `pow erf erfc` | < 1 |
//! | [`log2_fast`], [`exp2_fast`] | 2e-6, 4e-6, see there |
//!
//! NaN in, NaN out; outside the domain the result is NaN (`ln(-1)`) or infinite (`ln(0)`), never
//! a panic.

macro_rules! from_libm {
    ($($(#[$doc:meta])* $name:ident = $libm:ident($($arg:ident),+);)*) => {$(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name($($arg: f64),+) -> f64 {
            libm::$libm($($arg),+)
        }
    )*};
}

from_libm! {
    /// Exponential `e^x`.
    exp = exp(x);
    /// `e^x - 1`, accurate near zero.
    exp_m1 = expm1(x);
    /// Natural logarithm.
    ln = log(x);
    /// `ln(1 + x)`, accurate near zero.
    ln_1p = log1p(x);
    /// Real power `x^y` with the C99 special cases (`pow(0, 0) = 1`).
    pow = pow(x, y);
    /// Sine of an angle in radians.
    sin = sin(x);
    /// Cosine of an angle in radians.
    cos = cos(x);
    /// Tangent of an angle in radians.
    tan = tan(x);
    /// Inverse sine, in `[-π/2, π/2]`.
    asin = asin(x);
    /// Inverse cosine, in `[0, π]`.
    acos = acos(x);
    /// Inverse tangent, in `[-π/2, π/2]`.
    atan = atan(x);
    /// Angle of the point (x, y), in `[-π, π]`; the first argument is the ordinate.
    atan2 = atan2(y, x);
    /// Hyperbolic sine.
    sinh = sinh(x);
    /// Hyperbolic cosine.
    cosh = cosh(x);
    /// Hyperbolic tangent.
    tanh = tanh(x);
    /// Inverse hyperbolic sine.
    asinh = asinh(x);
    /// Inverse hyperbolic cosine.
    acosh = acosh(x);
    /// Inverse hyperbolic tangent.
    atanh = atanh(x);
    /// `sqrt(x² + y²)` without overflow.
    hypot = hypot(x, y);
    /// Error function.
    erf = erf(x);
    /// Complementary error function `1 - erf(x)`, accurate in the upper tail.
    erfc = erfc(x);
}

/// Integer power by repeated squaring, in a fixed order of multiplications.
///
/// `powi(x, 0) = 1` for every `x`, including NaN; a negative exponent is the reciprocal of the
/// positive power.
#[inline]
#[must_use]
pub fn powi(x: f64, exponent: i32) -> f64 {
    let mut base = x;
    let mut left = exponent.unsigned_abs();
    let mut power = 1.0;
    while left > 0 {
        if left & 1 == 1 {
            power *= base;
        }
        left >>= 1;
        if left > 0 {
            base *= base;
        }
    }
    if exponent < 0 { 1.0 / power } else { power }
}

/// Base-2 logarithm for step-size control: absolute error below 2e-6.
///
/// Domain: positive, finite, normal `x`; anything else gives a finite but meaningless number.
/// Branch-free, so that a loop over lanes is vectorised.
///
/// Formula: `x = 2^e m` with `m` in `[√½, √2)`, `s = (m - 1)/(m + 1)`,
/// `log2 m = (2/ln 2)(s + s³/3 + s⁵/5)`.
#[inline(always)]
#[must_use]
pub fn log2_fast(x: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const BIAS: u64 = 1023;
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    let bits = x.to_bits();
    // Biased by 1023 so that the shift is logical and the number below is positive.
    let exponent = bits.wrapping_sub(SQRT_HALF).wrapping_add(BIAS << 52) >> 52;
    let mantissa = f64::from_bits(bits.wrapping_sub(exponent.wrapping_sub(BIAS) << 52));
    let e = f64::from_bits(TWO_52.to_bits() | exponent) - (TWO_52 + 1023.0);
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let s2 = s * s;
    let scaled = (2.0 * core::f64::consts::LOG2_E) * s;
    e + scaled * (1.0 + s2 * (1.0 / 3.0 + s2 * 0.2))
}

/// Power of two for step-size control: relative error below 4e-6.
///
/// Arguments are clamped to `[-1021, 1021]`; NaN gives the lower end. Branch-free.
///
/// Formula: `x = n + f` with `|f| ≤ ½`, Taylor polynomial of degree 5 of `2^f` in the pairwise
/// form of Estrin (short chains of dependent operations), scaled by `2^n`.
#[inline(always)]
#[must_use]
pub fn exp2_fast(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
    let x = if x > -1021.0 { x } else { -1021.0 };
    let x = if x < 1021.0 { x } else { 1021.0 };
    let shifted = x + ROUND;
    let f = (x - (shifted - ROUND)) * core::f64::consts::LN_2;
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    let f2 = f * f;
    let low = 1.0 + f;
    let middle = 0.5 + f * (1.0 / 6.0);
    let high = 1.0 / 24.0 + f * (1.0 / 120.0);
    scale * (low + f2 * (middle + f2 * high))
}
