//! Grid search with tables gives the bits of grid search without them.

use bifrons_grids::{Categorical, Extrapolation, Irregular, Linear};
use bifrons_lifecycle::{
    Ages, Domain, Edge, Formula, Model, Parameters, Problem, Regime, SolveOptions, Validation,
};
use bifrons_parallel::Threads;
use bifrons_shocks::{Ar1, TransitionMatrix};
use proptest::prelude::*;

/// What distinguishes the random models.
#[derive(Debug, Clone, Copy)]
struct Shape {
    /// Nodes of wealth and savings.
    wealth: usize,
    /// Levels of effort.
    effort: usize,
    discount: f64,
    survival: f64,
    /// Scale of taste shocks.
    scale: Option<f64>,
    /// Whether income is a closure.
    closures: bool,
    /// What must be left to save; large numbers leave nothing feasible.
    floor: f64,
    /// Whether savings are the last action of all.
    saving_last: bool,
    /// Whether laws and probabilities pretend to read what is drawn whatever the pair is.
    entangled: bool,
}

const SHAPE: Shape = Shape {
    wealth: 18,
    effort: 3,
    discount: 0.95,
    survival: 0.9,
    scale: None,
    closures: false,
    floor: 0.0,
    saving_last: true,
    entangled: false,
};

fn levels(count: usize) -> Categorical {
    Categorical::ordered((0..count).map(|level| level.to_string())).expect("labels")
}

/// Health, effort, income and savings, where nothing reads everything.
fn alive(shape: Shape) -> Regime {
    let wealth = || Linear::new(0.0, 9.0, shape.wealth).expect("nodes");
    let chain = Ar1::gaussian(0.7, 0.3).and_then(|law| law.rouwenhorst(3));
    let even = TransitionMatrix::from_rows(&[&[0.25, 0.75], &[0.25, 0.75]]).expect("rows");
    let earnings = if shape.closures {
        Formula::closure(["z", "health", "work"], |x| {
            bifrons_lanes::math::exp(x[0]) * (1.0 + x[1]) * x[2]
        })
    } else {
        Formula::from("exp(z) * (1 + health) * work")
    };
    let mut alive = Regime::new("alive")
        .ages(0.0, 3.0)
        .state("wealth", wealth())
        .state("cost", levels(2))
        .state("health", levels(2))
        .state("z", chain.expect("chain"))
        .state("before", levels(shape.effort))
        .state("type", levels(2))
        .action("work", levels(2))
        .action("effort", levels(shape.effort));
    alive = if shape.saving_last {
        alive.action("saving", wealth())
    } else {
        // Savings come first and are no row.
        let nodes = Irregular::new([0.0, 0.5, 2.0]).expect("nodes");
        alive
            .action("saving", wealth())
            .action("gift", nodes)
            .function("given", "gift")
    };
    let given = if shape.saving_last { "0" } else { "given" };
    alive = alive
        .function("earnings", earnings)
        .function("cash", "1.02*wealth + earnings + 0.2*type + 0.1")
        .function("c", &*format!("cash - saving - {given}"))
        .function(
            "change",
            "if effort == before then 0 else 0.1*(cost + 0.5)/2",
        )
        .utility("ln(c) * (0.9 + 0.1*health) - 0.3*work - effort^2/9 - change")
        .constraint("budget", "c >= least + 0.01")
        .constraint("tired", "work + effort <= 3")
        .fixed("type")
        .law("before", "effort")
        .function("well", "0.3 + 0.1*health + 0.1*(effort + before)/4")
        .markov("health", ["1 - well", "well"])
        .edge(Edge::to("alive").probability("if period < 3 then survival else 0"))
        .edge(Edge::to("dead").probability("if period < 3 then 1 - survival else 1"));
    if shape.scale.is_some() {
        alive = alive.taste_shocks("scale");
    }
    if shape.entangled {
        alive
            .law("wealth", "saving + 0*next_z")
            .markov("cost", ["0.25 + 0*wealth", "0.75 + 0*wealth"])
    } else {
        alive.law("wealth", "saving").markov("cost", even)
    }
}

