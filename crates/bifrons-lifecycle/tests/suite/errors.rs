//! Everything that a model can get wrong has a code, a place and a remedy.

use bifrons_grids::{Categorical, Linear};
use bifrons_lifecycle::{
    Ages, Edge, Fault, Joint, Model, ModelBuilder, ParameterError, Parameters, Preferences, Regime,
    SolveError, SolveOptions, Validation,
};

fn line() -> Linear {
    Linear::new(1.0, 2.0, 3).expect("nodes")
}

fn labels() -> Categorical {
    Categorical::unordered(["a", "b"]).expect("labels")
}

/// A regime without fault.
fn alive() -> Regime {
    Regime::new("alive")
        .ages(0.0, 1.0)
        .state("wealth", line())
        .action("work", labels())
        .utility("wealth * work")
        .fixed("wealth")
        .edge(Edge::to("alive"))
        .edge(Edge::to("over"))
}

fn with(regime: Regime) -> ModelBuilder {
    let over = Regime::new("over")
        .ages(2.0, 2.0)
        .state("wealth", line())
        .utility("wealth");
    Model::builder(Ages::periods(3).expect("ages"))
        .regime(regime)
        .regime(over)
}

fn assert_refused(regime: Regime, code: &str, item: &str) {
    let errors = with(regime).build().expect_err(code);
    let found = errors.errors().iter().find(|error| error.code() == code);
    let found = found.unwrap_or_else(|| panic!("no {code} in {errors:?}"));
    assert_eq!(found.regime(), "alive", "{found}");
    assert!(found.item().contains(item), "{found}");
    assert!(!found.remedy().is_empty(), "{found}");
}

#[test]
fn a_model_without_fault_is_built() {
    assert!(with(alive()).build().is_ok());
}

#[test]
fn wrong_names_and_formulas_are_refused() {
    let base = alive;
    assert_refused(base().function("wealth", "1"), "E-NAME-DUPLICATE", "wealth");
    assert_refused(
        base().function("next_wealth", "1"),
        "E-NAME-RESERVED",
        "next_wealth",
    );
    assert_refused(
        base().function("f", "if work == work.c then 1 else 0"),
        "E-NAME-LABEL",
        "f",
    );
    assert_refused(base().function("f", "next_health"), "E-NAME-NEXT", "f");
    assert_refused(base().function("f", "1 +"), "E-PARSE", "f");
    let by_period = bifrons_lifecycle::Formula::by_period([1.0]);
    assert_refused(base().function("f", by_period), "E-FORMULA-PERIOD", "f");
    assert_refused(
        base().function("f", "g").function("g", "2*f"),
        "E-DAG-CYCLE",
        "f -> g",
    );
    let eps = Joint::new(["eps"], [vec![0.0]], [1.0]);
    assert_refused(
        base().joint(eps).constraint("c", "eps > 0"),
        "E-NAME-FUTURE",
        "c",
    );
    let other = base().simulate_function("nothing", "1");
    assert_refused(other, "E-SIMULATE-UNKNOWN", "nothing");
    let many = bifrons_lifecycle::Formula::closure(["wealth"; 17], |x| x[0]);
    assert_refused(base().function("f", many), "E-FORMULA-ARGUMENTS", "f");
}

#[test]
fn wrong_laws_and_edges_are_refused() {
    assert_refused(alive().law("health", "1"), "E-LAW-UNUSED", "health");
    assert_refused(alive().law("wealth", "1"), "E-NAME-DUPLICATE", "wealth");
    assert_refused(alive().edge(Edge::to("alife")), "E-EDGE-TARGET", "alife");
    assert_refused(alive().edge(Edge::to("over")), "E-EDGE-DUPLICATE", "over");
    let without = |law: fn(Regime) -> Regime| {
        law(Regime::new("alive")
            .ages(0.0, 1.0)
            .state("wealth", line())
            .utility("1"))
        .edge(Edge::to("alive"))
        .edge(Edge::to("over"))
    };
    assert_refused(without(|r| r), "E-LAW-MISSING", "wealth");
    assert_refused(
        without(|r| r.markov("wealth", ["1", "0"])),
        "E-LAW-MARKOV",
        "wealth",
    );
    let sick = Regime::new("alive")
        .ages(0.0, 1.0)
        .state("health", labels())
        .utility("1")
        .markov("health", ["1", "0", "0"])
        .edge(Edge::to("alive"));
    assert_refused(sick, "E-LAW-MARKOV", "health");
    let stuck = Regime::new("alive")
        .ages(0.0, 1.0)
        .utility("1")
        .edge(Edge::to("alive"));
    assert_refused(stuck, "E-GRAPH-NO-TERMINAL", "age 1");
    assert_refused(alive().ages(7.0, 8.0), "E-GRAPH-EMPTY", "ages");
    let fixed = Regime::new("alive")
        .ages(0.0, 1.0)
        .utility("1")
        .fixed("wealth")
        .edge(Edge::to("over"));
    assert_refused(fixed, "E-LAW-FIXED", "wealth");
}

