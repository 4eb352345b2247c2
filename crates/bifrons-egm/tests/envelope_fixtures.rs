//! Candidate sets on which envelopes are known to fail: exact right, the others wrong as
//! documented.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::missing_assert_message,
    clippy::print_stdout,
    clippy::excessive_precision,
    dead_code,
    reason = "tests print their worst errors, and compare bits where they are meant to agree"
)]

use bifrons_egm::{
    Candidates, Crra, Descending, EnvelopeError, EnvelopeMethod, EnvelopeReport, EnvelopeWorkspace,
    ReadOptions, Record, Row, RowReader, ValueRead, upper_envelope,
};

const EXACT: EnvelopeMethod = EnvelopeMethod::EXACT_CHORDS;

/// Branches of points (x, value, policy).
struct Set {
    x: Vec<f64>,
    v: Vec<f64>,
    c: Vec<f64>,
    g: Vec<f64>,
    label: Vec<u32>,
}

impl Set {
    fn new(branches: &[&[(f64, f64, f64)]]) -> Self {
        let mut set = Self {
            x: vec![],
            v: vec![],
            c: vec![],
            g: vec![],
            label: vec![],
        };
        for (label, branch) in branches.iter().enumerate() {
            for &(x, v, c) in *branch {
                set.x.push(x);
                set.v.push(v);
                set.c.push(c);
                set.label.push(label as u32);
            }
        }
        set
    }

    fn candidates(&self) -> Candidates<'_> {
        Candidates::new(&self.x, &self.v, &self.c)
            .with_label(&self.label)
            .with_marginal(&self.g)
    }

    fn row(&self, method: EnvelopeMethod) -> (Row, EnvelopeReport) {
        row_of(method, self.candidates())
    }

    /// Labels forgotten: one cloud.
    fn cloud(&self, method: EnvelopeMethod) -> Row {
        row_of(
            method,
            Candidates {
                label: &[],
                ..self.candidates()
            },
        )
        .0
    }
}

fn row_of(method: EnvelopeMethod, candidates: Candidates<'_>) -> (Row, EnvelopeReport) {
    let (mut work, mut row) = (EnvelopeWorkspace::new(), Row::new());
    let report = upper_envelope(method, candidates, Descending::Drop, &mut work, &mut row).unwrap();
    (row, report)
}

fn reader(row: &Row) -> RowReader {
    let mut reader = RowReader::new(ReadOptions::default().with_value(ValueRead::Linear));
    reader.prepare(row.view()).unwrap();
    reader
}

fn value(row: &Row, x: f64) -> f64 {
    reader(row).read(&Crra::log(), x).unwrap().value
}

fn policy(row: &Row, x: f64) -> f64 {
    reader(row).read(&Crra::log(), x).unwrap().policy
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 5e-6,
        "{found} is not {expected}"
    );
}

fn fues(scan: usize) -> EnvelopeMethod {
    EnvelopeMethod::Fues {
        jump_threshold: 2.0,
        points_to_scan: Some(scan),
    }
}

#[test]
fn e1_shared_abscissae() {
    let set = Set::new(&[
        &[(0.0, 1.0, 0.0), (1.0, 1.2, 0.5)],
        &[(0.0, 0.8, -20.0), (1.0, 1.5, -19.5)],
    ]);
    let (row, report) = set.row(EXACT);
    assert_eq!(report.changes, 1);
    near(row.get(1).unwrap().x, 0.4);
    near(value(&row, 0.4), 1.08);
    near(value(&set.row(EnvelopeMethod::FUES).0, 0.4), 1.2);
    near(value(&set.row(EnvelopeMethod::Ltm).0, 0.4), 1.2);
}

#[test]
fn e2_owner_between_nodes_only() {
    // Savings of B are high, so that the scan sees them fall.
    let b = [(-1.0, 1.9, -21.0), (1.0, -0.1, -19.0)];
    let c = [(-0.9, -0.9, -0.9), (2.1, 2.1, 2.1)];
    let d = [(-0.95, 0.5, -10.95), (2.05, 0.5, -7.95)];
    let set = Set::new(&[&b, &c, &d]);
    let (row, report) = set.row(EXACT);
    assert_eq!(report.changes, 2);
    let owners: Vec<(f64, u32)> = row.records().map(|r| (r.x, r.owner)).collect();
    near(owners[1].0, 0.4);
    near(owners[3].0, 0.5);
    assert_eq!([owners[0].1, owners[2].1, owners[4].1], [0, 2, 1]);
    near(value(&row, 0.45), 0.5);
    let scan = set.row(EnvelopeMethod::FUES).0;
    assert_eq!(scan.len(), 2);
    near(value(&scan, 0.45), 1.993_548_4);
    near(value(&set.row(EnvelopeMethod::Ltm).0, 0.45), 1.231_578_9);
    near(value(&set.row(EnvelopeMethod::Mss).0, 0.45), 1.231_578_9);
}

