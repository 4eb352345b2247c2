//! Counters of the whole process.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::scope::{self, ScopeReport};

static LIVE_BYTES: AtomicU64 = AtomicU64::new(0);
static PEAK_BYTES: AtomicU64 = AtomicU64::new(0);
static TOTAL_BYTES: AtomicU64 = AtomicU64::new(0);
static LIVE_BLOCKS: AtomicU64 = AtomicU64::new(0);
static TOTAL_BLOCKS: AtomicU64 = AtomicU64::new(0);

/// Heap numbers of the process; all zero if the allocator is not installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Counts {
    /// Bytes allocated and not yet freed.
    pub live_bytes: u64,
    /// Largest value of `live_bytes` since the start or the last [`reset_peak`].
    pub peak_bytes: u64,
    /// Bytes ever asked for; of a `realloc`, its growth.
    pub total_bytes: u64,
    /// Blocks allocated and not yet freed.
    pub live_blocks: u64,
    /// Calls of `alloc`, `alloc_zeroed` and `realloc`.
    pub total_blocks: u64,
}

/// Numbers of the process and of all scopes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Snapshot {
    /// The process, before this snapshot was allocated.
    pub process: Counts,
    /// Every scope that was entered, in the order of first entry.
    pub scopes: Vec<ScopeReport>,
    /// Scopes that were entered after the list of scopes was full; they count, but are not
    /// listed.
    pub unlisted_scopes: u64,
}

/// The numbers of the process. Does not allocate.
#[must_use]
pub fn counts() -> Counts {
    Counts {
        live_bytes: LIVE_BYTES.load(Relaxed),
        peak_bytes: PEAK_BYTES.load(Relaxed),
        total_bytes: TOTAL_BYTES.load(Relaxed),
        live_blocks: LIVE_BLOCKS.load(Relaxed),
        total_blocks: TOTAL_BLOCKS.load(Relaxed),
    }
}

/// The numbers of the process and of all scopes.
#[must_use]
pub fn snapshot() -> Snapshot {
    let process = counts();
    let (scopes, unlisted_scopes) = scope::reports();
    Snapshot {
        process,
        scopes,
        unlisted_scopes,
    }
}

/// Sets the peak of the process back to what is live now.
///
/// If other threads allocate meanwhile, their last few calls may be missing from the new peak.
pub fn reset_peak() {
    PEAK_BYTES.store(LIVE_BYTES.load(Relaxed), Relaxed);
}

/// Whether any allocation was counted, that is, whether the allocator is installed.
#[must_use]
pub fn is_installed() -> bool {
    TOTAL_BLOCKS.load(Relaxed) > 0
}

pub(super) fn gained(size: usize) {
    let size = size as u64;
    let live = LIVE_BYTES.fetch_add(size, Relaxed) + size;
    PEAK_BYTES.fetch_max(live, Relaxed);
    TOTAL_BYTES.fetch_add(size, Relaxed);
    LIVE_BLOCKS.fetch_add(1, Relaxed);
    TOTAL_BLOCKS.fetch_add(1, Relaxed);
}

pub(super) fn lost(size: usize) {
    LIVE_BYTES.fetch_sub(size as u64, Relaxed);
    LIVE_BLOCKS.fetch_sub(1, Relaxed);
}

pub(super) fn resized(old: usize, new: usize) {
    TOTAL_BLOCKS.fetch_add(1, Relaxed);
    if new >= old {
        let growth = (new - old) as u64;
        let live = LIVE_BYTES.fetch_add(growth, Relaxed) + growth;
        PEAK_BYTES.fetch_max(live, Relaxed);
        TOTAL_BYTES.fetch_add(growth, Relaxed);
    } else {
        LIVE_BYTES.fetch_sub((old - new) as u64, Relaxed);
    }
}
