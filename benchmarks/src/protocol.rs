//! The lines of a sample: schema `bifrons-sample/1`.
//!
//! The meaning of every member is documented in `docs/design/0002-sample-protocol.md`. Missing
//! metrics are left out, never written as zero.

use std::io::{self, Write};

use bifrons_memory::Part;
use bifrons_memory::profiler::{Counts, ScopeReport};

use crate::case::Case;
use crate::json::Line;
use crate::phase::{Mark, Phase, Resident};
use crate::process;
use crate::scenario::{Outcome, Scenario, Tier, resolve};

/// Name and major version of the protocol; every line carries it.
pub(crate) const SCHEMA: &str = "bifrons-sample/1";

/// A named error of a result against what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct Accuracy {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) definition: String,
}

/// What a sample has stated so far.
#[derive(Debug)]
pub(crate) struct Record {
    case: String,
    version: u32,
    pub(crate) marks: Vec<Mark>,
    pub(crate) warm: Vec<u64>,
    pub(crate) steady_blocks: Option<u64>,
    pub(crate) configuration: Vec<(String, String)>,
    pub(crate) facts: Vec<(String, String)>,
    pub(crate) accuracy: Vec<Accuracy>,
    pub(crate) plan: Option<Part>,
    pub(crate) planned_resident: Option<u64>,
    pub(crate) planned_spare: Option<u64>,
}

impl Record {
    pub(crate) fn new(case: &Case, version: u32, repeat: usize) -> Self {
        Self {
            case: case.name().to_owned(),
            version,
            marks: Vec::with_capacity(4),
            warm: Vec::with_capacity(repeat),
            steady_blocks: None,
            configuration: case
                .parameters()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
            facts: Vec::new(),
            accuracy: Vec::new(),
            plan: None,
            planned_resident: None,
            planned_spare: None,
        }
    }

    /// Writes the end of a phase. Allocates nothing.
    pub(crate) fn write_phase(&self, mut out: impl Write, mark: &Mark) -> io::Result<()> {
        let mut line = open(&mut out, "phase")?;
        line.text("phase", mark.phase.name())?;
        line.integer("elapsed_ns", mark.elapsed)?;
        optional(&mut line, "peak_bytes", mark.peak)?;
        line.close()
    }

    /// Writes the result of the whole sample.
    pub(crate) fn write_result(
        &self,
        mut out: impl Write,
        outcome: Outcome,
        scopes: &[ScopeReport],
        resident: Resident,
    ) -> io::Result<()> {
        let mut line = open(&mut out, "result")?;
        line.text("case", &self.case)?;
        line.integer("version", u64::from(self.version))?;
        line.text("check", &outcome.check().to_string())?;
        map(&mut line, "configuration", &self.configuration)?;
        map(&mut line, "facts", &self.facts)?;
        self.metrics(&mut line, resident)?;
        line.integers("warm_ns", &self.warm)?;
        line.begin_array("accuracy")?;
        for accuracy in &self.accuracy {
            line.begin("")?;
            line.text("name", &accuracy.name)?;
            line.real("value", accuracy.value)?;
            line.text("definition", &accuracy.definition)?;
            line.end()?;
        }
        line.end()?;
        if let Some(plan) = &self.plan {
            write_plan(&mut line, plan)?;
        }
        if !scopes.is_empty() && self.steady_blocks.is_some() {
            write_scopes(&mut line, scopes)?;
        }
        line.close()
    }

    fn metrics<W: Write>(&self, line: &mut Line<'_, W>, resident: Resident) -> io::Result<()> {
        line.begin("metrics")?;
        optional(line, "rss_last", resident.last)?;
        optional(line, "rss_peak", resident.highest)?;
        for mark in &self.marks {
            let name = match mark.phase {
                Phase::Ready => "rss_peak_ready",
                Phase::Assembled => "rss_peak_assembled",
                Phase::First => "rss_peak_first",
                Phase::Steady => "rss_peak_steady",
            };
            optional(line, name, mark.peak)?;
        }
        let heap = Heap::of(&self.marks);
        optional(line, "heap_peak", heap.map(|heap| heap.peak))?;
        optional(line, "heap_peak_run", heap.map(|heap| heap.peak_run))?;
        optional(line, "heap_total", heap.map(|heap| heap.total))?;
        optional(line, "heap_blocks", heap.map(|heap| heap.blocks))?;
        optional(line, "heap_blocks_steady", self.steady_blocks)?;
        let planned = self.plan.as_ref().map(|plan| plan.total().peak());
        optional(line, "planned_heap", planned)?;
        optional(line, "planned_resident", self.planned_resident.or(planned))?;
        optional(line, "planned_spare", self.planned_spare)?;
        optional(line, "major_faults", process::major_faults())?;
        optional(
            line,
            "involuntary_switches",
            process::status().involuntary_switches,
        )?;
        line.end()
    }
}

