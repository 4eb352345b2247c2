//! Declared stops, outputs near them, ends of spans and of dense solutions (ode-10, ode-11, ode-18).

use std::cell::Cell;

use bifrons_ode::{Failure, InputError, Method, Options, Problem, Response, Save, SolveError};
use bifrons_ode::{closure, solve};

use crate::{ADAPTIVE, near, options, partial};

fn adding_one(count: &Cell<u32>) -> impl FnMut(&bifrons_ode::Event<'_>, &mut [f64]) -> Response {
    |event, y| {
        assert!(
            event.stop.is_some() && event.roots.is_empty(),
            "a stop: {event:?}"
        );
        count.set(count.get() + 1);
        y[0] += 1.0;
        Response::Reset
    }
}

/// ode-18 A: a stop between outputs.
#[test]
fn a_stop_between_outputs_acts_once() {
    for method in ADAPTIVE {
        let count = Cell::new(0);
        let mut problem =
            closure(1, |_t, y, dy: &mut [f64]| dy[0] = 0.5 * y[0]).with_events(adding_one(&count));
        let mut settings = options(method, 1e-10, 1e-13);
        settings.stops = vec![0.010_823];
        let save = Save::Times(vec![0.0, 0.009_477_7, 1.557_4]);
        let solution = solve(&mut problem, -1.0, &[0.0], 3.0, &save, &settings).expect("growth");
        assert_eq!(count.get(), 1, "{method:?}");
        near(solution.state(0)[0], 0.0, 1e-12, "before");
        near(solution.state(1)[0], 0.0, 1e-12, "just before");
        near(
            solution.state(2)[0],
            2.166_880_336_029_106_2,
            1e-8 * 2.2,
            method.name(),
        );
        near(
            solution.last_state[0],
            4.457_501_913_359_292,
            1e-8 * 4.5,
            method.name(),
        );
    }
}

/// ode-18 B, C, D: stops by repeated addition, at outputs, twice in the list.
#[test]
fn stops_at_outputs_and_doubled_stops_act_once() {
    let mut stops = Vec::new();
    let mut t = 0.0;
    for _ in 0..4 {
        t += 0.7;
        stops.push(t);
    }
    for method in ADAPTIVE {
        let count = Cell::new(0);
        let mut still =
            closure(1, |_t, _y, dy: &mut [f64]| dy[0] = 0.0).with_events(adding_one(&count));
        let mut settings = options(method, 1e-6, 1e-9);
        settings.stops.clone_from(&stops);
        let save = Save::Times(vec![0.7, 1.4, 2.1, 2.8]);
        let solution = solve(&mut still, -1.0, &[0.0], 3.0, &save, &settings).expect("still");
        assert_eq!(
            (count.get(), solution.last_state[0]),
            (4, 4.0),
            "{method:?}"
        );
        assert_eq!(solution.times.len(), 4, "one row per output");
        settings.stops = vec![1.0, 2.0, 1.0];
        for save in [Save::Times(vec![1.0]), Save::EveryStep] {
            count.set(0);
            let solution = solve(&mut still, -1.0, &[0.0], 3.0, &save, &settings).expect("still");
            assert_eq!(count.get(), 2, "{method:?} {save:?}");
            let rows: Vec<_> = (0..solution.times.len())
                .filter(|&row| solution.times[row] == 1.0)
                .map(|row| solution.state(row)[0])
                .collect();
            assert_eq!(rows[0], 0.0, "the row before");
            assert!(
                rows.len() == 1 || rows[1..] == [1.0],
                "the row after: {rows:?}"
            );
            let event = solution.events.get(0).expect("stop");
            assert_eq!(
                (event.before[0], event.after[0], event.stop),
                (0.0, 1.0, Some(0))
            );
        }
    }
}

