//! The retirement model against exact solutions and dense references.
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

#[path = "support/retirement.rs"]
mod retirement;
#[path = "support/table.rs"]
mod table;

use bifrons_egm::{Crra, Expectation, ReadOptions, Row, RowReader, Scaled, TasteShocks, Utility};
use retirement::{Model, Solver, mixed_grid, quadratic_grid, timing_model};
use table::Block;

fn model(case: &Block, shocks: f64, nodes: &[f64], weights: &[f64]) -> Model {
    let retired = Crra::new(case.number("rho")).unwrap();
    let periods = case.count("T");
    let income = case.number("income");
    Model {
        periods,
        gross_return: case.number("R"),
        discount: case.number("beta"),
        working: Scaled::new(retired, 1.0, -case.number("delta")).unwrap(),
        retired,
        incomes: vec![nodes.iter().map(|xi| income * xi).collect(); periods],
        weights: weights.to_vec(),
        shocks: TasteShocks::new(shocks).unwrap(),
    }
}

/// Errors of the reference; a note may follow them.
fn errors(case: &Block) -> Vec<f64> {
    case.words("error")
        .iter()
        .map_while(|word| word.parse().ok())
        .collect()
}

fn reader(row: &Row) -> RowReader {
    let mut reader = RowReader::new(ReadOptions::default());
    reader.prepare(row.view()).unwrap();
    reader
}

fn read(row: &Row, utility: &dyn Utility, x: f64) -> (f64, f64) {
    let reading = reader(row).read(utility, x).unwrap();
    (reading.value, reading.policy)
}

#[test]
fn exact_solutions_without_shocks() {
    for case in Block::all(include_str!("data/retirement_exact.txt"), "case") {
        let model = model(&case, 0.0, &[1.0], &[1.0]);
        let mut solver = Solver::new(
            mixed_grid(600.0, &[(900.0, 20)], 2_000),
            model.periods,
            Expectation::new(),
        );
        solver.solve_aligned(&model).unwrap();
        let wealth = case.list("wealth");
        let (mut value_error, mut policy_error, mut kink_error) = (0.0_f64, 0.0_f64, 0.0_f64);
        for part in case.parts("t") {
            let t = part.count("t");
            let [v, c, w, r] =
                ["V_worker", "c_worker", "V_work_now", "V_retiree"].map(|key| part.list(key));
            let switches: Vec<f64> = part.rows("switch").iter().map(|switch| switch[0]).collect();
            for (i, &m) in wealth.iter().enumerate() {
                let work = read(&solver.work[t], &model.working, m);
                let retired = read(&solver.retired[t], &model.retired, m);
                let best = if work.0 > retired.0 { work } else { retired };
                let scale = |x: f64| x.abs().max(1.0);
                value_error = value_error.max((best.0 - v[i]).abs() / scale(v[i]));
                value_error = value_error.max((work.0 - w[i]).abs() / scale(w[i]));
                value_error = value_error.max((retired.0 - r[i]).abs() / scale(r[i]));
                let near = switches.iter().any(|s| (s - m).abs() < 1e-5 * s);
                if !near {
                    policy_error = policy_error.max((best.1 / c[i] - 1.0).abs());
                }
            }
            // Switches between plans of the worker are pairs of the row.
            let view = solver.work[t].view();
            let pairs: Vec<f64> = view
                .x
                .windows(2)
                .filter(|pair| pair[0] >= pair[1])
                .map(|pair| pair[0])
                .collect();
            for switch in part.rows("switch").iter().filter(|switch| switch[2] > 0.0) {
                let nearest = pairs
                    .iter()
                    .map(|x| (x - switch[0]).abs())
                    .fold(f64::INFINITY, f64::min);
                kink_error = kink_error.max(nearest);
            }
        }
        println!(
            "{:?}: value {value_error:.1e} policy {policy_error:.1e} kinks {kink_error:.1e}",
            case.words("case")
        );
        assert!(value_error < 1e-8, "value {value_error}");
        assert!(policy_error < 1e-7, "policy {policy_error}");
        assert!(kink_error < 1e-6, "kinks {kink_error}");
    }
}

