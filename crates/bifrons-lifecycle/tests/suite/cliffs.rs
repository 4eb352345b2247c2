//! Subjects beside a cliff stay on its better side, whatever rounds.

use bifrons_grids::{Irregular, Linear};
use bifrons_lifecycle::{
    Ages, Domain, Edge, Liquid, Model, NNbEgm, NbEgm, Outer, OuterSearch, Parameters, Population,
    Regime, SimulateOptions, Solution, Solver,
};
use bifrons_parallel::Threads;

use crate::retirement::dense;

const LIMIT: f64 = 4.2;
const SUBJECTS: usize = 3000;

/// An asset test `a OP limit` that pays a bonus, and the law of the assets.
fn solve(test: &str, law: &str) -> Solution {
    let life = Regime::new("life")
        .ages(0.0, 4.0)
        .state("a", Linear::new(0.0, 40.0, 11).expect("nodes"))
        .action("c", Domain::free())
        .function(
            "cash",
            format!("1.013*a + 0.7 + (if a {test} limit then 1.1 else 0)"),
        )
        .function("savings", "cash - c")
        .utility("ln(c)")
        .constraint("borrowing", "savings >= 0")
        .law("a", law)
        .liquid(Liquid::new("a", "c", "savings", dense(60.0, 200, 2)).resources("cash"))
        .solver(Solver::NbEgm(NbEgm::new()))
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let model = Model::builder(Ages::periods(6).expect("ages"))
        .regime(life)
        .regime(Regime::new("over").ages(5.0, 5.0).utility("0"))
        .build()
        .expect("model");
    let all = Parameters::new()
        .set("discount_factor", 0.95)
        .set("limit", LIMIT);
    let problem = model.with_parameters(&all).expect("complete");
    problem.solve().expect("solved")
}

/// Assets of all subjects in all periods, five rows each.
fn assets(solution: &Solution, options: &SimulateOptions) -> Vec<f64> {
    let first = (0..SUBJECTS).map(|i| 40.0 * (i as f64 + 0.37) / SUBJECTS as f64);
    let population = Population::new(SUBJECTS, "life").state("a", first.collect::<Vec<f64>>());
    let panel = solution.simulate(&population, options).expect("simulated");
    let period = panel.table.u32("period").expect("column");
    let rows = panel.table.f64("a").expect("column").iter().zip(period);
    rows.filter(|(_, period)| **period < 5)
        .map(|(a, _)| *a)
        .collect()
}

#[test]
fn every_subject_at_a_cliff_is_on_its_better_side() {
    let laws = ["savings", "1.03*savings + 0.1", "(savings + 0.3)/1.07"];
    for (test, passes) in [
        ("<=", (|a| a <= LIMIT) as fn(f64) -> bool),
        ("<", |a| a < LIMIT),
        (">=", |a| a >= LIMIT),
        (">", |a| a > LIMIT),
    ] {
        for law in laws {
            let all = assets(&solve(test, law), &SimulateOptions::new());
            let mut at = 0;
            for own in all.chunks(5) {
                for &a in own[1..].iter().filter(|a| (**a - LIMIT).abs() < 1e-9) {
                    at += 1;
                    assert!(passes(a), "{test} {law}: {a:e} after {}", own[0]);
                    // No further from it than rounding asks for: 2 · 16 ε of all that was added.
                    assert!((a - LIMIT).abs() < 4e-14 * own[0].max(10.0), "{a:e}");
                }
            }
            assert!(at > 100, "{test} {law}: {at} subjects at the cliff");
        }
    }
}

#[test]
fn widths_of_chunks_and_threads_change_no_bit_beside_a_cliff() {
    let solution = solve("<=", "1.03*savings + 0.1");
    let bits = |options: &SimulateOptions| -> Vec<u64> {
        let all = assets(&solution, options);
        all.iter().map(|a| a.to_bits()).collect()
    };
    let expected = bits(&SimulateOptions::new());
    for width in [1, 7, 64, SUBJECTS] {
        let threads = Threads::new(2).expect("threads");
        let options = SimulateOptions::new().subject_batch_size(width);
        assert_eq!(bits(&options.threads(threads)), expected, "{width}");
    }
}

