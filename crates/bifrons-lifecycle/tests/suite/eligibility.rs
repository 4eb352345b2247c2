//! Futures that depend on the liquid state by steps: asset tests for eligibility.

use bifrons_egm::BreakOwner;
use bifrons_grids::{Categorical, Linear};
use bifrons_lifecycle::{
    Ages, Breakpoint, Domain, Edge, Liquid, Model, NbEgm, Parameters, Population, Preferences,
    Regime, SimulateOptions, Solution, SolveOptions, Solver,
};
use bifrons_parallel::Threads;

use crate::retirement::dense;

const LIMIT: f64 = 5.0;
const RICH: f64 = 12.0;

/// The share `κ` and the discount factor of the two-period lottery at assets of this period.
fn lottery(test: &str, a: f64) -> (f64, f64) {
    let passes = match test {
        "<=" => a <= LIMIT,
        "<" => a < LIMIT,
        ">=" => a >= LIMIT,
        _ => a > LIMIT,
    };
    let p = if passes { 0.9 } else { 0.3 };
    let beta = if a < RICH { 0.9 } else { 0.96 };
    (p + (1.0 - p) * 2.5, beta)
}

/// Log utility; the next period is worth `ln a'` or `2.5 ln a'`, and which of them is a lottery
/// with an asset test; the rich are more patient.
fn closed(test: &str, periods: usize, options: NbEgm) -> Solution {
    let last = periods as f64;
    let grid = || Linear::new(0.5, 30.0, 21).expect("nodes");
    let life = |name: &str, first: f64, until: f64| {
        Regime::new(name)
            .ages(first, until)
            .state("a", grid())
            .action("c", Domain::free())
            .function("cash", "1.25*a")
            .function("savings", "cash - c")
            .utility("ln(c)")
            .constraint("borrowing", "savings >= 0")
            .law("a", "savings")
            .liquid(Liquid::new("a", "c", "savings", dense(60.0, 800, 3)).resources("cash"))
            .solver(Solver::NbEgm(options))
    };
    let odds = format!("if a {test} limit then 0.9 else 0.3");
    let late = life("late", last - 1.0, last - 1.0)
        .function("odds", odds)
        .preferences(Preferences::linear("if a < rich then 0.9 else 0.96"))
        .edge(Edge::to("mild").probability("odds"))
        .edge(Edge::to("harsh").probability("1 - odds"));
    let end = |name: &str, utility: &str| {
        Regime::new(name)
            .ages(last, last)
            .state("a", grid())
            .utility(utility)
    };
    let mut model = Model::builder(Ages::periods(periods + 1).expect("ages"));
    if periods > 1 {
        model = model.regime(life("early", 0.0, last - 2.0).edge(Edge::to("late")));
    }
    let model = model
        .regime(late)
        .regime(end("mild", "ln(a)"))
        .regime(end("harsh", "2.5*ln(a)"))
        .build()
        .expect("model");
    let mut all = Parameters::new().set("limit", LIMIT).set("rich", RICH);
    if periods > 1 {
        all = all.set("discount_factor", 0.95);
    }
    let problem = model.with_parameters(&all).expect("complete");
    problem.solve().expect("solved")
}

/// Value of the later period, `max ln(c) + βκ ln(m - c)`, with consumption `m / (1 + βκ)`.
fn late(test: &str, a: f64) -> (f64, f64) {
    let (kappa, beta) = lottery(test, a);
    let (m, k) = (1.25 * a, beta * kappa);
    let c = m / (1.0 + k);
    (c.ln() + k * (m - c).ln(), c)
}

/// Value of the earlier period: the best of the three pieces of the later value, on each of which
/// it is `A ln s + B`, and savings are `βAm/(1 + βA)` or the end of the piece.
fn early(test: &str, a: f64) -> (f64, f64) {
    let (m, beta) = (1.25 * a, 0.95);
    let below = |x: f64| x.next_down();
    let limit = match test {
        "<=" | ">" => LIMIT.next_up(),
        _ => LIMIT,
    };
    let pieces = [
        (1e-300, below(limit)),
        (limit, below(RICH)),
        (RICH, f64::INFINITY),
    ];
    let mut best = (f64::NEG_INFINITY, f64::NAN);
    for (low, high) in pieces.into_iter().filter(|piece| piece.0 < m) {
        let (kappa, factor) = lottery(test, low);
        let share = 1.0 + factor * kappa;
        let savings = (beta * share * m / (1.0 + beta * share)).clamp(low, high);
        if savings < m {
            let value = (m - savings).ln() + beta * late(test, savings).0;
            if value > best.0 {
                best = (value, m - savings);
            }
        }
    }
    best
}

