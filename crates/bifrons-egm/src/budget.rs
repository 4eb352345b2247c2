//! Budgets that are affine between declared breakpoints.

mod compose;
mod schedule;
mod snap;

pub use compose::publish_on_budget;
pub use schedule::Schedule;
pub use snap::selection_point;
pub(crate) use snap::{first_number, snap as first_at_or_above};

use bifrons_memory::Footprint;

use crate::error::BudgetError;

/// What changes at a breakpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BreakKind {
    /// The slope; the level is continuous.
    Kink,
    /// The level.
    Jump,
    /// The slope, from or to zero: a floor or a ceiling.
    Floor,
}

/// Which side the equality `z = τ` belongs to.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BreakOwner {
    /// `z ≥ τ` is the upper side.
    #[default]
    Above,
    /// `z > τ` is the upper side.
    Below,
}

/// A breakpoint `z = τ` of a variable `z = scale · l + offset`, with `scale ≠ 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// `dz/dl`.
    pub scale: f64,
    /// `z` at `l = 0`.
    pub offset: f64,
    /// The level τ.
    pub level: f64,
    /// What changes.
    pub kind: BreakKind,
    /// Which side of `z` the equality belongs to.
    pub owner: BreakOwner,
}

impl Threshold {
    /// A breakpoint of the liquid state itself.
    #[must_use]
    pub const fn at(level: f64, kind: BreakKind, owner: BreakOwner) -> Self {
        Self {
            scale: 1.0,
            offset: 0.0,
            level,
            kind,
            owner,
        }
    }
}

/// `slope · l + intercept`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine {
    /// Slope.
    pub slope: f64,
    /// Level at zero.
    pub intercept: f64,
}

impl Affine {
    /// The value at `l`.
    #[inline]
    #[must_use]
    pub fn at(&self, l: f64) -> f64 {
        self.slope * l + self.intercept
    }
}

/// Resources as a function of the liquid state, affine between breakpoints.
///
/// Interval `i` is `[L_i, L_{i+1})` with the selection points `L`: the smallest numbers at which
/// the declared comparison, executed in `f64`, says "upper side". A threshold owned by its lower
/// side therefore has its selection point at the next larger number, and a read at the threshold
/// itself gives the lower side.
///
/// ```
/// use bifrons_egm::{Affine, BreakKind, BreakOwner, Budget, Threshold};
///
/// // A transfer of 0.4 up to assets of 2, included.
/// let below = Affine { slope: 1.03, intercept: 1.0 };
/// let above = Affine { slope: 1.03, intercept: 0.6 };
/// let cliff = Threshold::at(2.0, BreakKind::Jump, BreakOwner::Below);
/// let budget = Budget::new(&[below, above], &[cliff])?;
/// assert!((budget.resources(2.0) - 3.06).abs() < 1e-15);
/// assert!((budget.resources(2.0_f64.next_up()) - 2.66).abs() < 1e-15);
/// # Ok::<(), bifrons_egm::BudgetError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    pieces: Vec<Affine>,
    points: Vec<f64>,
    kinds: Vec<BreakKind>,
}

/// Levels may differ by this share at a kink.
const CONTINUITY: f64 = 1e-9;

impl Budget {
    /// A budget of `pieces` in ascending order of the liquid state with thresholds between them.
    ///
    /// # Errors
    ///
    /// [`BudgetError::Count`] unless there is one piece more than thresholds;
    /// [`BudgetError::Variable`] for a variable that does not move with the liquid state;
    /// [`BudgetError::Order`] unless the selection points ascend strictly;
    /// [`BudgetError::Slope`] for a slope that is negative, or zero without a floor beside it;
    /// [`BudgetError::Level`] for a kink or floor at which the level jumps.
    pub fn new(pieces: &[Affine], thresholds: &[Threshold]) -> Result<Self, BudgetError> {
        if pieces.len() != thresholds.len() + 1 {
            return Err(BudgetError::Count {
                pieces: pieces.len(),
                thresholds: thresholds.len(),
            });
        }
        let mut points = Vec::with_capacity(thresholds.len());
        for (index, threshold) in thresholds.iter().enumerate() {
            let point = selection_point(threshold).ok_or(BudgetError::Variable {
                index,
                scale: threshold.scale,
            })?;
            if let Some(&before) = points.last()
                && !(point > before)
            {
                return Err(BudgetError::Order {
                    index,
                    point,
                    before,
                });
            }
            points.push(point);
        }
        let kinds = thresholds.iter().map(|threshold| threshold.kind).collect();
        let budget = Self {
            pieces: pieces.to_vec(),
            points,
            kinds,
        };
        budget.check_slopes()?;
        budget.check_levels()?;
        Ok(budget)
    }

