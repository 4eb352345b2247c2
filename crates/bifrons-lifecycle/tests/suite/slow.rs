//! A slow and obvious sibling of grid search, and independence of how the work is cut.

use bifrons_grids::{Categorical, Linear};
use bifrons_lifecycle::{
    Ages, Edge, Formula, Model, Parameters, Regime, Retention, Solution, SolveOptions,
};
use bifrons_parallel::Threads;
use bifrons_shocks::{Ar1, Normal};
use proptest::prelude::*;

const BETA: f64 = 0.94;
const WEALTH: usize = 7;
const INCOME: usize = 3;
const CHOICES: usize = 9;

/// What distinguishes the random models.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) delta: f64,
    pub(crate) survival: f64,
    pub(crate) scale: Option<f64>,
    pub(crate) closures: bool,
    pub(crate) batch: usize,
}

pub(crate) fn model(shape: Shape) -> Model {
    let wealth = || Linear::new(0.0, 6.0, WEALTH).expect("nodes");
    let chain = Ar1::gaussian(0.7, 0.3).and_then(|law| law.rouwenhorst(INCOME));
    let shock = Normal::new(0.0, 0.2).and_then(|law| law.gauss_hermite(3));
    let earnings = if shape.closures {
        Formula::closure(["income", "health", "work"], |x| {
            bifrons_lanes::math::exp(x[0]) * (1.0 + x[1]) * x[2]
        })
    } else {
        Formula::from("exp(income) * (1 + health) * work")
    };
    let mut alive = Regime::new("alive")
        .ages(0.0, 3.0)
        .state(
            "wealth",
            bifrons_lifecycle::Domain::from(wealth()).batch_size(shape.batch),
        )
        .state(
            "health",
            Categorical::ordered(["bad", "good"]).expect("labels"),
        )
        .state("income", chain.expect("chain"))
        .action("c", Linear::new(0.1, 4.1, CHOICES).expect("nodes"))
        .action("work", Categorical::ordered(["no", "yes"]).expect("labels"))
        .function("earnings", earnings)
        .function("cash", "1.02*wealth + earnings + 0.2")
        .utility("ln(c) - delta*work")
        .constraint("budget", "c <= cash")
        .shock("eps", &shock.expect("nodes"))
        .law("wealth", "(cash - c) * exp(eps) + 0.1*next_health")
        .markov("health", ["0.3 - 0.1*work", "0.7 + 0.1*work"])
        .edge(Edge::to("alive").probability("survival"))
        .edge(Edge::to("dead").probability("1 - survival"));
    // In the last period there is only one way.
    alive = alive.edge(Edge::to("over").law("wealth", "cash - c"));
    if shape.scale.is_some() {
        alive = alive.taste_shocks("scale");
    }
    let mut regimes = Model::builder(Ages::periods(5).expect("ages"))
        .regime(alive)
        .regime(
            Regime::new("dead")
                .ages(1.0, 3.0)
                .state("wealth", wealth())
                .utility("0.3*wealth"),
        )
        .regime(
            Regime::new("over")
                .ages(4.0, 4.0)
                .state("wealth", wealth())
                .utility("sqrt(wealth)"),
        );
    regimes = regimes
        .fix("delta", shape.delta)
        .fix("survival", shape.survival);
    if let Some(scale) = shape.scale {
        regimes = regimes.fix("scale", scale);
    }
    regimes.build().expect("model")
}

pub(crate) fn solve(model: &Model, options: &SolveOptions) -> Solution {
    let parameters = Parameters::new().set("discount_factor", BETA);
    let problem = model.with_parameters(&parameters).expect("complete");
    problem.solve_with(options).expect("solved")
}

/// Straight line through the two nodes around a point, or through the outermost two.
fn line(values: &[f64], x: f64) -> f64 {
    let cell = (0..values.len() - 1).rfind(|&i| i as f64 <= x).unwrap_or(0);
    let weight = x - cell as f64;
    let mut sum = 0.0;
    for (w, v) in [(1.0 - weight, values[cell]), (weight, values[cell + 1])] {
        if w != 0.0 {
            sum += w * v;
        }
    }
    sum
}

