//! The lines that the scenario binaries print, and the registry behind them.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "functions of a test may fail it"
)]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const PLAIN: &str = env!("CARGO_BIN_EXE_scenario");
const HEAP: &str = env!("CARGO_BIN_EXE_scenario-heap");

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program)
        .args(arguments)
        .output()
        .expect("the binary was just built")
}

fn lines(program: &str, arguments: &[&str]) -> Vec<Value> {
    let output = run(program, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{arguments:?}: {} {stderr}",
        output.status
    );
    let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect();
    for line in &lines {
        assert_eq!(line["schema"], "bifrons-sample/1", "{line}");
    }
    lines
}

#[test]
fn sample_has_its_phases_in_order_and_a_result() {
    let lines = lines(PLAIN, &["run", "noop", "--warmup", "1", "--repeat", "3"]);
    let phases: Vec<&Value> = lines
        .iter()
        .filter(|line| line["event"] == "phase")
        .collect();
    let names: Vec<&str> = phases
        .iter()
        .filter_map(|line| line["phase"].as_str())
        .collect();
    assert_eq!(
        names,
        ["ready", "assembled", "first", "steady"],
        "order of phases"
    );
    let times: Vec<u64> = phases
        .iter()
        .filter_map(|line| line["elapsed_ns"].as_u64())
        .collect();
    assert!(
        times.is_sorted() && times.len() == 4,
        "times since main: {times:?}"
    );
    let result = lines.last().expect("five lines");
    assert_eq!(result["event"], "result", "{result}");
    assert_eq!(result["case"], "noop", "{result}");
    assert_eq!(
        result["warm_ns"].as_array().map(Vec::len),
        Some(3),
        "{result}"
    );
    let settings = serde_json::json!({"warmup": "1", "repeat": "3"});
    assert_eq!(result["configuration"], settings, "{result}");
    let check = result["check"]
        .as_str()
        .expect("bits as text, JSON numbers stop at 2^53");
    assert_eq!(
        check.parse::<u64>().expect("a number"),
        0xcbf2_9ce4_8422_2325,
        "nothing computed"
    );
    assert!(
        result["metrics"]["heap_peak"].is_null(),
        "absent, not zero, without the counter"
    );
}

#[test]
fn resident_peaks_are_reported_where_the_kernel_has_them() {
    if !Path::new("/proc/self/clear_refs").exists() {
        return;
    }
    let result = lines(PLAIN, &["run", "noop"]).pop().expect("a result");
    let metrics = &result["metrics"];
    let of = |name: &str| {
        metrics[name]
            .as_u64()
            .unwrap_or_else(|| panic!("{name}: {metrics}"))
    };
    let whole = of("rss_peak");
    for name in [
        "rss_peak_ready",
        "rss_peak_assembled",
        "rss_peak_first",
        "rss_peak_steady",
    ] {
        assert!(
            (1 << 16..=whole).contains(&of(name)),
            "{name} beside the whole {whole}"
        );
    }
}

#[test]
fn heap_numbers_repeat_exactly_and_doing_nothing_needs_nothing() {
    let heap = |_| {
        let result = lines(HEAP, &["run", "noop"]).pop().expect("a result");
        let names = [
            "heap_peak",
            "heap_peak_run",
            "heap_total",
            "heap_blocks",
            "heap_blocks_steady",
        ];
        names.map(|name| {
            result["metrics"][name]
                .as_u64()
                .expect("the counter is installed")
        })
    };
    assert_eq!(
        [0, 1, 2].map(heap),
        [[0; 5]; 3],
        "the bookkeeping itself allocates nothing"
    );
}

#[test]
fn block_of_known_size_is_measured_to_the_byte() {
    const KIB: u64 = 16_384;
    let case = format!("calibration/block?kib={KIB}");
    let result = lines(HEAP, &["run", &case]).pop().expect("a result");
    let metrics = &result["metrics"];
    for (name, expected) in [
        ("heap_peak_run", KIB * 1024),
        ("planned_heap", KIB * 1024),
        ("planned_resident", KIB * 1024),
        ("heap_blocks_steady", 0),
    ] {
        assert_eq!(metrics[name].as_u64(), Some(expected), "{name}: {metrics}");
    }
    let scope = &result["scopes"][0];
    assert_eq!(scope["name"], "fill", "{scope}");
    assert_eq!(scope["peak"].as_u64(), Some(KIB * 1024), "{scope}");
    assert_eq!(result["plan"][0]["name"], "block", "{result}");
    assert_eq!(
        result["accuracy"][0]["value"].as_f64(),
        Some(0.0),
        "{result}"
    );

    let result = lines(PLAIN, &["run", &case]).pop().expect("a result");
    let metrics = &result["metrics"];
    // Pages of code that are touched before the block belong to `assembled`.
    if let (Some(peak), Some(assembled)) = (
        metrics["rss_peak_first"].as_u64(),
        metrics["rss_peak_assembled"].as_u64(),
    ) {
        let grown = peak - assembled;
        let slack = 512 << 10;
        assert!(
            grown.abs_diff(KIB * 1024) < slack,
            "grown by {grown}: {metrics}"
        );
    }
}

#[test]
fn list_and_describe_agree() {
    let listed = lines(PLAIN, &["list"]);
    assert!(!listed.is_empty(), "there is at least the noop");
    for line in listed {
        let name = line["case"].as_str().expect("every case has a name");
        let described = lines(PLAIN, &["describe", name]);
        assert_eq!(described, std::slice::from_ref(&line), "{name}");
        assert!(line["tier"] == "quick" || line["tier"] == "full", "{line}");
        assert!(line["version"].as_u64() >= Some(1), "{line}");
        for axis in line["axes"].as_array().expect("an array, possibly empty") {
            let points = axis["points"].as_array().expect("points");
            assert!(points.len() >= 2, "a slope needs two points: {axis}");
        }
    }
}

#[test]
fn wrong_use_exits_with_two() {
    for (arguments, code, expected) in [
        (&["measure"][..], 2, "`measure`"),
        (&["run", "noop", "--repeat", "none"], 2, "`none`"),
        (
            &["run", "nope"],
            2,
            "unknown scenario `nope`; there are noop, ",
        ),
        (&["describe", "noop?members=2"], 2, "takes no parameters"),
    ] {
        let output = run(PLAIN, arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}

#[test]
fn names_are_lower_case_unique_and_their_cases_valid() {
    let scenarios = benchmarks::scenarios::all();
    let mut names = Vec::new();
    for scenario in &scenarios {
        let name = scenario.name();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/-".contains(c);
        assert!(name.chars().all(plain), "{name}");
        assert!(!scenario.cases().is_empty(), "{name} is never measured");
        for spec in scenario.cases() {
            let case = format!("{name}?{}", spec.query());
            let (_, case) = benchmarks::resolve(&scenarios, &case)
                .unwrap_or_else(|error| panic!("{case}: {error:#}"));
            names.push(case.name().to_owned());
        }
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "no case is listed twice");
}