/// ode-18 E: stops outside the span.
#[test]
fn stops_outside_the_span_are_refused() {
    for (stop, index) in [(-2.0, 1), (5.0, 1), (f64::NAN, 1)] {
        let mut problem = closure(1, |_t, _y, _dy: &mut [f64]| panic!("must not be called"));
        let mut settings = Options::default();
        settings.stops = vec![0.0, stop];
        let error =
            solve(&mut problem, -1.0, &[0.0], 3.0, &Save::Final, &settings).expect_err("outside");
        let SolveError::Input(InputError::StopTime {
            index: found,
            start: -1.0,
            end: 3.0,
            ..
        }) = error
        else {
            panic!("{error:?}")
        };
        assert_eq!(found, index);
    }
}

/// ode-18 F: a thousand stops far from zero, forwards and backwards.
#[test]
fn a_thousand_stops_far_from_zero() {
    for (start, end) in [(1e6, 1e6 + 1.0), (1e6 + 1.0, 1e6)] {
        let count = Cell::new(0);
        let mut still =
            closure(1, |_t, _y, dy: &mut [f64]| dy[0] = 0.0).with_events(adding_one(&count));
        let mut settings = Options::default();
        settings.stops = (1..=1000).map(|k| 1e6 + 1e-3 * f64::from(k)).collect();
        let solution =
            solve(&mut still, start, &[0.0], end, &Save::Final, &settings).expect("still");
        assert_eq!((count.get(), solution.last_state[0]), (1000, 1000.0));
        assert_eq!(solution.last_time, end);
    }
}

/// A right-hand side that jumps at a declared stop is exact for a method that is exact on both
/// sides: no stage sees the wrong side, the probe of the first step neither.
#[test]
fn derivatives_stay_on_their_side_of_a_stop() {
    for method in ADAPTIVE.into_iter().chain([Method::Rk4 { step: 0.3 }]) {
        for (t0, y0, t_end, exact) in [(0.0, 0.0, 2.0, 101.0), (2.0, 101.0, 0.0, 0.0)] {
            let mut jump = closure(1, move |t: f64, _y, dy: &mut [f64]| {
                // Right-continuous along the direction of the run.
                let after = if t_end > t0 { t >= 1.0 } else { t > 1.0 };
                dy[0] = if after { 100.0 } else { 1.0 };
            });
            let mut settings = options(method, 1e-10, 1e-10);
            settings.stops = vec![1.0];
            let solution =
                solve(&mut jump, t0, &[y0], t_end, &Save::Final, &settings).expect("two ramps");
            near(solution.last_state[0], exact, 1e-11, method.name());
            assert_eq!(solution.statistics.rejected, 0, "{method:?}");
        }
    }
}

/// ode-10 for every method: the step budget keeps the valid part.
#[test]
fn the_step_budget_keeps_the_valid_part() {
    for method in ADAPTIVE {
        let mut settings = options(method, 1e-3, 1e-6);
        settings.max_steps = 3;
        let run = |save: Save| {
            let mut problem = closure(2, |_t, y, dy: &mut [f64]| {
                dy[0] = -4.0 * y[1];
                dy[1] = y[0];
            });
            partial(
                solve(&mut problem, 0.0, &[0.0, 1.0], 100.0, &save, &settings)
                    .expect_err("three steps are not enough"),
            )
        };
        let (failure, solution) = run(Save::EveryStep);
        assert!(
            matches!(failure, Failure::StepBudget { budget: 3, .. }),
            "{failure:?}"
        );
        assert!((1..=4).contains(&solution.times.len()));
        for (row, &t) in solution.times.iter().enumerate() {
            let y = solution.state(row);
            near(y[0], -2.0 * (2.0 * t).sin(), 5e-3, method.name());
            near(y[1], (2.0 * t).cos(), 5e-3, method.name());
        }
        let (_, solution) = run(Save::Times(vec![0.0, 0.001, 50.0, 100.0]));
        assert_eq!(solution.times, [0.0, 0.001], "only what was passed");
        let (_, solution) = run(Save::Dense);
        let dense = solution.dense.expect("valid part");
        let y = dense.evaluate(0.001).expect("inside");
        near(y[0], -0.003_999_997_333_333_867, 1e-5, method.name());
        near(y[1], 0.999_998_000_000_666_6, 1e-5, method.name());
        assert!(
            dense.evaluate(solution.last_time.next_up()).is_err(),
            "beyond"
        );
    }
}

