//! Where a comparison, executed in `f64`, changes its answer.

use super::{BreakOwner, Threshold};

/// Integers in the order of the numbers.
fn ordered(x: f64) -> i64 {
    let bits = x.to_bits().cast_signed();
    if bits < 0 {
        i64::MIN.wrapping_sub(bits)
    } else {
        bits
    }
}

fn from_ordered(key: i64) -> f64 {
    let bits = if key < 0 {
        i64::MIN.wrapping_sub(key)
    } else {
        key
    };
    f64::from_bits(bits.cast_unsigned())
}

/// First number in `(low, high]` at which a monotone predicate holds; it fails at `low` and
/// holds at `high`.
pub(crate) fn first_number(low: f64, high: f64, mut holds: impl FnMut(f64) -> bool) -> f64 {
    let (mut low, mut high) = (ordered(low), ordered(high));
    while low < high - 1 {
        let middle = low + (high - low) / 2;
        if holds(from_ordered(middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    from_ordered(high)
}

/// First number at which a monotone predicate holds, searched around a guess.
pub(crate) fn snap(guess: f64, mut holds: impl FnMut(f64) -> bool) -> Option<f64> {
    if guess.is_nan() {
        return None;
    }
    let key = ordered(guess.clamp(-f64::MAX, f64::MAX));
    let (least, most) = (ordered(-f64::MAX), ordered(f64::MAX));
    let mut width = 4_i64;
    loop {
        let low = from_ordered(key.saturating_sub(width).max(least));
        let high = from_ordered(key.saturating_add(width).min(most));
        if !holds(low) && holds(high) {
            return Some(first_number(low, high, holds));
        }
        if ordered(low) == least && ordered(high) == most {
            return None;
        }
        width = width.saturating_mul(16);
    }
}

/// Smallest liquid state on the upper side of a threshold, in the direction of the liquid state.
///
/// The comparison is the one that is executed: `scale · l + offset` in `f64` against the level.
/// For a falling variable (`scale < 0`) the upper side of the liquid state is the lower one of
/// the variable. `None` if the variable does not move with the liquid state, or crosses nowhere.
///
/// Cost: about ten evaluations.
///
/// ```
/// use bifrons_egm::{BreakKind, BreakOwner, Threshold, selection_point};
///
/// let mut tax = Threshold::at(1.2, BreakKind::Kink, BreakOwner::Above);
/// (tax.scale, tax.offset) = (0.04, 1.0);
/// let point = selection_point(&tax).expect("the variable moves");
/// assert!(0.04 * point + 1.0 >= 1.2 && 0.04 * point.next_down() + 1.0 < 1.2);
/// ```
#[must_use]
pub fn selection_point(threshold: &Threshold) -> Option<f64> {
    let &Threshold {
        scale,
        offset,
        level,
        owner,
        ..
    } = threshold;
    if !(scale != 0.0 && scale.is_finite() && offset.is_finite() && level.is_finite()) {
        return None;
    }
    let z = |l: f64| scale * l + offset;
    let upper = |l: f64| match owner {
        BreakOwner::Above => z(l) >= level,
        BreakOwner::Below => z(l) > level,
    };
    let guess = (level - offset) / scale;
    if scale > 0.0 {
        snap(guess, upper)
    } else {
        snap(guess, |l| !upper(l))
    }
}
