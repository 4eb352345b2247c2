//! Threads as a value, and the few shapes of parallel work that keep results fixed.
//!
//! A [`Threads`] handle owns its pool; nothing is global. The same call gives **the same bits**
//! for any number of threads, because
//!
//! * each item is worked on exactly once, and writes to its own place;
//! * results are delivered in the order of their indices;
//! * reductions have a shape that the problem's size fixes, and fold in index order.
//!
//! ```
//! use bifrons_parallel::Threads;
//!
//! let threads = Threads::new(2)?;
//! let squares = threads.map_ordered(5, |i| i * i);
//! assert_eq!(squares, [0, 1, 4, 9, 16]);
//!
//! let mut grid = vec![0.0; 1_000];
//! threads.for_each_with(grid.chunks_mut(64), Vec::<f64>::new, |scratch, chunk, values| {
//!     scratch.clear();
//!     scratch.extend((0..values.len()).map(|at| (chunk * 64 + at) as f64));
//!     values.copy_from_slice(scratch);
//! });
//! assert_eq!(grid[999], 999.0);
//!
//! let chunk_sum = |range: std::ops::Range<usize>| range.map(|i| 1.0 / (1.0 + i as f64)).sum();
//! let sum: Option<f64> = threads.reduce_fixed(1_000_000, 4_096, chunk_sum, |a, b| a + b);
//! assert_eq!(sum, Threads::one().reduce_fixed(1_000_000, 4_096, chunk_sum, |a, b| a + b));
//! # Ok::<(), bifrons_parallel::ThreadsError>(())
//! ```
//!
//! Which shape to take: [`for_each_with`](Threads::for_each_with) when every item owns the place
//! that it writes to, [`map_ordered`](Threads::map_ordered) when all results are kept,
//! [`stream_ordered`](Threads::stream_ordered) when there are too many results to keep,
//! [`reduce_fixed`](Threads::reduce_fixed) when they fold into one.
//!
//! Calls may nest: work may use the same handle again. No call ever blocks a thread of the pool
//! to wait for another item, so nesting cannot deadlock. While work waits for a nested call, its
//! thread may begin other items: do not hold a lock over a nested call.
#![forbid(unsafe_code)]

mod hand_out;
mod map;
mod reduce;
mod stream;
mod threads;

pub use threads::{STACK_BYTES, THREADS_VARIABLE, TOUCHED_BYTES, Threads, ThreadsError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
