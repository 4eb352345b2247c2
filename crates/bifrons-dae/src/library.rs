//! Components.

pub mod electrical;
