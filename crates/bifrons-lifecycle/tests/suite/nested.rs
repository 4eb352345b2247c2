//! A durable that is kept or adjusted: closed forms, reference values, slow searches.

use bifrons_egm::{AdaptiveOptions, OuterError};
use bifrons_grids::{Categorical, Irregular, Linear};
use bifrons_lifecycle::{
    Ages, Domain, Edge, Fault, Joint, Liquid, Model, NNbEgm, Negm, Outer, OuterSearch, Parameters,
    Population, Regime, SimulateOptions, Solution, SolveError, SolveOptions, Solver,
};
use bifrons_parallel::Threads;

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

/// Which features a house has.
#[derive(Debug, Clone, Copy, Default)]
struct House {
    /// Utility reads the investment, so rows differ between stocks before the choice.
    effort: bool,
    /// A fixed cost in units of utility.
    fixed: bool,
    /// A tax with a kink and a subsidy that ends at a cliff.
    kinked: bool,
    /// Outer choices in flight and threads.
    batch: usize,
}

const HOUSES: [f64; 6] = [0.5, 1.0, 1.6, 2.4, 3.5, 5.0];

fn house_model(house: House) -> Model {
    let inner = if house.effort {
        "ln(c) + 0.5*ln(stock) - 0.3*work - 0.05*abs(investment)"
    } else {
        "ln(c) + 0.5*ln(stock) - 0.3*work"
    };
    let cash = if house.kinked {
        "gross - 0.2*max(gross - 4, 0) + (if m < 2.5 then 0.4 else 0)"
    } else {
        "gross"
    };
    let grid = OuterSearch::grid(Irregular::new(HOUSES).expect("nodes"));
    let solver = if house.kinked {
        Solver::NNbEgm(NNbEgm::new(grid).outer_batch_size(house.batch))
    } else {
        Solver::Negm(Negm::new(grid).outer_batch_size(house.batch))
    };
    let mut outer = Outer::new("house", "investment", "stock")
        .keep("left")
        .cost("cost");
    if house.fixed {
        outer = outer.uniform_fixed_cost("bother", 0.0, 1.0);
    }
    let shock = Joint::new(["luck"], [vec![0.8], vec![1.2]], [0.5, 0.5]);
    let owner = Regime::new("owner")
        .ages(0.0, 2.0)
        .state("m", Linear::new(0.4, 8.0, 16).expect("nodes"))
        .state("house", Irregular::new(HOUSES).expect("nodes"))
        .state(
            "kind",
            Categorical::unordered(["low", "high"]).expect("labels"),
        )
        .action("c", Domain::free())
        .action("investment", Domain::free())
        .action("work", Categorical::ordered(["no", "yes"]).expect("labels"))
        .function("left", "0.9*house")
        .function("stock", "left + investment")
        .function("cost", "adjusts*(investment + 0.08*stock)")
        .function("bother", "0.3*(1 + kind)")
        .function("gross", "m + (0.5 + kind)*work")
        .function("cash", cash)
        .function("moves", "adjusts")
        .function("resources", "cash - cost")
        .function("savings", "resources - c")
        .utility(inner)
        .constraint("borrowing", "savings >= 0")
        .constraint("size", "kind == 1 or stock < 4")
        .joint(shock)
        .law("m", "1.02*savings + luck")
        .law("house", "0.98*stock")
        .fixed("kind")
        .liquid(Liquid::new("m", "c", "savings", dense(12.0, 150, 2)).resources("resources"))
        .outer(outer)
        .solver(solver)
        .edge(Edge::to("owner"))
        .edge(Edge::to("over"));
    let over = Regime::new("over")
        .ages(3.0, 3.0)
        .state("m", Linear::new(0.0, 8.0, 9).expect("nodes"))
        .state("house", Linear::new(0.4, 6.0, 9).expect("nodes"))
        .utility("2*ln(m + 0.7*house)");
    Model::builder(Ages::periods(4).expect("ages"))
        .regime(owner)
        .regime(over)
        .build()
        .expect("model")
}

fn solve_house(house: House, threads: usize) -> Solution {
    let parameters = Parameters::new().set("discount_factor", 0.95);
    let problem = house_model(house).with_parameters(&parameters);
    let threads = Threads::new(threads).expect("threads");
    let options = SolveOptions::new().threads(threads);
    problem
        .expect("complete")
        .solve_with(&options)
        .expect("solved")
}

