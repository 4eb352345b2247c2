//! Taxes with kinks, tapers and cliffs against reference values.
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

#[path = "support/table.rs"]
mod table;

use bifrons_egm::{
    Affine, BreakKind, BreakOwner, Budget, Corner, Crra, NbEgmOptions, NbEgmWorkspace, ReadOptions,
    Readings, Row, RowReader, SavingsNodes, SavingsProblem, Schedule, Threshold, nbegm_step,
    publish_on_budget,
};
use table::Block;

fn budget(case: &Block) -> Budget {
    let (r, y) = (case.number("r"), case.number("y"));
    let affine = |slope: f64, intercept: f64| Affine { slope, intercept };
    match case.words("case")[0].as_str() {
        "kinked_tax" => {
            let [z, t1, t2] = ["zbar", "t1", "t2"].map(|key| case.number(key));
            let mut threshold = Threshold::at(z, BreakKind::Kink, BreakOwner::Above);
            (threshold.scale, threshold.offset) = (r, y);
            let tax = Schedule {
                pieces: vec![
                    affine(-t1 * r, -t1 * y),
                    affine(-t2 * r, -t1 * z - t2 * (y - z)),
                ],
                thresholds: vec![threshold],
            };
            Budget::sum(affine(1.0 + r, y), &[tax]).unwrap()
        }
        "wealth_tax" => {
            let (abar, tau) = (case.number("abar"), case.number("tau"));
            let tax = Schedule {
                pieces: vec![affine(0.0, 0.0), affine(-tau, tau * abar)],
                thresholds: vec![Threshold::at(abar, BreakKind::Kink, BreakOwner::Above)],
            };
            Budget::sum(affine(1.0 + r, y), &[tax]).unwrap()
        }
        "taper" => {
            let [abar, b, phase] = ["abar", "b", "phase"].map(|key| case.number(key));
            let kink = |at: f64| Threshold::at(at, BreakKind::Kink, BreakOwner::Above);
            let transfer = Schedule {
                pieces: vec![
                    affine(0.0, b),
                    affine(-phase, b + phase * abar),
                    affine(0.0, 0.0),
                ],
                thresholds: vec![kink(abar), kink(abar + b / phase)],
            };
            Budget::sum(affine(1.0 + r, y), &[transfer]).unwrap()
        }
        _ => {
            let (abar, b) = (case.number("abar"), case.number("b"));
            let transfer = Schedule {
                pieces: vec![affine(0.0, b), affine(0.0, 0.0)],
                thresholds: vec![Threshold::at(abar, BreakKind::Jump, BreakOwner::Below)],
            };
            Budget::sum(affine(1.0 + r, y), &[transfer]).unwrap()
        }
    }
}

/// Backward induction; rows in resources by period.
fn solve(budget: &Budget, utility: Crra, beta: f64, periods: usize, count: u32) -> Vec<Row> {
    let grid: Vec<f64> = (0..count)
        .map(|i| 30.0 * (f64::from(i) / f64::from(count - 1)).powi(2))
        .collect();
    let mut rows = vec![Row::new(); periods];
    rows[periods - 1].corner = Some(Corner {
        savings: 0.0,
        continuation: 0.0,
    });
    let (mut nodes, mut reader) = (SavingsNodes::new(), RowReader::new(ReadOptions::default()));
    let mut work = NbEgmWorkspace::new();
    for t in (0..periods - 1).rev() {
        nodes.clear();
        let next = Affine {
            slope: 1.0,
            intercept: 0.0,
        };
        nodes.add_child(next, budget, rows[t + 1].view()).unwrap();
        nodes.merge(&grid);
        reader.prepare(rows[t + 1].view()).unwrap();
        let s = nodes.nodes();
        let mut m = vec![0.0; s.len()];
        let (mut slope, mut ev, mut c, mut em) = (m.clone(), m.clone(), m.clone(), m.clone());
        budget.resources_into(s, &mut m, &mut slope);
        // A cliff makes resources fall: read stretch by stretch.
        let mut from = 0;
        let cuts = nodes.breaks().iter().map(|b| b.node).chain([s.len()]);
        for to in cuts {
            let out = Readings {
                value: &mut ev[from..to],
                policy: &mut c[from..to],
                marginal: &mut em[from..to],
            };
            reader.read_sorted(&utility, &m[from..to], out).unwrap();
            from = to;
        }
        for (em, slope) in em.iter_mut().zip(&slope) {
            *em *= slope;
        }
        let problem = SavingsProblem::new(s, &ev, &em, &utility, beta).unwrap();
        nbegm_step(
            &problem,
            nodes.breaks(),
            &NbEgmOptions::default(),
            &mut work,
            &mut rows[t],
        )
        .unwrap();
    }
    rows
}

