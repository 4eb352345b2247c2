//! Epstein-Zin preferences with NB-EGM: a closed form, expected utility as a special case, grid
//! search as the limit of its grids, and what is refused.

use bifrons_egm::{MarginalRead, ReadOptions};
use bifrons_grids::{Categorical, Linear};
use bifrons_lifecycle::{
    Ages, Decisions, Domain, Edge, Fault, Joint, Liquid, Model, NbEgm, Parameters, Population,
    Preferences, Regime, SimulateOptions, Solution, SolveError, Solver,
};

use crate::retirement::dense;

const BETA: f64 = 0.94;
const PERIODS: usize = 5;
const RETURNS: [f64; 3] = [0.8, 1.05, 1.3];
const ODDS: [f64; 3] = [0.25, 0.5, 0.25];

fn recursive(gamma: f64, psi: f64) -> Preferences {
    Preferences::epstein_zin(
        "beta",
        format!("{gamma:e}").as_str(),
        format!("{psi:e}").as_str(),
    )
}

fn finish(life: Regime, over: Regime) -> Result<Solution, SolveError> {
    let model = Model::builder(Ages::periods(PERIODS + 1).expect("ages"))
        .regime(life.ages(0.0, PERIODS as f64 - 1.0))
        .regime(over.ages(PERIODS as f64, PERIODS as f64))
        .build()
        .expect("model");
    let all = Parameters::new().set("beta", BETA);
    model.with_parameters(&all).expect("complete").solve()
}

/// Wealth with a random return and nothing else; the end is worth twice what is left.
fn wealth(gamma: f64, psi: f64, utility: &str, nodes: usize) -> Result<Solution, SolveError> {
    let returns = RETURNS.map(|own| vec![own]);
    let life = Regime::new("life")
        .state("m", Linear::new(0.5, 20.0, 9).expect("nodes"))
        .action("c", Domain::free())
        .function("savings", "m - c")
        .joint(Joint::new(["ret"], returns, ODDS))
        .utility(utility)
        .law("m", "ret*savings")
        .preferences(recursive(gamma, psi))
        .liquid(Liquid::new("m", "c", "savings", dense(30.0, nodes, 2)))
        .solver(Solver::NbEgm(NbEgm::new()))
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let over = Regime::new("over")
        .state("m", Linear::new(0.0, 40.0, 9).expect("nodes"))
        .utility("2*m");
    finish(life, over)
}

/// Value and consumption per unit of wealth of the homothetic problem, by period.
///
/// With `V' = λ' m'` the certainty equivalent of savings `s` is `μ s`, `μ = λ' (E R^(1-γ))^(1/(1-γ))`,
/// and `c / s = ((1 - β) / (β μ^θ))^ψ`.
fn closed_form(gamma: f64, psi: f64, factor: f64) -> Vec<(f64, f64)> {
    let theta = 1.0 - 1.0 / psi;
    let draws = RETURNS.iter().zip(ODDS);
    let certain = if (gamma - 1.0).abs() < 1e-12 {
        draws.map(|(r, w)| w * r.ln()).sum::<f64>().exp()
    } else {
        let sum: f64 = draws.map(|(r, w)| w * r.powf(1.0 - gamma)).sum();
        sum.powf(1.0 / (1.0 - gamma))
    };
    let mut all = vec![(2.0, 0.0)];
    for _ in 0..PERIODS {
        let mu = all[all.len() - 1].0 * certain;
        let ratio = ((1.0 - BETA) * factor.powf(theta) / (BETA * mu.powf(theta))).powf(psi);
        let share = ratio / (1.0 + ratio);
        let (q, nu) = (factor * share, mu * (1.0 - share));
        let value = if theta == 0.0 {
            q.powf(1.0 - BETA) * nu.powf(BETA)
        } else {
            ((1.0 - BETA) * q.powf(theta) + BETA * nu.powf(theta)).powf(1.0 / theta)
        };
        all.push((value, share));
    }
    all.reverse();
    all
}

