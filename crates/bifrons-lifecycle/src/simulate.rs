//! Populations, forward through the ages.

mod check;
mod chunk;
mod decide;
mod options;
mod panel;
mod seen;
mod step;
mod streams;

use core::ops::ControlFlow;

use bifrons_memory::{Footprint, Part};
use bifrons_table::{Batch, MemorySink, Schema, Table, TableSink};

pub use options::{Decisions, SimulateOptions};

use crate::error::{Fault, SimulateError};
use crate::model::RegimePlan;
use crate::population::Population;
use crate::search;
use crate::solution::{Solution, Statistics};
use chunk::{Chunk, Driver, Tools};
use panel::{Layout, Rows};
use seen::{Entry, Seen};

/// Chunks that exist at a time, per thread.
const IN_FLIGHT: usize = 2;

/// Bytes allowed for names of columns and lists that are as long as the model has regimes.
const SHORT_LISTS: u64 = 8 << 10;

/// What a simulation has seen, whatever became of the rows.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SimulationReport {
    /// Subjects.
    pub subjects: usize,
    /// Rows of the panel.
    pub rows: usize,
    /// Subjects whose history ended in a state without a feasible action.
    pub infeasible: usize,
    /// The first of these in order of the population.
    pub first_infeasible: Option<u64>,
    /// Subjects whose history ended with a value that is NaN.
    pub nan: usize,
    /// The first of these in order of the population: its number, and where it was.
    pub first_nan: Option<(u64, Fault)>,
    /// For each period and regime with subjects, in ascending order: how many there were, and the
    /// range of their values.
    pub statistics: Vec<Statistics>,
    /// Next states outside of their grid, which the values of later choices extrapolate.
    pub off_grid: usize,
}

/// A panel in memory.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Panel {
    /// One row per subject and period, subject by subject.
    pub table: Table,
    /// What was seen.
    pub report: SimulationReport,
}

impl Solution {
    /// Simulates a population into memory.
    ///
    /// Columns: `subject` (the number as a signed integer of the same bits), `period`, `age`,
    /// `regime`, states, actions, `value` (of the chosen action, without its taste shock),
    /// `feasible`, derived functions. Numbers are NaN and categories `(none)` where a regime does
    /// not have the quantity; processes are shown by their node. The history of a subject ends
    /// with the first row of a terminal regime, or with a row that is not feasible: value `-inf`
    /// and no actions.
    ///
    /// Decisions are made in the subject's own state: by reading its rows where the regime is solved
    /// by rows, else by trying all actions with the values of the next period.
    ///
    /// # Errors
    ///
    /// [`SimulateError`]: the population does not fit, values were not kept, a draw or a next state
    /// makes no sense.
    pub fn simulate(
        &self,
        population: &Population,
        options: &SimulateOptions,
    ) -> Result<Panel, SimulateError> {
        let mut sink = MemorySink::new();
        let report = self.simulate_into(population, options, &mut sink)?;
        Ok(Panel {
            table: sink.into_table()?,
            report,
        })
    }

    /// Simulates a population into a sink, chunk by chunk in the order of the population.
    ///
    /// Holds two chunks per thread at a time, whatever the number of subjects.
    ///
    /// # Errors
    ///
    /// As [`Solution::simulate`], and what the sink says.
    pub fn simulate_into(
        &self,
        population: &Population,
        options: &SimulateOptions,
        sink: &mut dyn TableSink,
    ) -> Result<SimulationReport, SimulateError> {
        let model = &self.problem.model.inner;
        let layout = Layout::new(model, &options.columns)?;
        check::check(self, population)?;
        let needed = plan(self, &layout, population, options).total();
        let allowed = options.budget.resolve()?;
        if !needed.fits(allowed) {
            return Err(SimulateError::Budget {
                needed: needed.peak(),
                allowed,
            });
        }
        let driver = Driver::new(self, population, options, &layout)?;
        let width = options.width(population.len());
        let chunks = population.len().div_ceil(width);
        let mut all = Totals::new(model.ages.count() * model.regimes.len());
        sink.begin(&layout.schema)?;
        let flow = options.threads.stream_ordered(
            chunks,
            in_flight(options),
            || Tools::new(&driver),
            |tools, index| {
                let last = population.len().min((index + 1) * width);
                driver.run(tools, index * width..last)
            },
            |_, chunk| match take(&layout, chunk, sink, &mut all) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => ControlFlow::Break(error),
            },
        );
        if let ControlFlow::Break(error) = flow {
            return Err(error);
        }
        sink.finish()?;
        let mut report = all.report(self);
        report.subjects = population.len();
        Ok(report)
    }

    /// The columns of a panel, for planning a sink.
    ///
    /// # Errors
    ///
    /// [`SimulateError::UnknownColumn`], [`SimulateError::Schema`].
    pub fn panel_schema(&self, options: &SimulateOptions) -> Result<Schema, SimulateError> {
        let layout = Layout::new(&self.problem.model.inner, &options.columns)?;
        Ok(layout.schema)
    }

    /// What a simulation will use on top of the solution, part by part; rows that are kept in
    /// memory are not counted.
    ///
    /// # Errors
    ///
    /// [`SimulateError::UnknownColumn`], [`SimulateError::Schema`].
    pub fn simulation_plan(
        &self,
        population: &Population,
        options: &SimulateOptions,
    ) -> Result<Part, SimulateError> {
        let layout = Layout::new(&self.problem.model.inner, &options.columns)?;
        Ok(plan(self, &layout, population, options))
    }
}

