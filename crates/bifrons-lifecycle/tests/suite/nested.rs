//! A durable that is kept or adjusted: closed forms and reference values.

use bifrons_egm::{AdaptiveOptions, OuterError};
use bifrons_grids::{Irregular, Linear};
use bifrons_lifecycle::{
    Ages, Domain, Edge, Fault, Joint, Liquid, Model, NNbEgm, Negm, Outer, OuterSearch, Parameters,
    Regime, Solution, SolveError, Solver,
};

use crate::json::Json;
use crate::retirement::dense;

/// Closed form 19: two periods, the durable is worth something at the end.
fn two_periods_or(solver: Solver) -> Result<Solution, SolveError> {
    let owner = Regime::new("owner")
        .ages(0.0, 0.0)
        .state("cash", Linear::new(0.5, 6.0, 12).expect("nodes"))
        .state(
            "durable",
            Irregular::new([0.25, 0.5, 2.0, 6.0, 10.0]).expect("nodes"),
        )
        .action("c", Domain::free())
        .action("next", Domain::free())
        .function("left", "0.9*durable")
        .function("stock", "next")
        .function("cost", "adjusts*(stock - left + 0.3)")
        .function("resources", "cash - cost")
        .function("savings", "resources - c")
        .utility("0.7*ln(c) + 0.3*ln(stock)")
        .law("cash", "savings")
        .law("durable", "stock")
        .liquid(Liquid::new("cash", "c", "savings", dense(8.0, 300, 2)).resources("resources"))
        .outer(
            Outer::new("durable", "next", "stock")
                .keep("left")
                .cost("cost"),
        )
        .solver(solver)
        .edge(Edge::to("over"));
    let over = Regime::new("over")
        .ages(1.0, 1.0)
        .state("cash", Linear::new(0.0, 8.0, 9).expect("nodes"))
        .state("durable", Linear::new(0.25, 10.0, 9).expect("nodes"))
        .utility("ln(1.02*cash + 0.6*durable)");
    let model = Model::builder(Ages::periods(2).expect("ages"))
        .regime(owner)
        .regime(over)
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.95);
    model
        .with_parameters(&parameters)
        .expect("complete")
        .solve()
}

fn two_periods(solver: Solver) -> Solution {
    two_periods_or(solver).expect("solved")
}

/// Cash, durable, value of keeping and its consumption, best value on the grid with choice and
/// consumption, best value and choice of all.
const DURABLE: [[f64; 9]; 3] = [
    [
        3.0,
        2.0,
        1.381_941_894_813_835,
        1.721_925_133_689_84,
        1.255_804_743_367_641,
        1.75,
        1.603_386_809_269_162,
        1.256_094_169_899_781,
        1.681_318_681_318_681,
    ],
    [
        5.0,
        0.5,
        1.395_271_585_605_726,
        2.233_511_586_452_763,
        1.518_917_304_553_992,
        2.0,
        1.835_472_370_766_488,
        1.519_186_839_803_554,
        1.924_175_824_175_824,
    ],
    [
        1.0,
        6.0,
        1.622_714_349_385_095,
        1.0,
        1.849_277_205_075_506,
        2.25,
        2.194_830_659_536_542,
        1.849_306_349_985_615,
        2.279_120_879_120_879,
    ],
];

fn quarters() -> Linear {
    Linear::new(0.25, 10.0, 40).expect("nodes")
}

#[test]
fn a_finite_grid_of_durables_is_exact_for_its_nodes() {
    let nested = [
        Solver::Negm(Negm::new(OuterSearch::grid(quarters()))),
        Solver::NNbEgm(NNbEgm::new(OuterSearch::grid(quarters()))),
    ];
    for solver in nested {
        let solution = two_periods(solver);
        for [cash, durable, keep, c_keep, best, choice, c, ..] in DURABLE {
            let state = [durable, cash];
            let values = solution.adjustment_at(0, "owner", &state).expect("kept");
            let action = solution.policy_at(0, "owner", &state).expect("feasible");
            let (next, spent) = if keep > best {
                (0.9 * durable, c_keep)
            } else {
                (choice, c)
            };
            println!(
                "{} keep {:.1e}, adjust {:.1e}, c {:.1e}",
                solution.problem().model().states("owner").count(),
                values.keep - keep,
                values.adjust - best,
                action[1] - spent
            );
            assert!((values.keep - keep).abs() < 1e-8, "{values:?}");
            assert!((values.adjust - best).abs() < 1e-8, "{values:?}");
            assert_eq!(
                values.value.to_bits(),
                values.keep.max(values.adjust).to_bits()
            );
            assert!(
                (action[0] - next).abs() < 1e-15 && (action[1] - spent).abs() < 1e-6,
                "{action:?}"
            );
        }
    }
}

#[test]
fn an_adaptive_mesh_finds_the_continuous_durable() {
    let options = AdaptiveOptions::new(by_ratio())
        .with_budgets(600, 9)
        .with_bands(1e-7, 1e-7);
    let solution = two_periods(Solver::Negm(Negm::new(OuterSearch::Adaptive(options))));
    for [cash, durable, keep, _, _, _, _, best, choice] in DURABLE {
        let state = [durable, cash];
        let values = solution.adjustment_at(0, "owner", &state).expect("kept");
        let action = solution.policy_at(0, "owner", &state).expect("feasible");
        println!(
            "adjust {:.1e}, durable {:.1e}",
            values.adjust - best,
            action[0] - choice
        );
        assert!((values.adjust - best).abs() < 3e-8, "{values:?}");
        if keep < best {
            assert!((action[0] - choice).abs() < 1e-3, "{action:?}");
        }
    }
}

