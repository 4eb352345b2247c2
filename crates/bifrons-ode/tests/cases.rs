//! Inputs on which solvers went wrong, each with the right answer.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test helper is a failed test"
)]
#![expect(
    clippy::float_cmp,
    reason = "times of stops, ends and starts are exact by contract"
)]

#[path = "cases/accumulation.rs"]
mod accumulation;
#[path = "cases/crossings.rs"]
mod crossings;
#[path = "cases/not_finite.rs"]
mod not_finite;
#[path = "cases/stops.rs"]
mod stops;

use bifrons_ode::{Failure, Method, Options, Solution, SolveError, Tolerance};

pub(crate) const ADAPTIVE: [Method; 4] =
    [Method::Dopri5, Method::Tsit5, Method::Bs32, Method::Dop853];

pub(crate) fn options(method: Method, relative: f64, absolute: f64) -> Options {
    let tolerance = Tolerance::new(relative, absolute).expect("valid tolerance");
    let mut options = Options::with_tolerance(tolerance);
    options.method = method;
    options
}

pub(crate) fn near(found: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!(
        (found - wanted).abs() <= tolerance,
        "{what}: found {found}, wanted {wanted}"
    );
}

pub(crate) fn partial(error: SolveError) -> (Failure, Solution) {
    let SolveError::Failed { failure, partial } = error else {
        panic!("expected a failed run, got {error:?}")
    };
    (failure, *partial)
}

pub(crate) fn event_times(solution: &Solution) -> Vec<f64> {
    solution.events.iter().map(|event| event.t).collect()
}
