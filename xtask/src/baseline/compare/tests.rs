//! Verdicts at the boundaries of every tolerance, and where nothing may be compared.

use super::*;
use crate::baseline::schema::{Baseline, Case, Entry, Schema, Settings, Source};

fn measurement(metrics: &[(&str, &[u64])]) -> Measurement {
    let measured = |samples: &[u64]| Measured {
        median: statistics::median(samples).expect("samples"),
        samples: samples.to_vec(),
    };
    Measurement {
        case: "dae/rc-ladder?n=200".to_owned(),
        scenario_version: 1,
        threads: 1,
        check: Some("17".to_owned()),
        configuration: BTreeMap::from([("n".to_owned(), "200".to_owned())]),
        facts: BTreeMap::new(),
        metrics: metrics
            .iter()
            .map(|(name, samples)| ((*name).to_owned(), measured(samples)))
            .collect(),
        accuracy: Vec::new(),
        plan: Vec::new(),
        scopes: Vec::new(),
        problems: Vec::new(),
        noisy_samples: 0,
        peak_source: "VmHWM",
        samples: Vec::new(),
    }
}

fn accepted(measurement: &Measurement) -> Case {
    let entry = |(name, measured): (&String, &Measured)| {
        (
            name.clone(),
            Entry::of("byte", &measured.samples, None).expect("samples"),
        )
    };
    Case {
        scenario_version: measurement.scenario_version,
        check: "17".to_owned(),
        configuration: measurement.configuration.clone(),
        facts: measurement.facts.clone(),
        metrics: measurement.metrics.iter().map(entry).collect(),
    }
}

fn file(machine: &Machine) -> Baseline {
    Baseline {
        schema: Schema::current(),
        tool: Tool::default(),
        source: Source::default(),
        machine: machine.clone(),
        settings: Settings::default(),
        cases: BTreeMap::new(),
    }
}

fn rows_on(machine: &Machine, now: &Measurement, old: &Case, kind: Kind) -> Vec<Row> {
    let tried: Vec<&'static str> = METRICS.iter().map(|metric| metric.name).collect();
    let tool = Tool {
        rustc: "1.95.0".to_owned(),
        ..Tool::default()
    };
    let context = Context {
        kind,
        machine,
        tool: &tool,
        overrides: &Overrides::default(),
        tried: &tried,
    };
    compare_case(now, Some((&file(&Machine::default()), old)), &context)
}

fn rows(now: &Measurement, old: &Case, kind: Kind) -> Vec<Row> {
    rows_on(&Machine::default(), now, old, kind)
}

fn verdict(metric: &str, old: &[u64], new: &[u64]) -> Verdict {
    let definition = Metric::named(metric).expect("a metric");
    let mut old = accepted(&measurement(&[(metric, old)]));
    let now = measurement(&[(metric, new)]);
    let kind = Kind::of(definition);
    let tool = Tool {
        rustc: "1.95.0".to_owned(),
        ..Tool::default()
    };
    old.facts = kind.facts(&now, &Machine::default(), &tool);
    let found = rows(&now, &old, kind);
    assert_eq!(found.len(), 1, "{metric}: {found:?}");
    found[0].verdict
}

