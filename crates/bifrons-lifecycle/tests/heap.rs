//! Predicted and measured bytes of the heap; no allocation per state. One thread, own process.
#![expect(
    clippy::expect_used,
    clippy::missing_assert_message,
    reason = "a failed test helper is a failed test"
)]

use bifrons_egm::NbEgmOptions;
use bifrons_grids::{Categorical, Linear};
use bifrons_lifecycle::{
    Ages, DcEgm, Domain, Edge, Liquid, Model, NbEgm, Parameters, Population, Preferences, Problem,
    Regime, Retention, SimulateOptions, SolveError, SolveOptions, Solver,
};
use bifrons_memory::Budget;
use bifrons_memory::profiler::{CountingAllocator, Scope};
use bifrons_parallel::Threads;
use bifrons_shocks::Ar1;
use bifrons_table::{Batch, Schema, SinkError, TableSink};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static RUN: Scope = Scope::new("run");

/// Peak above entry and number of blocks of `run`, whose result is dropped after the scope.
fn measured<T>(run: impl FnOnce() -> T) -> (u64, u64) {
    let guard = RUN.enter();
    let result = run();
    let counts = guard.so_far();
    drop(result);
    drop(guard);
    (counts.peak, counts.blocks)
}

/// Work and save with an income process.
fn problem(wealth: usize, periods: usize, recursive: bool) -> Problem {
    let grid = || Linear::new(1.0, 50.0, wealth).expect("nodes");
    let last = periods as f64 - 1.0;
    let chain = Ar1::gaussian(0.9, 0.1)
        .and_then(|law| law.rouwenhorst(5))
        .expect("chain");
    let mut life = Regime::new("life")
        .ages(0.0, last - 1.0)
        .state("wealth", grid())
        .state("income", chain)
        .action(
            "work",
            Categorical::unordered(["no", "yes"]).expect("labels"),
        )
        .action("c", Linear::new(0.5, 20.0, 4).expect("nodes"))
        .utility("c * (1 - 0.1*work)")
        .constraint("budget", "c <= wealth")
        .law("wealth", "1.01*(wealth - c) + work*exp(income) + 1")
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    if recursive {
        life = life.preferences(Preferences::epstein_zin("discount_factor", 4.0, 1.5));
    }
    let model = Model::builder(Ages::periods(periods).expect("ages"))
        .regime(life)
        .regime(
            Regime::new("over")
                .ages(last, last)
                .state("wealth", grid())
                .utility("wealth"),
        )
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.9);
    model.with_parameters(&parameters).expect("complete")
}

/// Save and make an effort, where the future reads neither wealth nor the cost of an effort.
fn apart(wealth: usize, periods: usize) -> Problem {
    let grid = || Linear::new(0.0, 50.0, wealth).expect("nodes");
    let levels = |count: usize| {
        Categorical::ordered((0..count).map(|level| level.to_string())).expect("labels")
    };
    let chain = Ar1::gaussian(0.9, 0.1)
        .and_then(|law| law.rouwenhorst(5))
        .expect("chain");
    let last = periods as f64 - 1.0;
    let life = Regime::new("life")
        .ages(0.0, last - 1.0)
        .state("wealth", grid())
        .state("before", levels(3))
        .state("cost", levels(4))
        .state("income", chain)
        .action("effort", levels(3))
        .action("saving", grid())
        .function("cash", "1.01*wealth + exp(income)")
        .utility("sqrt(cash - saving) - effort - if effort == before then 0 else cost")
        .constraint("budget", "saving <= cash")
        .law("wealth", "saving")
        .law("before", "effort")
        .markov("cost", ["0.25", "0.25", "0.25", "0.25"])
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let over = Regime::new("over").ages(last, last).utility("0");
    let model = Model::builder(Ages::periods(periods).expect("ages"))
        .regime(life)
        .regime(over)
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.9);
    model.with_parameters(&parameters).expect("complete")
}

/// A sink that drops everything.
struct Nowhere;

impl TableSink for Nowhere {
    fn begin(&mut self, _: &Schema) -> Result<(), SinkError> {
        Ok(())
    }

    fn append(&mut self, _: &Batch<'_>) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        Ok(())
    }
}

