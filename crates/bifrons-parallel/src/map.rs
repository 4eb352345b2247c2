//! Results in the order of their indices.

use crate::threads::Threads;

impl Threads {
    /// `[f(0), f(1), …, f(n - 1)]`.
    ///
    /// Keeps `n` values of `Option<R>` while it runs.
    ///
    /// # Panics
    /// A panic of `f` is passed on.
    pub fn map_ordered<R: Send>(&self, n: usize, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
        self.map_ordered_with(n, || (), |(), index| f(index))
    }

    /// As [`map_ordered`](Threads::map_ordered), with a workspace for each worker.
    ///
    /// # Panics
    /// A panic of `init` or `f` is passed on.
    pub fn map_ordered_with<S, R: Send>(
        &self,
        n: usize,
        init: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, usize) -> R + Sync,
    ) -> Vec<R> {
        if self.is_one() || n <= 1 {
            let mut state = None;
            return (0..n)
                .map(|index| f(state.get_or_insert_with(&init), index))
                .collect();
        }
        let mut slots: Vec<Option<R>> = std::iter::repeat_with(|| None).take(n).collect();
        self.for_each_with(slots.iter_mut(), init, |state, index, slot| {
            *slot = Some(f(state, index));
        });
        // Every slot is full here, as a panic of `f` does not come to this line.
        slots.into_iter().flatten().collect()
    }
}
