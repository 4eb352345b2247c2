//! What `bench-memory` and `bench-time` share: arguments, baselines, the way from samples to a
//! table.

pub mod arguments;
pub mod bless;
pub mod session;

pub use arguments::Common;
pub use session::{Bench, Request};