fn assert_close(planned: u64, measured: u64, what: &str) {
    assert!(
        planned + 4096 >= measured,
        "{what}: planned {planned} < {measured}"
    );
    let slack = planned.abs_diff(measured);
    let ratio = planned as f64 / measured as f64;
    assert!(
        ratio <= 1.25 || slack < 64 * 1024,
        "{what}: planned {planned}, measured {measured}"
    );
}

#[test]
fn plans_bound_what_is_measured_and_states_allocate_nothing() {
    for recursive in [false, true] {
        for retention in [Retention::First, Retention::Values, Retention::Policies] {
            for (wealth, periods) in [(20, 3), (400, 4), (1500, 3)] {
                let problem = problem(wealth, periods, recursive);
                let options = SolveOptions::new().retention(retention);
                let planned = problem.plan(&options).expect("fits").peak();
                let (peak, _) = measured(|| problem.solve_with(&options).expect("solved"));
                assert_close(planned, peak, &format!("{wealth} {periods} {retention:?}"));
            }
        }
        let blocks = |wealth: usize| {
            let problem = problem(wealth, 4, recursive);
            // The same number of blocks of states, so that only states differ.
            let options = SolveOptions::new().cell_block_size(wealth * 5);
            measured(|| problem.solve_with(&options).expect("solved")).1
        };
        assert_eq!(blocks(20), blocks(300));
    }
    for retention in [Retention::First, Retention::Policies] {
        for (wealth, periods, hoist) in
            [(2, 3, true), (40, 4, true), (300, 3, true), (40, 3, false)]
        {
            let problem = apart(wealth, periods);
            let options = SolveOptions::new().retention(retention).hoist(hoist);
            let planned = problem.plan(&options).expect("fits").peak();
            let (peak, _) = measured(|| problem.solve_with(&options).expect("solved"));
            assert_close(
                planned,
                peak,
                &format!("apart {wealth} {periods} {retention:?} {hoist}"),
            );
        }
    }
    let blocks = |wealth: usize| {
        let options = SolveOptions::new().cell_block_size(wealth * 60);
        let problem = apart(wealth, 4);
        measured(|| problem.solve_with(&options).expect("solved")).1
    };
    assert_eq!(blocks(20), blocks(60));
    rows_are_planned();
    rows_are_all_that_is_allocated();
    branches_are_held_in_batches();
    intervals_are_held_in_batches();
    links_are_compared_in_blocks();
    many_kinks_fit_into_the_plan();
    cliffs_fit_into_the_plan();
    rows_on_liquid_nodes_are_planned();
    budgets_are_kept();
    populations_are_bounded_by_chunks();
}

/// Work and save by DC-EGM.
fn rows(nodes: usize, periods: usize) -> Problem {
    let last = periods as f64 - 1.0;
    let grid = Linear::new(0.0, 200.0, nodes).expect("nodes");
    let chain = Ar1::gaussian(0.9, 0.1).and_then(|law| law.rouwenhorst(5));
    let life = Regime::new("life")
        .ages(0.0, last - 1.0)
        .state("m", Linear::new(1.0, 100.0, 20).expect("nodes"))
        .state("income", chain.expect("chain"))
        .action(
            "work",
            Categorical::unordered(["no", "yes"]).expect("labels"),
        )
        .action("c", Domain::free())
        .function("savings", "m - c")
        .constraint("borrowing", "savings >= 0")
        .utility("ln(c) - 0.2*work")
        .law("m", "1.01*savings + 1 + 5*work*exp(income)")
        .liquid(Liquid::new("m", "c", "savings", grid))
        .solver(Solver::DcEgm(DcEgm::new()))
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let model = Model::builder(Ages::periods(periods).expect("ages"))
        .regime(life)
        .regime(Regime::new("over").ages(last, last).utility("0"))
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.9);
    model.with_parameters(&parameters).expect("complete")
}

