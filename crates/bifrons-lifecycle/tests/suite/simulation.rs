//! Populations: histories that depend on the subject alone, moments, sinks, bad input.
#![expect(clippy::float_cmp, reason = "values that are exact by construction")]

use bifrons_export::{ArrowSink, CsvSink, ParquetSink};
use bifrons_grids::{Categorical, Linear};
use bifrons_lifecycle::{
    Ages, Decisions, Edge, Fault, Model, Panel, Parameters, Population, Regime, Retention,
    SimulateError, SimulateOptions, Solution, SolveOptions, Validation,
};
use bifrons_parallel::Threads;
use bifrons_random::{Address, Draws, Stream};
use bifrons_shocks::Normal;
use bifrons_table::{ColumnView, MemorySink};

/// dp-11: wealth moves by a shock, two choices with taste shocks.
fn drift(periods: usize, extra: bool) -> Solution {
    let shock = Normal::new(0.0, 1.0).and_then(|law| law.gauss_hermite(5));
    let last = periods as f64 - 1.0;
    let mut life = Regime::new("life")
        .ages(0.0, last - 1.0)
        .state("w", Linear::new(0.1, 10.0, 12).expect("nodes"))
        .action("k", Categorical::unordered(["a", "b"]).expect("labels"))
        .utility("ln(w) + 0.1*k")
        .function("double", "2*w")
        .taste_shocks("0.3")
        .shock("e", &shock.expect("nodes"))
        .law("w", "w * exp(0.1*e)")
        .edge(Edge::to("life"))
        .edge(Edge::to("over"));
    if extra {
        life = life
            .state("type", Categorical::unordered(["x", "y"]).expect("labels"))
            .fixed("type");
    }
    let over = Regime::new("over")
        .ages(last, last)
        .state("w", Linear::new(0.1, 10.0, 12).expect("nodes"))
        .utility("w");
    let model = Model::builder(Ages::periods(periods).expect("ages"))
        .regime(life)
        .regime(over)
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.9);
    model
        .with_parameters(&parameters)
        .expect("complete")
        .solve()
        .expect("solved")
}

fn people(count: usize) -> Population {
    let wealth: Vec<f64> = (0..count).map(|i| 0.5 + i as f64 / count as f64).collect();
    Population::new(count, "life").state("w", wealth)
}

fn run(solution: &Solution, population: &Population, options: SimulateOptions) -> Panel {
    solution.simulate(population, &options).expect("simulated")
}

/// Every number of a panel as bits, row by row.
fn bits(panel: &Panel) -> Vec<Vec<u64>> {
    let batch = panel.table.batch();
    let row = |row: usize| {
        let cell = |view: ColumnView<'_>| match view {
            ColumnView::F64(values) => values[row].to_bits(),
            ColumnView::I64(values) => values[row].cast_unsigned(),
            ColumnView::U32(values) | ColumnView::Category(values) => u64::from(values[row]),
            ColumnView::Bool(values) => u64::from(values[row]),
            _ => panic!("another kind"),
        };
        batch.columns().map(cell).collect()
    };
    (0..batch.row_count()).map(row).collect()
}

#[test]
fn histories_do_not_depend_on_chunks_threads_or_company() {
    let solution = drift(5, false);
    let population = people(300);
    let options = || SimulateOptions::new().seed(7).column("double");
    let expected = bits(&run(&solution, &population, options()));
    assert_eq!(expected.len(), 300 * 5);
    for threads in [1, 2, 4] {
        for width in [1, 7, 300, 4096] {
            let options = options()
                .threads(Threads::new(threads).expect("threads"))
                .subject_batch_size(width);
            assert!(
                bits(&run(&solution, &population, options)) == expected,
                "{threads} {width}"
            );
        }
    }
    // In reverse order, and one of them alone.
    let mut wealth: Vec<f64> = (0..300).map(|i| 0.5 + f64::from(i) / 300.0).collect();
    let alone = Population::new(1, "life")
        .numbers([123])
        .state("w", vec![wealth[123]]);
    assert_eq!(
        bits(&run(&solution, &alone, options())),
        expected[5 * 123..5 * 124]
    );
    wealth.reverse();
    let numbers: Vec<u64> = (0..300).rev().collect();
    let backwards = Population::new(300, "life")
        .numbers(numbers)
        .state("w", wealth);
    let mut found = bits(&run(&solution, &backwards, options()));
    found.sort_by_key(|row| (row[0], row[1]));
    assert!(found == expected, "the order of subjects");
}