#[test]
fn wrong_shocks_preferences_and_choices_are_refused() {
    let joint = |points: [Vec<f64>; 2], probabilities: [f64; 2]| {
        alive().joint(Joint::new(["eps"], points, probabilities))
    };
    assert_refused(joint([vec![0.0], vec![1.0]], [0.5, 0.4]), "E-SHOCK", "eps");
    assert_refused(
        joint([vec![0.0], vec![1.0, 2.0]], [0.5, 0.5]),
        "E-SHOCK",
        "eps",
    );
    assert_refused(
        joint([vec![0.0], vec![f64::NAN]], [0.5, 0.5]),
        "E-SHOCK",
        "eps",
    );
    let taste = || alive().taste_shocks("scale");
    let nonlinear = Preferences::epstein_zin("b", "g", "i");
    assert_refused(
        taste().preferences(nonlinear),
        "E-EV1-NONLINEAR-CE",
        "taste",
    );
    assert_refused(alive().taste_shocks("wealth"), "E-EV1-SCALE", "taste");
    let idle = Regime::new("alive")
        .ages(0.0, 1.0)
        .utility("1")
        .taste_shocks("1")
        .edge(Edge::to("alive"));
    assert_refused(idle, "E-EV1-NO-DISCRETE", "taste");
    let last = Regime::new("alive").action("work", labels()).utility("1");
    assert_refused(last, "E-TERMINAL-ACTION", "actions");
    assert_refused(
        Regime::new("alive").edge(Edge::to("over")),
        "E-UTILITY",
        "utility",
    );
    let by_age = bifrons_lifecycle::Domain::by_age(|age| Linear::new(1.0, 1.0 - age, 2));
    assert_refused(alive().action("c", by_age), "E-GRID", "c");
    assert_refused(
        alive().action("c", bifrons_lifecycle::Domain::free()),
        "E-GRID",
        "c",
    );
}

#[test]
fn all_errors_are_told_and_not_only_the_first() {
    let regime = alive().function("f", "1 +").edge(Edge::to("nowhere"));
    let errors = with(regime).build().expect_err("two errors");
    assert!(
        errors.has("E-PARSE") && errors.has("E-EDGE-TARGET"),
        "{errors}"
    );
}

#[test]
fn parameters_are_missing_unknown_ambiguous_or_not_finite() {
    let model = with(alive().function("f", "tau").function("g", "tau + kappa")).build();
    let model = model.expect("model");
    let template: Vec<String> = model.template().iter().map(ToString::to_string).collect();
    let expected = [
        "alive.f.tau",
        "alive.g.kappa",
        "alive.g.tau",
        "alive.preferences.discount_factor",
    ];
    assert_eq!(template, expected);
    let base = Parameters::new()
        .set("discount_factor", 0.9)
        .set("kappa", 1.0);
    let missing = model.with_parameters(&base).expect_err("no tau");
    let both = vec!["alive.f.tau".to_owned(), "alive.g.tau".to_owned()];
    assert_eq!(missing, ParameterError::Missing(both));
    let unknown = model
        .with_parameters(&base.clone().set("tua", 1.0))
        .expect_err("tua");
    let ParameterError::Unknown { path, nearest } = unknown else {
        panic!("unknown");
    };
    assert_eq!((&*path, nearest.as_deref()), ("tua", Some("tau")));
    let twice = base.clone().set("tau", 1.0).set("alive.f.tau", 2.0);
    let twice = model.with_parameters(&twice).expect_err("two levels");
    assert!(matches!(twice, ParameterError::Ambiguous { leaf, .. } if leaf == "alive.f.tau"));
    let nan = model
        .with_parameters(&base.clone().set("tau", f64::NAN))
        .expect_err("NaN");
    assert!(matches!(nan, ParameterError::NotFinite { path, .. } if path == "tau"));
    for tau in ["tau", "alive.tau"] {
        assert!(model.with_parameters(&base.clone().set(tau, 1.0)).is_ok());
    }
    let each = base.set("f.tau", 1.0).set("alive.g.tau", 2.0);
    let problem = model.with_parameters(&each).expect("one path per leaf");
    assert_eq!(problem.parameters(), [1.0, 1.0, 2.0, 0.9]);
}