fn rows_are_planned() {
    for retention in [Retention::First, Retention::Values, Retention::Policies] {
        // At the last age with a decision all is consumed: its rows have no records.
        for (nodes, periods) in [(60, 8), (400, 6), (400, 12)] {
            let problem = rows(nodes, periods);
            let options = SolveOptions::new().retention(retention);
            let planned = problem.plan(&options).expect("fits").peak();
            let (peak, _) = measured(|| problem.solve_with(&options).expect("solved"));
            let ratio = planned as f64 / peak as f64;
            let what = format!("{nodes} nodes, {periods} periods, {retention:?}");
            // Folds make rows longer than their nodes, and how many there are is not known before.
            assert!(
                (0.8..=1.6).contains(&ratio),
                "{what}: planned {planned}, measured {peak}"
            );
        }
    }
}

/// A saver with an income process, without a choice that would fold the rows.
fn saver(nodes: usize, incomes: usize) -> Problem {
    let chain = Ar1::gaussian(0.9, 0.1).and_then(|law| law.rouwenhorst(incomes));
    let life = Regime::new("life")
        .ages(0.0, 3.0)
        .state("m", Linear::new(1.0, 100.0, 20).expect("nodes"))
        .state("income", chain.expect("chain"))
        .action("c", Domain::free())
        .function("savings", "m - c")
        .constraint("borrowing", "savings >= 0")
        .utility("ln(c)")
        .law("m", "1.01*savings + exp(income)")
        .liquid(Liquid::new(
            "m",
            "c",
            "savings",
            Linear::new(0.0, 200.0, nodes).expect("nodes"),
        ))
        .solver(Solver::DcEgm(DcEgm::new()))
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let model = Model::builder(Ages::periods(5).expect("ages"))
        .regime(life)
        .regime(Regime::new("over").ages(4.0, 4.0).utility("0"))
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.9);
    model.with_parameters(&parameters).expect("complete")
}

/// Rows are kept in a few blocks each; nothing else is allocated per cell, node or shock.
fn rows_are_all_that_is_allocated() {
    let blocks = |nodes: usize, incomes: usize| {
        let problem = saver(nodes, incomes);
        measured(|| problem.solve().expect("solved")).1
    };
    assert_eq!(blocks(100, 5), blocks(400, 5), "blocks per savings node");
    let (few, some, many) = (blocks(100, 3), blocks(100, 5), blocks(100, 9));
    // Two, then four further cells at four ages.
    assert_eq!(many - some, 2 * (some - few), "blocks per cell add up");
    let per_row = (some - few) / (2 * 4);
    assert!(per_row <= 12, "{per_row} blocks per row");
}

/// Eight jobs with a tax that has a kink, on many liquid nodes.
fn jobs(width: usize, liquid: usize) -> Problem {
    let labels = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let grid = Linear::new(0.0, 60.0, 40).expect("nodes");
    let life = Regime::new("life")
        .ages(0.0, 1.0)
        .state("a", Linear::new(0.0, 20.0, liquid).expect("nodes"))
        .action("job", Categorical::ordered(labels).expect("labels"))
        .action("c", Domain::free())
        .function("gross", "1.02*a + 0.5 + job")
        .function("cash", "gross - 0.3*max(gross - 6, 0)")
        .function("savings", "cash - c")
        .utility("ln(c) - 0.1*job")
        .constraint("borrowing", "savings >= 0")
        .law("a", "savings")
        .liquid(Liquid::new("a", "c", "savings", grid).resources("cash"))
        .solver(Solver::NbEgm(NbEgm::new().branch_batch_size(width)))
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let model = Model::builder(Ages::periods(3).expect("ages"))
        .regime(life)
        .regime(Regime::new("over").ages(2.0, 2.0).utility("0"))
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.9);
    model.with_parameters(&parameters).expect("complete")
}

/// A width of `b` holds `b` of eight branches at the liquid nodes, and changes no bit.
fn branches_are_held_in_batches() {
    let liquid = 20_000;
    let run = |width: usize| {
        let problem = jobs(width, liquid);
        let planned = problem.plan(&SolveOptions::new()).expect("fits").peak();
        let (peak, _) = measured(|| problem.solve().expect("solved"));
        let solution = problem.solve().expect("solved");
        let values = solution.values(0, "life").expect("kept");
        let bits: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        (planned, peak, bits)
    };
    let (planned, peak, bits) = run(0);
    for width in [1, 2, 3, 5, 8, 100] {
        let own = run(width);
        assert_eq!(own.2, bits, "width {width}");
        // Values and one column, by branch that is not held.
        let saved = (8 - width.min(8) as u64) * 8 * (liquid as u64 + 1);
        assert_eq!(planned - own.0, saved, "planned, width {width}");
        let gap = (peak - own.1).abs_diff(saved);
        assert!(
            gap < 4096,
            "width {width}: {} of {saved} saved",
            peak - own.1
        );
    }
}

