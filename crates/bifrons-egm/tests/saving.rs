//! Concave saving problems: closed forms, deterministic references, the buffer stock.
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
    Affine, Budget, Cara, Corner, Crra, Expectation, Gradient, MarginalRead, NbEgmOptions,
    NbEgmWorkspace, NextChoice, ReadOptions, Record, Row, RowReader, SavingsNodes, SavingsProblem,
    StepWorkspace, TasteShocks, Utility, ValueRead, dcegm_step, egm_step, euler_error, nbegm_step,
};
use bifrons_shocks::Normal;
use table::Block;

fn grid(low: f64, high: f64, count: u32) -> Vec<f64> {
    let share = |i: u32| f64::from(i) / f64::from(count - 1);
    (0..count)
        .map(|i| low + (high - low) * share(i).powi(3))
        .collect()
}

fn consume_all() -> Row {
    let mut row = Row::new();
    row.corner = Some(Corner {
        savings: 0.0,
        continuation: 0.0,
    });
    row
}

/// One step from next period's row: resources `next` by savings, weights, factors of the value.
fn step(
    child: &Row,
    utility: &dyn Utility,
    beta: f64,
    savings: &[f64],
    shocks: &[(f64, Affine)],
    options: ReadOptions,
) -> Row {
    let mut reader = RowReader::new(options);
    reader.prepare(child.view()).unwrap();
    let mut expectation = Expectation::new();
    expectation.reset(savings.len());
    for &(weight, next) in shocks {
        let resources: Vec<f64> = savings.iter().map(|&s| next.at(s)).collect();
        let gradient = Gradient::Constant(next.slope);
        let choice = NextChoice {
            reader: &reader,
            utility,
            resources: &resources,
            gradient,
        };
        expectation
            .add(weight, &[choice], TasteShocks::NONE)
            .unwrap();
    }
    expectation.finish();
    let mut row = Row::new();
    let (value, marginal) = (expectation.value(), expectation.marginal());
    egm_step(
        &SavingsProblem::new(savings, value, marginal, utility, beta).unwrap(),
        &mut row,
    )
    .unwrap();
    row
}

fn read(row: &Row, utility: &dyn Utility, x: f64, options: ReadOptions) -> (f64, f64) {
    let mut reader = RowReader::new(options);
    reader.prepare(row.view()).unwrap();
    let reading = reader.read(utility, x).unwrap();
    (reading.value, reading.policy)
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found / expected - 1.0).abs() <= tolerance,
        "{found} is not {expected}"
    );
}

/// Closed form 1: the cake, without constraint.
#[test]
fn cake_eating() {
    // β, R, ρ, periods, consumption and value at 10.
    cake(
        [0.96, 1.03, 2.0],
        20,
        0.661_904_472_299_892_5,
        -22.824_925_516_482_09,
    );
    cake(
        [0.96, 1.03, 1.0],
        20,
        0.694_833_281_501_526_9,
        -6.621_154_527_676_971,
    );
    cake(
        [0.95, 1.02, 0.5],
        10,
        1.329_202_789_460_37,
        17.347_399_241_049_56,
    );
    cake(
        [0.98, 1.0, 5.0],
        50,
        0.216_536_744_629_834_4,
        -5_251.483_335_673_927,
    );
}