#[test]
fn two_periods_have_their_closed_form_on_both_sides_of_every_test() {
    for test in ["<=", "<", ">=", ">"] {
        let solution = closed(test, 1, NbEgm::new());
        let sides = [LIMIT, RICH].map(|at| [at.next_down(), at, at.next_up()]);
        let inside = [0.5, 0.9, 2.0, 4.9, 5.1, 8.0, 11.9, 12.1, 20.0, 29.0_f64];
        for a in inside.into_iter().chain(sides.into_iter().flatten()) {
            let (value, policy) = late(test, a);
            let (v, c) = solution.branch_at(0, "late", &[a], 0).expect("feasible");
            // Consumption is straight in resources, so that rows are exact up to rounding; the
            // value is read by cubics between savings nodes, h⁴ times the fourth derivative.
            assert!((c - policy).abs() < 1e-12 * c, "{test} {a}: {c} {policy}");
            assert!((v - value).abs() < 1e-7, "{test} {a}: {v} {value}");
            let again = solution.value_at(0, "late", &[a]).expect("kept");
            assert_eq!(again.to_bits(), v.to_bits());
        }
    }
}

#[test]
fn three_periods_save_beside_the_asset_test() {
    for test in ["<=", "<", ">=", ">"] {
        let solution = closed(test, 2, NbEgm::new());
        let (mut worst, mut bunched) = ([0.0_f64; 2], 0);
        for i in 0..600 {
            let a = 0.7 + 0.05 * f64::from(i);
            let (value, policy) = early(test, a);
            let (v, c) = solution.branch_at(0, "early", &[a], 0).expect("feasible");
            worst[0] = worst[0].max((v - value).abs());
            let savings = 1.25 * a - c;
            bunched += usize::from((savings - LIMIT).abs() < 1e-9);
            // Consumption jumps where two pieces are worth the same.
            let beside = [a - 2e-3, a + 2e-3].map(|b| early(test, b).1);
            if beside.iter().all(|b| (b - policy).abs() < 0.05) {
                worst[1] = worst[1].max((c - policy).abs());
            }
        }
        println!(
            "{test}: value {:.1e}, policy {:.1e}, {bunched} at the limit",
            worst[0], worst[1]
        );
        assert!(worst[0] < 1e-7 && worst[1] < 1e-6, "{test}: {worst:?}");
        assert!(bunched > 20, "{test}: {bunched} at the limit");
    }
}

/// Who passes an asset test is insured more often; who has much retires more often, and earns a
/// lower return: steps of a probability vector, of an edge, and of a law.
fn medicaid(solver: Solver, [high, savings]: [usize; 2], c: Domain) -> Model {
    let last = 5.0;
    let labels = |names: [&str; 2]| Categorical::unordered(names).expect("labels");
    let grid = || Linear::new(0.0, 20.0, high).expect("nodes");
    let base = |name: &str, first: f64| {
        Regime::new(name)
            .ages(first, last - 1.0)
            .state("insured", labels(["no", "yes"]))
            .state("a", grid())
            .action("c", c.clone())
            .function("savings", "cash - c")
            .constraint("borrowing", "savings >= 0")
            .function(
                "covered",
                "if a <= limit then 0.9 else if work == 1 then 0.5 else 0.2",
            )
            .markov("insured", ["1 - covered", "covered"])
            .law("a", "(if a < rich then 1.04 else 1.01)*savings")
            .liquid(Liquid::new("a", "c", "savings", dense(40.0, savings, 2)).resources("cash"))
            .solver(solver.clone())
    };
    let work = base("work", 0.0)
        .action("work", labels(["no", "yes"]))
        .function(
            "cash",
            "a + 0.6 + 1.5*work - if insured == 1 then 0 else 0.4",
        )
        .utility("ln(c) - 0.4*work")
        .function("leave", "if a >= rich then 0.6 else 0.1")
        .edge(Edge::to("work").probability("1 - leave"))
        .edge(Edge::to("rest").probability("leave"))
        .edge(Edge::to("over").ages(last - 1.0, last - 1.0));
    let rest = base("rest", 1.0)
        .function("work", "0")
        .function("cash", "a + 1 - if insured == 1 then 0 else 0.4")
        .utility("ln(c) + 0.2")
        .edge(Edge::to("rest"))
        .edge(Edge::to("over"));
    Model::builder(Ages::periods(6).expect("ages"))
        .regime(work)
        .regime(rest)
        .regime(
            Regime::new("over")
                .ages(last, last)
                .state("insured", labels(["no", "yes"]))
                .state("a", grid())
                .utility("ln(a + 1) + 0.3*insured"),
        )
        .build()
        .expect("model")
}

