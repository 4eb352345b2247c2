//! Values between the points of a mesh: cubics with estimated slopes.

/// Slope at point `i` by the polynomial through up to four finite neighbours; 0 without any.
pub(super) fn slope(z: &[f64], y: impl Fn(usize) -> f64, i: usize) -> f64 {
    let n = z.len();
    let finite = |k: usize| y(k).is_finite();
    // The widest stencil of neighbouring finite points that contains i.
    let mut from = i;
    let mut to = i;
    while to - from < 3 {
        let left = from > 0 && finite(from - 1);
        let right = to + 1 < n && finite(to + 1);
        let prefer_left = i - from <= to - i;
        if left && (prefer_left || !right) {
            from -= 1;
        } else if right {
            to += 1;
        } else {
            break;
        }
    }
    derivative(z, y, i, from..to + 1)
}

/// Derivative at point `i` of the polynomial through the points of a range.
fn derivative(z: &[f64], y: impl Fn(usize) -> f64, i: usize, range: std::ops::Range<usize>) -> f64 {
    let mut sum = 0.0;
    let others = || range.clone().filter(move |&k| k != i);
    for k in others() {
        // Derivative of the Lagrange polynomial of k at i.
        let mut weight = 1.0 / (z[k] - z[i]);
        for l in others().filter(|&l| l != k) {
            weight *= (z[i] - z[l]) / (z[k] - z[l]);
        }
        sum += weight * (y(k) - y(i));
    }
    sum
}

/// The cubic between points `i` and `i + 1` at `x`; `-inf` if one of them is not finite.
pub(super) fn read(z: &[f64], y: impl Fn(usize) -> f64 + Copy, i: usize, x: f64) -> f64 {
    let (a, b) = (y(i), y(i + 1));
    if !(a.is_finite() && b.is_finite()) {
        return f64::NEG_INFINITY;
    }
    let w = z[i + 1] - z[i];
    let (t, s) = ((x - z[i]) / w, (z[i + 1] - x) / w);
    let (l0, l1) = (slope(z, y, i), slope(z, y, i + 1));
    let blend = t * t * (t + 3.0 * s);
    a + (b - a) * blend + t * s * (s * l0 - t * l1) * w
}
