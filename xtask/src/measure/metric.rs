//! The metrics: unit, how much noise they have, and by how much each may grow.
//!
//! Tolerances are part of the definition, not of the baseline, so that blessing cannot widen a
//! gate.

use std::fmt;

/// What a metric counts.
///
/// Deliberately closed: each unit has its own way of being printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Byte,
    /// Things.
    Count,
    /// Nanoseconds.
    Nanosecond,
}

impl Unit {
    /// The name in baselines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::Count => "count",
            Self::Nanosecond => "nanosecond",
        }
    }
}

/// How a metric varies between samples of the same work.
///
/// Deliberately closed: comparing and measuring differ for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Not at all with one thread; two samples that differ are a failure.
    Exact,
    /// By about 1e-5, on one kind of processor and with one compiler.
    Instructions,
    /// By pages, arenas and kernels.
    Noisy,
    /// By everything that the machine does besides; compared on the same machine only.
    VeryNoisy,
}

/// By how much a metric may exceed its baseline: both bounds must be exceeded to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Relative, in parts per million.
    pub relative_ppm: u64,
    /// Absolute, in the unit of the metric.
    pub absolute: u64,
}

impl Limit {
    /// The largest value that still passes for this baseline.
    #[must_use]
    pub fn largest(self, baseline: u64) -> u64 {
        let relative = u128::from(baseline) * u128::from(self.relative_ppm) / 1_000_000;
        let relative = u64::try_from(relative).unwrap_or(u64::MAX);
        baseline.saturating_add(relative.max(self.absolute))
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (percent, rest) = (self.relative_ppm / 10_000, self.relative_ppm % 10_000);
        if rest == 0 {
            write!(f, "{percent} %")
        } else {
            write!(f, "{percent}.{:02} %", rest / 100)
        }
    }
}

/// Definition of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name in samples and baselines.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// How it varies.
    pub noise: Noise,
    /// Its gate; `None` when it is recorded only.
    pub limit: Option<Limit>,
    /// One line for the manual.
    pub meaning: &'static str,
    /// Whether tables show it when there is nothing to object.
    pub headline: bool,
}

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

const fn gate(percent: u64, absolute: u64) -> Option<Limit> {
    Some(Limit {
        relative_ppm: percent * 10_000,
        absolute,
    })
}

const fn metric(
    name: &'static str,
    unit: Unit,
    noise: Noise,
    limit: Option<Limit>,
    meaning: &'static str,
) -> Metric {
    Metric {
        name,
        unit,
        noise,
        limit,
        meaning,
        headline: false,
    }
}

const fn headline(metric: Metric) -> Metric {
    Metric {
        headline: true,
        ..metric
    }
}

