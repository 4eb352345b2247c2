//! Single runs against closed forms, and what users of other tools ran into.
#![expect(clippy::float_cmp, reason = "end points and stored rows must be exact")]
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test helper is a failed test"
)]

use bifrons_ode::{
    Closure, Failure, InputError, Options, Problem, Save, Solution, SolveError, Tolerance, closure,
    solve,
};

fn options(relative: f64, absolute: f64) -> Options {
    Options::with_tolerance(Tolerance::new(relative, absolute).expect("valid tolerance"))
}

fn oscillator(omega: f64) -> impl Problem {
    closure(2, move |_t, y, dy| {
        dy[0] = y[1];
        dy[1] = -omega * omega * y[0];
    })
}

fn partial(error: SolveError) -> (Failure, Box<Solution>) {
    match error {
        SolveError::Failed { failure, partial } => (failure, partial),
        other => panic!("expected a failure with a partial solution, got {other:?}"),
    }
}

#[test]
fn oscillator_follows_the_cosine_at_every_requested_time() {
    let times: Vec<f64> = (0..=100).map(|i| f64::from(i) * 0.1).collect();
    let save = Save::Times(times.clone());
    let solution = solve(
        &mut oscillator(2.0),
        0.0,
        &[1.0, 0.0],
        10.0,
        &save,
        &options(1e-8, 1e-10),
    )
    .expect("smooth problem");
    assert_eq!(solution.times, times, "one row per requested time");
    for (row, &t) in times.iter().enumerate() {
        let error = (solution.state(row)[0] - (2.0 * t).cos()).abs();
        assert!(error < 2e-7, "error {error:e} at t = {t}");
    }
}

#[test]
fn last_row_is_the_end_of_the_span_bit_for_bit() {
    let times: Vec<f64> = (0..=10).map(|i| f64::from(i) / 10.0).collect();
    let mut decay = closure(1, |_t, y, dy| dy[0] = -y[0]);
    let solution = solve(
        &mut decay,
        0.0,
        &[1.0],
        1.0,
        &Save::Times(times),
        &options(1e-3, 1e-6),
    )
    .expect("decay");
    assert_eq!(solution.times.len(), 11, "no output is lost by round-off");
    assert_eq!(solution.times[10], 1.0, "end of the span");
    assert_eq!(
        solution.state(10),
        solution.last_state,
        "last row is the last state"
    );
}

#[test]
fn backward_integration_of_a_constant_slope() {
    let slope = -2.0 * std::f64::consts::PI / 35.0;
    let times: Vec<f64> = (0..=100).map(|i| -23.8 * f64::from(i) / 100.0).collect();
    let mut ramp = closure(1, move |_t, _y, dy| dy[0] = slope);
    let solution = solve(
        &mut ramp,
        0.0,
        &[0.0],
        -23.8,
        &Save::Times(times),
        &Options::default(),
    )
    .expect("ramp");
    assert_eq!(solution.times.len(), 101, "every output");
    assert_eq!(solution.times[100], -23.8, "end");
    assert!(
        (solution.last_state[0] / 4.272_566_008_882_119 - 1.0).abs() < 1e-9,
        "value"
    );
}

#[test]
fn dense_solution_keeps_nodes_and_refuses_to_extrapolate() {
    let mut ramp = closure(1, |_t, _y, dy| dy[0] = 0.1);
    let mut settings = options(1e-6, 1e-9);
    settings.max_step = Some(25.0);
    let solution =
        solve(&mut ramp, 2000.0, &[200.0], 2100.0, &Save::Dense, &settings).expect("ramp");
    let dense = solution.dense.expect("asked for");
    for (t, y) in [
        (2000.0, 200.0),
        (2025.0, 202.5),
        (2050.0, 205.0),
        (2100.0, 210.0),
    ] {
        let value = dense.evaluate(t).expect("inside")[0];
        assert!((value - y).abs() < 1e-10, "y({t}) = {value}");
    }
    let below = 2100.0_f64.next_down();
    assert!(
        (dense.evaluate(below).expect("inside")[0] - 210.0).abs() < 1e-9,
        "just below the end"
    );
    for t in [2100.0 + 1e-9, 1999.0, f64::NAN] {
        let outside = dense.evaluate(t).expect_err("outside the span");
        assert_eq!(
            (outside.start, outside.end),
            (2000.0, 2100.0),
            "the error names the span"
        );
    }
}