/// A straight branch, and eleven points below it with other savings.
fn interleaved(savings: impl Fn(f64) -> f64) -> Set {
    let b: Vec<(f64, f64, f64)> = (1..=11)
        .map(f64::from)
        .map(|i| (i, i - 0.5, i - savings(i)))
        .collect();
    Set::new(&[&[(0.0, 0.0, 0.0), (12.0, 12.0, 0.0)], &b])
}

#[test]
fn e3_more_points_than_the_scan_looks_ahead() {
    let set = interleaved(|_| 100.0);
    near(value(&set.cloud(EXACT), 5.5), 5.5);
    near(value(&set.row(EXACT).0, 5.5), 5.5);
    let short = set.cloud(fues(10));
    assert_eq!(short.len(), 13);
    near(value(&short, 5.5), 5.0);
    near(value(&set.row(EnvelopeMethod::FUES).0, 5.5), 5.5);
}

#[test]
fn e4_jump_diluted_by_distance() {
    let set = interleaved(|i| i + 8.0);
    near(value(&set.row(EXACT).0, 5.5), 5.5);
    near(value(&set.cloud(EnvelopeMethod::FUES), 5.5), 5.156_25);
}

#[test]
fn e5_coarse_grid() {
    let a = [
        (0.0, 0.0, 1.0),
        (10.0, 10.0, 6.0),
        (20.0, 14.0, 11.0),
        (30.0, 16.0, 16.0),
    ];
    let b = [
        (1.0, -6.0, -6.0),
        (11.0, 6.0, -1.0),
        (21.0, 15.0, 4.0),
        (31.0, 21.0, 9.0),
    ];
    let set = Set::new(&[&a, &b]);
    let row = set.row(EXACT).0;
    near(row.records().find(|r| r.owner == 1).unwrap().x, 19.8);
    near(value(&row, 16.0), 12.4);
    near(value(&set.cloud(EnvelopeMethod::FUES), 16.0), 12.727_272_7);
    near(value(&set.row(EnvelopeMethod::Ltm).0, 16.0), 12.455_555_6);
}

#[test]
fn e6_tangents_that_delete_everything() {
    let log = |m: f64, c: f64| (m, m.ln(), c);
    let a = [log(1.0, 1.0), log(2.0, 1.2), log(3.0, 1.4)];
    let b = [(2.9, 1.40, 8.0), (3.1, 1.46, 8.0), (3.5, 1.58, 8.0)];
    let mut set = Set::new(&[&a, &b]);
    set.g = vec![1.0, 0.5, 1.0 / 3.0, 0.3, 0.3, 0.3];
    let (cut, report) = set.row(EnvelopeMethod::RFC);
    assert!(cut.is_empty() && report.wide_gap, "{cut:?}");
    let row = set.row(EXACT).0;
    near(value(&row, 2.0), 2.0_f64.ln());
    near(value(&row, 3.1), 1.46);
}

#[test]
fn e7_steep_policy_of_one_branch() {
    let branch = [
        (0.0, 0.0, 4.0),
        (1.0, 1.0, 2.4),
        (2.0, 1.9, 0.8),
        (3.0, 2.7, 0.7),
        (4.0, 3.4, 0.6),
    ];
    let set = Set::new(&[&branch]);
    assert_eq!(set.row(EXACT).0.len(), 5);
    let (scan, report) = set.row(EnvelopeMethod::FUES);
    assert!(
        report.low_threshold,
        "a policy that falls by 1.6 needs more than a threshold of 2"
    );
    assert_eq!(
        scan.records().map(|r| r.x).collect::<Vec<_>>(),
        [2.0, 3.0, 4.0]
    );
}

#[test]
fn e8_isolated_point() {
    let set = Set::new(&[&[(0.0, 0.0, 0.0), (1.0, 1.0, 1.0)], &[(0.5, 0.9, 0.1)]]);
    let row = set.row(EXACT).0;
    assert_eq!(value(&row, 0.5), 0.9);
    near(value(&row, 0.5_f64.next_up()), 0.5);
    near(value(&row, 0.5_f64.next_down()), 0.5);
    for method in [EnvelopeMethod::Ltm, EnvelopeMethod::Mss] {
        near(value(&set.row(method).0, 0.5), 0.5);
    }
}