fn cake([beta, r, rho]: [f64; 3], periods: u32, c: f64, v: f64) {
    let utility = Crra::new(rho).unwrap();
    // Linear in inverse utility, unless it is logarithmic: then the value is no log of a line.
    let is_log = (rho - 1.0_f64).abs() < 1e-12;
    let inverse = ValueRead::InverseUtility { utility };
    let value = if is_log { ValueRead::Hermite } else { inverse };
    let options = ReadOptions::default().with_value(value);
    // The last period as a row, so that nothing is constrained.
    let mut row = Row::new();
    for i in 0..=1_500 {
        let x = 1e-3 * (f64::from(i) * 4e4_f64.ln() / 1_500.0).exp();
        let (value, marginal, policy, owner) = (utility.value(x), utility.marginal(x), x, 0);
        row.push(Record {
            x,
            value,
            policy,
            marginal,
            owner,
        });
    }
    let node = |i: u32| 0.05 * (f64::from(i) * 600_f64.ln() / 1_000.0).exp();
    let savings: Vec<f64> = (0..=1_000).map(node).collect();
    let next = Affine {
        slope: r,
        intercept: 0.0,
    };
    for _ in 0..periods {
        row = step(&row, &utility, beta, &savings, &[(1.0, next)], options);
        row.corner = None;
    }
    let (value, policy) = read(&row, &utility, 10.0, options);
    println!(
        "rho {rho}: c {:.1e} v {:.1e}",
        policy / c - 1.0,
        value / v - 1.0
    );
    close(policy, c, 1e-13);
    close(value, v, if is_log { 1e-9 } else { 1e-12 });
}

/// Closed form 3: one borrowing kink.
#[test]
fn one_borrowing_kink() {
    let utility = Crra::new(2.0).unwrap();
    let next = Affine {
        slope: 1.02,
        intercept: 1.0,
    };
    let row = step(
        &consume_all(),
        &utility,
        0.95,
        &grid(0.0, 4.0, 400),
        &[(1.0, next)],
        ReadOptions::default(),
    );
    close(row.get(0).unwrap().x, 1.015_869_944_464_373, 1e-15);
    let (value, policy) = read(&row, &utility, 2.0, ReadOptions::default());
    close(policy, 1.516_680_005_527_028, 1e-14);
    close(value, -1.295_643_405_385_511, 1e-10);
    close(
        read(&row, &utility, 1.0, ReadOptions::default()).0,
        -1.95,
        1e-15,
    );
}

/// Closed form 7 (i): two incomes.
#[test]
fn two_incomes() {
    let utility = Crra::log();
    let shocks = [0.5, 1.5].map(|intercept| {
        (
            0.5,
            Affine {
                slope: 1.02,
                intercept,
            },
        )
    });
    let row = step(
        &consume_all(),
        &utility,
        0.95,
        &[0.0, 0.5, 2.0, 3.0],
        &shocks,
        ReadOptions::default(),
    );
    let expected = [
        0.773_993_808_049_535_6,
        1.387_447_973_263_896,
        3.052_387_159_850_09,
    ];
    for (record, c) in row.records().zip(expected) {
        close(record.policy, c, 1e-14);
    }
    let fine = step(
        &consume_all(),
        &utility,
        0.95,
        &grid(0.0, 4.0, 1_000),
        &shocks,
        ReadOptions::default(),
    );
    let (value, policy) = read(&fine, &utility, 3.0, ReadOptions::default());
    close(policy, 1.979_636_630_184_631, 1e-7);
    close(value, 1.331_169_624_505_172, 1e-11);
}

/// Closed form 8: risky return on five Gauss–Hermite nodes.
#[test]
fn risky_return() {
    let utility = Crra::new(4.0).unwrap();
    let options = ReadOptions::default().with_value(ValueRead::InverseUtility { utility });
    let nodes = Normal::new(0.03, 0.18).unwrap().gauss_hermite(5).unwrap();
    let shocks: Vec<(f64, Affine)> = nodes
        .nodes()
        .iter()
        .zip(nodes.weights())
        .map(|(x, &w)| {
            (
                w,
                Affine {
                    slope: x.exp(),
                    intercept: 0.0,
                },
            )
        })
        .collect();
    let mut row = Row::new();
    for x in [1e-3, 1.0, 100.0] {
        let (value, marginal) = (utility.value(x), utility.marginal(x));
        row.push(Record {
            x,
            value,
            policy: x,
            marginal,
            owner: 0,
        });
    }
    for _ in 0..10 {
        row = step(&row, &utility, 0.96, &grid(0.5, 30.0, 30), &shocks, options);
        row.corner = None;
    }
    let (value, policy) = read(&row, &utility, 10.0, options);
    println!(
        "risky return: c {:.1e} v {:.1e}",
        policy / 0.892_166_316_029_260_6 / 1.0 - 1.0,
        value / -5.261_328_953_867_532 - 1.0
    );
    close(policy, 10.0 * 0.089_216_631_602_926_06, 1e-12);
    close(value, -5.261_328_953_867_532, 1e-10);
}

