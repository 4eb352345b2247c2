//! Implicit methods through the front door: algebraic equations, events, edges.
#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "helpers of tests; ends are met bit for bit"
)]

use bifrons_ode::{Mass, Method, Options, Tolerance};

#[path = "implicit/algebraic.rs"]
mod algebraic;
#[path = "implicit/edges.rs"]
mod edges;
#[path = "implicit/index.rs"]
mod index;

/// Every implicit method.
const METHODS: [Method; 7] = [
    Method::Bdf,
    Method::Radau,
    Method::Rodas4,
    Method::Rodas5P,
    Method::TrBdf2,
    Method::Esdirk4,
    Method::Esdirk5,
];

fn options(method: Method, relative: f64, absolute: f64) -> Options {
    let mut options = Options::with_tolerance(Tolerance::new(relative, absolute).unwrap());
    options.method = method;
    options
}

/// One differential equation and one algebraic one.
fn half() -> Mass {
    Mass::Diagonal(vec![1.0, 0.0])
}