#[test]
fn draws_are_the_same_with_another_horizon_or_another_state() {
    let options = || SimulateOptions::new().seed(7);
    let base = run(&drift(5, false), &people(200), options());
    let longer = run(&drift(6, false), &people(200), options());
    let other = people(200).state_of_all("type", 1.0);
    let typed = run(&drift(5, true), &other, options());
    let wealth = |panel: &Panel, subject: usize, periods: usize| -> Vec<u64> {
        let values = panel.table.f64("w").expect("column");
        values[subject * periods..subject * periods + 4]
            .iter()
            .map(|w| w.to_bits())
            .collect()
    };
    let mut same = 0;
    for subject in 0..200 {
        assert_eq!(wealth(&base, subject, 5), wealth(&longer, subject, 6));
        assert_eq!(wealth(&base, subject, 5), wealth(&typed, subject, 5));
        let choice = |panel: &Panel, periods: usize| {
            let codes = panel.table.category("k").expect("column");
            codes.codes()[subject * periods..subject * periods + 4].to_vec()
        };
        same += usize::from(choice(&base, 5) == choice(&typed, 5));
    }
    assert_eq!(same, 200, "the same taste shocks");
}

#[test]
fn far_apart_subjects_have_their_own_draws_and_none_are_fine() {
    let far = [0, 1, u64::from(u32::MAX), 1 << 32, (1 << 32) + 1, 1 << 63];
    let population = Population::new(6, "life")
        .numbers(far)
        .state_of_all("w", 1.0);
    let solution = drift(5, false);
    let panel = run(&solution, &population, SimulateOptions::new());
    let wealth = panel.table.f64("w").expect("column");
    let draws = Draws::new(0, Stream::named("shock:e"));
    let mut seen: Vec<f64> = far
        .iter()
        .map(|&id| draws.uniform(Address::new(id, 3)))
        .collect();
    seen.sort_by(f64::total_cmp);
    seen.dedup();
    assert_eq!(seen.len(), 6);
    assert_eq!(panel.table.i64("subject").expect("column")[25], i64::MIN);
    assert!(wealth.iter().all(|w| w.is_finite()));
    let nobody = run(&solution, &people(0), SimulateOptions::new());
    assert_eq!(nobody.table.row_count(), 0);
    assert_eq!(nobody.table.schema().fields().len(), 8);
    // Seed 0 is a seed like any other, and the default.
    let zero = run(&solution, &people(9), SimulateOptions::new().seed(0));
    let default = run(&solution, &people(9), SimulateOptions::new());
    let one = run(&solution, &people(9), SimulateOptions::new().seed(1));
    assert_eq!(bits(&zero), bits(&default));
    assert_ne!(bits(&zero), bits(&one));
}

#[test]
fn choices_and_states_have_the_frequencies_of_the_model() {
    let solution = drift(3, false);
    let count = 40_000;
    let population = Population::new(count, "life").state_of_all("w", 1.0);
    let panel = run(&solution, &population, SimulateOptions::new().seed(11));
    let codes = panel.table.category("k").expect("column");
    let share = codes.codes().chunks(3).filter(|rows| rows[0] == 1).count() as f64 / count as f64;
    // Both choices have the same future, so the logit of the difference of utilities.
    let exact = 1.0 / (1.0 + (-0.1_f64 / 0.3).exp());
    assert!(
        (share - exact).abs() < 4.0 * 0.5 / (count as f64).sqrt(),
        "{share} {exact}"
    );
    let wealth = panel.table.f64("w").expect("column");
    let logs: Vec<f64> = wealth.chunks(3).map(|rows| rows[2].ln()).collect();
    let mean = logs.iter().sum::<f64>() / count as f64;
    let variance = logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count as f64;
    assert!(mean.abs() < 4.0 * 0.02_f64.sqrt() / (count as f64).sqrt());
    assert!((variance - 0.02).abs() < 4.0 * 0.02 * 2.0_f64.sqrt() / (count as f64).sqrt());
}

