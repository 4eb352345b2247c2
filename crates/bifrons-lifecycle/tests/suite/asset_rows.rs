//! Futures that move smoothly with the liquid state: rows on its nodes.

use bifrons_grids::{Categorical, Linear};
use bifrons_lifecycle::{
    Ages, DcEgm, Domain, Edge, Liquid, Model, Parameters, Preferences, Regime, Solution,
    SolveOptions, Solver,
};
use bifrons_parallel::Threads;

use crate::retirement::dense;

/// A lottery between `ln a'` and `2.5 ln a'` whose odds fall with assets, patience that rises with
/// them, and a transfer to the next period that they bring.
fn solve(periods: usize, liquid: usize, savings: usize) -> Solution {
    let last = periods as f64;
    let life = |name: &str, first: f64, until: f64, nodes: usize| {
        Regime::new(name)
            .ages(first, until)
            .state("a", Linear::new(1.0, 21.0, nodes).expect("nodes"))
            .action("c", Domain::free())
            .function("cash", "1.05*a + 0.4")
            .function("savings", "cash - c")
            .utility("ln(c)")
            .constraint("borrowing", "savings >= 0")
            .liquid(Liquid::new("a", "c", "savings", dense(24.0, savings, 2)).resources("cash"))
            .solver(Solver::DcEgm(DcEgm::new()))
    };
    let late = life("late", last - 1.0, last - 1.0, liquid)
        .function("odds", "0.2 + 0.6*exp(-a/10)")
        .preferences(Preferences::linear("0.9 + 0.003*a"))
        .law("a", "savings + 0.1*a")
        .edge(Edge::to("mild").probability("odds"))
        .edge(Edge::to("harsh").probability("1 - odds"));
    let end = |name: &str, utility: &str| {
        let own = Regime::new(name).ages(last, last);
        own.state("a", Linear::new(0.5, 30.0, 9).expect("nodes"))
            .utility(utility)
    };
    let mut model = Model::builder(Ages::periods(periods + 1).expect("ages"));
    let mut all = Parameters::new();
    if periods > 1 {
        let early = life("early", 0.0, last - 2.0, 21);
        let preferences = Preferences::linear("patience");
        let early = early.preferences(preferences).law("a", "1 + 0.9*savings");
        model = model.regime(early.edge(Edge::to("late")));
        all = all.set("patience", 0.95);
    }
    let model = model
        .regime(late)
        .regime(end("mild", "ln(a)"))
        .regime(end("harsh", "2.5*ln(a)"))
        .build()
        .expect("model");
    let problem = model.with_parameters(&all).expect("complete");
    problem.solve().expect("solved")
}

/// Value and consumption of the later period: `c = (m + 0.1 a)/(1 + βκ)`.
fn late(a: f64) -> (f64, f64) {
    let odds = 0.2 + 0.6 * (-a / 10.0).exp();
    let k = (0.9 + 0.003 * a) * (odds + 2.5 * (1.0 - odds));
    let whole = 1.05 * a + 0.4 + 0.1 * a;
    let c = whole / (1.0 + k);
    (c.ln() + k * (whole - c).ln(), c)
}

/// The best of the earlier period, by a dense search that shrinks around the best.
fn early(a: f64) -> (f64, f64) {
    let m = 1.05 * a + 0.4;
    let value = |s: f64| (m - s).ln() + 0.95 * late(1.0 + 0.9 * s).0;
    let (mut low, mut high) = (0.0, m * (1.0 - 1e-9));
    let mut best = (f64::NEG_INFINITY, 0.0);
    for _ in 0..12 {
        let step = (high - low) / 1000.0;
        for i in 0..=1000 {
            let s = low + step * f64::from(i);
            let own = value(s);
            if own > best.0 {
                best = (own, s);
            }
        }
        (low, high) = (
            (best.1 - 2.0 * step).max(0.0),
            (best.1 + 2.0 * step).min(m * (1.0 - 1e-9)),
        );
    }
    (best.0, m - best.1)
}

