//! Children that are killed, crash, hang, leave others behind or say nothing.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "functions of a test may fail it")]

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use xtask::measure::child::{self, Ending, Finished, Job};
use xtask::measure::procfs::{self, Observation, Watched};
use xtask::measure::protocol::CaseLine;
use xtask::measure::sample::{self, Meter, Problem, Sample};

const FAKE: &str = env!("CARGO_BIN_EXE_fake-scenario");
const TOUCHED: u64 = 64 << 20;

fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

fn run(case: &str, directory: &Path, timeout: Duration) -> Finished {
    let job = Job::new(Path::new(FAKE), directory, timeout).with(["run", case]);
    child::run(&job).expect("the fixture starts")
}

fn judged(case: &str, finished: &Finished) -> Sample {
    let text = format!(r#"{{"case":"{case}","scenario":"fake","version":1}}"#);
    let case: CaseLine = serde_json::from_str(&text).expect("a case");
    sample::judge(&case, Meter::Plain, finished)
}

fn patient(case: &str) -> Sample {
    let directory = directory();
    judged(case, &run(case, directory.path(), Duration::from_secs(30)))
}

/// The id that the fixture has written once everything is in place.
fn announced(directory: &Path) -> u32 {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let text = std::fs::read_to_string(directory.join("announced")).unwrap_or_default();
        if let Ok(pid) = text.parse() {
            return pid;
        }
        assert!(Instant::now() < deadline, "the fixture announces itself");
        thread::sleep(Duration::from_millis(5));
    }
}

fn signal(number: &str, pid: u32) {
    let status = Command::new("/bin/sh")
        .args(["-c", "kill \"$1\" \"$2\"", "kill", number, &pid.to_string()])
        .status()
        .expect("a shell");
    assert!(status.success(), "kill {number} {pid}: {status}");
}

#[test]
fn killed_child_leaves_a_lower_bound_and_no_measurement() {
    let directory = directory();
    let path = directory.path().to_owned();
    let killer = thread::spawn(move || {
        let pid = announced(&path);
        // Long enough to be looked at from outside at least once.
        thread::sleep(Duration::from_millis(200));
        signal("-9", pid);
        Instant::now()
    });
    let finished = run("fake/touch", directory.path(), Duration::from_secs(30));
    let since = killer.join().expect("the killer ends").elapsed();
    assert_eq!(finished.ending, Ending::Signalled(9), "{finished:?}");
    assert_eq!(
        finished.ending.to_string(),
        "killed by signal 9",
        "in words"
    );
    assert!(
        since < Duration::from_secs(2),
        "returned {since:?} after the kill"
    );
    let sample = judged("fake/touch", &finished);
    assert!(!sample.is_usable(), "{sample:?}");
    assert!(
        sample.metrics.is_empty(),
        "nothing that could become a baseline: {sample:?}"
    );
    if procfs::own_peak().is_some() {
        let bound = sample.peak_lower_bound.expect("watched from outside");
        assert!(bound >= TOUCHED, "{bound} bytes");
    }
}

#[test]
fn exit_codes_and_signals_are_reported() {
    let sample = patient("fake/exit");
    let problem = sample.problems.first().expect("a problem");
    let Problem::Ended { ending, errors } = problem else {
        panic!("{problem}")
    };
    assert_eq!(*ending, Ending::Exited(7), "{problem}");
    assert!(errors.starts_with("the solver diverged"), "{errors}");

    let directory = directory();
    let finished = run(
        "fake/exit?code=3",
        directory.path(),
        Duration::from_secs(30),
    );
    assert_eq!(finished.ending, Ending::Exited(3), "{finished:?}");
    assert!(
        !judged("fake/exit?code=3", &finished).is_usable(),
        "{finished:?}"
    );

    let sample = patient("fake/abort");
    let problem = sample.problems.first().expect("a problem").to_string();
    assert!(problem.starts_with("killed by signal 6"), "{problem}");
    assert_eq!(
        sample.problems.len(),
        1,
        "one cause, one problem: {:?}",
        sample.problems
    );
}

