//! Comparing what was measured with what was accepted, and with what was planned.

use std::collections::BTreeMap;

use serde::Serialize;

use super::overrides::Overrides;
use super::schema;
use super::statistics::{self, Change, Series, StatisticsError};
use crate::measure::machine::{Machine, Tool};
use crate::measure::metric::{Limit, METRICS, Metric, Noise};
use crate::measure::session::{Measured, Measurement};
use crate::render::units::bytes;
use crate::report::Exit;

/// Heap bytes by which a plan and the measured peak may always differ.
const PLAN_SLACK: u64 = 64 << 10;
/// Resident bytes by which a plan and the measured growth may always differ.
const RESIDENT_SLACK: u64 = 1 << 20;

/// The three kinds of baseline files.
///
/// Deliberately closed: a metric belongs to one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Heap bytes and resident sets; compared everywhere.
    Memory,
    /// Instruction counts; compared for equal compiler, target and instruction set.
    Instructions,
    /// Times and builds; compared on the same machine.
    Time,
}

impl Kind {
    /// The file that a metric belongs to.
    #[must_use]
    pub fn of(metric: &Metric) -> Self {
        let of_memory = ["heap_", "planned_", "rss_"];
        if of_memory
            .iter()
            .any(|prefix| metric.name.starts_with(prefix))
        {
            Self::Memory
        } else if metric.noise == Noise::Instructions {
            Self::Instructions
        } else {
            Self::Time
        }
    }

    /// The name of the file.
    #[must_use]
    pub fn file(self, machine: &Machine) -> String {
        match self {
            Self::Memory => "memory.json".to_owned(),
            Self::Instructions => "instructions.json".to_owned(),
            Self::Time => format!("time/{}.json", machine.id),
        }
    }

    /// The facts that must be equal for numbers to be comparable.
    #[must_use]
    pub fn facts(
        self,
        measurement: &Measurement,
        machine: &Machine,
        tool: &Tool,
    ) -> BTreeMap<String, String> {
        let mut facts = measurement.facts.clone();
        if self == Self::Instructions {
            let of_tools = [
                ("cpu_level", &machine.cpu_level),
                ("rustc", &tool.rustc),
                ("rustflags", &tool.rustflags),
                ("target", &tool.target),
            ];
            facts.extend(of_tools.map(|(key, value)| (key.to_owned(), value.clone())));
        }
        facts
    }
}

/// What is said of one metric of one case.
///
/// Deliberately closed: each has its own consequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Within its limit.
    Ok,
    /// Below its limit on the good side; never fails.
    Improved,
    /// Above its limit.
    Regressed,
    /// A plan that does not hold.
    OutsidePlan,
    /// The bits of the result are not those of the baseline.
    Changed,
    /// In the baseline, and not measured although it was tried.
    Missing,
    /// Not in the baseline.
    New,
    /// The baseline belongs to another version or configuration and is not compared.
    Stale,
    /// The baseline belongs to other tools or another processor and is not compared.
    NotComparable,
    /// Recorded, not gated.
    Recorded,
    /// The measurement is worthless.
    Invalid,
}

impl Verdict {
    /// The word in tables; failures are written in capitals.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Improved => "improved: consider --bless",
            Self::Regressed => "REGRESSED",
            Self::OutsidePlan => "OUTSIDE PLAN",
            Self::Changed => "CHANGED",
            Self::Missing => "MISSING",
            Self::New => "new",
            Self::Stale => "stale",
            Self::NotComparable => "not comparable",
            Self::Recorded => "recorded",
            Self::Invalid => "INVALID",
        }
    }

    /// The exit code that it asks for, with and without `--check`.
    #[must_use]
    pub fn exit(self, check: bool) -> Exit {
        match self {
            Self::Invalid => Exit::Invalid,
            Self::Regressed | Self::OutsidePlan | Self::Changed | Self::Missing if check => {
                Exit::Findings
            }
            Self::New | Self::Stale if check => Exit::Baseline,
            _ => Exit::Ok,
        }
    }

    /// Whether tables show it even when the metric is no headline.
    #[must_use]
    pub fn is_notable(self) -> bool {
        !matches!(
            self,
            Self::Ok | Self::Recorded | Self::New | Self::NotComparable
        )
    }
}

/// The change between two columns of a row.
///
/// Deliberately closed: each is printed in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delta {
    /// In percent of the baseline.
    Percent(f64),
    /// Planned over measured, in thousandths.
    Permille(u64),
    /// From zero: no percentage exists.
    FromZero,
    /// There is nothing to compare.
    None,
}

/// One metric of one case.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Canonical name of the case.
    pub case: String,
    /// Name of the metric.
    pub metric: String,
    /// Its unit.
    pub unit: &'static str,
    /// Baseline, or plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<u64>,
    /// Median now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<u64>,
    /// The change.
    pub change: Delta,
    /// The limit in words.
    pub limit: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why, when the numbers do not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether tables show it.
    pub headline: bool,
}

