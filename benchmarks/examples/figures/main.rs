//! Prints the data of the pictures in the guides, one JSON object per line; `cargo xtask docs`
//! draws them.
#![expect(clippy::print_stdout, reason = "the lines are what the program is for")]

mod figure;
mod grids;
mod lifecycle;
mod random;
mod roots;
mod shocks;
mod work_precision;

use anyhow::Context as _;

fn main() -> anyhow::Result<()> {
    let mut figures = vec![
        grids::interpolation().context("interpolation")?,
        grids::axes().context("axes")?,
        shocks::spread().context("spread of chains")?,
        roots::brackets().context("brackets")?,
        random::normal(),
        lifecycle::consumption().context("consumption of a worker")?,
        lifecycle::value().context("value of both choices")?,
        lifecycle::kinked().context("consumption with a means test")?,
    ];
    figures.extend(work_precision::curves().context("work and precision")?);
    for figure in figures {
        println!("{}", figure.to_json());
    }
    Ok(())
}
