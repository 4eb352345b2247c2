//! The Lorenz system: one run with dense output.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use bifrons_ode::{Closure, Options, Save, Tolerance, solve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut lorenz = Closure::<_, 3>::fixed(|_t, y: &[f64], dy: &mut [f64]| {
        dy[0] = 10.0 * (y[1] - y[0]);
        dy[1] = y[0] * (28.0 - y[2]) - y[1];
        dy[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
    });
    let options = Options::with_tolerance(Tolerance::new(1e-9, 1e-9)?);
    let solution = solve(
        &mut lorenz,
        0.0,
        &[1.0, 0.0, 0.0],
        5.0,
        &Save::Dense,
        &options,
    )?;
    let dense = solution.dense.ok_or("no dense solution")?;
    for i in 0..=5 {
        let t = f64::from(i);
        let y = dense.evaluate(t)?;
        println!(
            "t = {t}: x = {:9.5}, y = {:9.5}, z = {:9.5}",
            y[0], y[1], y[2]
        );
    }
    let counts = solution.statistics;
    println!(
        "{} steps, {} rejected, {} evaluations",
        counts.accepted, counts.rejected, counts.rhs
    );
    Ok(())
}
