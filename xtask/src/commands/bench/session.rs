//! From the arguments to a table, a report, an exit code.

use std::fs;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::time::{Instant, SystemTime};

use anyhow::Context as _;

use super::Common;
use super::bless::{self, Origin};
use crate::baseline::compare::{self, Context, Kind, Row, Verdict};
use crate::baseline::overrides::Overrides;
use crate::baseline::schema::{Baseline, Settings, Source};
use crate::baseline::store::Store;
use crate::measure::cargo_build::{self, Binaries};
use crate::measure::catalogue::Catalogue;
use crate::measure::machine::{Machine, Tool};
use crate::measure::procfs;
use crate::measure::protocol::CaseLine;
use crate::measure::sample::Setup;
use crate::measure::session::{self as samples, Counts, Measured, Measurement};
use crate::render::json::{self, BaselineState, Document};
use crate::render::progress::Progress;
use crate::render::table::{self, Style};
use crate::report::{Exit, Report, answer, note};
use crate::workspace::Workspace;

/// Seconds that a run without `--tier` should not exceed.
const DEFAULT_SECONDS: u64 = 90;

/// What a command wants to know.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Its name.
    pub command: &'static str,
    /// The baseline files that it reads and blesses.
    pub kinds: &'a [Kind],
    /// The metrics that it tries to measure.
    pub tried: &'a [&'static str],
    /// Samples.
    pub counts: Counts,
    /// Whether plans are compared.
    pub plans: bool,
    /// Whether baselines are compared at all.
    pub compared: bool,
}

/// Everything that a measuring command needs besides its cases.
#[derive(Debug)]
pub struct Bench<'a> {
    /// The arguments.
    pub common: &'a Common,
    /// The machine.
    pub machine: Machine,
    /// The tools.
    pub tool: Tool,
    /// The sources.
    pub source: Source,
    /// How samples are taken.
    pub setup: Setup,
    /// Notes about what was skipped.
    pub skipped: Vec<String>,
    store: Store,
    overrides: Overrides,
    scratch: PathBuf,
    start: Instant,
}

impl<'a> Bench<'a> {
    /// Checks the arguments, looks at the machine, builds the binaries.
    ///
    /// # Errors
    ///
    /// When the arguments make no sense, a baseline must not be blessed, or the build fails.
    pub fn new(
        common: &'a Common,
        workspace: &Workspace,
        warmup: u64,
        repeat: u64,
    ) -> anyhow::Result<Self> {
        // The arguments are checked before minutes are spent on a build.
        let mut bench = Self::without_binaries(common, workspace)?;
        let binaries = match (&common.binary, &common.heap_binary) {
            (Some(plain), Some(heap)) => Binaries {
                plain: fs::canonicalize(plain).with_context(|| plain.display().to_string())?,
                heap: fs::canonicalize(heap).with_context(|| heap.display().to_string())?,
            },
            _ => cargo_build::binaries(workspace, common.quiet)?,
        };
        bench.setup = Setup {
            binaries,
            warmup,
            repeat,
            ..bench.setup
        };
        Ok(bench)
    }

    /// The same without scenario binaries: nothing but builds can be measured.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), but for the build.
    pub fn without_binaries(common: &'a Common, workspace: &Workspace) -> anyhow::Result<Self> {
        let timeout = common.time_limit()?;
        let scenarios = workspace.root().join("benchmarks/scenarios");
        let overrides = Overrides::read(&scenarios, &common.tolerance)?;
        let source = bless::source(workspace.root());
        if common.bless {
            bless::require_clean(&source, common.allow_dirty)?;
        }
        let baselines = common.baselines.clone();
        let scratch = workspace.scratch();
        fs::create_dir_all(&scratch)
            .with_context(|| format!("cannot make {}", scratch.display()))?;
        let keep = common.keep.as_ref().map(std::path::absolute).transpose()?;
        Ok(Self {
            common,
            machine: Machine::detect(),
            tool: Tool::detect(cargo_build::PROFILE),
            source,
            setup: Setup {
                binaries: Binaries::none(),
                valgrind: None,
                count_all: !common.case.is_empty(),
                warmup: 0,
                repeat: 1,
                timeout,
                keep,
            },
            skipped: Vec::new(),
            store: Store::new(
                baselines.unwrap_or_else(|| workspace.root().join("benchmarks/baselines")),
            ),
            overrides,
            scratch,
            start: Instant::now(),
        })
    }