/// Largest relative errors of value and consumption.
fn errors(gamma: f64, psi: f64, nodes: usize) -> [f64; 2] {
    let solution = wealth(gamma, psi, "1.5*c", nodes).expect("solved");
    let expected = closed_form(gamma, psi, 1.5);
    let mut worst = [0.0_f64; 2];
    for (t, (value, share)) in expected[..PERIODS].iter().enumerate() {
        for i in 0..40 {
            let m = 3.0 + 0.17 * f64::from(i);
            let (v, c) = solution.branch_at(t, "life", &[m], 0).expect("feasible");
            worst[0] = worst[0].max((v / (value * m) - 1.0).abs());
            worst[1] = worst[1].max((c / (share * m) - 1.0).abs());
        }
    }
    worst
}

#[test]
fn wealth_with_random_returns_has_its_closed_form() {
    for (gamma, psi) in [
        (4.0, 1.5),
        (4.0, 0.5),
        (1.0, 1.5),
        (0.5, 0.8),
        (10.0, 1.0),
        (3.0, 1.01),
        (60.0, 0.2),
    ] {
        let [coarse, fine] = [150, 600].map(|nodes| errors(gamma, psi, nodes));
        println!("gamma {gamma} psi {psi}: {coarse:?} {fine:?}");
        // Four times the nodes: values of order three at least, policies of order two.
        assert!(fine[0] <= coarse[0] / 32.0 + 1e-12, "{gamma} {psi}: value");
        assert!(fine[1] <= coarse[1] / 12.0 + 1e-11, "{gamma} {psi}: policy");
        assert!(fine[0] < 1e-5 && fine[1] < 1e-4, "{gamma} {psi}: {fine:?}");
    }
}

/// Income, a tax with a kink, and a choice to work, under some preferences.
fn worker(preferences: Preferences, utility: &str, over: &str, solver: Solver) -> Solution {
    let grid = matches!(solver, Solver::GridSearch);
    let read = |own: Regime| match grid {
        true => own,
        false => {
            own.liquid(Liquid::new("a", "c", "savings", dense(30.0, 300, 2)).resources("cash"))
        }
    };
    worker_on(preferences, (utility, over), solver, (11, 0), read).expect("solved")
}

fn worker_on(
    preferences: Preferences,
    (utility, over): (&str, &str),
    solver: Solver,
    (states, actions): (usize, usize),
    liquid: impl Fn(Regime) -> Regime,
) -> Result<Solution, SolveError> {
    let consumption = if actions == 0 {
        Domain::free()
    } else {
        Linear::new(0.05, 25.0, actions).expect("nodes").into()
    };
    let life = Regime::new("life")
        .state("a", Linear::new(0.0, 20.0, states).expect("nodes"))
        .action("work", Categorical::ordered(["no", "yes"]).expect("labels"))
        .action("c", consumption)
        .function("gross", "1.03*a + 0.5 + 1.2*work")
        .function("cash", "gross - 0.3*max(gross - 6, 0)")
        .function("savings", "cash - c")
        .joint(Joint::new(["y"], [vec![0.6], vec![1.4]], [0.5, 0.5]))
        .utility(utility)
        .constraint("borrowing", "savings >= 0")
        .law("a", "savings + 0.4*y")
        .preferences(preferences)
        .solver(solver)
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let over = Regime::new("over")
        .state("a", Linear::new(0.0, 40.0, 801).expect("nodes"))
        .utility(over);
    finish(liquid(life), over)
}

#[test]
fn expected_utility_is_a_special_case() {
    // With γ = 1/ψ values to the power θ are expected utility.
    for psi in [0.4, 2.5, 0.95_f64] {
        let theta = 1.0 - 1.0 / psi;
        let flow = "(1 - 0.2*work)*c";
        let read = ReadOptions::default().with_marginal(MarginalRead::DerivativeOfValue);
        let solver = || Solver::NbEgm(NbEgm::new().read(read));
        let own = worker(recursive(1.0 / psi, psi), flow, "1 + a", solver());
        let additive = format!("{:e}*({flow})^({theta:e})/({theta:e})", 1.0 - BETA);
        let end = format!("(1 + a)^({theta:e})/({theta:e})");
        let sum = worker(Preferences::linear("beta"), &additive, &end, solver());
        for t in 0..PERIODS {
            for i in 0..30 {
                let a = [0.3 + 0.61 * f64::from(i)];
                for branch in 0..2 {
                    let (v, c) = own.branch_at(t, "life", &a, branch).expect("feasible");
                    let (w, d) = sum.branch_at(t, "life", &a, branch).expect("feasible");
                    let w = (theta * w).powf(1.0 / theta);
                    assert!((v / w - 1.0).abs() < 1e-9, "{psi} {t} {a:?}: {v} {w}");
                    assert!((c / d - 1.0).abs() < 1e-7, "{psi} {t} {a:?}: {c} {d}");
                }
            }
        }
    }
}

