//! Pictures of `bifrons-roots`.

use bifrons_roots::{Bracket, RootError, RootMethod, RootOptions, RootSearch, Sample};

use crate::figure::{Figure, Series};

const LEFT: f64 = 0.0;
const RIGHT: f64 = 4.0;

fn function(x: f64) -> f64 {
    x * x * x - 2.0 * x - 5.0
}

/// Width of the bracket after each evaluation.
pub(crate) fn brackets() -> Result<Figure, RootError> {
    let mut series = vec![Series::line("bisection", bisection())];
    for (name, method) in [("ITP", RootMethod::Itp), ("Brent", RootMethod::Brent)] {
        series.push(Series::line(name, widths(method)?));
    }
    Ok(Figure {
        name: "brackets",
        title: "x³ - 2x - 5 = 0 between 0 and 4",
        x: "evaluations",
        y: "width of the bracket",
        logarithmic: [false, true],
        y_range: None,
        legend: "upper-right",
        series,
    })
}

fn widths(method: RootMethod) -> Result<Vec<(f64, f64)>, RootError> {
    let sample = |x| Sample::new(x, function(x));
    let bracket = Bracket::new(sample(LEFT), sample(RIGHT))?;
    let mut search = RootSearch::new(bracket, &RootOptions::default().with_method(method));
    let mut points = vec![(0.0, bracket.width())];
    while let Some(x) = search.next_point() {
        search.observe(function(x))?;
        points.push((f64::from(search.evaluations()), search.bracket().width()));
    }
    Ok(points)
}

fn bisection() -> Vec<(f64, f64)> {
    let (mut left, mut right) = (LEFT, RIGHT);
    let mut points = vec![(0.0, right - left)];
    for evaluations in 1..=50 {
        let middle = left.midpoint(right);
        if function(middle) < 0.0 {
            left = middle;
        } else {
            right = middle;
        }
        points.push((f64::from(evaluations), right - left));
    }
    points
}
