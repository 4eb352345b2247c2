//! Counter-based random draws: a pure function of seed, stream, element, step and component.
//!
//! There is no generator whose state could depend on the order of calls. [`Draws`] names a family
//! by seed and [`Stream`]; an [`Address`] names one number of it. Any thread, any chunk and any
//! order of elements reads the same number, and a new shock in a new stream shifts no other.
//!
//! ```
//! use bifrons_random::{Address, Draws, Stream};
//!
//! let income = Draws::new(7, Stream::named("income"));
//! let at = Address::new(123_456, 3); // subject 123,456 in period 3
//! let shock = income.normal(at);
//! let mut both = [0.0; 2];
//! income.fill_normal(at, &mut both); // components 0 and 1
//! assert_eq!(both[0].to_bits(), shock.to_bits());
//! ```
//!
//! The generator is Philox4x64-10 (J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw (2011),
//! "Parallel random numbers: as easy as 1, 2, 3", SC11, doi:10.1145/2063384.2063405), the same
//! as NumPy's `Philox`, so that programs in other languages can share draws; see [`Draws`].
//! [`Philox`] is the sequential form with the `rand_core` traits.
//!
//! Uniform numbers lie in the *open* interval (0, 1). One uniform number becomes one variate
//! through the quantile function: [`normal_quantile`], [`gumbel_quantile`], [`Categorical`].
//! All bits are the same on every machine.
//!
//! Not for cryptography.
//!
//! Feature `serde` (off by default): serialise and read [`Stream`], [`Address`] and [`Draws`].
#![forbid(unsafe_code)]

mod categorical;
mod draws;
mod error;
mod normal;
mod philox;
mod sequence;
mod stream;
mod variate;

pub use categorical::{Categorical, categorical};
pub use draws::{Address, Draws};
pub use error::CategoricalError;
pub use normal::{normal_quantile, normal_upper_quantile};
pub use philox::philox4x64;
pub use sequence::Philox;
pub use stream::Stream;
pub use variate::{EULER_GAMMA, gumbel_quantile, uniform};
