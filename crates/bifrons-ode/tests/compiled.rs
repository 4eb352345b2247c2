//! A method compiled for the type of the problem gives the bits of the one behind a pointer.
#![expect(clippy::unwrap_used, clippy::missing_assert_message, reason = "tests")]

use bifrons_ode::{
    Bs32, Dop853, Dopri5, ExplicitMethod, Method, Options, Problem, Response, Save, Solution,
    SolveError, Tolerance, Tsit5, closure, solve, solve_with,
};
use proptest::prelude::*;

/// A driven pendulum that bounces at an angle, with everything that a run can meet.
fn pendulum(damping: f64, wall: f64) -> impl Problem {
    closure(2, move |t: f64, y: &[f64], dy: &mut [f64]| {
        dy[0] = y[1];
        dy[1] = -y[0].sin() - damping * y[1] + 0.2 * (1.3 * t).cos();
    })
    .with_roots(1, move |_t, y, g| g[0] = y[0] - wall)
    .with_events(|event, y| {
        if event.t > 12.0 {
            return Response::Terminate;
        }
        y[1] *= -0.8;
        Response::Reset
    })
}

fn same(a: &Solution, b: &Solution) {
    assert_eq!(a.statistics, b.statistics);
    assert_eq!(a.outcome, b.outcome);
    assert_eq!(a.last_time.to_bits(), b.last_time.to_bits());
    let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&a.times), bits(&b.times));
    assert_eq!(bits(&a.states), bits(&b.states));
    assert_eq!(bits(&a.last_state), bits(&b.last_state));
}

fn both<M: ExplicitMethod>(method: Method, parameters: (f64, f64), relative: f64, backward: bool) {
    let (damping, wall) = parameters;
    let span = if backward { (3.0, -2.0) } else { (0.0, 20.0) };
    let mut options = Options::with_tolerance(Tolerance::new(relative, relative * 1e-2).unwrap());
    options.stops = vec![if backward { 1.0 } else { 2.5 }];
    let save = Save::EveryStep;
    let y0 = [0.3, 0.9];
    let compiled =
        solve_with::<M, _>(&mut pendulum(damping, wall), span, &y0, &save, &options).unwrap();
    options.method = method;
    let mut problem = pendulum(damping, wall);
    let general = solve(&mut problem, span.0, &y0, span.1, &save, &options).unwrap();
    assert!(general.statistics.accepted > 5);
    assert_eq!(compiled.events, general.events);
    same(&compiled, &general);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn compiled_equals_general(
        damping in 0.0_f64..0.3,
        wall in 0.5_f64..1.5,
        digits in 3.0_f64..9.0,
        backward: bool,
    ) {
        let (parameters, relative) = ((damping, wall), 10.0_f64.powf(-digits));
        both::<Bs32>(Method::Bs32, parameters, relative, backward);
        both::<Dopri5>(Method::Dopri5, parameters, relative, backward);
        both::<Tsit5>(Method::Tsit5, parameters, relative, backward);
        both::<Dop853>(Method::Dop853, parameters, relative, backward);
    }
}

#[test]
fn errors_are_those_of_the_general_run() {
    let mut problem = closure(2, |_t, y: &[f64], dy: &mut [f64]| dy.copy_from_slice(y));
    let options = Options::with_tolerance(Tolerance::new(1e-6, 1e-9).unwrap());
    let found = solve_with::<Tsit5, _>(&mut problem, (0.0, 1.0), &[1.0], &Save::Final, &options)
        .unwrap_err();
    assert!(matches!(found, SolveError::Input(_)), "{found}");
    let mut blows_up = closure(1, |_t, y: &[f64], dy: &mut [f64]| dy[0] = y[0] * y[0]);
    let found = solve_with::<Dop853, _>(&mut blows_up, (0.0, 2.0), &[1.0], &Save::Final, &options);
    let Err(SolveError::Failed { partial, .. }) = found else {
        panic!("1 / (1 - t) has no value at 2: {found:?}");
    };
    assert!(
        (partial.last_time - 1.0).abs() < 1e-6,
        "{}",
        partial.last_time
    );
}