#[test]
fn every_gate_at_its_boundary() {
    const MIB: u64 = 1 << 20;
    for (metric, old, passes, fails) in [
        ("heap_peak", 1_000_000, 1_020_000, 1_020_001),
        ("heap_peak", 1000, 5096, 5097),
        ("heap_peak_run", 1_000_000, 1_020_000, 1_020_001),
        ("heap_total", 1_000_000, 1_020_000, 1_020_001),
        ("heap_blocks", 1000, 1020, 1021),
        ("heap_blocks", 10, 14, 15),
        ("heap_blocks_steady", 0, 0, 1),
        ("heap_blocks_steady", 7, 7, 8),
        ("rss_peak", 100 * MIB, 150 * MIB, 150 * MIB + 1),
        ("rss_peak", 2 * MIB, 6 * MIB, 6 * MIB + 1),
        ("rss_peak_first", 100 * MIB, 150 * MIB, 150 * MIB + 1),
        ("instructions", 10_000_000, 10_100_000, 10_100_001),
        ("first", 100_000_000, 150_000_000, 150_000_001),
        ("warm", 100_000, 150_000, 150_001),
        ("build_cpu", 10_000_000_000, 15_000_000_000, 15_000_000_001),
    ] {
        assert_eq!(
            verdict(metric, &[old, old], &[passes, passes]),
            Verdict::Ok,
            "{metric}"
        );
        assert_eq!(
            verdict(metric, &[old, old], &[fails, fails]),
            Verdict::Regressed,
            "{metric}"
        );
    }
}

#[test]
fn smaller_is_improved_and_never_fails() {
    assert_eq!(
        verdict("heap_peak", &[1_000_000; 2], &[900_000; 2]),
        Verdict::Improved,
        "less"
    );
    assert_eq!(
        verdict("heap_peak", &[1_000_000; 2], &[990_000; 2]),
        Verdict::Ok,
        "a little less"
    );
    assert_eq!(
        verdict("heap_peak", &[1_000_000; 2], &[0; 2]),
        Verdict::Improved,
        "nothing"
    );
    assert_eq!(Verdict::Improved.exit(true), Exit::Ok, "no failure");
}

#[test]
fn time_regresses_only_above_the_old_maximum() {
    let old = [100_000_000, 100_000_000, 190_000_000];
    let overlapping = [180_000_000, 200_000_000, 210_000_000];
    assert_eq!(
        verdict("first", &old, &overlapping),
        Verdict::Ok,
        "min below the old max"
    );
    let above = [191_000_000, 200_000_000, 210_000_000];
    assert_eq!(
        verdict("first", &old, &above),
        Verdict::Regressed,
        "min above the old max"
    );
}

#[test]
fn increase_from_zero_has_a_verdict_and_no_percentage() {
    let old = accepted(&measurement(&[("heap_blocks_steady", &[0, 0])]));
    let now = measurement(&[("heap_blocks_steady", &[5, 5])]);
    let row = &rows(&now, &old, Kind::Memory)[0];
    assert_eq!(
        (row.verdict, row.change),
        (Verdict::Regressed, Delta::FromZero),
        "{row:?}"
    );
    let text = serde_json::to_string(row).expect("a row has a JSON form");
    assert!(
        !text.contains("NaN") && !text.contains("null") && !text.contains("inf"),
        "{text}"
    );
}

#[test]
fn missing_and_new_metrics_are_told_apart() {
    let old = accepted(&measurement(&[
        ("heap_peak", &[1, 1]),
        ("rss_peak", &[1, 1]),
    ]));
    let now = measurement(&[("heap_peak", &[1, 1]), ("heap_blocks", &[3, 3])]);
    let found = rows(&now, &old, Kind::Memory);
    let of = |name: &str| {
        found
            .iter()
            .find(|row| row.metric == name)
            .map(|row| row.verdict)
    };
    assert_eq!(
        of("rss_peak"),
        Some(Verdict::Missing),
        "in the baseline only"
    );
    assert_eq!(of("heap_blocks"), Some(Verdict::New), "measured only");
    assert_eq!(of("heap_total"), None, "in neither");
    assert_eq!(
        Verdict::Missing.exit(true),
        Exit::Findings,
        "a gated metric is missing"
    );
    assert_eq!(
        Verdict::New.exit(true),
        Exit::Baseline,
        "there is no baseline"
    );
    assert_eq!(Verdict::Missing.exit(false), Exit::Ok, "without --check");
}

