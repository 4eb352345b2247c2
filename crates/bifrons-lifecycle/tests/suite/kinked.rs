//! Budgets with kinks, cliffs and floors: detected in formulas, solved by NB-EGM.

use bifrons_egm::BreakOwner;
use bifrons_grids::{Categorical, Linear};
use bifrons_lifecycle::{
    Ages, Breakpoint, DcEgm, Domain, Edge, Liquid, Model, NbEgm, Parameters, Population, Regime,
    SimulateOptions, Solution, SolveOptions, Solver,
};
use bifrons_parallel::Threads;

use crate::json::Json;
use crate::retirement::dense;

/// What can be spent, by the kind of budget.
fn cash(kind: &str) -> &'static str {
    match kind {
        "kinked_tax" => "a + y + r*a - t1*min(y + r*a, zbar) - t2*max(y + r*a - zbar, 0)",
        "wealth_tax" => "(1+r)*a + y - tau*max(a - abar, 0)",
        "taper" => "(1+r)*a + y + max(b - phase*max(a - abar, 0), 0)",
        "cliff" => "(1+r)*a + y + (if a <= abar then b else 0)",
        other => panic!("{other}"),
    }
}

fn model(kind: &str, rho: f64, periods: usize, nodes: usize) -> Model {
    let last = periods as f64;
    let life = Regime::new("life")
        .ages(0.0, last - 1.0)
        .state("a", Linear::new(0.0, 20.0, 11).expect("nodes"))
        .action("c", Domain::free())
        .function("cash", cash(kind))
        .function("savings", "cash - c")
        .utility(if (rho - 1.0).abs() < 1e-12 {
            "ln(c)"
        } else {
            "c^(1-rho)/(1-rho)"
        })
        .constraint("borrowing", "savings >= 0")
        .law("a", "savings")
        .liquid(Liquid::new("a", "c", "savings", dense(30.0, nodes, 2)).resources("cash"))
        .solver(Solver::NbEgm(NbEgm::new()))
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    Model::builder(Ages::periods(periods + 1).expect("ages"))
        .regime(life)
        .regime(Regime::new("over").ages(last, last).utility("0"))
        .build()
        .expect("model")
}

fn solve(case: &Json, nodes: usize) -> Solution {
    let params = case.get("params");
    let (rho, periods) = (params.get("rho").number(), params.get("T").count());
    let model = model(case.get("kind").text(), rho, periods, nodes);
    let mut all = Parameters::new();
    for leaf in model.template() {
        let key = if leaf.name() == "discount_factor" {
            "beta"
        } else {
            leaf.name()
        };
        all = all.set(leaf.name(), params.get(key).number());
    }
    let problem = model.with_parameters(&all).expect("complete");
    problem.solve().expect("solved")
}

/// Worst errors of value and consumption of one case.
fn compare(case: &Json, nodes: usize) -> (f64, f64) {
    let solution = solve(case, nodes);
    let (assets, side) = (case.get("assets").numbers(), case.get("side").numbers());
    let (mut worst_v, mut worst_c) = (0.0_f64, 0.0_f64);
    for period in case.get("periods").list() {
        let t = period.get("t").count();
        let (values, policies) = (period.get("V").numbers(), period.get("c").numbers());
        for (i, &a) in assets.iter().enumerate() {
            let twice = |other: Option<&f64>| other.is_some_and(|b| b.to_bits() == a.to_bits());
            let upper = i > 0 && twice(assets.get(i - 1)) && side[i] > 0.0;
            // The limit from the right of a threshold that belongs to the left.
            let a = if upper { a.next_up() } else { a };
            let (value, c) = solution.branch_at(t, "life", &[a], 0).expect("feasible");
            worst_v = worst_v.max((value - values[i]).abs());
            // Where consumption jumps the sides differ; bunching is the same on both.
            let beside = [a * (1.0 - 1e-7), a * (1.0 + 1e-7)]
                .map(|b| solution.branch_at(t, "life", &[b], 0).map_or(c, |(_, c)| c));
            let miss = (c - policies[i]).abs();
            let jump = beside.iter().any(|b| (b - c).abs() > 1e-3);
            worst_c = worst_c.max(if jump { 0.0 } else { miss });
        }
    }
    (worst_v, worst_c)
}

