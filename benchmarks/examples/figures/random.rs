//! Pictures of `bifrons-random`.

use bifrons_grids::rank;
use bifrons_random::{Address, Draws, Stream};
use bifrons_shocks::normal_density;

use crate::figure::{Figure, Series, spaced};

const DRAWS: usize = 100_000;
const BINS: usize = 80;
const LOWEST: f64 = -4.0;
const WIDTH: f64 = 0.1;

/// A histogram of normal numbers beside their density.
pub(crate) fn normal() -> Figure {
    let draws = Draws::new(1, Stream::numbered(0));
    let mut counts = [0_u32; BINS];
    let address = |element| Address {
        element,
        step: 0,
        component: 0,
    };
    let edges: Vec<f64> = spaced(LOWEST, LOWEST + 8.0, 81).collect();
    for element in 0..DRAWS as u64 {
        let bin = rank(&edges, draws.normal(address(element)));
        if let Some(count) = bin.checked_sub(1).and_then(|bin| counts.get_mut(bin)) {
            *count += 1;
        }
    }
    let middle = |bin: usize| LOWEST + WIDTH * (bin as f64 + 0.5);
    let frequencies = counts
        .into_iter()
        .enumerate()
        .map(|(bin, count)| (middle(bin), f64::from(count) / (DRAWS as f64 * WIDTH)));
    Figure {
        name: "normal-draws",
        title: "100 000 normal draws",
        x: "value",
        y: "density",
        logarithmic: [false, false],
        y_range: None,
        legend: "upper-left",
        series: vec![
            Series::line(
                "density",
                spaced(-4.0, 4.0, 161).map(|x| (x, normal_density(x))),
            ),
            Series::points("frequency in bins of 0.1", frequencies),
        ],
    }
}