#[test]
fn outputs_at_the_start_and_one_float_later() {
    let mut decay = closure(1, |_t, y, dy| dy[0] = -y[0]);
    let save = Save::Times(vec![0.0, 0.0_f64.next_up(), 0.5]);
    let solution = solve(&mut decay, 0.0, &[1.0], 1.0, &save, &Options::default()).expect("decay");
    assert_eq!(solution.state(0)[0], 1.0, "initial value exactly");
    assert!((solution.state(1)[0] - 1.0).abs() < 1e-14, "next float");
    let early = Save::Times(vec![-1.0]);
    let error = solve(&mut decay, 0.0, &[1.0], 1.0, &early, &Options::default())
        .expect_err("before the span");
    let expected = InputError::OutputTime {
        index: 0,
        value: -1.0,
        start: 0.0,
        end: 1.0,
    };
    assert_eq!(error, SolveError::Input(expected), "typed error");
}

#[test]
fn step_budget_keeps_what_was_computed() {
    let mut problem = closure(2, |_t, y, dy| {
        dy[0] = -4.0 * y[1];
        dy[1] = y[0];
    });
    let mut settings = options(1e-3, 1e-6);
    settings.max_steps = 3;
    let every = solve(
        &mut problem,
        0.0,
        &[0.0, 1.0],
        100.0,
        &Save::EveryStep,
        &settings,
    );
    let (failure, solution) = partial(every.expect_err("three steps are not enough"));
    assert!(
        matches!(failure, Failure::StepBudget { budget: 3, .. }),
        "{failure:?}"
    );
    assert!(
        (1..=4).contains(&solution.times.len()),
        "{} rows",
        solution.times.len()
    );
    for (row, &t) in solution.times.iter().enumerate() {
        let y = solution.state(row);
        assert!(
            (y[0] + 2.0 * (2.0 * t).sin()).abs() < 5e-3,
            "y1({t}) = {}",
            y[0]
        );
        assert!((y[1] - (2.0 * t).cos()).abs() < 5e-3, "y2({t}) = {}", y[1]);
    }
    let save = Save::Times(vec![0.0, 0.001, 50.0, 100.0]);
    let outputs = solve(&mut problem, 0.0, &[0.0, 1.0], 100.0, &save, &settings);
    let (_, solution) = partial(outputs.expect_err("three steps are not enough"));
    assert_eq!(solution.times, [0.0, 0.001], "only what was passed");
    let dense = solve(
        &mut problem,
        0.0,
        &[0.0, 1.0],
        100.0,
        &Save::Dense,
        &settings,
    );
    let (_, solution) = partial(dense.expect_err("three steps are not enough"));
    let dense = solution.dense.expect("valid part");
    let at = dense.evaluate(0.001).expect("inside");
    assert!((at[0] + 0.003_999_997_333_333_867).abs() < 1e-5, "dense y1");
    assert!(
        dense.evaluate(solution.last_time.next_up()).is_err(),
        "beyond the valid part"
    );
}