/// Assets `i`; at a breakpoint the last number of the lower, the first of the upper side.
fn one_sided(budget: &Budget, assets: &[f64], side: f64, i: usize) -> f64 {
    let a = assets[i];
    let near = |point: &&f64| (**point - a).abs() < 1e-12;
    let sided = i > 0 && assets[i - 1] == a || assets.get(i + 1) == Some(&a);
    match budget.points().iter().find(near) {
        Some(point) if sided && side < 0.0 => point.next_down(),
        Some(&point) if sided => point,
        _ => a,
    }
}

fn check_file(text: &str, count: u32, floor: f64) {
    for case in Block::all(text, "case") {
        let (beta, rho, periods) = (case.number("beta"), case.number("rho"), case.count("T"));
        let utility = Crra::new(rho).unwrap();
        let budget = budget(&case);
        let rows = solve(&budget, utility, beta, periods, count);
        let (assets, side) = (case.list("assets"), case.list("side"));
        let error = case.list("error")[0];
        let tolerance = floor.max(10.0 * error) + 1e-8;
        let mut worst = [0.0_f64; 3];
        for part in case.parts("t") {
            let mut reader = RowReader::new(ReadOptions::default());
            reader.prepare(rows[part.count("t")].view()).unwrap();
            let mut published = Row::new();
            publish_on_budget(
                &budget,
                &[&reader],
                &utility,
                &[0.0, 4.0, 8.0, 12.0, 16.0, 20.0],
                &mut published,
            )
            .unwrap();
            let jumps = part.rows("jump");
            let channels = ["V", "c", "dV_da"].map(|key| part.list(key));
            for i in 0..assets.len() {
                let a = one_sided(&budget, &assets, side[i], i);
                let m = budget.resources(a);
                let reading = reader.read(&utility, m).unwrap();
                worst[0] = worst[0].max((reading.value - channels[0][i]).abs());
                let near_jump = jumps.iter().any(|jump| (jump[0] - m).abs() < 1e-6);
                if !near_jump {
                    worst[1] = worst[1].max((reading.policy - channels[1][i]).abs());
                }
                let marginal = budget.slope(a) * reading.marginal;
                if !near_jump {
                    worst[2] = worst[2].max((marginal / channels[2][i] - 1.0).abs());
                }
            }
        }
        let name = case.words("case");
        println!(
            "{name:?} rho {rho} T {periods}: value {:.1e} policy {:.1e} marginal {:.1e} (reference {error:.1e})",
            worst[0], worst[1], worst[2]
        );
        assert!(
            worst[0] <= tolerance,
            "{name:?} {rho} {periods}: value {} > {tolerance}",
            worst[0]
        );
        assert!(
            worst[1] <= 1e-6 && worst[2] <= 1e-6,
            "{name:?} {rho} {periods}: policy, marginal {worst:?}"
        );
    }
}

#[test]
fn two_to_five_periods() {
    check_file(include_str!("data/kinked_budgets_t2_5.txt"), 1_000, 0.0);
}

#[test]
fn twenty_periods() {
    check_file(include_str!("data/kinked_budgets_t20.txt"), 1_000, 0.0);
}
