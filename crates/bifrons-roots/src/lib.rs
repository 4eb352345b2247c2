//! Roots and minima of functions of one number.
//!
//! | need | entry point |
//! |---|---|
//! | root between two points with a change of sign | [`find_root`], [`RootSearch`] |
//! | root near a guess, no bracket known | [`find_root_near`], [`BracketExpansion`] |
//! | root with a derivative at hand | [`newton`], [`NewtonSearch`] |
//! | minimum between two points | [`minimise`], [`MinimumSearch`] |
//!
//! Each search exists twice. The function takes a closure and runs to the end. The state machine
//! asks for a point (`next_point`) and is told the value there (`observe`); it is a small `Copy`
//! value, so it can be stored, resumed, or advanced for many members at once by the caller.
//!
//! A root search returns a [`Bracket`]: two points between which the function changes sign, as
//! close as the [`Tolerance`] asks for, down to two adjacent floating-point numbers. The right
//! end has a value **at or past zero**, so an event located this way has happened there.
//!
//! ```
//! use bifrons_roots::{RootOptions, find_root};
//!
//! let root = find_root(|x| x * x - 2.0, 0.0, 2.0, &RootOptions::default())?;
//! assert!((root.x - 2.0_f64.sqrt()).abs() < 1e-15);
//! assert!(root.bracket.left().value < 0.0 && root.bracket.right().value >= 0.0);
//! # Ok::<(), bifrons_roots::RootError>(())
//! ```
//!
//! The crate is `no_std` without an allocator: nothing in it can allocate.
//!
//! Feature `serde` (off by default): serialise and read [`Tolerance`] and the option structs.
#![no_std]
#![forbid(unsafe_code)]

mod bracket;
mod error;
mod expansion;
mod minimum;
mod newton;
mod options;
mod search;
mod tolerance;

pub use bracket::{Bracket, Sample};
pub use error::RootError;
pub use expansion::{BracketExpansion, find_root_near};
pub use minimum::{Minimum, MinimumSearch, minimise};
pub use newton::{NewtonSearch, newton};
pub use options::{
    Ends, ExactZero, MinimumMethod, MinimumOptions, NewtonOptions, RootMethod, RootOptions,
};
pub use search::{Root, RootSearch, find_root};
pub use tolerance::Tolerance;
