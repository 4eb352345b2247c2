//! What a read does outside the range of the nodes.

/// Policy for queries outside the range of an axis. A NaN query never gives a finite number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Extrapolation {
    /// The value at the nearest end, slope zero. Infinite queries are allowed.
    Clamp,
    /// The straight line with the end value and the end slope of the outermost cell.
    ///
    /// An infinite query is read at the largest finite number, with slope zero. On a one-point
    /// axis the slope is unknown: acts as [`Extrapolation::Error`].
    Linear,
    /// A typed error that names the query and the range; the default.
    #[default]
    Error,
}

/// Where queries are moved to, and where the slope stays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Extrapolation {
    /// The policy on an axis of `count` nodes.
    pub(crate) const fn on(self, count: usize) -> Self {
        match self {
            Self::Linear if count < 2 => Self::Error,
            policy => policy,
        }
    }

    /// Queries are moved into these bounds; the slope of a moved query is zero.
    pub(crate) const fn bounds(self, first: f64, last: f64) -> Bounds {
        match self {
            Self::Clamp => Bounds {
                low: first,
                high: last,
            },
            Self::Linear | Self::Error => Bounds {
                low: -f64::MAX,
                high: f64::MAX,
            },
        }
    }
}
