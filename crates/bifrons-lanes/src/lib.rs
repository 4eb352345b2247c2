//! Lanes of `f64`: arrays `[f64; W]` that carry one number of `W` independent members.
//!
//! A loop over the lanes of such arrays is vectorised by the compiler. This crate owns the two
//! things that such loops share: the choice of the [`Level`] (instruction set) that they are
//! compiled for, and [`math`], elementary functions with one definition for all widths.
//!
//! Plain `+ - * /` and square roots are correctly rounded by IEEE 754, and Rust never contracts
//! a product and a sum into one rounding. A lane loop that keeps the scalar order of operations
//! therefore gives **the same bits** for every width `W`, at every level, in every lane.
//!
//! ```
//! use bifrons_lanes::{Kernel, LANES, Level};
//!
//! struct Scale<'a>(f64, &'a mut [[f64; LANES]]);
//! impl Kernel for Scale<'_> {
//!     type Output = ();
//!     #[inline(always)]
//!     fn run(self) {
//!         for block in self.1 {
//!             for x in block {
//!                 *x *= self.0;
//!             }
//!         }
//!     }
//! }
//!
//! let mut data = [[1.0; LANES]; 4];
//! Level::detect().dispatch(Scale(3.0, &mut data));
//! assert_eq!(data[3][LANES - 1], 3.0);
//! ```
#![forbid(unsafe_code)]

mod level;
pub mod math;

pub use level::{Kernel, Level};

/// Lanes of an ensemble: members that are advanced together by one pass over `[f64; LANES]`.
///
/// Sixteen doubles fill four AVX2 registers or two AVX-512 registers, wide enough to hide the
/// latency of additions and small enough that a dozen such arrays stay in the first-level cache.
pub const LANES: usize = 16;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
