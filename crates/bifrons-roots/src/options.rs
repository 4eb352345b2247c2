//! Settings of the searches.

use crate::{RootError, Tolerance};

/// Evaluations after which a search gives up unless told otherwise.
///
/// The widest interval of `f64` needs 2,098 halvings to become two adjacent numbers at zero, so
/// with the default limit ITP cannot fail to end.
pub(crate) const MAX_EVALUATIONS: u32 = 2_200;

/// How a bracketed root is refined.
///
/// The set is closed: further methods would be further types of search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RootMethod {
    /// Interpolate, truncate, project: superlinear on smooth functions and never more than two
    /// evaluations beyond bisection on any function. The default.
    ///
    /// The worst case is that of I. F. D. Oliveira and R. H. C. Takahashi (2020), "An enhancement
    /// of the bisection method average performance preserving minmax optimality", ACM TOMS 47(1),
    /// doi:10.1145/3423597: at most `n_½ + n₀` evaluations inside the bracket, where `n_½` is the
    /// number of bisections down to the tolerance and `n₀ = 2`. Departures from the paper: the
    /// estimate is not regula falsi but inverse quadratic interpolation, attempted only where
    /// three points promise it (the criterion of T. R. Chandrupatla (1997), "A new hybrid
    /// quadratic/bisection algorithm for finding the zero of a nonlinear function without using
    /// derivatives", Adv. Eng. Softw. 28(3), doi:10.1016/S0965-9978(96)00051-8), otherwise the
    /// interval is halved, which spends nothing of `n₀`; and the truncation is half the accepted
    /// width. On functions with a steep and a flat end regula falsi spends `n₀` at once and
    /// bisects from then on: 55 to 75 evaluations instead of 13 to 20.
    #[default]
    Itp,
    /// Inverse quadratic interpolation, secant and bisection: often one or two evaluations
    /// fewer on smooth functions, many more in the worst case.
    ///
    /// R. P. Brent (1973), "Algorithms for Minimization without Derivatives", chapter 4.
    Brent,
}

/// What a root search does when the function is exactly zero at an interior point.
///
/// The set is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ExactZero {
    /// The search ends: the point is a root. The default.
    #[default]
    Finish,
    /// The zero counts as past the crossing and the search goes on, so that the right end is a
    /// first point at or past zero even where the function stays zero on an interval.
    Refine,
}

/// Settings of [`find_root`](crate::find_root).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct RootOptions {
    /// Width of the returned bracket. Default: four units in the last place.
    pub tolerance: Tolerance,
    /// Method. Default: [`RootMethod::Itp`].
    pub method: RootMethod,
    /// Meaning of an exact zero. Default: [`ExactZero::Finish`].
    pub exact_zero: ExactZero,
    /// Evaluations allowed, those at the ends included. Default: 2,200.
    pub max_evaluations: u32,
}

impl Default for RootOptions {
    fn default() -> Self {
        Self {
            tolerance: Tolerance::ulps(4),
            method: RootMethod::Itp,
            exact_zero: ExactZero::Finish,
            max_evaluations: MAX_EVALUATIONS,
        }
    }
}

impl RootOptions {
    /// The same settings with another tolerance.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: Tolerance) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The same settings with another method.
    #[must_use]
    pub fn with_method(mut self, method: RootMethod) -> Self {
        self.method = method;
        self
    }

    /// The same settings with another meaning of an exact zero.
    #[must_use]
    pub fn with_exact_zero(mut self, exact_zero: ExactZero) -> Self {
        self.exact_zero = exact_zero;
        self
    }

    /// The same settings with another limit.
    #[must_use]
    pub fn with_max_evaluations(mut self, limit: u32) -> Self {
        self.max_evaluations = limit;
        self
    }
}

