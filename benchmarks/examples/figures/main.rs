//! Prints the data of the pictures in the guides, one JSON object per line; `cargo xtask docs`
//! draws them.
#![expect(clippy::print_stdout, reason = "the lines are what the program is for")]

mod figure;
mod grids;
mod random;
mod roots;
mod shocks;

use anyhow::Context as _;

fn main() -> anyhow::Result<()> {
    let figures = [
        grids::interpolation().context("interpolation")?,
        grids::axes().context("axes")?,
        shocks::spread().context("spread of chains")?,
        roots::brackets().context("brackets")?,
        random::normal(),
    ];
    for figure in figures {
        println!("{}", figure.to_json());
    }
    Ok(())
}
