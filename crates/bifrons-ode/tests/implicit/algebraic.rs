//! Events, resets and guesses under algebraic equations (cases dae-11 and dae-12).

use bifrons_ode::{
    Crossing, Failure, Initialisation, Problem, Response, RootRule, Save, SolveError, closure,
    solve,
};

use super::{METHODS, half, options};

/// Fired events `(t, z)` of `x' = rate`, `0 = z − x²`, guard `z − 1/4`.
fn parabola(method: bifrons_ode::Method, rate: f64, x0: f64, crossing: Crossing) -> Vec<[f64; 2]> {
    let mut found = Vec::new();
    let mut problem = closure(2, |_t, y, f: &mut [f64]| {
        f[0] = rate;
        f[1] = y[1] - y[0] * y[0];
    })
    .with_mass(half())
    .with_roots(1, |_t, y, g: &mut [f64]| g[0] = y[1] - 0.25)
    .with_rule(RootRule::new(crossing))
    .with_events(|event, y: &mut [f64]| {
        found.push([event.t, y[1]]);
        Response::Continue
    });
    let settings = options(method, 1e-9, 1e-10);
    solve(
        &mut problem,
        0.0,
        &[x0, x0 * x0],
        1.0,
        &Save::Final,
        &settings,
    )
    .unwrap();
    found
}

#[test]
fn guards_fire_in_their_direction() {
    for method in METHODS {
        for (rate, x0, passing, other) in [
            (1.0, 0.0, Crossing::Rising, Crossing::Falling),
            (-1.0, 1.0, Crossing::Falling, Crossing::Rising),
        ] {
            for crossing in [Crossing::Either, passing] {
                let found = parabola(method, rate, x0, crossing);
                assert_eq!(found.len(), 1, "{method:?}");
                let [t, z] = found[0];
                assert!(
                    (t - 0.5).abs() < 1e-7 && (z - 0.25).abs() < 1e-7,
                    "{method:?} {t} {z}"
                );
            }
            assert!(parabola(method, rate, x0, other).is_empty(), "{method:?}");
        }
    }
}

#[test]
fn implicit_algebraic_equation_and_its_event() {
    // z + exp z = 1 + x: z = 1/2 at x = exp(1/2) − 1/2.
    for method in METHODS {
        let mut at = Vec::new();
        let mut problem = closure(2, |_t, y, f: &mut [f64]| {
            f[0] = 1.0;
            f[1] = y[1] + y[1].exp() - 1.0 - y[0];
        })
        .with_mass(half())
        .with_roots(1, |_t, y, g: &mut [f64]| g[0] = y[1] - 0.5)
        .with_events(|event, y: &mut [f64]| {
            at.push((event.t, y[1]));
            Response::Continue
        });
        let settings = options(method, 1e-9, 1e-10);
        solve(&mut problem, 0.0, &[0.0, 0.0], 2.0, &Save::Final, &settings).unwrap();
        assert_eq!(at.len(), 1, "{method:?}");
        assert!(
            (at[0].0 - 1.148_721_270_700_128_2).abs() < 1e-7,
            "{method:?} {at:?}"
        );
        assert!((at[0].1 - 0.5).abs() < 1e-7, "{method:?}");
    }
}

#[test]
fn a_reset_is_consistent_before_it_is_recorded() {
    for method in METHODS {
        let mut times = Vec::new();
        let mut problem = closure(2, |_t, y, f: &mut [f64]| {
            f[0] = 1.0;
            f[1] = y[1] - y[0] * y[0];
        })
        .with_mass(half())
        .with_roots(1, |_t, y, g: &mut [f64]| g[0] = y[1] - 0.25)
        .with_events(|event, y: &mut [f64]| {
            if times.is_empty() {
                y[0] = 0.0;
            }
            times.push(event.t);
            Response::Continue
        });
        let settings = options(method, 1e-9, 1e-10);
        let save = Save::EveryStep;
        // The second crossing is at the end of [0, 1] up to round-off: look a little further.
        let found = solve(&mut problem, 0.0, &[0.0, 0.0], 1.1, &save, &settings).unwrap();
        assert_eq!(times.len(), 2, "{method:?}");
        assert!((times[1] - 1.0).abs() < 1e-6, "{method:?} {times:?}");
        for (row, t) in found.times.iter().enumerate() {
            let [x, z] = [found.state(row)[0], found.state(row)[1]];
            assert!((z - x * x).abs() < 1e-8, "{method:?} at {t}: {x} {z}");
        }
    }
}

