//! Endogenous grid methods in models: closed forms, refusals, independence of how work is cut.
#![expect(
    clippy::float_cmp,
    reason = "grids and bits that are exact by construction"
)]

use bifrons_grids::{Axis, Categorical, Grid, Irregular, Linear};
use bifrons_lifecycle::{
    Ages, BuildErrors, DcEgm, Domain, Edge, Joint, Liquid, Model, Parameters, Preferences, Regime,
    Retention, Solution, SolveOptions, Solver,
};
use bifrons_parallel::Threads;
use bifrons_shocks::Discretisation;

use crate::json::Json;
use crate::retirement::{Retirement, dense};

/// One liquid state, consumed in the last period.
struct Saver {
    periods: usize,
    utility: &'static str,
    law: &'static str,
    savings: Axis,
    solver: Solver,
    shock: Option<Joint>,
}

impl Saver {
    fn model(&self) -> Result<Model, BuildErrors> {
        let last = self.periods as f64;
        let bound = format!("c <= m - {:?}", self.savings.first());
        let mut life = Regime::new("life")
            .ages(0.0, last - 1.0)
            .state("m", Linear::new(1.0, 20.0, 4).expect("nodes"))
            .action("c", Domain::free())
            .function("savings", "m - c")
            .constraint("borrowing", bound.as_str())
            .utility(self.utility)
            .law("m", self.law)
            .solver(self.solver.clone())
            .liquid(Liquid::new("m", "c", "savings", self.savings.clone()))
            .edge(Edge::to("life"))
            .edge(Edge::to("over"));
        if let Some(shock) = &self.shock {
            life = life.joint(shock.clone());
        }
        let over = Regime::new("over")
            .ages(last, last)
            .state("m", Linear::new(1.0, 20.0, 4).expect("nodes"))
            .utility(self.utility.replace('c', "m"));
        Model::builder(Ages::periods(self.periods + 1).expect("ages"))
            .regime(life)
            .regime(over)
            .build()
    }

    fn solve(&self, parameters: &[(&str, f64)]) -> Solution {
        let all = parameters
            .iter()
            .fold(Parameters::new(), |all, (name, value)| {
                all.set(*name, *value)
            });
        let problem = self.model().expect("model").with_parameters(&all);
        problem.expect("complete").solve().expect("solved")
    }
}

fn close(found: f64, expected: f64, relative: f64) {
    let error = (found - expected).abs() / expected.abs();
    assert!(error <= relative, "{found} is not {expected}: {error:e}");
}

fn consumption(solution: &Solution, t: usize, m: f64) -> f64 {
    solution.policy_at(t, "life", &[m]).expect("feasible")[0]
}

/// Discount factor, return, risk aversion, periods; consumption and value of 10.
const CAKES: [(f64, f64, f64, usize, f64, f64); 4] = [
    (
        0.96,
        1.03,
        2.0,
        20,
        0.661_904_472_299_892_5,
        -22.824_925_516_482_09,
    ),
    (
        0.96,
        1.03,
        1.0,
        20,
        0.694_833_281_501_526_9,
        -6.621_154_527_676_971,
    ),
    (
        0.95,
        1.02,
        0.5,
        10,
        1.329_202_789_460_37,
        17.347_399_241_049_56,
    ),
    (
        0.98,
        1.0,
        5.0,
        50,
        0.216_536_744_629_843_4,
        -5_251.483_335_673_927,
    ),
];

#[test]
fn cake_eating_has_its_closed_form() {
    for (beta, r, rho, periods, c, v) in CAKES {
        for solver in [Solver::Egm, Solver::DcEgm(DcEgm::new())] {
            let saver = Saver {
                periods,
                utility: if rho == 1.0 {
                    "ln(c)"
                } else {
                    "c^(1-rho)/(1-rho)"
                },
                law: "r*savings",
                savings: dense(40.0, 80, 3).into(),
                solver,
                shock: None,
            };
            let mut parameters = vec![("discount_factor", beta), ("r", r)];
            if rho != 1.0 {
                parameters.push(("rho", rho));
            }
            let solution = saver.solve(&parameters);
            close(consumption(&solution, 0, 10.0), c, 1e-12);
            close(
                solution.value_at(0, "life", &[10.0]).expect("kept"),
                v,
                if rho > 4.0 { 5e-3 } else { 2e-5 },
            );
        }
    }
}