/// A probability with three asset tests: four intervals in each of two cells.
fn tested(width: usize, nodes: usize) -> Problem {
    let grid = Linear::new(0.0, 60.0, nodes).expect("nodes");
    let life = Regime::new("life")
        .ages(0.0, 0.0)
        .state("a", Linear::new(0.0, 20.0, 5).expect("nodes"))
        .state("kind", Categorical::ordered(["a", "b"]).expect("labels"))
        .action("c", Domain::free())
        .function("cash", "1.02*a + 0.5")
        .function("savings", "cash - c")
        .function(
            "odds",
            "if a < 3 then 0.9 else if a < 7 then 0.6 else if a <= 12 then 0.5 else 0.4",
        )
        .utility("ln(c)")
        .constraint("borrowing", "savings >= 0")
        .law("a", "savings")
        .liquid(Liquid::new("a", "c", "savings", grid).resources("cash"))
        .solver(Solver::NbEgm(NbEgm::new().interval_batch_size(width)))
        .edge(Edge::to("over").probability("odds"))
        .edge(Edge::to("gone").probability("1 - odds"));
    let over = Regime::new("over")
        .ages(1.0, 1.0)
        .state("a", Linear::new(0.0, 20.0, 5).expect("nodes"))
        .utility("ln(1 + a)");
    let model = Model::builder(Ages::periods(2).expect("ages"))
        .regime(life)
        .regime(over)
        .regime(Regime::new("gone").ages(1.0, 1.0).utility("0"))
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.9);
    model.with_parameters(&parameters).expect("complete")
}

/// A width of `b` holds the continuations of `b` of four intervals, and changes no bit.
fn intervals_are_held_in_batches() {
    let nodes = 20_000;
    let run = |width: usize| {
        let problem = tested(width, nodes);
        let options = SolveOptions::new().threads(Threads::new(1).expect("threads"));
        let planned = problem.plan(&options).expect("fits").peak();
        let (peak, _) = measured(|| problem.solve_with(&options).expect("solved"));
        let solution = problem.solve().expect("solved");
        let values = solution.values(0, "life").expect("kept");
        let bits: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        (planned, peak, bits)
    };
    let (planned, peak, bits) = run(0);
    for width in [1, 2, 3, 4, 9] {
        let own = run(width);
        assert_eq!(own.2, bits, "width {width}");
        // Nodes, values and marginals of each interval that is not held.
        let saved = (4 - width.min(4) as u64) * 24 * nodes as u64;
        let gaps = [(planned - own.0), (peak - own.1)].map(|own| own.abs_diff(saved));
        assert!(
            gaps[0] < 4096 && gaps[1] < 4096,
            "width {width}: {gaps:?} of {saved}"
        );
    }
    // Steps have room for curves at eight breakpoints, which this model does not have.
    let ratio = planned as f64 / peak as f64;
    assert!(
        (1.0..=1.35).contains(&ratio),
        "{planned} planned, {peak} measured"
    );
}

/// A tax with a kink, on many savings nodes; curves of two points.
fn taxed(width: usize, nodes: usize) -> Problem {
    let step = NbEgmOptions::default().with_curves(1.01, 2);
    let solver = NbEgm::new().step(step).envelope_segment_block_size(width);
    taxed_for(2, solver, nodes)
}

