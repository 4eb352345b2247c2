//! One sample under way: the scenario tells it where phases end and what came out.

use std::hint::black_box;
use std::io;
use std::time::Instant;

use anyhow::{Context as _, bail};
use bifrons_memory::Part;
use bifrons_memory::profiler;

use crate::case::Case;
use crate::phase::{Meter, Phase, nanoseconds};
use crate::protocol::{Accuracy, Record};
use crate::scenario::Outcome;

/// How often the steady phase repeats the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repetition {
    /// Repetitions that are not counted.
    pub(crate) warmup: u64,
    /// Repetitions that are timed, and whose allocations are counted.
    pub(crate) repeat: u64,
}

/// One sample under way.
///
/// A scenario calls [`assembled`](Self::assembled), [`first`](Self::first) and
/// [`steady`](Self::steady) once each, in this order; another order fails the sample. The other
/// methods may be called at any time outside of these closures.
pub struct Run<'o> {
    out: &'o mut dyn io::Write,
    meter: Meter,
    repetition: Repetition,
    record: Record,
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("record", &self.record)
            .finish_non_exhaustive()
    }
}

impl<'o> Run<'o> {
    /// Starts the sample: phase `ready` ends here.
    pub(crate) fn begin(
        case: &'o Case,
        version: u32,
        repetition: Repetition,
        origin: Instant,
        out: &'o mut dyn io::Write,
    ) -> anyhow::Result<Self> {
        // Everything that the bookkeeping needs while the heap is counted is allocated before.
        let repeat = usize::try_from(repetition.repeat).context("too many repetitions")?;
        let mut record = Record::new(case, version, repeat);
        record
            .configuration
            .push(("warmup".to_owned(), repetition.warmup.to_string()));
        record
            .configuration
            .push(("repeat".to_owned(), repetition.repeat.to_string()));
        let mut run = Self {
            out,
            meter: Meter::new(origin),
            repetition,
            record,
        };
        run.end(Phase::Ready)?;
        Ok(run)
    }

    /// Ends the phase in which the model is built, validated and planned.
    ///
    /// # Errors
    ///
    /// When called twice or too late, or standard output is closed.
    pub fn assembled(&mut self) -> anyhow::Result<()> {
        self.expect(Phase::Assembled)?;
        self.end(Phase::Assembled)
    }

    /// Does the work for the first time, from an assembled model to a result.
    ///
    /// # Errors
    ///
    /// The error of `work`, or a phase out of order.
    pub fn first<T, E: Into<anyhow::Error>>(
        &mut self,
        work: impl FnOnce() -> Result<T, E>,
    ) -> anyhow::Result<T> {
        self.expect(Phase::First)?;
        let result = black_box(work().map_err(Into::into)?);
        self.end(Phase::First)?;
        Ok(result)
    }

    /// Does the same work again and again with reused workspaces, first some times for warming
    /// up, then timed. The value of the last time is returned, the others are dropped after
    /// their time was taken.
    ///
    /// # Errors
    ///
    /// The error of `work`, or a phase out of order.
    pub fn steady<T, E: Into<anyhow::Error>>(
        &mut self,
        mut work: impl FnMut() -> Result<T, E>,
    ) -> anyhow::Result<T> {
        self.expect(Phase::Steady)?;
        let counted = profiler::is_installed();
        let mut worst = 0;
        let mut last = None;
        for _ in 0..self.repetition.warmup {
            drop(black_box(work().map_err(Into::into)?));
        }
        for _ in 0..self.repetition.repeat {
            // Two results at the same time would count as memory of the work.
            drop(last.take());
            let blocks = profiler::counts().total_blocks;
            let start = Instant::now();
            let value = black_box(work().map_err(Into::into)?);
            self.record.warm.push(nanoseconds(start));
            worst = worst.max(profiler::counts().total_blocks - blocks);
            last = Some(value);
        }
        self.record.steady_blocks = counted.then_some(worst);
        self.end(Phase::Steady)?;
        last.context("the steady phase needs at least one repetition; pass --repeat 1")
    }

    /// States what is computed: model size, precision, solver, tolerances, and whatever else
    /// two records must have in common to be comparable. Parameters of the case, `warmup` and
    /// `repeat` are stated already.
    ///
    /// # Errors
    ///
    /// When `key` was stated before.
    pub fn config(&mut self, key: &str, value: impl ToString) -> anyhow::Result<()> {
        if self
            .record
            .configuration
            .iter()
            .any(|(known, _)| known == key)
        {
            bail!("configuration `{key}` is stated twice");
        }
        self.record
            .configuration
            .push((key.to_owned(), value.to_string()));
        Ok(())
    }