/// Closed form 9: CARA with normal income; the policy is linear.
#[test]
fn cara_with_normal_income() {
    let utility = Cara::new(0.5).unwrap();
    let nodes = Normal::new(1.0, 0.2).unwrap().gauss_hermite(5).unwrap();
    let shocks: Vec<(f64, Affine)> = nodes
        .nodes()
        .iter()
        .zip(nodes.weights())
        .map(|(&y, &w)| {
            (
                w,
                Affine {
                    slope: 1.03,
                    intercept: y,
                },
            )
        })
        .collect();
    let line = |x: f64| {
        let (value, marginal) = (utility.value(x), utility.marginal(x));
        Record {
            x,
            value,
            policy: x,
            marginal,
            owner: 0,
        }
    };
    let mut row = Row::new();
    for i in -400..400 {
        row.push(line(f64::from(i) * 0.1));
    }
    let savings: Vec<f64> = (-400..=400).map(|i| f64::from(i) * 0.05).collect();
    for t in 0..5 {
        row = step(
            &row,
            &utility,
            0.96,
            &savings,
            &shocks,
            ReadOptions::default(),
        );
        row.corner = None;
        if t == 0 {
            let slope = (row.get(500).unwrap().policy - row.get(300).unwrap().policy)
                / (row.get(500).unwrap().x - row.get(300).unwrap().x);
            close(slope, 0.507_389_162_561_576_4, 1e-12);
        }
    }
    let (value, policy) = read(&row, &utility, 2.0, ReadOptions::default());
    println!(
        "CARA: c {:.1e} v {:.1e}",
        policy / 1.229_868_835_665_533 - 1.0,
        value / -6.033_631_464_149_966 - 1.0
    );
    close(policy, 1.229_868_835_665_533, 1e-12);
    close(value, -6.033_631_464_149_966, 1e-7);
}

/// `-(bliss - c)² / 2`.
#[derive(Debug)]
struct Quadratic(f64);

impl Utility for Quadratic {
    fn value(&self, c: f64) -> f64 {
        -0.5 * (self.0 - c) * (self.0 - c)
    }
    fn marginal(&self, c: f64) -> f64 {
        self.0 - c
    }
    fn inverse_marginal(&self, d: f64) -> f64 {
        self.0 - d
    }
}

/// Closed form 10: certainty equivalence.
#[test]
fn quadratic_utility() {
    let utility = Quadratic(10.0);
    let options = ReadOptions::default().with_marginal(MarginalRead::Linear);
    let start = || {
        let mut row = Row::new();
        for i in -100..=95 {
            let x = f64::from(i) * 0.1;
            row.push(Record {
                x,
                value: utility.value(x),
                policy: x,
                marginal: utility.marginal(x),
                owner: 0,
            });
        }
        row
    };
    let savings: Vec<f64> = (-40..=40).map(|i| f64::from(i) * 0.1).collect();
    let solve = |spread: f64| {
        let mut row = start();
        let shocks = [1.0 - spread, 1.0 + spread].map(|y| {
            (
                0.5,
                Affine {
                    slope: 1.03,
                    intercept: y,
                },
            )
        });
        for _ in 0..5 {
            row = step(&row, &utility, 0.96, &savings, &shocks, options);
            row.corner = None;
        }
        read(&row, &utility, 2.0, options).1
    };
    close(solve(0.0), 1.417_390_875_248_656, 1e-13);
    close(solve(0.25), 1.417_390_875_248_656, 1e-13);
}

