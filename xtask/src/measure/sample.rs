//! One sample: one fresh process running one case once, and whether it can be trusted.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use serde::Serialize;

use super::callgrind;
use super::cargo_build::Binaries;
use super::child::{self, Ending, Finished, Job};
use super::procfs;
use super::protocol::{self, CaseLine, Line, PHASES, PhaseLine, ResultLine};
use crate::baseline::statistics::{median, upper_tenths};

/// What the process is run under.
///
/// Deliberately closed: each has its own metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meter {
    /// As it is: resident set and time.
    Plain,
    /// The binary with the counting allocator: heap bytes and blocks.
    Heap,
    /// Callgrind: instructions.
    Instructions,
}

/// What all samples of a session have in common.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The binaries.
    pub binaries: Binaries,
    /// Valgrind, when instructions are to be counted.
    pub valgrind: Option<PathBuf>,
    /// Whether instructions of cases of tier full are counted as well.
    pub count_all: bool,
    /// Repetitions that are not timed.
    pub warmup: u64,
    /// Repetitions that are timed.
    pub repeat: u64,
    /// Time that a sample may take; twenty times as much below valgrind.
    pub timeout: Duration,
    /// Working directories are kept below this directory, with the output of each sample.
    pub keep: Option<PathBuf>,
}

/// Why a sample is worthless.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// It did not end with exit code 0.
    Ended {
        /// How it ended.
        ending: Ending,
        /// The last line of standard error.
        errors: String,
    },
    /// A line breaks the protocol.
    Line {
        /// Number of the line, from 1.
        number: usize,
        /// What is wrong.
        reason: String,
    },
    /// A phase is missing, repeated or out of order.
    Phases {
        /// The phases found.
        found: Vec<String>,
    },
    /// There is no result.
    NoResult,
    /// The result belongs to another case or version.
    Other {
        /// What was to be run.
        wanted: String,
        /// What was run.
        found: String,
    },
    /// The check value is no number, so nothing shows that something was computed.
    Check {
        /// The text found.
        found: String,
    },
    /// The peak that the process reports and that of the kernel do not agree.
    Peak {
        /// Reported by the process.
        reported: u64,
        /// Reported by the kernel.
        kernel: u64,
        /// Peak of this process, which the kernel may report instead.
        parent: u64,
    },
    /// A peak of zero bytes.
    ZeroPeak,
    /// It left processes behind.
    Strays {
        /// How many.
        count: usize,
    },
    /// Callgrind did not report a count.
    NoInstructions,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended { ending, errors } if errors.is_empty() => write!(f, "{ending}"),
            Self::Ended { ending, errors } => write!(f, "{ending}: {errors}"),
            Self::Line { number, reason } => write!(f, "line {number}: {reason}"),
            Self::Phases { found } => {
                write!(
                    f,
                    "phases are `{}` instead of `{}`",
                    found.join(" "),
                    PHASES.join(" ")
                )
            }
            Self::NoResult => f.write_str("there is no result line"),
            Self::Other { wanted, found } => write!(f, "ran `{found}` instead of `{wanted}`"),
            Self::Check { found } => write!(f, "check `{found}` is no number"),
            Self::Peak {
                reported,
                kernel,
                parent,
            } => write!(
                f,
                "the process reports a peak of {reported} bytes, the kernel {kernel} \
                 (own peak {parent})"
            ),
            Self::ZeroPeak => f.write_str("a peak of 0 bytes cannot be"),
            Self::Strays { count } => write!(f, "{count} processes were left behind and killed"),
            Self::NoInstructions => f.write_str("callgrind reports no count"),
        }
    }
}

/// One sample.
#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    /// What it was run under.
    pub meter: Meter,
    /// Phases and the time from process start to the arrival of their line.
    pub phases: Vec<PhaseArrival>,
    /// The result, if there is one.
    pub result: Option<ResultLine>,
    /// Metrics of this meter.
    pub metrics: BTreeMap<String, u64>,
    /// Where the resident peak comes from: `VmHWM`, or `ru_maxrss` where there is no `/proc`.
    pub peak_source: &'static str,
    /// Peak of a sample that did not report one: not less than this, incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_lower_bound: Option<u64>,
    /// Processor time.
    pub cpu_ns: u64,
    /// Time from start to end.
    pub wall_ns: u64,
    /// Load averages before and after, in hundredths.
    pub load_hundredths: [Option<u64>; 2],
    /// Why it is worthless; empty when it is not.
    #[serde(serialize_with = "as_texts")]
    pub problems: Vec<Problem>,
}