#[test]
fn e9_level_shift() {
    let set = |k: f64| {
        let a = [(0.0, k, 0.0), (1.0, k + 1e-7, 1.0)];
        let b = [(0.1, k + 0.5e-7, 5.0), (1.1, k + 0.9e-7, 6.0)];
        Set::new(&[&a, &b])
    };
    // B enters above A, A crosses it at 23/30 and ends at 1.
    let row = set(0.0).row(EXACT).0;
    assert_eq!(row.x_pairs(), [0.1, 23.0 / 30.0, 1.0_f64.next_up()]);
    assert_eq!(set(0.0).row(EnvelopeMethod::Mss).0.x_pairs().len(), 1);
    // Stored numbers near 1e9 are multiples of 2^-23: B never is above A before A's end.
    let row = set(1e9).row(EXACT).0;
    assert_eq!(row.x_pairs(), [1.0_f64.next_up()]);
    assert!(
        set(1e9).row(EnvelopeMethod::Mss).0.x_pairs().is_empty(),
        "no pair at all"
    );
}

trait Pairs {
    fn x_pairs(&self) -> Vec<f64>;
}

impl Pairs for Row {
    fn x_pairs(&self) -> Vec<f64> {
        let pairs = self.view().x.windows(2).filter(|pair| pair[0] == pair[1]);
        pairs.map(|pair| pair[0]).collect()
    }
}

#[test]
fn dp_01_long_run_of_dominated_points() {
    let query = [0.5, 3.25, 7.0, 10.5, 14.9, 19.5];
    let a = [(0.0, 0.0, 0.0), (0.05, 0.1, 0.025), (20.0, 40.0, 10.0)];
    for (count, step) in [(15, 1.0), (200, 0.09)] {
        let b: Vec<(f64, f64, f64)> = (1..=count)
            .map(|j| f64::from(j) * step)
            .map(|x| (x, 2.0 * x - 0.3, 50.0 + x / step))
            .collect();
        let set = Set::new(&[&a, &b]);
        // As separate branches, and as one chain in the order of a producer: B hangs on A's end.
        for row in [set.row(EXACT).0, set.cloud(EXACT)] {
            assert!(row.records().all(|r| r.policy <= 10.0), "{row:?}");
            for x in query {
                assert!((value(&row, x) - 2.0 * x).abs() <= 1e-12, "value at {x}");
                assert!((policy(&row, x) - 0.5 * x).abs() <= 1e-12, "policy at {x}");
            }
        }
    }
}

fn branch(
    nodes: std::ops::RangeInclusive<i32>,
    v: impl Fn(f64) -> f64,
    c: f64,
) -> Vec<(f64, f64, f64)> {
    nodes.map(f64::from).map(|m| (m, v(m), c * m)).collect()
}

#[test]
fn dp_03_ties_and_touching_branches() {
    // A: identical values; the smaller policy at the first node, then at the last one, comes first.
    let (p, q) = (branch(0..=5, |m| m, 0.2), branch(0..=5, |m| m, 0.7));
    for set in [Set::new(&[&p, &q]), Set::new(&[&q, &p])] {
        let row = set.row(EXACT).0;
        assert_eq!((value(&row, 2.5), policy(&row, 2.5)), (2.5, 0.5));
    }
    // B: a stretch of ties between two strict owners.
    let p = branch(
        0..=8,
        |m| if m <= 4.0 { m } else { 4.0 + 0.5 * (m - 4.0) },
        0.2,
    );
    let q = branch(
        0..=8,
        |m| {
            if m <= 2.0 {
                1.0 + 0.5 * m
            } else if m <= 4.0 {
                m
            } else {
                2.0 * m - 4.0
            }
        },
        0.7,
    );
    let row = Set::new(&[&p, &q]).row(EXACT).0;
    assert_eq!(
        [1.0, 2.0, 3.0, 4.0, 6.0].map(|m| value(&row, m)),
        [1.5, 2.0, 3.0, 4.0, 8.0]
    );
    assert_eq!([1.0, 6.0].map(|m| policy(&row, m)), [0.7, 0.7 * 6.0]);
}