#[test]
fn stays_at_an_equilibrium() {
    // x' = z − x, 0 = z³ + z − 2: the start is the solution, corrections are round-off.
    for method in METHODS {
        for (x0, scale) in [(1.0, 1.0), (1.0 + 1e-15, 1.0), (1.0, 1e8)] {
            let mut problem = closure(2, |_t, y, f: &mut [f64]| {
                let z = y[1] / scale;
                f[0] = y[1] - y[0];
                f[1] = z * z * z + z - 2.0;
            })
            .with_mass(half());
            let settings = options(method, 1e-8, 1e-10 * scale);
            let y0 = [x0 * scale, scale];
            let found = solve(&mut problem, 0.0, &y0, 1e6, &Save::Final, &settings).unwrap();
            assert!(
                found.statistics.accepted <= 200,
                "{method:?} {:?}",
                found.statistics
            );
            for y in found.last_state {
                assert!((y - scale).abs() < 1e-9 * scale, "{method:?} {y}");
            }
        }
    }
}

#[test]
fn solves_for_algebraic_components_or_names_the_equation() {
    for method in METHODS {
        let mut problem = closure(2, |_t, y, f: &mut [f64]| {
            f[0] = y[1] - y[0];
            f[1] = y[1] * y[1] * y[1] + y[1] - 2.0;
        })
        .with_mass(half());
        let mut settings = options(method, 1e-8, 1e-10);
        let checked = solve(&mut problem, 0.0, &[1.0, 5.0], 1.0, &Save::Final, &settings);
        let Err(SolveError::Failed { failure, partial }) = checked else {
            unreachable!("{method:?} accepts z = 5");
        };
        let wanted = Failure::Inconsistent {
            t: 0.0,
            equation: 1,
            residual: 128.0,
        };
        assert_eq!(failure, wanted, "{method:?}");
        assert_eq!(partial.last_state, [1.0, 5.0]);
        settings.initialisation = Initialisation::Algebraic;
        let save = Save::EveryStep;
        let found = solve(&mut problem, 0.0, &[1.0, 5.0], 1.0, &save, &settings).unwrap();
        assert!((found.state(0)[1] - 1.0).abs() < 1e-10, "{method:?}");
        assert_eq!(
            found.state(0)[0],
            1.0,
            "{method:?} keeps the differential component"
        );
    }
}

#[test]
fn the_branch_follows_the_guess() {
    for method in METHODS {
        let mut problem = closure(2, |_t, y, f: &mut [f64]| {
            f[0] = 0.0;
            f[1] = y[1] * y[1] * y[1] - y[1];
        })
        .with_mass(half())
        .with_events(|_event, y: &mut [f64]| {
            y[1] = -0.9;
            Response::Reset
        });
        let mut settings = options(method, 1e-8, 1e-10);
        settings.initialisation = Initialisation::Algebraic;
        settings.stops = vec![1.0];
        let save = Save::Times(vec![0.5, 1.5]);
        let found = solve(&mut problem, 0.0, &[0.0, 0.9], 2.0, &save, &settings).unwrap();
        assert!((found.state(0)[1] - 1.0).abs() < 1e-9, "{method:?}");
        assert!((found.state(1)[1] + 1.0).abs() < 1e-9, "{method:?}");
    }
}

#[test]
fn undetermined_components_are_named() {
    // 0 = x leaves z undetermined.
    for method in METHODS {
        let mut problem = closure(2, |_t, y, f: &mut [f64]| {
            f[0] = y[1];
            f[1] = y[0];
        })
        .with_mass(half());
        let settings = options(method, 1e-6, 1e-9);
        let found = solve(&mut problem, 0.0, &[0.0, 0.0], 1.0, &Save::Final, &settings);
        let Err(SolveError::Failed { failure, .. }) = found else {
            unreachable!("{method:?} solves an undetermined system");
        };
        let wanted = Failure::Undetermined {
            t: 0.0,
            component: 1,
        };
        assert_eq!(failure, wanted, "{method:?}");
    }
}