#[test]
fn metrics_that_were_not_tried_are_not_missed() {
    let old = accepted(&measurement(&[
        ("heap_peak", &[1, 1]),
        ("rss_peak", &[1, 1]),
    ]));
    let now = measurement(&[("rss_peak", &[1, 1])]);
    let (machine, tool, overrides) = (Machine::default(), Tool::default(), Overrides::default());
    let context = Context {
        kind: Kind::Memory,
        machine: &machine,
        tool: &tool,
        overrides: &overrides,
        tried: &["rss_peak"],
    };
    let found = compare_case(&now, Some((&file(&machine), &old)), &context);
    let names: Vec<&str> = found.iter().map(|row| row.metric.as_str()).collect();
    assert_eq!(names, ["rss_peak"], "{found:?}");
}

#[test]
fn other_versions_and_configurations_are_stale() {
    let now = measurement(&[("heap_peak", &[9_000_000; 2])]);
    let mut old = accepted(&measurement(&[("heap_peak", &[1; 2])]));
    old.scenario_version = 2;
    let row = &rows(&now, &old, Kind::Memory)[0];
    assert_eq!(
        (row.verdict, row.change),
        (Verdict::Stale, Delta::None),
        "{row:?}"
    );
    old.scenario_version = 1;
    old.configuration
        .insert("precision".to_owned(), "single".to_owned());
    let row = &rows(&now, &old, Kind::Memory)[0];
    assert_eq!(row.verdict, Verdict::Stale, "{row:?}");
    assert_eq!(
        row.detail.as_deref(),
        Some("configuration differs: precision was single, is absent"),
        "{row:?}"
    );
    assert_eq!(
        Verdict::Stale.exit(true),
        Exit::Baseline,
        "a gate must not vanish silently"
    );
}

#[test]
fn instructions_need_the_same_tools_and_memory_does_not() {
    let now = measurement(&[("instructions", &[100]), ("heap_peak", &[1, 1])]);
    let mut old = accepted(&now);
    old.facts = BTreeMap::from([("rustc".to_owned(), "1.94.0".to_owned())]);
    let row = &rows(&now, &old, Kind::Instructions)[0];
    assert_eq!(row.verdict, Verdict::NotComparable, "{row:?}");
    assert_eq!(
        row.verdict.exit(true),
        Exit::Ok,
        "another compiler is no failure"
    );
    let row = &rows(&now, &old, Kind::Memory)[0];
    assert_eq!(row.verdict, Verdict::Ok, "{row:?}");
}

#[test]
fn several_threads_are_gated_by_the_plan_only() {
    let mut now = measurement(&[
        ("heap_peak", &[9_000_000, 8_000_000]),
        ("planned_heap", &[9_000_000]),
        ("heap_peak_run", &[2_000_000]),
    ]);
    now.threads = 4;
    let old = accepted(&measurement(&[("heap_peak", &[1, 1])]));
    let found = rows(&now, &old, Kind::Memory);
    assert!(
        found.iter().all(|row| row.verdict == Verdict::Recorded),
        "{found:?}"
    );
    let plan = compare_plan(&now);
    assert_eq!(plan[0].verdict, Verdict::Ok, "less than planned: {plan:?}");
    now.metrics.insert(
        "heap_peak_run".to_owned(),
        Measured {
            median: 9_100_000,
            samples: vec![],
        },
    );
    assert_eq!(
        compare_plan(&now)[0].verdict,
        Verdict::OutsidePlan,
        "more than planned"
    );
}

#[test]
fn spare_bytes_of_a_plan_are_allowed_beside_the_quarter() {
    let spared = |spare: u64| {
        let now = measurement(&[
            ("planned_heap", &[1_500_000]),
            ("planned_spare", &[spare]),
            ("heap_peak_run", &[1_000_000]),
        ]);
        let row = compare_plan(&now).remove(0);
        (row.verdict, row.limit)
    };
    let limit = "1.00-1.25 + 244 KiB".to_owned();
    assert_eq!(
        spared(250_000),
        (Verdict::Ok, limit.clone()),
        "1.25 and what is spare"
    );
    assert_eq!(spared(249_999), (Verdict::OutsidePlan, limit), "above both");
}

