//! Reductions whose shape the problem's size fixes.

use std::convert::Infallible;
use std::ops::{ControlFlow, Range};

use crate::threads::Threads;

/// Results of chunks that may wait for their turn, per thread.
const WAITING: usize = 2;

impl Threads {
    /// Maps `0..n` in chunks of constant length and folds the results in index order.
    ///
    /// ```text
    /// fold(… fold(fold(map(0..c), map(c..2c)), map(2c..3c)) …, map(kc..n))      c = chunk
    /// ```
    ///
    /// The shape depends on `n` and `chunk` alone, so a sum of floating-point numbers has the
    /// same bits for any number of threads. Let `chunk` be a constant of the problem, never
    /// derived from the number of threads. A chunk of zero counts as one. `None` for `n = 0`.
    ///
    /// Keeps at most `2 * count() + 1` results at a time.
    ///
    /// # Panics
    /// A panic of `map` or `fold` is passed on.
    pub fn reduce_fixed<R: Send>(
        &self,
        n: usize,
        chunk: usize,
        map: impl Fn(Range<usize>) -> R + Sync,
        mut fold: impl FnMut(R, R) -> R + Send,
    ) -> Option<R> {
        let chunk = chunk.max(1);
        let mut result = None;
        let flow: ControlFlow<Infallible> = self.stream_ordered(
            n.div_ceil(chunk),
            WAITING * self.count(),
            || (),
            |(), index| map(index * chunk..n.min((index + 1).saturating_mul(chunk))),
            |_, value| {
                result = Some(match result.take() {
                    None => value,
                    Some(before) => fold(before, value),
                });
                ControlFlow::Continue(())
            },
        );
        match flow {
            ControlFlow::Continue(()) => result,
            ControlFlow::Break(never) => match never {},
        }
    }
}