/// A regime in which wealth 3 has no feasible action.
fn trap(validation: Validation) -> Solution {
    let model = Model::builder(Ages::periods(3).expect("ages"))
        .regime(
            Regime::new("life")
                .ages(0.0, 1.0)
                .state("w", Linear::new(1.0, 3.0, 3).expect("nodes"))
                .action("step", Linear::new(0.0, 1.0, 2).expect("nodes"))
                .utility("if w == 2.5 then nan else step")
                .constraint("not_at_three", "w < 3")
                .law("w", "w + step")
                .edge(Edge::to("life"))
                .edge(Edge::to("over")),
        )
        .regime(Regime::new("over").ages(2.0, 2.0).utility("0"))
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.0);
    let problem = model.with_parameters(&parameters).expect("complete");
    let options = SolveOptions::new().validation(validation);
    problem.solve_with(&options).expect("solved")
}

#[test]
fn a_subject_without_feasible_action_is_flagged_and_hurts_nobody() {
    let solution = trap(Validation::Warn);
    let population = Population::new(3, "life").state("w", vec![1.0, 3.0, 2.0]);
    let panel = run(&solution, &population, SimulateOptions::new());
    let table = &panel.table;
    assert_eq!(table.i64("subject").expect("column"), [0, 0, 0, 1, 2, 2]);
    assert_eq!(table.u32("period").expect("column"), [0, 1, 2, 0, 0, 1]);
    let feasible = [true, true, true, false, true, false];
    assert_eq!(table.bool("feasible").expect("column"), feasible);
    let values = table.f64("value").expect("column");
    assert_eq!(
        values,
        [1.0, 1.0, 0.0, f64::NEG_INFINITY, 1.0, f64::NEG_INFINITY]
    );
    let step = table.f64("step").expect("column");
    assert!(step[3].is_nan() && step[2].is_nan() && step[0] == 1.0);
    assert_eq!(panel.report.infeasible, 2);
    assert_eq!(panel.report.first_infeasible, Some(1));
    assert_eq!((panel.report.subjects, panel.report.rows), (3, 6));
}

#[test]
fn values_that_are_nan_are_counted_and_named_or_refused() {
    let solution = trap(Validation::Warn);
    // Wealth 2.5 is between the nodes, so only a subject meets the NaN.
    let population = Population::new(4, "life").state("w", vec![1.0, 2.5, 3.0, 2.5]);
    let panel = run(&solution, &population, SimulateOptions::new());
    assert_eq!((panel.report.infeasible, panel.report.nan), (1, 2));
    let (subject, fault) = panel.report.first_nan.clone().expect("a fault");
    assert_eq!(subject, 1);
    let Fault::NotANumber { place } = &fault else {
        panic!("{fault}");
    };
    assert_eq!((place.age, &*place.regime), (0.0, "life"));
    assert_eq!(place.point[0], ("w".to_owned(), 2.5));
    let first = &panel.report.statistics[0];
    assert_eq!((first.period, &*first.regime, first.states), (0, "life", 4));
    assert_eq!(
        (first.infeasible, first.nan, first.range),
        (1, 2, Some((1.0, 1.0)))
    );
    let subjects: Vec<usize> = panel
        .report
        .statistics
        .iter()
        .map(|own| own.states)
        .collect();
    assert_eq!(subjects, [4, 1, 1]);
    for width in [1, 2, 4] {
        let options = || SimulateOptions::new().subject_batch_size(width);
        assert_eq!(run(&solution, &population, options()).report, panel.report);
        let strict = options().validation(Validation::Debug);
        let Err(SimulateError::Fault {
            subject: 1,
            fault: found,
        }) = solution.simulate(&population, &strict)
        else {
            panic!("a fault");
        };
        assert_eq!(*found, fault);
    }
}