/// Value of keeping and of adjusting by a search over all choices and dense consumption.
fn slow(solution: &Solution, house: House, [kind, stock, m]: [f64; 3]) -> [f64; 2] {
    let (left, mut best) = (0.9 * stock, [f64::NEG_INFINITY; 2]);
    let next = |post: f64, savings: f64| -> f64 {
        [0.8, 1.2]
            .iter()
            .map(|luck| {
                let state = [kind, 0.98 * post, 1.02 * savings + luck];
                0.5 * solution.value_at(1, "owner", &state).expect("kept")
            })
            .sum()
    };
    for work in [0.0, 1.0] {
        let gross = m + (0.5 + kind) * work;
        let cash = if house.kinked {
            let subsidy = if m < 2.5 { 0.4 } else { 0.0 };
            gross - 0.2 * (gross - 4.0).max(0.0) + subsidy
        } else {
            gross
        };
        let choices = HOUSES.iter().map(|&post| (post, 1)).chain([(left, 0)]);
        for (post, adjusts) in choices.filter(|(post, _)| kind == 1.0 || *post < 4.0) {
            let investment = post - left;
            let cost = if adjusts == 1 {
                investment + 0.08 * post
            } else {
                0.0
            };
            let x = cash - cost;
            // Savings that end at a kink or just below the cliff are the best of some intervals.
            let ends = [2.5, 3.5, 4.0]
                .into_iter()
                .flat_map(|end| [0.8, 1.2].map(|luck| x - ((end - luck) / 1.02 - 1e-13)));
            let even = (1..=120).map(|i| (x * f64::from(i) / 120.0).min(x));
            for c in even.chain(ends).filter(|&c| c > 0.0 && c <= x) {
                let effort = if house.effort {
                    0.05 * investment.abs()
                } else {
                    0.0
                };
                let value =
                    c.ln() + 0.5 * post.ln() - 0.3 * work - effort + 0.95 * next(post, x - c);
                if value > best[adjusts] {
                    best[adjusts] = value;
                }
            }
        }
    }
    best
}

/// Expected larger of keeping and adjusting at a cost that is uniform up to `scale`.
fn mean(house: House, kind: f64, [keep, adjust]: [f64; 2]) -> f64 {
    if !house.fixed {
        return keep.max(adjust);
    }
    let scale = 0.3 * (1.0 + kind);
    let gain = (adjust - keep) / scale;
    if gain <= 0.0 {
        keep
    } else if gain >= 1.0 {
        adjust - 0.5 * scale
    } else {
        keep + 0.5 * scale * gain * gain
    }
}

#[test]
fn houses_are_worth_what_a_slow_search_finds() {
    let all = [
        House::default(),
        House {
            effort: true,
            ..House::default()
        },
        House {
            fixed: true,
            ..House::default()
        },
        House {
            kinked: true,
            ..House::default()
        },
        House {
            effort: true,
            fixed: true,
            kinked: true,
            batch: 2,
        },
    ];
    for house in all {
        let solution = solve_house(house, 2);
        let mut worst = [0.0_f64; 2];
        for state in [
            [0.0, 0.5, 0.5],
            [0.0, 3.5, 5.0],
            [1.0, 0.5, 0.5],
            [1.0, 3.5, 2.45],
            [1.0, 1.6, 2.6],
        ] {
            let slow = slow(&solution, house, state);
            let found = solution.adjustment_at(0, "owner", &state).expect("kept");
            for (found, slow) in [
                (found.keep, slow[0]),
                (found.adjust, slow[1]),
                (found.value, mean(house, state[0], slow)),
            ] {
                if slow == f64::NEG_INFINITY {
                    assert_eq!(found, slow);
                    continue;
                }
                worst[0] = worst[0].max(slow - found);
                worst[1] = worst[1].max(found - slow);
            }
        }
        println!("{house:?}: below {:.1e}, above {:.1e}", worst[0], worst[1]);
        assert!(worst[0] < 5e-5 && worst[1] < 2e-4, "{house:?} {worst:?}");
    }
}

/// Bits of all values of a solution.
fn bits(solution: &Solution) -> Vec<u64> {
    let values = (0..3).flat_map(|t| solution.values(t, "owner").expect("kept").to_vec());
    values.map(f64::to_bits).collect()
}

