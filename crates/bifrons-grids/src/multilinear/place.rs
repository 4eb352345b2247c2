//! From queries to cells: policies, codes and brackets.

use super::Multilinear;
use super::corners::{self, Corners};
use crate::axis::{Bracket, Grid, bracket};
use crate::error::ReadError;
use crate::extrapolation::Extrapolation;
use crate::locate::clamp;

impl Multilinear {
    /// Cells of `W` points. `query(axis, lane)` is a coordinate of a point; errors count from
    /// query `from` on and look at the first `width` lanes.
    #[inline(always)]
    pub(super) fn locate<const W: usize>(
        &self,
        from: usize,
        width: usize,
        query: impl Fn(usize, usize) -> f64,
    ) -> Result<Corners<W>, ReadError> {
        let mut corners = Corners::new();
        let mut first_bad: Option<(usize, ReadError)> = None;
        for axis in 0..self.policies.len() {
            let xs: [f64; W] = core::array::from_fn(|lane| query(axis, lane));
            let bad = xs[..width].iter().position(|&x| !self.accepts(axis, x));
            let sooner = |lane: &usize| first_bad.is_none_or(|(before, _)| *lane < before);
            if let Some(lane) = bad.filter(sooner) {
                first_bad = Some((lane, self.refusal(axis, from + lane, xs[lane])));
            }
            if first_bad.is_none() {
                self.place(axis, xs, &mut corners);
            }
        }
        first_bad.map_or(Ok(corners), |(_, error)| Err(error))
    }

    fn accepts(&self, axis: usize, x: f64) -> bool {
        let own = &self.space.axes()[axis];
        if !own.is_continuous() {
            return corners::whole(x, own.len()).is_some();
        }
        self.policies[axis] != Extrapolation::Error || (x >= own.first() && x <= own.last())
    }

    #[cold]
    fn refusal(&self, axis: usize, index: usize, query: f64) -> ReadError {
        let own = &self.space.axes()[axis];
        if own.is_continuous() {
            ReadError::Outside {
                index,
                axis,
                query,
                low: own.first(),
                high: own.last(),
            }
        } else {
            ReadError::NotACode {
                index,
                axis,
                query,
                count: own.len(),
            }
        }
    }

    /// Adds the cells on one axis.
    #[inline(always)]
    fn place<const W: usize>(&self, axis: usize, xs: [f64; W], corners: &mut Corners<W>) {
        let (own, stride) = (&self.space.axes()[axis], self.space.strides()[axis]);
        if !own.is_continuous() {
            corners.fix(
                axis,
                xs.map(|x| corners::whole(x, own.len()).unwrap_or(0) * stride),
            );
            return;
        }
        let nodes = own.nodes();
        if nodes.len() < 2 && !xs.iter().any(|x| x.is_nan()) {
            return;
        }
        let bounds = self.policies[axis].bounds(own.first(), own.last());
        let moved = xs.map(|x| clamp(x, bounds.low, bounds.high));
        let mut ranks = [0_u32; W];
        if own.ranks_into(&moved, &mut ranks).is_err() {
            return;
        }
        let (mut offsets, mut weights, mut widths) = ([0; W], [0.0; W], [0.0; W]);
        for lane in 0..W {
            let Bracket { cell, weight } =
                bracket(nodes, own.piece_starts(), ranks[lane] as usize, moved[lane]);
            offsets[lane] = cell * stride;
            weights[lane] = weight;
            let outside = xs[lane] < bounds.low || xs[lane] > bounds.high;
            let flat = outside || nodes.len() < 2;
            widths[lane] = if xs[lane].is_nan() {
                f64::NAN
            } else if flat {
                f64::INFINITY
            } else {
                nodes[cell + 1] - nodes[cell]
            };
        }
        // On a one-point axis only a NaN comes here; both ends of the cell are the point.
        let stride = if nodes.len() < 2 { 0 } else { stride };
        corners.span(axis, stride, offsets, weights, widths);
    }
}
