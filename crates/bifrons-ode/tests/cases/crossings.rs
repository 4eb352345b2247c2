//! Where crossings are seen, and where they are not: at the start, at ends of steps, in pairs.

use bifrons_ode::{Crossing, Method, Options, Outcome, Problem, Response, RootRule, Save};
use bifrons_ode::{InputError, SolveError, closure, solve};

use crate::{ADAPTIVE, event_times, near, options};

const G: f64 = 9.81;

fn falling_body() -> impl Problem {
    closure(2, |_t, y, dy| {
        dy[0] = y[1];
        dy[1] = -G;
    })
}

/// ode-01 A: leaving the surface at the start is no crossing.
#[test]
fn a_start_on_the_surface_is_armed_once_it_has_left() {
    let landing = 2.0 * 10.0 / G;
    for rule in [Crossing::Falling, Crossing::Either] {
        for method in ADAPTIVE.into_iter().chain([Method::Rk4 { step: 0.1 }]) {
            let mut problem = falling_body()
                .with_roots(1, |_t, y, g| g[0] = y[0])
                .with_rule(RootRule::new(rule).terminal());
            let settings = options(method, 1e-9, 1e-12);
            let run = solve(
                &mut problem,
                0.0,
                &[0.0, 10.0],
                3.0,
                &Save::EveryStep,
                &settings,
            );
            let solution = run.expect("ends on the ground");
            assert_eq!(solution.outcome, Outcome::Terminated, "{method:?}");
            assert_eq!(solution.events.len(), 1, "{method:?}: one event");
            near(solution.last_time, landing, 1e-8, method.name());
            near(solution.last_state[1], -10.0, 1e-7, method.name());
            assert_eq!(
                solution.times.last(),
                Some(&solution.last_time),
                "one end row"
            );
            assert!(
                solution.times.is_sorted_by(|a, b| a < b),
                "strictly increasing"
            );
        }
    }
}

/// ode-01 B with the option: a record at the start is marked as no crossing.
#[test]
fn a_function_may_fire_at_the_start_and_is_marked_so() {
    let mut problem = falling_body()
        .with_roots(1, |_t, y, g| g[0] = y[0])
        .with_rule(RootRule::new(Crossing::Either).firing_at_start());
    let settings = options(Method::Dopri5, 1e-9, 1e-12);
    let run = solve(
        &mut problem,
        0.0,
        &[0.0, 10.0],
        3.0,
        &Save::Final,
        &settings,
    );
    let solution = run.expect("flies on below the ground");
    let first = solution.events.get(0).expect("at the start");
    assert_eq!((first.t, first.roots[0].crossing), (0.0, Crossing::Either));
    let second = solution.events.get(1).expect("landing");
    assert_eq!(
        second.roots[0].crossing,
        Crossing::Falling,
        "first crossing"
    );
    near(second.t, 2.0 * 10.0 / G, 1e-8, "first crossing");
    assert_eq!(solution.events.len(), 2, "nothing else");
}

/// ode-01 C: the steady state is there at the start.
#[test]
fn a_terminal_condition_that_holds_at_the_start_ends_there() {
    for save in [Save::EveryStep, Save::Final, Save::Times(vec![0.0, 1.0])] {
        let mut problem = closure(1, |_t, _y, dy: &mut [f64]| dy[0] = 0.0)
            .with_roots(1, |_t, y, g| g[0] = 1e-6 * y[0].abs() + 1e-6)
            .with_rule(RootRule::new(Crossing::Rising).terminal().firing_at_start());
        let run = solve(&mut problem, 0.0, &[10.0], 1.2, &save, &Options::default());
        let solution = run.expect("steady");
        assert_eq!(solution.outcome, Outcome::Terminated, "{save:?}");
        assert_eq!((solution.last_time, solution.last_state[0]), (0.0, 10.0));
        assert_eq!(solution.statistics.rhs, 0, "no evaluation");
        if save != Save::Final {
            assert_eq!(solution.times, [0.0], "the row at the start");
        }
    }
}

fn ramp_to_half() -> impl Problem {
    closure(1, |_t, _y, dy: &mut [f64]| dy[0] = 1.0).with_roots(1, |_t, y, g| g[0] = y[0] - 0.5)
}

const QUARTER: Method = Method::Rk4 { step: 0.25 };

