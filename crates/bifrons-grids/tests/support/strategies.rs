//! Random nodes, axes and queries.

use bifrons_grids::{
    Axis, Breakpoint, Grid, Irregular, Linear, Logarithmic, PiecewiseLinear, PiecewiseLogarithmic,
    Side,
};
use proptest::prelude::*;

/// 64 cases by default; `PROPTEST_CASES` asks for more.
pub(crate) fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() {
        default.cases
    } else {
        64
    };
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..default
    }
}

/// Strictly increasing nodes whose widths differ by up to nine orders of magnitude.
pub(crate) fn nodes(count: core::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    (-10.0_f64..10.0, prop::collection::vec(-6.0_f64..3.0, count)).prop_map(|(start, widths)| {
        widths
            .iter()
            .scan(start, |node, width| {
                *node += 10.0_f64.powf(*width);
                Some(*node)
            })
            .collect()
    })
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Left), Just(Side::Right)]
}

fn pieces() -> impl Strategy<Value = ([f64; 2], Vec<Breakpoint>, Vec<usize>)> {
    (
        0.01_f64..5.0,
        prop::collection::vec((0.01_f64..50.0, side(), 2_usize..40), 1..5),
    )
        .prop_map(|(start, pieces)| {
            let mut at = start;
            let (mut points, mut counts) = (Vec::new(), Vec::new());
            for (width, owner, count) in pieces {
                at += width;
                points.push(Breakpoint { at, owner });
                counts.push(count);
            }
            let stop = points.pop().unwrap().at;
            ([start, stop], points, counts)
        })
}

/// Any continuous axis, also with one point.
pub(crate) fn axis() -> impl Strategy<Value = Axis> {
    let bounds = || (-1e3_f64..1e3, 1e-6_f64..1e4, 1_usize..300);
    let positive = || (1e-9_f64..1e3, 1.001_f64..1e9, 1_usize..300);
    prop_oneof![
        bounds().prop_map(|(start, range, n)| Linear::new(start, start + range, n).unwrap().into()),
        positive().prop_map(
            |(start, ratio, n)| Logarithmic::new(start, start * ratio, n).unwrap().into()
        ),
        nodes(1..100).prop_map(|nodes| Irregular::new(nodes).unwrap().into()),
        pieces().prop_map(|(domain, points, counts)| {
            PiecewiseLinear::new(domain, &points, &counts)
                .unwrap()
                .into()
        }),
        pieces().prop_map(|(domain, points, counts)| {
            PiecewiseLogarithmic::new(domain, &points, &counts)
                .unwrap()
                .into()
        }),
    ]
}

/// Queries at, next to, between and far outside the nodes, from numbers in `0..1`.
pub(crate) fn queries(nodes: &[f64], seeds: &[f64]) -> Vec<f64> {
    let (first, last) = (nodes[0], nodes[nodes.len() - 1]);
    let range = if last > first { last - first } else { 1.0 };
    let pick = |seed: f64| nodes[index(seed, nodes.len())];
    let mut queries: Vec<f64> = seeds
        .iter()
        .enumerate()
        .map(|(i, &seed)| match i % 5 {
            0 => pick(seed),
            1 => pick(seed).next_up(),
            2 => pick(seed).next_down(),
            3 => first + range * seed,
            _ => first + range * (4.0 * seed - 1.5),
        })
        .collect();
    queries.extend([first, last, f64::INFINITY, f64::NEG_INFINITY, 0.0, f64::NAN]);
    queries
}

/// A place in `0..count` from a number in `0..1`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small and positive"
)]
pub(crate) fn index(seed: f64, count: usize) -> usize {
    ((seed * count as f64) as usize).min(count - 1)
}

/// Sorted with NaN last.
pub(crate) fn sorted(mut queries: Vec<f64>) -> Vec<f64> {
    queries.sort_by(|a, b| a.is_nan().cmp(&b.is_nan()).then(a.total_cmp(b)));
    queries
}

/// Numbers in `0..1`.
pub(crate) fn seeds(count: core::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(0.0_f64..1.0, count)
}

pub(crate) fn is_inside(axis: &impl Grid, x: f64) -> bool {
    x >= axis.first() && x <= axis.last()
}
