//! The allocator that counts. The only unsafe code of the workspace.
#![expect(
    unsafe_code,
    reason = "a global allocator cannot be written without it"
)]

use std::alloc::{GlobalAlloc, Layout, System};

use super::{counters, scope};

/// A global allocator that forwards to `A` and counts bytes and blocks.
///
/// ```no_run
/// use bifrons_memory::profiler::CountingAllocator;
///
/// #[global_allocator]
/// static ALLOCATOR: CountingAllocator = CountingAllocator::new();
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator<A = System> {
    inner: A,
}

impl CountingAllocator<System> {
    /// Counts what the system's allocator gives.
    #[must_use]
    pub const fn new() -> Self {
        Self { inner: System }
    }
}

impl<A> CountingAllocator<A> {
    /// Counts what `inner` gives.
    #[must_use]
    pub const fn over(inner: A) -> Self {
        Self { inner }
    }
}

fn gained(size: usize) {
    counters::gained(size);
    scope::gained(size);
}

fn lost(size: usize) {
    counters::lost(size);
    scope::lost(size);
}

fn resized(old: usize, new: usize) {
    counters::resized(old, new);
    scope::resized(old, new);
}

// SAFETY: every method passes its arguments unchanged to the same method of `inner`, which keeps
// the contract of `GlobalAlloc`, and gives back what that returns. Counting in between touches
// atomics and plain thread-local cells without destructors only: it does not allocate, does not
// unwind and does not use the blocks.
unsafe impl<A: GlobalAlloc> GlobalAlloc for CountingAllocator<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc` (layout of non-zero size).
        let block = unsafe { self.inner.alloc(layout) };
        if !block.is_null() {
            gained(layout.size());
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed` (layout of non-zero size).
        let block = unsafe { self.inner.alloc_zeroed(layout) };
        if !block.is_null() {
            gained(layout.size());
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller promises that this allocator gave `block` with `layout`; `inner`
        // gave it then.
        unsafe { self.inner.dealloc(block, layout) };
        lost(layout.size());
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as for `dealloc`; the caller also promises that `new_size` is not zero and
        // does not overflow when rounded up to the alignment.
        let moved = unsafe { self.inner.realloc(block, layout, new_size) };
        if !moved.is_null() {
            resized(layout.size(), new_size);
        }
        moved
    }
}
