//! Implicit methods on reference problems, with a driver that only steps.

mod auto;
mod bdf;
mod case;
mod esdirk;
mod problems;
mod radau;
mod rosenbrock;
mod table;