/// ode-02 A, C, D: a root exactly at the end of a step, of the span, and at a restart.
#[test]
fn a_root_at_the_end_of_a_step_counts_once() {
    let terminal = |t_end| {
        let mut problem = closure(1, |_t, _y, dy: &mut [f64]| dy[0] = 1.0)
            .with_roots(1, |_t, y, g| g[0] = y[0] - 0.5)
            .with_rule(RootRule::default().terminal());
        let settings = options(QUARTER, 1e-6, 1e-9);
        solve(
            &mut problem,
            0.0,
            &[0.0],
            t_end,
            &Save::EveryStep,
            &settings,
        )
        .expect("ramp")
    };
    for t_end in [2.25, 0.5] {
        let solution = terminal(t_end);
        assert_eq!(event_times(&solution), [0.5], "end {t_end}");
        assert_eq!(solution.times, [0.0, 0.25, 0.5], "rows");
        assert_eq!(
            solution.outcome,
            Outcome::Terminated,
            "an event at the end counts"
        );
    }
    let stopped = terminal(2.25);
    let mut settings = options(QUARTER, 1e-6, 1e-9);
    settings.stops = vec![0.5];
    let again = solve(
        &mut ramp_to_half(),
        stopped.last_time,
        &stopped.last_state,
        2.25,
        &Save::EveryStep,
        &settings,
    )
    .expect("goes on");
    assert_eq!(
        again.events.iter().filter(|e| !e.roots.is_empty()).count(),
        0
    );
    assert_eq!(again.last_time, 2.25, "end");
    near(again.last_state[0], 2.25, 1e-13, "state");
    assert!(again.times.is_sorted_by(|a, b| a < b), "time goes forward");
}

/// ode-02 B: resets at ends of steps.
#[test]
fn resets_at_ends_of_steps() {
    let mut problem = ramp_to_half().with_events(|_event, y| {
        y[0] = 0.0;
        Response::Reset
    });
    let settings = options(QUARTER, 1e-6, 1e-9);
    let run = solve(&mut problem, 0.0, &[0.0], 2.25, &Save::EveryStep, &settings);
    let solution = run.expect("saw tooth");
    assert_eq!(event_times(&solution), [0.5, 1.0, 1.5, 2.0], "resets");
    near(solution.last_state[0], 0.25, 1e-13, "end");
    let at_half = solution.times.iter().filter(|&&t| t == 0.5).count();
    assert_eq!(at_half, 2, "one row before and one after");
}

/// ode-04 A, B: three roots, two of them in one step.
#[test]
fn pairs_of_roots_in_one_step_are_found() {
    for method in ADAPTIVE {
        let mut cubic = closure(1, |t, _y, dy: &mut [f64]| {
            dy[0] = 3.0 * t * t + 12.0 * t - 4.0;
        })
        .with_roots(1, |_t, y, g| g[0] = y[0]);
        let settings = options(method, 1e-3, 1e-6);
        let run = solve(&mut cubic, -8.0, &[-120.0], 4.0, &Save::Final, &settings);
        let solution = run.expect("cubic");
        let found: Vec<_> = solution
            .events
            .iter()
            .map(|event| (event.t, event.roots[0].crossing))
            .collect();
        assert_eq!(found.len(), 3, "{method:?}: {found:?}");
        let wanted = [
            (-6.0, Crossing::Rising),
            (-2.0, Crossing::Falling),
            (2.0, Crossing::Rising),
        ];
        for ((t, crossing), (exact, direction)) in found.into_iter().zip(wanted) {
            let tolerance = if method == Method::Bs32 { 5e-3 } else { 1e-4 };
            near(t, exact, tolerance, method.name());
            assert_eq!(crossing, direction, "{method:?} at {exact}");
        }
        let mut line =
            closure(1, |_t, _y, dy: &mut [f64]| dy[0] = 1.0).with_roots(1, |_t, y, g| {
                g[0] = (2.5 - y[0]) * (5.0 - y[0]) * (0.0 - y[0]);
            });
        let solution = solve(&mut line, 0.0, &[-1.0], 7.0, &Save::Final, &settings).expect("line");
        let times = event_times(&solution);
        assert_eq!(times.len(), 3, "{method:?}: {times:?}");
        for (t, exact) in times.into_iter().zip([1.0, 3.5, 6.0]) {
            near(t, exact, 1e-6, method.name());
        }
    }
}