#[test]
fn batches_threads_and_files_change_no_bit() {
    let house = House {
        effort: true,
        fixed: true,
        kinked: true,
        batch: 0,
    };
    let first = solve_house(house, 1);
    for batch in [1, 4] {
        assert_eq!(
            bits(&first),
            bits(&solve_house(House { batch, ..house }, 2)),
            "{batch}"
        );
    }
    let place = tempfile::tempdir().expect("a place");
    let path = place.path().join("houses");
    first.save(&path).expect("saved");
    let problem = first.problem().clone();
    let again = problem.load(&path).expect("read");
    assert_eq!(bits(&first), bits(&again));
    for state in [[0.0, 1.3, 2.0], [1.0, 3.5, 6.1]] {
        let both = [&first, &again].map(|own| own.policy_at(1, "owner", &state).expect("feasible"));
        assert_eq!(both[0], both[1]);
        let both = [&first, &again].map(|own| own.adjustment_at(0, "owner", &state));
        assert_eq!(both[0], both[1]);
    }
}

/// Subjects do what the policies say, and what they own follows from what they do.
#[test]
fn subjects_keep_and_adjust() {
    let house = House {
        fixed: true,
        ..House::default()
    };
    let solution = solve_house(house, 1);
    let count = 400;
    let ramp = |low: f64, high: f64| -> Vec<f64> {
        (0..count)
            .map(|i| low + (high - low) * (i % 20) as f64 / 19.0)
            .collect()
    };
    let population = Population::new(count, "owner")
        .state("m", ramp(1.0, 7.0))
        .state(
            "house",
            (0..count)
                .map(|i| 0.6 + (i / 20) as f64 * 0.2)
                .collect::<Vec<f64>>(),
        )
        .state_of_all("kind", 1.0);
    let options = SimulateOptions::new()
        .column("moves")
        .column("savings")
        .column("stock");
    let panel = solution.simulate(&population, &options).expect("simulated");
    let column = |name: &str| panel.table.f64(name).expect("column").to_vec();
    let [adjusts, savings, stock, house_now, investment, c] =
        ["moves", "savings", "stock", "house", "investment", "c"].map(column);
    let periods = panel.table.u32("period").expect("column").to_vec();
    let (mut kept, mut moved) = (0, 0);
    for row in (0..periods.len()).filter(|&row| periods[row] < 3) {
        assert!(c[row] > 0.0 && savings[row] >= -1e-12, "{row}");
        if adjusts[row] == 0.0 {
            kept += 1;
            assert_eq!(investment[row], 0.0);
        } else {
            moved += 1;
            assert!(HOUSES.iter().any(|own| (own - stock[row]).abs() < 1e-12));
        }
        if periods[row + 1] == periods[row] + 1 {
            assert!(
                (house_now[row + 1] - 0.98 * stock[row]).abs() < 1e-12,
                "{row}"
            );
        }
    }
    println!("{kept} kept, {moved} moved");
    assert!(kept > 100 && moved > 100, "{kept} {moved}");
    // Before the cost is known the share that adjusts is the probability.
    let (mut share, mut odds) = (0.0, 0.0);
    for row in (0..periods.len()).filter(|&row| periods[row] == 0) {
        let state = [1.0, house_now[row], column("m")[row]];
        share += adjusts[row];
        odds += solution
            .adjustment_at(0, "owner", &state)
            .expect("kept")
            .probability;
    }
    println!("adjusting {share}, expected {odds:.1}");
    assert!(
        (share - odds).abs() < 4.0 * (count as f64).sqrt() / 2.0,
        "{share} {odds}"
    );
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

/// Codes of what is wrong with a changed owner.
fn codes(change: impl Fn(Regime) -> Regime) -> Vec<String> {
    let grid = || OuterSearch::grid(Irregular::new(HOUSES).expect("nodes"));
    let owner = Regime::new("owner")
        .ages(0.0, 0.0)
        .state("m", Linear::new(0.4, 8.0, 4).expect("nodes"))
        .state("house", Irregular::new(HOUSES).expect("nodes"))
        .action("c", Domain::free())
        .action("investment", Domain::free())
        .utility("ln(c) + ln(stock)")
        .law("m", "savings")
        .solver(Solver::Negm(Negm::new(grid())))
        .edge(Edge::to("over"));
    let over = Regime::new("over")
        .ages(1.0, 1.0)
        .state("m", Linear::new(0.0, 8.0, 9).expect("nodes"))
        .state("house", Linear::new(0.4, 6.0, 9).expect("nodes"))
        .utility("ln(m + house)");
    let model = Model::builder(Ages::periods(2).expect("ages"))
        .regime(change(owner))
        .regime(over);
    let errors = model.build().err();
    let all = errors.iter().flat_map(|errors| errors.errors());
    all.map(|own| own.code().to_owned()).collect()
}

#[test]
fn what_cannot_be_nested_is_refused_with_its_code() {
    let liquid = || Liquid::new("m", "c", "savings", dense(9.0, 20, 2)).resources("resources");
    let outer = || Outer::new("house", "investment", "stock").cost("cost");
    // Functions that a case replaces.
    let functions = |own: Regime, changed: [&str; 4]| {
        let [stock, cost, resources, law] = changed;
        let pick = |changed: &str, default: &str| {
            if changed.is_empty() {
                default.to_owned()
            } else {
                changed.to_owned()
            }
        };
        own.function("stock", pick(stock, "house + investment"))
            .function("cost", pick(cost, "adjusts*(investment + 0.1)"))
            .function("resources", pick(resources, "m - cost"))
            .function("savings", "resources - c")
            .law("house", pick(law, "stock"))
    };
    let plain = |changed: [&'static str; 4]| {
        codes(|own| functions(own, changed).liquid(liquid()).outer(outer()))
    };
    assert!(plain([""; 4]).is_empty(), "{:?}", plain([""; 4]));
    let cases: [(&str, [&'static str; 4]); 8] = [
        ("E-NN-INV", ["house + 3*investment", "", "", ""]),
        ("E-NN-INV", ["house + investment^2", "", "", ""]),
        ("E-NE-COST", ["", "investment + 0.1", "", ""]),
        ("E-NE-COST", ["", "adjusts*0.1*m", "", ""]),
        ("E-NE-COST", ["", "", "m + 0.1*stock - cost", ""]),
        ("E-NE-COST", ["", "", "m - 2*cost", ""]),
        ("E-NE-COUPLED", ["", "", "", "stock + 0.1*investment"]),
        ("E-NE-LAW", ["", "", "", "stock + 0.1*savings"]),
    ];
    for (code, changed) in cases {
        let found = plain(changed);
        assert!(
            found.iter().any(|own| own == code),
            "{changed:?}: {found:?}"
        );
    }
    let with = |outer: Option<Outer>, change: &dyn Fn(Regime) -> Regime| {
        codes(|own| {
            let own = change(functions(own, [""; 4]).liquid(liquid()));
            match outer.clone() {
                Some(outer) => own.outer(outer),
                None => own,
            }
        })
    };
    let same = |own: Regime| own;
    let taste = |own: Regime| {
        own.action("work", Categorical::ordered(["no", "yes"]).expect("labels"))
            .taste_shocks("scale")
    };
    let phased = |own: Regime| own.simulate_function("cost", "adjusts*investment");
    let keep = |own: Regime| own.function("kept", "0.9*house + 0.1*m");
    let wide = |own: Regime| {
        let grid = OuterSearch::grid(Linear::new(0.1, 5.0, 4).expect("nodes"));
        own.solver(Solver::Negm(Negm::new(grid)))
    };
    let cases: [(&str, Option<Outer>, &dyn Fn(Regime) -> Regime); 8] = [
        ("E-NE-OUTER", None, &|own| own.function("adjusts", "1")),
        (
            "E-NE-OUTER",
            Some(Outer::new("m2", "investment", "stock")),
            &same,
        ),
        (
            "E-NE-DISTINCT",
            Some(Outer::new("m", "investment", "stock")),
            &same,
        ),
        ("E-NE-EV1", Some(outer()), &taste),
        ("E-NN-PHASE", Some(outer()), &phased),
        ("E-NE-KEEP", Some(outer().keep("kept")), &keep),
        ("E-NE-GRID", Some(outer()), &wide),
        (
            "E-NN-AGG",
            Some(outer().uniform_fixed_cost("resources", 0.0, 1.0)),
            &same,
        ),
    ];
    for (code, outer, change) in cases {
        let found = with(outer, change);
        assert!(found.iter().any(|own| own == code), "{code}: {found:?}");
    }
}