/// Values by loops over everything: `[period][health][income][wealth]`.
fn naive(shape: Shape) -> Vec<Vec<f64>> {
    let chain = Ar1::gaussian(0.7, 0.3)
        .and_then(|law| law.rouwenhorst(INCOME))
        .expect("chain");
    let shock = Normal::new(0.0, 0.2)
        .and_then(|law| law.gauss_hermite(3))
        .expect("nodes");
    let dead: Vec<f64> = (0..WEALTH).map(|w| 0.3 * w as f64).collect();
    let over: Vec<f64> = (0..WEALTH).map(|w| (w as f64).sqrt()).collect();
    let mut after: Vec<f64> = Vec::new();
    let mut all = Vec::new();
    for period in (0..4).rev() {
        let mut here = Vec::new();
        for health in 0..2 {
            for (node, income) in chain.nodes().iter().enumerate() {
                for wealth in 0..WEALTH {
                    let mut branches = [f64::NEG_INFINITY; 2];
                    for (work, best) in branches.iter_mut().enumerate() {
                        for choice in 0..CHOICES {
                            let c = 0.1 + 0.5 * choice as f64;
                            let earned = income.exp() * (1.0 + f64::from(health)) * work as f64;
                            let cash = 1.02 * wealth as f64 + earned + 0.2;
                            if c > cash {
                                continue;
                            }
                            let mut expected = 0.0;
                            if period == 3 {
                                expected = line(&over, cash - c);
                            } else {
                                for (e, pe) in shock.nodes().iter().zip(shock.weights()) {
                                    let good = 0.7 + 0.1 * work as f64;
                                    for (h, ph) in [1.0 - good, good].iter().enumerate() {
                                        let next = (cash - c) * e.exp() + 0.1 * h as f64;
                                        for (n, pn) in chain.row(node).iter().enumerate() {
                                            let from = (h * INCOME + n) * WEALTH;
                                            let value = line(&after[from..from + WEALTH], next);
                                            expected += shape.survival * pe * ph * pn * value;
                                        }
                                        expected +=
                                            (1.0 - shape.survival) * pe * ph * line(&dead, next);
                                    }
                                }
                            }
                            let q = c.ln() - shape.delta * work as f64 + BETA * expected;
                            *best = best.max(q);
                        }
                    }
                    let [a, b] = branches;
                    here.push(match shape.scale {
                        None => a.max(b),
                        Some(scale) => a.max(b) + scale * (-(a - b).abs() / scale).exp().ln_1p(),
                    });
                }
            }
        }
        after.clone_from(&here);
        all.insert(0, here);
    }
    all
}

fn bits(solution: &Solution) -> Vec<u64> {
    let mut all = Vec::new();
    for period in 0..4 {
        let values = solution.values(period, "alive").expect("kept");
        all.extend(values.iter().map(|value| value.to_bits()));
        for cell in 0..values.len() {
            let policy = solution.policy(period, "alive", cell).unwrap_or_default();
            all.extend(policy.iter().map(|value| value.to_bits()));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn grid_search_is_what_plain_loops_find(
        delta in 0.0..2.0,
        survival in 0.5..1.0,
        scale in proptest::option::of(0.01..0.5),
        closures: bool,
    ) {
        let shape = Shape { delta, survival, scale, closures, batch: 0 };
        let solution = solve(&model(shape), &SolveOptions::new());
        for (period, expected) in naive(shape).iter().enumerate() {
            let found = solution.values(period, "alive").expect("kept");
            for (found, expected) in found.iter().zip(expected) {
                prop_assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0));
            }
        }
    }
}

#[test]
fn no_bit_depends_on_threads_blocks_batches_or_closures() {
    let shape = |batch, closures| Shape {
        delta: 0.4,
        survival: 0.9,
        scale: Some(0.1),
        closures,
        batch,
    };
    let expected = bits(&solve(&model(shape(0, false)), &SolveOptions::new()));
    for batch in [0, 1, 3, WEALTH] {
        for threads in [1, 2, 4] {
            for block in [0, 1, 2, 7, 1000] {
                let options = SolveOptions::new()
                    .threads(Threads::new(threads).expect("threads"))
                    .cell_block_size(block);
                let found = solve(&model(shape(batch, block == 2)), &options);
                assert_eq!(bits(&found), expected, "{batch} {threads} {block}");
            }
        }
    }
}

#[test]
fn what_is_kept_does_not_change_the_first_values() {
    let model = model(Shape {
        delta: 0.4,
        survival: 0.9,
        scale: None,
        closures: false,
        batch: 0,
    });
    let kept = solve(&model, &SolveOptions::new());
    let values = solve(&model, &SolveOptions::new().retention(Retention::Values));
    let first = solve(&model, &SolveOptions::new().retention(Retention::First));
    assert_eq!(kept.values(0, "alive"), values.values(0, "alive"));
    assert_eq!(kept.values(0, "alive"), first.values(0, "alive"));
    assert_eq!(values.policy(0, "alive", 3), None);
    assert_eq!(first.values(1, "alive"), None);
    assert_eq!(kept.report(), first.report());
}