/// ode-04 C: a function that touches zero gives one record at most.
#[test]
fn a_touching_root_counts_once_at_most() {
    for method in ADAPTIVE {
        let mut touching = closure(1, |t, _y, dy: &mut [f64]| dy[0] = 2.0 * (t - 1.0))
            .with_roots(1, |_t, y, g| g[0] = y[0]);
        for relative in [1e-3, 1e-6, 1e-9] {
            let settings = options(method, relative, 1e-3 * relative);
            let run = solve(&mut touching, 0.0, &[1.0], 3.0, &Save::Final, &settings);
            let times = event_times(&run.expect("parabola"));
            let near_one = times.iter().all(|t| (t - 1.0).abs() < 1e-3);
            assert!(
                near_one && times.len() <= 1,
                "{method:?} {relative}: {times:?}"
            );
        }
    }
}

/// ode-05: an event before the first requested output.
#[test]
fn an_event_before_the_first_output_leaves_well_shaped_rows() {
    for (outputs, rows) in [
        (vec![33.0, 66.0, 99.0], vec![33.0]),
        (vec![66.0], vec![]),
        (vec![], vec![]),
    ] {
        let mut problem = closure(2, |_t, y, dy: &mut [f64]| {
            dy[0] = y[1];
            dy[1] = -0.5;
        })
        .with_roots(1, |_t, y, g| g[0] = y[0])
        .with_rule(RootRule::new(Crossing::Falling).terminal());
        let settings = Options::default();
        let run = solve(
            &mut problem,
            0.0,
            &[0.0, 10.0],
            100.0,
            &Save::Times(outputs),
            &settings,
        );
        let solution = run.expect("lands");
        assert_eq!(solution.outcome, Outcome::Terminated);
        assert_eq!(solution.times, rows);
        assert_eq!(solution.states.len(), 2 * rows.len());
        if !rows.is_empty() {
            near(solution.state(0)[0], 57.75, 1e-6, "position at 33");
            near(solution.state(0)[1], -6.5, 1e-6, "velocity at 33");
        }
        let event = solution.events.last().expect("landing");
        assert_eq!(solution.events.len(), 1, "once");
        near(event.t, 40.0, 1e-7, "landing");
        near(event.before[0], 0.0, 1e-6, "on the ground");
        near(event.before[1], -10.0, 1e-6, "velocity");
    }
}

/// ode-07: backwards, in the order of integration, directions seen along it.
#[test]
fn backward_runs_see_events_in_their_order() {
    use std::f64::consts::PI;
    let run = |rule: RootRule, save: Save, method| {
        let mut problem = closure(1, |t: f64, _y, dy: &mut [f64]| dy[0] = t.cos())
            .with_roots(1, |_t, y, g| g[0] = y[0])
            .with_rule(rule);
        let y0 = [-0.544_021_110_889_369_8];
        solve(
            &mut problem,
            10.0,
            &y0,
            0.5,
            &save,
            &options(method, 1e-9, 1e-12),
        )
    };
    for method in ADAPTIVE {
        let outputs = Save::Times(vec![10.0, 7.5, 5.0, 0.5]);
        let solution = run(RootRule::default(), outputs, method).expect("sine");
        let exact = [
            -0.544_021_110_889_369_8,
            0.937_999_976_774_738_9,
            -0.958_924_274_663_138_5,
            0.479_425_538_604_203,
        ];
        assert_eq!(solution.times, [10.0, 7.5, 5.0, 0.5], "outputs");
        for (y, exact) in solution.states.iter().zip(exact) {
            near(*y, exact, 1e-7, method.name());
        }
        let times = event_times(&solution);
        assert_eq!(times.len(), 3, "{times:?}");
        for (t, exact) in times.iter().zip([3.0 * PI, 2.0 * PI, PI]) {
            near(*t, exact, 1e-7, method.name());
        }
        // At 3 pi the sine falls with t, so it rises along a backward run.
        let rising = run(RootRule::new(Crossing::Rising), Save::Dense, method).expect("sine");
        let falling = run(RootRule::new(Crossing::Falling), Save::Final, method).expect("sine");
        assert_eq!(event_times(&rising), [times[0], times[2]], "rising");
        assert_eq!(event_times(&falling), [times[1]], "falling");
        let dense = rising.dense.expect("asked for");
        near(
            dense.evaluate(2.0).expect("inside")[0],
            2.0_f64.sin(),
            1e-6,
            "dense",
        );
    }
    for (save, index) in [(vec![0.5, 5.0], 1), (vec![11.0], 0)] {
        let error = run(RootRule::default(), Save::Times(save), Method::Dopri5)
            .expect_err("against the run, or outside");
        let SolveError::Input(InputError::OutputTime { index: found, .. }) = error else {
            panic!("{error:?}")
        };
        assert_eq!(found, index);
    }
}