    /// The catalogue of the plain binary.
    #[must_use]
    pub fn catalogue(&self) -> Catalogue<'_> {
        Catalogue::new(&self.setup.binaries.plain, &self.scratch)
    }

    /// The selected cases.
    ///
    /// # Errors
    ///
    /// A usage failure when nothing is selected.
    pub fn cases(&self) -> anyhow::Result<Vec<CaseLine>> {
        self.catalogue().select(&self.common.selection())
    }

    /// Prints the selected cases.
    pub fn list(&self, cases: &[CaseLine]) {
        let rows: Vec<Vec<String>> = cases
            .iter()
            .map(|case| {
                let axes: Vec<&str> = case.axes.iter().map(|axis| &*axis.parameter).collect();
                let tier = case.tier.clone().unwrap_or_else(|| "-".to_owned());
                vec![
                    case.case.clone(),
                    tier,
                    case.version.to_string(),
                    axes.join(", "),
                ]
            })
            .collect();
        for line in table::aligned(&["case", "tier", "version", "axes"], &rows, &[2]) {
            answer(line);
        }
    }

    /// Prints a line of the result: on standard output, or on standard error when the report
    /// goes to standard output.
    pub fn say(&self, line: impl std::fmt::Display) {
        if self.common.json_on_stdout() {
            note(line);
        } else {
            answer(line);
        }
    }

    /// Notes that something was skipped, or refuses to skip it.
    ///
    /// # Errors
    ///
    /// A failure with exit code 5 when the arguments require it.
    pub fn skip(&mut self, what: impl Into<String>) -> anyhow::Result<()> {
        let what = what.into();
        if self.common.require {
            return Err(crate::report::Failure::new(Exit::Absent, what).into());
        }
        if !self.common.quiet {
            note(format_args!("skipped: {what}"));
        }
        self.skipped.push(what);
        Ok(())
    }

    /// Measures the cases with a progress line.
    ///
    /// # Errors
    ///
    /// When a process cannot be started.
    pub fn measure(&self, cases: &[CaseLine], counts: Counts) -> anyhow::Result<Vec<Measurement>> {
        let steps = cases
            .iter()
            .map(|case| counts.for_case(case, &self.setup).total())
            .sum();
        let progress = Progress::new(steps, self.common.quiet);
        let mut measurements = samples::measure(cases, counts, &self.setup, |step| {
            progress.step(format!(
                "{} sample {}/{}",
                step.case, step.sample, step.samples
            ));
        })?;
        progress.finish();
        subtract_floor(&mut measurements);
        Ok(measurements)
    }

    /// Compares, blesses, prints, writes the report.
    ///
    /// # Errors
    ///
    /// When a baseline cannot be read or written, or the report cannot be written.
    pub fn conclude(
        &self,
        request: &Request<'_>,
        measurements: &[Measurement],
        loaded: &[(Kind, Option<Baseline>)],
    ) -> anyhow::Result<Report> {
        let rows = self.rows(request, measurements, loaded);
        let mut report = Report::ok();
        for row in &rows {
            report.add(row.verdict.exit(self.common.check));
        }
        self.print(request, &rows, measurements);
        if self.common.bless {
            self.bless(request, measurements, report)?;
        }
        self.write_report(request, &rows, measurements, loaded, report)?;
        Ok(report)
    }

    /// Reads the baselines before anything is measured, so that a broken one is found at once.
    ///
    /// # Errors
    ///
    /// A failure with exit code 4 when a file is there and cannot be read.
    pub fn load(&self, kinds: &[Kind]) -> anyhow::Result<Vec<(Kind, Option<Baseline>)>> {
        let load = |kind: &Kind| {
            let name = kind.file(&self.machine);
            let baseline = self
                .store
                .load(&name)
                .map_err(|error| error.into_failure())?;
            Ok((*kind, baseline))
        };
        kinds.iter().map(load).collect()
    }

    fn rows(
        &self,
        request: &Request<'_>,
        measurements: &[Measurement],
        loaded: &[(Kind, Option<Baseline>)],
    ) -> Vec<Row> {
        let mut rows = Vec::new();
        for measurement in measurements {
            for problem in &measurement.problems {
                rows.push(Row::remark(
                    &measurement.case,
                    "-",
                    Verdict::Invalid,
                    problem,
                ));
            }
            if !measurement.is_valid() {
                continue;
            }
            for (kind, baseline) in loaded {
                let context = Context {
                    kind: *kind,
                    machine: &self.machine,
                    tool: &self.tool,
                    overrides: &self.overrides,
                    tried: request.tried,
                };
                let baseline = baseline.as_ref().filter(|_| request.compared);
                let old =
                    baseline.and_then(|file| Some((file, file.cases.get(&measurement.case)?)));
                let mut of_kind = compare::compare_case(measurement, old, &context);
                if !request.compared {
                    of_kind
                        .iter_mut()
                        .for_each(|row| row.verdict = Verdict::Recorded);
                }
                rows.extend(of_kind);
            }
            if request.plans {
                rows.extend(compare::compare_plan(measurement));
            }
        }
        rows
    }

    fn print(&self, request: &Request<'_>, rows: &[Row], measurements: &[Measurement]) {
        let terminal = std::io::stdout().is_terminal() && !self.common.json_on_stdout();
        let style = Style::for_terminal(self.common.all_metrics, terminal);
        for line in table::comparison(rows, style, |row| reproduce(request.command, row)) {
            self.say(line);
        }
        let noisy: usize = measurements.iter().map(|m| m.noisy_samples).sum();
        let load = procfs::load_hundredths();
        let load = load.map_or(String::new(), |h| {
            format!(", load {}.{:02}", h / 100, h % 100)
        });
        self.say(format_args!(
            "{}   (machine {}, rustc {}, {} samples{load})",
            table::summary(rows),
            self.machine.id.get(..8).unwrap_or_default(),
            self.tool.rustc.split(' ').next().unwrap_or_default(),
            request.counts.plain,
        ));
        if noisy > 0 {
            self.say(format_args!(
                "{noisy} samples are noisy: the machine was busy"
            ));
        }
        let seconds = self.start.elapsed().as_secs();
        let unlimited = self.common.tier.is_none() && self.common.case.is_empty();
        if unlimited && seconds > DEFAULT_SECONDS && !self.common.quiet {
            note(format_args!(
                "this took {seconds} s; `--tier quick` is the shorter selection"
            ));
        }
    }

    fn bless(
        &self,
        request: &Request<'_>,
        measurements: &[Measurement],
        report: Report,
    ) -> anyhow::Result<()> {
        if report.exit() == Exit::Invalid {
            self.say("not blessed: invalid samples are never accepted");
            return Ok(());
        }
        let origin = Origin {
            machine: &self.machine,
            tool: &self.tool,
            source: &self.source,
            settings: Settings {
                samples: request.counts.plain as u64,
                environment: environment(),
            },
        };
        for kind in request.kinds {
            for change in bless::bless(&self.store, *kind, &origin, measurements)? {
                self.say(format_args!("blessed {change}"));
            }
        }
        Ok(())
    }

    fn write_report(
        &self,
        request: &Request<'_>,
        rows: &[Row],
        measurements: &[Measurement],
        loaded: &[(Kind, Option<Baseline>)],
        report: Report,
    ) -> anyhow::Result<()> {
        let time = json::utc(SystemTime::now());
        let state = |(kind, baseline): &(Kind, Option<Baseline>)| BaselineState {
            file: kind.file(&self.machine),
            state: if baseline.is_some() {
                "loaded"
            } else {
                "no-baseline"
            },
        };
        let document = Document {
            schema: json::Schema::current(),
            command: request.command,
            exit: report.exit().code(),
            time: time.clone(),
            tool: &self.tool,
            source: &self.source,
            machine: &self.machine,
            settings: json::Settings {
                samples: request.counts,
                warmup: self.setup.warmup,
                repeat: self.setup.repeat,
                environment: environment(),
                own_peak_bytes: procfs::own_peak(),
            },
            baselines: loaded.iter().map(state).collect(),
            rows,
            cases: measurements,
            skipped: &self.skipped,
        };
        let text = json::to_text(&document)?;
        let runs = self.scratch.join("runs");
        let revision = self.source.revision.get(..8).unwrap_or("none");
        let name = format!("{}-{revision}.json", time.replace(':', ""));
        fs::create_dir_all(&runs)
            .and_then(|()| fs::write(runs.join(name), &text))
            .with_context(|| format!("cannot write below {}", runs.display()))?;
        match &self.common.json {
            None => Ok(()),
            Some(_) if self.common.json_on_stdout() => {
                answer(text.trim_end());
                Ok(())
            }
            Some(path) => fs::write(path, &text)
                .with_context(|| format!("cannot write the report to {}", path.display())),
        }
    }
}

