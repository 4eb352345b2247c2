//! Pictures are drawn from lines of JSON, and the same line gives the same file.
#![expect(clippy::expect_used, reason = "fixtures of the tests")]

use xtask::commands::docs::{Corner, Figure, Style, draw, parse};

const LINE: &str = r#"{"name": "n", "title": "T & t", "x": "time", "y": "width", "logarithmic": [false, true], "legend": "lower-right", "series": [{"name": "a", "style": "line", "points": [[0, 1], [1, null], [2, 10], [3, 100]]}, {"name": "b", "style": "points", "points": [[1, 5]]}]}"#;

fn figure() -> Figure {
    parse(LINE).expect("a figure").remove(0)
}

#[test]
fn a_line_is_a_figure() {
    let figure = figure();
    assert_eq!(figure.legend, Corner::LowerRight, "legend");
    assert_eq!(figure.y_range, None, "absent");
    assert_eq!(figure.series[1].style, Style::Points, "style");
    assert_eq!(figure.series[0].points[1], (Some(1.0), None), "a gap");
}

#[test]
fn a_line_that_is_no_figure_is_named() {
    let error = parse(&format!("{LINE}\n{{}}\n")).expect_err("no figure");
    assert!(error.to_string().contains("line 2"), "{error}");
    let style = LINE.replace("points\", \"points", "dots\", \"points");
    assert!(parse(&style).is_err(), "unknown style");
}

#[test]
fn drawing_is_repeatable_and_complete() {
    let picture = draw(&figure()).expect("drawn");
    assert_eq!(picture, draw(&figure()).expect("drawn"), "same text");
    assert!(picture.starts_with("<svg width=\"720\""), "{picture:.60}");
    assert!(picture.contains("T &amp; t"), "escaped title");
    // One line is cut by its gap: a single point and a pair, and the key of the legend.
    assert_eq!(
        picture.matches("<circle").count(),
        2,
        "one point and its key"
    );
}

#[test]
fn what_cannot_be_drawn_is_an_error() {
    let mut negative = figure();
    for series in &mut negative.series {
        for point in &mut series.points {
            point.1 = Some(-1.0);
        }
    }
    assert!(draw(&negative).is_err(), "a logarithm of negative numbers");
    let mut empty = figure();
    empty.series.clear();
    assert!(draw(&empty).is_err(), "nothing to draw");
}
