//! `cargo xtask peers --models`: our scenarios beside what other packages do with the same models.
//!
//! A peer is a script of `benchmarks/peers` that is given a case and prints one line of JSON. Peers
//! take seconds and we milliseconds, so each case is run once by the peer, which repeats within its
//! process, between two processes of ours.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

use super::Args;
use crate::measure::cargo_build::binaries;
use crate::measure::child::{self, Job};
use crate::measure::machine::Machine;
use crate::measure::protocol::{Line, ResultLine, parse};
use crate::render::progress::Progress;
use crate::render::table::aligned;
use crate::render::units::{bytes, time};
use crate::report::{Exit, Failure, Report, answer, note};
use crate::workspace::Workspace;

/// Where the results are kept, relative to the root.
pub const RECORD: &str = "benchmarks/peers/models.json";

/// Repetitions of ours within a process, after those that warm up.
const REPEATS: [&str; 4] = ["--warmup", "5", "--repeat", "31"];
/// Our processes per case.
const PROCESSES: usize = 5;
/// A peer that takes longer for one case is killed.
const TIMEOUT: Duration = Duration::from_secs(900);

/// One of our cases, and the script with its arguments that does the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Name of the case.
    pub case: String,
    /// File in `benchmarks/peers`.
    pub script: &'static str,
    /// What the script is given.
    pub arguments: Vec<String>,
}

/// All pairs.
#[must_use]
pub fn pairs() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for sweep in ["decay", "quadruped", "bouncing-ball"] {
        pairs.push(Pair {
            case: format!("sweep/{sweep}?members=1000"),
            script: "jaxonomy_sweeps.py",
            arguments: vec![sweep.to_owned(), "1000".to_owned()],
        });
    }
    for (points, shocks, periods) in [
        (500, 1, 8),
        (500, 5, 8),
        (2000, 1, 8),
        (2000, 5, 8),
        (500, 5, 45),
    ] {
        let numbers = [points, shocks, periods];
        pairs.push(Pair {
            case: format!("dcegm/retirement?points={points}&shocks={shocks}&periods={periods}"),
            script: "dcegm_retirement.py",
            arguments: numbers.map(|number| number.to_string()).into(),
        });
    }
    for points in [48, 500, 2000] {
        pairs.push(Pair {
            case: format!("egm/buffer-stock?points={points}"),
            script: "hark_saving.py",
            arguments: vec![points.to_string()],
        });
    }
    pairs
}

/// What a peer says of one case: seconds, of the processor where the name says so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Theirs {
    /// Name of the package.
    pub peer: String,
    /// Its version.
    pub version: String,
    /// Median of further solutions within one process, processor seconds.
    pub warm_cpu_s: f64,
    /// From process start to the first result, compilation included, processor seconds.
    pub cold_cpu_s: f64,
    /// Largest resident set in MiB.
    pub rss_mib: f64,
    /// Error by the measure of our scenario; absent where nothing is known of the result.
    pub error: Option<f64>,
}

/// What ours needs for the same case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ours {
    /// Median of further solutions within one process, nanoseconds.
    pub warm_ns: u64,
    /// From process start to the first result, nanoseconds.
    pub cold_ns: u64,
    /// Largest resident set in bytes.
    pub rss_bytes: u64,
    /// Error; absent where nothing is known of the result.
    pub error: Option<f64>,
}

/// Both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Name of our case.
    pub case: String,
    /// Ours.
    pub ours: Ours,
    /// The peer's.
    pub theirs: Theirs,
}

/// What `--write` keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Processor of the machine.
    pub cpu: String,
    /// Its cores.
    pub cores: u64,
    /// All comparisons, in one run.
    pub comparisons: Vec<Comparison>,
}

impl Comparison {
    /// Their time or bytes in units of ours: warm, from process start, memory.
    #[must_use]
    pub fn ratios(&self) -> [f64; 3] {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let of = |theirs: f64, ours: u64| theirs / (ours.max(1) as f64);
        [
            of(self.theirs.warm_cpu_s * 1e9, self.ours.warm_ns),
            of(self.theirs.cold_cpu_s * 1e9, self.ours.cold_ns),
            of(self.theirs.rss_mib * 1_048_576.0, self.ours.rss_bytes),
        ]
    }

    fn cells(&self) -> Vec<String> {
        let [warm, cold, memory] = self.ratios().map(|ratio| format!("{ratio:.0}"));
        let error =
            |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |e| format!("{e:.1e}"));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "seconds"
        )]
        let seconds = |value: f64| time((value * 1e9) as u64);
        vec![
            self.case.clone(),
            format!("{} {}", self.theirs.peer, self.theirs.version),
            time(self.ours.warm_ns),
            seconds(self.theirs.warm_cpu_s),
            warm,
            time(self.ours.cold_ns),
            seconds(self.theirs.cold_cpu_s),
            cold,
            bytes(self.ours.rss_bytes),
            format!("{:.0} MiB", self.theirs.rss_mib),
            memory,
            error(self.ours.error),
            error(self.theirs.error),
        ]
    }
}

/// Heads of the columns of [`Comparison::cells`].
const HEADS: [&str; 13] = [
    "case", "peer", "warm", "theirs", "ratio", "first", "theirs", "ratio", "memory", "theirs",
    "ratio", "error", "theirs",
];

