//! One-dimensional interpolants: piecewise polynomials that are read with value and slope.

mod cell;
mod fit;
mod kernel;
mod read;
mod slopes;

pub use slopes::{SlopeLimit, SlopeRule, estimate_slopes_into};

use cell::{Cubic, Straight, Utility};

use crate::error::FitError;
use crate::extrapolation::Extrapolation;
use crate::knots::Knots;
use bifrons_memory::Footprint;

/// How an interpolant connects the values.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// Straight lines. Error `O(h²)`; monotone; never leaves the range of the data.
    Linear,
    /// Cubic Hermite pieces with estimated slopes; monotone wherever the data are.
    ///
    /// Error `O(h⁴)` with exact slopes, about `O(h³)` with estimated ones, `O(h²)` next to
    /// extrema, where the slope is zero.
    MonotoneCubic(SlopeRule),
    /// Cubic Hermite pieces with given slopes, see [`Interpolant::with_slopes`].
    Hermite(SlopeLimit),
    /// Straight lines through the inverse utility of the values.
    ///
    /// With `u(y) = y^(1-γ)/(1-γ)` (`ln y` for `γ = 1`) and `y = u⁻¹(value)` linear between the
    /// nodes; exact if the interpolated function is the utility of an affine function. Values
    /// must lie in the range of `u`: negative for `γ > 1`, not negative for `γ < 1`. Linear
    /// extrapolation continues `y`, which stops at 0.
    InverseUtility {
        /// Coefficient γ of relative risk aversion.
        risk_aversion: f64,
    },
}

/// A function given at nodes, with value and slope at every number.
///
/// ```text
/// value = c₀ + c₁ d + c₂ d² + c₃ d³,   d = x - node
/// ```
///
/// with the coefficients of the cell of `x`. Rules, the same on every path (scalar, sorted,
/// unsorted, located):
///
/// - A cell owns its left node. At a node the stored value comes back to the bit. Where the
///   function may jump ([`Knots`]) the right side is read; [`Interpolant::read_left`] reads the
///   limit from the left. The last node belongs to the last cell.
/// - The slope is the derivative of the interpolant, at an interior node from the right, at the
///   last node from the left. Outside the range see [`Extrapolation`].
/// - An infinite value makes the inside of both its cells infinite with slope zero (the finite
///   end itself stays finite). A NaN value, or infinite values of both signs, make the inside
///   NaN. A NaN query gives NaN.
/// - One node is a constant function.
///
/// Memory: 8 bytes per node, and 16 (linear) or 40 (else); refitting reuses it.
///
/// ```
/// use bifrons_grids::{Extrapolation, Interpolant, Method, SlopeRule};
///
/// let method = Method::MonotoneCubic(SlopeRule::Harmonic);
/// let curve = Interpolant::new(method, &[0.0, 1.0, 3.0], &[0.0, 1.0, 9.0], Extrapolation::Clamp)?;
/// let (mut values, mut slopes) = ([0.0; 3], [0.0; 3]);
/// curve.read_sorted(&[0.5, 1.0, 4.0], &mut values, &mut slopes)?;
/// assert_eq!(values[1..], [1.0, 9.0]);
/// assert_eq!(slopes[2], 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Interpolant {
    method: Method,
    extrapolation: Extrapolation,
    /// The node that each cell is anchored at, by rank: the first node twice, then the others.
    anchors: Vec<f64>,
    /// First nodes of the pieces after the first one, if the knots are those of a piecewise axis.
    starts: Vec<usize>,
    table: Table,
    /// Slopes or inverse utilities during a fit.
    scratch: Vec<f64>,
}

/// Coefficients by rank: cell 0 continues below the first node, cell `n` holds from the last one.
#[derive(Debug, Clone)]
enum Table {
    Straight(Vec<Straight>),
    Cubic(Vec<Cubic>),
    Utility(Vec<Utility>, f64),
}

/// Value and slope at one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Value of the interpolant.
    pub value: f64,
    /// Its derivative.
    pub slope: f64,
}

impl Interpolant {
    /// Fits the values at the knots.
    ///
    /// Allocates once; [`Interpolant::refit`] reuses the memory.
    ///
    /// # Errors
    ///
    /// [`FitError`]; [`FitError::SlopesMissing`] for [`Method::Hermite`].
    pub fn new<'a>(
        method: Method,
        knots: impl Into<Knots<'a>>,
        values: &[f64],
        extrapolation: Extrapolation,
    ) -> Result<Self, FitError> {
        let mut interpolant = Self::empty(method, extrapolation)?;
        interpolant.refit(knots, values)?;
        Ok(interpolant)
    }

    /// Fits values and slopes at the knots by cubic Hermite pieces.
    ///
    /// At a seam each copy has its own slope. A cell with a slope that is not finite is straight.
    ///
    /// # Errors
    ///
    /// [`FitError`].
    pub fn with_slopes<'a>(
        limit: SlopeLimit,
        knots: impl Into<Knots<'a>>,
        values: &[f64],
        slopes: &[f64],
        extrapolation: Extrapolation,
    ) -> Result<Self, FitError> {
        let mut interpolant = Self::empty(Method::Hermite(limit), extrapolation)?;
        interpolant.refit_with_slopes(knots, values, slopes)?;
        Ok(interpolant)
    }

    fn empty(method: Method, extrapolation: Extrapolation) -> Result<Self, FitError> {
        let table = match method {
            Method::Linear => Table::Straight(Vec::new()),
            Method::MonotoneCubic(_) | Method::Hermite(_) => Table::Cubic(Vec::new()),
            Method::InverseUtility { risk_aversion } if risk_aversion.is_finite() => {
                Table::Utility(Vec::new(), risk_aversion)
            }
            Method::InverseUtility { risk_aversion } => {
                return Err(FitError::RiskAversion {
                    value: risk_aversion,
                });
            }
        };
        let (anchors, starts, scratch) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self {
            method,
            extrapolation,
            anchors,
            starts,
            table,
            scratch,
        })
    }

    /// Heap memory of an interpolant at `count` nodes (copies included) with at most
    /// `piece_count` pieces; a refit at no more nodes needs no other.
    #[must_use]
    pub fn footprint(method: Method, count: usize, piece_count: usize) -> Footprint {
        let cells = count.saturating_add(1);
        let table = match method {
            Method::Linear => Footprint::of::<Straight>(cells),
            Method::MonotoneCubic(_) | Method::Hermite(_) => Footprint::of::<Cubic>(cells),
            Method::InverseUtility { .. } => Footprint::of::<Utility>(cells),
        };
        let scratch = match method {
            Method::Linear | Method::Hermite(_) => Footprint::ZERO,
            _ => Footprint::of::<f64>(count),
        };
        let starts = Footprint::of::<usize>(piece_count.saturating_sub(1));
        Footprint::of::<f64>(cells)
            .beside(table)
            .beside(scratch)
            .beside(starts)
    }

    /// How the values are connected.
    #[must_use]
    pub const fn method(&self) -> Method {
        self.method
    }

    /// What happens outside the range.
    #[must_use]
    pub const fn extrapolation(&self) -> Extrapolation {
        self.extrapolation
    }

    /// The nodes, each copy of a pair included.
    #[must_use]
    pub fn nodes(&self) -> &[f64] {
        &self.anchors[1..]
    }
}