fn problem(shape: Shape, alive: Regime) -> Problem {
    let wealth = Linear::new(0.0, 9.0, shape.wealth).expect("nodes");
    let mut model = Model::builder(Ages::periods(5).expect("ages"))
        .regime(alive)
        .regime(
            Regime::new("dead")
                .ages(1.0, 4.0)
                .state("wealth", wealth)
                .utility("0.3*wealth"),
        )
        .fix("survival", shape.survival)
        .fix("least", shape.floor);
    if let Some(scale) = shape.scale {
        model = model.fix("scale", scale);
    }
    let parameters = Parameters::new().set("discount_factor", shape.discount);
    let model = model.build().expect("model");
    model.with_parameters(&parameters).expect("complete")
}

/// Bits of values and policies in all periods, and the report.
fn found(problem: &Problem, options: &SolveOptions) -> Result<(Vec<u64>, String), String> {
    let solution = problem.solve_with(options).map_err(|error| {
        use std::error::Error as _;
        format!("{error} {:?}", error.source().map(ToString::to_string))
    })?;
    let mut all = Vec::new();
    for period in 0..4 {
        let values = solution.values(period, "alive").expect("kept");
        all.extend(values.iter().map(|value| value.to_bits()));
        for cell in 0..values.len() {
            let policy = solution.policy(period, "alive", cell).unwrap_or_default();
            all.extend(policy.iter().map(|value| value.to_bits()));
        }
    }
    Ok((all, format!("{:?}", solution.report())))
}

fn plain() -> SolveOptions {
    SolveOptions::new().hoist(false)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn tables_give_the_bits_of_pairs_alone(
        wealth in 2_usize..20,
        effort in 1_usize..4,
        discount in prop_oneof![Just(0.0), 0.5..1.0],
        survival in prop_oneof![Just(1.0), 0.5..1.0],
        scale in proptest::option::of(prop_oneof![Just(0.0), 0.01..0.5]),
        closures: bool,
        floor in prop_oneof![Just(0.0), 0.0..3.0],
        saving_last: bool,
    ) {
        let shape = Shape {
            wealth, effort, discount, survival, scale, closures, floor, saving_last,
            entangled: false,
        };
        let problem = problem(shape, alive(shape));
        let expected = found(&problem, &plain());
        prop_assert!(expected.is_ok(), "{:?}", expected);
        prop_assert_eq!(found(&problem, &SolveOptions::new()), expected);
    }
}

#[test]
fn tables_change_no_bit_for_any_threads_or_blocks() {
    for scale in [None, Some(0.1)] {
        let shape = Shape { scale, ..SHAPE };
        let problem = problem(shape, alive(shape));
        let expected = found(&problem, &plain());
        for threads in [1, 3] {
            for block in [0, 7, 100_000] {
                let options = SolveOptions::new()
                    .threads(Threads::new(threads).expect("threads"))
                    .cell_block_size(block);
                assert_eq!(found(&problem, &options), expected, "{threads} {block}");
            }
        }
    }
}

/// Options at a level of validation, with and without tables.
fn both(problem: &Problem, validation: Validation) -> [Result<(Vec<u64>, String), String>; 2] {
    [true, false].map(|hoist| {
        let options = SolveOptions::new().validation(validation).hoist(hoist);
        found(problem, &options)
    })
}

#[test]
fn faults_and_their_places_are_those_of_pairs_alone() {
    // Savings may leave the grid of the target, probabilities their range, values the numbers.
    let narrow = || Linear::new(0.0, 5.0, 6).expect("nodes");
    let dead = |outside: Extrapolation| {
        Regime::new("dead")
            .ages(1.0, 4.0)
            .state("wealth", Domain::from(narrow()).outside(outside))
            .utility("0.3*wealth")
    };
    let build = |alive: Regime, outside: Extrapolation| {
        let model = Model::builder(Ages::periods(5).expect("ages"))
            .regime(alive)
            .regime(dead(outside))
            .fix("survival", 0.9)
            .fix("least", 0.0)
            .build()
            .expect("model");
        let parameters = Parameters::new().set("discount_factor", 0.9);
        model.with_parameters(&parameters).expect("complete")
    };
    for validation in [Validation::Off, Validation::Warn, Validation::Debug] {
        // Whoever saves more than the grid holds dies outside of it.
        let [tables, pairs] = both(&build(alive(SHAPE), Extrapolation::Error), validation);
        assert!(pairs.is_err(), "{validation:?}");
        assert_eq!(tables, pairs, "{validation:?}");
        // Nobody may save as much, so nobody meets the fault.
        let frugal = alive(SHAPE).constraint("little", "saving <= 5");
        let [tables, pairs] = both(&build(frugal, Extrapolation::Error), validation);
        assert!(pairs.is_ok(), "{validation:?} {pairs:?}");
        assert_eq!(tables, pairs, "{validation:?}");
        // A tax on a few savings is no number.
        let odd = alive(SHAPE).function("tax", "sqrt(cash - 2 - saving)");
        let odd = odd.constraint("some", "tax >= -1 or saving > 3");
        let [tables, pairs] = both(&build(odd, Extrapolation::Clamp), validation);
        assert_eq!(tables, pairs, "{validation:?}");
    }
}

