//! Work-precision curves: the least time in which a method reaches an error.

use super::results::Entry;

/// Error and time of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Error at the end, positive.
    pub error: f64,
    /// Nanoseconds.
    pub time: f64,
}

/// The runs of one method, by falling tolerance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    points: Vec<Point>,
}

impl Curve {
    /// The curve through the runs of a method that reached the end.
    ///
    /// An error of exactly zero counts as the smallest positive one.
    #[must_use]
    pub fn new<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Self {
        let mut runs: Vec<(f64, Point)> = entries
            .into_iter()
            .filter_map(|entry| {
                let error = entry.error()?.max(f64::MIN_POSITIVE);
                #[expect(clippy::cast_precision_loss, reason = "below 2^53 nanoseconds")]
                let time = entry.median().max(1) as f64;
                Some((entry.rtol, Point { error, time }))
            })
            .collect();
        runs.sort_by(|a, b| b.0.total_cmp(&a.0));
        Self {
            points: runs.into_iter().map(|(_, point)| point).collect(),
        }
    }

    /// The least time in which an error of at most `error` is reached, by interpolation between
    /// logarithms along neighbouring tolerances; nothing if it never is.
    #[must_use]
    pub fn time_at(&self, error: f64) -> Option<f64> {
        let reached = self.points.iter().filter(|point| point.error <= error);
        let reached = reached.map(|point| point.time);
        let between = self.points.windows(2).filter_map(|pair| {
            let (a, b) = (pair[0], pair[1]);
            let crosses = (a.error > error) != (b.error > error);
            let part = (a.error / error).ln() / (a.error / b.error).ln();
            crosses.then(|| a.time * (b.time / a.time).powf(part))
        });
        reached.chain(between).reduce(f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::{Curve, Point};

    fn curve(points: &[(f64, f64)]) -> Curve {
        let points = points.iter().map(|&(error, time)| Point { error, time });
        Curve {
            points: points.collect(),
        }
    }

    fn close(found: Option<f64>, expected: f64) {
        let found = found.expect("reached");
        assert!((found / expected - 1.0).abs() < 1e-12, "{found}");
    }

    #[test]
    fn times_lie_on_lines_between_logarithms() {
        let curve = curve(&[(1e-2, 10.0), (1e-4, 1000.0)]);
        close(curve.time_at(1e-3), 100.0);
        close(curve.time_at(1e-4), 1000.0);
        close(curve.time_at(1.0), 10.0);
        assert_eq!(curve.time_at(1e-5), None, "never reached");
    }

    #[test]
    fn the_least_time_wins_where_a_curve_turns_back() {
        // The second run was lucky, the third was not.
        let curve = curve(&[(1e-2, 10.0), (1e-6, 20.0), (1e-4, 30.0), (1e-7, 90.0)]);
        close(curve.time_at(1e-6), 20.0);
        close(curve.time_at(1e-4), 10.0 * 2.0_f64.sqrt());
        assert!(
            curve.time_at(3e-7).expect("reached") > 30.0,
            "the last piece"
        );
    }

    #[test]
    fn a_method_that_never_ends_has_no_time() {
        assert_eq!(curve(&[]).time_at(1.0), None, "no runs");
    }
}
