//! Many members with parameters of their own.

mod builder;
mod checkpoint;
mod plan;
mod result;
mod single;
mod worker;

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bifrons_hybrid::HybridSystem;
use bifrons_lanes::LANES;
use bifrons_memory::Budget;
use bifrons_ode::{InputError, Options};
use bifrons_parallel::Threads;

use crate::error::SweepError;
use crate::events::EventPlan;
use crate::method::RunMethod;
use crate::observer::Signals;
use crate::parameters::Parameters;
use crate::recorder::Destination;
use crate::recording::Policy;
use crate::report::{MemberFailure, MemberReport};

pub use builder::SweepBuilder;
pub use plan::SweepPlan;
pub use result::{SweepResult, WriteError};

/// Called after each chunk with the members done and all members; `Break` stops the sweep.
type Progress<'s> = dyn Fn(usize, usize) -> ControlFlow<()> + Sync + 's;

/// A sweep, ready to plan and to run. Running it twice gives the same bits.
pub struct Sweep<'s, S: HybridSystem> {
    system: &'s S,
    parameters: Parameters,
    members: usize,
    signals: Signals,
    policy: Policy,
    span: (f64, f64),
    options: Options,
    method: RunMethod,
    threads: Threads,
    budget: Budget,
    /// Width of a chunk, if it is forced.
    chunk: Option<usize>,
    lanes: usize,
    progress: Option<Box<Progress<'s>>>,
    events: Option<EventPlan>,
}

impl<S: HybridSystem> core::fmt::Debug for Sweep<'_, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Sweep")
            .field("system", &self.system.schema().name())
            .field("members", &self.members)
            .field("signals", &self.signals.names)
            .field("span", &self.span)
            .field("lanes", &self.lanes)
            .finish_non_exhaustive()
    }
}

impl<'s, S: HybridSystem> Sweep<'s, S> {
    /// A sweep of `system` over the span from 0 to 1 that keeps the final values, on one thread,
    /// within 80 % of the memory that is left; change what you need, then
    /// [`build`](SweepBuilder::build).
    pub fn builder(system: &'s S) -> SweepBuilder<'s, S> {
        SweepBuilder::new(system)
    }

    /// Number of members.
    #[must_use]
    pub const fn member_count(&self) -> usize {
        self.members
    }

    /// What a run will allocate, part by part, and how the members are cut into chunks.
    ///
    /// # Errors
    ///
    /// [`SweepError::Plan`] with the needed and the allowed bytes if the budget is too small.
    pub fn plan(&self) -> Result<SweepPlan, SweepError> {
        plan::plan(self)
    }

    /// Plans, then runs every member.
    ///
    /// A failing member is told by [`SweepResult::failures`] and disturbs no other.
    ///
    /// # Errors
    ///
    /// [`SweepError`] if nothing was run.
    pub fn run(&self) -> Result<SweepResult, SweepError> {
        let width = self.plan()?.chunk_width();
        self.run_into(width, SweepResult::allocate(self))
    }

    /// Runs the members that are not finished.
    fn run_into(&self, width: usize, result: SweepResult) -> Result<SweepResult, SweepError> {
        match self.lanes {
            1 => self.run_on::<1>(width, result),
            _ => self.run_on::<LANES>(width, result),
        }
    }

    fn run_on<const W: usize>(
        &self,
        width: usize,
        mut result: SweepResult,
    ) -> Result<SweepResult, SweepError> {
        let failures: Mutex<Vec<(usize, MemberFailure)>> = Mutex::new(Vec::new());
        let refused: Mutex<Option<InputError>> = Mutex::new(None);
        let (done, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let chunks = result.chunks(self, width);
        let work = |worker: &mut worker::Worker<'_, S, W>, _index, destination: Destination<'_>| {
            if stopped.load(Ordering::Relaxed) {
                return;
            }
            if destination.reports.iter().all(MemberReport::is_finished) {
                done.fetch_add(destination.reports.len(), Ordering::Relaxed);
                return;
            }
            let outcome = worker.run(destination);
            let finished = done.fetch_add(outcome.members, Ordering::Relaxed) + outcome.members;
            if !outcome.failures.is_empty() {
                lock(&failures).extend(outcome.failures);
            }
            if let Some(error) = outcome.refused {
                *lock(&refused) = Some(error);
            }
            if let Some(progress) = &self.progress
                && progress(finished, self.members).is_break()
            {
                stopped.store(true, Ordering::Relaxed);
            }
        };
        self.threads
            .for_each_with(chunks, || worker::Worker::new(self), work);
        if let Some(error) = into_inner(refused) {
            return Err(error.into());
        }
        result.finish(into_inner(failures));
        Ok(result)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