/// Heap metrics of a sample.
#[derive(Clone, Copy, Debug)]
struct Heap {
    /// Largest live bytes over the sample, above those at `ready`.
    peak: u64,
    /// Largest live bytes after `assembled`, above those at `assembled`.
    peak_run: u64,
    /// Bytes asked for from `ready` to the end of `first`.
    total: u64,
    /// Blocks asked for from `ready` to the end of `first`.
    blocks: u64,
}

impl Heap {
    fn of(marks: &[Mark]) -> Option<Self> {
        let [ready, assembled, first, steady] = marks else {
            return None;
        };
        let [ready, assembled, first, steady] =
            [ready.heap?, assembled.heap?, first.heap?, steady.heap?];
        let run = first.peak_bytes.max(steady.peak_bytes);
        let above = |peak: u64, floor: Counts| peak.saturating_sub(floor.live_bytes);
        Some(Self {
            peak: above(run.max(assembled.peak_bytes), ready),
            peak_run: above(run, assembled),
            total: first.total_bytes - ready.total_bytes,
            blocks: first.total_blocks - ready.total_blocks,
        })
    }
}

/// Writes what is known of a case before it runs.
pub(crate) fn write_case(
    mut out: impl Write,
    scenario: &dyn Scenario,
    case: &Case,
    tier: Option<Tier>,
) -> anyhow::Result<()> {
    let mut line = open(&mut out, "case")?;
    line.text("case", case.name())?;
    line.text("scenario", scenario.name())?;
    line.integer("version", u64::from(scenario.version()))?;
    if let Some(tier) = tier {
        line.text("tier", tier.name())?;
    }
    let parameters: Vec<(String, String)> = case
        .parameters()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    map(&mut line, "configuration", &parameters)?;
    line.begin_array("axes")?;
    for axis in scenario.axes() {
        line.begin("")?;
        line.text("parameter", axis.parameter())?;
        line.text("unit", axis.unit())?;
        line.begin_array("points")?;
        for &value in axis.values() {
            let name = with_parameter(case, scenario.name(), axis.parameter(), value);
            let (_, point) = resolve(&[scenario], &name)?;
            line.begin("")?;
            line.integer("value", value)?;
            line.text("case", point.name())?;
            line.end()?;
        }
        line.end()?;
        line.end()?;
    }
    line.end()?;
    line.close()?;
    Ok(())
}

/// The case with another value of one parameter.
fn with_parameter(case: &Case, scenario: &str, parameter: &str, value: u64) -> String {
    let pairs: Vec<String> = case
        .parameters()
        .map(|(key, old)| {
            if key == parameter {
                (key, value.to_string())
            } else {
                (key, old)
            }
        })
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    format!("{scenario}?{}", pairs.join("&"))
}

fn write_plan<W: Write>(line: &mut Line<'_, W>, plan: &Part) -> io::Result<()> {
    line.begin_array("plan")?;
    for entry in plan.entries() {
        let total = entry.total();
        line.begin("")?;
        line.text("name", entry.part().name())?;
        line.integer("depth", entry.depth() as u64)?;
        line.integer("copies", entry.copies())?;
        line.integer("persistent", total.persistent_bytes())?;
        line.integer("scratch", total.scratch_bytes())?;
        line.end()?;
    }
    line.end()
}

fn write_scopes<W: Write>(line: &mut Line<'_, W>, scopes: &[ScopeReport]) -> io::Result<()> {
    line.begin_array("scopes")?;
    for scope in scopes {
        line.begin("")?;
        line.text("name", scope.name)?;
        line.integer("entries", scope.counts.entries)?;
        line.integer("bytes", scope.counts.bytes)?;
        line.integer("blocks", scope.counts.blocks)?;
        line.integer("peak", scope.counts.peak)?;
        line.end()?;
    }
    line.end()
}

fn open<'a, W: Write>(out: &'a mut W, event: &str) -> io::Result<Line<'a, W>> {
    let mut line = Line::open(out)?;
    line.text("schema", SCHEMA)?;
    line.text("event", event)?;
    Ok(line)
}

fn optional<W: Write>(line: &mut Line<'_, W>, key: &str, value: Option<u64>) -> io::Result<()> {
    value.map_or(Ok(()), |value| line.integer(key, value))
}

fn map<W: Write>(line: &mut Line<'_, W>, key: &str, pairs: &[(String, String)]) -> io::Result<()> {
    line.begin(key)?;
    for (key, value) in pairs {
        line.text(key, value)?;
    }
    line.end()
}