#[test]
fn risky_returns_have_their_closed_form() {
    let shock = Discretisation::new(
        [
            -2.856_970_013_872_806,
            -1.355_626_179_974_266,
            0.0,
            1.355_626_179_974_266,
            2.856_970_013_872_806,
        ]
        .map(|z: f64| (0.03 + 0.18 * z).exp())
        .to_vec(),
        vec![
            0.011_257_411_327_720_69,
            0.222_075_922_005_612_6,
            8.0 / 15.0,
            0.222_075_922_005_612_6,
            0.011_257_411_327_720_69,
        ],
    );
    let shock = shock.expect("law");
    let points = shock.nodes().iter().map(|&node| vec![node]);
    let saver = Saver {
        periods: 10,
        utility: "c^(1-rho)/(1-rho)",
        law: "savings * ret",
        savings: dense(60.0, 300, 4).into(),
        solver: Solver::Egm,
        shock: Some(Joint::new(["ret"], points, shock.weights())),
    };
    let solution = saver.solve(&[("discount_factor", 0.96), ("rho", 4.0)]);
    close(
        consumption(&solution, 0, 10.0),
        0.892_166_316_029_226_2,
        1e-12,
    );
    close(
        solution.value_at(0, "life", &[10.0]).expect("kept"),
        -5.261_328_953_867_532,
        1e-5,
    );
}

#[test]
fn exponential_utility_has_its_closed_form() {
    // Five-node Gauss-Hermite income, no binding constraint.
    let z = [
        -2.856_970_013_872_806,
        -1.355_626_179_974_266,
        0.0,
        1.355_626_179_974_266,
        2.856_970_013_872_806,
    ];
    let w = [
        0.011_257_411_327_720_69,
        0.222_075_922_005_612_6,
        8.0 / 15.0,
        0.222_075_922_005_612_6,
        0.011_257_411_327_720_69,
    ];
    let nodes: Vec<f64> = (0..200).map(|i| -60.0 + 0.6 * f64::from(i)).collect();
    let saver = Saver {
        periods: 5,
        utility: "-exp(-g*c)/g",
        law: "r*savings + y",
        savings: Irregular::new(nodes).expect("nodes").into(),
        solver: Solver::Egm,
        shock: Some(Joint::new(["y"], z.map(|z| vec![1.0 + 0.2 * z]), w)),
    };
    let solution = saver.solve(&[("discount_factor", 0.96), ("r", 1.03), ("g", 0.5)]);
    close(consumption(&solution, 0, 2.0), 1.229_868_835_665_533, 1e-12);
    close(
        solution.value_at(0, "life", &[2.0]).expect("kept"),
        -6.033_631_464_149_966,
        1e-5,
    );
}

#[test]
fn utilities_without_a_known_form_are_inverted_numerically() {
    // Log utility in disguise: the formula is not CRRA because of a tiny second term.
    let saver = |utility| Saver {
        periods: 8,
        utility,
        law: "r*savings + 1",
        savings: dense(40.0, 100, 3).into(),
        solver: Solver::Egm,
        shock: None,
    };
    let parameters = [("discount_factor", 0.96), ("r", 1.03)];
    let plain = saver("ln(c)").solve(&parameters);
    let other = saver("ln(c) + 1e-7*c^0.5").solve(&parameters);
    for m in [0.5, 2.0, 9.0] {
        let (a, b) = (consumption(&plain, 0, m), consumption(&other, 0, m));
        assert!((a - b).abs() < 1e-6 && (a != b || m < 1.0), "{a} {b}");
        let value = |solution: &Solution| solution.value_at(0, "life", &[m]).expect("kept");
        close(value(&other), value(&plain), 1e-4);
    }
}