#[test]
fn wrong_probabilities_are_used_as_they_are_without_validation() {
    let model = Model::builder(Ages::periods(2).expect("ages"))
        .regime(
            Regime::new("life")
                .ages(0.0, 0.0)
                .state("w", Linear::new(0.0, 1.0, 2).expect("nodes"))
                .function("share", "0.4")
                .simulate_function("share", "w")
                .utility("w")
                .edge(Edge::to("left").probability("share"))
                .edge(Edge::to("right").probability("0.6")),
        )
        .regime(Regime::new("left").ages(1.0, 1.0).utility("0"))
        .regime(Regime::new("right").ages(1.0, 1.0).utility("0"))
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.5);
    let problem = model.with_parameters(&parameters).expect("complete");
    let solution = problem
        .solve()
        .expect("the variant of the solution is right");
    let population = Population::new(3, "life").state("w", vec![0.4, 0.9, 0.4]);
    let result = solution.simulate(&population, &SimulateOptions::new());
    let Err(SimulateError::Fault { subject: 1, fault }) = result else {
        panic!("a fault");
    };
    assert!(
        matches!(&*fault, Fault::ProbabilitySum { sum, .. } if *sum == 1.5),
        "{fault}"
    );
    let careless = SimulateOptions::new().validation(Validation::Off);
    let panel = run(&solution, &population, careless);
    assert_eq!(panel.report.rows, 6);
}

#[test]
fn trying_all_actions_is_how_grid_search_decides_in_both_ways() {
    let solution = drift(5, false);
    let options = || SimulateOptions::new().seed(2);
    let policy = run(&solution, &people(64), options());
    let anew = options().decisions(Decisions::Reoptimise);
    assert!(bits(&run(&solution, &people(64), anew)) == bits(&policy));
}

#[test]
fn populations_that_do_not_fit_are_refused() {
    let solution = trap(Validation::Off);
    let refused =
        |population: Population| match solution.simulate(&population, &SimulateOptions::new()) {
            Err(SimulateError::Population { column, .. }) => column,
            other => panic!("{other:?}"),
        };
    let good = || Population::new(2, "life").state("w", vec![1.0, 2.0]);
    assert_eq!(refused(Population::new(2, "life")), "w");
    assert_eq!(refused(good().state("v", vec![1.0, 2.0])), "v");
    assert_eq!(
        refused(Population::new(2, "life").state("w", vec![1.0])),
        "w"
    );
    assert_eq!(
        refused(Population::new(2, "life").state("w", vec![1.0, f64::NAN])),
        "w"
    );
    assert_eq!(refused(good().regimes(["life", "live"])), "regimes");
    assert_eq!(refused(good().entries([0, 2])), "entries");
    assert_eq!(refused(good().entries([0, 0, 0])), "entries");
    assert_eq!(refused(good().numbers([7])), "numbers");
    assert_eq!(good().footprint().peak(), 24);
    let column = SimulateOptions::new().column("utilty");
    let Err(SimulateError::UnknownColumn { nearest, .. }) = solution.simulate(&good(), &column)
    else {
        panic!("an unknown column");
    };
    assert_eq!(nearest.as_deref(), Some("utility"));
    let problem = solution.problem();
    let options = SolveOptions::new().retention(Retention::First);
    let first = problem.solve_with(&options).expect("solved");
    let result = first.simulate(&good(), &SimulateOptions::new());
    assert!(matches!(result, Err(SimulateError::NotRetained { .. })));
}

#[test]
fn a_wrong_row_names_its_subject_whatever_the_chunk() {
    let model = Model::builder(Ages::periods(2).expect("ages"))
        .regime(
            Regime::new("life")
                .ages(0.0, 0.0)
                .state("w", Linear::new(0.0, 1.0, 2).expect("nodes"))
                .utility("w")
                .edge(Edge::to("over").probability("if w == 0.5 then 0.9 else 1")),
        )
        .regime(Regime::new("over").ages(1.0, 1.0).utility("0"))
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.5);
    let solution = model
        .with_parameters(&parameters)
        .expect("complete")
        .solve()
        .expect("solved");
    let population = Population::new(4, "life").state("w", vec![0.0, 1.0, 0.5, 0.5]);
    for width in [1, 3, 4] {
        let options = SimulateOptions::new().subject_batch_size(width);
        let Err(SimulateError::Fault { subject, fault }) = solution.simulate(&population, &options)
        else {
            panic!("a fault");
        };
        assert_eq!(subject, 2);
        assert!(
            matches!(&*fault, Fault::ProbabilitySum { sum: 0.9, .. }),
            "{fault}"
        );
    }
}