#[test]
fn singular_right_hand_side_ends_with_the_accepted_part() {
    let calls = std::cell::Cell::new(0_u32);
    let mut root = closure(1, |t: f64, _y: &[f64], dy: &mut [f64]| {
        calls.set(calls.get() + 1);
        dy[0] = -1.0 / (2.0 * (1.0 - t).sqrt());
    });
    let run = solve(
        &mut root,
        0.0,
        &[1.0],
        2.0,
        &Save::EveryStep,
        &options(1e-6, 1e-9),
    );
    let (failure, solution) = partial(run.expect_err("square root ends at one"));
    assert!(
        matches!(failure, Failure::StepUnderflow { component: 0, .. }),
        "{failure:?}"
    );
    assert!(
        (0.9..=1.0).contains(&solution.last_time),
        "reached {}",
        solution.last_time
    );
    for (row, &t) in solution
        .times
        .iter()
        .enumerate()
        .filter(|(_, t)| **t < 0.99)
    {
        let error = (solution.state(row)[0] - (1.0 - t).sqrt()).abs();
        assert!(error < 1e-4, "error {error:e} at {t}");
    }
    assert!(
        solution.states.iter().all(|y| y.is_finite()),
        "accepted states are finite"
    );
    assert!(calls.get() < 100_000, "{} evaluations", calls.get());
}

#[test]
fn inputs_that_are_not_finite_are_refused_before_any_evaluation() {
    let calls = std::cell::Cell::new(0_u32);
    let mut problem = closure(1, |_t: f64, y: &[f64], dy: &mut [f64]| {
        calls.set(calls.get() + 1);
        dy[0] = y[0];
    });
    let default = Options::default();
    for y0 in [f64::NAN, f64::INFINITY] {
        let error = solve(&mut problem, 0.0, &[y0], 1.0, &Save::Final, &default)
            .expect_err("initial state");
        let SolveError::Input(InputError::StateNotFinite { component: 0, .. }) = error else {
            panic!("{error:?}")
        };
    }
    let error =
        solve(&mut problem, 0.0, &[1.0], f64::NAN, &Save::Final, &default).expect_err("span");
    assert!(
        matches!(
            error,
            SolveError::Input(InputError::SpanNotFinite { which: "end", .. })
        ),
        "{error:?}"
    );
    let error = solve(&mut problem, 0.0, &[1.0, 2.0], 1.0, &Save::Final, &default)
        .expect_err("two components for one");
    assert_eq!(
        error,
        SolveError::Input(InputError::StateLength {
            found: 2,
            required: 1
        }),
        "length"
    );
    assert_eq!(calls.get(), 0, "no evaluation");
}

#[test]
fn each_component_has_its_own_scale_and_a_zero_component_is_harmless() {
    let tolerance = Tolerance::per_component(1e-8, &[1e-10, 1e-20, 0.0]).expect("valid");
    let mut problem = closure(3, |_t, y, dy| {
        dy[0] = -y[0];
        dy[1] = -2.0 * y[1];
        dy[2] = 0.0;
    });
    let settings = Options::with_tolerance(tolerance);
    let solution = solve(
        &mut problem,
        0.0,
        &[1.0, 1e-10, 0.0],
        5.0,
        &Save::Final,
        &settings,
    )
    .expect("zero weight with zero error");
    let y = &solution.last_state;
    assert!(
        (y[0] / 0.006_737_946_999_085_467 - 1.0).abs() < 1e-6,
        "y1 = {}",
        y[0]
    );
    assert!(
        (y[1] / 4.539_992_976_248_485e-15 - 1.0).abs() < 1e-6,
        "y2 = {:e}",
        y[1]
    );
    assert_eq!(y[2], 0.0, "y3");
    let mut rest = closure(3, |_t, _y, dy: &mut [f64]| dy.fill(0.0));
    let solution = solve(
        &mut rest,
        0.0,
        &[1.0; 3],
        5.0,
        &Save::Final,
        &options(1e-3, 1e-6),
    )
    .expect("at rest");
    assert!(
        solution.statistics.accepted <= 20,
        "{} steps",
        solution.statistics.accepted
    );
}