/// What the chunks up to now have seen.
struct Totals {
    report: SimulationReport,
    entries: Vec<Entry>,
}

impl Totals {
    fn new(count: usize) -> Self {
        Self {
            report: SimulationReport::default(),
            entries: vec![Entry::default(); count],
        }
    }

    fn take(&mut self, seen: Seen) {
        let report = &mut self.report;
        report.first_infeasible = report.first_infeasible.or(seen.first_infeasible);
        report.first_nan = report.first_nan.take().or(seen.first_nan);
        report.off_grid += seen.off_grid;
        for (all, own) in self.entries.iter_mut().zip(&seen.entries) {
            all.merge(own);
        }
    }

    fn report(self, solution: &Solution) -> SimulationReport {
        let Self {
            mut report,
            entries,
        } = self;
        let regimes = &solution.problem.model.inner.regimes;
        for (place, entry) in entries.iter().enumerate() {
            report.infeasible += entry.infeasible;
            report.nan += entry.nan;
            if entry.subjects > 0 {
                report.statistics.push(Statistics {
                    period: place / regimes.len(),
                    regime: regimes[place % regimes.len()].name().to_owned(),
                    states: entry.subjects,
                    infeasible: entry.infeasible,
                    nan: entry.nan,
                    range: entry.range,
                });
            }
        }
        report
    }
}

/// Appends the rows of a chunk.
fn take(
    layout: &Layout,
    chunk: Result<Chunk, SimulateError>,
    sink: &mut dyn TableSink,
    all: &mut Totals,
) -> Result<(), SimulateError> {
    let Chunk { mut rows, seen } = chunk?;
    all.report.rows += rows.compact();
    all.take(seen);
    let views = rows.views();
    let batch = Batch::new(&layout.schema, &views).map_err(bifrons_table::SinkError::from)?;
    sink.append(&batch)?;
    Ok(())
}

fn in_flight(options: &SimulateOptions) -> usize {
    match options.threads.count() {
        1 => 1,
        count => IN_FLIGHT * count,
    }
}

fn plan(
    solution: &Solution,
    layout: &Layout,
    population: &Population,
    options: &SimulateOptions,
) -> Part {
    let model = &solution.problem.model.inner;
    let width = options.width(population.len());
    let rows = width * model.ages.count();
    let states = model.regimes.iter().map(|plan| plan.states.len()).max();
    let actions = model.regimes.iter().map(|plan| plan.actions.len()).max();
    let subject = chunk::subject_footprint(states.unwrap_or(0), actions.unwrap_or(0));
    let entries = Footprint::of::<Entry>(model.ages.count() * model.regimes.len());
    let branches = |plan: &RegimePlan| {
        plan.periods
            .iter()
            .flatten()
            .map(|own| own.choices.branches)
            .max()
    };
    let by_rows = model
        .regimes
        .iter()
        .filter(|plan| plan.declaration.solver.settings().is_some());
    let branches = by_rows.filter_map(branches).max().unwrap_or(0);
    let chunk = Part::beside(
        "chunk",
        [
            Part::new("statistics", entries),
            Part::new("rows", layout.row_footprint().times(rows as u64)),
            Part::new("places", Footprint::of::<bool>(rows)),
            Part::new(
                "columns",
                Footprint::of::<Vec<f64>>(layout.schema.fields().len()),
            ),
        ],
    );
    let stages = model.regimes.iter().map(|plan| plan.stages.len()).sum();
    let mut worker = subject
        .times(width as u64)
        .beside(Footprint::of::<f64>(2 * branches * width))
        .beside(chunk::tools_footprint(stages));
    for plan in &model.regimes {
        let periods = plan.periods.iter().flatten();
        let own = periods.map(|own| search::footprint(plan, own));
        worker = worker.beside(own.fold(Footprint::ZERO, Footprint::either).times(2));
    }
    Part::beside(
        "simulation",
        [
            Part::new("names and short lists", Footprint::persistent(SHORT_LISTS)),
            Part::new("stops", chunk::driver_footprint(&solution.problem)),
            Part::new("statistics", entries),
            chunk.times(in_flight(options).min(population.len().div_ceil(width).max(1)) as u64),
            Part::new("worker", worker).times(options.threads.count() as u64),
        ],
    )
}

/// Rows of one chunk before they are given away.
fn rows(layout: &Layout, subjects: usize, periods: usize) -> Rows {
    Rows::new(layout, subjects, periods)
}