#[test]
fn fixed_parameters_leave_the_template() {
    let model = with(alive().function("f", "tau"))
        .fix("tau", 2.0)
        .build()
        .expect("model");
    assert_eq!(model.template().len(), 1);
}

fn faulty(
    regime: Regime,
    validation: Validation,
) -> Result<bifrons_lifecycle::Solution, SolveError> {
    let model = with(regime).build().expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.9);
    let problem = model.with_parameters(&parameters).expect("complete");
    problem.solve_with(&SolveOptions::new().validation(validation))
}

/// Three chances that add up to `sum` in the state `wealth = 1.5`.
fn chances(sum: &str) -> Regime {
    Regime::new("alive")
        .ages(1.0, 1.0)
        .state("wealth", line())
        .utility("wealth")
        .fixed("wealth")
        .edge(Edge::to("over").probability(format!("if wealth == 1.5 then {sum} else 1")))
}

#[test]
fn probability_rows_are_never_rescaled() {
    for (text, expected) in [("0.45 + 0.9 + 0.45", 1.8), ("0.9", 0.9)] {
        let Err(SolveError::Fault { fault, .. }) = faulty(chances(text), Validation::Warn) else {
            panic!("a fault");
        };
        let Fault::ProbabilitySum { sum, place, .. } = &*fault else {
            panic!("{fault}");
        };
        assert!((sum - expected).abs() < 1e-12);
        assert_eq!(place.point, [("wealth".to_owned(), 1.5)]);
        assert!(fault.to_string().starts_with("E-PROB-ROW"));
        assert!(faulty(chances(text), Validation::Off).is_ok());
    }
    for text in ["-1e-17", "nan"] {
        let Err(SolveError::Fault { fault, .. }) = faulty(chances(text), Validation::Debug) else {
            panic!("a fault");
        };
        assert!(matches!(&*fault, Fault::Probability { .. }), "{fault}");
    }
    assert!(faulty(chances("0.5 + (0.5 + 2e-16)"), Validation::Debug).is_ok());
}

#[test]
fn the_first_value_that_is_not_a_number_is_named() {
    let regime = || {
        Regime::new("alive")
            .ages(0.0, 1.0)
            .state("wealth", line())
            .action("work", labels())
            .utility("if work == work.b and wealth == 1.5 then nan else 1")
            .fixed("wealth")
            .edge(Edge::to("alive"))
            .edge(Edge::to("over"))
    };
    let Err(SolveError::Fault { fault, partial }) = faulty(regime(), Validation::Debug) else {
        panic!("a fault");
    };
    let Fault::NotANumber { place } = &*fault else {
        panic!("{fault}");
    };
    assert!((place.age - 1.0).abs() < 1e-15);
    let point = [("wealth".to_owned(), 1.5), ("work".to_owned(), 1.0)];
    assert_eq!(place.point, point);
    assert!(partial.values(1, "alive").is_some() && partial.values(0, "alive").is_none());
    for validation in [Validation::Warn, Validation::Off] {
        let solution = faulty(regime(), validation).expect("kept as NaN");
        assert_eq!(solution.report().nan(), 2);
        assert_eq!(solution.report().first_failure.as_ref(), Some(&*fault));
        let values = solution.values(0, "alive").expect("kept");
        assert!(values[1].is_nan() && values[0].is_finite() && values[2].is_finite());
    }
}
