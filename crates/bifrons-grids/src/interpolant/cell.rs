//! The function on one cell.

use bifrons_lanes::math;

/// Value and slope at a distance from the anchor of the cell.
pub(super) trait Cell: Copy {
    /// What all cells of a table share.
    type Common: Copy;

    /// `(value, slope)` at distance `d`; at distance 0 the value is the stored one.
    fn read(self, d: f64, common: Self::Common) -> (f64, f64);

    /// The stored value.
    fn value(self) -> f64;
}

/// Slope for the outside: a piece with an infinite end is continued as a constant.
#[inline(always)]
pub(super) fn finite_or_nan(slope: f64) -> f64 {
    if slope.is_infinite() { 0.0 } else { slope }
}

/// The mark for cells with an end that is not finite, used as first coefficient: an infinite
/// number makes the inside infinite, NaN makes it NaN, 0 keeps the (infinite) left value.
pub(super) fn mark(left: f64, right: f64) -> f64 {
    if left.is_nan()
        || right.is_nan()
        || (left.is_infinite() && right.is_infinite() && (left > 0.0) != (right > 0.0))
    {
        f64::NAN
    } else if left.is_infinite() {
        0.0
    } else {
        right
    }
}

/// `c₀ + c₁ d`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Straight(pub(super) [f64; 2]);

impl Cell for Straight {
    type Common = ();

    #[inline(always)]
    fn read(self, d: f64, (): ()) -> (f64, f64) {
        let [c0, c1] = self.0;
        let value = c0 + c1 * d;
        (if d == 0.0 { c0 } else { value }, finite_or_nan(c1))
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self.0[0]
    }
}

/// `c₀ + c₁ d + c₂ d² + c₃ d³`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cubic(pub(super) [f64; 4]);

impl Cell for Cubic {
    type Common = ();

    #[inline(always)]
    fn read(self, d: f64, (): ()) -> (f64, f64) {
        let [c0, c1, c2, c3] = self.0;
        let t = c3 * d;
        let value = c0 + d * (c1 + d * (c2 + t));
        let slope = c1 + d * ((c2 + c2) + (t + (t + t)));
        (if d == 0.0 { c0 } else { value }, finite_or_nan(slope))
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self.0[0]
    }
}

/// `u(y + y' d)`: stored value, `y`, `y'`, and 0 or what the inside is instead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Utility(pub(super) [f64; 4]);

impl Cell for Utility {
    /// Coefficient of relative risk aversion.
    type Common = f64;

    #[inline(always)]
    fn read(self, d: f64, gamma: f64) -> (f64, f64) {
        let [stored, y, rate, instead] = self.0;
        if instead != 0.0 {
            return (
                if d == 0.0 { stored } else { instead },
                finite_or_nan(instead),
            );
        }
        if d.is_nan() {
            return (d, d);
        }
        let y = y + rate * d;
        if y <= 0.0 {
            let bottom = if gamma < 1.0 { 0.0 } else { f64::NEG_INFINITY };
            return (if d == 0.0 { stored } else { bottom }, 0.0);
        }
        let value = if d == 0.0 { stored } else { utility(y, gamma) };
        (value, finite_or_nan(marginal(y, gamma) * rate))
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self.0[0]
    }
}

/// `y^(1-γ)/(1-γ)`, `ln y` for γ = 1; `y > 0`.
fn utility(y: f64, gamma: f64) -> f64 {
    let power = 1.0 - gamma;
    if power == 0.0 {
        math::ln(y)
    } else {
        math::pow(y, power) / power
    }
}

/// `y^(-γ)`; `y > 0`.
fn marginal(y: f64, gamma: f64) -> f64 {
    math::pow(y, -gamma)
}

/// The `y ≥ 0` whose utility is `value`, if there is one that is a normal number or zero.
pub(super) fn inverse_utility(value: f64, gamma: f64) -> Option<f64> {
    let power = 1.0 - gamma;
    let y = if power == 0.0 {
        math::exp(value)
    } else if power * value >= 0.0 {
        math::pow(power * value, 1.0 / power)
    } else {
        return None;
    };
    let zero = y == 0.0 && value == 0.0;
    (zero || y.is_normal()).then_some(y)
}