impl Record {
    /// The record as a table of a document.
    #[must_use]
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut text = line(&HEADS.map(str::to_owned));
        text.push_str("|---|---|");
        text.push_str(&"---:|".repeat(HEADS.len() - 2));
        text.push('\n');
        for comparison in &self.comparisons {
            let mut cells = comparison.cells();
            cells[0] = format!("`{}`", cells[0]);
            text.push_str(&line(&cells));
        }
        format!(
            "{text}\nMeasured in one run on {} with {} cores.",
            self.cpu, self.cores
        )
    }

    /// Reads the record of the workspace; nothing if none is kept.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is no record.
    pub fn load(root: &Path) -> anyhow::Result<Option<Self>> {
        let path = root.join(RECORD);
        if !path.is_file() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {RECORD}"))?;
        let record = serde_json::from_str(&text);
        record.with_context(|| {
            format!("{RECORD} is no record; run `cargo xtask peers --models --write`")
        })
    }
}

/// Runs the selected pairs and prints how they compare.
///
/// Exit codes: 0 done; 2 no pair is selected; 3 ours fails; 5 a peer gives no result and
/// `--require` is given.
///
/// # Errors
///
/// As above, or when a file cannot be written.
pub fn run(args: &Args, workspace: &Workspace) -> anyhow::Result<Report> {
    let mut chosen = pairs();
    chosen.retain(|pair| {
        let text = format!("{} {}", pair.case, pair.script);
        args.filter.is_empty() || args.filter.iter().any(|part| text.contains(part.as_str()))
    });
    if chosen.is_empty() {
        return Err(Failure::usage("no model is selected; `--models --list` names all").into());
    }
    let mut report = Report::ok();
    if args.list {
        for pair in &chosen {
            answer(format_args!("{} {}", pair.case, pair.script));
        }
        return Ok(report);
    }
    let scenario = binaries(workspace, args.quiet)?.plain;
    let progress = Progress::new(chosen.len(), args.quiet);
    let mut comparisons = Vec::new();
    let mut absent = Vec::new();
    for pair in &chosen {
        progress.step(pair.case.clone());
        let before = ours(&scenario, workspace, &pair.case)?;
        match theirs(args, workspace, pair) {
            Ok(theirs) => {
                let after = ours(&scenario, workspace, &pair.case)?;
                comparisons.push(Comparison {
                    case: pair.case.clone(),
                    ours: slower(before, after),
                    theirs,
                });
            }
            Err(error) => absent.push(format!("absent: {}: {error:#}", pair.case)),
        }
    }
    progress.finish();
    for text in &absent {
        note(text);
    }
    if args.require && !absent.is_empty() {
        report.add(Exit::Absent);
    }
    let machine = Machine::detect();
    let record = Record {
        cpu: machine.cpu,
        cores: machine.cores,
        comparisons,
    };
    show(&record);
    let text = serde_json::to_string_pretty(&record)? + "\n";
    if let Some(path) = &args.json {
        fs::write(path, &text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if args.write && absent.is_empty() {
        let path = workspace.root().join(RECORD);
        fs::write(&path, text).with_context(|| format!("cannot write {RECORD}"))?;
    }
    Ok(report)
}

fn show(record: &Record) {
    let rows: Vec<_> = record.comparisons.iter().map(Comparison::cells).collect();
    for line in aligned(&HEADS, &rows, &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
        answer(line);
    }
    answer("ratios are theirs in units of ours; their times are processor seconds, ours wall time");
}

/// Of two medians the worse one, so that a busy moment never flatters us.
fn slower(a: Ours, b: Ours) -> Ours {
    Ours {
        warm_ns: a.warm_ns.max(b.warm_ns),
        cold_ns: a.cold_ns.max(b.cold_ns),
        rss_bytes: a.rss_bytes.max(b.rss_bytes),
        error: a.error,
    }
}

/// Medians of several processes of ours.
fn ours(scenario: &Path, workspace: &Workspace, case: &str) -> anyhow::Result<Ours> {
    let (mut warm, mut cold, mut rss) = (Vec::new(), Vec::new(), Vec::new());
    let mut error = None;
    for _ in 0..PROCESSES {
        let job = Job::new(scenario, workspace.root(), TIMEOUT)
            .with(["run", case])
            .with(REPEATS);
        let finished = child::run(&job)?;
        if !finished.ending.is_success() {
            let text = format!("{case} does not run: {}", finished.ending);
            return Err(Failure::new(Exit::Invalid, text).into());
        }
        let mut result: Option<Box<ResultLine>> = None;
        for line in &finished.lines {
            match parse(&line.text) {
                Ok(Line::Phase(phase)) if phase.phase == "first" => {
                    cold.push(nanoseconds(line.after));
                }
                Ok(Line::Result(found)) => result = Some(found),
                _ => {}
            }
        }
        let result = result.with_context(|| format!("{case} has printed no result"))?;
        warm.push(median(result.warm_ns));
        rss.extend(
            result
                .metrics
                .get("rss_peak_steady")
                .or(result.metrics.get("rss_peak")),
        );
        error = result.accuracy.first().map(|accuracy| accuracy.value);
    }
    Ok(Ours {
        warm_ns: median(warm),
        cold_ns: median(cold),
        rss_bytes: median(rss),
        error,
    })
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

/// The line of JSON that the script of the peer prints.
fn theirs(args: &Args, workspace: &Workspace, pair: &Pair) -> anyhow::Result<Theirs> {
    let folder = workspace.root().join("benchmarks/peers");
    let job = Job::new(&args.python, &folder, TIMEOUT)
        .with([pair.script])
        .with(&pair.arguments);
    let finished = child::run(&job).with_context(|| {
        format!(
            "cannot run {}; name one with --python",
            args.python.display()
        )
    })?;
    let mut lines = finished.lines.iter().rev();
    let found = lines.find_map(|line| serde_json::from_str(&line.text).ok());
    match found {
        Some(theirs) if finished.ending.is_success() => Ok(theirs),
        _ => bail!(
            "{} ended with {} and no result: {}; benchmarks/peers/README.md says what it needs",
            pair.script,
            finished.ending,
            finished.errors.lines().last().unwrap_or_default()
        ),
    }
}