/// One step with savings nodes at the breakpoints of the next period.
fn aligned_step(
    row: &mut Row,
    utility: &Crra,
    beta: f64,
    next: Affine,
    base: &[f64],
    work: &mut NbEgmWorkspace,
) {
    let (mut nodes, mut reader) = (SavingsNodes::new(), RowReader::new(ReadOptions::default()));
    nodes
        .add_child(next, &Budget::identity(), row.view())
        .unwrap();
    nodes.merge(base);
    reader.prepare(row.view()).unwrap();
    let resources: Vec<f64> = nodes.nodes().iter().map(|&s| next.at(s)).collect();
    let mut expectation = Expectation::new();
    expectation.reset(resources.len());
    let choice = NextChoice {
        reader: &reader,
        utility,
        resources: &resources,
        gradient: Gradient::Constant(next.slope),
    };
    expectation.add(1.0, &[choice], TasteShocks::NONE).unwrap();
    let (value, marginal) = (expectation.value(), expectation.marginal());
    let problem = SavingsProblem::new(nodes.nodes(), value, marginal, utility, beta).unwrap();
    nbegm_step(
        &problem,
        nodes.breaks(),
        &NbEgmOptions::default(),
        work,
        row,
    )
    .unwrap();
}

/// Deterministic income with and without a borrowing constraint.
#[test]
fn deterministic_income_reference() {
    let mut worst = [0.0_f64; 4];
    for case in Block::all(include_str!("data/crra_finite_horizon.txt"), "case") {
        let (rho, r, beta) = (case.number("rho"), case.number("R"), case.number("beta"));
        let (periods, income) = (case.count("T"), case.list("income"));
        let (m, printed) = (case.list("m"), case.list("periods"));
        let utility = Crra::new(rho).unwrap();
        let mut row = consume_all();
        // Nodes in equal ratios, because values are powers; more of them for high powers.
        let count = if rho > 5.0 { 3_000 } else { 1_500 };
        let node = |i: u32| 1e-3 * (f64::from(i) * 8e4_f64.ln() / f64::from(count)).exp();
        let base: Vec<f64> = std::iter::once(0.0).chain((0..=count).map(node)).collect();
        let mut work = NbEgmWorkspace::new();
        for t in (0..periods).rev() {
            if t + 1 < periods {
                let next = Affine {
                    slope: r,
                    intercept: income[t + 1],
                };
                aligned_step(&mut row, &utility, beta, next, &base, &mut work);
            }
            let Some(at) = printed.iter().position(|&p| p as usize == t) else {
                continue;
            };
            let (c, v) = (
                &case.rows("c_constrained")[at],
                &case.rows("V_constrained")[at],
            );
            for (i, &m) in m.iter().enumerate() {
                let (value, policy) = read(&row, &utility, m, ReadOptions::default());
                worst[0] = worst[0].max((policy / c[i] - 1.0).abs());
                let error = (value - v[i]).abs() / v[i].abs().max(1.0);
                // Ninth powers near zero are read less accurately than moderate ones.
                let class = if rho > 5.0 { 3 } else { 1 };
                worst[class] = worst[class].max(error);
            }
            let (kinks_m, kinks_c) = (&case.rows("kinks_m")[at], &case.rows("kinks_c")[at]);
            for (&m, &c) in kinks_m
                .iter()
                .zip(kinks_c)
                .filter(|(m, _)| **m > 0.0 && **m < 80.0)
            {
                worst[2] = worst[2]
                    .max((read(&row, &utility, m, ReadOptions::default()).1 / c - 1.0).abs());
            }
        }
    }
    println!(
        "constrained: policy {:.1e} value {:.1e} (risk aversion 10: {:.1e}) policy at kinks {:.1e}",
        worst[0], worst[1], worst[3], worst[2]
    );
    assert!(worst[0] < 1e-11 && worst[2] < 1e-11, "policy {worst:?}");
    assert!(worst[1] < 2e-8 && worst[3] < 5e-6, "value {worst:?}");
}

