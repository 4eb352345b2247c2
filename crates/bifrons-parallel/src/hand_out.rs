//! Items handed out to workers in the order of their indices.

use std::convert::Infallible;
use std::iter::Enumerate;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::threads::Threads;

/// Items that a worker takes at most with one visit to the shared iterator.
const MOST_AT_ONCE: usize = 32;
/// While many items are left, a worker takes this fraction of its fair share.
const SHARE: usize = 8;

impl Threads {
    /// Calls `work(state, index, item)` once for each item.
    ///
    /// Items are handed out in index order to whichever worker is free. They may own what they
    /// write to, such as `slice.chunks_mut(64)` or a zip of several such iterators. Each worker
    /// makes its own state with `init` when it gets its first item; there are at most
    /// [`count`](Threads::count) states, which have to be workspaces: a result that depends on
    /// what a state has seen before depends on chance.
    ///
    /// Cost: one lock per visit to the shared iterator; a visit takes one item when few are left
    /// and up to 32 when many are. Allocates nothing per item.
    ///
    /// # Panics
    /// A panic of `init`, `work` or the iterator is passed on after the other workers have ended
    /// their items; items not yet begun are dropped.
    pub fn for_each_with<S, I>(
        &self,
        items: I,
        init: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, usize, I::Item) + Sync,
    ) where
        I: IntoIterator<IntoIter: ExactSizeIterator + Send, Item: Send>,
    {
        let endless = |state: &mut S, index, item| -> Result<(), Infallible> {
            work(state, index, item);
            Ok(())
        };
        match self.try_for_each_with(items, init, endless) {
            Ok(()) => {}
            Err((_, never)) => match never {},
        }
    }

    /// As [`for_each_with`](Threads::for_each_with) for work that can fail: gives the failure
    /// **with the lowest index**, whatever the threads do, with that index.
    ///
    /// Items behind a failure may or may not have been worked on; items before it all have.
    ///
    /// # Errors
    /// The lowest failing index and what `work` returned for it.
    ///
    /// # Panics
    /// As `for_each_with`.
    pub fn try_for_each_with<S, E: Send, I>(
        &self,
        items: I,
        init: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, usize, I::Item) -> Result<(), E> + Sync,
    ) -> Result<(), (usize, E)>
    where
        I: IntoIterator<IntoIter: ExactSizeIterator + Send, Item: Send>,
    {
        let items = items.into_iter();
        let workers = self.count().min(items.len());
        if self.is_one() || workers <= 1 {
            return in_turn(items, &init, &work);
        }
        let counter = Counter {
            items: Mutex::new(items.enumerate()),
            workers,
            end: AtomicUsize::new(usize::MAX),
            failure: Mutex::new(None),
        };
        let worker = || counter.serve(&init, &work);
        self.scope(|scope| {
            for _ in 1..workers {
                scope.spawn(|_| worker());
            }
            worker();
        });
        match counter
            .failure
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
        {
            None => Ok(()),
            Some(failure) => Err(failure),
        }
    }
}

/// The same on the caller's thread.
fn in_turn<S, E, I: Iterator>(
    items: I,
    init: &impl Fn() -> S,
    work: &impl Fn(&mut S, usize, I::Item) -> Result<(), E>,
) -> Result<(), (usize, E)> {
    let mut items = items.enumerate().peekable();
    if items.peek().is_none() {
        return Ok(());
    }
    let mut state = init();
    for (index, item) in items {
        work(&mut state, index, item).map_err(|error| (index, error))?;
    }
    Ok(())
}

/// The place where workers get items.
struct Counter<I, E> {
    items: Mutex<Enumerate<I>>,
    workers: usize,
    /// Items from this index on need not be begun: something before them failed or panicked.
    end: AtomicUsize,
    failure: Mutex<Option<(usize, E)>>,
}

impl<I: ExactSizeIterator, E> Counter<I, E> {
    /// One worker: takes items until there are none.
    fn serve<S>(
        &self,
        init: &impl Fn() -> S,
        work: &impl Fn(&mut S, usize, I::Item) -> Result<(), E>,
    ) {
        let stop = StopOnPanic(&self.end);
        let mut state = None;
        let mut batch = Vec::new();
        while self.take(&mut batch) {
            let state = state.get_or_insert_with(init);
            for (index, item) in batch.drain(..) {
                // What comes before a failure is still done, so that the lowest index wins.
                if index >= self.end.load(Relaxed) {
                    break;
                }
                if let Err(error) = work(state, index, item) {
                    self.fail(index, error);
                }
            }
        }
        std::mem::forget(stop);
    }

    /// Moves the next items into `batch`; whether there were any.
    fn take(&self, batch: &mut Vec<(usize, I::Item)>) -> bool {
        // The iterator itself has panicked elsewhere: that panic is passed on by its worker.
        let Ok(mut items) = self.items.lock() else {
            return false;
        };
        if self.end.load(Relaxed) != usize::MAX {
            return false;
        }
        let size = (items.len() / (SHARE * self.workers)).clamp(1, MOST_AT_ONCE);
        batch.extend(items.by_ref().take(size));
        !batch.is_empty()
    }

    fn fail(&self, index: usize, error: E) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.as_ref().is_none_or(|(first, _)| index < *first) {
            *failure = Some((index, error));
        }
        self.end.fetch_min(index, Relaxed);
    }
}

/// Tells the other workers to begin nothing more, when dropped by a panic.
struct StopOnPanic<'a>(&'a AtomicUsize);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        self.0.store(0, Relaxed);
    }
}
