//! Enclosures of single operations, rounded outwards.

use crate::interval::Interval;
use crate::op::{Op, apply};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Bound of the error of elementary functions, in units in the last place, with a margin.
const FUNCTION_ERROR: usize = 4;
/// Angles beyond this are not located within a period.
const LARGEST_ANGLE: f64 = 1e12;
/// Least room for the round-off of an angle when extrema are located.
const ANGLE_ROOM: f64 = 1e-9;
/// Round-off of a located extremum relative to its angle: with `u = ε/2`, the quotient by the
/// period, whose constant is rounded too, is right to `4 u`, whole turns plus an offset to `3 u`.
const ANGLE_ROUNDING: f64 = 4.0 * f64::EPSILON;

impl Interval {
    fn whole(may_be_nan: bool) -> Self {
        Self {
            may_be_nan,
            ..Self::REALS
        }
    }

    /// Moves both ends outwards by some units in the last place; an exact zero stays.
    fn widened(self, steps: usize) -> Self {
        let down = |end: f64| (0..steps).fold(end, |end, _| end.next_down());
        let up = |end: f64| (0..steps).fold(end, |end, _| end.next_up());
        let low = if self.low.abs() > 0.0 {
            down(self.low)
        } else {
            self.low
        };
        let high = if self.high.abs() > 0.0 {
            up(self.high)
        } else {
            self.high
        };
        Self { low, high, ..self }
    }

    fn is_zero_inside(self) -> bool {
        self.low <= 0.0 && 0.0 <= self.high
    }

    fn is_unbounded(self) -> bool {
        self.low.is_infinite() || self.high.is_infinite()
    }

    /// Hull of numbers; NaN among them gives everything.
    fn of(values: &[f64], may_be_nan: bool) -> Self {
        if values.iter().any(|value| value.is_nan()) {
            return Self::whole(true);
        }
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self {
            low,
            high,
            may_be_nan,
        }
    }

