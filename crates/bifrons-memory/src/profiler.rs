//! Exact heap bytes and blocks, for the process and for named scopes.
//!
//! Install the allocator in a binary that measures; libraries never do.
//!
//! ```
//! use bifrons_memory::profiler::{self, CountingAllocator, Scope};
//!
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator::new();
//!
//! static FILL: Scope = Scope::new("fill");
//!
//! let guard = FILL.enter();
//! let numbers = vec![1.0_f64; 100];
//! assert_eq!(guard.so_far().bytes, 800);
//! drop(guard);
//! drop(numbers);
//! let scopes = profiler::snapshot().scopes;
//! assert_eq!((scopes[0].name, scopes[0].counts.peak), ("fill", 800));
//! ```
//!
//! # What is counted
//!
//! * Sizes are those that the program asks for, not what the allocator rounds them up to.
//! * A *block* is one call of `alloc`, `alloc_zeroed` or `realloc`; so a vector that grows in
//!   place is seen. `realloc` adds the growth to the gross bytes and the difference to the live
//!   bytes; one that fails counts nothing.
//! * Counters of the process are atomic: they are exact for any number of threads. The peak is
//!   the largest value that the live counter took.
//! * A [`Scope`] counts what **its own thread** allocates between entry and drop of the guard,
//!   inner scopes included, and adds up over all entries and threads. So its numbers do not
//!   depend on what other threads do.
//!
//! Counting costs a few atomic operations per call. Do not time an instrumented program.

mod allocator;
mod counters;
mod scope;

pub use allocator::CountingAllocator;
pub use counters::{Counts, Snapshot, counts, is_installed, reset_peak, snapshot};
pub use scope::{Scope, ScopeCounts, ScopeGuard, ScopeReport};