/// Every metric that is kept in a baseline, in the order in which tables show them.
pub const METRICS: &[Metric] = &[
    headline(metric(
        "heap_peak",
        Unit::Byte,
        Noise::Exact,
        gate(2, 4 * KIB),
        "largest live heap bytes over the sample, above those at `ready`",
    )),
    metric(
        "heap_peak_run",
        Unit::Byte,
        Noise::Exact,
        gate(2, 4 * KIB),
        "largest live heap bytes after `assembled`, above those at `assembled`",
    ),
    metric(
        "heap_total",
        Unit::Byte,
        Noise::Exact,
        gate(2, 4 * KIB),
        "heap bytes asked for from `ready` to `first`",
    ),
    metric(
        "heap_blocks",
        Unit::Count,
        Noise::Exact,
        gate(2, 4),
        "heap blocks asked for from `ready` to `first`",
    ),
    headline(metric(
        "heap_blocks_steady",
        Unit::Count,
        Noise::Exact,
        gate(0, 0),
        "heap blocks asked for by the worst timed repetition",
    )),
    headline(metric(
        "rss_peak",
        Unit::Byte,
        Noise::Noisy,
        gate(50, 4 * MIB),
        "largest resident set of the process (VmHWM)",
    )),
    metric(
        "rss_peak_assembled",
        Unit::Byte,
        Noise::Noisy,
        gate(50, 4 * MIB),
        "largest resident set while the model is assembled",
    ),
    metric(
        "rss_peak_first",
        Unit::Byte,
        Noise::Noisy,
        gate(50, 4 * MIB),
        "largest resident set while the first result is computed",
    ),
    metric(
        "rss_peak_steady",
        Unit::Byte,
        Noise::Noisy,
        gate(50, 4 * MIB),
        "largest resident set while the work is repeated",
    ),
    headline(metric(
        "instructions",
        Unit::Count,
        Noise::Instructions,
        gate(1, 0),
        "instructions of the whole process, counted by callgrind",
    )),
    metric(
        "planned_heap",
        Unit::Byte,
        Noise::Exact,
        None,
        "peak of the plan, to be compared with `heap_peak_run`",
    ),
    metric(
        "planned_resident",
        Unit::Byte,
        Noise::Exact,
        None,
        "planned growth of the resident set from `ready` to the end of `steady`",
    ),
    metric(
        "planned_spare",
        Unit::Byte,
        Noise::Exact,
        None,
        "bytes of the plan for what only values decide",
    ),
    metric(
        "rss_above_noop",
        Unit::Byte,
        Noise::Noisy,
        None,
        "`rss_peak` above that of `noop` in the same session: without the floor of a process",
    ),
    metric(
        "ready",
        Unit::Nanosecond,
        Noise::VeryNoisy,
        None,
        "process start to `ready`",
    ),
    metric(
        "assembled",
        Unit::Nanosecond,
        Noise::VeryNoisy,
        None,
        "process start to `assembled`",
    ),
    headline(metric(
        "first",
        Unit::Nanosecond,
        Noise::VeryNoisy,
        gate(50, 1_000_000),
        "process start to the first result",
    )),
    headline(metric(
        "warm",
        Unit::Nanosecond,
        Noise::VeryNoisy,
        gate(50, 1_000),
        "one repetition after warm-up: median within a process, then over processes",
    )),
    metric(
        "warm_min",
        Unit::Nanosecond,
        Noise::VeryNoisy,
        None,
        "fastest repetition",
    ),
    metric(
        "warm_p90",
        Unit::Nanosecond,
        Noise::VeryNoisy,
        None,
        "nine of ten are faster",
    ),
    headline(metric(
        "build_wall",
        Unit::Nanosecond,
        Noise::VeryNoisy,
        gate(50, 1_000_000_000),
        "cold build",
    )),
    headline(metric(
        "build_cpu",
        Unit::Nanosecond,
        Noise::Noisy,
        gate(50, 1_000_000_000),
        "its processor time",
    )),
    headline(metric(
        "build_rss_peak",
        Unit::Byte,
        Noise::Noisy,
        gate(50, 4 * MIB),
        "its largest compiler",
    )),
    headline(metric(
        "cgroup_peak",
        Unit::Byte,
        Noise::Noisy,
        gate(50, 4 * MIB),
        "peak of the process tree",
    )),
    headline(metric(
        "packages",
        Unit::Count,
        Noise::Noisy,
        None,
        "packages compiled by it",
    )),
    headline(metric(
        "disk",
        Unit::Byte,
        Noise::Noisy,
        None,
        "bytes that it leaves on disk",
    )),
];

impl Metric {
    /// The metric of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        METRICS.iter().find(|metric| metric.name == name)
    }

    /// Its place in tables.
    #[must_use]
    pub fn rank(name: &str) -> usize {
        METRICS
            .iter()
            .position(|metric| metric.name == name)
            .unwrap_or(METRICS.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_bounds_must_be_exceeded() {
        let heap = Metric::named("heap_peak")
            .and_then(|metric| metric.limit)
            .expect("gated");
        assert_eq!(heap.largest(0), 4096, "small values may grow by 4 KiB");
        assert_eq!(heap.largest(100_000), 104_096, "2 % is less than 4 KiB");
        assert_eq!(heap.largest(1_000_000), 1_020_000, "2 %");
        let steady = Metric::named("heap_blocks_steady")
            .and_then(|m| m.limit)
            .expect("gated");
        assert_eq!(steady.largest(0), 0, "nothing at all");
        assert_eq!(steady.largest(17), 17, "nothing at all");
        assert_eq!(heap.largest(u64::MAX), u64::MAX, "saturates");
    }

    #[test]
    fn limits_are_printed_as_percent() {
        let limit = |relative_ppm| {
            Limit {
                relative_ppm,
                absolute: 0,
            }
            .to_string()
        };
        assert_eq!(limit(20_000), "2 %", "whole");
        assert_eq!(limit(12_500), "1.25 %", "parts");
        assert_eq!(limit(0), "0 %", "none");
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), METRICS.len(), "each metric is defined once");
    }
}
