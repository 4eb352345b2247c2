//! A build from nothing, and what each compiler process in it costs.
//!
//! The build runs with this program as `RUSTC_WRAPPER`. In that mode, chosen by an environment
//! variable, it starts the compiler, waits for it with `wait4` and appends a line to a log.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use wait4::Wait4 as _;

use super::cgroup::{Group, Hierarchy};
use super::child::{self, Job};
use crate::workspace::Workspace;

/// The variable that makes this program a wrapper; its value is the path of the log.
pub const WRAPPER_LOG: &str = "BIFRONS_XTASK_RUSTC_LOG";

/// Longest time of one build.
const TIMEOUT: Duration = Duration::from_secs(3600);

/// What is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The package.
    pub package: String,
    /// Compilers at the same time.
    pub jobs: usize,
    /// Whether with all features.
    pub all_features: bool,
}

impl Variant {
    /// The name of the case.
    #[must_use]
    pub fn case(&self) -> String {
        format!("build/{}?jobs={}", self.package, self.jobs)
    }

    /// What two records must have in common.
    #[must_use]
    pub fn configuration(&self) -> BTreeMap<String, String> {
        let features = if self.all_features { "all" } else { "default" };
        let pairs = [
            ("features", features.to_owned()),
            ("jobs", self.jobs.to_string()),
            ("package", self.package.clone()),
            ("profile", "release".to_owned()),
        ];
        pairs.map(|(key, value)| (key.to_owned(), value)).into()
    }
}

/// One run of the compiler.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Unit {
    /// Name of the crate.
    pub name: String,
    /// Time.
    pub wall_ns: u64,
    /// Processor time.
    pub cpu_ns: u64,
    /// Largest resident set in bytes.
    pub maxrss: u64,
}

/// A finished build.
#[derive(Clone, Debug)]
pub struct Built {
    /// Metrics by name.
    pub metrics: BTreeMap<&'static str, u64>,
    /// Runs of the compiler.
    pub units: Vec<Unit>,
    /// Why the build is worthless, if it is.
    pub problem: Option<String>,
}

/// Fetches all sources, so that the network is never measured.
///
/// # Errors
///
/// When cargo fails; for example without network and without the sources.
pub fn fetch(workspace: &Workspace) -> anyhow::Result<()> {
    let mut command = workspace.cargo();
    command
        .args(["fetch", "--quiet"])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    if !command.status().context("cannot start cargo")?.success() {
        bail!("`cargo fetch` failed; the sources of all dependencies are needed");
    }
    Ok(())
}

/// Builds a variant in an empty target directory, which is removed afterwards.
///
/// # Errors
///
/// When the build cannot be started or its traces cannot be read. A build that fails is in the
/// result.
pub fn build(
    workspace: &Workspace,
    variant: &Variant,
    hierarchy: Option<&Hierarchy>,
) -> anyhow::Result<Built> {
    fs::create_dir_all(workspace.scratch())?;
    let target = tempfile::Builder::new()
        .prefix("cold-")
        .tempdir_in(workspace.scratch())?;
    let log = target.path().join("rustc.log");
    let group = hierarchy.map(Hierarchy::group).transpose()?;
    let job = job(workspace, variant, target.path(), &log, group.as_ref())?;
    let finished = child::run(&job)?;
    let problem = (!finished.ending.is_success()).then(|| {
        let last = finished.errors.lines().last().unwrap_or_default();
        format!("the build ended with {}: {last}", finished.ending)
    });
    let text = fs::read_to_string(&log).unwrap_or_default();
    let units: Vec<Unit> = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .context("the log")?;
    let names: BTreeSet<&str> = units.iter().map(|unit| unit.name.as_str()).collect();
    let mut metrics = BTreeMap::from([
        ("build_wall", nanoseconds(finished.wall)),
        ("build_cpu", nanoseconds(finished.cpu)),
        ("packages", names.len() as u64),
        ("disk", disk(target.path())),
    ]);
    metrics.extend(
        units
            .iter()
            .map(|unit| unit.maxrss)
            .max()
            .map(|peak| ("build_rss_peak", peak)),
    );
    if let Some(group) = &group {
        metrics.insert("cgroup_peak", group.peak()?);
    }
    Ok(Built {
        metrics,
        units,
        problem,
    })
}