fn check(text: &str, step: usize, nodes: usize) {
    let data = Json::read(text);
    for case in data.get("cases").list().iter().step_by(step) {
        let (v, c) = compare(case, nodes);
        let params = case.get("params");
        println!(
            "{} rho {} T {}: V {v:.1e}, c {c:.1e}",
            case.get("kind").text(),
            params.get("rho").number(),
            params.get("T").number()
        );
        assert!(
            v <= 1e-8 + 2e-8 * params.get("rho").number() && c <= 1e-6,
            "{v:e} {c:e}"
        );
    }
}

#[test]
fn kinks_and_cliffs_over_few_periods() {
    check(
        include_str!("../data/kinked_tax_and_cliff_T2_5.json"),
        1,
        1000,
    );
}

#[test]
fn kinks_and_cliffs_over_twenty_periods() {
    check(
        include_str!("../data/kinked_tax_and_cliff_T20.json"),
        2,
        1000,
    );
}

#[test]
fn what_is_detected_is_reported() {
    let kinds = |kind: &str| -> Vec<String> {
        let found = model(kind, 1.0, 3, 20).detected("life");
        found
            .iter()
            .map(|own| format!("{} at {}", own.kind, own.at))
            .collect()
    };
    assert_eq!(kinds("cliff"), ["jump at cash:abar"]);
    assert_eq!(kinds("wealth_tax"), ["kink at cash:abar"]);
    assert_eq!(kinds("taper").len(), 2);
    assert!(
        kinds("kinked_tax")
            .iter()
            .all(|own| own.starts_with("kink at"))
    );
}

/// Two ways to earn, a tax on both, and a consumption floor.
fn branches(solver: Solver, tax: &str) -> Solution {
    let life = Regime::new("life")
        .ages(0.0, 3.0)
        .state("a", Linear::new(0.0, 20.0, 11).expect("nodes"))
        .state(
            "type",
            Categorical::unordered(["low", "high"]).expect("labels"),
        )
        .action("work", Categorical::ordered(["no", "yes"]).expect("labels"))
        .action("c", Domain::free())
        .function("gross", "a + (1 + type)*work")
        .function("cash", tax)
        .function("savings", "cash - c")
        .utility("ln(c) - 0.3*work")
        .constraint("borrowing", "savings >= 0")
        .law("a", "savings")
        .fixed("type")
        .liquid(Liquid::new("a", "c", "savings", dense(30.0, 200, 2)).resources("cash"))
        .solver(solver)
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let model = Model::builder(Ages::periods(5).expect("ages"))
        .regime(life)
        .regime(Regime::new("over").ages(4.0, 4.0).utility("0"))
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.95);
    let problem = model.with_parameters(&parameters).expect("complete");
    let options = SolveOptions::new().threads(Threads::new(2).expect("threads"));
    problem.solve_with(&options).expect("solved")
}

#[test]
fn without_breakpoints_it_is_dc_egm() {
    let kinked = branches(Solver::NbEgm(NbEgm::new()), "gross + 0.5");
    let smooth = branches(Solver::DcEgm(DcEgm::new()), "gross + 0.5");
    for t in 0..4 {
        for kind in [0.0, 1.0] {
            for a in [0.0, 0.7, 3.0, 9.5, 19.0] {
                let values = |own: &Solution| own.value_at(t, "life", &[kind, a]).expect("kept");
                let (a, b) = (values(&kinked), values(&smooth));
                assert!(
                    (a - b).abs() < 1e-6 * b.abs().max(1.0),
                    "{t} {kind}: {a} {b}"
                );
            }
        }
    }
}

