//! One figure as SVG.

use std::ops::Range;

use anyhow::{Context as _, anyhow, ensure};
use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, ChartContext, SeriesLabelPosition};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::drawing::{DrawingArea, IntoDrawingArea as _};
use plotters::element::{Circle, PathElement};
use plotters::prelude::{Cartesian2d, IntoLogRange as _};
use plotters::series::LineSeries;
use plotters::style::{Color as _, RGBColor, WHITE};

use super::{Corner, Figure, Series, Style};

/// Size on the page.
const SIZE: (u32, u32) = (720, 420);

/// Points per unit of size: lines are drawn with whole coordinates, finer ones look smooth.
const FINE: u32 = 4;

/// Colours that people who see fewer of them tell apart (Okabe and Ito 2008).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Length of a line in the legend.
const KEY: i32 = 64;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The picture as the text of an SVG file; the same text for the same figure.
///
/// # Errors
///
/// When there is no finite point, or none that is positive on a logarithmic axis.
pub fn draw(figure: &Figure) -> anyhow::Result<String> {
    let mut text = String::new();
    {
        let size = (FINE * SIZE.0, FINE * SIZE.1);
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        area.fill(&WHITE).map_err(said)?;
        let (x, y) = (range(figure, 0)?, range(figure, 1)?);
        match figure.logarithmic {
            [false, false] => chart(figure, &area, x, y),
            [false, true] => chart(figure, &area, x, y.log_scale()),
            [true, false] => chart(figure, &area, x.log_scale(), y),
            [true, true] => chart(figure, &area, x.log_scale(), y.log_scale()),
        }?;
        area.present().map_err(said)?;
    }
    let fine = format!("width=\"{}\" height=\"{}\"", FINE * SIZE.0, FINE * SIZE.1);
    let shown = format!("width=\"{}\" height=\"{}\"", SIZE.0, SIZE.1);
    Ok(text.replacen(&fine, &shown, 1))
}

fn said(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("{error}")
}

/// From the least to the largest coordinate, with a margin.
fn range(figure: &Figure, axis: usize) -> anyhow::Result<Range<f64>> {
    let logarithmic = figure.logarithmic[axis];
    if axis == 1
        && let Some([low, high]) = figure.y_range
    {
        return Ok(low..high);
    }
    let values = || {
        let points = figure.series.iter().flat_map(|series| &series.points);
        points
            .filter_map(move |&(x, y)| [x, y][axis])
            .filter(move |value| value.is_finite() && (!logarithmic || *value > 0.0))
    };
    let low = values().reduce(f64::min).context("no point can be drawn")?;
    let high = values().fold(low, f64::max);
    ensure!(
        low.is_finite() && high.is_finite(),
        "axis {axis} has no range"
    );
    if logarithmic {
        return Ok(low / 1.5..high * 1.5);
    }
    let margin = if high > low { 0.04 * (high - low) } else { 1.0 };
    Ok(low - margin..high + margin)
}

fn chart<X, Y>(figure: &Figure, area: &Area<'_>, x: X, y: Y) -> anyhow::Result<()>
where
    X: AsRangedCoord<Value = f64>,
    Y: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let mut chart = ChartBuilder::on(area)
        .caption(&figure.title, ("sans-serif", 18 * FINE))
        .margin(12 * FINE)
        .x_label_area_size(42 * FINE)
        .y_label_area_size(64 * FINE)
        .build_cartesian_2d(x, y)
        .map_err(said)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(COLOURS[6].mix(0.15).stroke_width(FINE))
        .axis_style(COLOURS[6].stroke_width(FINE))
        .set_all_tick_mark_size(5 * FINE)
        .x_desc(&figure.x)
        .y_desc(&figure.y)
        .x_label_formatter(&number)
        .y_label_formatter(&number)
        .label_style(("sans-serif", 13 * FINE))
        .draw()
        .map_err(said)?;
    for (series, colour) in figure.series.iter().zip(COLOURS.iter().cycle()) {
        add(&mut chart, series, *colour)?;
    }
    chart
        .configure_series_labels()
        .position(match figure.legend {
            Corner::UpperLeft => SeriesLabelPosition::UpperLeft,
            Corner::UpperRight => SeriesLabelPosition::UpperRight,
            Corner::LowerLeft => SeriesLabelPosition::LowerLeft,
            Corner::LowerRight => SeriesLabelPosition::LowerRight,
        })
        .legend_area_size(20 * FINE)
        .margin(6 * FINE)
        .background_style(WHITE.mix(0.8))
        .border_style(COLOURS[6].mix(0.3).stroke_width(FINE))
        .label_font(("sans-serif", 13 * FINE))
        .draw()
        .map_err(said)?;
    Ok(())
}

fn add<X, Y>(
    chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
    series: &Series,
    colour: RGBColor,
) -> anyhow::Result<()>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let mut named = false;
    if series.style != Style::Points {
        for piece in series.points.split(|point| place(point).is_none()) {
            let line = LineSeries::new(
                piece.iter().filter_map(place),
                colour.stroke_width(2 * FINE),
            );
            let drawn = chart.draw_series(line).map_err(said)?;
            if !named {
                named = true;
                drawn.label(&series.name).legend(move |(x, y)| {
                    PathElement::new(vec![(x, y), (x + KEY, y)], colour.stroke_width(2 * FINE))
                });
            }
        }
    }
    if series.style != Style::Line {
        let marks = series.points.iter().filter_map(place);
        let marks = marks.map(|at| Circle::new(at, 3 * FINE, colour.filled()));
        let drawn = chart.draw_series(marks).map_err(said)?;
        if !named {
            drawn
                .label(&series.name)
                .legend(move |(x, y)| Circle::new((x + KEY / 2, y), 3 * FINE, colour.filled()));
        }
    }
    Ok(())
}

fn place(point: &(Option<f64>, Option<f64>)) -> Option<(f64, f64)> {
    let (x, y) = (point.0?, point.1?);
    (x.is_finite() && y.is_finite()).then_some((x, y))
}

/// A label of an axis: short, with an exponent where digits would be many.
fn number(value: &f64) -> String {
    let size = value.abs();
    if size > 0.0 && !(1e-3..1e5).contains(&size) {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.3}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" {
        "0".to_owned()
    } else {
        short.to_owned()
    }
}
