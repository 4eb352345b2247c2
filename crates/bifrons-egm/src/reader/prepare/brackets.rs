//! Brackets of a row on lanes: checks and cubics.

use bifrons_lanes::{Kernel, LANES};

use super::Piece;
use crate::hermite::{coefficients, limited_slopes};
use crate::row::Row;

/// Whether some bracket has no material.
pub(super) fn has_gap(owner: &[u32]) -> bool {
    let gaps = owner
        .iter()
        .fold(0_u32, |gaps, &owner| gaps | u32::from(owner == Row::GAP));
    gaps != 0
}

/// Looks at order and values.
pub(super) struct Check<'a> {
    pub(super) x: &'a [f64],
    pub(super) value: &'a [f64],
}

/// What [`Check`] finds.
pub(super) struct Clean {
    /// Abscissae ascend weakly, equal at most twice; none is NaN.
    pub(super) ascends: bool,
    /// All values are finite.
    pub(super) finite: bool,
}

impl Kernel for Check<'_> {
    type Output = Clean;

    #[inline(always)]
    fn run(self) -> Clean {
        let x = self.x;
        let infinite = self
            .value
            .iter()
            .fold(0_u64, |bad, v| bad + u64::from(!(v.abs() < f64::INFINITY)));
        let (second, third) = (x.get(1..).unwrap_or(&[]), x.get(2..).unwrap_or(&[]));
        let falls = x
            .iter()
            .zip(second)
            .fold(0_u64, |bad, (a, b)| bad + u64::from(!(a <= b)));
        let triples = x
            .iter()
            .zip(third)
            .fold(0_u64, |bad, (a, b)| bad + u64::from(!(a < b)));
        let starts = x.first().is_none_or(|first| !first.is_nan());
        Clean {
            ascends: starts && falls + triples == 0,
            finite: infinite == 0,
        }
    }
}

/// Cubics of the brackets between records with finite values; `pieces` has one for each.
pub(super) struct Brackets<'a> {
    pub(super) x: &'a [f64],
    pub(super) value: &'a [f64],
    pub(super) policy: &'a [f64],
    pub(super) marginal: &'a [f64],
    pub(super) pieces: &'a mut [Piece],
}

/// Coefficients `b1, b2, b3` of the value and slope of the policy; zero without width.
#[inline(always)]
fn bracket([x0, v0, c0, g0]: [f64; 4], [x1, v1, c1, g1]: [f64; 4]) -> [f64; 4] {
    let w = x1 - x0;
    let [b1, b2, b3] = coefficients(w, v0, v1, limited_slopes(w, v0, v1, g0, g1));
    let slope = (c1 - c0) / w;
    let wide = w > 0.0;
    let keep = |number: f64| if wide { number } else { 0.0 };
    [keep(b1), keep(b2), keep(b3), keep(slope)]
}

impl Kernel for Brackets<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let count = self.pieces.len();
        let (x, v) = (&self.x[..=count], &self.value[..=count]);
        let (c, g) = (&self.policy[..=count], &self.marginal[..=count]);
        let (blocks, rest) = self.pieces.as_chunks_mut::<LANES>();
        let mut from = 0;
        for block in blocks {
            let (here, there) = (from..from + LANES, from + 1..from + 1 + LANES);
            let (x0, x1) = (&x[here.clone()], &x[there.clone()]);
            let (v0, v1) = (&v[here.clone()], &v[there.clone()]);
            let (c0, c1) = (&c[here.clone()], &c[there.clone()]);
            let (g0, g1) = (&g[here], &g[there]);
            let [mut b1, mut b2, mut b3, mut slope] = [[0.0; LANES]; 4];
            for l in 0..LANES {
                let made = bracket([x0[l], v0[l], c0[l], g0[l]], [x1[l], v1[l], c1[l], g1[l]]);
                [b1[l], b2[l], b3[l], slope[l]] = made;
            }
            for (l, piece) in block.iter_mut().enumerate() {
                *piece = [x0[l], v0[l], b1[l], b2[l], b3[l], c0[l], slope[l], v0[l]];
            }
            from += LANES;
        }
        for (piece, i) in rest.iter_mut().zip(from..) {
            let j = i + 1;
            let [b1, b2, b3, slope] = bracket([x[i], v[i], c[i], g[i]], [x[j], v[j], c[j], g[j]]);
            *piece = [x[i], v[i], b1, b2, b3, c[i], slope, v[i]];
        }
    }
}
