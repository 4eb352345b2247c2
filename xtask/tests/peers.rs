//! Comparing contestants: lines, medians, ratios at equal error.

use std::process::Command;

use xtask::commands::peers::models::{Comparison, Ours, Record, Theirs, pairs};
use xtask::commands::peers::{Results, rank};

fn line(peer: &str, method: &str, rtol: &str, error: &str, wall: u64) -> String {
    format!(
        "{{\"peer\":\"{peer}\",\"version\":\"1\",\"method\":\"{method}\",\"problem\":\"hires\",\
         \"rtol\":{rtol},\"atol\":1e-9,\"error\":{error},\"steps\":7,\"rhs\":9,\"jacobians\":1,\
         \"factorisations\":3,\"wall_ns\":{wall},\"least_ns\":1,\"samples\":1}}"
    )
}

fn results(lines: &[String]) -> Results {
    let mut results = Results::default();
    lines.iter().for_each(|line| results.add(line));
    results
}

#[test]
fn medians_over_rounds_are_compared_at_equal_error() {
    let mut lines = Vec::new();
    for wall in [100, 900, 120] {
        lines.push(line("bifrons", "bdf", "1e-3", "1e-3", wall));
        lines.push(line("bifrons", "bdf", "1e-5", "1e-5", 10 * wall));
        lines.push(line("bifrons", "radau", "1e-3", "1e-7", 50 * wall));
        lines.push(line("other", "bdf", "1e-3", "1e-2", wall / 2));
        lines.push(line("other", "bdf", "1e-5", "1e-4", 2 * wall));
    }
    let results = results(&lines);
    assert!(results.breaches().is_empty(), "{:?}", results.breaches());
    let ranking = rank(&results);
    let standings = ranking.standings();
    let at = |error: f64| {
        let mut found = standings
            .iter()
            .filter(|s| s.at_error.to_bits() == error.to_bits());
        found.next().expect("compared")
    };
    // Ours needs 120; theirs lies half-way between 60 and 240 on the logarithms.
    let first = at(1e-3);
    assert_eq!(first.ours.0, "bdf", "the faster of ours");
    let ratio = first.ratio().expect("both reach it");
    assert!((ratio - 1.0).abs() < 1e-12, "{ratio}");
    assert_eq!(
        at(1e-7).ours.0,
        "radau",
        "the only one of ours that reaches it"
    );
    assert_eq!(at(1e-7).ratio(), None, "theirs does not");
    assert!(
        !standings.iter().any(|s| s.at_error < 1e-8),
        "ours does not reach it"
    );
    let table = ranking.table().join("\n");
    assert!(table.contains("only ours"), "{table}");
    assert!(table.contains("other: geometric mean"), "{table}");
}

#[test]
fn failures_and_breaches_are_told() {
    let failed = "{\"peer\":\"other\",\"version\":\"1\",\"method\":\"bdf\",\"problem\":\"hires\",\
                  \"rtol\":1e-3,\"atol\":1,\"failure\":\"step too small\",\"wall_ns\":5}";
    let mut results = results(&[
        line("bifrons", "bdf", "1e-3", "1e-3", 10),
        failed.to_owned(),
    ]);
    let table = rank(&results).table().join("\n");
    assert!(
        table.contains("no run ended: hires other: step too small"),
        "{table}"
    );
    results.add(&line("bifrons", "bdf", "1e-3", "2e-3", 10));
    results.add("nonsense");
    let breaches = results.breaches().join("\n");
    assert!(
        breaches.contains("another result in another round"),
        "{breaches}"
    );
    assert!(breaches.contains("nonsense"), "{breaches}");
}

#[test]
fn counts_of_peers_have_no_times_and_can_be_read_again() {
    let results = results(&[
        line("bifrons", "bdf", "1e-4", "1e-3", 10),
        line("other", "bdf", "1e-4", "1e-3", 10),
        line("other", "bdf", "1e-5", "1e-4", 10),
    ]);
    let text = results.peer_counts(&[1e-4]);
    assert_eq!(text.lines().count(), 1, "{text}");
    let mut again = Results::default();
    text.lines().for_each(|line| again.add(line));
    assert!(again.breaches().is_empty(), "{:?}", again.breaches());
    assert_eq!(
        again.entries()[0].outcome,
        results.entries()[1].outcome,
        "the same"
    );
    assert!(again.entries()[0].wall_ns.is_empty(), "no times");
}

#[test]
fn wrong_arguments_end_with_two() {
    for words in [&["peers", "--samples", "0"][..], &["peers", "--write"]] {
        let status = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(words)
            .output()
            .expect("started")
            .status;
        assert_eq!(status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn every_pair_has_its_script() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../benchmarks/peers");
    let pairs = pairs();
    assert!(pairs.len() > 10);
    for (index, pair) in pairs.iter().enumerate() {
        let text = std::fs::read_to_string(format!("{folder}/{}", pair.script));
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", pair.script));
        for member in ["warm_cpu_s", "cold_cpu_s", "rss_mib", "error"] {
            assert!(text.contains(&format!("\"{member}\":")), "{}", pair.script);
        }
        assert!(!pairs[..index].contains(pair), "{pair:?} twice");
    }
}

#[test]
fn models_are_compared_by_ratios_of_theirs_to_ours() {
    let line = r#"{"peer": "slow", "version": "3", "case": "x", "points": 7, "warm_s": 9.0,
        "warm_cpu_s": 2.0, "cold_cpu_s": 30.0, "rss_mib": 400.0, "error": null}"#;
    let theirs: Theirs = serde_json::from_str(line).expect("further members are ignored");
    let comparison = Comparison {
        case: "sweep/decay?members=1000".to_owned(),
        ours: Ours {
            warm_ns: 4_000_000,
            cold_ns: 10_000_000,
            rss_bytes: 5 << 20,
            error: Some(6.1e-8),
        },
        theirs,
    };
    let [warm, cold, memory] = comparison.ratios();
    assert!((warm - 500.0).abs() < 1e-9, "{warm}");
    assert!((cold - 3000.0).abs() < 1e-9, "{cold}");
    assert!((memory - 80.0).abs() < 1e-9, "{memory}");
    let record = Record {
        cpu: "a processor".to_owned(),
        cores: 2,
        comparisons: vec![comparison],
    };
    let text = serde_json::to_string(&record).expect("JSON");
    assert_eq!(
        serde_json::from_str::<Record>(&text).expect("reads"),
        record
    );
    let table = record.markdown();
    let row = table.lines().nth(2).expect("a row");
    let expected = "| `sweep/decay?members=1000` | slow 3 | 4.0 ms | 2.0 s | 500 | 10.0 ms | 30.0 s \
                    | 3000 | 5.0 MiB | 400 MiB | 80 | 6.1e-8 | – |";
    assert_eq!(row, expected);
}