fn environment() -> Vec<String> {
    ["LC_ALL=C", "TZ=UTC"].map(str::to_owned).into()
}

/// The command that shows a failure again.
fn reproduce(command: &str, row: &Row) -> String {
    let case = shell_quoted(&row.case);
    let heap = row.metric.starts_with("heap_") || row.metric.starts_with("planned_");
    if command == "bench-memory" && heap {
        return format!("cargo xtask {command} --case {case} --explain {case}");
    }
    format!("cargo xtask {command} --case {case} --check")
}

/// Quoted for a shell; names of cases contain no quotes.
fn shell_quoted(text: &str) -> String {
    format!("'{text}'")
}

/// Adds the peak without the floor of a process, when the session has measured that floor.
fn subtract_floor(measurements: &mut [Measurement]) {
    let noop = measurements
        .iter()
        .find(|m| m.case == "noop" && m.is_valid());
    let Some(floor) = noop.and_then(|noop| noop.median("rss_peak")) else {
        return;
    };
    for measurement in measurements {
        let Some(measured) = measurement.metrics.get("rss_peak") else {
            continue;
        };
        let above = |bytes: &u64| bytes.saturating_sub(floor);
        let measured = Measured {
            median: above(&measured.median),
            samples: measured.samples.iter().map(above).collect(),
        };
        measurement
            .metrics
            .insert("rss_above_noop".to_owned(), measured);
    }
}