/// A problem without risk, solved by EGM.
fn deterministic(case: &Json) -> Solution {
    let (rho, periods) = (case.get("rho").number(), case.get("T").count());
    let income = case.get("income").numbers();
    let utility = if rho == 1.0 {
        "ln(c)"
    } else {
        "c^(1-rho)/(1-rho)"
    };
    let grid = || Linear::new(0.1, 50.0, 3).expect("nodes");
    let law = bifrons_lifecycle::Formula::by_period(
        (1..periods).map(|t| format!("r*savings + {:?}", income[t])),
    );
    let last = periods as f64 - 1.0;
    let life = Regime::new("life")
        .ages(0.0, last - 1.0)
        .state("m", grid())
        .action("c", Domain::free())
        .function("savings", "m - c")
        .constraint("borrowing", "savings >= 0")
        .utility(utility)
        .law("m", law)
        .solver(Solver::Egm)
        .liquid(Liquid::new("m", "c", "savings", dense(60.0, 800, 4)))
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let over = Regime::new("over")
        .ages(last, last)
        .state("m", grid())
        .utility(utility.replace('c', "m"));
    let model = Model::builder(Ages::periods(periods).expect("ages"))
        .regime(life)
        .regime(over);
    let mut parameters = Parameters::new()
        .set("r", case.get("R").number())
        .set("discount_factor", case.get("beta").number());
    if rho != 1.0 {
        parameters = parameters.set("rho", rho);
    }
    let problem = model.build().expect("model").with_parameters(&parameters);
    problem.expect("complete").solve().expect("solved")
}

#[test]
fn constrained_deterministic_problems_have_their_exact_values() {
    let data = Json::read(include_str!("../data/crra_finite_horizon_exact.json"));
    let (mut worst_c, mut worst_v) = (0.0_f64, 0.0_f64);
    let mut count = 0;
    // Every seventh case: all curvatures, horizons and profiles occur.
    for case in data.get("cases").list().iter().step_by(7) {
        let periods = case.get("T").count();
        let solution = deterministic(case);
        let wealth = case.get("m").numbers();
        for (row, t) in case
            .get("periods")
            .list()
            .iter()
            .map(Json::count)
            .enumerate()
        {
            if t + 1 == periods {
                continue;
            }
            for (i, &m) in wealth.iter().enumerate() {
                let at = |key: &str| case.get(key).list()[row].list()[i].number();
                let (c, v) = (at("c_constrained"), at("V_constrained"));
                let error = (consumption(&solution, t, m) - c).abs() / c;
                worst_c = worst_c.max(error);
                let found = solution.value_at(t, "life", &[m]).expect("kept");
                worst_v = worst_v.max((found - v).abs() / v.abs().max(1.0));
                count += 1;
            }
        }
    }
    println!("crra_finite_horizon_exact: {count} points, c {worst_c:e}, V {worst_v:e}");
    assert!(worst_c < 1e-5 && worst_v < 1e-4, "{worst_c:e} {worst_v:e}");
}

#[test]
fn the_buffer_stock_has_the_dense_reference_policy() {
    let data = Json::read(include_str!("../data/buffer_stock_hark.json"));
    let (p, atoms) = (data.get("parameters"), data.get("atoms"));
    let number = |key: &str| p.get(key).number();
    let (rho, growth) = (number("CRRA"), number("PermGroFac"));
    let (psi, theta, prob) = (
        atoms.get("psi").numbers(),
        atoms.get("theta").numbers(),
        atoms.get("prob").numbers(),
    );
    // Growth shocks weigh the future: their mean weight goes into the discount factor.
    let weights: Vec<f64> = psi
        .iter()
        .zip(&prob)
        .map(|(psi, p)| p * psi.powf(1.0 - rho))
        .collect();
    let total: f64 = weights.iter().sum();
    let mut weights: Vec<f64> = weights.iter().map(|w| w / total).collect();
    weights[0] += 1.0 - weights.iter().sum::<f64>();
    let points = psi
        .iter()
        .zip(&theta)
        .map(|(psi, theta)| vec![*psi, *theta]);
    let saver = Saver {
        periods: 10,
        utility: "c^(1-rho)/(1-rho)",
        law: "r/(g*psi)*savings + theta",
        savings: dense(60.0, 2500, 4).into(),
        solver: Solver::Egm,
        shock: Some(Joint::new(["psi", "theta"], points, weights)),
    };
    let discount = number("DiscFac") * number("LivPrb") * growth.powf(1.0 - rho) * total;
    let solution = saver.solve(&[
        ("discount_factor", discount),
        ("r", number("Rfree")),
        ("g", growth),
        ("rho", rho),
    ]);
    let finite = data.get("finite");
    let gap = finite.get("dense_refinement_gap").number();
    let wealth = data.get("m").numbers();
    let mut worst = 0.0_f64;
    for (row, t) in finite
        .get("periods")
        .list()
        .iter()
        .map(Json::count)
        .enumerate()
    {
        if t >= 10 {
            continue;
        }
        for (i, &m) in wealth.iter().enumerate() {
            let expected = finite.get("c_dense").list()[row].list()[i].number();
            worst = worst.max((consumption(&solution, t, m) - expected).abs());
        }
    }
    println!("buffer_stock_hark, finite: c {worst:e}, gap of the reference {gap:e}");
    assert!(worst <= 1e-8_f64.max(10.0 * gap), "{worst:e}");
}