#[test]
fn taste_and_income_shocks() {
    let mut wrong: Vec<String> = Vec::new();
    for case in Block::all(include_str!("data/retirement_shocks.txt"), "case") {
        let (nodes, weights) = (case.list("income_nodes"), case.list("income_weights"));
        let scale = case.number("taste_shock_scale");
        let model = model(&case, scale, &nodes, &weights);
        let mut solver = Solver::new(
            mixed_grid(2.0, &[(100.0, 5_000), (320.0, 1_500)], 1_000),
            model.periods,
            Expectation::new(),
        );
        solver.solve_aligned(&model).unwrap();
        let (wealth, error) = (case.list("wealth"), errors(&case));
        let (mut value_error, mut policy_error) = (0.0_f64, 0.0_f64);
        for part in case.parts("t") {
            let t = part.count("t");
            let [v, c, all] = ["v_work", "c_work", "V"].map(|key| part.list(key));
            for (i, &m) in wealth.iter().enumerate() {
                let work = read(&solver.work[t], &model.working, m);
                let retired = read(&solver.retired[t], &model.retired, m);
                let mut p = [0.0; 2];
                let total = model
                    .shocks
                    .aggregate(&[work.0, retired.0], &mut p)
                    .unwrap();
                value_error = value_error
                    .max((work.0 - v[i]).abs())
                    .max((total - all[i]).abs());
                policy_error = policy_error.max((work.1 / c[i] - 1.0).abs());
            }
        }
        let name = case.words("case");
        println!(
            "{name:?} scale {scale} nodes {}: value {value_error:.1e} policy {policy_error:.1e} (reference {:.1e} {:.1e})",
            nodes.len(),
            error[0],
            error[1]
        );
        let fine = value_error <= 1e-9_f64.max(10.0 * error[0])
            && policy_error <= 2e-6_f64.max(10.0 * error[1]);
        if !fine {
            wrong.push(format!("{name:?} {scale} {}", nodes.len()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Closed form 5: kinks of the deterministic model with plain savings nodes.
#[test]
fn kinks_with_plain_nodes() {
    let retired = Crra::log();
    let model = Model {
        periods: 11,
        gross_return: 1.0,
        discount: 0.98,
        working: Scaled::new(retired, 1.0, -1.0).unwrap(),
        retired,
        incomes: vec![vec![20.0]; 11],
        weights: vec![1.0],
        shocks: TasteShocks::NONE,
    };
    let mut solver = Solver::new(quadratic_grid(400.0, 500), 11, Expectation::new());
    solver.solve(&model).unwrap();
    // Ten periods left: 49.142970857229 … 189.43589953463; the last switch is between choices.
    let expected = [
        49.142_970_857_229,
        64.365_745_741_971,
        79.684_180_058_313,
        95.096_362_959_592,
        110.600_421_863_65,
        126.194_521_688_52,
        141.876_864_103_36,
        157.645_686_794_64,
        173.499_262_745_9,
    ];
    let view = solver.work[0].view();
    let pairs: Vec<f64> = view
        .x
        .windows(2)
        .filter(|pair| pair[0] >= pair[1])
        .map(|pair| pair[0])
        .collect();
    let error = expected
        .iter()
        .map(|x| {
            pairs
                .iter()
                .map(|y| (x - y).abs())
                .fold(f64::INFINITY, f64::min)
        })
        .fold(0.0, f64::max);
    println!("{} pairs, worst kink error {error:.1e}", pairs.len());
    assert!(error < 2e-5, "kinks {error} in {pairs:?}");
    let (value, policy) = read(&solver.work[0], &model.working, 50.0);
    println!(
        "value {:.1e} policy {:.1e}",
        value - 21.998_363_989_671_35,
        policy - 23.084_414_017_501_5
    );
    assert!((value - 21.998_363_989_671_35).abs() < 1e-6, "{value}");
    assert!((policy - 23.084_414_017_501_5).abs() < 1e-4, "{policy}");
}

/// Closed form 7 (ii): nodes of the Euler inversion with income shocks.
#[test]
fn euler_nodes_of_the_timing_model() {
    let mut model = timing_model();
    // The income of closed form 7 is that of age 44.
    let shocks = model.incomes[19].clone();
    model.incomes = vec![shocks; 20];
    let mut solver = Solver::new(vec![0.0, 1.0, 10.0, 100.0], 20, Expectation::new());
    solver.solve(&model).unwrap();
    let row = solver.work[18].view();
    let expected = [
        (0.0, 7.413_946_055_796_801, 1.437_701_802_012_596),
        (1.0, 8.639_031_151_492_528, 1.476_224_830_429_916),
        (10.0, 18.707_187_065_415_75, 1.609_137_836_759_403),
    ];
    for (i, (savings, c, v)) in expected.into_iter().enumerate() {
        assert!(
            (row.policy[i] / c - 1.0).abs() < 1e-13,
            "{} {c}",
            row.policy[i]
        );
        // The closed form has no taste shock in the last period's value.
        let shift = model.discount * 0.2 * (1.0 + (-0.35_f64 / 0.2).exp()).ln();
        let found = row.value[i];
        let off = (found - v).abs().min((found - v - shift).abs());
        assert!(
            off < 1e-12 && row.x[i] - row.policy[i] - savings < 1e-12,
            "{found} {v}"
        );
    }
}

/// The goal for speed must not be met by wrong numbers: the rows of the timed grid against ten
/// times as many nodes.
#[test]
fn the_timed_grid_is_accurate() {
    let model = timing_model();
    let solve = |count: u32| {
        let mut solver = Solver::new(quadratic_grid(150.0, count), 20, Expectation::new());
        solver.solve(&model).unwrap();
        solver
    };
    let (timed, fine) = (solve(500), solve(5_000));
    let (mut value, mut policy) = (0.0_f64, 0.0_f64);
    for t in 0..19 {
        for i in 1..60 {
            let m = 2.0 * f64::from(i);
            let (a, b) = (
                read(&timed.work[t], &model.working, m),
                read(&fine.work[t], &model.working, m),
            );
            value = value.max((a.0 - b.0).abs());
            policy = policy.max((a.1 / b.1 - 1.0).abs());
        }
    }
    println!("500 nodes against 5000: value {value:.1e} policy {policy:.1e}");
    assert!(value < 1e-6 && policy < 1e-3, "{value} {policy}");
}

#[test]
fn batches_of_shock_nodes_change_no_bit() {
    let model = timing_model();
    let bits = |size: usize| {
        let expectation = Expectation::new().with_stochastic_node_batch_size(size);
        let mut solver = Solver::new(quadratic_grid(50.0, 120), 20, expectation);
        solver.solve(&model).unwrap();
        let rows = solver.work.iter().chain(&solver.retired);
        rows.flat_map(|row| {
            row.records()
                .map(|r| [r.x, r.value, r.policy, r.marginal].map(f64::to_bits))
                .collect::<Vec<_>>()
        })
        .collect::<Vec<_>>()
    };
    let expected = bits(0);
    for size in [1, 2, 3, 7, 5] {
        assert_eq!(bits(size), expected, "{size}");
    }
}