#[test]
fn values_that_are_no_numbers_are_found_and_named_alike() {
    let wealth = || Linear::new(0.0, 4.0, 5).expect("nodes");
    let life = Regime::new("alive")
        .ages(0.0, 3.0)
        .state("wealth", wealth())
        .state("mood", levels(3))
        .action("c", Linear::new(0.5, 4.0, 20).expect("nodes"))
        .utility("sqrt(wealth - 1 - mood) + ln(c)")
        .constraint("budget", "c <= wealth + 1")
        .markov("mood", ["0.2", "0.3", "if c > 3 then 0.7 else 0.5"])
        .law("wealth", "c")
        .edge(Edge::to("alive").probability("if period < 3 then 1 else 0"))
        .edge(Edge::to("dead").probability("if period < 3 then 0 else 1"));
    let dead = Regime::new("dead").utility("0");
    let model = Model::builder(Ages::periods(5).expect("ages"))
        .regime(life)
        .regime(dead)
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.9);
    let problem = model.with_parameters(&parameters).expect("complete");
    for validation in [Validation::Off, Validation::Warn, Validation::Debug] {
        let [tables, pairs] = both(&problem, validation);
        assert_eq!(tables, pairs, "{validation:?}");
        assert_eq!(pairs.is_ok(), validation == Validation::Off);
    }
}

/// `γ_n = n u / (1 - n u)`: the relative error of `n` roundings (Higham 2002, lemma 3.1).
fn gamma(roundings: f64) -> f64 {
    let unit = f64::EPSILON / 2.0;
    roundings * unit / (1.0 - roundings * unit)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Averaging once and averaging for each pair are two orders of one sum over 12 nodes of two
    /// edges: a term is rounded at most 4 times in its weight, 4 times in reading between nodes,
    /// once in their product and 24 times in the sum, 33 times in all. Errors of the next period
    /// are averaged and discounted, and the best of many values moves no more than the most that
    /// one of them moves.
    #[test]
    fn averages_taken_once_are_those_taken_for_each_pair(
        wealth in 2_usize..12,
        effort in 1_usize..4,
        discount in 0.5..1.0,
        survival in 0.5..1.0,
    ) {
        let shape = Shape { wealth, effort, discount, survival, ..SHAPE };
        let solve = |entangled: bool| {
            let shape = Shape { entangled, ..shape };
            let problem = problem(shape, alive(shape));
            problem.solve_with(&plain()).expect("solved")
        };
        let (once, each) = (solve(false), solve(true));
        let values = |period: usize| {
            let of = |solution: &bifrons_lifecycle::Solution| {
                solution.values(period, "alive").expect("kept").to_vec()
            };
            (of(&once), of(&each))
        };
        let largest = (0..4).flat_map(|period| values(period).0).fold(2.7_f64, |most, value| {
            if value.is_finite() { most.max(value.abs()) } else { most }
        });
        // Values may grow in between by what is below the last digits of this bound.
        let largest = largest * 1.001;
        let mut bound = 0.0;
        for period in (0..4).rev() {
            bound = discount * (bound + 2.0 * gamma(33.0) * largest) + 2.0 * gamma(2.0) * largest;
            let (once, each) = values(period);
            for (once, each) in once.iter().zip(&each) {
                let same = once.to_bits() == each.to_bits();
                prop_assert!(same || (once - each).abs() <= bound, "{} {} {}", once, each, bound);
            }
        }
    }
}
