//! Closed forms for kinks, cliffs and floors.
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
    Affine, BreakKind, BreakOwner, Budget, Corner, Crra, EgmError, NbEgmOptions, NbEgmWorkspace,
    ReadOptions, Reading, Readings, Row, RowReader, SavingsNodes, SavingsProblem, Schedule,
    Threshold, Utility, nbegm_step, publish_on_budget,
};

const LOG: Crra = Crra::log();
const BETA: f64 = 0.95;

fn affine(slope: f64, intercept: f64) -> Affine {
    Affine { slope, intercept }
}

fn grid(count: u32) -> Vec<f64> {
    (0..count)
        .map(|i| 60.0 * (f64::from(i) / f64::from(count - 1)).powi(2))
        .collect()
}

fn reader(row: &Row) -> RowReader {
    let mut reader = RowReader::new(ReadOptions::default());
    reader.prepare(row.view()).unwrap();
    reader
}

/// `log(1 + s)` tomorrow.
fn smooth_tomorrow() -> Row {
    let savings = grid(2_000);
    let value: Vec<f64> = savings.iter().map(|s| s.ln_1p()).collect();
    let marginal: Vec<f64> = savings.iter().map(|s| 1.0 / (1.0 + s)).collect();
    let problem = SavingsProblem::new(&savings, &value, &marginal, &LOG, BETA).unwrap();
    let mut row = Row::new();
    nbegm_step(
        &problem,
        &[],
        &NbEgmOptions::default(),
        &mut NbEgmWorkspace::new(),
        &mut row,
    )
    .unwrap();
    row
}

/// One period before a row in resources that is entered through a budget.
fn before(child: &Row, budget: &Budget) -> Row {
    let (mut nodes, child_reader) = (SavingsNodes::new(), reader(child));
    nodes
        .add_child(affine(1.0, 0.0), budget, child.view())
        .unwrap();
    nodes.merge(&grid(1_500));
    let s = nodes.nodes();
    let mut m = vec![0.0; s.len()];
    let (mut slope, mut ev, mut c, mut em) = (m.clone(), m.clone(), m.clone(), m.clone());
    budget.resources_into(s, &mut m, &mut slope);
    let mut from = 0;
    for to in nodes.breaks().iter().map(|b| b.node).chain([s.len()]) {
        let out = Readings {
            value: &mut ev[from..to],
            policy: &mut c[from..to],
            marginal: &mut em[from..to],
        };
        child_reader.read_sorted(&LOG, &m[from..to], out).unwrap();
        from = to;
    }
    for (em, slope) in em.iter_mut().zip(&slope) {
        *em *= slope;
    }
    let problem = SavingsProblem::new(s, &ev, &em, &LOG, BETA).unwrap();
    let mut row = Row::new();
    nbegm_step(
        &problem,
        nodes.breaks(),
        &NbEgmOptions::default(),
        &mut NbEgmWorkspace::new(),
        &mut row,
    )
    .unwrap();
    row
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance * expected.abs().max(1.0),
        "{found} is not {expected}"
    );
}

/// Closed form 13.
#[test]
fn kinked_tax() {
    let tax = Schedule {
        pieces: vec![affine(0.0, 0.0), affine(-0.2, 1.4)],
        thresholds: vec![Threshold::at(7.0, BreakKind::Kink, BreakOwner::Above)],
    };
    let budget = Budget::sum(affine(1.0, 2.0), &[tax]).unwrap();
    let row = smooth_tomorrow();
    let in_resources = reader(&row);
    let mut published = Row::new();
    let liquid = [0.0, 5.0, 10.0, 12.0];
    publish_on_budget(&budget, &[&in_resources], &LOG, &liquid, &mut published).unwrap();
    let on_liquid = reader(&published);
    let expected = [
        (0.0, 1.538_461_538_461_538, 0.791_298_056_712_112_8, 0.65),
        (5.0, 4.102_564_102_564_103, 2.703_915_100_084_979, 0.243_75),
        (7.0, 5.128_205_128_205_128, 3.139_045_025_147_688, 0.156),
        (
            10.0,
            6.358_974_358_974_359,
            3.558_512_215_400_732,
            0.125_806_451_612_903_2,
        ),
    ];
    for (a, c, v, g) in expected {
        let found = on_liquid.read(&LOG, a).unwrap();
        close(found.policy, c, 1e-7);
        close(found.value, v, 1e-10);
        close(found.marginal, g, 1e-7);
    }
    close(
        on_liquid.read_left(&LOG, 7.0).unwrap().marginal,
        0.195,
        1e-7,
    );
}

fn cliff() -> Budget {
    let jump = Threshold::at(6.0, BreakKind::Jump, BreakOwner::Above);
    Budget::new(&[affine(1.0, 3.0), affine(1.0, 0.0)], &[jump]).unwrap()
}

fn consume_all() -> Row {
    let mut row = Row::new();
    row.corner = Some(Corner {
        savings: 0.0,
        continuation: 0.0,
    });
    row
}