#[test]
fn subjects_enter_when_and_where_they_are_said_to() {
    let solution = drift(5, false);
    let population = Population::new(3, "life")
        .regimes(["life", "over", "life"])
        .entries([2, 4, 0])
        .state_of_all("w", 2.0);
    let panel = run(&solution, &population, SimulateOptions::new());
    assert_eq!(
        panel.table.u32("period").expect("column"),
        [2, 3, 4, 4, 0, 1, 2, 3, 4]
    );
    let regimes = panel.table.category("regime").expect("column");
    let names: Vec<&str> = regimes.labels().collect();
    assert_eq!(names[..4], ["life", "life", "over", "over"]);
}

#[test]
fn simulated_variants_move_subjects_and_do_not_change_decisions() {
    let model = |variant: bool| {
        let mut life = Regime::new("life")
            .ages(0.0, 0.0)
            .state("w", Linear::new(0.0, 8.0, 9).expect("nodes"))
            .action("c", Linear::new(0.0, 4.0, 9).expect("nodes"))
            .function("growth", "2")
            .utility("sqrt(c)")
            .constraint("budget", "c <= w")
            .law("w", "growth * (w - c)")
            .edge(Edge::to("over"));
        if variant {
            life = life.simulate_function("growth", "0.5");
        }
        let over = Regime::new("over")
            .ages(1.0, 1.0)
            .state("w", Linear::new(0.0, 8.0, 9).expect("nodes"))
            .utility("sqrt(w)");
        let model = Model::builder(Ages::periods(2).expect("ages"))
            .regime(life)
            .regime(over);
        let parameters = Parameters::new().set("discount_factor", 0.9);
        let problem = model.build().expect("model").with_parameters(&parameters);
        problem.expect("complete").solve().expect("solved")
    };
    let (plain, variant) = (model(false), model(true));
    assert_eq!(plain.values(0, "life"), variant.values(0, "life"));
    let population = Population::new(1, "life").state("w", vec![4.0]);
    let rows = |solution: &Solution| {
        let panel = run(
            solution,
            &population,
            SimulateOptions::new().column("growth"),
        );
        let column = |name: &str| panel.table.f64(name).expect("column").to_vec();
        (column("c")[0], column("w")[1], column("growth")[0])
    };
    let ((c, next, g), (same, realised, other)) = (rows(&plain), rows(&variant));
    assert_eq!(c, same);
    assert_eq!((next, g), (2.0 * (4.0 - c), 2.0));
    assert_eq!((realised, other), (0.5 * (4.0 - c), 0.5));
}

#[test]
fn panels_go_to_files_of_all_formats() {
    let solution = drift(5, false);
    let population = people(50);
    let memory = run(&solution, &population, SimulateOptions::new());
    let directory = tempfile::tempdir().expect("directory");
    let path = |name: &str| directory.path().join(name);
    let mut csv = CsvSink::create(path("panel.csv"));
    let mut arrow = ArrowSink::create(path("panel.arrow"));
    let mut parquet = ParquetSink::create(path("panel.parquet"));
    let options = || SimulateOptions::new().subject_batch_size(8);
    for sink in [
        &mut csv as &mut dyn bifrons_table::TableSink,
        &mut arrow,
        &mut parquet,
    ] {
        let report = solution
            .simulate_into(&population, &options(), sink)
            .expect("written");
        assert_eq!(report, memory.report);
    }
    drop((csv, arrow, parquet));
    let text = std::fs::read_to_string(path("panel.csv")).expect("file");
    assert_eq!(text.lines().count(), 251);
    assert!(
        text.starts_with("subject,period,age,regime,w,k,value,feasible"),
        "{text}"
    );
    for name in ["panel.arrow", "panel.parquet"] {
        assert!(std::fs::metadata(path(name)).expect("file").len() > 1000);
    }
    let mut small = MemorySink::with_limit(10);
    let full = solution.simulate_into(&population, &options(), &mut small);
    assert!(matches!(full, Err(SimulateError::Sink(_))));
}
