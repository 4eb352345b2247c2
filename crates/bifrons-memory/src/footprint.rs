//! Bytes kept and bytes needed on the way, as an algebra.

use std::fmt;

use crate::bytes::Bytes;

/// The memory of an operation: what stays allocated after it and what it needs while it runs.
///
/// A footprint is an upper bound in bytes, computed from sizes alone and before anything runs.
/// Two operations compose in time ([`then`](Self::then)) or at the same time
/// ([`beside`](Self::beside)):
///
/// ```text
/// a.then(b)    persistent = a.persistent + b.persistent     scratch = max(a.scratch, b.scratch)
/// a.beside(b)  persistent = a.persistent + b.persistent     scratch = a.scratch + b.scratch
/// peak         persistent + scratch
/// ```
///
/// Both are associative, commutative and monotone with [`Footprint::ZERO`] as identity, and
/// `a.then(b)` never exceeds `a.beside(b)`. The peak of `a.then(b)` is exact when the larger
/// scratch belongs to `b`, else an upper bound by at most `b.persistent`.
///
/// All arithmetic saturates at `u64::MAX`: a footprint never wraps round to something small. A
/// [saturated](Self::is_saturated) footprint fits no budget, not even an unlimited one.
///
/// ```
/// use bifrons_memory::Footprint;
///
/// let assemble = Footprint::of::<f64>(100).beside(Footprint::scratch(4_096));
/// let solve = Footprint::persistent(64).beside(Footprint::scratch(1_024));
/// assert_eq!(assemble.then(solve).peak(), 800 + 64 + 4_096);
/// assert_eq!(assemble.beside(solve).peak(), 800 + 64 + 4_096 + 1_024);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Footprint {
    persistent: u64,
    scratch: u64,
}

impl Footprint {
    /// No memory at all: the identity of every composition.
    pub const ZERO: Self = Self {
        persistent: 0,
        scratch: 0,
    };

    /// `bytes` that stay allocated after the operation.
    #[must_use]
    pub const fn persistent(bytes: u64) -> Self {
        Self {
            persistent: bytes,
            scratch: 0,
        }
    }

    /// `bytes` that are free again after the operation.
    #[must_use]
    pub const fn scratch(bytes: u64) -> Self {
        Self {
            persistent: 0,
            scratch: bytes,
        }
    }

    /// `count` values of type `T` that stay allocated: `count * size_of::<T>()` bytes.
    #[must_use]
    pub const fn of<T>(count: usize) -> Self {
        Self::persistent((count as u64).saturating_mul(size_of::<T>() as u64))
    }

    /// The same bytes, all of them free again after the operation.
    #[must_use]
    pub const fn into_scratch(self) -> Self {
        Self {
            persistent: 0,
            scratch: self.peak(),
        }
    }

    /// This operation, and `next` after it has ended.
    #[must_use]
    pub const fn then(self, next: Self) -> Self {
        Self {
            persistent: self.persistent.saturating_add(next.persistent),
            scratch: if self.scratch > next.scratch {
                self.scratch
            } else {
                next.scratch
            },
        }
    }

    /// This operation and `other` at the same time.
    #[must_use]
    pub const fn beside(self, other: Self) -> Self {
        Self {
            persistent: self.persistent.saturating_add(other.persistent),
            scratch: self.scratch.saturating_add(other.scratch),
        }
    }

    /// `n` such operations at the same time: `self.beside(self)…`, `n` of them.
    #[must_use]
    pub const fn times(self, n: u64) -> Self {
        Self {
            persistent: self.persistent.saturating_mul(n),
            scratch: self.scratch.saturating_mul(n),
        }
    }

    /// `n` such operations one after the other: `self.then(self)…`, `n` of them.
    #[must_use]
    pub const fn in_turn(self, n: u64) -> Self {
        Self {
            persistent: self.persistent.saturating_mul(n),
            scratch: if n == 0 { 0 } else { self.scratch },
        }
    }

    /// The larger of both in each component: one of two operations, not known which.
    #[must_use]
    pub const fn either(self, other: Self) -> Self {
        let persistent = if self.persistent > other.persistent {
            self.persistent
        } else {
            other.persistent
        };
        let scratch = if self.scratch > other.scratch {
            self.scratch
        } else {
            other.scratch
        };
        Self {
            persistent,
            scratch,
        }
    }

    /// Bytes that stay allocated after the operation.
    #[must_use]
    pub const fn persistent_bytes(self) -> u64 {
        self.persistent
    }

    /// Bytes that are allocated only while the operation runs.
    #[must_use]
    pub const fn scratch_bytes(self) -> u64 {
        self.scratch
    }

    /// Largest number of bytes alive at one time: persistent and scratch together.
    #[must_use]
    pub const fn peak(self) -> u64 {
        self.persistent.saturating_add(self.scratch)
    }

    /// Whether the true number may be larger than `u64` holds.
    #[must_use]
    pub const fn is_saturated(self) -> bool {
        self.peak() == u64::MAX
    }

    /// Whether the peak is at most `allowed` bytes; never true for a saturated footprint.
    #[must_use]
    pub const fn fits(self, allowed: u64) -> bool {
        !self.is_saturated() && self.peak() <= allowed
    }
}

impl fmt::Display for Footprint {
    /// `12.4 MiB`, with ` + 3 KiB scratch` when there is scratch.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.persistent, self.scratch) {
            (persistent, 0) => write!(f, "{}", Bytes::new(persistent)),
            (0, scratch) => write!(f, "{} scratch", Bytes::new(scratch)),
            (persistent, scratch) => {
                write!(
                    f,
                    "{} + {} scratch",
                    Bytes::new(persistent),
                    Bytes::new(scratch)
                )
            }
        }
    }
}