/// A phase and when its line arrived.
#[derive(Clone, Debug, Serialize)]
pub struct PhaseArrival {
    /// The line.
    #[serde(flatten)]
    pub line: PhaseLine,
    /// Nanoseconds from process start.
    pub arrival_ns: u64,
}

fn as_texts<S: serde::Serializer>(problems: &[Problem], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(problems.iter().map(ToString::to_string))
}

impl Sample {
    /// Whether its numbers may be compared and kept.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Takes one sample. What the child does wrong is in the sample.
///
/// # Errors
///
/// When the child cannot be run at all.
pub fn take(
    case: &CaseLine,
    meter: Meter,
    setup: &Setup,
    join: Option<&Path>,
) -> anyhow::Result<Sample> {
    let temporary;
    let directory = match &setup.keep {
        Some(keep) => kept_directory(keep, case, meter)?,
        None => {
            temporary = tempfile::tempdir().context("cannot make a temporary directory")?;
            temporary.path().to_owned()
        }
    };
    let before = procfs::load_hundredths();
    let finished = child::run(&job(case, meter, setup, join, &directory))?;
    if setup.keep.is_some() {
        let lines: Vec<&str> = finished
            .lines
            .iter()
            .map(|line| line.text.as_str())
            .collect();
        fs::write(directory.join("stdout"), lines.join("\n"))?;
        fs::write(directory.join("stderr"), &finished.errors)?;
    }
    let mut sample = judge(case, meter, &finished);
    sample.load_hundredths = [before, procfs::load_hundredths()];
    Ok(sample)
}

fn kept_directory(keep: &Path, case: &CaseLine, meter: Meter) -> anyhow::Result<PathBuf> {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = case.case.chars().map(plain).collect();
    for number in 0..10_000 {
        let path = keep.join(format!("{name}-{meter:?}-{number}").to_lowercase());
        fs::create_dir_all(keep).with_context(|| format!("cannot make {}", keep.display()))?;
        if fs::create_dir(&path).is_ok() {
            return Ok(path);
        }
    }
    anyhow::bail!(
        "{} is full or cannot be written; name another directory",
        keep.display()
    )
}

fn job(case: &CaseLine, meter: Meter, setup: &Setup, join: Option<&Path>, directory: &Path) -> Job {
    let program = match meter {
        Meter::Heap => &setup.binaries.heap,
        Meter::Plain | Meter::Instructions => &setup.binaries.plain,
    };
    let job = match (meter, &setup.valgrind) {
        (Meter::Instructions, Some(valgrind)) => {
            Job::new(valgrind, directory, setup.timeout * 20).with(callgrind::arguments(program))
        }
        _ => Job::new(program, directory, setup.timeout),
    };
    let mut arguments: Vec<OsString> = vec!["run".into(), case.case.clone().into()];
    arguments.extend(["--warmup".into(), setup.warmup.to_string().into()]);
    arguments.extend(["--repeat".into(), setup.repeat.to_string().into()]);
    if let Some(file) = join {
        arguments.extend(["--join".into(), file.into()]);
    }
    job.with(arguments)
}

/// Judges what is left of the child.
#[must_use]
pub fn judge(case: &CaseLine, meter: Meter, finished: &Finished) -> Sample {
    let mut sample = Sample {
        meter,
        phases: Vec::new(),
        result: None,
        metrics: BTreeMap::new(),
        peak_source: "VmHWM",
        peak_lower_bound: None,
        cpu_ns: nanoseconds(finished.cpu),
        wall_ns: nanoseconds(finished.wall),
        load_hundredths: [None; 2],
        problems: Vec::new(),
    };
    if !finished.ending.is_success() {
        let errors = finished
            .errors
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned();
        sample.problems.push(Problem::Ended {
            ending: finished.ending,
            errors,
        });
        sample.peak_lower_bound = finished.peak_lower_bound();
    }
    if finished.strays > 0 {
        sample.problems.push(Problem::Strays {
            count: finished.strays,
        });
    }
    read_lines(&mut sample, finished);
    // A process that was killed has no complete output, and saying so would hide the cause.
    if finished.ending.is_success() {
        check_result(&mut sample, case);
    }
    match meter {
        Meter::Plain => {
            take_metrics(&mut sample, |name| !name.starts_with("heap_"));
            times(&mut sample);
            check_peak(&mut sample, finished);
        }
        Meter::Heap => take_metrics(&mut sample, |name| name.starts_with("heap_")),
        Meter::Instructions => match callgrind::collected(&finished.errors) {
            Some(count) => {
                sample.metrics.insert("instructions".to_owned(), count);
            }
            None if sample.problems.is_empty() => sample.problems.push(Problem::NoInstructions),
            None => {}
        },
    }
    sample
}

fn read_lines(sample: &mut Sample, finished: &Finished) {
    for (at, arrival) in finished.lines.iter().enumerate() {
        match protocol::parse(&arrival.text) {
            Ok(Line::Phase(line)) if sample.result.is_none() => {
                let arrival_ns = nanoseconds(arrival.after);
                sample.phases.push(PhaseArrival { line, arrival_ns });
            }
            Ok(Line::Result(result)) if sample.result.is_none() => sample.result = Some(*result),
            Ok(_) => {
                let reason = "an event that does not belong here".to_owned();
                sample.problems.push(Problem::Line {
                    number: at + 1,
                    reason,
                });
                return;
            }
            Err(error) => {
                let reason = error.to_string();
                sample.problems.push(Problem::Line {
                    number: at + 1,
                    reason,
                });
                return;
            }
        }
    }
}

fn check_result(sample: &mut Sample, case: &CaseLine) {
    let Some(result) = &sample.result else {
        // After garbage the rest was not read.
        if sample.problems.is_empty() {
            sample.problems.push(Problem::NoResult);
        }
        return;
    };
    let found: Vec<String> = sample
        .phases
        .iter()
        .map(|phase| phase.line.phase.clone())
        .collect();
    if found != PHASES {
        sample.problems.push(Problem::Phases { found });
    }
    if result.case != case.case || result.version != case.version {
        sample.problems.push(Problem::Other {
            wanted: format!("{} version {}", case.case, case.version),
            found: format!("{} version {}", result.case, result.version),
        });
    }
    if result.check.parse::<u64>().is_err() {
        sample.problems.push(Problem::Check {
            found: result.check.clone(),
        });
    }
}

fn take_metrics(sample: &mut Sample, belongs: impl Fn(&str) -> bool) {
    if let Some(result) = &sample.result {
        let metrics = result.metrics.iter().filter(|(name, _)| belongs(name));
        sample
            .metrics
            .extend(metrics.map(|(name, value)| (name.clone(), *value)));
    }
}

fn times(sample: &mut Sample) {
    for phase in &sample.phases {
        if phase.line.phase != "steady" {
            sample
                .metrics
                .insert(phase.line.phase.clone(), phase.arrival_ns);
        }
    }
    let warm = sample
        .result
        .as_ref()
        .map(|result| result.warm_ns.as_slice())
        .unwrap_or_default();
    let values = [
        ("warm", median(warm)),
        ("warm_min", upper_tenths(warm, 0)),
        ("warm_p90", upper_tenths(warm, 9)),
    ];
    for (name, value) in values {
        sample
            .metrics
            .extend(value.map(|value| (name.to_owned(), value)));
    }
}

/// Compares the peak that the process has read with the one that the kernel reports.
///
/// `exec` folds the high-water mark of the image that it replaces into `ru_maxrss`, and after a
/// spawn that image may be this process. So the kernel's number lies between the child's peak
/// and the larger of the child's and our own. Counters of pages are kept for each processor and
/// added up in batches, hence the absolute part of the allowance.
fn check_peak(sample: &mut Sample, finished: &Finished) {
    let reported = sample
        .metrics
        .get("rss_last")
        .or(sample.metrics.get("rss_peak"))
        .copied();
    match (reported, finished.maxrss) {
        (Some(0), _) => sample.problems.push(Problem::ZeroPeak),
        (Some(reported), Some(kernel)) => {
            let parent = finished.parent_peak.unwrap_or(0);
            let slack = |bytes: u64| bytes / 50 + (512 << 10);
            let highest = reported.max(parent);
            let low = reported.saturating_sub(slack(reported));
            if !(low..=highest.saturating_add(slack(highest))).contains(&kernel) {
                sample.problems.push(Problem::Peak {
                    reported,
                    kernel,
                    parent,
                });
            }
        }
        (None, Some(kernel)) if cfg!(not(target_os = "linux")) => {
            // Elsewhere the kernel's number is the child's own.
            sample.peak_source = "ru_maxrss";
            sample.metrics.insert("rss_peak".to_owned(), kernel);
        }
        _ => {}
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