/// Stocks from 0.25 to 10, each a tenth above the one before.
fn by_ratio() -> Vec<f64> {
    (0..=40)
        .map(|i| 0.25 * 40.0_f64.powf(f64::from(i) / 40.0))
        .collect()
}

/// The durable of the reference file.
fn durable(case: &Json, search: OuterSearch) -> Solution {
    let levels = case.get("durable_levels").numbers();
    let after = case.get("index_after_depreciation").numbers();
    let nodes = case.get("income_nodes").numbers();
    let weights = case.get("income_weights").numbers();
    let last = case.get("T").number();
    let next: String =
        levels
            .iter()
            .zip(&after)
            .rev()
            .fold(String::from("0"), |rest, (level, &index)| {
                let to = levels[place(index)];
                format!("if stock <= {level} then {to} else ({rest})")
            });
    let utility = if case.get("utility").text() == "separable" {
        "c^(1-rho)/(1-rho) + nu*(stock + d0)^(1-rho)/(1-rho)"
    } else {
        "(c^alpha*(stock + d0)^(1-alpha))^(1-rho)/(1-rho)"
    };
    let points = nodes.iter().map(|&node| vec![node]);
    let shock = Joint::new(["income"], points, weights);
    let owner = Regime::new("owner")
        .ages(0.0, last - 1.0)
        .state("m", Linear::new(0.5, 10.0, 20).expect("nodes"))
        .state("durable", Irregular::new(levels.clone()).expect("nodes"))
        .action("c", Domain::free())
        .action("next", Domain::free())
        .function("stock", "next")
        .function("cost", "adjusts*(stock - (1 - tau)*durable)")
        .function("resources", "m - cost")
        .function("savings", "resources - c")
        .utility(utility)
        .joint(shock)
        .law("m", "R*savings + income")
        .law("durable", &*next)
        .liquid(Liquid::new("m", "c", "savings", dense(22.0, 900, 2)).resources("resources"))
        .outer(Outer::new("durable", "next", "stock").cost("cost"))
        .solver(Solver::Negm(Negm::new(search)))
        .edge(Edge::to("owner"))
        .edge(Edge::to("over"));
    let model = Model::builder(Ages::periods(1 + case.get("T").count()).expect("ages"))
        .regime(owner)
        .regime(Regime::new("over").ages(last, last).utility("0"))
        .build()
        .expect("model");
    let mut all = Parameters::new();
    for leaf in model.template() {
        let key = match leaf.name() {
            "discount_factor" => "beta",
            other => other,
        };
        all = all.set(leaf.name(), case.get(key).number());
    }
    let problem = model.with_parameters(&all).expect("complete");
    problem.solve().expect("solved")
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small whole numbers"
)]
fn place(index: f64) -> usize {
    index as usize
}

#[test]
fn durables_of_the_reference() {
    let data = Json::read(include_str!("../data/negm_durable.json"));
    // Optimised builds take all cases.
    let step = if cfg!(debug_assertions) { 3 } else { 1 };
    for case in data.get("cases").list().iter().step_by(step) {
        let levels = case.get("durable_levels").numbers();
        let search = OuterSearch::grid(Irregular::new(levels.clone()).expect("nodes"));
        let solution = durable(case, search);
        let (m, mut worst) = (case.get("m").numbers(), [0.0_f64; 2]);
        for part in case.get("periods").list() {
            let t = part.get("t").count();
            let table = |key: &str| -> Vec<Vec<f64>> {
                part.get(key).list().iter().map(Json::numbers).collect()
            };
            let (value, keep) = (table("V"), table("V_keep"));
            for (k, &index) in part.get("durable_index").numbers().iter().enumerate() {
                for (i, &cash) in m.iter().enumerate() {
                    let state = [levels[place(index)], cash];
                    let found = solution.adjustment_at(t, "owner", &state).expect("kept");
                    for (found, expected) in [(found.value, value[k][i]), (found.keep, keep[k][i])]
                    {
                        if expected < -50.0 {
                            worst[1] = worst[1].max((found / expected - 1.0).abs());
                        } else {
                            worst[0] = worst[0].max((found - expected).abs());
                        }
                    }
                }
            }
        }
        let error = case.get("error").get("V_abs_h005_vs_h0025").number();
        let tolerance = (5.0 * error).max(1e-5);
        println!(
            "{} {} T {}: value {:.1e} (tolerance {tolerance:.1e}), near zero {:.1e}",
            case.get("mode").text(),
            case.get("utility").text(),
            case.get("T").count(),
            worst[0],
            worst[1]
        );
        assert!(worst[0] <= tolerance && worst[1] <= 1e-4, "{worst:?}");
    }
}

#[test]
fn a_search_that_runs_out_is_an_error() {
    let options = AdaptiveOptions::new([0.25, 5.0, 10.0]).with_budgets(5, 1);
    let failed = two_periods_or(Solver::Negm(Negm::new(OuterSearch::Adaptive(
        options.clone(),
    ))));
    let Err(SolveError::Fault { fault, .. }) = failed else {
        panic!("not closed");
    };
    let Fault::Outer {
        cause: OuterError::Convergence { marked, .. },
        place,
    } = &*fault
    else {
        panic!("{fault}");
    };
    assert!(*marked > 0 && place.regime == "owner");
    assert!(fault.to_string().contains("max_nodes"), "{fault}");
    let open = options.with_fail_closed(false);
    assert!(two_periods_or(Solver::Negm(Negm::new(OuterSearch::Adaptive(open)))).is_ok());
    let bounded = AdaptiveOptions::new(by_ratio()).with_lipschitz_bound(1e-3);
    let failed = two_periods_or(Solver::Negm(Negm::new(OuterSearch::Adaptive(bounded))));
    let message = failed.expect_err("contradicted").to_string();
    assert!(message.contains("E-NN-LIPSCHITZ"), "{message}");
}