impl Row {
    /// A row without numbers.
    #[must_use]
    pub fn remark(case: &str, metric: &str, verdict: Verdict, detail: impl Into<String>) -> Self {
        Self {
            case: case.to_owned(),
            metric: metric.to_owned(),
            unit: "",
            baseline: None,
            now: None,
            change: Delta::None,
            limit: String::new(),
            verdict,
            detail: Some(detail.into()),
            headline: true,
        }
    }
}

/// What the comparison of all cases shares.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The kind of baseline.
    pub kind: Kind,
    /// This machine.
    pub machine: &'a Machine,
    /// These tools.
    pub tool: &'a Tool,
    /// Tolerances.
    pub overrides: &'a Overrides,
    /// Metrics that were tried; others are not missed.
    pub tried: &'a [&'static str],
}

/// Compares one valid measurement with the baseline of its case.
#[must_use]
pub fn compare_case(
    measurement: &Measurement,
    baseline: Option<(&schema::Baseline, &schema::Case)>,
    context: &Context<'_>,
) -> Vec<Row> {
    let metrics = METRICS
        .iter()
        .filter(|metric| Kind::of(metric) == context.kind && context.tried.contains(&metric.name));
    let barrier = baseline.and_then(|(_, case)| barrier(measurement, case, context));
    let mut rows: Vec<Row> = metrics
        .filter_map(|metric| {
            let now = measurement.metrics.get(metric.name);
            let old = baseline.and_then(|(_, case)| case.metrics.get(metric.name));
            let gate = gate(measurement, metric, context);
            compare_metric(&measurement.case, metric, now, old, gate, barrier.as_ref())
        })
        .collect();
    if let (Some((file, case)), None) = (baseline, &barrier) {
        rows.extend(compare_check(measurement, file, case, context.machine));
    }
    rows
}

/// The limit, if the metric is gated in this case: with several threads the schedule decides
/// about peaks, so they are only held against the plan.
fn gate(measurement: &Measurement, metric: &Metric, context: &Context<'_>) -> Option<Limit> {
    let concurrent = measurement.threads > 1 && context.kind == Kind::Memory;
    context
        .overrides
        .limit(&measurement.case, metric)
        .filter(|_| !concurrent)
}

/// Why the baseline of this case must not be compared.
fn barrier(
    measurement: &Measurement,
    old: &schema::Case,
    context: &Context<'_>,
) -> Option<(Verdict, String)> {
    if old.scenario_version != measurement.scenario_version {
        let detail = format!(
            "scenario version {} is not that of the baseline, {}; bless anew",
            measurement.scenario_version, old.scenario_version
        );
        return Some((Verdict::Stale, detail));
    }
    if let Some(text) = difference(&old.configuration, &measurement.configuration) {
        return Some((Verdict::Stale, format!("configuration differs: {text}")));
    }
    if context.kind == Kind::Memory {
        return None;
    }
    let facts = context
        .kind
        .facts(measurement, context.machine, context.tool);
    difference(&old.facts, &facts).map(|text| {
        (
            Verdict::NotComparable,
            format!("measured with other tools: {text}"),
        )
    })
}

