//! Accepting what was measured.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::baseline::compare::Kind;
use crate::baseline::schema::{Baseline, Case, Entry, Schema, Settings, Source};
use crate::baseline::store::Store;
use crate::measure::machine::{Machine, Tool};
use crate::measure::metric::{METRICS, Metric};
use crate::measure::session::Measurement;
use crate::render::units;
use crate::report::{Exit, Failure};

/// What all files of one blessing state about their origin.
#[derive(Clone, Debug)]
pub struct Origin<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The tools.
    pub tool: &'a Tool,
    /// The sources.
    pub source: &'a Source,
    /// How it was measured.
    pub settings: Settings,
}

/// The revision of the sources, and whether files other than baselines differ from it.
#[must_use]
pub fn source(root: &Path) -> Source {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(root)
            .args(arguments)
            .stdin(Stdio::null());
        let output = command
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let status = git(&[
        "status",
        "--porcelain",
        "--",
        ".",
        ":(exclude)benchmarks/baselines",
    ]);
    Source {
        revision: git(&["rev-parse", "HEAD"]).unwrap_or_default(),
        // Outside of a repository nothing says that the sources are those of a revision.
        dirty: status.is_none_or(|status| !status.is_empty()),
    }
}

/// Refuses to bless sources that nobody can find again.
///
/// # Errors
///
/// A failure with exit code 4 when files differ from the last commit.
pub fn require_clean(source: &Source, allow_dirty: bool) -> Result<(), Failure> {
    if source.dirty && !allow_dirty {
        let message = "the sources differ from the last commit, so a baseline could not be \
                       traced; commit first, or pass --allow-dirty";
        return Err(Failure::new(Exit::Baseline, message));
    }
    Ok(())
}

/// Replaces the selected cases in the file of `kind` and keeps all others; returns old → new.
///
/// # Errors
///
/// When another process is writing, the file that is there cannot be read or is newer, or
/// writing fails. Then nothing has changed.
pub fn bless(
    store: &Store,
    kind: Kind,
    origin: &Origin<'_>,
    measurements: &[Measurement],
) -> anyhow::Result<Vec<String>> {
    let name = kind.file(origin.machine);
    let new: Vec<(&Measurement, Case)> = measurements
        .iter()
        .filter_map(|measurement| Some((measurement, record(kind, origin, measurement)?)))
        .collect();
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let lock = store.lock().map_err(|error| error.into_failure())?;
    // Read below the lock: what another process has blessed meanwhile must not be lost.
    let old = store.load(&name).map_err(|error| error.into_failure())?;
    let mut cases = old.map_or_else(BTreeMap::new, |baseline| baseline.cases);
    let mut changes = Vec::new();
    for (measurement, case) in new {
        let before = cases.insert(measurement.case.clone(), case.clone());
        changes.extend(differences(&measurement.case, before.as_ref(), &case));
    }
    let baseline = Baseline {
        schema: Schema::current(),
        tool: origin.tool.clone(),
        source: origin.source.clone(),
        machine: origin.machine.clone(),
        settings: origin.settings.clone(),
        cases,
    };
    store
        .save(&lock, &name, &baseline)
        .map_err(|error| error.into_failure())?;
    Ok(changes)
}

fn record(kind: Kind, origin: &Origin<'_>, measurement: &Measurement) -> Option<Case> {
    let of_kind = METRICS.iter().filter(|metric| Kind::of(metric) == kind);
    let entry = |metric: &Metric| {
        let measured = measurement.metrics.get(metric.name)?;
        let source = Some(measurement.peak_source).filter(|_| metric.name.starts_with("rss_"));
        let entry = Entry::of(metric.unit.name(), &measured.samples, source)?;
        Some((metric.name.to_owned(), entry))
    };
    let metrics: BTreeMap<String, Entry> = of_kind.filter_map(entry).collect();
    if metrics.is_empty() {
        return None;
    }
    Some(Case {
        scenario_version: measurement.scenario_version,
        check: measurement.check.clone()?,
        configuration: measurement.configuration.clone(),
        facts: kind.facts(measurement, origin.machine, origin.tool),
        metrics,
    })
}

fn differences(name: &str, old: Option<&Case>, new: &Case) -> Vec<String> {
    let lines = new.metrics.iter().filter_map(|(metric, entry)| {
        let before = old.and_then(|case| case.metrics.get(metric));
        let now = units::human(entry.median, &entry.unit);
        match before {
            Some(before) if before.median == entry.median => None,
            Some(before) => {
                let before = units::human(before.median, &before.unit);
                Some(format!("{name} {metric}: {before} -> {now}"))
            }
            None => Some(format!("{name} {metric}: none -> {now}")),
        }
    });
    lines.collect()
}