/// A tax with a kink for some periods before the last.
fn taxed_for(periods: u32, solver: NbEgm, nodes: usize) -> Problem {
    let grid = Linear::new(0.0, 60.0, nodes).expect("nodes");
    let last = f64::from(periods);
    let life = Regime::new("life")
        .ages(0.0, last - 1.0)
        .state("a", Linear::new(0.0, 20.0, 5).expect("nodes"))
        .action("c", Domain::free())
        .function("gross", "1.02*a + 0.5")
        .function("cash", "gross - 0.3*max(gross - 6, 0)")
        .function("savings", "cash - c")
        .utility("ln(c)")
        .constraint("borrowing", "savings >= 0")
        .law("a", "savings")
        .liquid(Liquid::new("a", "c", "savings", grid).resources("cash"))
        .solver(Solver::NbEgm(solver))
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let model = Model::builder(Ages::periods(periods as usize + 1).expect("ages"))
        .regime(life)
        .regime(Regime::new("over").ages(last, last).utility("0"))
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.9);
    model.with_parameters(&parameters).expect("complete")
}

/// Kinks of the continuation are more from period to period; their curves are short, and a step
/// has room for what they need only.
fn many_kinks_fit_into_the_plan() {
    for nodes in [500, 2000] {
        let problem = taxed_for(20, NbEgm::new(), nodes);
        let options = SolveOptions::new().threads(Threads::new(1).expect("threads"));
        let planned = problem.plan(&options).expect("fits").peak();
        let (peak, _) = measured(|| problem.solve_with(&options).expect("solved"));
        let ratio = planned as f64 / peak as f64;
        assert!(
            (1.0..=1.25).contains(&ratio),
            "{nodes} nodes: {planned} planned, {peak} measured"
        );
    }
}

/// A transfer that ends in so many steps: cliffs with long curves of savings that stay below them.
fn stepped(cliffs: usize) -> Problem {
    let grid = Linear::new(0.0, 30.0, 300).expect("nodes");
    let step = |at: usize| format!("(if a < {} then 0.4 else 0)", 2 * at + 2);
    let transfers: Vec<String> = (0..cliffs).map(step).collect();
    let life = Regime::new("life")
        .ages(0.0, 2.0)
        .state("a", Linear::new(0.0, 20.0, 5).expect("nodes"))
        .action("c", Domain::free())
        .function(
            "cash",
            format!("1.02*a + 0.5 + {}", transfers.join(" + ")).as_str(),
        )
        .function("savings", "cash - c")
        .utility("ln(c)")
        .constraint("borrowing", "savings >= 0")
        .law("a", "savings")
        .liquid(Liquid::new("a", "c", "savings", grid).resources("cash"))
        .solver(Solver::NbEgm(NbEgm::new()))
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let model = Model::builder(Ages::periods(4).expect("ages"))
        .regime(life)
        .regime(Regime::new("over").ages(3.0, 3.0).utility("0"))
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.9);
    model.with_parameters(&parameters).expect("complete")
}

/// Curves at cliffs have up to 512 candidates of 36 bytes, and a plan has room for one at each:
/// without it eight cliffs take 8 KiB more than planned.
fn cliffs_fit_into_the_plan() {
    let options = SolveOptions::new().threads(Threads::new(1).expect("threads"));
    for (cliffs, most) in [(1, 1.25), (8, 1.65)] {
        let problem = stepped(cliffs);
        let planned = problem.plan(&options).expect("fits").peak();
        let (peak, _) = measured(|| problem.solve_with(&options).expect("solved"));
        // These curves have about two hundred points.
        let ratio = planned as f64 / peak as f64;
        assert!(
            (1.0..=most).contains(&ratio),
            "{cliffs} cliffs: {planned} planned, {peak} measured"
        );
    }
}

/// A width of `b` holds `b` links at every abscissa, and changes no bit.
fn links_are_compared_in_blocks() {
    let nodes = 600_u64;
    let run = |width: usize| {
        let problem = taxed(width, 600);
        let options = SolveOptions::new().threads(Threads::new(1).expect("threads"));
        let planned = problem.plan(&options).expect("fits").peak();
        let (peak, _) = measured(|| problem.solve_with(&options).expect("solved"));
        let solution = problem.solve().expect("solved");
        let values = solution.values(0, "life").expect("kept");
        let bits: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        (planned, peak, bits)
    };
    let (planned, peak, bits) = run(0);
    // A plan has room for eight breakpoints: two nodes, and a curve of two points.
    let most = nodes + 2 * 8 + 2 * 8;
    let bytes = |count: u64, width: u64| 24 * count * width.min(count - 1) + 36 * count;
    for width in [1, 2, 7, 100, usize::MAX] {
        let own = run(width);
        assert_eq!(own.2, bits, "width {width}");
        let width = width as u64;
        let more = own.0 - planned;
        // Runs that share a candidate, of sixteen.
        assert_eq!(more, bytes(most, width) + 4 * 16, "planned, width {width}");
        let found = own.1 - peak;
        assert!(
            found >= bytes(nodes, width) && found <= more,
            "width {width}: {more} planned, {found} measured"
        );
    }
}

