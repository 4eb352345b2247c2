//! `population`: subjects of the model of precautionary savings, written to a Parquet file.

use bifrons_export::ParquetSink;
use bifrons_lifecycle::{Decisions, Population as Subjects, SimulateOptions, SimulationReport};
use bifrons_memory::{Footprint, Part};
use bifrons_parallel::Threads;
use bifrons_table::{Batch, ColumnView, Schema, SinkError, TableSink};

use super::ASSEMBLED;
use crate::case::{Case, Parameter};
use crate::models;
use crate::run::Run;
use crate::scenario::{Axis, CaseSpec, Checksum, Outcome, Scenario};

/// Nodes of the solution.
const POINTS: usize = 100;
/// Periods that a subject lives.
const PERIODS: usize = 5;
/// Subjects below which the heap of the writer is bounded, but not predicted.
const SHORT: usize = 10_000;
/// Subjects of a chunk by default.
const CHUNK: usize = 1024;
/// Pages of the code that writes files, and the file system's own.
const WRITER: u64 = 2 << 20;

/// Five periods of many subjects, from first states to a file on the disk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Population;

impl Scenario for Population {
    fn name(&self) -> &'static str {
        "population"
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::count("subjects", 0..=100_000_000, 1000, "subjects"),
            Parameter::choice(
                "decisions",
                &["policy", "actions", "anew"],
                "by rows, by trying all actions of a grid, by maximising anew",
            ),
            Parameter::count(
                "chunk",
                0..=1_000_000,
                0,
                "subjects of a chunk, 0 for the default",
            ),
            Parameter::threads(),
        ]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        vec![
            CaseSpec::quick("subjects=1000"),
            CaseSpec::quick("subjects=100000"),
            CaseSpec::quick("subjects=1000&decisions=anew"),
            CaseSpec::quick("subjects=10000&decisions=actions"),
            CaseSpec::full("subjects=1000000"),
            CaseSpec::full("subjects=100000&decisions=actions"),
        ]
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("subjects", [1000, 10_000, 100_000], "subject")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let count = case.size("subjects")?;
        let decisions = case.choice("decisions")?;
        let solution = models::precautionary(POINTS, decisions != "actions")?.solve()?;
        let share = |i: usize| i as f64 / count.max(1) as f64;
        let wealth: Vec<f64> = (0..count).map(|i| 1.0 + 50.0 * share(i)).collect();
        let incomes: Vec<f64> = (0..count).map(|i| (i % models::INCOMES) as f64).collect();
        let subjects = Subjects::new(count, "life")
            .state("m", wealth)
            .state("income", incomes);
        let options = SimulateOptions::new()
            .seed(1)
            .threads(Threads::new(case.size("threads")?)?)
            .subject_batch_size(case.size("chunk")?)
            .decisions(match decisions {
                "anew" => Decisions::Reoptimise,
                _ => Decisions::Policy,
            });
        run.config("precision", "f64")?;
        run.config("points", POINTS)?;
        run.fact("level", bifrons_lanes::Level::detect().name())?;
        let schema = solution.panel_schema(&options)?;
        let plan = Part::beside(
            "population",
            [
                solution.simulation_plan(&subjects, &options)?,
                Part::new("file", file(&schema, count, case.size("chunk")?.max(CHUNK))),
            ],
        );
        // The bound of a short file counts buffers of the writer that such a file hardly uses.
        if count >= SHORT {
            run.plan(&plan);
        }
        let columns = subjects.footprint().peak();
        run.plan_resident(plan.total().peak() + columns + ASSEMBLED + WRITER);
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("panel.parquet");
        let work = || -> anyhow::Result<(SimulationReport, u64)> {
            let mut sink = Checked::new(ParquetSink::create(&path));
            let report = solution.simulate_into(&subjects, &options, &mut sink)?;
            Ok((report, sink.check.bits()))
        };
        run.assembled()?;
        run.first(work)?;
        let (report, check) = run.steady(work)?;
        let missing = (report.rows as f64 - (PERIODS * count) as f64).abs();
        let definition = "rows that are missing of five per subject";
        run.accuracy_within("rows", missing, 0.0, definition)?;
        Ok(Outcome::new(check))
    }
}

/// Bytes of the writer: only the numbers of subjects have many values, and a row group has all
/// periods of its subjects but for those of one chunk.
fn file(schema: &Schema, subjects: usize, chunk: usize) -> Footprint {
    let whole = ParquetSink::ROW_GROUP_ROWS / PERIODS;
    ParquetSink::footprint_of(schema, PERIODS * subjects, |name| match name {
        "subject" => subjects.min(whole + chunk),
        _ => PERIODS.max(models::INCOMES),
    })
}

/// A sink that takes a checksum of the column of values on the way, whatever the chunks.
struct Checked {
    sink: ParquetSink,
    column: usize,
    check: Checksum,
}

impl Checked {
    fn new(sink: ParquetSink) -> Self {
        Self {
            sink,
            column: 0,
            check: Checksum::new(),
        }
    }
}

impl TableSink for Checked {
    fn begin(&mut self, schema: &Schema) -> Result<(), SinkError> {
        let mut fields = schema.fields().iter();
        self.column = fields
            .position(|field| field.name() == "value")
            .unwrap_or(0);
        self.sink.begin(schema)
    }

    fn append(&mut self, batch: &Batch<'_>) -> Result<(), SinkError> {
        if let Some(ColumnView::F64(values)) = batch.columns().nth(self.column) {
            self.check = self.check.values(values);
        }
        self.sink.append(batch)
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        self.sink.finish()
    }
}
