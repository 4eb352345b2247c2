//! Impacts that accumulate and states that chatter (ode-14, ode-15).

use std::cell::Cell;

use bifrons_ode::{Crossing, Failure, Method, Options, Problem, Response, RootRule, Save};
use bifrons_ode::{closure, solve};

use crate::{ADAPTIVE, event_times, near, options, partial};

/// ode-15: every bounce until the accumulation, which is named; nothing below the floor.
#[test]
fn a_bouncing_ball_ends_at_its_accumulation() {
    let first = (2.0_f64 / 9.8).sqrt();
    for method in ADAPTIVE {
        for rule in [Crossing::Falling, Crossing::Either] {
            for restitution in [0.5, 0.8, 0.1] {
                let mut ball = closure(2, |_t, y, dy: &mut [f64]| {
                    dy[0] = y[1];
                    dy[1] = -9.8;
                })
                .with_roots(1, |_t, y, g| g[0] = y[0])
                .with_rule(RootRule::new(rule))
                .with_events(move |_event, y| {
                    y[1] *= -restitution;
                    Response::Reset
                });
                let settings = options(method, 1e-9, 1e-12);
                let run = solve(
                    &mut ball,
                    0.0,
                    &[1.0, 0.0],
                    4.5,
                    &Save::EveryStep,
                    &settings,
                );
                let what = format!("{method:?} {rule:?} {restitution}");
                let (failure, solution) = partial(run.expect_err("accumulates"));
                assert!(
                    matches!(failure, Failure::EventAccumulation { root: 0, .. }),
                    "{what}: {failure:?}"
                );
                let times = event_times(&solution);
                let mut exact = first;
                let mut hop = 2.0 * first;
                for (k, t) in times.iter().enumerate() {
                    near(*t, exact, 1e-7, &format!("{what}, impact {k}"));
                    hop *= restitution;
                    exact += hop;
                }
                assert!(times.len() >= 10, "{what}: {} impacts", times.len());
                let accumulation = first * (1.0 + restitution) / (1.0 - restitution);
                near(solution.last_time, accumulation, 1e-6, &what);
                for row in 0..solution.times.len() {
                    assert!(
                        solution.state(row)[0] > -1e-9,
                        "{what}: {:?}",
                        solution.state(row)
                    );
                }
                assert!(solution.times.is_sorted(), "{what}: time goes forward");
            }
        }
    }
}

/// A ball that loses nothing may bounce as often as it likes.
#[test]
fn bounces_without_loss_are_no_accumulation() {
    let mut ball = closure(2, |_t, y, dy: &mut [f64]| {
        dy[0] = y[1];
        dy[1] = -9.8;
    })
    .with_roots(1, |_t, y, g| g[0] = y[0])
    .with_events(|_event, y| {
        y[1] = -y[1];
        Response::Reset
    });
    let settings = options(Method::Dopri5, 1e-9, 1e-12);
    let run = solve(&mut ball, 0.0, &[1.0, 0.0], 500.0, &Save::Final, &settings);
    let solution = run.expect("bounces on");
    let first = (2.0_f64 / 9.8).sqrt();
    let count = (500.0 - first) / (2.0 * first) + 1.0;
    assert_eq!(solution.events.len() as f64, count.floor());
}

/// ode-14: two fields push to one surface. Announced by the handler, and not announced at all.
#[test]
fn chattering_is_named_or_slides() {
    for method in ADAPTIVE {
        for announced in [true, false] {
            let above = Cell::new(true);
            let mut problem = closure(2, |_t, y, dy: &mut [f64]| {
                let first = if announced { above.get() } else { y[0] > y[1] };
                (dy[0], dy[1]) = if first { (-3.0, 2.0) } else { (1.0, -1.0) };
            })
            .with_roots(1, |_t, y, g| g[0] = y[0] - y[1])
            .with_events(|event, _y| {
                above.set(event.roots[0].crossing == Crossing::Rising);
                if announced {
                    Response::Kink
                } else {
                    Response::Continue
                }
            });
            let settings = options(method, 1e-6, 1e-9);
            let run = solve(
                &mut problem,
                0.0,
                &[2.0, 0.5],
                1.0,
                &Save::EveryStep,
                &settings,
            );
            let what = format!("{method:?}, announced: {announced}");
            match run {
                Err(error) => {
                    let (failure, solution) = partial(error);
                    let Failure::EventAccumulation { root: 0, .. } = failure else {
                        panic!("{what}: {failure:?}")
                    };
                    let events = event_times(&solution);
                    near(events[0], 0.3, 1e-7, &what);
                    near(
                        solution.events.get(0).expect("contact").before[0],
                        1.1,
                        1e-6,
                        &what,
                    );
                    assert!(events.len() < 1000, "{what}: {} events", events.len());
                    near(solution.last_time, 0.3, 1e-3, &what);
                }
                Ok(solution) => {
                    near(solution.last_state[0], 1.0, 1e-3, &what);
                    near(solution.last_state[1], 1.0, 1e-3, &what);
                    assert!(!announced, "{what}: must be named");
                }
            }
        }
    }
}

/// A reset that carries another function across zero lets that one act at the same instant.
#[test]
fn resets_cascade_within_one_instant() {
    let mut calls = Vec::new();
    let mut problem = closure(2, |_t, _y, dy: &mut [f64]| {
        dy[0] = 1.0;
        dy[1] = 0.0;
    })
    .with_roots(2, |_t, y, g| {
        g[0] = y[0] - 0.5;
        g[1] = y[1] - 5.0;
    })
    .with_events(|event, y| {
        calls.push((event.t, event.roots[0].index));
        if event.roots[0].index == 0 {
            (y[0], y[1]) = (0.0, 9.0);
        } else {
            y[1] = 0.0;
        }
        Response::Reset
    });
    let run = solve(
        &mut problem,
        0.0,
        &[0.0, 0.0],
        0.9,
        &Save::Final,
        &Options::default(),
    );
    let solution = run.expect("one reset");
    drop(problem);
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert_eq!((calls[0].1, calls[1].1), (0, 1));
    assert_eq!(calls[0].0, calls[1].0, "one instant");
    near(solution.last_state[0], 0.4, 1e-9, "after the reset");
    assert_eq!(solution.last_state[1], 0.0);
}

/// Two handlers that undo each other at one instant are stopped and named.
#[test]
fn a_cycle_within_one_instant_is_named() {
    let mut problem = closure(1, |_t, _y, dy: &mut [f64]| dy[0] = 1.0)
        .with_roots(2, |_t, y, g| {
            g[0] = y[0] - 0.5;
            g[1] = 0.25 - y[0];
        })
        .with_rule(RootRule::new(Crossing::Rising))
        .with_events(|event, y| {
            y[0] = if event.roots[0].index == 0 { 0.0 } else { 1.0 };
            Response::Reset
        });
    let run = solve(
        &mut problem,
        0.0,
        &[0.3],
        1.0,
        &Save::EveryStep,
        &Options::default(),
    );
    let (failure, solution) = partial(run.expect_err("goes on for ever"));
    assert!(
        matches!(failure, Failure::EventAccumulation { .. }),
        "{failure:?}"
    );
    near(solution.last_time, 0.2, 1e-9, "at the first crossing");
    assert!(solution.events.len() < 300, "{}", solution.events.len());
}
