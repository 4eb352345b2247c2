//! `ci` and `test`: which steps run, what is printed, and how tests are counted.

use std::time::Duration;

use clap::Parser as _;
use xtask::cli::{Cli, Command};
use xtask::commands::check::parses;
use xtask::commands::ci::{Args, Outcome, Row, Step, chosen, lines, run_all};
use xtask::commands::test::{self, BareTest, Counts, Part, Reader, Selected, bare_tests, commands};
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
            Some(counts(12, 0, 3)),
        ),
        (
            "test result: FAILED. 1 passed; 2 failed; 0 ignored;",
            Some(counts(1, 2, 0)),
        ),
        ("    test result: ok. 1 passed; 2 failed; 0 ignored;", None),
        ("running 3 tests", None),
    ] {
        assert_eq!(Counts::of_result(line), expected, "in {line}");
    }
    for (line, expected) in [
        (
            "     Summary [   2.466s] 42 tests run: 42 passed, 0 skipped",
            Some(counts(42, 0, 0)),
        ),
        (
            "     Summary [  61.5s] 20/36 tests run: 17 passed (2 slow, 1 leaky), 2 failed, \
             1 timed out, 4 skipped",
            Some(counts(17, 3, 4)),
        ),
        (
            "     Summary [ 0.1s] 1 test run: 1 passed, 0 skipped",
            Some(counts(1, 0, 0)),
        ),
        ("        PASS [   0.029s] (20/42) crate passed", None),
    ] {
        assert_eq!(Counts::of_summary(line), expected, "in {line}");
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

/// The commands of a part as typed.
fn typed(part: Part, nextest: bool, bare: &[(&str, &str)]) -> Vec<String> {
    let bare = bare.iter().map(|&(package, target)| BareTest {
        package: package.to_owned(),
        target: target.to_owned(),
    });
    let selected = Selected {
        packages: vec!["a".to_owned(), "b".to_owned()],
        bare: bare.collect(),
    };
    let commands = commands(part, nextest, &selected);
    commands.into_iter().map(|words| words.join(" ")).collect()
}

#[test]
fn parts_become_commands_of_cargo() {
    let cases: [(Part, bool, &str); 4] = [
        (
            Part::Suite,
            true,
            "nextest run --no-fail-fast --no-tests pass --all-features -p a -p b",
        ),
        (
            Part::Suite,
            false,
            "test --no-fail-fast --tests --all-features -p a -p b",
        ),
        (
            Part::Doc,
            true,
            "test --no-fail-fast --doc --all-features -p a -p b",
        ),
        (
            Part::Release,
            false,
            "test --no-fail-fast --tests --profile testrelease --all-features -p a -p b",
        ),
    ];
    for (part, nextest, expected) in cases {
        let expected = expected.replace("-p ", "--package ");
        let words = typed(part, nextest, &[]);
        assert_eq!(words, [expected], "for {part:?}, with nextest: {nextest}");
    }
}

#[test]
fn tests_without_harness_get_a_command_of_their_own_beside_nextest() {
    let bare = [("a", "heap"), ("b", "heap"), ("b", "bare")];
    let packages = "--all-features --package a --package b";
    assert_eq!(
        typed(Part::Release, true, &bare),
        [
            format!(
                "nextest run --no-fail-fast --no-tests pass --cargo-profile testrelease {packages} \
                 --filterset not (binary(=bare) or binary(=heap))"
            ),
            format!("test --no-fail-fast --test bare --test heap --profile testrelease {packages}"),
        ],
        "each name once, in both"
    );
    assert_eq!(
        typed(Part::Suite, false, &bare).len(),
        1,
        "cargo test runs them anyway"
    );
    assert_eq!(
        typed(Part::Doc, true, &bare).len(),
        1,
        "they have no doc tests"
    );
}

#[test]
fn tests_without_harness_are_read_from_manifests_and_counted() {
    let manifest = "[[test]]\nname = \"heap\"\nharness = false\n\
                    [[test]]\nname = \"serde\"\n\
                    [[bench]]\nname = \"b\"\nharness = false\n";
    let mut tests = bare_tests("a", manifest);
    let targets: Vec<&str> = tests.iter().map(|test| test.target.as_str()).collect();
    assert_eq!(targets, ["heap"], "tests without harness only");
    tests.extend(bare_tests("b", manifest));
    let counted = |lines: &str, success| {
        let mut reader = Reader::new(&tests);
        lines.lines().for_each(|line| reader.read(line));
        let counts = reader.counts(success);
        (counts.passed, counts.failed)
    };
    for (lines, success, expected) in [
        ("", true, (2, 0)),
        ("error: could not compile `a`", false, (0, 0)),
        (
            "error: 1 target failed:\n    `-p b --test heap`",
            false,
            (1, 1),
        ),
        (
            "error: 2 targets failed:\n    `-p b --test heap`\n    `-p b --lib`",
            false,
            (1, 1),
        ),
        ("    `-p b --test heap`", false, (0, 0)),
    ] {
        assert_eq!(counted(lines, success), expected, "after {lines:?}");
    }
}
