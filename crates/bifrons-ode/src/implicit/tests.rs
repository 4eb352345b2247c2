//! Implicit methods on reference problems, with a driver that only steps.

mod bdf;
mod case;
mod problems;
