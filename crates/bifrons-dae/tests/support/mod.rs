//! What the tests of systems share.
#![allow(
    dead_code,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "not every test uses everything; tests show their errors"
)]

use bifrons_ode::Tolerance;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Relative 1e-10, absolute 1e-12.
pub(crate) fn tight() -> Tolerance {
    Tolerance::new(1e-10, 1e-12).expect("valid")
}

/// Equidistant times, both ends included.
pub(crate) fn grid(a: f64, b: f64, count: usize) -> Vec<f64> {
    let step = (b - a) / (count - 1) as f64;
    (0..count)
        .map(|k| {
            if k + 1 == count {
                b
            } else {
                a + k as f64 * step
            }
        })
        .collect()
}

/// Prints and bounds the largest deviation of a column from a function of time.
pub(crate) fn worst(
    name: &str,
    column: &[f64],
    times: &[f64],
    expected: impl Fn(f64) -> f64,
    allowed: f64,
) {
    assert_eq!(column.len(), times.len(), "{name}: one row per time");
    let pairs = column.iter().zip(times);
    let error = pairs
        .map(|(v, t)| (v - expected(*t)).abs())
        .fold(0.0, f64::max);
    println!("{name}: worst error {error:e}");
    assert!(
        error <= allowed,
        "{name}: worst error {error:e}, allowed {allowed:e}"
    );
}
