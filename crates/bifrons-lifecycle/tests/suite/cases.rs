//! Numerical cases: small models whose answers are known by hand.
#![expect(clippy::float_cmp, reason = "values that are exact by construction")]

use bifrons_grids::{Categorical, Extrapolation, Irregular, Linear, Logarithmic};
use bifrons_lifecycle::{
    Ages, BuildErrors, Edge, Fault, Model, Parameters, Regime, Solution, SolveError,
};

fn over(period: f64) -> Regime {
    Regime::new("over").ages(period, period).utility(0.0)
}

/// dp-08: a state without a feasible action.
fn stay_or_go(labels: [&str; 3]) -> Result<Model, BuildErrors> {
    let states = Categorical::unordered(labels).expect("labels");
    let actions = Categorical::unordered(["stay", "go", "move"]).expect("labels");
    let model = Model::builder(Ages::periods(4).expect("ages"))
        .regime(
            Regime::new("life")
                .ages(0.0, 2.0)
                .state("place", states)
                .action("deed", actions)
                .constraint(
                    "possible",
                    "place == place.zero and deed != deed.move or place == place.one and deed == deed.move",
                )
                .utility("if deed == deed.go then 5 else if deed == deed.move then 2 else 1")
                // The move leads to the empty state with probability zero.
                .markov(
                    "place",
                    labels.map(|label| match label {
                        "zero" => "if deed == deed.go then 0 else 1",
                        "two" => "if deed == deed.go then 1 else 0",
                        _ => "0",
                    }),
                )
                .edge(Edge::to("life"))
                .edge(Edge::to("over")),
        )
        .regime(over(3.0))
        .build()?;
    Ok(model)
}

fn solved(model: &Model, beta: f64) -> Solution {
    let parameters = Parameters::new().set("discount_factor", beta);
    let problem = model.with_parameters(&parameters).expect("parameters");
    problem.solve().expect("solved")
}

#[test]
fn a_state_without_feasible_action_is_marked_and_hurts_nobody() {
    let expected = [[5.95, 6.95], [5.5, 6.5], [5.0, 2.0]];
    for labels in [["zero", "one", "two"], ["two", "zero", "one"]] {
        let solution = solved(&stay_or_go(labels).expect("model"), 0.9);
        let place = |label| labels.iter().position(|own| *own == label).expect("known");
        for (period, expected) in expected.iter().enumerate() {
            let values = solution.values(period, "life").expect("kept");
            for (label, expected) in ["zero", "one"].iter().zip(expected) {
                assert!(
                    (values[place(*label)] - expected).abs() < 1e-14,
                    "{values:?}"
                );
            }
            assert_eq!(values[place("two")], f64::NEG_INFINITY);
            assert_eq!(solution.policy(period, "life", place("two")), None);
            let deed = solution.policy(period, "life", place("zero"));
            assert_eq!(deed, Some(vec![if period < 2 { 0.0 } else { 1.0 }]));
        }
        assert_eq!(solution.report().infeasible(), 3);
        assert_eq!(solution.report().nan(), 0);
    }
}

/// dp-14: the continuation is read on the grid of the next period.
fn other_grids(next: impl Into<bifrons_grids::Axis>, actions: &[f64]) -> f64 {
    let model = Model::builder(Ages::periods(2).expect("ages"))
        .regime(
            Regime::new("first")
                .ages(0.0, 0.0)
                .state("m", Irregular::new([0.0, 1.0, 2.0, 3.0]).expect("nodes"))
                .action("a", Irregular::new(actions.to_vec()).expect("nodes"))
                .utility("-0.1 * a^2")
                .law("m", "2*a")
                .edge(Edge::to("second")),
        )
        .regime(
            Regime::new("second")
                .ages(1.0, 1.0)
                .state("m", next.into())
                .utility("m"),
        )
        .build()
        .expect("model");
    let solution = solved(&model, 1.0);
    let values = solution.values(0, "first").expect("kept");
    assert!(values.iter().all(|value| *value == values[0]));
    let action = solution.policy(0, "first", 0).expect("feasible");
    assert_eq!(action[0], *actions.last().expect("actions"));
    values[0]
}

#[test]
fn the_grid_of_next_period_is_part_of_its_values() {
    let actions = [0.0, 1.5, 7.0, 12.0];
    let coarse = Irregular::new([0.0, 10.0, 20.0, 30.0]).expect("nodes");
    assert!((other_grids(coarse, &actions) - 9.6).abs() < 1e-12);
    let longer = Linear::new(0.0, 32.0, 9).expect("nodes");
    assert!((other_grids(longer, &actions) - 9.6).abs() < 1e-12);
    for (last, value) in [(1.5, 2.775), (7.0, 9.1), (12.0, 9.6)] {
        let levels = Logarithmic::new(1.0, 64.0, 7).expect("nodes");
        assert!((other_grids(levels, &[last]) - value).abs() < 1e-12);
    }
}