#[test]
fn child_that_ends_at_once_has_no_peak_rather_than_zero() {
    let sample = patient("fake/instant");
    assert_eq!(sample.problems, [Problem::NoResult], "{sample:?}");
    assert!(!sample.metrics.contains_key("rss_peak"), "{sample:?}");
    let sample = patient("fake/zero-peak");
    assert!(
        sample.problems.contains(&Problem::ZeroPeak),
        "{:?}",
        sample.problems
    );
}

#[test]
fn zombie_counts_as_ended() {
    if procfs::own_peak().is_none() {
        return;
    }
    let mut zombie = Command::new("/bin/sh")
        .args(["-c", "exit 0"])
        .spawn()
        .expect("a shell");
    let watched = Watched::new(zombie.id());
    let deadline = Instant::now() + Duration::from_secs(10);
    while procfs::stat(zombie.id()).is_some_and(|stat| stat.state != 'Z') {
        assert!(Instant::now() < deadline, "the shell ends");
        thread::sleep(Duration::from_millis(2));
    }
    let watched = watched
        .or_else(|| Watched::new(zombie.id()))
        .expect("not waited for yet");
    assert_eq!(
        watched.observe(),
        Observation::Ended,
        "nobody has waited for it"
    );
    let reused = Watched {
        start: watched.start + 1,
        ..watched
    };
    assert_eq!(
        reused.observe(),
        Observation::Replaced,
        "another start is another process"
    );
    zombie.wait().expect("waited for");
}

#[test]
fn timeout_ends_the_child_and_its_group() {
    let directory = directory();
    let start = Instant::now();
    let limit = Duration::from_secs(1);
    let finished = run("fake/grandchild", directory.path(), limit);
    assert_eq!(finished.ending, Ending::TimedOut(limit), "{finished:?}");
    assert_eq!(
        finished.ending.to_string(),
        "timeout after 1.0 s",
        "in words"
    );
    let elapsed = start.elapsed();
    assert!(
        elapsed < limit + Duration::from_secs(2),
        "{elapsed:?} for a limit of {limit:?}"
    );
    let group = announced(directory.path());
    assert_eq!(
        procfs::group_members(group),
        Vec::<u32>::new(),
        "no survivor"
    );
    assert!(
        !judged("fake/grandchild", &finished).is_usable(),
        "a timeout is no measurement"
    );
}

#[test]
fn process_left_behind_is_killed_and_makes_the_sample_invalid() {
    let directory = directory();
    let start = Instant::now();
    let finished = run("fake/stray", directory.path(), Duration::from_secs(30));
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "it is not waited for"
    );
    assert_eq!(finished.ending, Ending::Exited(0), "{finished:?}");
    if procfs::own_peak().is_some() {
        assert_eq!(finished.strays, 1, "{finished:?}");
        assert_eq!(
            procfs::group_members(announced(directory.path())),
            Vec::<u32>::new(),
            "none"
        );
        let sample = judged("fake/stray", &finished);
        assert_eq!(
            sample.problems,
            [Problem::Strays { count: 1 }],
            "{sample:?}"
        );
    }
}

#[test]
fn garbage_and_foreign_results_are_breaches() {
    let sample = patient("fake/garbage");
    let problem = sample.problems.first().expect("a problem").to_string();
    assert!(
        problem.starts_with("line 2: `assembling the model ...`"),
        "{problem}"
    );
    assert_eq!(
        sample.problems.len(),
        1,
        "the rest is not read: {:?}",
        sample.problems
    );

    let sample = patient("fake/other");
    let problem = sample.problems.first().expect("a problem").to_string();
    assert!(
        problem.contains("ran `fake/steady?threads=1 version 1`"),
        "{problem}"
    );
}

#[test]
fn environment_is_the_allow_list() {
    let directory = directory();
    let job = Job::new(
        Path::new("/usr/bin/env"),
        directory.path(),
        Duration::from_secs(30),
    );
    let finished = child::run(&job).expect("env starts");
    let mut names: Vec<&str> = finished
        .lines
        .iter()
        .filter_map(|line| line.text.split('=').next())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["LC_ALL", "PATH", "TZ"], "nothing else is inherited");
}