fn parameters() -> Parameters {
    Parameters::new()
        .set("discount_factor", 0.95)
        .set("limit", 3.3)
        .set("rich", 8.1)
}

fn solve(solver: Solver, nodes: [usize; 2], c: Domain, options: &SolveOptions) -> Solution {
    let model = medicaid(solver, nodes, c);
    let problem = model.with_parameters(&parameters()).expect("complete");
    problem.solve_with(options).expect("solved")
}

fn by_rows(options: NbEgm, savings: usize, threads: usize) -> Solution {
    let threads = Threads::new(threads).expect("threads");
    let options = (Solver::NbEgm(options), SolveOptions::new().threads(threads));
    solve(options.0, [41, savings], Domain::free(), &options.1)
}

/// What is best at one state if the values of the next period are those of the solution.
fn searched(solution: &Solution, t: usize, regime: &str, insured: f64, a: f64) -> f64 {
    let last = t == 4;
    let mut best = f64::NEG_INFINITY;
    let branches: &[f64] = if regime == "work" {
        &[0.0, 1.0]
    } else {
        &[0.0]
    };
    for &work in branches {
        let m = match regime {
            "work" => a + 0.6 + 1.5 * work,
            _ => a + 1.0,
        } - if insured > 0.5 { 0.0 } else { 0.4 };
        let covered = match (a <= 3.3, work > 0.5) {
            (true, _) => 0.9,
            (false, true) => 0.5,
            (false, false) => 0.2,
        };
        let rate = if a < 8.1 { 1.04 } else { 1.01 };
        let leave = if a >= 8.1 { 0.6 } else { 0.1 };
        let next = |s: f64| -> f64 {
            let insured = [1.0 - covered, covered].into_iter().enumerate();
            let value = |regime: &str, kind: f64| {
                let at = [kind, rate * s];
                solution.value_at(t + 1, regime, &at).expect("kept")
            };
            insured
                .map(|(kind, weight)| {
                    let kind = kind as f64;
                    weight
                        * match (last, regime) {
                            (true, _) => (rate * s + 1.0).ln() + 0.3 * kind,
                            (_, "work") => {
                                (1.0 - leave) * value("work", kind) + leave * value("rest", kind)
                            }
                            _ => value("rest", kind),
                        }
                })
                .sum()
        };
        let taste = if regime == "work" { -0.4 * work } else { 0.2 };
        // Savings beside the cliffs of the next period are tried, too.
        let cliffs = [3.3, 8.1].map(|limit| limit / rate);
        let beside = cliffs.map(|s| [s * (1.0 - 1e-13), s * (1.0 + 1e-13)]);
        let even = (0..3000).map(|i| m * f64::from(i) / 3000.0);
        for s in even.chain(beside.into_iter().flatten()).filter(|s| *s < m) {
            best = best.max((m - s).ln() + taste + 0.95 * next(s));
        }
    }
    best
}

#[test]
fn a_dense_search_finds_nothing_better() {
    // Work ends next period between savings nodes, at a kink that is a node of its own: without
    // it the rows lose 3e-5 with 400 nodes. What is left is the cubic between nodes. The search is
    // short by half the curvature times its squared step.
    for (savings, tolerance) in [(200, 1e-7), (400, 1e-9), (1600, 1e-9)] {
        compare_with_search(savings, tolerance);
    }
}

fn compare_with_search(savings: usize, tolerance: f64) {
    let solution = by_rows(NbEgm::new(), savings, 2);
    let places = [
        0.3,
        1.7,
        3.3,
        3.3_f64.next_up(),
        4.4,
        8.1_f64.next_down(),
        8.1,
        15.0,
    ];
    let (mut above, mut below) = (0.0_f64, 0.0_f64);
    for (t, regime) in [
        (0, "work"),
        (2, "work"),
        (2, "rest"),
        (3, "rest"),
        (4, "work"),
    ] {
        for insured in [0.0, 1.0] {
            for a in places {
                let found = solution.value_at(t, regime, &[insured, a]).expect("kept");
                let best = searched(&solution, t, regime, insured, a);
                above = above.max(best - found);
                below = below.max(found - best);
            }
        }
    }
    println!("{savings}: search above {above:.1e}, below {below:.1e}");
    assert!(above < tolerance && below < 2e-6, "{above:e} {below:e}");
}