fn job(
    workspace: &Workspace,
    variant: &Variant,
    target: &Path,
    log: &Path,
    group: Option<&Group>,
) -> anyhow::Result<Job> {
    let cargo = PathBuf::from(workspace.cargo().get_program());
    let mut arguments: Vec<OsString> = ["build", "--release", "--offline", "--quiet", "--package"]
        .map(Into::into)
        .into();
    arguments.extend([variant.package.clone().into(), "--jobs".into()]);
    arguments.push(variant.jobs.to_string().into());
    if variant.all_features {
        arguments.push("--all-features".into());
    }
    let mut job = match group {
        // The shell joins the group and becomes cargo, so that no code runs between fork and
        // exec.
        Some(group) => Job::new(Path::new("/bin/sh"), workspace.root(), TIMEOUT)
            .with(["-c", "echo $$ > \"$1\"; shift; exec \"$@\"", "join"])
            .with([group.join_file().into_os_string(), cargo.into_os_string()])
            .with(arguments),
        None => Job::new(&cargo, workspace.root(), TIMEOUT).with(arguments),
    };
    for key in [
        "HOME",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "RUSTUP_TOOLCHAIN",
        "RUSTFLAGS",
    ] {
        job.environment
            .extend(std::env::var_os(key).map(|value| (key.into(), value)));
    }
    let own = std::env::current_exe().context("cannot find this program")?;
    job.environment.extend([
        ("CARGO_INCREMENTAL".into(), "0".into()),
        ("CARGO_TARGET_DIR".into(), target.into()),
        ("RUSTC_WRAPPER".into(), own.into()),
        (WRAPPER_LOG.into(), log.into()),
    ]);
    Ok(job)
}

fn disk(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else {
        return 0;
    };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => disk(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}

/// The wrapper: runs the compiler that the arguments name and appends what it cost to `log`.
#[must_use]
pub fn wrapper(log: &Path) -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match compile(log, &arguments) {
        Ok(code) => code,
        Err(error) => {
            crate::report::note(format_args!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn compile(log: &Path, arguments: &[OsString]) -> anyhow::Result<ExitCode> {
    let (compiler, rest) = arguments.split_first().context("no compiler is named")?;
    let start = Instant::now();
    let child = Command::new(compiler)
        .args(rest)
        .spawn()
        .context("cannot start the compiler")?;
    let used = child.wait4().context("cannot wait for the compiler")?;
    let unit = Unit {
        name: crate_name(rest),
        wall_ns: nanoseconds(start.elapsed()),
        cpu_ns: nanoseconds(used.rusage.utime + used.rusage.stime),
        maxrss: used.rusage.maxrss,
    };
    // Without a name the compiler was only asked about itself.
    if !unit.name.is_empty() && unit.name != "___" {
        let mut line = serde_json::to_string(&unit)?;
        line.push('\n');
        let mut file = OpenOptions::new().create(true).append(true).open(log)?;
        // One write: compilers that end at the same time do not mix their lines.
        file.write_all(line.as_bytes())?;
    }
    let code = used
        .status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(1);
    Ok(ExitCode::from(code))
}

fn crate_name(arguments: &[OsString]) -> String {
    let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy());
    arguments
        .find(|argument| argument == "--crate-name")
        .and_then(|_| arguments.next())
        .map(|name| name.into_owned())
        .unwrap_or_default()
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_named_by_the_compiler_arguments() {
        let name = |arguments: &[&str]| {
            crate_name(&arguments.iter().map(Into::into).collect::<Vec<OsString>>())
        };
        assert_eq!(
            name(&["--crate-name", "serde", "--edition=2021"]),
            "serde",
            "a crate"
        );
        assert_eq!(name(&["-vV"]), "", "a question");
        assert_eq!(name(&["--crate-name"]), "", "cut off");
    }

    #[test]
    fn variants_are_named_and_configured() {
        let variant = Variant {
            package: "bifrons".into(),
            jobs: 2,
            all_features: true,
        };
        assert_eq!(variant.case(), "build/bifrons?jobs=2", "name");
        let configuration = variant.configuration();
        assert_eq!(configuration["features"], "all", "features");
        assert_eq!(configuration["jobs"], "2", "jobs");
    }
}
