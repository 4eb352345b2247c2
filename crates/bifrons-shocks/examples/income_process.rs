//! How well chains of different kinds and sizes keep the moments of an income process.
//!
//! Run with `cargo run -p bifrons-shocks --example income_process`.
#![expect(clippy::print_stdout, reason = "an example shows its results")]

use bifrons_shocks::{Ar1, Component, Law, MarkovChain, NormalMixture, ShockError};

fn report(name: &str, chain: &MarkovChain, sd: f64) -> Result<(), ShockError> {
    let moments = chain.stationary_moments()?;
    println!(
        "{name:28} {:2} nodes: spread {:.4} of the process, autocorrelation {:.4}",
        chain.node_count(),
        moments.standard_deviation / sd,
        moments.autocorrelation
    );
    Ok(())
}

fn main() -> Result<(), ShockError> {
    let process = Ar1::gaussian(0.97, 0.15)?;
    let sd = process.stationary_sd()?;
    println!("persistence 0.97, standard deviation {sd:.4}");
    for count in [5, 9, 15] {
        report("Rouwenhorst", &process.rouwenhorst(count)?, sd)?;
        report("Tauchen, 3 deviations", &process.tauchen(count, 3.0)?, sd)?;
        report(
            "Tauchen on Gauss-Hermite",
            &process.tauchen_gauss_hermite(count)?,
            sd,
        )?;
    }

    // Rare large innovations: the same spread, fatter tails.
    let mixture = NormalMixture::new(&[
        Component::new(0.95, 0.0, 0.08),
        Component::new(0.05, 0.0, 0.573_585_216_659_344_6),
    ])?;
    println!(
        "mixture with standard deviation {:.4}",
        mixture.standard_deviation()
    );
    let jumps = Ar1::new(0.97, mixture)?;
    let (fat, thin) = (jumps.tauchen(15, 3.0)?, process.tauchen(15, 3.0)?);
    report("Tauchen, mixture", &fat, jumps.stationary_sd()?)?;
    let far = |chain: &MarkovChain| chain.row(7)[10..].iter().sum::<f64>();
    println!(
        "mass three nodes up from the middle: {:.2e} and {:.2e}",
        far(&fat),
        far(&thin)
    );
    Ok(())
}
