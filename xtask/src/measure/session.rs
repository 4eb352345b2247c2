//! Many samples of many cases, interleaved, and what they add up to.
//!
//! Samples are strictly serial. Cases take turns: first sample of every case, second sample of
//! every case, and so on, so that a drift of the machine hits all of them alike.

use std::collections::BTreeMap;

use serde::Serialize;

use super::metric::{METRICS, Metric, Noise};
use super::protocol::{AccuracyLine, CaseLine, PlanLine, ResultLine, ScopeLine};
use super::sample::{self, Meter, Sample, Setup};
use crate::baseline::statistics::median;

/// How many samples of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// On the system's allocator.
    pub plain: usize,
    /// On the counting allocator: two, so that differences show.
    pub heap: usize,
    /// Below callgrind.
    pub instructions: usize,
}

impl Counts {
    fn of(self, meter: Meter) -> usize {
        match meter {
            Meter::Plain => self.plain,
            Meter::Heap => self.heap,
            Meter::Instructions => self.instructions,
        }
    }

    /// The samples of this case: valgrind is fifty times slower, and the small cases show a
    /// change of the instruction count as well as the large ones do.
    #[must_use]
    pub fn for_case(self, case: &CaseLine, setup: &Setup) -> Self {
        let small = case.tier.as_deref() != Some("full");
        if small || setup.count_all {
            self
        } else {
            Self {
                instructions: 0,
                ..self
            }
        }
    }

    /// Number of samples of one case.
    #[must_use]
    pub fn total(self) -> usize {
        self.plain + self.heap + self.instructions
    }
}

/// A metric of one case over its samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Measured {
    /// The median.
    pub median: u64,
    /// All samples, in the order in which they were taken.
    pub samples: Vec<u64>,
}

/// Everything that was measured of one case.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// Canonical name.
    pub case: String,
    /// Version of the scenario.
    pub scenario_version: u32,
    /// Number of threads; with more than one, heap peaks depend on the schedule.
    pub threads: u64,
    /// Bits of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// What was computed.
    pub configuration: BTreeMap<String, String>,
    /// How this machine did it.
    pub facts: BTreeMap<String, String>,
    /// Metrics by name.
    pub metrics: BTreeMap<String, Measured>,
    /// Errors against what is known of the result.
    pub accuracy: Vec<AccuracyLine>,
    /// The plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<PlanLine>,
    /// Measured scopes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<ScopeLine>,
    /// Why the measurement is invalid; empty when it is not.
    pub problems: Vec<String>,
    /// Samples that were taken while the machine was busy.
    pub noisy_samples: usize,
    /// Source of the resident peak.
    pub peak_source: &'static str,
    /// All samples.
    pub samples: Vec<Sample>,
}

impl Measurement {
    /// Whether its numbers may be compared and kept.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }

    /// The median of a metric.
    #[must_use]
    pub fn median(&self, name: &str) -> Option<u64> {
        self.metrics.get(name).map(|measured| measured.median)
    }
}

/// Told before each sample.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Case that is measured next.
    pub case: &'a str,
    /// Number of the sample of this case, from 1.
    pub sample: usize,
    /// Samples of this case.
    pub samples: usize,
}