#[test]
fn grid_search_of_the_same_model_agrees_away_from_the_cliffs() {
    let rows = by_rows(NbEgm::new(), 400, 2);
    let c = Domain::from(Linear::new(0.03, 12.0, 400).expect("nodes"));
    let grid = solve(Solver::GridSearch, [201, 10], c, &SolveOptions::new());
    let mut worst = 0.0_f64;
    for t in 0..5 {
        for insured in [0.0, 1.0] {
            for a in [0.5, 1.0, 2.0, 5.0, 6.0, 12.0, 15.0] {
                let values = [&rows, &grid].map(|own| own.value_at(t, "work", &[insured, a]));
                let [a, b] = values.map(|own| own.expect("kept"));
                worst = worst.max((a - b).abs());
            }
        }
    }
    println!("grid search: {worst:.1e}");
    // Straight lines across a cliff smear it over one node of 0.1, for some of the savers.
    assert!(worst < 2e-2, "{worst:e}");
}

fn bits(solution: &Solution) -> Vec<u64> {
    let mut all = Vec::new();
    for t in 0..5 {
        for regime in ["work", "rest"] {
            let values = solution.values(t, regime).unwrap_or_default();
            all.extend(values.iter().map(|own| own.to_bits()));
        }
    }
    all
}

#[test]
fn threads_and_widths_change_no_bit() {
    let expected = bits(&by_rows(NbEgm::new(), 200, 1));
    assert!(expected.len() > 500, "{}", expected.len());
    for (threads, width) in [(1, 1), (2, 1), (4, 2), (1, 2), (2, 3), (1, 7), (4, 0)] {
        let options = NbEgm::new()
            .interval_batch_size(width)
            .branch_batch_size(width)
            .envelope_segment_block_size(width);
        assert_eq!(
            bits(&by_rows(options, 200, threads)),
            expected,
            "{threads} {width}"
        );
    }
}

#[test]
fn subjects_and_files_know_the_intervals() {
    let solution = by_rows(NbEgm::new(), 400, 2);
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("rows.solution");
    solution.save(&path).expect("saved");
    let loaded = solution.problem().load(&path).expect("loaded");
    let first: Vec<f64> = (0..400).map(|i| 0.05 * f64::from(i)).collect();
    let population = Population::new(400, "work")
        .state("a", first)
        .state_of_all("insured", 1.0);
    let panel = |own: &Solution, width: usize| {
        let options = SimulateOptions::new().subject_batch_size(width);
        let table = own
            .simulate(&population, &options)
            .expect("simulated")
            .table;
        ["a", "c", "value"].map(|name| table.f64(name).expect("column").to_vec())
    };
    let [a, c, value] = panel(&solution, 0);
    let same = |other: &[Vec<f64>; 3]| {
        let all = other
            .iter()
            .flatten()
            .zip([&a, &c, &value].into_iter().flatten());
        all.into_iter().all(|(x, y)| x.to_bits() == y.to_bits())
    };
    assert!(same(&panel(&loaded, 0)) && same(&panel(&solution, 7)));
    // The first row of each subject is what the solution says of its point.
    let mut own = 0;
    for i in 0..400 {
        let at = 0.05 * f64::from(i);
        let row = (own..a.len()).find(|row| a[*row].to_bits() == at.to_bits());
        let Some(row) = row else { continue };
        own = row + 1;
        let says = solution.value_at(0, "work", &[1.0, at]).expect("kept");
        assert!((value[row] - says).abs() < 1e-12, "{at}");
    }
    assert!(own > 1000, "{own}");
}