#[test]
fn dp_03_crossings_on_nodes() {
    let p = branch(0..=6, |m| m, 0.2);
    let q = branch(0..=6, |m| 2.0 * m - 3.0, 0.7);
    // C: on a node. E: with an isolated point. F: with a branch of -inf.
    let dead: Vec<(f64, f64, f64)> = branch(0..=6, |_| f64::NEG_INFINITY, 0.9);
    for (set, spike) in [
        (Set::new(&[&p, &q]), 3.0),
        (Set::new(&[&p, &q, &[(3.0, 3.5, 9.0)]]), 3.5),
        (Set::new(&[&p, &q, &dead]), 3.0),
    ] {
        let row = set.row(EXACT).0;
        assert_eq!([2.0, 3.0, 4.0].map(|m| value(&row, m)), [2.0, spike, 5.0]);
        let left = reader(&row).read_left(&Crra::log(), 3.0).unwrap();
        assert!((left.policy - 0.6).abs() <= 1e-12, "{left:?}");
        if spike == 3.0 {
            assert!((policy(&row, 3.0) - 2.1).abs() <= 1e-12, "right side");
        }
        assert!(
            (policy(&row, 3.0_f64.next_up()) - 2.1).abs() <= 1e-12,
            "right of the crossing"
        );
    }
    // D: three branches through one point, the middle one never wins.
    let r = branch(0..=6, |m| 3.0 * m - 6.0, 0.5);
    let row = Set::new(&[&p, &q, &r]).row(EXACT).0;
    assert_eq!([2.0, 4.0].map(|m| value(&row, m)), [2.0, 6.0]);
    assert!(row.records().all(|record| record.owner != 1), "{row:?}");
}

#[test]
fn dp_03_values_that_are_not_numbers() {
    let (work, row) = (&mut EnvelopeWorkspace::new(), &mut Row::new());
    let (x, c) = ([0.0, 1.0, 2.0], [0.0, 0.5, 1.0]);
    // NaN is the mark of a dead candidate: it cuts the chain, and is counted.
    let candidates = Candidates::new(&x, &[0.0, f64::NAN, 2.0], &c);
    let report = upper_envelope(EXACT, candidates, Descending::Drop, work, row).unwrap();
    assert_eq!((report.dead, report.gaps, row.len()), (1, 1, 2));
    assert_eq!(row.get(0).unwrap().owner, Row::GAP);
    assert!(value(row, 1.0).is_nan(), "nothing bridges a dead candidate");
    let candidates = Candidates::new(&x, &[0.0, f64::INFINITY, 2.0], &c);
    let error = upper_envelope(EXACT, candidates, Descending::Drop, work, row).unwrap_err();
    assert_eq!(error, EnvelopeError::Infinite { index: 1, x: 1.0 });
    let candidates = Candidates::new(&[-1e308, 1e308, 0.0], &[0.0, 1.0, 2.0], &c);
    let error = upper_envelope(EXACT, candidates, Descending::Drop, work, row).unwrap_err();
    assert_eq!(
        error,
        EnvelopeError::Range {
            low: -1e308,
            high: 1e308
        }
    );
}

#[test]
fn degenerate_inputs() {
    let none = Set::new(&[]);
    assert!(none.row(EXACT).0.is_empty(), "no candidate");
    let dead = Set::new(&[&[(0.0, f64::NEG_INFINITY, 0.0), (f64::NAN, 1.0, 0.0)]]);
    assert!(dead.row(EXACT).0.is_empty(), "no live candidate");
    let single = Set::new(&[&[(2.0, 7.0, 1.0)]]);
    assert_eq!(value(&single.row(EXACT).0, 2.0), 7.0);
    // All at one place: the best.
    let stack = Set::new(&[&[(1.0, 3.0, 0.1)], &[(1.0, 5.0, 0.2)], &[(1.0, 4.0, 0.3)]]);
    let row = stack.row(EXACT).0;
    let only: Vec<Record> = row.records().collect();
    assert_eq!((only.len(), only[0].value, only[0].owner), (1, 5.0, 1));
    // A vertical link: first point from the left, last one from the right.
    let jump = Set::new(&[&[
        (0.0, 0.0, 0.0),
        (1.0, 1.0, 1.0),
        (1.0, 2.0, 1.5),
        (2.0, 3.0, 2.0),
    ]]);
    let row = jump.row(EXACT).0;
    assert_eq!(
        reader(&row).read_left(&Crra::log(), 1.0).unwrap().value,
        1.0
    );
    assert_eq!(value(&row, 1.0), 2.0);
    // Signed zeros are one abscissa.
    let zeros = Set::new(&[
        &[(-0.0, 1.0, 0.0), (1.0, 2.0, 1.0)],
        &[(0.0, 1.5, 0.0), (1.0, 1.5, 1.0)],
    ]);
    let row = zeros.row(EXACT).0;
    assert_eq!(row.get(0).unwrap().x.to_bits(), 0);
    assert_eq!(value(&row, 0.0), 1.5);
    // Gaps of the smallest size.
    let tiny = f64::from_bits(1);
    let close = Set::new(&[&[(0.0, 0.0, 0.0), (tiny, 1.0, 1.0), (1.0, 2.0, 2.0)]]);
    assert_eq!(value(&close.row(EXACT).0, tiny), 1.0);
}
