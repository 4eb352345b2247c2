//! Reads: one query, or slices of queries into given buffers.

use bifrons_lanes::{Kernel, Level};

use super::cell::Cell;
use super::kernel::{BLOCK, Merge, Ranker, Source};
use super::{Interpolant, Reading, Table};
use crate::axis::Grid;
use crate::error::{LengthError, ReadError};
use crate::extrapolation::{Bounds, Extrapolation};
use crate::locate::{self, Locator};

macro_rules! with_source {
    ($self:ident, $source:ident => $body:expr) => {{
        let bounds = $self.bounds();
        let anchors = &$self.anchors[..];
        match &$self.table {
            Table::Straight(table) => {
                let $source = Source {
                    table,
                    anchors,
                    common: (),
                    bounds,
                };
                $body
            }
            Table::Cubic(table) => {
                let $source = Source {
                    table,
                    anchors,
                    common: (),
                    bounds,
                };
                $body
            }
            Table::Utility(table, gamma) => {
                let $source = Source {
                    table,
                    anchors,
                    common: *gamma,
                    bounds,
                };
                $body
            }
        }
    }};
}

impl Interpolant {
    /// Value and slope at one query; the rank is found by search.
    ///
    /// # Errors
    ///
    /// [`ReadError::Outside`] under [`Extrapolation::Error`].
    pub fn read(&self, x: f64) -> Result<Reading, ReadError> {
        self.check_inside(&[x])?;
        let rank = locate::rank(self.nodes(), x);
        let (value, slope) = with_source!(self, source => source.read(rank, x));
        Ok(Reading { value, slope })
    }

    /// Limit of value and slope from the left.
    ///
    /// At a node the stored value (of the first copy) and the slope of the cell on its left; at
    /// the first node of a later piece the end of the piece before; at the first node of all
    /// value and slope of the first cell. Elsewhere the same as [`Interpolant::read`].
    ///
    /// # Errors
    ///
    /// [`ReadError::Outside`] under [`Extrapolation::Error`].
    pub fn read_left(&self, x: f64) -> Result<Reading, ReadError> {
        let nodes = self.nodes();
        let rank = nodes.partition_point(|&node| node < x);
        if x.is_nan() || nodes.get(rank).is_none_or(|&node| node > x) {
            return self.read(x);
        }
        let (value, slope) = with_source!(self, source => {
            let (continued, slope) = source.read(rank, x);
            let stored = source.table[rank + 1].value();
            (if self.starts.contains(&rank) { continued } else { stored }, slope)
        });
        Ok(Reading { value, slope })
    }

    /// Limit of value and slope from the right.
    ///
    /// At the last node of a piece value and slope at the first node of the next one. Elsewhere,
    /// also at the second copy of a repeated node, the same as [`Interpolant::read`].
    ///
    /// # Errors
    ///
    /// [`ReadError::Outside`] under [`Extrapolation::Error`].
    pub fn read_right(&self, x: f64) -> Result<Reading, ReadError> {
        let nodes = self.nodes();
        let rank = locate::rank(nodes, x);
        let ends_piece = self.starts.contains(&rank) && nodes[rank - 1] >= x;
        self.read(if ends_piece { nodes[rank] } else { x })
    }

    /// Values and slopes at ascending queries (NaN last), by one merge with the nodes.
    ///
    /// Without allocation. Cost: `O(queries + nodes)`.
    ///
    /// # Errors
    ///
    /// [`ReadError::Length`], [`ReadError::Unsorted`]; [`ReadError::Outside`] names the first
    /// query that [`Extrapolation::Error`] forbids, after all answers are written.
    pub fn read_sorted(
        &self,
        queries: &[f64],
        values: &mut [f64],
        slopes: &mut [f64],
    ) -> Result<(), ReadError> {
        LengthError::check("slopes", slopes.len(), queries.len())?;
        locate::check_sorted(queries)?;
        self.run::<true, _>(Merge(0), queries, values, slopes)
    }

    /// [`Interpolant::read_sorted`] without slopes.
    ///
    /// # Errors
    ///
    /// As [`Interpolant::read_sorted`].
    pub fn values_sorted(&self, queries: &[f64], values: &mut [f64]) -> Result<(), ReadError> {
        locate::check_sorted(queries)?;
        self.run::<false, _>(Merge(0), queries, values, &mut [])
    }

    /// Values and slopes at queries in any order, each looked for near the one before.
    ///
    /// Without allocation. Cost per query: see [`Locator`].
    ///
    /// # Errors
    ///
    /// As [`Interpolant::read_sorted`], without the order.
    pub fn read_unsorted(
        &self,
        locator: &mut Locator,
        queries: &[f64],
        values: &mut [f64],
        slopes: &mut [f64],
    ) -> Result<(), ReadError> {
        LengthError::check("slopes", slopes.len(), queries.len())?;
        self.run::<true, _>(Hunt(locator), queries, values, slopes)
    }

    /// Values and slopes at queries in any order, on the axis that the interpolant was fitted to;
    /// regular axes give the ranks without a search.
    ///
    /// Without allocation.
    ///
    /// # Errors
    ///
    /// As [`Interpolant::read_unsorted`]; [`ReadError::Length`] if the axis has another number
    /// of nodes.
    pub fn read_on<G: Grid + ?Sized>(
        &self,
        axis: &G,
        queries: &[f64],
        values: &mut [f64],
        slopes: &mut [f64],
    ) -> Result<(), ReadError> {
        LengthError::check("axis", axis.len(), self.nodes().len())?;
        LengthError::check("slopes", slopes.len(), queries.len())?;
        self.run::<true, _>(OnAxis(axis), queries, values, slopes)
    }