/// Measures all cases.
///
/// One run of each binary that is needed is thrown away first: it brings the file into the page
/// cache. A case with an invalid sample is not measured again.
///
/// # Errors
///
/// When a process cannot be started. What a sample does wrong is in its measurement.
pub fn measure(
    cases: &[CaseLine],
    counts: Counts,
    setup: &Setup,
    mut progress: impl FnMut(Step<'_>),
) -> anyhow::Result<Vec<Measurement>> {
    let mut taken: Vec<Vec<Sample>> = vec![Vec::new(); cases.len()];
    let discarded = Setup {
        keep: None,
        ..setup.clone()
    };
    for meter in [Meter::Plain, Meter::Heap] {
        if let (true, Some(case)) = (counts.of(meter) > 0, cases.first()) {
            sample::take(case, meter, &discarded, None)?;
        }
    }
    let rounds = counts.plain.max(counts.heap).max(counts.instructions);
    for round in 0..rounds {
        for (case, samples) in cases.iter().zip(&mut taken) {
            let counts = counts.for_case(case, setup);
            for meter in [Meter::Plain, Meter::Heap, Meter::Instructions] {
                if round < counts.of(meter) && samples.iter().all(Sample::is_usable) {
                    let number = samples.len() + 1;
                    progress(Step {
                        case: &case.case,
                        sample: number,
                        samples: counts.total(),
                    });
                    samples.push(sample::take(case, meter, setup, None)?);
                }
            }
        }
    }
    Ok(cases
        .iter()
        .zip(taken)
        .map(|(case, samples)| gather(case, samples))
        .collect())
}

/// Adds up the samples of one case.
#[must_use]
pub fn gather(case: &CaseLine, samples: Vec<Sample>) -> Measurement {
    let usable: Vec<&Sample> = samples.iter().filter(|sample| sample.is_usable()).collect();
    let results: Vec<&ResultLine> = usable.iter().filter_map(|s| s.result.as_ref()).collect();
    let first = results.first().copied();
    let scoped = results.iter().find(|result| !result.scopes.is_empty());
    let mut measurement = Measurement {
        case: case.case.clone(),
        scenario_version: case.version,
        threads: case.threads(),
        check: first.map(|result| result.check.clone()),
        configuration: first.map_or_else(BTreeMap::new, |result| result.configuration.clone()),
        facts: first.map_or_else(BTreeMap::new, |result| result.facts.clone()),
        metrics: collect_metrics(&usable),
        accuracy: first
            .map(|result| result.accuracy.clone())
            .unwrap_or_default(),
        plan: first.map(|result| result.plan.clone()).unwrap_or_default(),
        scopes: scoped
            .map(|result| result.scopes.clone())
            .unwrap_or_default(),
        problems: Vec::new(),
        noisy_samples: samples.iter().filter(|sample| is_noisy(sample)).count(),
        peak_source: samples.first().map_or("VmHWM", |sample| sample.peak_source),
        samples: Vec::new(),
    };
    let mut problems: Vec<String> = samples.iter().flat_map(describe).collect();
    problems.dedup();
    problems.extend(differences(&results));
    if measurement.threads == 1 {
        problems.extend(inexact(&measurement.metrics));
    }
    measurement.problems = problems;
    measurement.samples = samples;
    measurement
}

fn describe(sample: &Sample) -> Vec<String> {
    let bound = match sample.peak_lower_bound {
        Some(bytes) => format!(" (peak at least {bytes} bytes, incomplete)"),
        None => String::new(),
    };
    sample
        .problems
        .iter()
        .map(|problem| format!("{problem}{bound}"))
        .collect()
}

fn collect_metrics(usable: &[&Sample]) -> BTreeMap<String, Measured> {
    let mut metrics: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for sample in usable {
        for (name, value) in &sample.metrics {
            metrics.entry(name.clone()).or_default().push(*value);
        }
    }
    let measured = metrics.into_iter().filter_map(|(name, samples)| {
        Some((
            name,
            Measured {
                median: median(&samples)?,
                samples,
            },
        ))
    });
    measured.collect()
}

/// The same work must give the same bits and the same plan in every process.
fn differences(results: &[&ResultLine]) -> Vec<String> {
    let mut problems = Vec::new();
    let Some(first) = results.first() else {
        return problems;
    };
    for other in &results[1..] {
        let mut differs = |what: &str, one: &dyn std::fmt::Debug, two: &dyn std::fmt::Debug| {
            problems.push(format!("nondeterministic: {what} is {one:?} and {two:?}"));
        };
        if first.check != other.check {
            differs("check", &first.check, &other.check);
        }
        if first.configuration != other.configuration {
            differs("configuration", &first.configuration, &other.configuration);
        }
        let planned = |result: &ResultLine| {
            ["planned_heap", "planned_resident"].map(|name| result.metrics.get(name).copied())
        };
        if planned(first) != planned(other) {
            differs("the plan", &planned(first), &planned(other));
        }
    }
    problems.truncate(1);
    problems
}

/// Exact metrics must not vary at all.
fn inexact(metrics: &BTreeMap<String, Measured>) -> Vec<String> {
    let exact = METRICS.iter().filter(|metric| metric.noise == Noise::Exact);
    let varying = exact.filter_map(|Metric { name, .. }| {
        let samples = &metrics.get(*name)?.samples;
        let differ = samples.windows(2).any(|pair| pair[0] != pair[1]);
        let texts: Vec<String> = samples.iter().map(u64::to_string).collect();
        differ.then(|| format!("nondeterministic: {name} is {}", texts.join(", ")))
    });
    varying.collect()
}

/// Whether more than half of the processors were busy when the sample began or ended.
fn is_noisy(sample: &Sample) -> bool {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    // Our own sample is in the load as well: it may keep one processor busy.
    sample
        .load_hundredths
        .iter()
        .flatten()
        .any(|load| *load > cores * 50 + 100)
}
