//! `--scaling CASE`: what does one more cost?
//!
//! Every axis that the scenario declares is measured at all of its points, and a straight line
//! is fitted to each metric by least squares.

use crate::commands::bench::Bench;
use crate::measure::protocol::{AxisLine, CaseLine};
use crate::measure::session::{Counts, Measurement};
use crate::render::{table, units};
use crate::report::{Exit, Failure, Report};

const METRICS: [(&str, &str); 5] = [
    ("heap_peak", "byte"),
    ("heap_peak_run", "byte"),
    ("heap_total", "byte"),
    ("heap_blocks", "count"),
    ("rss_peak", "byte"),
];

/// A straight line `intercept + slope · x` through points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Value at zero.
    pub intercept: f64,
    /// Growth by one more.
    pub slope: f64,
    /// Largest distance of a point from the line, relative to the largest value.
    pub residual: f64,
}

/// Measures all axes of a case.
pub(super) fn run(bench: &Bench<'_>, name: &str) -> anyhow::Result<Report> {
    let case = bench.catalogue().describe(name)?;
    if case.axes.is_empty() {
        let message = format!("`{}` declares no axis along which it scales", case.scenario);
        return Err(Failure::usage(message).into());
    }
    let mut report = Report::ok();
    for axis in &case.axes {
        report.add(scale(bench, axis)?);
    }
    Ok(report)
}

fn scale(bench: &Bench<'_>, axis: &AxisLine) -> anyhow::Result<Exit> {
    let cases: Vec<CaseLine> = axis
        .points
        .iter()
        .map(|point| bench.catalogue().describe(&point.case))
        .collect::<Result<_, _>>()?;
    let counts = Counts {
        plain: bench.common.sample_count(),
        heap: 2,
        instructions: 0,
    };
    let measurements = bench.measure(&cases, counts)?;
    let problems = measurements.iter().flat_map(|measurement| {
        measurement
            .problems
            .iter()
            .map(|problem| format!("{}: {problem}", measurement.case))
    });
    let problems: Vec<String> = problems.collect();
    if !problems.is_empty() {
        for problem in problems {
            bench.say(format_args!("INVALID: {problem}"));
        }
        return Ok(Exit::Invalid);
    }
    for line in lines(axis, &measurements) {
        bench.say(line);
    }
    Ok(Exit::Ok)
}

/// The table of one axis and the fitted lines.
#[must_use]
pub fn lines(axis: &AxisLine, measurements: &[Measurement]) -> Vec<String> {
    let points = || axis.points.iter().zip(measurements);
    let rows: Vec<Vec<String>> = points()
        .map(|(point, measurement)| {
            let value = |(name, unit): (&str, &str)| {
                let median = measurement.median(name);
                median.map_or_else(|| "-".to_owned(), |median| units::human(median, unit))
            };
            std::iter::once(point.value.to_string())
                .chain(METRICS.map(value))
                .collect()
        })
        .collect();
    let header: Vec<&str> = std::iter::once(axis.parameter.as_str())
        .chain(METRICS.map(|(name, _)| name))
        .collect();
    let mut out = table::aligned(&header, &rows, &[0, 1, 2, 3, 4, 5]);
    for (name, unit) in METRICS {
        let pairs: Option<Vec<(u64, u64)>> = points()
            .map(|(point, measurement)| Some((point.value, measurement.median(name)?)))
            .collect();
        let Some(line) = pairs.as_deref().and_then(fit) else {
            continue;
        };
        let what = if unit == "byte" { "bytes" } else { "blocks" };
        out.push(format!(
            "{name}: {:.1} {what} per {} + {:.0}, residual {:.2} %",
            line.slope,
            axis.unit,
            line.intercept,
            100.0 * line.residual,
        ));
    }
    out
}

/// Least squares; `None` with fewer than two different abscissae.
///
/// The sums are centred, so that large sizes lose no digits.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a fit for people")]
pub fn fit(points: &[(u64, u64)]) -> Option<Line> {
    let count = points.len() as f64;
    let mean =
        |of: fn(&(u64, u64)) -> u64| points.iter().map(|p| of(p) as f64).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
    let centred = || {
        points
            .iter()
            .map(|&(x, y)| (x as f64 - mean_x, y as f64 - mean_y))
    };
    let square: f64 = centred().map(|(x, _)| x * x).sum();
    if points.len() < 2 || square <= 0.0 {
        return None;
    }
    let slope = centred().map(|(x, y)| x * y).sum::<f64>() / square;
    let largest = points.iter().map(|point| point.1).max().unwrap_or(0) as f64;
    let distance = centred()
        .map(|(x, y)| (y - slope * x).abs())
        .fold(0.0, f64::max);
    let residual = if largest > 0.0 {
        distance / largest
    } else {
        0.0
    };
    Some(Line {
        intercept: mean_y - slope * mean_x,
        slope,
        residual,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_lines_are_recovered() {
        let points: Vec<(u64, u64)> = [1, 10, 100, 1000]
            .into_iter()
            .map(|n| (n, 4096 + 240 * n))
            .collect();
        let line = fit(&points).expect("four points");
        assert!((line.slope - 240.0).abs() < 1e-9, "{line:?}");
        assert!((line.intercept - 4096.0).abs() < 1e-6, "{line:?}");
        assert!(line.residual < 1e-12, "{line:?}");
    }

    #[test]
    fn residual_is_relative_to_the_largest_value() {
        let line = fit(&[(0, 0), (1, 100), (2, 0)]).expect("three points");
        assert!(line.slope.abs() < 1e-12, "{line:?}");
        assert!((line.residual - 2.0 / 3.0).abs() < 1e-12, "{line:?}");
        assert_eq!(fit(&[(1, 2)]), None, "one point");
        assert_eq!(fit(&[(1, 2), (1, 3)]), None, "one abscissa");
        assert_eq!(fit(&[]), None, "none");
    }
}