    /// Values and slopes at queries whose ranks among the nodes are known, for instance because
    /// several functions share the nodes.
    ///
    /// The rank of a query is the number of nodes not above it ([`crate::rank`]). With a rank that
    /// is in range but of another cell, the polynomial of that cell is continued to the query.
    ///
    /// # Errors
    ///
    /// As [`Interpolant::read_unsorted`], and [`ReadError::Rank`].
    pub fn read_located(
        &self,
        ranks: &[u32],
        queries: &[f64],
        values: &mut [f64],
        slopes: &mut [f64],
    ) -> Result<(), ReadError> {
        LengthError::check("ranks", ranks.len(), queries.len())?;
        LengthError::check("slopes", slopes.len(), queries.len())?;
        let most = locate::narrow(self.nodes().len());
        if let Some(index) = ranks.iter().position(|&rank| rank > most) {
            return Err(ReadError::Rank {
                index,
                rank: ranks[index],
                most,
            });
        }
        self.run::<true, _>(Known(ranks), queries, values, slopes)
    }

    fn bounds(&self) -> Bounds {
        let nodes = self.nodes();
        self.extrapolation
            .on(nodes.len())
            .bounds(nodes[0], nodes[nodes.len() - 1])
    }

    /// Ranks and reads block by block, compiled for the instruction set of the machine.
    fn run<const SLOPES: bool, R: Ranker>(
        &self,
        ranker: R,
        queries: &[f64],
        values: &mut [f64],
        slopes: &mut [f64],
    ) -> Result<(), ReadError> {
        LengthError::check("values", values.len(), queries.len())?;
        with_source!(self, source => Level::detect().dispatch(Pass::<_, _, SLOPES> {
            source,
            ranker,
            queries,
            values,
            slopes,
        }));
        self.check_inside(queries).inspect_err(|_| {
            let outside = |x: f64| !self.is_inside(x);
            for i in (0..queries.len()).filter(|&i| outside(queries[i])) {
                values[i] = f64::NAN;
                if SLOPES {
                    slopes[i] = f64::NAN;
                }
            }
        })
    }

    fn is_inside(&self, x: f64) -> bool {
        let nodes = self.nodes();
        x >= nodes[0] && x <= nodes[nodes.len() - 1]
    }

    /// The first query that the policy forbids.
    fn check_inside(&self, queries: &[f64]) -> Result<(), ReadError> {
        let nodes = self.nodes();
        if self.extrapolation.on(nodes.len()) != Extrapolation::Error {
            return Ok(());
        }
        match queries.iter().position(|&x| !self.is_inside(x)) {
            None => Ok(()),
            Some(index) => Err(ReadError::Outside {
                index,
                axis: 0,
                query: queries[index],
                low: nodes[0],
                high: nodes[nodes.len() - 1],
            }),
        }
    }
}

/// One read of a slice.
struct Pass<'a, C: Cell, R, const SLOPES: bool> {
    source: Source<'a, C>,
    ranker: R,
    queries: &'a [f64],
    values: &'a mut [f64],
    slopes: &'a mut [f64],
}

impl<C: Cell, R: Ranker, const SLOPES: bool> Kernel for Pass<'_, C, R, SLOPES> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let mut buffer = [0_u32; BLOCK];
        let nodes = &self.source.anchors[1..];
        let mut from = 0;
        while from < self.queries.len() {
            let to = (from + BLOCK).min(self.queries.len());
            let (queries, ranks) = (&self.queries[from..to], &mut buffer[..to - from]);
            self.ranker.ranks(nodes, queries, ranks);
            let slopes = if SLOPES {
                &mut self.slopes[from..to]
            } else {
                &mut []
            };
            self.source
                .read_block::<SLOPES>(ranks, queries, &mut self.values[from..to], slopes);
            from = to;
        }
    }
}

struct Hunt<'a>(&'a mut Locator);

impl Ranker for Hunt<'_> {
    #[inline(always)]
    fn ranks(&mut self, nodes: &[f64], queries: &[f64], ranks: &mut [u32]) {
        for (slot, &x) in ranks.iter_mut().zip(queries) {
            *slot = locate::narrow(self.0.rank(nodes, x));
        }
    }
}

struct OnAxis<'a, G: ?Sized>(&'a G);

impl<G: Grid + ?Sized> Ranker for OnAxis<'_, G> {
    fn ranks(&mut self, nodes: &[f64], queries: &[f64], ranks: &mut [u32]) {
        // The slices have the same length; ranks of an axis of the same length are in range.
        if self.0.ranks_into(queries, ranks).is_err() {
            for (slot, &x) in ranks.iter_mut().zip(queries) {
                *slot = locate::narrow(locate::rank(nodes, x));
            }
        }
    }
}

struct Known<'a>(&'a [u32]);

impl Ranker for Known<'_> {
    #[inline(always)]
    fn ranks(&mut self, _nodes: &[f64], queries: &[f64], ranks: &mut [u32]) {
        let (now, later) = self.0.split_at(queries.len());
        ranks.copy_from_slice(now);
        self.0 = later;
    }
}
