//! Containers: diagrams that run while a signal is positive, at its edges, or many times.
//!
//! A container of one diagram is a block whose equations are those of the diagram, flattened and
//! switched; so it may stand wherever a block may, also within another container, and its
//! parameters and states keep their paths with the name of the container in front.

mod each;
mod enabled;
mod inside;
mod triggered;

pub use each::ForEach;
pub use enabled::Enabled;
pub use triggered::Triggered;

use bifrons_expr::Expr;

/// Positive where `signal` is, below zero where it is zero or negative, NaN where it is NaN.
///
/// A guard on it fires when the signal becomes positive and when it stops being so, also for
/// signals that only take the values 0 and 1.
fn strict(signal: &Expr) -> Expr {
    let below = signal.min(-f64::MIN_POSITIVE);
    let other = Expr::select(signal.le(0.0), below, signal);
    Expr::select(signal.gt(0.0), signal, other)
}