#[test]
fn branches_with_their_own_breakpoints_beat_what_a_dense_search_finds() {
    let solution = branches(
        Solver::NbEgm(NbEgm::new()),
        "max(gross - 0.3*max(gross - 4, 0), 1.5)",
    );
    let cash = |a: f64, kind: f64, work: f64| {
        let gross = a + (1.0 + kind) * work;
        (gross - 0.3 * (gross - 4.0).max(0.0)).max(1.5)
    };
    for kind in [0.0, 1.0] {
        for a in [0.0, 0.4, 2.0, 3.9, 6.0, 15.0] {
            let mut best = f64::NEG_INFINITY;
            for work in [0.0, 1.0] {
                let m = cash(a, kind, work);
                for i in 1..=4000 {
                    let c = m * f64::from(i) / 4000.0;
                    let next = solution.value_at(1, "life", &[kind, m - c]).expect("kept");
                    best = best.max(c.ln() - 0.3 * work + 0.95 * next);
                }
            }
            let found = solution.value_at(0, "life", &[kind, a]).expect("kept");
            assert!(
                found >= best - 1e-9 && found <= best + 1e-5,
                "{kind} {a}: {found} {best}"
            );
        }
    }
    // Subjects stay where the budget lets them.
    let population = Population::new(60, "life")
        .state(
            "a",
            (0..60).map(|i| 0.3 * f64::from(i)).collect::<Vec<f64>>(),
        )
        .state_of_all("type", 1.0);
    let panel = solution.simulate(&population, &SimulateOptions::new().column("savings"));
    let table = panel.expect("simulated").table;
    let savings = table.f64("savings").expect("column");
    assert!(savings.iter().all(|s| s.is_nan() || *s >= -1e-12));
}

/// The breakpoints of a budget as its author knows them.
fn known(kind: &str) -> Vec<Breakpoint> {
    match kind {
        "kinked_tax" => vec![Breakpoint::kink("cash", "(zbar - y)/r")],
        "wealth_tax" => vec![Breakpoint::kink("cash", "abar")],
        "taper" => vec![
            Breakpoint::kink("cash", "abar"),
            Breakpoint::kink("cash", "abar + b/phase"),
        ],
        "cliff" => vec![Breakpoint::jump("cash", "abar").owner(BreakOwner::Below)],
        other => panic!("{other}"),
    }
}

/// Messages about declared breakpoints of a budget.
fn complaints(cash: &str, declared: &[Breakpoint]) -> Vec<String> {
    let mut life = Regime::new("life")
        .ages(0.0, 0.0)
        .state("a", Linear::new(0.0, 20.0, 11).expect("nodes"))
        .action("c", Domain::free())
        .function("income", "y + 2*a")
        .function("cash", cash)
        .function("savings", "cash - c")
        .utility("ln(c)")
        .liquid(Liquid::new("a", "c", "savings", dense(30.0, 20, 2)).resources("cash"))
        .solver(Solver::NbEgm(NbEgm::new()))
        .edge(Edge::to("over"));
    for own in declared {
        life = life.breakpoint(own.clone());
    }
    let over = Regime::new("over").ages(1.0, 1.0).utility("0");
    let ages = Ages::periods(2).expect("ages");
    let model = Model::builder(ages).regime(life).regime(over).build();
    let errors = model.err();
    let all = errors.iter().flat_map(|own| own.errors());
    all.map(|own| format!("{} {own}", own.code())).collect()
}

#[test]
fn declared_breakpoints_are_those_that_are_found() {
    for kind in ["kinked_tax", "wealth_tax", "taper", "cliff"] {
        let found = complaints(cash(kind), &known(kind));
        assert!(found.is_empty(), "{kind}: {found:?}");
    }
    let floor = "max(a + y, least)";
    assert!(complaints(floor, &[Breakpoint::floor("cash", "least - y")]).is_empty());
    let tax = "a - 0.1*max(income - limit, 0)";
    assert!(complaints(tax, &[Breakpoint::kink("cash", "limit").of("income")]).is_empty());
}