/// Closed form 2 on every reference case: the natural borrowing limit, period by period.
#[test]
fn natural_borrowing_limit_reference() {
    let mut worst = [0.0_f64; 2];
    for case in Block::all(include_str!("data/crra_finite_horizon.txt"), "case") {
        let (rho, r, beta) = (case.number("rho"), case.number("R"), case.number("beta"));
        let (periods, income) = (case.count("T"), case.list("income"));
        let (m, printed) = (case.list("m"), case.list("periods"));
        let utility = Crra::new(rho).unwrap();
        let options = ReadOptions::default();
        let mut row = Row::new();
        for x in grid(1e-3, 120.0, 200) {
            let (value, marginal) = (utility.value(x), utility.marginal(x));
            row.push(Record {
                x,
                value,
                policy: x,
                marginal,
                owner: 0,
            });
        }
        // Human wealth after this period, including next income.
        let mut human = 0.0;
        for t in (0..periods).rev() {
            if t + 1 < periods {
                human = (human + income[t + 1]) / r;
                let savings: Vec<f64> = grid(1e-3, 100.0, 300).iter().map(|s| s - human).collect();
                let next = Affine {
                    slope: r,
                    intercept: income[t + 1],
                };
                row = step(&row, &utility, beta, &savings, &[(1.0, next)], options);
                row.corner = None;
            }
            let Some(at) = printed.iter().position(|&p| p as usize == t) else {
                continue;
            };
            let c = &case.rows("c_unconstrained")[at];
            for (i, &m) in m.iter().enumerate() {
                worst[0] = worst[0].max((read(&row, &utility, m, options).1 / c[i] - 1.0).abs());
            }
            let h = case.rows("h")[at][0];
            worst[1] = worst[1].max((human - h).abs() / h.max(1.0));
        }
    }
    println!(
        "unconstrained: policy {:.1e} human wealth {:.1e}",
        worst[0], worst[1]
    );
    assert!(worst[0] < 1e-11 && worst[1] < 1e-13, "{worst:?}");
}

/// The policy with savings at or above zero, from one without that constraint; only the policy is
/// right, the value of the corner is left at zero.
///
/// Below the first node it runs to zero consumption at the natural limit, which is `savings[0]`
/// less a little and taken as a node by the caller's grid.
fn constrained(row: &Row, savings: &[f64]) -> Row {
    let Some(first) = savings.iter().position(|&s| s > 0.0) else {
        panic!("savings above zero")
    };
    if first == 0 || savings[0] >= 0.0 {
        return row.clone();
    }
    let (a, b) = (row.get(first - 1).unwrap(), row.get(first).unwrap());
    let share = -savings[first - 1] / (savings[first] - savings[first - 1]);
    let x = a.x + share * (b.x - a.x);
    let mut joined = Row::new();
    joined.corner = Some(Corner {
        savings: 0.0,
        continuation: 0.0,
    });
    joined.push(Record {
        x,
        policy: x,
        value: a.value + share * (b.value - a.value),
        marginal: b.marginal,
        owner: 0,
    });
    for record in row.records().skip(first) {
        joined.push(record);
    }
    joined
}