/// ode-11 for every method: ends and nodes.
#[test]
fn ends_and_nodes_are_exact() {
    for method in ADAPTIVE {
        let settings = options(method, 1e-3, 1e-6);
        let times: Vec<f64> = (0..=10).map(|k| f64::from(k) * 0.1).collect();
        let mut decay = closure(1, |_t, y, dy: &mut [f64]| dy[0] = -y[0]);
        let run = solve(&mut decay, 0.0, &[1.0], 1.0, &Save::Times(times), &settings);
        let solution = run.expect("decay");
        assert_eq!((solution.times.len(), solution.times[10]), (11, 1.0));
        near(solution.state(10)[0], (-1.0_f64).exp(), 2e-3, method.name());

        let slope = -2.0 * std::f64::consts::PI / 35.0;
        let times: Vec<f64> = (0..=100).map(|k| -23.8 * f64::from(k) / 100.0).collect();
        let mut ramp = closure(1, move |_t, _y, dy: &mut [f64]| dy[0] = slope);
        let run = solve(
            &mut ramp,
            0.0,
            &[0.0],
            -23.8,
            &Save::Times(times),
            &settings,
        );
        let solution = run.expect("ramp");
        assert_eq!((solution.times.len(), solution.times[100]), (101, -23.8));
        near(
            solution.last_state[0] / 4.272_566_008_882_119,
            1.0,
            1e-9,
            method.name(),
        );

        let save = Save::Times(vec![0.0, 0.0_f64.next_up()]);
        let solution = solve(&mut decay, 0.0, &[1.0], 1.0, &save, &settings).expect("decay");
        assert_eq!(solution.state(0)[0], 1.0, "start");
        near(solution.state(1)[0], 1.0, 1e-14, "next float");
        let error = solve(
            &mut decay,
            0.0,
            &[1.0],
            1.0,
            &Save::Times(vec![-1.0]),
            &settings,
        )
        .expect_err("before the span");
        assert!(matches!(
            error,
            SolveError::Input(InputError::OutputTime { index: 0, .. })
        ));
    }
}

/// ode-11 C for every method: the dense solution at nodes, just below the end and outside.
#[test]
fn dense_solutions_are_exact_at_nodes_and_refuse_to_extrapolate() {
    for method in ADAPTIVE {
        let settings = options(method, 1e-3, 1e-6);
        let mut slow = closure(1, |_t, _y, dy: &mut [f64]| dy[0] = 0.1);
        let mut quarters = settings.clone();
        quarters.max_step = Some(25.0);
        let run = solve(&mut slow, 2000.0, &[200.0], 2100.0, &Save::Dense, &quarters);
        let dense = run.expect("ramp").dense.expect("asked for");
        for (t, y) in [
            (2000.0, 200.0),
            (2025.0, 202.5),
            (2050.0, 205.0),
            (2100.0, 210.0),
        ] {
            near(
                dense.evaluate(t).expect("inside")[0],
                y,
                1e-10,
                method.name(),
            );
        }
        near(
            dense.evaluate(2100.0_f64.next_down()).expect("inside")[0],
            210.0,
            1e-9,
            "below",
        );
        for t in [2100.0 + 1e-9, 1999.0] {
            dense.evaluate(t).expect_err("outside");
        }
    }
}

/// A span of no length: no evaluation, the stop at it acts.
#[test]
fn a_span_of_no_length() {
    for method in ADAPTIVE {
        let count = Cell::new(0);
        let mut problem = closure(1, |_t, _y, _dy: &mut [f64]| panic!("must not be called"))
            .with_events(adding_one(&count));
        let mut settings = options(method, 1e-6, 1e-9);
        settings.stops = vec![3.0];
        let solution = solve(&mut problem, 3.0, &[7.0], 3.0, &Save::EveryStep, &settings)
            .expect("nothing to do");
        assert_eq!(
            (solution.times, solution.states),
            (vec![3.0, 3.0], vec![7.0, 8.0])
        );
        assert_eq!(count.get(), 1);
    }
}
