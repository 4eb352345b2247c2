//! `ci` and `test`: which steps run, what is printed, and how tests are counted.

use std::time::Duration;

use clap::Parser as _;
use xtask::cli::{Cli, Command};
use xtask::commands::check::parses;
use xtask::commands::ci::{Args, Outcome, Row, Step, chosen, lines, run_all};
use xtask::commands::test::{self, Counts, Part, arguments};
use xtask::report::{Exit, Failure};

/// The arguments of `ci` as typed.
fn ci_args(words: &str) -> Result<Args, String> {
    let all = ["cargo xtask", "ci"]
        .into_iter()
        .chain(words.split_whitespace());
    match Cli::try_parse_from(all)
        .map_err(|error| error.to_string())?
        .command
    {
        Command::Ci(args) => Ok(args),
        other => Err(format!("parsed as {other:?}")),
    }
}

fn test_args(words: &str) -> Result<test::Args, String> {
    let all = ["cargo xtask", "test"]
        .into_iter()
        .chain(words.split_whitespace());
    match Cli::try_parse_from(all)
        .map_err(|error| error.to_string())?
        .command
    {
        Command::Test(args) => Ok(args),
        other => Err(format!("parsed as {other:?}")),
    }
}

#[test]
fn arguments_select_steps_in_their_order() {
    let cases: &[(&str, &[Step])] = &[
        ("", &Step::ALL),
        (
            "--from deny",
            &[Step::Deny, Step::BenchMemory, Step::BenchTime],
        ),
        ("--only tests --only fmt", &[Step::Fmt, Step::Tests]),
        ("--only doc-tests", &[Step::DocTests]),
    ];
    for (words, expected) in cases {
        assert_eq!(
            chosen(&ci_args(words).expect("they parse")),
            *expected,
            "for {words:?}"
        );
    }
    for words in ["--only nothing", "--from deny --only fmt"] {
        assert!(ci_args(words).is_err(), "{words:?} makes no sense");
    }
}

#[test]
fn every_step_names_a_command_that_exists() {
    assert!(
        Step::ALL.is_sorted(),
        "the order of the list is the order of the steps"
    );
    for step in Step::ALL {
        let command = step.command();
        if let Some(ours) = command.strip_prefix("cargo xtask ") {
            let words: Vec<String> = ours.split(' ').map(str::to_owned).collect();
            assert_eq!(
                parses(&words),
                Ok(()),
                "{} is reproduced by {command}",
                step.name()
            );
        } else {
            assert!(
                command.contains("cargo "),
                "{} is reproduced by {command}",
                step.name()
            );
        }
    }
}

/// Formatting passes, tidy finds something, layers cannot work, links are left out.
fn play(step: Step) -> anyhow::Result<Outcome> {
    match step {
        Step::Fmt => Ok(Outcome::Passed(String::new())),
        Step::Tidy => Ok(Outcome::Failed(Exit::Findings, "2 findings".to_owned())),
        Step::Layers => Err(Failure::new(Exit::Baseline, "no rules").into()),
        _ => Ok(Outcome::Skipped("not installed".to_owned())),
    }
}

#[test]
fn all_failures_are_collected_unless_the_first_ends_the_run() {
    let steps = [Step::Fmt, Step::Tidy, Step::Layers, Step::Links];
    let rows = run_all(&steps, false, play);
    let outcomes: Vec<&Outcome> = rows.iter().map(|row| &row.outcome).collect();
    assert_eq!(
        outcomes,
        [
            &Outcome::Passed(String::new()),
            &Outcome::Failed(Exit::Findings, "2 findings".to_owned()),
            &Outcome::Failed(Exit::Baseline, "no rules".to_owned()),
            &Outcome::Skipped("not installed".to_owned()),
        ],
        "a step that cannot work is a failure with the code of its error"
    );
    let rows = run_all(&steps, true, play);
    assert_eq!(rows.len(), 2, "the second step failed");
}