#[test]
fn tolerances_are_validated() {
    let mut problem = closure(3, |_t, _y, dy: &mut [f64]| dy.fill(0.0));
    let two = Tolerance::per_component(1e-6, &[1e-9, 1e-9]).expect("valid by itself");
    let error = solve(
        &mut problem,
        0.0,
        &[0.0; 3],
        1.0,
        &Save::Final,
        &Options::with_tolerance(two),
    )
    .expect_err("two tolerances for three components");
    assert_eq!(
        error,
        SolveError::Input(InputError::ToleranceCount {
            found: 2,
            required: 3
        }),
        "count"
    );
    for (relative, absolute) in [(1e-6, -1.0), (f64::NAN, 1e-9), (0.0, 0.0), (-1e-6, 1e-9)] {
        let error = Tolerance::new(relative, absolute).expect_err("not a tolerance");
        assert!(matches!(error, InputError::Tolerance { .. }), "{error:?}");
    }
    assert!(
        Tolerance::per_component(1e-6, &[]).is_err(),
        "no tolerance at all"
    );
}

#[test]
fn fatal_fault_stops_with_its_message() {
    struct Tank;
    impl Problem for Tank {
        fn dimension(&self) -> usize {
            1
        }
        fn rhs(&mut self, t: f64, _y: &[f64], dy: &mut [f64]) -> Result<(), bifrons_ode::Fault> {
            if t > 0.5 {
                return Err(bifrons_ode::Fault::Fatal("valve table ends at 0.5 s"));
            }
            dy[0] = 1.0;
            Ok(())
        }
    }
    let run = solve(
        &mut Tank,
        0.0,
        &[0.0],
        1.0,
        &Save::Final,
        &Options::default(),
    );
    let (failure, solution) = partial(run.expect_err("fatal"));
    assert!(
        matches!(
            failure,
            Failure::Fatal {
                message: "valve table ends at 0.5 s",
                ..
            }
        ),
        "{failure:?}"
    );
    assert!(solution.last_time <= 0.5, "valid part only");
}

#[test]
fn empty_span_returns_the_initial_state() {
    let save = Save::Times(vec![3.0, 3.0]);
    let mut panics = closure(1, |_t, _y, _dy: &mut [f64]| panic!("must not be called"));
    let solution =
        solve(&mut panics, 3.0, &[7.0], 3.0, &save, &Options::default()).expect("valid run");
    assert_eq!(solution.states, [7.0, 7.0], "both outputs at the start");
    assert_eq!(solution.statistics.rhs, 0, "no evaluation");
}

#[test]
fn saving_does_not_change_the_steps() {
    let times: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.01).collect();
    let run = |save: &Save| {
        solve(
            &mut oscillator(2.0),
            0.0,
            &[1.0, 0.0],
            10.0,
            save,
            &Options::default(),
        )
        .expect("smooth")
    };
    let reference = run(&Save::Final);
    for save in [Save::EveryStep, Save::Dense, Save::Times(times)] {
        let other = run(&save);
        assert_eq!(other.statistics, reference.statistics, "{save:?}");
        assert_eq!(
            other.last_state[0].to_bits(),
            reference.last_state[0].to_bits(),
            "{save:?}"
        );
    }
}

#[test]
fn fixed_and_dynamic_dimension_give_the_same_bits() {
    let rhs = |_t: f64, y: &[f64], dy: &mut [f64]| {
        dy[0] = 10.0 * (y[1] - y[0]);
        dy[1] = y[0] * (28.0 - y[2]) - y[1];
        dy[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
    };
    let y0 = [1.0, 0.0, 0.0];
    let settings = options(1e-8, 1e-8);
    let fixed = solve(
        &mut Closure::<_, 3>::fixed(rhs),
        0.0,
        &y0,
        5.0,
        &Save::Final,
        &settings,
    )
    .expect("Lorenz");
    let dynamic =
        solve(&mut closure(3, rhs), 0.0, &y0, 5.0, &Save::Final, &settings).expect("Lorenz");
    assert_eq!(fixed, dynamic, "same run");
    // Reference: 113-bit Radau IIA of order 17 at t = 5.
    let exact = [
        -6.974_570_472_684_818,
        -7.021_060_890_822_53,
        25.119_616_492_127_594,
    ];
    for (value, exact) in fixed.last_state.iter().zip(exact) {
        assert!((value - exact).abs() < 1e-4, "{value} against {exact}");
    }
}