/// Every number of the rows and tables as bits.
fn bits(solution: &Solution) -> Vec<u64> {
    let mut all = Vec::new();
    for t in 0..4 {
        for regime in ["working", "retired"] {
            let values = solution.values(t, regime).expect("kept");
            all.extend(values.iter().map(|value| value.to_bits()));
            for m in [3.0, 40.0, 77.7, 230.0] {
                let action = solution.policy_at(t, regime, &[m]).unwrap_or_default();
                all.extend(action.iter().map(|value| value.to_bits()));
            }
        }
    }
    all
}

fn small() -> Retirement {
    Retirement {
        periods: 4,
        interest: 1.02,
        beta: 0.97,
        delta: 0.7,
        income: 15.0,
        rho: 1.95,
        scale: 0.05,
        shock: Some(Discretisation::new(vec![0.7, 1.0, 1.3], vec![0.25, 0.5, 0.25]).expect("law")),
        nodes: 80,
        settings: DcEgm::new(),
    }
}

#[test]
fn no_bit_of_a_row_depends_on_threads_or_batches() {
    let expected = bits(&small().solve(&SolveOptions::new()));
    for threads in [1, 2, 4] {
        for batch in [0, 1, 2, 3, 7] {
            let mut own = small();
            own.settings = DcEgm::new().stochastic_node_batch_size(batch);
            let options = SolveOptions::new().threads(Threads::new(threads).expect("threads"));
            assert!(bits(&own.solve(&options)) == expected, "{threads} {batch}");
        }
    }
    let kept = small().solve(&SolveOptions::new());
    let first = small().solve(&SolveOptions::new().retention(Retention::First));
    assert_eq!(kept.values(0, "working"), first.values(0, "working"));
}

/// A regime that DC-EGM takes, with one thing changed.
fn refused(change: impl Fn(Regime) -> Regime, solver: Solver, code: &str) {
    let base = |name: &str| {
        Regime::new(name)
            .ages(0.0, 1.0)
            .state("m", Linear::new(1.0, 20.0, 4).expect("nodes"))
            .action("c", Domain::free())
            .solver(solver.clone())
            .edge(Edge::to("life"))
            .edge(Edge::to("over"))
    };
    let over = Regime::new("over")
        .ages(2.0, 2.0)
        .state("m", Linear::new(1.0, 20.0, 4).expect("nodes"))
        .utility("ln(m)");
    let model = Model::builder(Ages::periods(3).expect("ages"))
        .regime(change(base("life")))
        .regime(over)
        .build();
    let errors = model.expect_err(code);
    assert!(errors.has(code), "{code}: {errors:?}");
}

/// A margin with this utility and law.
fn other(utility: &'static str, law: &'static str) -> impl Fn(Regime) -> Regime {
    move |r: Regime| {
        r.function("savings", "m - c")
            .utility(utility)
            .law("m", law)
            .liquid(Liquid::new("m", "c", "savings", dense(40.0, 9, 2)))
    }
}