#[test]
fn liquid_nodes_have_the_closed_form_and_reads_between_them_their_order() {
    let mut errors = Vec::new();
    for liquid in [41, 81, 161, 321] {
        let solution = solve(1, liquid, 1500);
        let step = 20.0 / (liquid - 1) as f64;
        let (mut nodes, mut between) = ([0.0_f64; 2], [0.0_f64; 2]);
        for i in 0..liquid {
            let a = 1.0 + step * i as f64;
            for (at, worst) in [(a, &mut nodes), (a + 0.5 * step, &mut between)] {
                if at > 21.0 {
                    continue;
                }
                let (value, policy) = late(at);
                let (v, c) = solution.branch_at(0, "late", &[at], 0).expect("feasible");
                worst[0] = worst[0].max((v - value).abs());
                worst[1] = worst[1].max((c - policy).abs());
            }
        }
        println!("{liquid}: nodes {nodes:?}, between {between:?}");
        assert!(nodes[0] < 1e-8 && nodes[1] < 1e-11, "{liquid}: {nodes:?}");
        errors.push(between);
    }
    // Cubics with the derivative of the value at their ends, and straight policies: orders 4, 2.
    let order = |at: usize, k: usize| (errors[k][at] / errors[k + 1][at]).log2();
    for k in 0..3 {
        println!("orders {:.2} and {:.2}", order(0, k), order(1, k));
    }
    assert!(order(0, 2) > 3.7 && order(0, 0) > 3.4, "{errors:?}");
    assert!((order(1, 2) - 2.0).abs() < 0.1, "{errors:?}");
}

#[test]
fn parents_of_rows_on_liquid_nodes_find_what_a_dense_search_finds() {
    let mut errors = Vec::new();
    for liquid in [21, 41, 81] {
        let solution = solve(2, liquid, 1500);
        let mut worst = [0.0_f64; 2];
        for i in 0..60 {
            let a = 1.0 + 0.31 * f64::from(i);
            let (value, policy) = early(a);
            let (v, c) = solution.branch_at(0, "early", &[a], 0).expect("feasible");
            worst[0] = worst[0].max((v - value).abs());
            worst[1] = worst[1].max((c - policy).abs());
        }
        println!("{liquid}: {worst:?}");
        errors.push(worst);
    }
    // The Euler equation takes the derivative of cubics, of order 3.
    let orders = [0, 1].map(|k: usize| (errors[k][1] / errors[k + 1][1]).log2());
    println!("orders {orders:?}");
    assert!(orders[0] > 2.5 && orders[1] > 2.5, "{orders:?}");
    assert!(errors[2][0] < 1e-5 && errors[2][1] < 1e-4, "{errors:?}");
}

/// Benefits that fade with assets, work or not, a random health, two kinds of rows.
fn benefits(solver: Solver, [liquid, savings]: [usize; 2], c: Domain) -> Model {
    let labels = |names: [&str; 2]| Categorical::unordered(names).expect("labels");
    let grid = || Linear::new(0.0, 20.0, liquid).expect("nodes");
    let life = Regime::new("life")
        .ages(0.0, 3.0)
        .state("health", labels(["bad", "good"]))
        .state("a", grid())
        .action("work", labels(["no", "yes"]))
        .action("c", c)
        .function("cash", "1.03*a + 0.5 + work*(0.6 + health)")
        .function("savings", "cash - c")
        .utility("ln(c) - 0.5*work")
        .constraint("borrowing", "savings >= 0")
        .function("cared", "1/(1 + exp(a - 6))")
        .function("good", "0.3 + 0.3*health + 0.3*cared")
        .markov("health", ["1 - good", "good"])
        .law("a", "savings + 0.3*cared")
        .preferences(Preferences::linear("0.96 - 0.02*cared"))
        .taste_shocks("0.1")
        .liquid(Liquid::new("a", "c", "savings", dense(30.0, savings, 2)).resources("cash"))
        .solver(solver)
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let over = Regime::new("over")
        .ages(4.0, 4.0)
        .state("health", labels(["bad", "good"]))
        .state("a", grid())
        .utility("(1 + 0.2*health)*ln(a + 1)");
    let model = Model::builder(Ages::periods(5).expect("ages"));
    model.regime(life).regime(over).build().expect("model")
}

fn bits(solution: &Solution) -> Vec<u64> {
    let all = (0..4).flat_map(|t| solution.values(t, "life").unwrap_or_default());
    all.map(|own| own.to_bits()).collect()
}

