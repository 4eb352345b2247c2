//! A number for a model and its parameters.

use core::fmt::{self, Write};

use crate::problem::Problem;

/// The 64-bit FNV-1a hash of what is written to it.
struct Hasher(u64);

impl Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.feed(text.as_bytes());
        Ok(())
    }
}

impl Hasher {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// The hash of bytes.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = Hasher::new();
    hasher.feed(bytes);
    hasher.0
}

/// The hash of a model, as its parts are written for debugging, and of its parameters.
///
/// Numbers are written with as many digits as tell them apart.
pub(super) fn of(problem: &Problem) -> u64 {
    let mut hasher = Hasher::new();
    let model = &problem.model.inner;
    // Writing to a hasher cannot fail.
    let _ = write!(hasher, "{:?}", model.ages);
    for plan in &model.regimes {
        let _ = write!(hasher, "{:?}", plan.declaration);
        for stage in &plan.stages {
            let _ = write!(hasher, "{:?}", stage.definitions);
        }
        for own in plan.periods.iter().flatten() {
            let _ = write!(hasher, "{:?}{:?}", own.space, own.choices);
        }
    }
    for &value in &problem.parameters {
        hasher.feed(&value.to_bits().to_le_bytes());
    }
    hasher.0
}
