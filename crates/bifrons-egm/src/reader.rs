//! Reads of a row: value, policy and marginal at queries.

mod kernel;
mod prepare;

use bifrons_grids::{rank, ranks_sorted_into};
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::error::{LengthError, ReadError};
use crate::row::{Corner, Row};
use crate::utility::{Crra, Utility};
use kernel::{BLOCK, Block, Piece, SHORT};

/// How values are read between two records.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum ValueRead {
    /// Cubic Hermite pieces with the marginals as slopes, limited to be monotone; error `O(h⁴)`.
    #[default]
    Hermite,
    /// Straight lines; error `O(h²)`.
    Linear,
    /// Straight lines through `((1-ρ) v)^(1/(1-ρ))`, `e^v` for ρ = 1; exact for the utility of
    /// an affine function. Values must lie in the range of that utility, else reads are NaN.
    InverseUtility {
        /// The utility whose inverse is linear between records.
        utility: Crra,
    },
}

/// How marginals are read between two records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MarginalRead {
    /// Marginal utility of the (equivalent) consumption, which is linear between records.
    #[default]
    ViaPolicy,
    /// Straight lines through the marginals.
    Linear,
    /// The derivative of what is read as value.
    DerivativeOfValue,
}

/// What holds above the last record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Above {
    /// The policy goes on with the slope of the last wide bracket, moved into `[0, 1]`; the value
    /// is the integral of the marginal utility by Simpson's rule.
    #[default]
    Continue,
    /// Value and policy of the last record, marginal zero.
    Clamp,
    /// [`ReadError::Outside`], also below the first record of a row without corner.
    Error,
}

/// Rules of reading.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// How values are read between two records.
    pub value: ValueRead,
    /// How marginals are read between two records.
    pub marginal: MarginalRead,
    /// What holds above the last record.
    pub above: Above,
}

impl ReadOptions {
    /// Sets how values are read.
    #[must_use]
    pub const fn with_value(mut self, value: ValueRead) -> Self {
        self.value = value;
        self
    }

    /// Sets how marginals are read.
    #[must_use]
    pub const fn with_marginal(mut self, marginal: MarginalRead) -> Self {
        self.marginal = marginal;
        self
    }

    /// Sets what holds above the last record.
    #[must_use]
    pub const fn with_above(mut self, above: Above) -> Self {
        self.above = above;
        self
    }
}

/// How many queries were outside of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ReadReport {
    /// Queries in the constrained region.
    pub constrained: usize,
    /// Queries below the first record of a row without corner, continued linearly.
    pub below: usize,
    /// Queries above the last record.
    pub above: usize,
}

impl ReadReport {
    /// Both reports together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            constrained: self.constrained + other.constrained,
            below: self.below + other.below,
            above: self.above + other.above,
        }
    }
}

/// Where a read writes: three slices as long as the queries.
#[derive(Debug)]
pub struct Readings<'a> {
    /// Values.
    pub value: &'a mut [f64],
    /// Consumption.
    pub policy: &'a mut [f64],
    /// Marginal values.
    pub marginal: &'a mut [f64],
}

/// One reading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Value.
    pub value: f64,
    /// Consumption.
    pub policy: f64,
    /// Marginal value.
    pub marginal: f64,
}

/// A row prepared for reading.
///
/// Rules, the same for one query and for slices:
///
/// - A bracket owns its left record, at which the stored value and policy come back to the bit.
///   At a pair the right record is read; [`RowReader::read_left`] gives the limit from the left.
/// - Below the first record the corner holds exactly: `c = q - s`, value `-inf` and marginal 0
///   where `c ≤ 0` leaves the domain. Without a corner the first bracket is continued linearly.
/// - An infinite value makes the inside of its brackets infinite, with marginal zero.
/// - A gap gives NaN, one record is a constant function. A row without records is its corner
///   everywhere (a terminal period in which all is consumed), or NaN without corner.
///
/// Preparing costs about ten operations per record and allocates only while the row is longer
/// than any before; reading costs one merge with the records and no allocation.
///
/// ```
/// use bifrons_egm::{Crra, ReadOptions, Record, Row, RowReader};
///
/// let u = Crra::log();
/// let mut row = Row::new();
/// for m in [1.0, 2.0, 4.0_f64] {
///     row.push(Record { x: m, value: 2.0 * m.ln(), policy: m / 2.0, marginal: 2.0 / m, owner: 0 });
/// }
/// let mut reader = RowReader::new(ReadOptions::default());
/// reader.prepare(row.view())?;
/// let reading = reader.read(&u, 3.0)?;
/// assert_eq!((reading.policy, reading.marginal), (1.5, 1.0 / 1.5));
/// assert!((reading.value - 2.0 * 3.0_f64.ln()).abs() < 1e-2);
/// # Ok::<(), bifrons_egm::ReadError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RowReader {
    options: ReadOptions,
    x: Vec<f64>,
    /// By rank: piece 0 continues below the first record, piece `n` above the last one.
    pieces: Vec<Piece>,
    /// Node and slope of the marginal or of the equivalent consumption; empty if not needed.
    extra: Vec<[f64; 2]>,
    owner: Vec<u32>,
    corner: Option<Corner>,
    last_marginal: f64,
    /// Some value is infinite, so marginals need a second look.
    infinite: bool,
}

