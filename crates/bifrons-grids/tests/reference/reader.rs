//! Reads `grid_coordinates.txt`, whose head tells the format.

use bifrons_grids::{
    Axis, Breakpoint, Irregular, Linear, Logarithmic, PiecewiseLinear, PiecewiseLogarithmic, Side,
};

const TEXT: &str = include_str!("grid_coordinates.txt");

/// One axis of the file.
pub(crate) struct AxisCase {
    pub(crate) axis: Axis,
    /// Empty for irregular axes.
    pub(crate) nodes: Vec<f64>,
    pub(crate) queries: Vec<f64>,
    pub(crate) coordinates: Vec<f64>,
}

pub(crate) fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace()
        .map(|word| word.parse().unwrap())
        .collect()
}

/// Blocks of `(keyword, rest of the line)` that start with `first`.
pub(crate) fn blocks(first: &str) -> Vec<Vec<(&'static str, &'static str)>> {
    let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
    let mut blocks: Vec<Vec<_>> = Vec::new();
    for line in lines {
        let (key, rest) = line.split_once(' ').unwrap();
        if key == "axis" || key == "table" {
            blocks.push(Vec::new());
        }
        blocks.last_mut().unwrap().push((key, rest));
    }
    blocks.retain(|block| block[0].0 == first);
    blocks
}

pub(crate) fn line(block: &[(&str, &str)], key: &str) -> Vec<f64> {
    block
        .iter()
        .find(|(own, _)| *own == key)
        .map_or_else(Vec::new, |(_, rest)| numbers(rest))
}

pub(crate) fn axes() -> Vec<AxisCase> {
    blocks("axis")
        .into_iter()
        .map(|block| AxisCase {
            axis: axis(&block),
            nodes: line(&block, "nodes"),
            queries: line(&block, "queries"),
            coordinates: line(&block, "coordinates"),
        })
        .collect()
}

fn axis(block: &[(&str, &str)]) -> Axis {
    let words: Vec<&str> = block[0].1.split_whitespace().collect();
    let number = |i: usize| words[i].parse::<f64>().unwrap();
    match words[0] {
        "lin" => Linear::new(number(1), number(2), words[3].parse().unwrap())
            .unwrap()
            .into(),
        "log" => Logarithmic::new(number(1), number(2), words[3].parse().unwrap())
            .unwrap()
            .into(),
        "irreg" => Irregular::new(numbers(&words[1..].join(" ")))
            .unwrap()
            .into(),
        kind => {
            let (domain, points, counts) = pieces(block);
            match kind {
                "piecewise_lin" => PiecewiseLinear::new(domain, &points, &counts)
                    .unwrap()
                    .into(),
                _ => PiecewiseLogarithmic::new(domain, &points, &counts)
                    .unwrap()
                    .into(),
            }
        }
    }
}

fn pieces(block: &[(&str, &str)]) -> ([f64; 2], Vec<Breakpoint>, Vec<usize>) {
    let pieces: Vec<Vec<&str>> = block
        .iter()
        .filter(|(key, _)| *key == "piece")
        .map(|(_, rest)| rest.split_whitespace().collect())
        .collect();
    let breakpoints = pieces[1..]
        .iter()
        .map(|words| {
            let owner = if words[3] == "left" {
                Side::Left
            } else {
                Side::Right
            };
            Breakpoint {
                at: words[0].parse().unwrap(),
                owner,
            }
        })
        .collect();
    let last = &pieces[pieces.len() - 1];
    let domain = [pieces[0][0].parse().unwrap(), last[1].parse().unwrap()];
    (
        domain,
        breakpoints,
        pieces
            .iter()
            .map(|words| words[2].parse().unwrap())
            .collect(),
    )
}