/// Settings of [`newton`](crate::newton) and [`find_root_near`](crate::find_root_near).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct NewtonOptions {
    /// Width of the returned bracket. Default: four units in the last place.
    pub tolerance: Tolerance,
    /// Length of the first step away from the guess, a scale of the problem. Default: 1.
    pub step: f64,
    /// Points below are never asked for; `-∞`, the default, means half the smallest `f64`.
    pub lower: f64,
    /// Points above are never asked for; `∞`, the default, means half the largest `f64`.
    pub upper: f64,
    /// Evaluations allowed. Default: 2,200.
    pub max_evaluations: u32,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self {
            tolerance: Tolerance::ulps(4),
            step: 1.0,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            max_evaluations: MAX_EVALUATIONS,
        }
    }
}

impl NewtonOptions {
    /// The same settings with other bounds.
    #[must_use]
    pub fn with_bounds(mut self, lower: f64, upper: f64) -> Self {
        (self.lower, self.upper) = (lower, upper);
        self
    }

    /// The same settings with another first step.
    #[must_use]
    pub fn with_step(mut self, step: f64) -> Self {
        self.step = step;
        self
    }

    /// The same settings with another tolerance.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: Tolerance) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The same settings with another limit.
    #[must_use]
    pub fn with_max_evaluations(mut self, limit: u32) -> Self {
        self.max_evaluations = limit;
        self
    }

    /// Bounds between which every distance is finite.
    pub(crate) fn finite_bounds(&self) -> (f64, f64) {
        (
            self.lower.max(0.5 * f64::MIN),
            self.upper.min(0.5 * f64::MAX),
        )
    }

    /// Step and bounds are usable for this guess.
    pub(crate) fn check(&self, guess: f64) -> Result<(), RootError> {
        let step = self.step;
        let (lower, upper) = self.finite_bounds();
        if !(step > 0.0 && step.is_finite()) {
            return Err(RootError::Step { step });
        }
        if !(guess.is_finite() && lower <= guess && guess <= upper && lower < upper) {
            let (lower, upper) = (self.lower, self.upper);
            return Err(RootError::Bounds {
                guess,
                lower,
                upper,
            });
        }
        Ok(())
    }
}

/// How an interval with a minimum is shrunk.
///
/// The set is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MinimumMethod {
    /// Golden section: the interval shrinks by 0.618 per evaluation whatever the function.
    ///
    /// J. Kiefer (1953), "Sequential minimax search for a maximum", Proc. AMS 4(3).
    GoldenSection,
    /// Golden section with parabolic steps: superlinear on smooth functions. The default.
    ///
    /// R. P. Brent (1973), "Algorithms for Minimization without Derivatives", chapter 5.
    #[default]
    Brent,
}

/// Whether the ends of the interval are candidates for the minimum.
///
/// The set is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ends {
    /// Ends are never evaluated; a minimum at an end is approached up to the tolerance. The
    /// default.
    #[default]
    Open,
    /// Both ends are evaluated first and win if their value is not larger.
    Closed,
}

/// Settings of [`minimise`](crate::minimise).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct MinimumOptions {
    /// Accepted width. Default: relative `√ε = 1.5e-8`; below that the values of a smooth
    /// function do not differ any more.
    pub tolerance: Tolerance,
    /// Method. Default: [`MinimumMethod::Brent`].
    pub method: MinimumMethod,
    /// Whether the ends count. Default: [`Ends::Open`].
    pub ends: Ends,
    /// Evaluations allowed. Default: 2,200.
    pub max_evaluations: u32,
}

impl Default for MinimumOptions {
    fn default() -> Self {
        Self {
            tolerance: Tolerance::SQRT_EPSILON,
            method: MinimumMethod::Brent,
            ends: Ends::Open,
            max_evaluations: MAX_EVALUATIONS,
        }
    }
}

impl MinimumOptions {
    /// The same settings with another tolerance.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: Tolerance) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The same settings with another method.
    #[must_use]
    pub fn with_method(mut self, method: MinimumMethod) -> Self {
        self.method = method;
        self
    }

    /// The same settings with ends that count or do not.
    #[must_use]
    pub fn with_ends(mut self, ends: Ends) -> Self {
        self.ends = ends;
        self
    }

    /// The same settings with another limit.
    #[must_use]
    pub fn with_max_evaluations(mut self, limit: u32) -> Self {
        self.max_evaluations = limit;
        self
    }
}
