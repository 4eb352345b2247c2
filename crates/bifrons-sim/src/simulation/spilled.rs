//! Runs whose rows go to a sink.

use bifrons_hybrid::HybridSystem;
use bifrons_table::TableSink;

use super::{Kept, Run, Simulation};
use crate::error::{RunError, SpillError};
use crate::recorder::spill::{Spill, schema};
use crate::report::MemberFailure;

impl<S: HybridSystem> Simulation<'_, S> {
    /// Runs, writes the rows to a sink and finishes it.
    ///
    /// Columns: `time` in seconds, `mark` (`step`, `pre`, `post`) where rows are at steps or
    /// events, then one per recorded name. With a capacity and
    /// [`Overflow::Spill`](crate::Overflow::Spill) each full block of rows goes to the sink at
    /// once, so no more rows than the capacity are in memory; otherwise all rows go at the end.
    /// The rows are the same. [`Run::spilled`] counts them, and the run keeps none.
    ///
    /// # Errors
    ///
    /// [`SpillError::Sink`] as soon as the sink refuses, with the run until then and the rows
    /// that were not taken; [`SpillError::Run`] for a run that did not reach its end, whose rows
    /// until then the sink has and which it has finished.
    pub fn run_to(&self, sink: &mut dyn TableSink) -> Result<Run, SpillError> {
        let names = self.policy.column_names(&self.signals.names);
        let marked = self.policy.has_marks();
        let schema = schema(&names, marked)?;
        let mut spill = Spill::new(sink, schema, marked).map_err(|source| {
            let partial = Box::new(self.nothing());
            SpillError::Sink { source, partial }
        })?;
        let mut kept = Kept::new(self);
        self.integrate(&mut kept, None, None, Some(&mut spill));
        let failure = kept.failures.pop();
        let mut run = Run::new(self, kept, spill.rows);
        if spill.error.is_none() {
            run.hand_over(&mut spill);
        }
        let partial = Box::new(run);
        match (spill.finish(), failure) {
            (Err(source), _) => Err(SpillError::Sink { source, partial }),
            (Ok(()), None) => Ok(*partial),
            (Ok(()), Some((_, failure))) => Err(RunError { failure, partial }.into()),
        }
    }

    /// Fails where rows can only go to a sink.
    pub(super) fn needs_no_sink(&self) -> Result<(), RunError> {
        if !self.policy.spills() {
            return Ok(());
        }
        Err(RunError {
            failure: MemberFailure::NoSink,
            partial: Box::new(self.nothing()),
        })
    }

    /// A run that has not begun.
    fn nothing(&self) -> Run {
        Run::new(self, Kept::new(self), 0)
    }
}
