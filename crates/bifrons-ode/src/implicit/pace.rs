//! What the one-step methods share about the size of a step.

/// Signed step of at most `|h|` from `t` towards `limit`: the rest of the way if it is at most
/// `1.0001 |h|`, half of it if it is below `2 |h|`, so that no sliver is left.
#[inline(always)]
pub(super) fn fit(t: f64, limit: f64, h: f64, max_step: f64) -> f64 {
    let rest = limit - t;
    let size = h.abs().min(max_step);
    if rest.abs() <= 1.0001 * size {
        rest
    } else if rest.abs() < 2.0 * size {
        0.5 * rest
    } else {
        size.copysign(h)
    }
}

/// Whether a step is below four units in the last place of the time.
#[inline(always)]
pub(super) fn is_lost(t: f64, h: f64) -> bool {
    h.abs() <= 4.0 * f64::EPSILON * t.abs().max(f64::MIN_POSITIVE)
}
