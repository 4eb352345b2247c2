//! Elementary functions of expressions.

use crate::expr::Expr;
use crate::op::Op;

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {
        impl Expr {$(
            $(#[$doc])*
            #[must_use]
            pub fn $name(&self) -> Self {
                Self::unary(Op::$op, self)
            }
        )*}
    };
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident($argument:ident) = $op:ident;)*) => {
        impl Expr {$(
            $(#[$doc])*
            #[must_use]
            pub fn $name(&self, $argument: impl Into<Self>) -> Self {
                Self::binary(Op::$op, self, &$argument.into())
            }
        )*}
    };
}

unary! {
    /// Absolute value. Its kink at 0 belongs to the right branch: the derivative there is 1.
    abs = Abs;
    /// -1, 0 or 1; zero keeps its sign and NaN stays NaN.
    sign = Sign;
    /// Largest integer that is not greater.
    floor = Floor;
    /// Smallest integer that is not less.
    ceil = Ceil;
    /// Square root; NaN below zero.
    sqrt = Sqrt;
    /// `e^x`.
    exp = Exp;
    /// Natural logarithm; NaN below zero, `-inf` at zero.
    ln = Ln;
    /// `e^x - 1`, accurate near zero.
    exp_m1 = ExpM1;
    /// `ln(1 + x)`, accurate near zero.
    ln_1p = Ln1p;
    /// Sine of an angle in radians.
    sin = Sin;
    /// Cosine of an angle in radians.
    cos = Cos;
    /// Tangent of an angle in radians.
    tan = Tan;
    /// Inverse sine.
    asin = Asin;
    /// Inverse cosine.
    acos = Acos;
    /// Inverse tangent.
    atan = Atan;
    /// Hyperbolic sine.
    sinh = Sinh;
    /// Hyperbolic cosine.
    cosh = Cosh;
    /// Hyperbolic tangent.
    tanh = Tanh;
    /// Error function.
    erf = Erf;
    /// The same value, declared free of events: switching surfaces inside are not guards.
    no_event = NoEvent;
}

binary! {
    /// Real power with the C99 special cases.
    pow(exponent) = Pow;
    /// The smaller one; on ties and zeros this one, NaN if either is NaN.
    ///
    /// Equality belongs to this operand: the derivative on a tie is its derivative.
    min(other) = Min;
    /// The larger one; on ties and zeros this one, NaN if either is NaN.
    ///
    /// Equality belongs to this operand: the derivative on a tie is its derivative.
    max(other) = Max;
    /// Remainder of the floored quotient, `x - d floor(x/d)` without the rounding of the
    /// quotient: zero or the sign of the divisor; NaN if the divisor is zero.
    modulo(divisor) = Modulo;
    /// Angle of the point (`x`, this), in `[-π, π]`.
    atan2(x) = Atan2;
    /// `sqrt(this² + other²)` without overflow.
    hypot(other) = Hypot;
}

impl Expr {
    /// Integer power by repeated squaring; `powi(0)` is 1 everywhere, also at NaN.
    #[must_use]
    pub fn powi(&self, exponent: i32) -> Self {
        Self::unary(Op::Powi(exponent), self)
    }

    /// `min(max(this, low), high)`; on a bound the derivative is that of this operand.
    ///
    /// Where `low > high` the result is `high`.
    #[must_use]
    pub fn clamp(&self, low: impl Into<Self>, high: impl Into<Self>) -> Self {
        self.max(low).min(high)
    }
}
