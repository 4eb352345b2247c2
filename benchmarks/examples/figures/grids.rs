//! Pictures of `bifrons-grids`.

use bifrons_grids::{
    Breakpoint, Extrapolation, Grid, Interpolant, Linear, Logarithmic, Method, PiecewiseLinear,
    SlopeRule,
};

use crate::figure::{Figure, Series, spaced};

/// Linear and monotone cubic reads of values with a jump in their slope.
pub(crate) fn interpolation() -> anyhow::Result<Figure> {
    let nodes = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    let values = [0.0, 0.1, 0.2, 0.4, 3.0, 3.4, 3.5, 3.5, 5.0];
    let mut series = Vec::new();
    let methods = [
        ("linear", Method::Linear),
        ("monotone cubic", Method::MonotoneCubic(SlopeRule::Harmonic)),
    ];
    for (name, method) in methods {
        let curve = Interpolant::new(method, &nodes, &values, Extrapolation::Linear)?;
        let points = spaced(-0.5, 8.5, 181)
            .map(|x| Ok((x, curve.read(x)?.value)))
            .collect::<anyhow::Result<Vec<_>>>()?;
        series.push(Series::line(name, points));
    }
    series.push(Series::points("given", nodes.into_iter().zip(values)));
    Ok(Figure {
        name: "interpolation",
        title: "A monotone cubic does not overshoot",
        x: "x",
        y: "value",
        logarithmic: [false, false],
        y_range: None,
        legend: "lower-right",
        series,
    })
}

/// Where the nodes of three kinds of axes lie.
pub(crate) fn axes() -> anyhow::Result<Figure> {
    let row = |name: &'static str, height: f64, nodes: &[f64]| {
        Series::points(name, nodes.iter().map(|&node| (node, height)))
    };
    let piecewise = PiecewiseLinear::new([1.0, 100.0], &[Breakpoint::right(20.0)], &[12, 9])?;
    Ok(Figure {
        name: "axes",
        title: "Twenty-one nodes from 1 to 100",
        x: "value",
        y: "axis",
        logarithmic: [false, false],
        y_range: Some([0.5, 4.5]),
        legend: "upper-left",
        series: vec![
            row("Linear", 3.0, Linear::new(1.0, 100.0, 21)?.nodes()),
            row(
                "Logarithmic",
                2.0,
                Logarithmic::new(1.0, 100.0, 21)?.nodes(),
            ),
            row("PiecewiseLinear, breakpoint at 20", 1.0, piecewise.nodes()),
        ],
    })
}