#[test]
fn plans_at_their_boundaries() {
    let heap = |planned: u64, measured: u64| {
        let now = measurement(&[("planned_heap", &[planned]), ("heap_peak_run", &[measured])]);
        compare_plan(&now)[0].verdict
    };
    assert_eq!(heap(1_000_000, 1_000_000), Verdict::Ok, "1.00");
    assert_eq!(heap(1_250_000, 1_000_000), Verdict::Ok, "1.25");
    assert_eq!(
        heap(1_250_001, 1_000_000),
        Verdict::OutsidePlan,
        "above 1.25"
    );
    assert_eq!(heap(1_000_000, 1_065_536), Verdict::Ok, "64 KiB too little");
    assert_eq!(
        heap(1_000_000, 1_065_537),
        Verdict::OutsidePlan,
        "more than that"
    );
    assert_eq!(heap(65_536, 0), Verdict::Ok, "64 KiB and nothing measured");
    let resident = |planned: u64, grown: u64| {
        let now = measurement(&[
            ("planned_resident", &[planned]),
            ("rss_peak_ready", &[2 << 20]),
            ("rss_peak", &[(2 << 20) + grown]),
        ]);
        compare_plan(&now)[0].verdict
    };
    assert_eq!(resident(100 << 20, 100 << 20), Verdict::Ok, "as planned");
    assert_eq!(resident(114 << 20, 100 << 20), Verdict::Ok, "14 % more");
    assert_eq!(
        resident(116 << 20, 100 << 20),
        Verdict::OutsidePlan,
        "16 % more"
    );
    assert_eq!(
        resident(84 << 20, 100 << 20),
        Verdict::OutsidePlan,
        "16 % less"
    );
    assert_eq!(resident(1 << 20, 2 << 20), Verdict::Ok, "1 MiB off");
    let later = measurement(&[
        ("planned_resident", &[8 << 20]),
        ("rss_peak_ready", &[2 << 20]),
        ("rss_peak_steady", &[10 << 20]),
        ("rss_peak", &[90 << 20]),
    ]);
    let verdict = compare_plan(&later)[0].verdict;
    assert_eq!(
        verdict,
        Verdict::Ok,
        "what comes after the work is not planned"
    );
}

#[test]
fn changed_bits_fail_on_the_same_machine_only() {
    let mut now = measurement(&[("heap_peak", &[1, 1])]);
    let old = accepted(&now);
    now.check = Some("18".to_owned());
    let found = rows(&now, &old, Kind::Memory);
    let row = found.last().expect("a remark about the check");
    assert_eq!(
        (row.metric.as_str(), row.verdict),
        ("check", Verdict::Changed),
        "{row:?}"
    );
    assert_eq!(row.verdict.exit(true), Exit::Findings, "{row:?}");
    let other = Machine {
        id: "other".to_owned(),
        ..Machine::default()
    };
    let found = rows_on(&other, &now, &old, Kind::Memory);
    let row = found.last().expect("a remark about the check");
    assert_eq!(row.verdict, Verdict::Recorded, "{row:?}");
}

#[test]
fn metrics_know_their_file() {
    let of = |name: &str| Kind::of(Metric::named(name).expect("a metric"));
    assert_eq!(of("heap_blocks_steady"), Kind::Memory, "heap");
    assert_eq!(of("rss_above_noop"), Kind::Memory, "resident set");
    assert_eq!(of("planned_heap"), Kind::Memory, "plans");
    assert_eq!(of("instructions"), Kind::Instructions, "instructions");
    assert_eq!(of("build_rss_peak"), Kind::Time, "builds");
    let machine = Machine {
        id: "3f2a".to_owned(),
        ..Machine::default()
    };
    assert_eq!(
        Kind::Time.file(&machine),
        "time/3f2a.json",
        "one file for each machine"
    );
}
