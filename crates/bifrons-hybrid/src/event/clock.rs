//! A clock: period and offset, kept exactly.

use std::sync::Arc;

use super::rational::Rational;

/// Instants `offset + k · period`, `k = 0, 1, 2, …`, computed from the integer `k`.
///
/// The offset is the first instant on the axis of time, whatever the start of a run. Two clocks
/// tick at the same instant if their exact instants are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clock {
    /// Its name, with the path of the block that it belongs to.
    pub name: Arc<str>,
    /// Time between two instants, positive.
    pub period: Rational,
    /// The first instant.
    pub offset: Rational,
}

impl Clock {
    /// A clock; [`TimeGrid`](super::TimeGrid) and the builders check the period.
    pub fn new(name: impl Into<Arc<str>>, period: Rational, offset: Rational) -> Self {
        Self {
            name: name.into(),
            period,
            offset,
        }
    }
}