    /// Resources that are the liquid state itself.
    #[must_use]
    pub fn identity() -> Self {
        let (slope, intercept) = (1.0, 0.0);
        Self {
            pieces: vec![Affine { slope, intercept }],
            points: Vec::new(),
            kinds: Vec::new(),
        }
    }

    /// Heap memory of a budget with so many pieces.
    #[must_use]
    pub const fn footprint(pieces: usize) -> Footprint {
        let points = pieces.saturating_sub(1);
        Footprint::of::<Affine>(pieces)
            .beside(Footprint::of::<f64>(points))
            .beside(Footprint::of::<BreakKind>(points))
    }

    fn check_slopes(&self) -> Result<(), BudgetError> {
        for (interval, piece) in self.pieces.iter().enumerate() {
            let flat = piece.slope == 0.0;
            let beside = [interval.checked_sub(1), Some(interval)];
            let floor = beside
                .into_iter()
                .flatten()
                .any(|i| self.kinds.get(i) == Some(&BreakKind::Floor));
            let fine = piece.slope > 0.0 || (flat && floor);
            if !(fine && piece.slope.is_finite() && piece.intercept.is_finite()) {
                return Err(BudgetError::Slope {
                    interval,
                    slope: piece.slope,
                });
            }
        }
        Ok(())
    }

    fn check_levels(&self) -> Result<(), BudgetError> {
        for (index, (&point, &kind)) in self.points.iter().zip(&self.kinds).enumerate() {
            let (below, above) = (
                self.pieces[index].at(point),
                self.pieces[index + 1].at(point),
            );
            let scale = below.abs().max(above.abs()).max(point.abs());
            if kind != BreakKind::Jump && !((above - below).abs() <= CONTINUITY * scale) {
                return Err(BudgetError::Level {
                    index,
                    point,
                    below,
                    above,
                });
            }
        }
        Ok(())
    }

    /// The pieces.
    #[must_use]
    pub fn pieces(&self) -> &[Affine] {
        &self.pieces
    }

    /// The selection points: first number of each interval but the first.
    #[must_use]
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// What changes at each selection point.
    #[must_use]
    pub fn kinds(&self) -> &[BreakKind] {
        &self.kinds
    }

    /// The interval that owns `l`.
    #[must_use]
    pub fn interval(&self, l: f64) -> usize {
        self.points.partition_point(|&point| point <= l)
    }

    /// Resources at `l`.
    #[must_use]
    pub fn resources(&self, l: f64) -> f64 {
        self.pieces[self.interval(l)].at(l)
    }

    /// Slope of the resources at `l`.
    #[must_use]
    pub fn slope(&self, l: f64) -> f64 {
        self.pieces[self.interval(l)].slope
    }

    /// Resources and their slope at many numbers, in any order.
    pub fn resources_into(&self, liquid: &[f64], resources: &mut [f64], slopes: &mut [f64]) {
        let mut interval = 0_usize;
        for ((&l, m), slope) in liquid.iter().zip(resources).zip(slopes) {
            // Ascending queries move on by whole intervals only.
            let low = interval
                .checked_sub(1)
                .map_or(f64::NEG_INFINITY, |i| self.points[i]);
            if l < low || self.points.get(interval).is_some_and(|&high| l >= high) {
                interval = self.interval(l);
            }
            let piece = self.pieces[interval];
            (*m, *slope) = (piece.at(l), piece.slope);
        }
    }
}