/// Several functions at one instant come in one call, by ascending index; a reset restarts.
#[test]
fn simultaneous_functions_come_together() {
    for method in ADAPTIVE {
        let mut calls = Vec::new();
        let mut problem = closure(1, |_t, _y, dy: &mut [f64]| dy[0] = 1.0)
            .with_roots(3, |t, y, g| {
                g[0] = 1.5 - y[0];
                g[1] = y[0] - 0.5;
                g[2] = 3.0 * (t - 0.5);
            })
            .with_events(|event, _y| {
                calls.push((
                    event.t,
                    event.roots.iter().map(|r| r.index).collect::<Vec<_>>(),
                ));
                Response::Continue
            });
        let settings = options(method, 1e-6, 1e-9);
        solve(&mut problem, 0.0, &[0.0], 2.0, &Save::Final, &settings).expect("ramp");
        assert_eq!(calls.len(), 2, "{calls:?}");
        assert_eq!(calls[0].1, [1, 2], "together");
        assert_eq!(calls[1].1, [0], "later");
        near(calls[0].0, 0.5, 1e-12, "first");
        near(calls[1].0, 1.5, 1e-9, "second");
    }
}

/// A function that is zero all the time never fires and is no error.
#[test]
fn a_function_that_stays_zero_is_silent() {
    let mut problem =
        closure(1, |_t, y, dy: &mut [f64]| dy[0] = -y[0]).with_roots(2, |t, _y, g| {
            g[0] = 0.0;
            g[1] = (t - 1.0).max(0.0);
        });
    let run = solve(
        &mut problem,
        0.0,
        &[1.0],
        2.0,
        &Save::Final,
        &Options::default(),
    );
    let solution = run.expect("decay");
    assert!(solution.events.is_empty(), "{:?}", solution.events);
    assert!(solution.statistics.disarmed > 0, "counted");
}

/// Watching changes no step, whatever the number of parts.
#[test]
fn watching_changes_no_bit() {
    let rhs = |_t: f64, y: &[f64], dy: &mut [f64]| {
        dy[0] = y[1];
        dy[1] = -y[0];
    };
    let plain = solve(
        &mut closure(2, rhs),
        0.0,
        &[1.0, 0.0],
        9.0,
        &Save::Dense,
        &Options::default(),
    )
    .expect("oscillator");
    for parts in [0, 1, 8, 100] {
        let mut settings = Options::default();
        settings.root_parts = parts;
        let mut watched = closure(2, rhs).with_roots(1, |_t, y, g| g[0] = y[0]);
        let run = solve(&mut watched, 0.0, &[1.0, 0.0], 9.0, &Save::Dense, &settings);
        let watched = run.expect("oscillator");
        assert_eq!(watched.dense, plain.dense, "{parts} parts");
        assert_eq!(watched.last_state, plain.last_state);
        assert_eq!(watched.statistics.rhs, plain.statistics.rhs);
        for (event, k) in watched.events.iter().zip(0..) {
            let exact = std::f64::consts::PI * (0.5 + f64::from(k));
            near(event.t, exact, 1e-5, "zero of the cosine");
        }
        assert_eq!(watched.events.len(), 3);
    }
}

/// A run without an end is ended by its event.
#[test]
fn an_infinite_span_needs_an_event() {
    let mut decay = closure(1, |_t, y, dy: &mut [f64]| dy[0] = -y[0])
        .with_roots(1, |_t, y, g| g[0] = y[0] - 1e-3)
        .with_rule(RootRule::default().terminal());
    let settings = options(Method::Dopri5, 1e-9, 1e-12);
    let run = solve(
        &mut decay,
        0.0,
        &[1.0],
        f64::INFINITY,
        &Save::Final,
        &settings,
    );
    near(run.expect("falls").last_time, 1000.0_f64.ln(), 1e-7, "time");
    let mut plain = closure(1, |_t, y, dy: &mut [f64]| dy[0] = -y[0]);
    let run = solve(
        &mut plain,
        0.0,
        &[1.0],
        f64::INFINITY,
        &Save::Final,
        &settings,
    );
    assert!(matches!(
        run,
        Err(SolveError::Input(InputError::SpanNotFinite { .. }))
    ));
}
