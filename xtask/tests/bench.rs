//! The measuring commands from end to end, with a scenario binary that does as it is told.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "functions of a test may fail it")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use xtask::baseline::store::Store;

const STEADY: &str = "fake/steady?threads=1";

/// A copy of the fixture with its own baselines, so that tests do not see each other.
struct Place {
    directory: TempDir,
}

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for name in ["fake-scenario", "fake-scenario-heap"] {
            fs::copy(
                env!("CARGO_BIN_EXE_fake-scenario"),
                directory.path().join(name),
            )
            .expect("the fixture was built");
        }
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Sets a number that the fixture reads: `allocation`, `plan`, `version`.
    fn set(&self, name: &str, number: u64) {
        fs::write(self.path(name), number.to_string()).expect("a writable directory");
    }

    fn run(&self, command: &str, arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg(command)
            .arg("--binary")
            .arg(self.path("fake-scenario"))
            .arg("--heap-binary")
            .arg(self.path("fake-scenario-heap"))
            .arg("--baselines")
            .arg(self.path("baselines"))
            .args(["--samples", "2"])
            .args(arguments)
            .env("CARGO_TARGET_DIR", self.path("target"))
            .env_remove("NO_COLOR")
            .output()
            .expect("xtask was built");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Ran {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    fn steady(&self, arguments: &[&str]) -> Ran {
        let mut all = vec!["--case", STEADY];
        all.extend(arguments);
        self.run("bench-memory", &all)
    }

    fn bless(&self) -> Ran {
        self.steady(&["--bless", "--allow-dirty"])
    }
}

impl Ran {
    #[track_caller]
    fn exits(&self, code: i32) -> &Self {
        assert_eq!(
            self.code,
            Some(code),
            "stdout:\n{}stderr:\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    #[track_caller]
    fn says(&self, part: &str) -> &Self {
        assert!(
            self.stdout.contains(part),
            "no `{part}` in\n{}{}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Whether one line of the table has all of these words.
    #[track_caller]
    fn has_row(&self, words: &[&str]) -> &Self {
        let found = self
            .stdout
            .lines()
            .any(|line| words.iter().all(|word| line.contains(word)));
        assert!(
            found,
            "no line with {words:?} in\n{}{}",
            self.stdout, self.stderr
        );
        self
    }
}

#[test]
fn doubled_allocation_is_a_regression_with_a_name() {
    let place = Place::new();
    place.set("allocation", 256);
    place
        .bless()
        .exits(0)
        .says("blessed fake/steady?threads=1 heap_peak: none -> 256 KiB");
    place
        .steady(&["--check"])
        .exits(0)
        .has_row(&[STEADY, "heap_peak", "0.0 %", "ok"]);
    place.set("allocation", 512);
    let ran = place.steady(&["--check"]);
    ran.exits(1)
        .has_row(&[
            STEADY,
            "heap_peak",
            "256 KiB",
            "512 KiB",
            "+100.0 %",
            "2 %",
            "REGRESSED",
        ])
        .has_row(&[STEADY, "heap_total", "REGRESSED"])
        .says(&format!(
            "  reproduce: cargo xtask bench-memory --case '{STEADY}' --explain '{STEADY}'"
        ));
    place
        .steady(&[])
        .exits(0)
        .has_row(&["heap_peak", "REGRESSED"]);
    let widened = [
        "--check",
        "--tolerance",
        "heap_peak=2",
        "--tolerance",
        "heap_total=200%",
    ];
    let widened: Vec<&str> = widened
        .into_iter()
        .chain(["--tolerance", "heap_peak_run=1.0"])
        .collect();
    place
        .steady(&widened)
        .exits(0)
        .has_row(&["heap_peak", "200 %", "ok"]);
}

#[test]
fn improvement_never_fails_and_asks_for_a_blessing() {
    let place = Place::new();
    place.set("allocation", 512);
    place.bless().exits(0);
    place.set("allocation", 256);
    let ran = place.steady(&["--check"]);
    ran.exits(0)
        .has_row(&["heap_peak", "-50.0 %", "improved: consider --bless"]);
    place.bless().exits(0).says("heap_peak: 512 KiB -> 256 KiB");
    place
        .steady(&["--check"])
        .exits(0)
        .has_row(&["heap_peak", "0.0 %", "ok"]);
}

#[test]
fn misbehaving_scenarios_are_invalid_and_never_blessed() {
    let place = Place::new();
    for (case, expected) in [
        (
            "fake/garbage",
            "line 2: `assembling the model ...` is not a sample line",
        ),
        ("fake/exit", "exit code 7: the solver diverged"),
        ("fake/abort", "killed by signal 6"),
        ("fake/drift", "nondeterministic: heap_peak is "),
        ("fake/check-drift", "nondeterministic: check is "),
        ("fake/hang", "timeout after 0.5 s"),
    ] {
        let arguments = [
            "--case",
            case,
            "--bless",
            "--allow-dirty",
            "--timeout",
            "0.5",
            "--quiet",
        ];
        let ran = place.run("bench-memory", &arguments);
        ran.exits(3)
            .has_row(&[case, "INVALID"])
            .says(expected)
            .says(&format!(
                "reproduce: cargo xtask bench-memory --case '{case}'"
            ))
            .says("not blessed");
        assert!(
            !place.path("baselines").exists(),
            "{case}: nothing is written"
        );
    }
}

#[test]
fn missing_and_broken_baselines_have_their_own_code() {
    let place = Place::new();
    place.steady(&[]).exits(0).has_row(&["heap_peak", "new"]);
    let ran = place.steady(&["--check", "--json", "-"]);
    ran.exits(4);
    let report: Value = serde_json::from_str(&ran.stdout).expect("a report");
    assert_eq!(
        report["baselines"][0]["state"], "no-baseline",
        "{}",
        report["baselines"]
    );
    assert!(
        !place.path("baselines").exists(),
        "measuring writes no baseline"
    );

    place.bless().exits(0);
    let file = place.path("baselines/memory.json");
    let valid = fs::read(&file).expect("just blessed");
    let half = &valid[..valid.len() / 2];
    fs::write(&file, half).expect("writable");
    for arguments in [&[][..], &["--check"], &["--bless", "--allow-dirty"]] {
        let ran = place.steady(arguments);
        ran.exits(4);
        assert!(
            ran.stderr.contains("baseline unreadable: "),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("memory.json"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        assert_eq!(
            fs::read(&file).expect("still there"),
            half,
            "{arguments:?}: preserved"
        );
    }
}

#[test]
fn blessing_is_exclusive_and_touches_only_what_is_selected() {
    let place = Place::new();
    place.bless().exits(0);
    let file = place.path("baselines/memory.json");
    let text = fs::read_to_string(&file).expect("just blessed");
    let start = text.find("    \"fake/steady").expect("the case");
    let end = text.rfind("\n  }\n}").expect("the end of the cases");
    let other = text[start..end].replacen("fake/steady?threads=1", "other/case", 1);
    fs::write(&file, format!("{},\n{other}{}", &text[..end], &text[end..])).expect("writable");

    let store = Store::new(place.path("baselines"));
    let lock = store.lock().expect("nobody else");
    let ran = place.bless();
    ran.exits(4);
    assert!(
        ran.stderr.contains("another process is writing"),
        "{}",
        ran.stderr
    );
    drop(lock);
    place.set("allocation", 300);
    place.bless().exits(0).says("heap_peak: 256 KiB -> 300 KiB");
    let baseline = store.load("memory.json").expect("readable").expect("there");
    assert_eq!(
        baseline.cases["other/case"].metrics["heap_peak"].median,
        256 << 10,
        "kept"
    );
    assert_eq!(
        baseline.cases[STEADY].metrics["heap_peak"].median,
        300 << 10,
        "replaced"
    );
}

#[test]
fn another_version_or_configuration_is_stale_and_not_compared() {
    let place = Place::new();
    place.bless().exits(0);
    place.set("version", 2);
    place.set("allocation", 9000);
    let ran = place.steady(&[]);
    ran.exits(0)
        .has_row(&["heap_peak", "stale"])
        .says("scenario version 2 is not that of");
    place.steady(&["--check"]).exits(4);
    assert!(
        !ran.stdout.contains("REGRESSED"),
        "never compared: {}",
        ran.stdout
    );

    place.set("version", 1);
    let file = place.path("baselines/memory.json");
    let text = fs::read_to_string(&file).expect("just blessed");
    fs::write(
        &file,
        text.replace("\"size\": \"small\"", "\"size\": \"large\""),
    )
    .expect("writable");
    place
        .steady(&["--check"])
        .exits(4)
        .says("configuration differs: size was large, is small");
}

#[test]
fn plans_are_held_against_what_is_measured() {
    let place = Place::new();
    place.set("allocation", 1000);
    place.set("plan", 1100);
    place.bless().exits(0);
    let row = [STEADY, "planned_over_measured", "x1.10", "1.00-1.25", "ok"];
    place.steady(&["--check"]).exits(0).has_row(&row);
    place
        .steady(&["--explain", STEADY])
        .exits(0)
        .says("planned / measured = 1.10");
    for plan in [1300, 900] {
        place.set("plan", plan);
        let row = [STEADY, "planned_over_measured", "OUTSIDE PLAN"];
        place
            .steady(&["--check"])
            .exits(1)
            .has_row(&row)
            .says("reproduce: ");
    }
    // Within 64 KiB a small case may be off by any factor.
    place.set("plan", 940);
    place
        .steady(&["--check"])
        .exits(0)
        .has_row(&["planned_over_measured", "x0.94", "ok"]);
}

#[test]
fn wrong_arguments_exit_with_two() {
    let place = Place::new();
    for (arguments, expected) in [
        (
            &["--case", "fake/nothing"][..],
            "unknown scenario `fake/nothing`",
        ),
        (&["--filter", "nowhere"], "no case is selected"),
        (&["--tolerance", "weight=1"], "unknown metric `weight`"),
        (&["--check", "--bless"], "cannot be used with"),
        (&["--allow-dirty"], "--bless"),
        (&["--timeout", "0"], "--timeout"),
        (&["--threads", "0"], "0"),
        (&["--limit", "much"], "--limit"),
        (&["--scaling", STEADY], "declares no axis"),
        (
            &["--threads", "2", "--case", "fake/exit"],
            "no case is selected",
        ),
    ] {
        let ran = place.run("bench-memory", arguments);
        ran.exits(2);
        assert!(
            ran.stderr.contains(expected),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn report_is_json_without_surprises_and_the_table_moves_aside() {
    let place = Place::new();
    let ran = place.steady(&["--json", "-"]);
    ran.exits(0);
    let report: Value = serde_json::from_str(&ran.stdout).expect("nothing but JSON on stdout");
    assert_eq!(report["schema"]["name"], "bifrons-report", "schema");
    assert_eq!(report["exit"], 0, "exit code");
    let samples = &report["cases"][0]["metrics"]["heap_peak"]["samples"];
    assert_eq!(
        *samples,
        serde_json::json!([262_144, 262_144]),
        "whole bytes, all samples"
    );
    for token in ["NaN", "nan", "Infinity", "inf,"] {
        assert!(!ran.stdout.contains(token), "{token}");
    }
    assert!(ran.stderr.contains("verdict"), "the table: {}", ran.stderr);
    assert!(
        !ran.stderr.contains('\u{1b}'),
        "no colours without a terminal: {}",
        ran.stderr
    );

    let file = place.path("report.json");
    let ran = place.steady(&["--json", &file.to_string_lossy()]);
    ran.exits(0).says("verdict");
    let text = fs::read_to_string(&file).expect("written");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["command"], "bench-memory", "command");
    let runs = fs::read_dir(place.path("target/xtask/runs"))
        .expect("kept runs")
        .count();
    assert!(runs >= 1, "raw samples are kept");
}

#[test]
fn selection_lists_and_times() {
    let place = Place::new();
    let ran = place.run("bench-memory", &["--list"]);
    ran.exits(0)
        .has_row(&["case", "tier", "version"])
        .has_row(&["fake/garbage", "full"]);
    let ran = place.run("bench-memory", &["--list", "--tier", "quick"]);
    ran.exits(0).has_row(&[STEADY, "quick"]);
    assert!(
        !ran.stdout.contains("fake/garbage"),
        "quick only: {}",
        ran.stdout
    );

    let ran = place.run("bench-time", &["--smoke", "--quiet"]);
    ran.exits(0)
        .has_row(&[STEADY, "first", "recorded"])
        .has_row(&["warm", "1.1 us"]);
    let arguments = [
        "--case",
        STEADY,
        "--bless",
        "--allow-dirty",
        "--phase",
        "warm",
    ];
    place
        .run("bench-time", &arguments)
        .exits(0)
        .says("warm: none -> 1.1 us");
    let ran = place.run(
        "bench-time",
        &["--case", STEADY, "--check", "--phase", "warm"],
    );
    ran.exits(0).has_row(&["warm", "0.0 %", "50 %", "ok"]);
}

#[test]
fn kept_directories_hold_the_output_of_each_sample() {
    let place = Place::new();
    let keep = place.path("kept");
    place.steady(&["--keep", &keep.to_string_lossy()]).exits(0);
    let mut names: Vec<String> = fs::read_dir(&keep)
        .expect("kept")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let expected = [
        "fake-steady-threads-1-heap-0",
        "fake-steady-threads-1-heap-1",
        "fake-steady-threads-1-plain-0",
        "fake-steady-threads-1-plain-1",
    ];
    assert_eq!(names, expected, "one directory for each sample");
    let stdout = fs::read_to_string(keep.join(expected[0]).join("stdout")).expect("kept");
    assert!(stdout.contains("\"event\":\"result\""), "{stdout}");
}
