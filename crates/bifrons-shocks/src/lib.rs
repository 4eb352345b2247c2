//! Discrete forms of random shocks: nodes, weights and transition matrices.
//!
//! | shock | type | discrete forms |
//! |---|---|---|
//! | independent, normal | [`Normal`] | Gauss–Hermite, cdf at midpoints, equal probability |
//! | independent, log-normal | [`LogNormal`] | the same |
//! | independent, uniform | [`Uniform`] | equal spacing, Gauss–Legendre, equal probability |
//! | independent, mixture of normals | [`NormalMixture`] | cdf at midpoints, equal probability |
//! | AR(1), any of these innovations | [`Ar1`] | Tauchen, on equal spacing or a grid of your own |
//! | AR(1), normal innovations | [`Ar1`] | also Tauchen on Gauss–Hermite nodes, Rouwenhorst |
//! | finite states | [`TransitionMatrix`], [`MarkovChain`] | as given |
//!
//! An independent shock becomes a [`Discretisation`], a persistent one a [`MarkovChain`];
//! [`Conditioned`] holds one of either per category when parameters depend on a state.
//!
//! ```
//! use bifrons_shocks::{Ar1, LogNormal};
//!
//! let income = Ar1::gaussian(0.95, 0.1)?.rouwenhorst(7)?;
//! assert!((income.stationary()?.iter().sum::<f64>() - 1.0).abs() < 1e-14);
//!
//! let transitory = LogNormal::mean_one(0.2)?.gauss_hermite(5)?;
//! let mean = transitory.expectation(|income| income);
//! assert!((mean - 1.0).abs() < 1e-9);
//! # Ok::<(), bifrons_shocks::ShockError>(())
//! ```
//!
//! Probabilities are masses computed on the side of the nearer tail and are never rescaled. Rows
//! sum to one within 1e-12, or they are refused. Symmetric laws have symmetric nodes and kernels,
//! to the bit. A law without spread (standard deviation 0) has one node.
//!
//! Drawing is left to `bifrons-random`: [`Law::quantile`] maps a uniform number to the continuous
//! law, and a row of a matrix is a categorical law.
//!
//! Feature `serde` (off by default): serialise and read laws, processes and matrices.
#![forbid(unsafe_code)]

mod ar1;
mod chain;
mod conditioned;
mod discretisation;
mod error;
mod law;
mod lognormal;
mod matrix;
mod mixture;
mod normal;
mod quadrature;
mod spacing;
mod standard;
mod uniform;

pub use ar1::Ar1;
pub use chain::{MarkovChain, StationaryMoments};
pub use conditioned::{Conditioned, Nodes};
pub use discretisation::Discretisation;
pub use error::{MatrixError, ShockError};
pub use law::Law;
pub use lognormal::LogNormal;
pub use matrix::TransitionMatrix;
pub use mixture::{Component, NormalMixture};
pub use normal::Normal;
pub use quadrature::{gauss_hermite, gauss_legendre};
pub use standard::{normal_between, normal_cdf, normal_density, normal_upper};
pub use uniform::Uniform;