    pub(super) fn negated(self) -> Self {
        Self {
            low: -self.high,
            high: -self.low,
            ..self
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let (low, high) = (self.low + other.low, self.high + other.high);
        let opposite = (self.high == f64::INFINITY && other.low == f64::NEG_INFINITY)
            || (self.low == f64::NEG_INFINITY && other.high == f64::INFINITY);
        let may_be_nan = self.may_be_nan || other.may_be_nan || opposite;
        let low = if low.is_nan() { f64::NEG_INFINITY } else { low };
        let high = if high.is_nan() { f64::INFINITY } else { high };
        Self {
            low,
            high,
            may_be_nan,
        }
        .widened(1)
    }

    pub(super) fn times(self, other: Self) -> Self {
        let undefined = (self.is_zero_inside() && other.is_unbounded())
            || (other.is_zero_inside() && self.is_unbounded());
        let product = |a: f64, b: f64| {
            let product = a * b;
            // Zero times infinity: the bound of products with finite numbers is zero.
            if product.is_nan() { 0.0 } else { product }
        };
        let corners = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        Self::of(&corners, self.may_be_nan || other.may_be_nan || undefined).widened(1)
    }

    pub(super) fn over(self, other: Self) -> Self {
        let may_be_nan = self.may_be_nan || other.may_be_nan;
        if other.is_zero_inside() {
            let undefined = self.is_zero_inside() || (self.is_unbounded() && other.is_unbounded());
            return Self::whole(may_be_nan || undefined);
        }
        let undefined = self.is_unbounded() && other.is_unbounded();
        if undefined {
            return Self::whole(true);
        }
        let corners = [
            self.low / other.low,
            self.low / other.high,
            self.high / other.low,
            self.high / other.high,
        ];
        Self::of(&corners, may_be_nan).widened(1)
    }

    pub(super) fn integer_power(self, exponent: i32) -> Self {
        if exponent == 0 {
            return Self::point(1.0);
        }
        if exponent < 0 {
            let Some(positive) = exponent.checked_neg() else {
                return Self::whole(true);
            };
            return Self::point(1.0).over(self.integer_power(positive));
        }
        let ends = [self.low, self.high].map(|end| bifrons_lanes::math::powi(end, exponent));
        let mut power = Self::of(&ends, self.may_be_nan);
        if exponent % 2 == 0 && self.is_zero_inside() {
            power.low = 0.0;
        }
        // Repeated squaring rounds once per multiplication and doubles earlier errors.
        let relative = f64::from(exponent.unsigned_abs()) * 4.0 * f64::EPSILON;
        let stretch = |end: f64| {
            if end.is_finite() {
                end.abs() * relative
            } else {
                0.0
            }
        };
        let floor = if exponent % 2 == 0 {
            0.0
        } else {
            f64::NEG_INFINITY
        };
        power.low = (power.low - stretch(power.low)).next_down().max(floor);
        power.high = (power.high + stretch(power.high)).next_up();
        power
    }

    pub(super) fn real_power(self, exponent: Self) -> Self {
        if self.low < 0.0 || self.may_be_nan || exponent.may_be_nan {
            return Self::whole(true);
        }
        let corner = |a: f64, b: f64| apply(Op::Pow, [a, b, 0.0]);
        let corners = [
            corner(self.low, exponent.low),
            corner(self.low, exponent.high),
            corner(self.high, exponent.low),
            corner(self.high, exponent.high),
        ];
        let mut hull = Self::of(&corners, false);
        // pow(0, 0) = 1 and pow(1, inf) = 1 are isolated values.
        if exponent.is_zero_inside() || (self.low <= 1.0 && 1.0 <= self.high) {
            hull = hull.hull(Self::point(1.0));
        }
        let hull = hull.widened(FUNCTION_ERROR);
        Self {
            low: hull.low.max(0.0),
            ..hull
        }
    }

    pub(super) fn extreme(self, other: Self, largest: bool) -> Self {
        let pick = |a: f64, b: f64| if largest { a.max(b) } else { a.min(b) };
        Self {
            low: pick(self.low, other.low),
            high: pick(self.high, other.high),
            may_be_nan: self.may_be_nan || other.may_be_nan,
        }
    }

    pub(super) fn modulo(self, divisor: Self) -> Self {
        let may_be_nan = self.may_be_nan
            || divisor.may_be_nan
            || divisor.is_zero_inside()
            || self.is_unbounded();
        let below_one_period = self.low >= 0.0 && self.high < divisor.low;
        if below_one_period {
            return Self { may_be_nan, ..self };
        }
        if !may_be_nan && self.is_within_a_period(divisor) {
            let ends = [self.low, self.high].map(|end| apply(Op::Modulo, [end, divisor.low, 0.0]));
            return Self::of(&ends, false).widened(1);
        }
        Self {
            low: divisor.low.min(0.0),
            high: divisor.high.max(0.0),
            may_be_nan,
        }
    }

    /// Proved: no remainder by the divisor wraps inside. Where one wraps within half a period, the
    /// remainder is smaller at the end than at the start, by half a period at least.
    pub(super) fn is_within_a_period(self, divisor: Self) -> bool {
        if self.low >= 0.0 && self.high < divisor.low {
            return true;
        }
        let remainder = |end: f64| apply(Op::Modulo, [end, divisor.low, 0.0]);
        divisor.is_point()
            && self.high - self.low <= 0.5 * divisor.low.abs()
            && remainder(self.low) <= remainder(self.high)
    }

    /// Proved: the point `(x, self)` does not meet the half line on which `atan2` jumps.
    pub(super) fn is_off_the_cut(self, x: Self) -> bool {
        x.low > 0.0 || self.low > 0.0 || self.high < 0.0
    }

    /// Whether it is a single number.
    pub(super) fn is_point(self) -> bool {
        !self.may_be_nan && self.low.to_bits() == self.high.to_bits()
    }

    /// `atan2(self, x)`.
    pub(super) fn angle(self, x: Self) -> Self {
        let may_be_nan = self.may_be_nan || x.may_be_nan;
        if !self.is_off_the_cut(x) || self.is_unbounded() || x.is_unbounded() {
            return Self {
                low: -PI,
                high: PI,
                may_be_nan,
            }
            .widened(1);
        }
        let corner = |y: f64, x: f64| apply(Op::Atan2, [y, x, 0.0]);
        let corners = [
            corner(self.low, x.low),
            corner(self.low, x.high),
            corner(self.high, x.low),
            corner(self.high, x.high),
        ];
        Self::of(&corners, may_be_nan).widened(FUNCTION_ERROR)
    }

    pub(super) fn hypotenuse(self, other: Self) -> Self {
        let (a, b) = (self.function(Op::Abs), other.function(Op::Abs));
        let corner = |a: f64, b: f64| apply(Op::Hypot, [a, b, 0.0]);
        let ends = [corner(a.low, b.low), corner(a.high, b.high)];
        let hull = Self::of(&ends, self.may_be_nan || other.may_be_nan).widened(FUNCTION_ERROR);
        Self {
            low: hull.low.max(0.0),
            ..hull
        }
    }

    /// Functions of one operand.
    pub(super) fn function(self, op: Op) -> Self {
        let at = |end: f64| apply(op, [end, 0.0, 0.0]);
        let increasing =
            |low: f64, high: f64, nan: bool| Self::of(&[at(low), at(high)], self.may_be_nan || nan);
        match op {
            Op::Abs if self.is_zero_inside() => Self {
                low: 0.0,
                high: self.high.max(-self.low),
                ..self
            },
            Op::Abs | Op::Sign | Op::Floor | Op::Ceil => increasing(self.low, self.high, false),
            Op::Sqrt if self.high < 0.0 => Self::whole(true),
            Op::Sqrt => increasing(self.low.max(0.0), self.high, self.low < 0.0).widened(1),
            Op::Ln if self.high < 0.0 => Self::whole(true),
            Op::Ln => {
                increasing(self.low.max(0.0), self.high, self.low < 0.0).widened(FUNCTION_ERROR)
            }
            Op::Ln1p if self.high < -1.0 => Self::whole(true),
            Op::Ln1p => {
                increasing(self.low.max(-1.0), self.high, self.low < -1.0).widened(FUNCTION_ERROR)
            }
            Op::Asin | Op::Acos if self.low > 1.0 || self.high < -1.0 => Self::whole(true),
            Op::Asin | Op::Acos => {
                let outside = self.low < -1.0 || self.high > 1.0;
                increasing(self.low.max(-1.0), self.high.min(1.0), outside).widened(FUNCTION_ERROR)
            }
            Op::Exp => {
                let hull = increasing(self.low, self.high, false).widened(FUNCTION_ERROR);
                Self {
                    low: hull.low.max(0.0),
                    ..hull
                }
            }
            Op::Cosh => {
                let size = self.function(Op::Abs);
                let hull = Self::of(&[at(size.low), at(size.high)], self.may_be_nan);
                let hull = hull.widened(FUNCTION_ERROR);
                Self {
                    low: hull.low.max(1.0),
                    ..hull
                }
            }
            Op::Sin => self.wave(FRAC_PI_2, Op::Sin),
            Op::Cos => self.wave(0.0, Op::Cos),
            Op::Tan => self.tangent(),
            // exp_m1, atan, sinh, tanh, erf increase everywhere.
            _ => increasing(self.low, self.high, false).widened(FUNCTION_ERROR),
        }
    }

    /// Sine or cosine, whose maxima are at `peak` plus whole turns.
    fn wave(self, peak: f64, op: Op) -> Self {
        let may_be_nan = self.may_be_nan || self.is_unbounded();
        let full = Self {
            low: -1.0,
            high: 1.0,
            may_be_nan,
        };
        let far = self.low.abs().max(self.high.abs()) > LARGEST_ANGLE;
        if far || self.high - self.low >= TAU {
            return full;
        }
        let ends = [self.low, self.high].map(|end| apply(op, [end, 0.0, 0.0]));
        let mut hull = Self::of(&ends, may_be_nan).widened(FUNCTION_ERROR);
        if self.meets(peak, TAU) {
            hull.high = 1.0;
        }
        if self.meets(peak + PI, TAU) {
            hull.low = -1.0;
        }
        Self {
            low: hull.low.max(-1.0),
            high: hull.high.min(1.0),
            may_be_nan,
        }
    }

    fn tangent(self) -> Self {
        let may_be_nan = self.may_be_nan || self.is_unbounded();
        let far = self.low.abs().max(self.high.abs()) > LARGEST_ANGLE;
        if far || self.high - self.low >= PI || self.meets(FRAC_PI_2, PI) {
            return Self::whole(may_be_nan);
        }
        let ends = [self.low, self.high].map(|end| apply(Op::Tan, [end, 0.0, 0.0]));
        Self::of(&ends, may_be_nan).widened(FUNCTION_ERROR)
    }

    /// Whether `first + k period` may be inside for some integer `k`.
    fn meets(self, first: f64, period: f64) -> bool {
        let angle = self.low.abs().max(self.high.abs());
        let room = ANGLE_ROOM.max(ANGLE_ROUNDING * angle);
        let next = ((self.low - room - first) / period).ceil();
        first + next * period <= self.high + room
    }

    /// 1, 0, or undecided.
    pub(super) fn truth(self) -> Option<bool> {
        if self.low > 0.0 {
            Some(true)
        } else if self.high <= 0.0 {
            Some(false)
        } else {
            None
        }
    }

    fn decided(truth: Option<bool>) -> Self {
        match truth {
            Some(true) => Self::point(1.0),
            Some(false) => Self::point(0.0),
            None => Self::new(0.0, 1.0),
        }
    }

    pub(super) fn compare(op: Op, a: Self, b: Self) -> Self {
        let nan = a.may_be_nan || b.may_be_nan;
        // A comparison with NaN is false, so only falsehood can be decided where NaN is possible.
        let order = |always: bool, never: bool| match (always && !nan, never) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        let apart = a.high < b.low || b.high < a.low;
        let same = a.low >= b.high && a.high <= b.low;
        Self::decided(match op {
            Op::Lt => order(a.high < b.low, a.low >= b.high),
            Op::Le => order(a.high <= b.low, a.low > b.high),
            Op::Gt => order(a.low > b.high, a.high <= b.low),
            Op::Ge => order(a.low >= b.high, a.high < b.low),
            Op::Eq => order(same, apart),
            _ => order(same, apart).map(|equal| !equal),
        })
    }

    pub(super) fn logic(op: Op, a: Self, b: Self) -> Self {
        let (a, b) = (a.truth(), b.truth());
        Self::decided(match (op, a, b) {
            (Op::Not, a, _) => a.map(|a| !a),
            (Op::And, Some(false), _) | (Op::And, _, Some(false)) => Some(false),
            (Op::And, Some(true), Some(true)) => Some(true),
            (Op::Or, Some(true), _) | (Op::Or, _, Some(true)) => Some(true),
            (Op::Or, Some(false), Some(false)) => Some(false),
            _ => None,
        })
    }
}
