//! Axes, coordinates, lookup and interpolation on grids of `f64`.
#![forbid(unsafe_code)]

mod axis;
mod error;
mod extrapolation;
mod interpolant;
mod knots;
mod locate;
mod multilinear;
mod nodes;
mod space;

pub use axis::{
    Axis, Bracket, Breakpoint, Categorical, Grid, Irregular, Linear, Logarithmic, PiecewiseLinear,
    PiecewiseLogarithmic, Side,
};
pub use error::{AxisError, FitError, LengthError, PieceError, ReadError, SpaceError};
pub use extrapolation::Extrapolation;
pub use interpolant::{Interpolant, Method, Reading, SlopeLimit, SlopeRule, estimate_slopes_into};
pub use knots::Knots;
pub use locate::{Locator, rank, ranks_sorted_into};
pub use multilinear::Multilinear;
pub use space::ProductSpace;
