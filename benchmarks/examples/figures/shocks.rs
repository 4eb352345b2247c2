//! Pictures of `bifrons-shocks`.

use bifrons_shocks::{Ar1, Normal};

use crate::figure::{Figure, Series, spaced};

const WIDTH: f64 = 3.0;
const NODES: usize = 9;

/// Spread of the stationary distribution of two chains beside that of the process.
pub(crate) fn spread() -> anyhow::Result<Figure> {
    let mut tauchen = Vec::new();
    let mut rouwenhorst = Vec::new();
    for persistence in spaced(0.5, 0.99, 50) {
        let process = Ar1::new(persistence, Normal::new(0.0, 1.0)?)?;
        let exact = 1.0 / (1.0 - persistence * persistence).sqrt();
        let chain = process.tauchen(NODES, WIDTH)?;
        let ratio = chain.stationary_moments()?.standard_deviation / exact;
        tauchen.push((persistence, ratio));
        let chain = process.rouwenhorst(NODES)?;
        let ratio = chain.stationary_moments()?.standard_deviation / exact;
        rouwenhorst.push((persistence, ratio));
    }
    Ok(Figure {
        name: "spread",
        title: "Standard deviation of a chain of nine nodes / of the process",
        x: "persistence",
        y: "ratio",
        logarithmic: [false, false],
        y_range: None,
        legend: "upper-left",
        series: vec![
            Series::line("Tauchen, 3 deviations", tauchen),
            Series::line("Rouwenhorst", rouwenhorst),
        ],
    })
}