#[test]
fn grid_search_approaches_it() {
    let (flow, over) = ("(1 - 0.2*work)*c^0.9", "1 + a");
    let preferences = || recursive(5.0, 1.6);
    let exact = worker(preferences(), flow, over, Solver::NbEgm(NbEgm::new()));
    let gaps = [(41, 251), (81, 501)].map(|sizes| {
        let grid = Solver::GridSearch;
        let found = worker_on(preferences(), (flow, over), grid, sizes, |own| own);
        let found = found.expect("solved");
        let mut sum = 0.0;
        for i in 0..=20 {
            let a = [f64::from(i)];
            let v = |own: &Solution| own.value_at(0, "life", &a).expect("kept");
            // A search on grids finds less, but for interpolating between wealth nodes.
            sum += (v(&exact) - v(&found)).abs();
        }
        sum / 21.0
    });
    println!("grid search: {gaps:?}");
    assert!(gaps[1] < gaps[0] / 2.5 && gaps[1] < 2e-3, "{gaps:?}");
}

#[test]
fn what_it_cannot_take_is_refused() {
    // A flow that is no power.
    let fault = wealth(4.0, 1.5, "1 + c", 40).expect_err("refused");
    assert!(fault.to_string().contains("E-NB-EZ"), "{fault}");
    let SolveError::Fault { fault, .. } = fault else {
        panic!("{fault}");
    };
    assert!(matches!(*fault, Fault::Shape { value, .. } if (value - 30.0).abs() < 1e-12));
    // Resources that jump.
    let life = Regime::new("life")
        .state("a", Linear::new(0.0, 20.0, 5).expect("nodes"))
        .action("c", Domain::free())
        .function("cash", "a + (if a < 3 then 1 else 0)")
        .function("savings", "cash - c")
        .utility("c")
        .law("a", "savings")
        .preferences(recursive(4.0, 1.5))
        .liquid(Liquid::new("a", "c", "savings", dense(30.0, 40, 2)).resources("cash"))
        .solver(Solver::NbEgm(NbEgm::new()))
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let over = Regime::new("over")
        .state("a", Linear::new(0.0, 40.0, 9).expect("nodes"))
        .utility("1 + a");
    let SolveError::Fault { fault, .. } = finish(life, over).expect_err("refused") else {
        panic!("another error");
    };
    assert!(fault.to_string().contains("E-NB-EZ"), "{fault}");
    assert!(matches!(*fault, Fault::Shape { value, .. } if (value - 3.0).abs() < 1e-12));
}

#[test]
fn subjects_who_search_anew_find_what_rows_say() {
    let solution = worker(
        recursive(5.0, 1.6),
        "(1 - 0.2*work)*c^0.9",
        "1 + a",
        Solver::NbEgm(NbEgm::new()),
    );
    // Also from nothing, and from next to nothing beside the income.
    let first = [0.0, 1e-300, 1e-9, 0.9, 5.0, 10.0, 18.0];
    let population = Population::new(first.len(), "life").state("a", first.to_vec());
    let values = |decisions| {
        let options = SimulateOptions::new().decisions(decisions);
        let panel = solution.simulate(&population, &options).expect("simulated");
        panel.table.f64("value").expect("column").to_vec()
    };
    let read = values(Decisions::Policy);
    let found = values(Decisions::Reoptimise);
    for (row, (a, b)) in read.iter().zip(&found).enumerate() {
        // Later rows follow from slightly different choices.
        assert!((a / b - 1.0).abs() < 1e-5, "row {row}: {a} {b}");
    }
}