impl RowReader {
    /// A reader without records.
    #[must_use]
    pub fn new(options: ReadOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    /// Memory for rows with at most `count` records.
    #[must_use]
    pub const fn footprint(count: usize) -> Footprint {
        let extra = Footprint::of::<[f64; 2]>(count.saturating_add(1));
        Self::plain_footprint(count, MarginalRead::ViaPolicy).beside(extra)
    }

    /// Memory for rows with `count` records that have no equivalent consumption, prepared without
    /// [`RowReader::reserve`]: 16 bytes per record less unless marginals are read by
    /// [`MarginalRead::Linear`].
    #[must_use]
    pub const fn plain_footprint(count: usize, marginal: MarginalRead) -> Footprint {
        let pieces = count.saturating_add(1);
        let extra = if matches!(marginal, MarginalRead::Linear) {
            pieces
        } else {
            0
        };
        Footprint::of::<f64>(count)
            .beside(Footprint::of::<u32>(count))
            .beside(Footprint::of::<Piece>(pieces))
            .beside(Footprint::of::<[f64; 2]>(extra))
    }

    /// Makes room for rows with `count` records, so that preparing them allocates nothing.
    pub fn reserve(&mut self, count: usize) {
        self.x.reserve_exact(count.saturating_sub(self.x.len()));
        self.owner
            .reserve_exact(count.saturating_sub(self.owner.len()));
        let pieces = count + 1;
        self.pieces
            .reserve_exact(pieces.saturating_sub(self.pieces.len()));
        self.extra
            .reserve_exact(pieces.saturating_sub(self.extra.len()));
    }

    /// Rules of reading.
    #[must_use]
    pub const fn options(&self) -> ReadOptions {
        self.options
    }

    /// Number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// The constrained region.
    #[must_use]
    pub const fn corner(&self) -> Option<Corner> {
        self.corner
    }

    /// Abscissae of the records.
    #[must_use]
    pub fn nodes(&self) -> &[f64] {
        &self.x
    }

    /// Owner of the material at `x`: [`Row::GAP`] in a gap and in a row without records; below
    /// the first record the first owner.
    #[must_use]
    pub fn owner(&self, x: f64) -> u32 {
        let at = rank(&self.x, x).saturating_sub(1);
        self.owner.get(at).copied().unwrap_or(Row::GAP)
    }

    /// Value, policy and marginal at one query.
    ///
    /// # Errors
    ///
    /// [`ReadError::Outside`] under [`Above::Error`].
    pub fn read(&self, utility: &dyn Utility, x: f64) -> Result<Reading, ReadError> {
        let (mut value, mut policy, mut marginal) = ([0.0], [0.0], [0.0]);
        let out = Readings {
            value: &mut value,
            policy: &mut policy,
            marginal: &mut marginal,
        };
        self.read_sorted(utility, &[x], out)?;
        Ok(Reading {
            value: value[0],
            policy: policy[0],
            marginal: marginal[0],
        })
    }

    /// Limit from the left at one query.
    ///
    /// # Errors
    ///
    /// [`ReadError::Outside`] under [`Above::Error`].
    pub fn read_left(&self, utility: &dyn Utility, x: f64) -> Result<Reading, ReadError> {
        let at = self.x.partition_point(|&node| node < x);
        let is_pair = self.x.get(at + 1).is_some_and(|&next| next <= x);
        if !is_pair || at == 0 {
            return self.read(utility, x);
        }
        let piece = &self.pieces[at + 1];
        // The piece after the first copy has no width and carries its value and policy.
        let (value, policy) = (piece[7], piece[5]);
        let marginal = self.left_marginal(utility, at, value, policy);
        Ok(Reading {
            value,
            policy,
            marginal,
        })
    }

    fn left_marginal(&self, utility: &dyn Utility, at: usize, value: f64, policy: f64) -> f64 {
        if value == f64::NEG_INFINITY {
            return 0.0;
        }
        match self.options.marginal {
            MarginalRead::DerivativeOfValue => {
                let [anchor, _, b1, b2, b3, ..] = self.pieces[at];
                let d = self.x[at] - anchor;
                b1 + d * (2.0 * b2 + d * (3.0 * b3))
            }
            MarginalRead::Linear => self.extra[at + 1][0],
            MarginalRead::ViaPolicy if self.extra.is_empty() => utility.marginal(policy),
            MarginalRead::ViaPolicy => utility.marginal(self.extra[at + 1][0]),
        }
    }

    /// Values, policies and marginals at ascending queries (NaN last).
    ///
    /// Cost: `O(queries + records)`, no allocation; one marginal utility per query.
    ///
    /// # Errors
    ///
    /// [`ReadError::Length`], [`ReadError::Queries`]; [`ReadError::Outside`] under
    /// [`Above::Error`].
    pub fn read_sorted(
        &self,
        utility: &dyn Utility,
        queries: &[f64],
        out: Readings<'_>,
    ) -> Result<ReadReport, ReadError> {
        LengthError::check("value", out.value.len(), queries.len())?;
        LengthError::check("policy", out.policy.len(), queries.len())?;
        LengthError::check("marginal", out.marginal.len(), queries.len())?;
        if self.is_empty() && self.corner.is_none() {
            out.value.fill(f64::NAN);
            out.policy.fill(f64::NAN);
            out.marginal.fill(f64::NAN);
            return Ok(ReadReport::default());
        }
        let report = if queries.len() <= SHORT {
            self.read_blocks::<SHORT>(utility, queries, out)?
        } else {
            self.read_blocks::<BLOCK>(utility, queries, out)?
        };
        self.check_inside(queries, report)?;
        Ok(report)
    }

    /// Block by block of at most `N` queries.
    fn read_blocks<const N: usize>(
        &self,
        utility: &dyn Utility,
        queries: &[f64],
        out: Readings<'_>,
    ) -> Result<ReadReport, ReadError> {
        let mut ranks = [0_u32; N];
        let mut report = ReadReport::default();
        let mut before = f64::NEG_INFINITY;
        for from in (0..queries.len()).step_by(N) {
            let to = (from + N).min(queries.len());
            let (xs, ranks) = (&queries[from..to], &mut ranks[..to - from]);
            // Within the block the merge checks the order.
            let falls = xs[0] < before || (before.is_nan() && !xs[0].is_nan());
            before = xs[xs.len() - 1];
            if falls || ranks_sorted_into(&self.x, xs, ranks).is_err() {
                return Err(unsorted(queries));
            }
            let block = Readings {
                value: &mut out.value[from..to],
                policy: &mut out.policy[from..to],
                marginal: &mut out.marginal[from..to],
            };
            report = report.plus(self.read_block::<N>(utility, xs, ranks, block)?);
        }
        Ok(report)
    }

    fn check_inside(&self, queries: &[f64], report: ReadReport) -> Result<(), ReadError> {
        if self.options.above != Above::Error || report.below + report.above == 0 {
            return Ok(());
        }
        let (Some(&low), Some(&high)) = (self.x.first(), self.x.last()) else {
            return Ok(());
        };
        let below = self.corner.is_none();
        match queries.iter().position(|&q| q > high || (below && q < low)) {
            None => Ok(()),
            Some(index) => Err(ReadError::Outside {
                index,
                query: queries[index],
                low,
                high,
            }),
        }
    }

    fn read_block<const N: usize>(
        &self,
        utility: &dyn Utility,
        queries: &[f64],
        ranks: &[u32],
        mut out: Readings<'_>,
    ) -> Result<ReadReport, ReadError> {
        // Without records the corner holds everywhere.
        let low = self.x.first().copied().unwrap_or(f64::INFINITY);
        let high = self.x.last().copied().unwrap_or(f64::INFINITY);
        let below = queries.partition_point(|&q| q < low);
        let above = queries.partition_point(|&q| q <= high);
        let past = queries.partition_point(|&q| !q.is_nan()).max(above);
        let mut raw = [0.0; N];
        let by_marginal = self.options.marginal == MarginalRead::DerivativeOfValue;
        Level::detect().dispatch(Block {
            pieces: &self.pieces,
            extra: &self.extra,
            ranks,
            queries,
            value: out.value,
            policy: out.policy,
            raw: &mut raw[..queries.len()],
            derivative: by_marginal,
        });
        if let ValueRead::InverseUtility { utility } = self.options.value {
            let mut levels = [0.0; N];
            let levels = &mut levels[..queries.len()];
            levels.copy_from_slice(out.value);
            if by_marginal {
                for (slot, &y) in raw.iter_mut().zip(levels.iter()) {
                    *slot *= utility.marginal(y);
                }
            }
            utility.values_into(levels, out.value);
        }
        let raw = &mut raw[..queries.len()];
        let outside = (below, above..past);
        self.read_outside(utility, queries, outside.clone(), raw, &mut out);
        self.finish_marginals(utility, raw, &mut out, outside);
        let (constrained, below) = if self.corner.is_some() {
            (below, 0)
        } else {
            (0, below)
        };
        Ok(ReadReport {
            constrained,
            below,
            above: past - above,
        })
    }
}

fn unsorted(queries: &[f64]) -> ReadError {
    let index = queries
        .windows(2)
        .position(|pair| !(pair[0] <= pair[1]))
        .map_or(0, |i| i + 1);
    ReadError::Queries {
        index,
        query: queries.get(index).copied().unwrap_or(f64::NAN),
        previous: queries
            .get(index.saturating_sub(1))
            .copied()
            .unwrap_or(f64::NAN),
    }
}