#[test]
fn declared_breakpoints_that_are_not_found_are_named() {
    let [jump, kink] = ["abar", "2*abar"].map(|at| Breakpoint::kink("cash", at));
    let cases = [
        ("wealth_tax", vec![], ""),
        ("wealth_tax", vec![kink.clone()], "moved"),
        ("wealth_tax", vec![jump.clone(), kink.clone()], "missing"),
        ("taper", vec![jump.clone()], "extra"),
        ("cliff", vec![jump.clone()], "it is a jump"),
        (
            "cliff",
            vec![Breakpoint::jump("cash", "abar")],
            "belongs to what is below",
        ),
        (
            "wealth_tax",
            vec![Breakpoint::floor("cash", "abar")],
            "it is a kink",
        ),
    ];
    for (kind, declared, expected) in cases {
        let found = complaints(cash(kind), &declared);
        let wanted = found
            .iter()
            .any(|own| own.contains("E-NB-DECL") && own.contains(expected));
        assert!(
            wanted || expected.is_empty() && found.is_empty(),
            "{kind} {expected}: {found:?}"
        );
    }
}

/// Closed form 14: a bonus of 3 below 6, log utility, discount factor 0.95; savings stay just
/// below the cliff from 15.47 to 29.32.
#[test]
fn savings_stay_below_a_declared_cliff() {
    let now = Regime::new("now")
        .ages(0.0, 0.0)
        .state("x", Linear::new(0.5, 40.0, 9).expect("nodes"))
        .action("c", Domain::free())
        .function("savings", "x - c")
        .utility("ln(c)")
        .law("x", "savings")
        .liquid(Liquid::new("x", "c", "savings", dense(60.0, 400, 2)))
        .solver(Solver::NbEgm(NbEgm::new()))
        .edge(Edge::to("then"));
    let then = Regime::new("then")
        .ages(1.0, 1.0)
        .state("x", Linear::new(0.0, 60.0, 9).expect("nodes"))
        .action("c", Domain::free())
        .function("cash", "x + (if x < limit then 3 else 0)")
        .function("savings", "cash - c")
        .utility("ln(c)")
        .liquid(Liquid::new("x", "c", "savings", dense(60.0, 50, 2)).resources("cash"))
        .solver(Solver::NbEgm(NbEgm::new()))
        .breakpoint(Breakpoint::jump("cash", "limit"))
        .edge(Edge::to("over"));
    let model = Model::builder(Ages::periods(3).expect("ages"))
        .regime(now)
        .regime(then)
        .regime(Regime::new("over").ages(2.0, 2.0).utility("0"))
        .build()
        .expect("model");
    let all = Parameters::new()
        .set("discount_factor", 0.95)
        .set("limit", 6.0);
    let solution = model
        .with_parameters(&all)
        .expect("complete")
        .solve()
        .expect("solved");
    let (b, limit, switch) = (0.95, 6.0_f64, 29.321_877_464_755_9);
    let mut worst = [0.0_f64; 2];
    for m in [
        16.0,
        20.0,
        24.0,
        switch - 1e-3,
        switch + 1e-3,
        30.0,
        35.0_f64,
    ] {
        let (value, c) = solution.branch_at(0, "now", &[m], 0).expect("feasible");
        let bunches = m < switch;
        let s = if bunches { limit } else { b * m / (1.0 + b) };
        let next = if bunches { s + 3.0 } else { s };
        worst[0] = worst[0].max((value - (m - s).ln() - b * next.ln()).abs());
        worst[1] = worst[1].max((c - (m - s)).abs());
    }
    println!("value {:.1e}, consumption {:.1e}", worst[0], worst[1]);
    assert!(worst[0] < 1e-8 && worst[1] < 1e-8, "{worst:?}");
}
