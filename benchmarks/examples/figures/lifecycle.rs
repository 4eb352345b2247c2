//! Pictures of life-cycle models.

use benchmarks::models;

use crate::figure::{Figure, Series, spaced};

/// Income factors of the retirement model.
const INCOME: [(f64, f64); 1] = [(1.0, 1.0)];

/// Consumption of a worker at three distances from the end.
pub(crate) fn consumption() -> anyhow::Result<Figure> {
    let solution = models::retirement(10, 400, None, &INCOME)?.solve()?;
    let series = [8, 5, 0].into_iter().map(|period| {
        let left = 9 - period;
        let points = spaced(1.0, 120.0, 600).map(|m| {
            let action = solution.policy_at(period, "working", &[m]);
            let c = action.and_then(|action| action.last().copied());
            (m, c.unwrap_or(f64::NAN))
        });
        let name = match left {
            1 => "one period left".to_owned(),
            left => format!("{left} periods left"),
        };
        Series::line(name, points.collect::<Vec<_>>())
    });
    Ok(Figure {
        name: "retirement-consumption",
        title: "Consumption of a worker who may retire",
        x: "resources",
        y: "consumption",
        logarithmic: [false, false],
        y_range: None,
        legend: "lower-right",
        series: series.collect(),
    })
}

/// Value of working on and of retiring.
pub(crate) fn value() -> anyhow::Result<Figure> {
    let solution = models::retirement(10, 400, None, &INCOME)?.solve()?;
    let series = [("work on", 1), ("retire", 0)]
        .into_iter()
        .map(|(name, branch)| {
            let points = spaced(4.0, 120.0, 300).map(|m| {
                let read = solution.branch_at(8, "working", &[m], branch);
                (m, read.map_or(f64::NAN, |(value, _)| value))
            });
            Series::line(name, points.collect::<Vec<_>>())
        });
    Ok(Figure {
        name: "retirement-value",
        title: "Value of both choices, one period before the end",
        x: "resources",
        y: "value",
        logarithmic: [false, false],
        y_range: None,
        legend: "lower-right",
        series: series.collect(),
    })
}

/// Consumption under a kinked tax and a means test.
pub(crate) fn kinked() -> anyhow::Result<Figure> {
    let solution = models::kinked(300)?.solve()?;
    let series = [4, 3, 0].into_iter().map(|period| {
        let points = spaced(0.0, 10.0, 1000).map(|assets| {
            let action = solution.policy_at(period, "life", &[assets]);
            (assets, action.map_or(f64::NAN, |action| action[0]))
        });
        let name = match 4 - period {
            0 => "the last decision".to_owned(),
            1 => "one decision later".to_owned(),
            left => format!("{left} decisions later"),
        };
        Series::line(name, points.collect::<Vec<_>>())
    });
    Ok(Figure {
        name: "kinked-consumption",
        title: "Consumption with a means test at 2",
        x: "assets",
        y: "consumption",
        logarithmic: [false, false],
        y_range: None,
        legend: "lower-right",
        series: series.collect(),
    })
}