/// Closed form 14: saving up to a cliff.
#[test]
fn cliff_tomorrow() {
    let row = before(&consume_all(), &cliff());
    let reader = reader(&row);
    let read = |m: f64| -> Reading { reader.read(&LOG, m).unwrap() };
    let values = [
        (2.0, 1.736_828_854_794_65),
        (5.0, 2.703_915_100_084_979),
        (12.0, 3.929_701_985_958_609),
        (16.0, 4.389_948_441_463_454),
        (20.0, 4.726_420_678_084_667),
        (24.0, 4.977_735_106_365_573),
        (30.0, 5.281_338_988_050_502),
    ];
    for (m, v) in values {
        close(read(m).value, v, 1e-9);
    }
    // Bunching: savings are the last number below the cliff.
    assert!(
        (20.0 - read(20.0).policy - 6.0).abs() < 4e-15,
        "two units in the last place"
    );
    let bunched = row.records().find(|r| r.x > 20.0 && r.x < 21.0).unwrap();
    assert!(
        (bunched.x - bunched.policy - 6.0).abs() < 1e-14,
        "{bunched:?}"
    );
    close(30.0 - read(30.0).policy, 14.615_384_615_384_62, 1e-9);
    // Where bunching ends, and where it begins.
    let view = row.view();
    let pair = view
        .x
        .windows(2)
        .position(|pair| pair[0] == pair[1] && pair[0] > 20.0)
        .unwrap();
    close(view.x[pair], 29.321_877_464_755_9, 1e-8);
    close(view.policy[pair], 23.321_877_464_755_9, 1e-8);
    close(view.policy[pair + 1], 15.036_860_238_336_36, 1e-8);
    close(row.get(0).unwrap().x, 3.157_894_736_842_105, 1e-14);
    assert!(
        view.x
            .iter()
            .any(|x| (x - 15.473_684_210_526_32).abs() < 1e-12),
        "start of bunching"
    );
}

/// Closed form 15: the cliff in two periods.
#[test]
fn cliff_in_both_periods() {
    let row = before(&before(&consume_all(), &cliff()), &cliff());
    let reader = reader(&row);
    let expected = [
        (4.0, 3.436_832_424_371_8, 0.494_303_242_769),
        (10.0, 4.777_517_776_795_2, 4.390_885_188_43),
        (16.0, 5.622_428_550_845_2, 6.0),
        (20.0, 5.958_900_787_466_4, 6.0),
        (30.0, 6.829_204_244_033_7, 17.692_307_692_3),
        (45.0, 7.775_944_484_808, 25.0),
        (60.0, 8.547_826_310_344_8, 38.965_819_456_6),
    ];
    for (m, v, s) in expected {
        let found = reader.read(&LOG, m).unwrap();
        println!(
            "m {m}: value {:.1e} savings {:.1e}",
            found.value - v,
            m - found.policy - s
        );
        close(found.value, v, 1e-9);
        close(m - found.policy, s, 1e-6);
    }
}

/// Closed form 16: a floor.
#[test]
fn consumption_floor() {
    let floor = Threshold::at(3.0, BreakKind::Floor, BreakOwner::Above);
    let budget = Budget::new(&[affine(0.0, 4.0), affine(1.0, 1.0)], &[floor]).unwrap();
    let row = smooth_tomorrow();
    let in_resources = reader(&row);
    let mut published = Row::new();
    publish_on_budget(
        &budget,
        &[&in_resources],
        &LOG,
        &[0.0, 1.0, 4.0, 5.0, 8.0],
        &mut published,
    )
    .unwrap();
    let on_liquid = reader(&published);
    for a in [0.0, 0.7, 1.0, 2.9] {
        let found = on_liquid.read(&LOG, a).unwrap();
        close(found.policy, 2.564_102_564_102_564, 1e-7);
        close(found.value, 1.787_408_023_055_795, 1e-10);
        assert_eq!(found.marginal, 0.0);
    }
    assert_eq!(on_liquid.read_left(&LOG, 3.0).unwrap().marginal, 0.0);
    close(on_liquid.read(&LOG, 3.0).unwrap().marginal, 0.39, 1e-7);
    let found = on_liquid.read(&LOG, 5.0).unwrap();
    close(found.policy, 3.589_743_589_743_59, 1e-7);
    close(found.value, 2.443_528_884_467_16, 1e-10);
    close(found.marginal, 0.278_571_428_571_428_6, 1e-7);
}

#[test]
fn too_many_cliffs_are_refused() {
    let mut nodes = SavingsNodes::new();
    nodes.add(1.0, true);
    nodes.add(2.0, true);
    nodes.merge(&[0.0, 3.0]);
    let (value, marginal) = (vec![0.0; 6], vec![1.0; 6]);
    let problem = SavingsProblem::new(nodes.nodes(), &value, &marginal, &LOG, BETA).unwrap();
    let options = NbEgmOptions::default().with_cliff_target_limit(1);
    let (mut work, mut row) = (NbEgmWorkspace::new(), Row::new());
    let error = nbegm_step(&problem, nodes.breaks(), &options, &mut work, &mut row).unwrap_err();
    assert_eq!(error, EgmError::Cliffs { count: 2, limit: 1 });
    assert!(LOG.marginal(1.0) > 0.0, "utility");
}
