//! Axes, coordinates, lookup and interpolation on grids of `f64`.
//!
//! * [`Linear`], [`Logarithmic`], [`Irregular`], [`PiecewiseLinear`], [`PiecewiseLogarithmic`] and
//!   [`Categorical`] are validated axes ([`Axis`] is any of them, [`Grid`] what they share): end
//!   nodes exact to the bit, [coordinates](Grid::coordinate) that hit every node exactly.
//! * [`rank`], [`ranks_sorted_into`] and [`Locator`] find the place of numbers among nodes: by
//!   search, by a merge, with memory, all with the same result.
//! * [`Interpolant`] is a function of one variable that is read with its slope: [`Method`] says how
//!   values are connected, [`Knots`] where it may jump, [`Extrapolation`] what holds outside.
//! * [`ProductSpace`] numbers the points of several axes; [`Multilinear`] reads tables on it.
//!
//! Slice versions write into given buffers, allocate nothing, and give the bits of the scalar
//! reads on every instruction set.
//!
//! ```
//! use bifrons_grids::{Extrapolation, Interpolant, Logarithmic, Grid, Method, SlopeRule};
//!
//! let wealth = Logarithmic::new(1.0, 100.0, 50)?;
//! let values: Vec<f64> = wealth.nodes().iter().map(|w| w.ln()).collect();
//! let method = Method::MonotoneCubic(SlopeRule::Parabola);
//! let utility = Interpolant::new(method, &wealth, &values, Extrapolation::Error)?;
//! let reading = utility.read(10.0)?;
//! assert!((reading.value - 10.0_f64.ln()).abs() < 1e-4);
//! assert!((reading.slope - 0.1).abs() < 1e-3);
//! assert!(utility.read(0.5).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! * `serde`: `Serialize` and `Deserialize` for [`Axis`] and [`Extrapolation`].
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
pub use multilinear::{Cells, Multilinear};
pub use space::ProductSpace;
