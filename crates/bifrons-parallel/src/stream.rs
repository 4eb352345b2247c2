//! A stream of results in index order, with a bound on how many exist at a time.

use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::Scope;

use crate::threads::Threads;

impl Threads {
    /// Computes `work(state, 0)`, `work(state, 1)`, … on all threads and gives each result to
    /// `consume`, **in order** and one at a time, while at most `in_flight` results exist.
    ///
    /// A result exists from the beginning of its `work` to the end of its `consume`. Zero in
    /// flight counts as one; `in_flight` below [`count`](Threads::count) leaves threads idle,
    /// twice the count is usually enough to hide uneven work. `consume` runs on whichever thread
    /// has finished the next result, hence `Send`. There are at most `min(count, in_flight)`
    /// states, made by `init` when needed; they are workspaces as in
    /// [`for_each_with`](Threads::for_each_with).
    ///
    /// When `consume` breaks, nothing more is begun, results not yet consumed are dropped, and
    /// the value of the break is returned. Which work behind the break was done is open.
    ///
    /// No thread ever waits for another one's result: a worker that finds nothing to begin ends,
    /// and is started again when there is room. So the stream cannot deadlock, also if `work` or
    /// `consume` use the same threads for something else.
    ///
    /// Cost: two locks per result and, whenever a worker has to be started again, one small
    /// allocation; `in_flight` slots of `Option<R>`.
    ///
    /// # Panics
    /// A panic of `init`, `work` or `consume` is passed on after the work that had begun.
    pub fn stream_ordered<S: Send, R: Send, B: Send>(
        &self,
        n: usize,
        in_flight: usize,
        init: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, usize) -> R + Sync,
        mut consume: impl FnMut(usize, R) -> ControlFlow<B> + Send,
    ) -> ControlFlow<B> {
        let in_flight = in_flight.clamp(1, n.max(1));
        if self.is_one() || in_flight == 1 {
            let mut state = None;
            for index in 0..n {
                let result = work(state.get_or_insert_with(&init), index);
                consume(index, result)?;
            }
            return ControlFlow::Continue(());
        }
        let stream = Stream {
            n,
            most_workers: self.count().min(in_flight),
            work: move |state: &mut Option<S>, index| work(state.get_or_insert_with(&init), index),
            shared: Mutex::new(Shared {
                begun: 0,
                consumed: 0,
                workers: 0,
                ended: false,
                slots: std::iter::repeat_with(|| None).take(in_flight).collect(),
                states: Vec::new(),
                consume: Some(consume),
                broken: None,
            }),
        };
        self.scope(|scope| {
            stream.start_workers(scope, &mut stream.lock());
        });
        let shared = stream
            .shared
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        shared
            .broken
            .map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }
}

struct Stream<S, R, B, C, W> {
    n: usize,
    most_workers: usize,
    work: W,
    shared: Mutex<Shared<S, R, B, C>>,
}

/// What the workers share. Never locked while the caller's code runs.
struct Shared<S, R, B, C> {
    /// Indices below this one have been taken by workers.
    begun: usize,
    /// Indices below this one have been consumed.
    consumed: usize,
    /// Workers that are started and not ended.
    workers: usize,
    /// Nothing more is to be begun or consumed: a break or a panic.
    ended: bool,
    /// Result `i` waits at `i % slots.len()`.
    slots: Vec<Option<R>>,
    /// Workspaces that no worker uses now.
    states: Vec<Option<S>>,
    /// `None` while a worker consumes.
    consume: Option<C>,
    broken: Option<B>,
}

impl<S, R, B, C> Shared<S, R, B, C> {
    /// Indices that may be begun now.
    fn room(&self, n: usize) -> usize {
        if self.ended {
            return 0;
        }
        // At most `slots.len()` results exist; `consumed` may lag behind, never lead.
        n.min(self.consumed.saturating_add(self.slots.len())) - self.begun
    }

    /// The next result in order, if it is there.
    fn next(&mut self) -> Option<R> {
        let at = self.consumed % self.slots.len();
        self.slots[at].take()
    }
}

impl<S, R, B, C, W> Stream<S, R, B, C, W>
where
    S: Send,
    R: Send,
    B: Send,
    C: FnMut(usize, R) -> ControlFlow<B> + Send,
    W: Fn(&mut Option<S>, usize) -> R + Sync,
{
    fn lock(&self) -> MutexGuard<'_, Shared<S, R, B, C>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts as many workers as there is room for.
    fn start_workers<'scope>(&'scope self, scope: &Scope<'scope>, shared: &mut Shared<S, R, B, C>) {
        let missing = (self.most_workers - shared.workers).min(shared.room(self.n));
        shared.workers += missing;
        for _ in 0..missing {
            scope.spawn(|scope| self.serve(scope));
        }
    }

    /// One worker: begins results while there is room, and consumes those whose turn it is.
    fn serve<'scope>(&'scope self, scope: &Scope<'scope>) {
        let end = EndOnPanic(self);
        let mut shared = self.lock();
        let mut state = shared.states.pop().unwrap_or_default();
        while shared.room(self.n) > 0 {
            let index = shared.begun;
            shared.begun += 1;
            drop(shared);
            let result = (self.work)(&mut state, index);
            shared = self.lock();
            let at = index % shared.slots.len();
            shared.slots[at] = Some(result);
            if let Some(consume) = shared.consume.take() {
                shared = self.drain(scope, shared, consume);
            }
        }
        shared.states.push(state);
        shared.workers -= 1;
        drop(shared);
        std::mem::forget(end);
    }

    /// Consumes results in order as long as the next one is there.
    fn drain<'scope>(
        &'scope self,
        scope: &Scope<'scope>,
        mut shared: MutexGuard<'scope, Shared<S, R, B, C>>,
        mut consume: C,
    ) -> MutexGuard<'scope, Shared<S, R, B, C>> {
        while !shared.ended
            && let Some(result) = shared.next()
        {
            let index = shared.consumed;
            drop(shared);
            let flow = consume(index, result);
            shared = self.lock();
            shared.consumed += 1;
            if let ControlFlow::Break(value) = flow {
                shared.broken = Some(value);
                shared.ended = true;
            }
            self.start_workers(scope, &mut shared);
        }
        shared.consume = Some(consume);
        shared
    }
}

/// Lets nothing more begin, when dropped by a panic.
struct EndOnPanic<'a, S, R, B, C, W>(&'a Stream<S, R, B, C, W>);

impl<S, R, B, C, W> Drop for EndOnPanic<'_, S, R, B, C, W> {
    fn drop(&mut self) {
        self.0
            .shared
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .ended = true;
    }
}