/// Complaints about one life with these formulas.
fn complaints(change: &dyn Fn(Regime) -> Regime) -> Vec<String> {
    let life = Regime::new("life")
        .ages(0.0, 0.0)
        .state("a", Linear::new(0.0, 20.0, 11).expect("nodes"))
        .action("c", Domain::free())
        .shock(
            "eps",
            &bifrons_shocks::Discretisation::new(vec![0.8, 1.2], vec![0.5, 0.5]).expect("law"),
        )
        .function("savings", "a - c")
        .utility("ln(c)")
        .law("a", "savings")
        .liquid(Liquid::new("a", "c", "savings", dense(30.0, 20, 2)))
        .solver(Solver::NbEgm(NbEgm::new()));
    let end = |name: &str| {
        let grid = Linear::new(0.0, 20.0, 11).expect("nodes");
        let own = Regime::new(name).ages(1.0, 1.0).state("a", grid);
        own.utility("ln(a + 1)")
    };
    let model = Model::builder(Ages::periods(2).expect("ages")).regime(change(life));
    let built = model.regime(end("over")).regime(end("under")).build();
    let errors = built.err();
    let all = errors.iter().flat_map(|own| own.errors());
    all.map(|own| format!("{} {own}", own.code())).collect()
}

#[test]
fn what_is_not_constant_within_an_interval_is_refused_with_its_place() {
    let patience = |text: &'static str| {
        complaints(&move |life| {
            let life = life.preferences(Preferences::linear("b"));
            life.function("b", text).edge(Edge::to("over"))
        })
    };
    for fine in [
        "0.9",
        "if a < limit then 0.9 else 0.8",
        "if 2*a + 1 <= limit then 0.9 else share",
    ] {
        assert!(patience(fine).is_empty(), "{fine}: {:?}", patience(fine));
    }
    for (text, place) in [
        ("0.9 - 0.001*a", "at any place"),
        ("if a < limit then 0.9 else 0.9 - 0.001*a", "above "),
        ("if a < limit then 0.9 - 0.001*a else 0.8", "below "),
        (
            "if a < 2 then 0.9 else if a < 4 then 0.9 - 0.001*a else 0.8",
            "between 2 and 4",
        ),
        ("0.9 - 0.001*floor(a)", "every integer"),
        ("if a == 3 then 0.9 else 0.8", "a case of its own"),
    ] {
        let found = patience(text);
        let named = |own: &String| {
            own.starts_with("E-NB-PCONST")
                && own.contains("preferences:discount")
                && own.contains(place)
        };
        assert!(found.iter().any(named), "{text}: {found:?}");
    }
    let law = |text: &'static str| {
        complaints(&move |life| {
            let preferences = Preferences::linear("0.9");
            life.preferences(preferences)
                .edge(Edge::to("over").law("a", text))
        })
    };
    assert!(law("(if a < limit then 1.02 else 1)*savings + eps").is_empty());
    let found = law("savings + 0.01*a");
    assert!(
        found.iter().any(|own| own.starts_with("E-NB-PCONST")),
        "{found:?}"
    );
    let found = law("(if a*eps < limit then 1.02 else 1)*savings");
    let named = |own: &String| own.starts_with("E-NB-VAR") && own.contains("eps");
    assert!(found.iter().any(named), "{found:?}");
}

#[test]
fn declared_switches_are_those_that_are_found() {
    let declare = |all: Vec<Breakpoint>| {
        complaints(&move |life| {
            let life = life
                .preferences(Preferences::linear("0.9"))
                .function("odds", "if 2*a <= limit then 0.9 else 0.3")
                .edge(Edge::to("over").probability("odds"))
                .edge(Edge::to("under").probability("1 - odds"));
            all.iter()
                .fold(life, |life, own| life.breakpoint(own.clone()))
        })
    };
    let known = Breakpoint::jump("odds", "limit/2").owner(BreakOwner::Below);
    let found = declare(vec![known.clone()]);
    assert!(found.is_empty(), "{found:?}");
    for (all, expected) in [
        (
            vec![Breakpoint::jump("odds", "limit/2")],
            "belongs to what is below",
        ),
        (vec![Breakpoint::kink("odds", "limit/2")], "it is a jump"),
        (vec![Breakpoint::jump("odds", "limit")], "moved"),
        (vec![known, Breakpoint::jump("odds", "limit")], "missing"),
    ] {
        let found = declare(all);
        let named = |own: &String| own.starts_with("E-NB-DECL") && own.contains(expected);
        assert!(found.iter().any(named), "{expected}: {found:?}");
    }
    let model = medicaid(Solver::NbEgm(NbEgm::new()), [11, 20], Domain::free());
    let detected = model.detected("work");
    let all: Vec<String> = detected
        .iter()
        .map(|own| format!("{} at {}", own.kind, own.at))
        .collect();
    assert!(
        all.len() >= 4 && all.iter().all(|own| own.starts_with("jump at")),
        "{all:?}"
    );
}