#[test]
fn what_a_solution_says_of_a_point_is_what_subjects_do() {
    let solution = solve("<=", "savings");
    let first = assets(&solution, &SimulateOptions::new());
    let mut at = 0;
    for own in first.chunks(5) {
        let (_, c) = solution.branch_at(0, "life", &[own[0]], 0).expect("kept");
        let bonus = if own[0] <= LIMIT { 1.1 } else { 0.0 };
        let savings = 1.013 * own[0] + 0.7 + bonus - c;
        assert_eq!(savings.to_bits(), own[1].to_bits(), "{}", own[0]);
        at += usize::from((own[1] - LIMIT).abs() < 1e-9);
    }
    assert!(at > 100, "{at}");
}

const HOUSES: [f64; 4] = [0.5, 1.2, 2.4, 5.0];

/// The same asset test for owners of a house that they keep or adjust.
fn owners(test: &str, law: &str, solver: NNbEgm) -> Solution {
    let life = Regime::new("life")
        .ages(0.0, 4.0)
        .state("a", Linear::new(0.0, 40.0, 11).expect("nodes"))
        .state("house", Irregular::new(HOUSES).expect("nodes"))
        .action("c", Domain::free())
        .action("investment", Domain::free())
        .function("stock", "house + investment")
        .function("cost", "adjusts*(investment + 0.1)")
        .function(
            "cash",
            format!("1.013*a + 0.7 + (if a {test} limit then 1.1 else 0) - cost"),
        )
        .function("savings", "cash - c")
        .utility("ln(c) + 0.3*ln(stock)")
        .constraint("borrowing", "savings >= 0")
        .law("a", law)
        .law("house", "stock")
        .liquid(Liquid::new("a", "c", "savings", dense(60.0, 120, 2)).resources("cash"))
        .outer(Outer::new("house", "investment", "stock").cost("cost"))
        .solver(Solver::NNbEgm(solver))
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let model = Model::builder(Ages::periods(6).expect("ages"))
        .regime(life)
        .regime(Regime::new("over").ages(5.0, 5.0).utility("0"))
        .build()
        .expect("model");
    let all = Parameters::new()
        .set("discount_factor", 0.95)
        .set("limit", LIMIT);
    let problem = model.with_parameters(&all).expect("complete");
    problem.solve().expect("solved")
}

fn grid() -> OuterSearch {
    OuterSearch::grid(Irregular::new(HOUSES).expect("nodes"))
}

#[test]
fn blocks_of_links_change_no_bit_of_owners() {
    let bits = |width: usize| {
        let inner = NbEgm::new().envelope_segment_block_size(width);
        let solver = NNbEgm::new(grid()).inner(inner);
        let solution = owners("<=", "1.03*savings + 0.1", solver);
        let values = |t: usize| solution.values(t, "life").expect("kept").iter();
        let all = (0..5).flat_map(values).map(|own| own.to_bits());
        all.collect::<Vec<u64>>()
    };
    let expected = bits(0);
    assert_eq!(expected.len(), 5 * 11 * HOUSES.len());
    for width in [1, 16] {
        assert_eq!(bits(width), expected, "width {width}");
    }
}

#[test]
fn owners_who_keep_or_adjust_are_on_the_better_side_of_a_cliff() {
    let mut all = Vec::new();
    for (test, passes) in [
        ("<=", (|a| a <= LIMIT) as fn(f64) -> bool),
        (">=", |a| a >= LIMIT),
    ] {
        for law in ["savings", "1.03*savings + 0.1", "(savings + 0.3)/1.07"] {
            let solution = owners(test, law, NNbEgm::new(grid()));
            let first = (0..SUBJECTS).map(|i| 40.0 * (i as f64 + 0.37) / SUBJECTS as f64);
            let houses = (0..SUBJECTS).map(|i| 0.5 + 4.5 * (i % 97) as f64 / 96.0);
            let population = Population::new(SUBJECTS, "life")
                .state("a", first.collect::<Vec<f64>>())
                .state("house", houses.collect::<Vec<f64>>());
            let panel = solution.simulate(&population, &SimulateOptions::new());
            let table = panel.expect("simulated").table;
            let period = table.u32("period").expect("column");
            let rows = table.f64("a").expect("column").iter().zip(period);
            let later = rows.filter(|(_, period)| (1..5).contains(*period));
            let (mut at, mut wrong) = (0, 0);
            for (&a, _) in later.filter(|(a, _)| (**a - LIMIT).abs() < 1e-9) {
                at += 1;
                wrong += usize::from(!passes(a));
            }
            println!("{test} {law}: {at} at the cliff, {wrong} on the worse side");
            all.push((at, wrong));
        }
    }
    assert!(
        all.iter().all(|(at, wrong)| *at > 50 && *wrong == 0),
        "{all:?}"
    );
}
