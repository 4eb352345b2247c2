//! A consumption function on an irregular grid of wealth, read where next period's wealth falls.
//!
//! Run with `cargo run -p bifrons-grids --example savings_policy`.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use bifrons_grids::{
    Extrapolation, Grid, Interpolant, Knots, Linear, Logarithmic, Method, SlopeLimit, rank,
    ranks_sorted_into,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Value and marginal value of wealth of a saver with logarithmic utility who consumes 5 %.
    let wealth = Logarithmic::new(0.5, 50.0, 40)?;
    let (share, discount) = (0.05_f64, 0.95);
    let value_of = |w: f64| (share * w).ln() / (1.0 - discount);
    let values: Vec<f64> = wealth.nodes().iter().map(|&w| value_of(w)).collect();
    let marginals: Vec<f64> = wealth
        .nodes()
        .iter()
        .map(|w| 1.0 / (w * (1.0 - discount)))
        .collect();

    // The slopes are known, so the cubic needs no estimate; it stays monotone.
    let value = Interpolant::with_slopes(
        SlopeLimit::Monotone,
        &wealth,
        &values,
        &marginals,
        Extrapolation::Linear,
    )?;

    // Next period's wealth is ascending in savings: one merge finds all cells.
    let savings = Linear::new(0.5, 40.0, 9)?;
    let next: Vec<f64> = savings.nodes().iter().map(|s| 0.3 + 1.02 * s).collect();
    let (mut found, mut slopes) = (vec![0.0; next.len()], vec![0.0; next.len()]);
    value.read_sorted(&next, &mut found, &mut slopes)?;
    println!(
        "{:>8} {:>10} {:>10} {:>10}",
        "wealth", "value", "error", "slope"
    );
    for ((w, v), slope) in next.iter().zip(&found).zip(&slopes) {
        println!(
            "{w:>8.3} {v:>10.4} {:>10.1e} {slope:>10.4}",
            v - value_of(*w)
        );
    }

    jump(&next)
}

/// A function that jumps, and two functions on the same nodes.
fn jump(next: &[f64]) -> Result<(), Box<dyn std::error::Error>> {
    let (mut found, mut slopes) = (vec![0.0; next.len()], vec![0.0; next.len()]);
    // A benefit that ends at wealth 10 makes consumption jump there: a node given twice.
    let nodes = [0.5, 10.0, 10.0, 50.0];
    let knots = Knots::with_pairs(&nodes);
    let consumption = Interpolant::new(
        Method::Linear,
        knots,
        &[0.5, 1.5, 1.0, 2.5],
        Extrapolation::Clamp,
    )?;
    let (below, above) = (consumption.read_left(10.0)?, consumption.read(10.0)?);
    println!(
        "consumption at 10: {} from the left, {} from there on",
        below.value, above.value
    );

    // Two functions on the same nodes share one merge.
    let mut ranks = vec![0; next.len()];
    ranks_sorted_into(&nodes, next, &mut ranks)?;
    consumption.read_located(&ranks, next, &mut found, &mut slopes)?;
    println!(
        "wealth {:.2} lies above {} of the nodes",
        next[2],
        rank(&nodes, next[2])
    );
    Ok(())
}
