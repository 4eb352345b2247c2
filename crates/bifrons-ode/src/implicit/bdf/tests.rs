//! Orders of the formulas, each with exact history and steps of one size.

use super::Bdf;
use super::tables::{ROWS, error_constant};
use crate::implicit::setup::Setup;
use crate::problem::{Problem, Structure, closure};
use crate::stepper::{Attempt, Stepper};
use crate::tolerance::Tolerance;

fn exact(t: f64) -> f64 {
    (-t).exp() + t.sin()
}

/// Error at t = 2 of `steps` steps of order `q` from t = 1; the problem is linear, so that one
/// iteration is exact.
fn error(q: usize, steps: u32) -> f64 {
    let h = 1.0 / f64::from(steps);
    let mut problem = closure(1, |t: f64, y, f: &mut [f64]| {
        f[0] = -(y[0] - t.sin()) + t.cos();
    })
    .with_jacobian(Structure::Dense, |_t, _y, out| out.set(0, 0, -1.0));
    let tolerance = Tolerance::new(1e6, 1e6).unwrap();
    let mut bdf = Bdf::new(&Setup::new(&problem, &tolerance)).unwrap();
    (bdf.t_old, bdf.t, bdf.h, bdf.order) = (1.0, 1.0, h, q);
    // Differences of the exact solution at 1, 1 − h, 1 − 2 h, …
    let mut values: Vec<f64> = (0..ROWS).map(|j| exact(1.0 - j as f64 * h)).collect();
    for j in 0..ROWS {
        bdf.differences[j] = values[0];
        values = values.windows(2).map(|w| w[0] - w[1]).collect();
    }
    for k in 1..=steps {
        let limit = if k == steps { 2.0 } else { 10.0 };
        bdf.pending = None;
        let attempt = Stepper::attempt(&mut bdf, &mut problem, limit).unwrap();
        assert_eq!(attempt, Attempt::Accepted, "order {q}, step {k}");
    }
    (bdf.y[0] - exact(2.0)).abs()
}

#[test]
fn every_formula_has_its_order() {
    for q in 1..=5 {
        let slope = (error(q, 12) / error(q, 48)).log2() / 2.0;
        assert!((slope - q as f64).abs() < 0.2, "order {q}: {slope:.2}");
    }
}

/// The local error is the constant times the next difference: that of the plain formula is
/// `1/(q + 1)`, and `κ` makes it smaller by the shares that Shampine and Reichelt list.
#[test]
fn error_constants_are_those_of_the_table() {
    for (q, gain) in [(1, 0.26), (2, 0.26), (3, 0.26), (4, 0.12), (5, 0.0)] {
        let plain = 1.0 / (q as f64 + 1.0);
        let ratio = (plain / error_constant(q)).powf(plain) - 1.0;
        assert!((ratio - gain).abs() < 0.01, "order {q}: {ratio:.3}");
    }
}
