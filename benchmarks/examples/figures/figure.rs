//! What a picture shows.

use serde_json::{Value, json};

/// One picture: axes, and series of points on them.
pub(crate) struct Figure {
    /// Name of the file, without its ending.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    /// Whether the axes are logarithmic.
    pub(crate) logarithmic: [bool; 2],
    /// What the vertical axis shows; what the points need if absent.
    pub(crate) y_range: Option<[f64; 2]>,
    /// `upper-left`, `upper-right`, `lower-left` or `lower-right`.
    pub(crate) legend: &'static str,
    pub(crate) series: Vec<Series>,
}

/// Points that belong together.
pub(crate) struct Series {
    name: String,
    style: &'static str,
    points: Vec<(f64, f64)>,
}

impl Series {
    /// A line through the points; a point that is not finite interrupts it.
    pub(crate) fn line(
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        Self::new(name, "line", points)
    }

    /// Single points.
    pub(crate) fn points(
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        Self::new(name, "points", points)
    }

    fn new(
        name: impl Into<String>,
        style: &'static str,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        Self {
            name: name.into(),
            style,
            points: points.into_iter().collect(),
        }
    }
}

impl Figure {
    pub(crate) fn to_json(&self) -> Value {
        let series: Vec<Value> = self
            .series
            .iter()
            .map(|series| json!({"name": series.name, "style": series.style, "points": series.points}))
            .collect();
        json!({
            "name": self.name, "title": self.title, "x": self.x, "y": self.y,
            "logarithmic": self.logarithmic, "y_range": self.y_range, "legend": self.legend,
            "series": series,
        })
    }
}

/// `count` equally spaced numbers from `start` to `stop`.
pub(crate) fn spaced(start: f64, stop: f64, count: u32) -> impl Iterator<Item = f64> {
    (0..count).map(move |i| start + (stop - start) * f64::from(i) / f64::from(count - 1))
}
