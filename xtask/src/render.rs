//! What people and programs read.

pub mod json;
pub mod progress;
pub mod table;
pub mod units;