#[test]
fn what_the_solvers_cannot_take_is_refused_with_its_code() {
    let grid = || dense(40.0, 9, 2);
    let liquid = || Liquid::new("m", "c", "savings", grid());
    let full = |r: Regime| other("ln(c)", "savings")(r);
    let dc = || Solver::DcEgm(DcEgm::new());
    refused(
        |r| {
            r.function("savings", "m - c")
                .utility("ln(c)")
                .law("m", "savings")
        },
        dc(),
        "E-DC-ROLE-STATE",
    );
    refused(
        |r| {
            full(r)
                .state("k", Linear::new(0.0, 1.0, 2).expect("nodes"))
                .fixed("k")
        },
        dc(),
        "E-DC-PASSIVE",
    );
    let wrong = |r: Regime| {
        r.function("savings", "m - c")
            .utility("ln(c)")
            .law("m", "savings")
            .liquid(Liquid::new("m", "d", "savings", grid()))
    };
    refused(wrong, dc(), "E-DC-ROLE-ACTION");
    let half = |r: Regime| {
        r.function("savings", "m - 2*c")
            .utility("ln(c)")
            .law("m", "savings")
            .liquid(liquid())
    };
    refused(half, dc(), "E-DC-POST-SIG");
    refused(
        |r| full(r).constraint("odd", "c <= 0.5*m"),
        dc(),
        "E-DC-CONSTRAINT",
    );
    refused(
        |r| full(r).constraint("odd", "savings >= 1"),
        dc(),
        "E-LOWER-BOUND-MISMATCH",
    );
    refused(other("ln(c) + 0.1*m", "savings"), dc(), "E-DC-U-STATE");
    refused(other("ln(c)", "savings + 0.1*c"), dc(), "E-DC-EULER-STOCH");
    refused(other("ln(c)", "max(savings, 1)"), dc(), "E-DC-EULER-STOCH");
}

#[test]
fn what_needs_another_solver_is_refused_with_its_code() {
    let grid = || dense(40.0, 9, 2);
    let liquid = || Liquid::new("m", "c", "savings", grid());
    let full = |r: Regime| other("ln(c)", "savings")(r);
    let dc = || Solver::DcEgm(DcEgm::new());
    let closure = |r: Regime| {
        let utility = bifrons_lifecycle::Formula::closure(["c"], |x| x[0].ln());
        r.function("savings", "m - c")
            .utility(utility)
            .law("m", "savings")
            .liquid(liquid())
    };
    refused(closure, dc(), "E-DC-FUNCS");
    let kinked = |r: Regime| {
        r.function("cash", "m - 0.2*max(m - 5, 0)")
            .function("savings", "cash - c")
            .utility("ln(c)")
            .law("m", "savings")
            .liquid(liquid().resources("cash"))
    };
    refused(kinked, dc(), "E-DC-RES-AFFINE");
    refused(
        |r| full(r).preferences(Preferences::epstein_zin("b", "g", "i")),
        dc(),
        "E-DC-AGG",
    );
    let moody = Preferences::linear("0.9 + 0.001*savings");
    refused(
        |r| full(r).preferences(moody.clone()),
        dc(),
        "E-DC-SAVSTAGE",
    );
    let work = || Categorical::unordered(["no", "yes"]).expect("labels");
    refused(
        |r| full(r).action("work", work()),
        Solver::Egm,
        "E-EGM-ACTIONS",
    );
    refused(
        |r| full(r).state("type", work()).fixed("type"),
        Solver::Egm,
        "E-EGM-STATES",
    );
}

#[test]
fn bounds_in_other_words_are_recognised() {
    for bound in [
        "c <= m",
        "m >= c",
        "savings >= 0",
        "not (savings < 0)",
        "m - c >= 0",
    ] {
        let life = Regime::new("life")
            .ages(0.0, 0.0)
            .state("m", Linear::new(1.0, 20.0, 4).expect("nodes"))
            .action("c", Domain::free())
            .function("savings", "m - c")
            .constraint("bound", bound)
            .utility("ln(c)")
            .law("m", "savings")
            .solver(Solver::Egm)
            .liquid(Liquid::new("m", "c", "savings", dense(40.0, 9, 2)))
            .edge(Edge::to("over"));
        let over = Regime::new("over")
            .ages(1.0, 1.0)
            .state("m", Linear::new(1.0, 20.0, 4).expect("nodes"))
            .utility("ln(m)");
        let model = Model::builder(Ages::periods(2).expect("ages"))
            .regime(life)
            .regime(over)
            .build();
        assert!(model.is_ok(), "{bound}: {model:?}");
    }
}