/// Patience that rises with wealth: a row has as many records as there are liquid nodes.
fn patient(liquid: usize, nodes: usize) -> Problem {
    let life = Regime::new("life")
        .ages(0.0, 3.0)
        .state("m", Linear::new(1.0, 60.0, liquid).expect("nodes"))
        .state("kind", Categorical::ordered(["a", "b"]).expect("labels"))
        .action("c", Domain::free())
        .function("savings", "m - c")
        .constraint("borrowing", "savings >= 0")
        .utility("ln(c)")
        .fixed("kind")
        .law("m", "1.01*savings + 1")
        .preferences(Preferences::linear("0.9 + 0.001*m"))
        .liquid(Liquid::new(
            "m",
            "c",
            "savings",
            Linear::new(0.0, 80.0, nodes).expect("nodes"),
        ))
        .solver(Solver::DcEgm(DcEgm::new()))
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    let model = Model::builder(Ages::periods(5).expect("ages"))
        .regime(life)
        .regime(Regime::new("over").ages(4.0, 4.0).utility("0"))
        .build()
        .expect("model");
    model.with_parameters(&Parameters::new()).expect("complete")
}

fn rows_on_liquid_nodes_are_planned() {
    for retention in [Retention::First, Retention::Values, Retention::Policies] {
        for (liquid, nodes) in [(300, 40), (1500, 40), (3000, 100)] {
            let problem = patient(liquid, nodes);
            let options = SolveOptions::new().retention(retention);
            let planned = problem.plan(&options).expect("fits").peak();
            let (peak, _) = measured(|| problem.solve_with(&options).expect("solved"));
            assert_close(planned, peak, &format!("{liquid} {nodes} {retention:?}"));
        }
    }
}

fn budgets_are_kept() {
    let problem = problem(400, 4, false);
    let needed = problem.plan(&SolveOptions::new()).expect("fits").peak();
    let tight = |bytes: u64| SolveOptions::new().budget(Budget::bytes(bytes));
    assert!(problem.solve_with(&tight(needed)).is_ok());
    let refused = problem
        .solve_with(&tight(needed - 1))
        .expect_err("too small");
    assert!(
        refused.to_string().starts_with("E-PLAN-BUDGET"),
        "{refused}"
    );
    assert!(
        matches!(refused, SolveError::Budget { needed: n, allowed, .. } if n == needed && allowed == needed - 1)
    );
}

fn populations_are_bounded_by_chunks() {
    let solution = problem(60, 4, false).solve().expect("solved");
    let run = |count: usize, width: usize| {
        let population = Population::new(count, "life")
            .state_of_all("wealth", 3.0)
            .state_of_all("income", 2.0);
        let options = SimulateOptions::new().subject_batch_size(width);
        let plan = solution
            .simulation_plan(&population, &options)
            .expect("columns");
        let (peak, blocks) = measured(|| {
            solution
                .simulate_into(&population, &options, &mut Nowhere)
                .expect("simulated")
        });
        (plan.total().peak(), peak, blocks)
    };
    for (count, width) in [(100, 100), (6000, 100), (6000, 5000)] {
        let (planned, peak, _) = run(count, width);
        assert_close(
            planned,
            peak,
            &format!("{count} subjects in chunks of {width}"),
        );
    }
    let (_, small, _) = run(2000, 1000);
    let (_, large, _) = run(6000, 1000);
    assert_eq!(small, large, "three times the subjects in the same memory");
    let (_, _, few) = run(100, 100);
    let (_, _, many) = run(1000, 1000);
    assert_eq!(few, many, "no block per subject");
}
