//! The registry: every scenario that can be measured.

mod noop;

use crate::scenario::Scenario;

/// All scenarios, in the order in which they are listed.
#[must_use]
pub fn all() -> Vec<&'static dyn Scenario> {
    vec![&noop::Noop]
}