#[test]
fn grid_search_of_the_same_model_comes_closer_with_its_grids() {
    let solve = |model: &Model| {
        let problem = model.with_parameters(&Parameters::new()).expect("complete");
        problem.solve().expect("solved")
    };
    let rows = benefits(Solver::DcEgm(DcEgm::new()), [101, 300], Domain::free());
    let rows = solve(&rows);
    let mut errors = Vec::new();
    for (nodes, amounts) in [(81, 241), (161, 481)] {
        let c = Domain::from(Linear::new(0.02, 12.0, amounts).expect("nodes"));
        let grid = solve(&benefits(Solver::GridSearch, [nodes, 10], c));
        let mut worst = 0.0_f64;
        for t in 0..4 {
            for health in [0.0, 1.0] {
                for a in [0.5, 1.0, 3.25, 5.5, 6.5, 8.25, 12.75, 17.0] {
                    let value = |own: &Solution| own.value_at(t, "life", &[health, a]);
                    let [a, b] = [&rows, &grid].map(|own| value(own).expect("kept"));
                    worst = worst.max((a - b).abs());
                }
            }
        }
        errors.push(worst);
    }
    println!("grid search: {errors:?}");
    assert!(
        errors[1] < 0.6 * errors[0] && errors[1] < 1e-2,
        "{errors:?}"
    );
}

#[test]
fn threads_batches_and_files_change_no_bit() {
    let run = |threads: usize, batch: usize| {
        let settings = DcEgm::new().stochastic_node_batch_size(batch);
        let model = benefits(Solver::DcEgm(settings), [31, 80], Domain::free());
        let problem = model.with_parameters(&Parameters::new()).expect("complete");
        let threads = Threads::new(threads).expect("threads");
        let options = SolveOptions::new().threads(threads);
        problem.solve_with(&options).expect("solved")
    };
    let solution = run(1, 0);
    let expected = bits(&solution);
    for (threads, batch) in [(2, 0), (4, 1), (1, 3), (2, 7)] {
        assert_eq!(bits(&run(threads, batch)), expected, "{threads} {batch}");
    }
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("rows.solution");
    solution.save(&path).expect("saved");
    let loaded = solution.problem().load(&path).expect("loaded");
    for a in [0.0, 0.77, 5.9, 13.3] {
        let says = |own: &Solution| own.branch_at(1, "life", &[1.0, a], 1).expect("feasible");
        let (one, two) = (says(&solution), says(&loaded));
        assert_eq!(
            [one.0, one.1].map(f64::to_bits),
            [two.0, two.1].map(f64::to_bits)
        );
    }
}

#[test]
fn futures_that_jump_or_hide_the_state_are_refused() {
    let codes = |patience: bifrons_lifecycle::Formula, law: &str| -> Vec<String> {
        let life = Regime::new("life")
            .ages(0.0, 0.0)
            .state("a", Linear::new(1.0, 20.0, 11).expect("nodes"))
            .action("c", Domain::free())
            .function("savings", "a - c")
            .function("b", patience)
            .preferences(Preferences::linear("b"))
            .utility("ln(c)")
            .law("a", law)
            .liquid(Liquid::new("a", "c", "savings", dense(30.0, 20, 2)))
            .solver(Solver::DcEgm(DcEgm::new()))
            .edge(Edge::to("over"));
        let over = Regime::new("over").ages(1.0, 1.0);
        let over = over
            .state("a", Linear::new(1.0, 20.0, 11).expect("nodes"))
            .utility("ln(a)");
        let model = Model::builder(Ages::periods(2).expect("ages"))
            .regime(life)
            .regime(over);
        let errors = model.build().err();
        let all = errors.iter().flat_map(|own| own.errors());
        all.map(|own| own.code().to_owned()).collect()
    };
    let fine = ["0.9", "0.9 + 0.001*a", "0.9 + 0.01*min(a, limit)"];
    for text in fine {
        assert!(
            codes(text.into(), "savings").is_empty(),
            "{text}: {:?}",
            codes(text.into(), "savings")
        );
    }
    assert!(codes("0.9".into(), "savings*(1 + 1/(1 + a)) + sqrt(a)").is_empty());
    let jump = || vec!["E-DC-JUMP".to_owned()];
    assert_eq!(
        codes("if a < limit then 0.9 else 0.8".into(), "savings"),
        jump()
    );
    assert_eq!(
        codes("0.9".into(), "(if a < limit then 1 else 2)*savings"),
        jump()
    );
    let hidden = bifrons_lifecycle::Formula::closure(["a"], |x| 0.9 + 0.001 * x[0]);
    assert_eq!(codes(hidden, "savings"), ["E-DC-SAVSTAGE"]);
    assert_eq!(codes("0.9 + 0.001*c".into(), "savings"), ["E-DC-SAVSTAGE"]);
}
