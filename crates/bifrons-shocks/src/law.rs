//! What all laws can tell.

/// A continuous law of one number: mean, spread, masses and quantiles.
///
/// The trait is sealed; the laws are [`Normal`](crate::Normal), [`LogNormal`](crate::LogNormal),
/// [`Uniform`](crate::Uniform) and [`NormalMixture`](crate::NormalMixture).
pub trait Law: sealed::Sealed {
    /// Expectation.
    fn mean(&self) -> f64;

    /// Standard deviation.
    fn standard_deviation(&self) -> f64;

    /// Mass in `(a, b]`, computed on the side of the nearer tail; infinite bounds are allowed and
    /// `b <= a` has no mass.
    fn between(&self, a: f64, b: f64) -> f64;

    /// The `x` below which the mass `p` lies; `p = 0` and `p = 1` give the ends of the support,
    /// other `p` outside (0, 1) and NaN give NaN.
    ///
    /// A uniform number of the open interval becomes a draw of the law.
    fn quantile(&self, p: f64) -> f64;

    /// Mass at or below `x`, accurate in the lower tail.
    fn cdf(&self, x: f64) -> f64 {
        self.between(f64::NEG_INFINITY, x)
    }

    /// Mass above `x`, accurate in the upper tail.
    fn upper(&self, x: f64) -> f64 {
        self.between(x, f64::INFINITY)
    }
}

pub(crate) mod sealed {
    /// Keeps [`Law`](super::Law) to this crate.
    #[expect(unnameable_types, reason = "a sealed trait cannot be named by design")]
    pub trait Sealed {}
}
