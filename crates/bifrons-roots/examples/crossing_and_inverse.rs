//! Locates a zero crossing on a dense output and inverts a marginal utility.
//!
//! Run with `cargo run -p bifrons-roots --example crossing_and_inverse`.
#![expect(clippy::print_stdout, reason = "an example shows its results")]

use bifrons_roots::{NewtonOptions, RootError, RootOptions, find_root, newton};

fn main() -> Result<(), RootError> {
    // A ball thrown at t = 2 s from 1.5 m with 8 m/s: when does it touch the ground?
    let height = |t: f64| {
        let s = t - 2.0;
        1.5 + s * (8.0 - 4.905 * s)
    };
    let touch = find_root(height, 2.0, 5.0, &RootOptions::default())?;
    let (before, after) = (touch.bracket.left(), touch.bracket.right());
    println!(
        "last point above the ground: t = {:.17}, height {:e}",
        before.x, before.value
    );
    println!(
        "first point at or below it:  t = {:.17}, height {:e}",
        after.x, after.value
    );
    println!("{} evaluations", touch.evaluations);

    // Consumption at which the marginal utility of c^0.3 + 0.2 ln c is 0.05.
    let marginal = |c: f64| {
        let power = 0.3 * c.powf(-0.7);
        (power + 0.2 / c - 0.05, -0.7 * power / c - 0.2 / (c * c))
    };
    let options = NewtonOptions::default().with_bounds(0.0, f64::INFINITY);
    let inverse = newton(marginal, 1.0, &options)?;
    println!(
        "consumption {:.15} after {} evaluations",
        inverse.x, inverse.evaluations
    );
    Ok(())
}