    /// States how this machine does it, for example the chosen instruction set. Times and
    /// instruction counts are compared only when these agree; memory is compared regardless.
    ///
    /// # Errors
    ///
    /// When `key` was stated before.
    pub fn fact(&mut self, key: &str, value: impl ToString) -> anyhow::Result<()> {
        if self.record.facts.iter().any(|(known, _)| known == key) {
            bail!("fact `{key}` is stated twice");
        }
        self.record.facts.push((key.to_owned(), value.to_string()));
        Ok(())
    }

    /// Reports the worst error of the result, and how it is defined ("maximal absolute error of
    /// `y(t)` against `exp(-t)` on the output times").
    ///
    /// # Errors
    ///
    /// When the value is not finite or negative: such a result is wrong, not inaccurate.
    pub fn accuracy(
        &mut self,
        name: impl Into<String>,
        value: f64,
        definition: impl Into<String>,
    ) -> anyhow::Result<()> {
        let name = name.into();
        if !(value.is_finite() && value >= 0.0) {
            bail!("accuracy `{name}` is {value}; an error must be finite and not negative");
        }
        self.record.accuracy.push(Accuracy {
            name,
            value,
            definition: definition.into(),
        });
        Ok(())
    }

    /// [`accuracy`](Self::accuracy), and fails the sample when the error exceeds `allowed`.
    ///
    /// # Errors
    ///
    /// As `accuracy`, and when `value > allowed`.
    pub fn accuracy_within(
        &mut self,
        name: impl Into<String>,
        value: f64,
        allowed: f64,
        definition: impl Into<String>,
    ) -> anyhow::Result<()> {
        let name = name.into();
        if value > allowed {
            bail!("accuracy `{name}` is {value:e}, above the allowed {allowed:e}");
        }
        self.accuracy(name, value, definition)
    }

    /// States the plan of the work in `first` and `steady`.
    ///
    /// Its peak is compared with the heap bytes between `assembled` and the end, above those
    /// live at `assembled`; and, unless [`plan_resident`](Self::plan_resident) says otherwise,
    /// with the growth of the resident set between `ready` and the end of `steady`; what a scenario
    /// computes afterwards, such as a reference, is not part of the plan.
    pub fn plan(&mut self, plan: &Part) {
        self.record.plan = Some(plan.clone());
    }

    /// States by how many bytes the resident set grows from `ready` to the end of `steady`, when
    /// that is not the peak of the plan, for example because of stacks of threads or of the
    /// assembled model.
    pub fn plan_resident(&mut self, bytes: u64) {
        self.record.planned_resident = Some(bytes);
    }

    /// States how many bytes of the plan are for what only the values decide, such as records that
    /// a cliff leaves out: the plan may be larger than what is measured by as much more.
    pub fn plan_spare(&mut self, bytes: u64) {
        self.record.planned_spare = Some(bytes);
    }

    fn expect(&self, phase: Phase) -> anyhow::Result<()> {
        let expected = match self.record.marks.last().map(|mark| mark.phase) {
            Some(Phase::Ready) => Phase::Assembled,
            Some(Phase::Assembled) => Phase::First,
            Some(Phase::First) => Phase::Steady,
            Some(Phase::Steady) | None => {
                bail!("phase `{}` after the last one", phase.name())
            }
        };
        if phase != expected {
            bail!(
                "phase `{}` comes before `{}`",
                phase.name(),
                expected.name()
            );
        }
        Ok(())
    }

    fn end(&mut self, phase: Phase) -> anyhow::Result<()> {
        let mark = self.meter.mark(phase);
        self.record
            .write_phase(&mut self.out, &mark)
            .with_context(|| format!("phase `{}` cannot be reported", phase.name()))?;
        self.record.marks.push(mark);
        self.meter.restart();
        Ok(())
    }

    /// Writes the result.
    pub(crate) fn finish(mut self, outcome: Outcome) -> anyhow::Result<()> {
        if self.record.marks.last().map(|mark| mark.phase) != Some(Phase::Steady) {
            bail!("the scenario ended without its phase `steady`");
        }
        let scopes = profiler::snapshot().scopes;
        // The last act: what comes after it is not in any peak.
        let resident = self.meter.last();
        self.record
            .write_result(&mut self.out, outcome, &scopes, resident)
            .context("the result cannot be reported")
    }
}
