//! What values a state or an action takes.

use core::fmt;
use std::sync::Arc;

use bifrons_grids::{
    Axis, AxisError, Categorical, Extrapolation, Irregular, Linear, Logarithmic, PiecewiseLinear,
    PiecewiseLogarithmic,
};
use bifrons_shocks::{Discretisation, MarkovChain};

/// Values of a state or an action: a grid, a grid for each age, or a discretised process.
///
/// | made from | meaning |
/// |---|---|
/// | any axis of `bifrons-grids` but `Categorical` | continuous, tabulated at the nodes |
/// | [`Categorical`] | discrete codes |
/// | [`MarkovChain`] | a process (states only): nodes, and the law of the next node |
/// | [`Discretisation`] | a process without memory |
/// | [`Domain::by_age`] | another grid at each age |
#[derive(Clone)]
pub struct Domain {
    pub(crate) kind: Kind,
    pub(crate) outside: Extrapolation,
    pub(crate) batch_size: usize,
}

#[derive(Clone)]
pub(crate) enum Kind {
    Axis(Axis),
    Process(MarkovChain),
    ByAge(Arc<dyn Fn(f64) -> Result<Axis, AxisError> + Send + Sync>),
    /// Continuous without nodes: actions that a solver chooses freely.
    Free,
}

impl Domain {
    pub(crate) fn new(kind: Kind) -> Self {
        Self {
            kind,
            outside: Extrapolation::Linear,
            batch_size: 0,
        }
    }

    /// Another grid at each age, made by a pure function. All are continuous, or all categorical
    /// with the same labels; the number of nodes may differ.
    #[must_use]
    pub fn by_age<A: Into<Axis>>(
        of: impl Fn(f64) -> Result<A, AxisError> + Send + Sync + 'static,
    ) -> Self {
        Self::new(Kind::ByAge(Arc::new(move |age| of(age).map(Into::into))))
    }

    /// A continuous action without a grid, for solvers that do not search one.
    #[must_use]
    pub fn free() -> Self {
        Self::new(Kind::Free)
    }

    /// How a next state beyond the ends of this grid is read; linear if nothing is said.
    #[must_use]
    pub fn outside(mut self, outside: Extrapolation) -> Self {
        self.outside = outside;
        self
    }

    /// States of this axis that are worked on at a time; 0 is the whole axis. Bounds the cells in
    /// flight and changes no bit.
    #[must_use]
    pub fn batch_size(mut self, states: usize) -> Self {
        self.batch_size = states;
        self
    }
}

impl fmt::Debug for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Axis(axis) => write!(f, "{axis:?}"),
            Kind::Process(chain) => write!(f, "{chain:?}"),
            Kind::ByAge(_) => f.write_str("by age"),
            Kind::Free => f.write_str("free"),
        }
    }
}

macro_rules! from_axis {
    ($($name:ident),+) => {$(
        impl From<$name> for Domain {
            fn from(axis: $name) -> Self {
                Self::new(Kind::Axis(axis.into()))
            }
        }
    )+};
}

from_axis!(
    Axis,
    Categorical,
    Irregular,
    Linear,
    Logarithmic,
    PiecewiseLinear,
    PiecewiseLogarithmic
);

impl From<MarkovChain> for Domain {
    fn from(chain: MarkovChain) -> Self {
        Self::new(Kind::Process(chain))
    }
}

/// A process without memory.
impl From<&Discretisation> for Domain {
    fn from(shock: &Discretisation) -> Self {
        match MarkovChain::independent(shock) {
            Ok(chain) => Self::new(Kind::Process(chain)),
            // A discretisation is a valid chain of equal rows; should that ever fail, the build
            // reports the missing grid.
            Err(_) => Self::new(Kind::Free),
        }
    }
}