#[test]
fn the_end_says_what_failed_and_how_to_see_it_again() {
    let row = |step, seconds, outcome| Row {
        step,
        outcome,
        duration: Duration::from_secs_f64(seconds),
    };
    let rows = [
        row(Step::Fmt, 0.84, Outcome::Passed(String::new())),
        row(
            Step::Tidy,
            59.96,
            Outcome::Failed(Exit::Findings, "2 findings".to_owned()),
        ),
        row(
            Step::Deny,
            605.0,
            Outcome::Skipped("cargo-deny not installed".to_owned()),
        ),
    ];
    let expected = "
step           result    time       note
fmt            ok            0.8 s
tidy           FAILED     0 m 59 s  2 findings
deny           skipped   10 m 05 s  skipped: cargo-deny not installed
FAILED tidy: 2 findings
  reproduce: cargo xtask check tidy
ci: 1 ok, 1 failed, 1 skipped, 2 not run in 11 m 05 s";
    assert_eq!(
        lines(&rows, 5).join("\n"),
        expected,
        "table, failures, closing line"
    );
}

#[test]
fn closing_lines_are_counted() {
    let counts = |passed, failed, skipped| Counts {
        passed,
        failed,
        skipped,
    };
    for (line, expected) in [
        (
            "test result: ok. 12 passed; 0 failed; 3 ignored; 1 measured; 7 filtered out; \
             finished in 0.81s",
            counts(12, 0, 3),
        ),
        (
            "test result: FAILED. 1 passed; 2 failed; 0 ignored;",
            counts(1, 2, 0),
        ),
        (
            "     Summary [   2.466s] 42 tests run: 42 passed, 0 skipped",
            counts(42, 0, 0),
        ),
        (
            "     Summary [  61.5s] 20/36 tests run: 17 passed (2 slow, 1 leaky), 2 failed, \
             1 timed out, 4 skipped",
            counts(17, 3, 4),
        ),
        (
            "     Summary [ 0.1s] 1 test run: 1 passed, 0 skipped",
            counts(1, 0, 0),
        ),
        (
            "        PASS [   0.029s] (20/42) crate passed",
            counts(0, 0, 0),
        ),
        ("running 3 tests", counts(0, 0, 0)),
    ] {
        let mut found = Counts::default();
        found.read(line);
        assert_eq!(found, expected, "in {line}");
    }
    let mut total = counts(1, 2, 3);
    total.add(&counts(10, 20, 30));
    assert_eq!(
        total.to_string(),
        "11 passed, 22 failed, 33 skipped",
        "sums of two runs"
    );
}

#[test]
fn parts_of_the_suite_can_be_chosen() {
    let cases: &[(&str, &[Part])] = &[
        ("", &[Part::Suite, Part::Doc, Part::Release]),
        ("--skip-release", &[Part::Suite, Part::Doc]),
        ("--skip-doc --skip-release -p bifrons-ode", &[Part::Suite]),
        ("--release", &[Part::Release]),
        ("--doc", &[Part::Doc]),
    ];
    for (words, expected) in cases {
        let args = test_args(words).expect("they parse");
        assert_eq!(test::chosen(&args), *expected, "for {words:?}");
    }
    for words in [
        "--release --skip-release",
        "--doc --skip-doc",
        "--doc --release",
    ] {
        assert!(test_args(words).is_err(), "{words:?} makes no sense");
    }
}

#[test]
fn parts_become_commands_of_cargo() {
    let package = ["a".to_owned()];
    for (part, nextest, expected) in [
        (
            Part::Suite,
            true,
            "nextest run --no-fail-fast --no-tests pass --all-features --package a",
        ),
        (
            Part::Suite,
            false,
            "test --tests --no-fail-fast --all-features --package a",
        ),
        (
            Part::Doc,
            true,
            "test --doc --no-fail-fast --all-features --package a",
        ),
        (
            Part::Release,
            false,
            "test --tests --no-fail-fast --profile testrelease --all-features --package a",
        ),
    ] {
        let words = arguments(part, nextest, &package).join(" ");
        assert_eq!(words, expected, "for {part:?}, with nextest: {nextest}");
    }
}