/// The first member in which two maps differ.
fn difference(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Option<String> {
    let mut keys = old.keys().chain(new.keys());
    let key = keys.find(|key| old.get(*key) != new.get(*key))?;
    let text = |map: &BTreeMap<String, String>| map.get(key).map_or("absent", |v| v).to_owned();
    Some(format!("{key} was {}, is {}", text(old), text(new)))
}

fn compare_metric(
    case: &str,
    metric: &Metric,
    now: Option<&Measured>,
    old: Option<&schema::Entry>,
    limit: Option<Limit>,
    barrier: Option<&(Verdict, String)>,
) -> Option<Row> {
    let mut row = Row {
        case: case.to_owned(),
        metric: metric.name.to_owned(),
        unit: metric.unit.name(),
        baseline: old.map(|entry| entry.median),
        now: now.map(|measured| measured.median),
        change: Delta::None,
        limit: limit.map(|limit| limit.to_string()).unwrap_or_default(),
        verdict: Verdict::Recorded,
        detail: None,
        headline: metric.headline,
    };
    let (Some(now), Some(old)) = (now, old) else {
        row.verdict = match (now, old, limit, barrier) {
            (None, None, ..) => return None,
            (None, Some(_), None, _) | (Some(_), None, None, _) => Verdict::Recorded,
            (_, _, _, Some((verdict, detail))) => {
                row.detail = Some(detail.clone());
                *verdict
            }
            (None, ..) => Verdict::Missing,
            (Some(_), ..) => Verdict::New,
        };
        return Some(row);
    };
    if let Some((verdict, detail)) = barrier {
        row.verdict = *verdict;
        row.detail = Some(detail.clone());
        return Some(row);
    }
    match judge(now, old, limit, metric.noise) {
        Ok((verdict, change)) => (row.verdict, row.change) = (verdict, change),
        Err(error) => {
            row.verdict = Verdict::Invalid;
            row.detail = Some(error.to_string());
        }
    }
    Some(row)
}

fn judge(
    now: &Measured,
    old: &schema::Entry,
    limit: Option<Limit>,
    noise: Noise,
) -> Result<(Verdict, Delta), StatisticsError> {
    let (old_samples, new_samples) = (
        Series::Whole(old.samples.clone()),
        Series::Whole(now.samples.clone()),
    );
    let unlimited = Limit {
        relative_ppm: u64::MAX,
        absolute: u64::MAX,
    };
    let comparison = statistics::compare(&old_samples, &new_samples, limit.unwrap_or(unlimited))?;
    let change = comparison.percent.map_or(Delta::FromZero, Delta::Percent);
    let fastest = now.samples.iter().min().copied().unwrap_or(now.median);
    let verdict = match comparison.change {
        _ if limit.is_none() => Verdict::Recorded,
        Change::None | Change::Within => Verdict::Ok,
        Change::Improvement => Verdict::Improved,
        // Time is gated loosely: a single slow stretch of the machine is no regression.
        Change::Regression | Change::IncreaseFromZero
            if noise == Noise::VeryNoisy && fastest <= old.max =>
        {
            Verdict::Ok
        }
        Change::Regression | Change::IncreaseFromZero => Verdict::Regressed,
    };
    Ok((verdict, change))
}

/// Bits of results may differ between processors, but not on one machine.
fn compare_check(
    measurement: &Measurement,
    file: &schema::Baseline,
    old: &schema::Case,
    machine: &Machine,
) -> Option<Row> {
    let now = measurement
        .check
        .as_ref()
        .filter(|check| **check != old.check)?;
    let detail = format!("the result has other bits: {} was {}", now, old.check);
    if file.machine.id == machine.id {
        let detail = format!("{detail}; raise the scenario's version if that is meant");
        return Some(Row::remark(
            &measurement.case,
            "check",
            Verdict::Changed,
            detail,
        ));
    }
    let detail = format!("{detail}, on another machine");
    Some(Row::remark(
        &measurement.case,
        "check",
        Verdict::Recorded,
        detail,
    ))
}

/// Holds the measured memory of a case against its plan.
#[must_use]
pub fn compare_plan(measurement: &Measurement) -> Vec<Row> {
    let mut rows = Vec::new();
    let concurrent = measurement.threads > 1;
    if let (Some(planned), Some(measured)) = (
        measurement.median("planned_heap"),
        measurement.median("heap_peak_run"),
    ) {
        // Planned over measured within 1.00 and 1.25, without rounding.
        let spare = measurement.median("planned_spare").unwrap_or(0);
        let (p, m) = (u128::from(planned), u128::from(measured));
        let least = p.saturating_sub(u128::from(spare));
        let tight = p >= m && (concurrent || least * 100 <= m * 125);
        let holds = tight || planned.abs_diff(measured) <= PLAN_SLACK;
        let limit = match spare {
            _ if concurrent => ">= 1.00".to_owned(),
            0 => "1.00-1.25".to_owned(),
            _ => format!("1.00-1.25 + {}", bytes(spare)),
        };
        rows.push(plan_row(
            measurement,
            "planned_over_measured",
            planned,
            measured,
            &limit,
            holds,
        ));
    }
    if let (Some(planned), Some(peak), Some(ready)) = (
        measurement.median("planned_resident"),
        // What a scenario computes after the work, such as a reference, is not planned.
        measurement
            .median("rss_peak_steady")
            .or_else(|| measurement.median("rss_peak")),
        measurement.median("rss_peak_ready"),
    ) {
        let measured = peak.saturating_sub(ready);
        let near = planned.abs_diff(measured) <= (measured / 100 * 15).max(RESIDENT_SLACK);
        let holds = near || (concurrent && measured <= planned);
        let limit = if concurrent { ">= 0.85" } else { "0.85-1.15" };
        rows.push(plan_row(
            measurement,
            "planned_resident",
            planned,
            measured,
            limit,
            holds,
        ));
    }
    rows
}

fn plan_row(
    measurement: &Measurement,
    metric: &str,
    planned: u64,
    measured: u64,
    limit: &str,
    holds: bool,
) -> Row {
    let permille = u128::from(planned) * 1000 / u128::from(measured.max(1));
    let change = match (planned, measured) {
        (_, 0) => Delta::None,
        _ => Delta::Permille(u64::try_from(permille).unwrap_or(u64::MAX)),
    };
    Row {
        case: measurement.case.clone(),
        metric: metric.to_owned(),
        unit: "byte",
        baseline: Some(planned),
        now: Some(measured),
        change,
        limit: limit.to_owned(),
        verdict: if holds {
            Verdict::Ok
        } else {
            Verdict::OutsidePlan
        },
        detail: (!holds).then(|| format!("planned {planned} bytes, measured {measured}")),
        headline: true,
    }
}

#[cfg(test)]
mod tests;