/// dp-15: a next state outside of the grid.
fn spender(outside: Extrapolation, constrained: bool) -> Result<Solution, SolveError> {
    let wealth = || bifrons_lifecycle::Domain::from(Linear::new(0.0, 10.0, 3).expect("nodes"));
    let mut first = Regime::new("first")
        .ages(0.0, 0.0)
        .state("w", Irregular::new([1.0]).expect("node"))
        .action("s", Irregular::new([0.0, 1.0, 2.0, 4.0]).expect("nodes"))
        .utility("sqrt(s)")
        .law("w", "w - s")
        .edge(Edge::to("second"));
    if constrained {
        first = first.constraint("solvent", "next_w >= 0");
    }
    let second = Regime::new("second")
        .ages(1.0, 1.0)
        .state("w", wealth().outside(outside))
        .utility("0.1*w");
    let model = Model::builder(Ages::periods(2).expect("ages"))
        .regime(first)
        .regime(second)
        .build()
        .expect("model");
    let parameters = Parameters::new().set("discount_factor", 0.9);
    model
        .with_parameters(&parameters)
        .expect("complete")
        .solve()
}

#[test]
fn a_next_state_outside_is_excluded_refused_or_extrapolated_as_declared() {
    for outside in [Extrapolation::Error, Extrapolation::Linear] {
        let solution = spender(outside, true).expect("solved");
        assert_eq!(solution.policy(0, "first", 0), Some(vec![1.0]));
        assert!((solution.values(0, "first").expect("kept")[0] - 1.0).abs() < 1e-12);
    }
    let solution = spender(Extrapolation::Linear, false).expect("solved");
    assert_eq!(solution.policy(0, "first", 0), Some(vec![4.0]));
    assert!((solution.values(0, "first").expect("kept")[0] - 1.73).abs() < 1e-12);
    let Err(SolveError::Fault { fault, partial }) = spender(Extrapolation::Error, false) else {
        panic!("a fault");
    };
    let Fault::Outside {
        state,
        target,
        value,
        place,
    } = &*fault
    else {
        panic!("{fault}");
    };
    assert_eq!((&**state, &**target, *value), ("w", "second", -1.0));
    assert_eq!(place.regime, "first");
    let point = [("w".to_owned(), 1.0), ("s".to_owned(), 2.0)];
    assert_eq!(place.point, point);
    assert_eq!(
        partial.values(1, "second").expect("solved before"),
        [0.0, 0.5, 1.0]
    );
}

/// dp-06: taste shocks at their limits; one period, two actions with given utilities.
fn taste(utilities: [&str; 2], scale: f64) -> f64 {
    let model = Model::builder(Ages::periods(2).expect("ages"))
        .regime(
            Regime::new("choice")
                .ages(0.0, 0.0)
                .action("k", Categorical::unordered(["a", "b"]).expect("labels"))
                .utility(format!(
                    "if k == k.a then {} else {}",
                    utilities[0], utilities[1]
                ))
                .taste_shocks("scale")
                .edge(Edge::to("over")),
        )
        .regime(over(1.0))
        .build()
        .expect("model");
    let parameters = Parameters::new()
        .set("discount_factor", 1.0)
        .set("scale", scale);
    let problem = model.with_parameters(&parameters).expect("complete");
    problem
        .solve()
        .expect("solved")
        .values(0, "choice")
        .expect("kept")[0]
}

#[test]
fn taste_shocks_neither_overflow_nor_vanish() {
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-14 * b.abs(), "{a} {b}");
    close(taste(["1", "1"], 0.5), 1.0 + 0.5 * 2.0_f64.ln());
    close(taste(["2", "1"], 0.5), 2.063_464_005_521_486);
    close(taste(["1000", "999"], 0.5), 1_000.063_464_005_521_5);
    close(taste(["1e308", "-1e308"], 1.0), 1e308);
    // A scale of zero is the plain maximum.
    close(taste(["1", "1"], 0.0), 1.0);
    close(taste(["-inf", "1"], 0.0), 1.0);
    assert_eq!(taste(["-inf", "-inf"], 0.0), f64::NEG_INFINITY);
    close(taste(["1", "0"], 1e-300), 1.0);
    close(taste(["0", "1"], 1e-9), 1.0);
    close(taste(["-inf", "1"], 0.3), 1.0);
    assert_eq!(taste(["-inf", "-inf"], 0.3), f64::NEG_INFINITY);
}