/// Carroll's buffer stock on the same atoms and the same grid, read linearly.
#[test]
fn buffer_stock_reference() {
    let table = &Block::all(include_str!("data/buffer_stock.txt"), "CRRA")[0];
    let [rho, r, beta, liv, g] =
        ["CRRA", "Rfree", "DiscFac", "LivPrb", "PermGroFac"].map(|key| table.number(key));
    let [psi, theta, prob] = ["psi", "theta", "prob"].map(|key| table.list(key));
    let utility = Crra::new(rho).unwrap();
    // Weight, and next resources by savings, of each atom.
    let atoms: Vec<(f64, Affine)> = psi
        .iter()
        .zip(&theta)
        .zip(&prob)
        .map(|((&psi, &theta), &p)| {
            let next = Affine {
                slope: r / (g * psi),
                intercept: theta,
            };
            (p * (g * psi).powf(1.0 - rho), next)
        })
        .collect();
    let solve = |savings: &[f64]| {
        let mut rows = vec![consume_all()];
        for _ in 0..10 {
            let child = rows.last().unwrap();
            let row = step(
                child,
                &utility,
                beta * liv,
                savings,
                &atoms,
                ReadOptions::default(),
            );
            rows.push(constrained(&row, savings));
        }
        rows
    };
    // The other program starts its grid at the natural limit and joins the constraint to it.
    let low = |list: &[f64]| list.iter().copied().fold(f64::INFINITY, f64::min);
    let natural = -low(&theta) * g * low(&psi) / r;
    let coarse: Vec<f64> = table.list("grid").iter().map(|s| s + natural).collect();
    let (coarse, fine) = (solve(&coarse), solve(&grid(0.0, 60.0, 2_000)));
    let (m, gap) = (table.list("m"), table.number("gap"));
    let mut worst = [0.0_f64; 2];
    let printed = table.list("periods");
    for (at, &t) in printed.iter().enumerate() {
        let left = 10 - t as usize;
        for (i, &m) in m.iter().enumerate() {
            let own = [&fine[left], &coarse[left]]
                .map(|row| read(row, &utility, m, ReadOptions::default()).1);
            worst[0] = worst[0].max((own[0] - table.rows("c_dense")[at][i]).abs());
            worst[1] = worst[1].max((own[1] - table.rows("c_hark48")[at][i]).abs());
        }
    }
    println!(
        "buffer stock: dense {:.1e} (reference {gap:.1e}), same grid {:.1e}",
        worst[0], worst[1]
    );
    assert!(worst[0] <= 10.0 * gap, "{worst:?}");
    // Above its last node the other program bends towards perfect foresight.
    assert!(worst[1] <= 1e-7, "{worst:?}");
}

/// Closed form 24: the Euler error of a policy that is wrong by a known share.
#[test]
fn euler_errors_measure_the_perturbation() {
    let utility = Crra::new(2.0).unwrap();
    let next = Affine {
        slope: 1.02,
        intercept: 1.0,
    };
    let c = 1.516_680_005_527_028;
    for share in [1e-3, 1e-5] {
        // At the optimal savings, with consumption moved alone.
        let marginal = 0.95 * 1.02 * utility.marginal(next.at(2.0 - c));
        let error = euler_error(&utility, c * (1.0 + share), marginal);
        assert!((error - share.log10()).abs() < 1e-3, "{error}");
    }
}

#[test]
fn savings_that_lead_nowhere_need_no_envelope() {
    // Nothing is earned: zero savings are worth minus infinity, and nothing competes below the rest.
    let (beta, utility) = (0.95, Crra::log());
    let savings = grid(0.0, 50.0, 60);
    let value: Vec<f64> = savings.iter().map(|s| s.ln()).collect();
    let marginal: Vec<f64> = savings.iter().map(|s| 1.0 / s).collect();
    let solve = |from: usize| {
        let problem = SavingsProblem::new(
            &savings[from..],
            &value[from..],
            &marginal[from..],
            &utility,
            beta,
        );
        let (mut work, mut row) = (StepWorkspace::new(), Row::new());
        let options = bifrons_egm::DcEgmOptions::default();
        let report = dcegm_step(&problem.unwrap(), &options, &mut work, &mut row).unwrap();
        (row, report)
    };
    let (all, report) = solve(0);
    assert_eq!((report.inversion.dead, report.envelope), (1, None));
    let (live, _) = solve(1);
    assert_eq!(all.corner, None);
    let bits = |row: &Row| -> Vec<[u64; 4]> {
        let record = |own: Record| [own.x, own.value, own.policy, own.marginal].map(f64::to_bits);
        row.records().map(record).collect()
    };
    assert_eq!(bits(&all), bits(&live));
    for own in all.records() {
        assert!((own.policy - own.x / (1.0 + beta)).abs() <= 1e-14 * own.x);
    }
}
