//! Named scopes: what one piece of code allocates.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Guards that one thread can hold at the same time and still have counted.
const SLOTS: usize = 32;
/// Scopes that a snapshot can list.
const LISTED: usize = 256;

/// What was allocated within a scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ScopeCounts {
    /// Bytes asked for; of a `realloc`, its growth.
    pub bytes: u64,
    /// Calls of `alloc`, `alloc_zeroed` and `realloc`.
    pub blocks: u64,
    /// Largest number of live bytes above those at entry; the maximum over all entries.
    pub peak: u64,
    /// Entries.
    pub entries: u64,
    /// Entries that could not be counted, because the thread was in 32 scopes already.
    pub missed: u64,
}

/// The numbers of one scope in a [`Snapshot`](super::Snapshot).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ScopeReport {
    /// The name.
    pub name: &'static str,
    /// The sum over all ended entries.
    pub counts: ScopeCounts,
}

/// A name under which allocations are added up; lives in a `static`.
///
/// Two scopes may have the same name; they are listed one by one.
#[derive(Debug)]
pub struct Scope {
    name: &'static str,
    listed: AtomicBool,
    bytes: AtomicU64,
    blocks: AtomicU64,
    peak: AtomicU64,
    entries: AtomicU64,
    missed: AtomicU64,
}

/// While it lives, allocations of its thread count for its scope.
///
/// Guards may be dropped in any order. They are tied to their thread, hence neither `Send` nor
/// `Sync`.
#[derive(Debug)]
#[must_use = "the scope ends when the guard is dropped"]
pub struct ScopeGuard {
    scope: &'static Scope,
    slot: Option<usize>,
    thread_bound: PhantomData<*const ()>,
}

#[derive(Clone, Copy)]
struct Frame {
    bytes: u64,
    blocks: u64,
    /// Live bytes above those at entry; negative if more was freed than allocated.
    above: i64,
    peak: i64,
}

const EMPTY: Frame = Frame {
    bytes: 0,
    blocks: 0,
    above: 0,
    peak: 0,
};

thread_local! {
    /// Bit `i` says that slot `i` is in use.
    static ACTIVE: Cell<u32> = const { Cell::new(0) };
    static FRAMES: [Cell<Frame>; SLOTS] = const { [const { Cell::new(EMPTY) }; SLOTS] };
}

static LIST: [OnceLock<&'static Scope>; LISTED] = [const { OnceLock::new() }; LISTED];
static UNLISTED: AtomicU64 = AtomicU64::new(0);

impl Scope {
    /// A scope of this name.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            listed: AtomicBool::new(false),
            bytes: AtomicU64::new(0),
            blocks: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            entries: AtomicU64::new(0),
            missed: AtomicU64::new(0),
        }
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Starts to count on this thread until the guard is dropped. Does not allocate.
    pub fn enter(&'static self) -> ScopeGuard {
        if !self.listed.swap(true, Relaxed) {
            list(self);
        }
        let active = ACTIVE.get();
        let free = active.trailing_ones() as usize;
        let slot = (free < SLOTS).then_some(free);
        if let Some(slot) = slot {
            FRAMES.with(|frames| frames[slot].set(EMPTY));
            ACTIVE.set(active | (1 << slot));
        }
        ScopeGuard {
            scope: self,
            slot,
            thread_bound: PhantomData,
        }
    }

    /// The sum over all ended entries.
    #[must_use]
    pub fn counts(&self) -> ScopeCounts {
        ScopeCounts {
            bytes: self.bytes.load(Relaxed),
            blocks: self.blocks.load(Relaxed),
            peak: self.peak.load(Relaxed),
            entries: self.entries.load(Relaxed),
            missed: self.missed.load(Relaxed),
        }
    }

    /// Forgets all ended entries, so that warm-up does not count.
    pub fn reset(&self) {
        for counter in [
            &self.bytes,
            &self.blocks,
            &self.peak,
            &self.entries,
            &self.missed,
        ] {
            counter.store(0, Relaxed);
        }
    }
}

impl ScopeGuard {
    /// What this entry has allocated up to now; zero but for `missed` if it is not counted.
    #[must_use]
    pub fn so_far(&self) -> ScopeCounts {
        let Some(slot) = self.slot else {
            return ScopeCounts {
                entries: 1,
                missed: 1,
                ..ScopeCounts::default()
            };
        };
        let frame = FRAMES.with(|frames| frames[slot].get());
        ScopeCounts {
            bytes: frame.bytes,
            blocks: frame.blocks,
            peak: frame.peak.unsigned_abs(),
            entries: 1,
            missed: 0,
        }
    }
}

impl Drop for ScopeGuard {
    fn drop(&mut self) {
        let counts = self.so_far();
        self.scope.bytes.fetch_add(counts.bytes, Relaxed);
        self.scope.blocks.fetch_add(counts.blocks, Relaxed);
        self.scope.peak.fetch_max(counts.peak, Relaxed);
        self.scope.entries.fetch_add(1, Relaxed);
        self.scope.missed.fetch_add(counts.missed, Relaxed);
        if let Some(slot) = self.slot {
            ACTIVE.set(ACTIVE.get() & !(1 << slot));
        }
    }
}

fn list(scope: &'static Scope) {
    if LIST.iter().all(|place| place.set(scope).is_err()) {
        UNLISTED.fetch_add(1, Relaxed);
    }
}

/// All listed scopes, and the number of those for which there was no place.
pub(super) fn reports() -> (Vec<ScopeReport>, u64) {
    let listed = LIST.iter().map_while(OnceLock::get);
    let reports = listed.map(|scope| ScopeReport {
        name: scope.name,
        counts: scope.counts(),
    });
    (reports.collect(), UNLISTED.load(Relaxed))
}

/// Applies `change` to every frame of this thread's open scopes.
fn update(change: impl Fn(&mut Frame)) {
    // While a thread ends its cells stay readable, since they have no destructors.
    let mut active = ACTIVE.get();
    if active == 0 {
        return;
    }
    FRAMES.with(|frames| {
        while active != 0 {
            let cell = &frames[active.trailing_zeros() as usize];
            let mut frame = cell.get();
            change(&mut frame);
            cell.set(frame);
            active &= active - 1;
        }
    });
}

pub(super) fn gained(size: usize) {
    update(|frame| {
        frame.bytes += size as u64;
        frame.blocks += 1;
        frame.above = frame.above.saturating_add_unsigned(size as u64);
        frame.peak = frame.peak.max(frame.above);
    });
}

pub(super) fn lost(size: usize) {
    update(|frame| frame.above = frame.above.saturating_sub_unsigned(size as u64));
}

pub(super) fn resized(old: usize, new: usize) {
    update(|frame| {
        frame.bytes += new.saturating_sub(old) as u64;
        frame.blocks += 1;
        frame.above = frame
            .above
            .saturating_add_unsigned(new as u64)
            .saturating_sub_unsigned(old as u64);
        frame.peak = frame.peak.max(frame.above);
    });
}
