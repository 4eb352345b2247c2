//! Derivatives of a stiff run and of a system with an algebraic equation, forward and backward.
//!
//! `cargo run --release -p bifrons-ode --example sensitivities`

use bifrons_ode::{Mass, Method, Model, Options, Save, Scalar, Tolerance};
use bifrons_ode::{adjoint, forward_sensitivities};

/// Robertson's kinetics with its conservation law: `y₁' = …`, `y₂' = …`, `0 = y₁ + y₂ + y₃ − 1`.
#[derive(Clone)]
struct Robertson;

impl Model for Robertson {
    fn dimension(&self) -> usize {
        3
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        let (slow, fast, back) = (p[0] * y[0], p[1] * y[1] * y[1], p[2] * y[1] * y[2]);
        dy[0] = back - slow;
        dy[1] = slow - back - fast;
        dy[2] = y[0] + y[1] + y[2] - 1.0;
    }
    fn mass(&self) -> Mass {
        Mass::Diagonal(vec![1.0, 1.0, 0.0])
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (rates, start) = ([0.04, 3e7, 1e4], [1.0, 0.0, 0.0]);
    let tolerance = Tolerance::per_component(1e-7, &[1e-9, 1e-13, 1e-9])?;
    let mut options = Options::with_tolerance(tolerance);
    options.method = Method::Radau;

    // Forward: a column for every rate, none for the initial state.
    let at = (0.0, start.as_slice(), [].as_slice());
    let forward = forward_sensitivities(Robertson, &rates, at, 40.0, &Save::Final, &options)?;

    // Backward: the gradient of y₃ at the end by all rates at once, a checkpoint every 20 steps.
    let run = (0.0, start.as_slice(), 40.0);
    let back = adjoint(Robertson, &rates, run, &options, 20, |_t, _y, slope| {
        slope[2] += 1.0;
    })?;
    for (k, rate) in rates.iter().enumerate() {
        let (column, gradient) = (forward.column(k)[2], back.parameters[k]);
        // Both are derivatives of the same steps.
        assert!((column - gradient).abs() * rate < 1e-7, "rate {k}");
    }
    Ok(())
}
