//! Multilinear reads: reference numbers, a plain recursive sibling, special values, errors.
#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "exact numbers; broken input stops"
)]

#[path = "reference/reader.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod reference;
#[path = "support/strategies.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod strategies;

use bifrons_grids::{
    Axis, Categorical, Extrapolation, Grid, Interpolant, Irregular, LengthError, Linear, Method,
    Multilinear, ProductSpace, ReadError, SpaceError,
};
use proptest::prelude::*;
use strategies::{axis, config, queries, seeds};

const INF: f64 = f64::INFINITY;

fn reader(axes: Vec<Axis>, policy: Extrapolation) -> Multilinear {
    let policies = vec![policy; axes.len()];
    Multilinear::new(ProductSpace::new(axes).unwrap(), &policies).unwrap()
}

fn listed(nodes: &[f64]) -> Axis {
    Irregular::new(nodes).unwrap().into()
}

#[test]
fn reads_at_coordinates_agree_with_the_reference() {
    let blocks = reference::blocks("table");
    assert_eq!(blocks.len(), 2, "tables in the file");
    let mut worst = 0.0_f64;
    for block in blocks {
        let shape = reference::numbers(block[0].1);
        let axes: Vec<Axis> = shape
            .iter()
            .map(|&n| {
                Linear::new(0.0, n - 1.0, strategies::index(n / 1000.0, 1000))
                    .unwrap()
                    .into()
            })
            .collect();
        let dimension = axes.len();
        // On nodes 0, 1, … a coordinate is the value itself, so that both reads must agree.
        let reader = reader(axes, Extrapolation::Linear);
        let table = reference::line(&block, "entries");
        let values = reference::line(&block, "values");
        let points = reference::line(&block, "at");
        for (at, value) in points.chunks(dimension).zip(values) {
            let by_coordinate = reader.read_at_coordinates(&table, at).unwrap();
            let by_value = reader.read(&table, at).unwrap();
            worst = worst
                .max((by_coordinate - value).abs())
                .max((by_value - value).abs());
        }
    }
    println!("worst {worst:.1e}");
    assert!(worst < 1e-14, "worst error {worst:e}");
}

#[test]
fn a_one_point_axis_does_no_harm() {
    // grid-07 B
    let axes = vec![listed(&[2.0]), listed(&[0.0, 1.0, 2.0])];
    let table = [10.0, 20.0, 40.0];
    let clamped = reader(axes.clone(), Extrapolation::Clamp);
    let found = [[2.0, 0.5], [2.0, 2.0], [3.0, 1.0]].map(|at| clamped.read(&table, &at).unwrap());
    assert_eq!(found, [15.0, 40.0, 20.0], "clamp");
    for policy in [Extrapolation::Linear, Extrapolation::Error] {
        let strict = reader(axes.clone(), policy);
        assert_eq!(
            strict.read(&table, &[2.0, 0.5]).unwrap(),
            15.0,
            "{policy:?}"
        );
        let expected = ReadError::Outside {
            index: 0,
            axis: 0,
            query: 3.0,
            low: 2.0,
            high: 2.0,
        };
        assert_eq!(
            strict.read(&table, &[3.0, 1.0]),
            Err(expected),
            "{policy:?}"
        );
    }
}

#[test]
fn infinite_corners_follow_the_rule() {
    let square = || vec![listed(&[0.0, 1.0]), listed(&[0.0, 1.0])];
    let reader = reader(square(), Extrapolation::Linear);
    let table = [1.0, 2.0, 3.0, -INF];
    let mut gradient = [9.0; 2];
    assert_eq!(
        reader.read(&table, &[0.0, 0.5]).unwrap(),
        1.5,
        "edge without the corner"
    );
    assert_eq!(reader.read(&table, &[1.0, 0.0]).unwrap(), 3.0, "node");
    assert_eq!(
        reader.read(&table, &[1.0, 1.0]).unwrap(),
        -INF,
        "the corner itself"
    );
    let inside = reader
        .read_gradient(&table, &[0.5, 0.5], &mut gradient)
        .unwrap();
    assert_eq!((inside, gradient), (-INF, [0.0; 2]), "inside");
    assert_eq!(
        reader.read(&table, &[-0.5, 0.5]).unwrap(),
        -INF,
        "negative weight"
    );
    let poisoned = [1.0, f64::NAN, 3.0, -INF];
    let value = reader
        .read_gradient(&poisoned, &[0.5, 0.5], &mut gradient)
        .unwrap();
    assert!(
        value.is_nan() && gradient.iter().all(|g| g.is_nan()),
        "NaN corner"
    );
    assert_eq!(
        reader.read(&poisoned, &[0.5, 0.0]).unwrap(),
        2.0,
        "edge without NaN"
    );
    let both = [1.0, INF, 3.0, -INF];
    assert!(
        reader.read(&both, &[0.5, 0.5]).unwrap().is_nan(),
        "both signs"
    );
}

#[test]
fn categories_take_codes_only() {
    let health = Categorical::ordered(["bad", "fair", "good"]).unwrap();
    let axes = vec![health.into(), listed(&[0.0, 1.0])];
    let reader = reader(axes, Extrapolation::Clamp);
    let table = [0.0, 1.0, 10.0, 11.0, 20.0, 21.0];
    let mut gradient = [9.0; 2];
    let value = reader
        .read_gradient(&table, &[1.0, 0.5], &mut gradient)
        .unwrap();
    assert_eq!((value, gradient), (10.5, [0.0, 1.0]), "a code");
    for query in [0.5, -1.0, 3.0, INF] {
        let expected = ReadError::NotACode {
            index: 0,
            axis: 0,
            query,
            count: 3,
        };
        assert_eq!(reader.read(&table, &[query, 0.5]), Err(expected), "{query}");
        let by_coordinate = reader.read_at_coordinates(&table, &[query, 0.5]);
        assert!(
            by_coordinate == Err(expected) || query == INF,
            "coordinate {query}"
        );
    }
    let nan = reader.read(&table, &[f64::NAN, 0.5]);
    assert!(
        matches!(nan, Err(ReadError::NotACode { axis: 0, .. })),
        "NaN is no code"
    );
}

#[test]
fn slices_report_the_first_bad_query_and_keep_the_others() {
    let axes = vec![listed(&[0.0, 1.0]), listed(&[0.0, 2.0])];
    let reader = reader(axes, Extrapolation::Error);
    let table = [0.0, 2.0, 1.0, 3.0];
    let (mut xs, mut ys) = (vec![0.5; 40], vec![1.0; 40]);
    (xs[30], ys[21], xs[21]) = (1.5, -1.0, 9.0);
    let (mut values, mut dx, mut dy) = (vec![0.0; 40], vec![0.0; 40], vec![0.0; 40]);
    let found =
        reader.read_gradients_into(&table, &[&xs, &ys], &mut values, &mut [&mut dx, &mut dy]);
    let expected = ReadError::Outside {
        index: 21,
        axis: 0,
        query: 9.0,
        low: 0.0,
        high: 1.0,
    };
    assert_eq!(found, Err(expected), "first bad");
    for i in 0..40 {
        let bad = i == 21 || i == 30;
        assert_eq!(values[i].is_nan(), bad, "value {i}");
        assert_eq!(dx[i].is_nan() && dy[i].is_nan(), bad, "gradient {i}");
        assert!(
            bad || (values[i] == 1.5 && dx[i] == 1.0 && dy[i] == 1.0),
            "answer {i}"
        );
    }
}

#[test]
fn shapes_are_checked() {
    let space = ProductSpace::new(vec![listed(&[0.0, 1.0]); 2]).unwrap();
    let found = Multilinear::new(space, &[Extrapolation::Clamp]);
    let length = LengthError {
        what: "policies",
        expected: 2,
        found: 1,
    };
    assert_eq!(found.unwrap_err(), SpaceError::Length(length), "policies");
    let reader = reader(vec![listed(&[0.0, 1.0]); 2], Extrapolation::Clamp);
    let length = |what, expected, found| {
        Err(ReadError::Length(LengthError {
            what,
            expected,
            found,
        }))
    };
    assert_eq!(
        reader.read(&[0.0; 3], &[0.0; 2]),
        length("table", 4, 3),
        "table"
    );
    assert_eq!(
        reader.read(&[0.0; 4], &[0.0; 3]),
        length("point", 2, 3),
        "point"
    );
    let mut values = [0.0; 2];
    let found = reader
        .read_into(&[0.0; 4], &[&[0.0; 2], &[0.0; 1]], &mut values)
        .map(|()| 0.0);
    assert_eq!(found, length("points[axis]", 2, 1), "queries");
    let many = ProductSpace::new(vec![listed(&[0.0]); 13]).unwrap();
    let found = Multilinear::new(many, &[Extrapolation::Clamp; 13]);
    assert_eq!(
        found.unwrap_err(),
        SpaceError::TooManyAxes { axes: 13, most: 12 },
        "axes"
    );
}

#[test]
fn spaces_number_points_row_major() {
    let axes = vec![
        listed(&[0.0, 1.0]),
        listed(&[5.0]),
        listed(&[0.0, 2.0, 4.0]),
    ];
    let space = ProductSpace::new(axes).unwrap();
    assert_eq!(
        (space.shape(), space.strides()),
        (&[2, 1, 3][..], &[3, 3, 1][..]),
        "layout"
    );
    let (mut indices, mut point) = ([0; 3], [0.0; 3]);
    for flat in 0..space.len() {
        space.indices_into(flat, &mut indices).unwrap();
        assert_eq!(space.index(&indices).unwrap(), flat, "there and back");
        space.point_into(flat, &mut point).unwrap();
        let nodes: Vec<f64> = indices
            .iter()
            .zip(space.axes())
            .map(|(&i, axis)| axis.nodes()[i])
            .collect();
        assert_eq!(point.to_vec(), nodes, "point {flat}");
    }
    let beyond = SpaceError::Index {
        axis: 2,
        index: 3,
        count: 3,
    };
    assert_eq!(space.index(&[0, 0, 3]), Err(beyond), "index");
    let beyond = SpaceError::FlatIndex { index: 6, count: 6 };
    assert_eq!(
        space.indices_into(6, &mut indices),
        Err(beyond),
        "flat index"
    );
    assert_eq!(
        ProductSpace::new([]).unwrap().len(),
        1,
        "no axes, one point"
    );
    let huge = Axis::from(Linear::new(0.0, 1.0, 70_000).unwrap());
    assert_eq!(
        ProductSpace::new(vec![huge; 4]),
        Err(SpaceError::TooLarge { axes: 4 }),
        "more points than numbers"
    );
}

/// The definition: linear in the first axis between reads of the remaining ones.
#[test]
fn cells_are_read_at_every_code_with_the_bits_of_a_read_there() {
    let codes = Categorical::unordered(["a", "b", "c"]).unwrap();
    let axes = vec![
        codes.into(),
        listed(&[0.0, 1.0, 1.5, 4.0]),
        listed(&[-1.0, 0.25, 2.0]),
    ];
    let reader = reader(axes, Extrapolation::Linear);
    let table: Vec<f64> = (0..36).map(|i| (f64::from(i) * 0.7).sin() * 3.0).collect();
    let x: Vec<f64> = (0..16).map(|i| -0.5 + 0.33 * f64::from(i)).collect();
    let y: Vec<f64> = (0..16).map(|i| 2.5 - 0.25 * f64::from(i)).collect();
    let cells = reader.cells(&[&[0.0; 16], &x, &y]).unwrap();
    for code in 0..3_u32 {
        let mut expected = [0.0; 16];
        let codes = [f64::from(code); 16];
        reader
            .read_into(&table, &[&codes, &x, &y], &mut expected)
            .unwrap();
        let found = cells.value(&table, 12 * code as usize).unwrap();
        assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits));
    }
    let beyond = cells.value(&table, 36);
    assert!(
        matches!(beyond, Err(ReadError::Length(_))),
        "an offset outside"
    );
    let short = cells.value(&table[..35], 0);
    assert!(matches!(short, Err(ReadError::Length(_))), "another table");
    let outside = reader.cells(&[&[3.0; 16], &x, &y]);
    assert!(
        matches!(outside, Err(ReadError::NotACode { .. })),
        "no code"
    );
}

fn naive(axes: &[Axis], table: &[f64], point: &[f64]) -> f64 {
    let Some((axis, rest)) = axes.split_first() else {
        return table[0];
    };
    let block = table.len() / axis.len();
    let read = |i: usize| naive(rest, &table[i * block..(i + 1) * block], &point[1..]);
    if axis.len() == 1 {
        return read(0);
    }
    let bracket = axis.bracket(point[0]);
    let (low, high) = (read(bracket.cell), read(bracket.cell + 1));
    low * (1.0 - bracket.weight) + high * bracket.weight
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn agrees_with_the_definition_and_with_itself(
        axes in prop::collection::vec(axis().prop_filter("small", |axis| axis.len() <= 12), 0..4),
        entries in prop::collection::vec(-4.0_f64..4.0, 12 * 12 * 12),
        seeds in seeds(60..61),
    ) {
        let dimension = axes.len();
        let reader = reader(axes.clone(), Extrapolation::Clamp);
        let table = &entries[..reader.space().len()];
        let columns: Vec<Vec<f64>> = axes.iter().enumerate()
            .map(|(a, axis)| queries(axis.nodes(), &seeds[a..40 + a]))
            .collect();
        let count = columns.first().map_or(3, Vec::len);
        let points: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let mut values = vec![0.0; count];
        let mut gradients = vec![vec![0.0; count]; dimension];
        let mut slots: Vec<&mut [f64]> = gradients.iter_mut().map(Vec::as_mut_slice).collect();
        reader.read_gradients_into(table, &points, &mut values, &mut slots).unwrap();
        let mut only = vec![0.0; count];
        reader.read_into(table, &points, &mut only).unwrap();
        for i in 0..count {
            let point: Vec<f64> = columns.iter().map(|column| column[i]).collect();
            let mut gradient = vec![0.0; dimension];
            let value = reader.read_gradient(table, &point, &mut gradient).unwrap();
            prop_assert_eq!(value.to_bits(), values[i].to_bits(), "slice at {:?}", &point);
            prop_assert_eq!(value.to_bits(), only[i].to_bits(), "value alone at {:?}", &point);
            for (axis, component) in gradient.iter().enumerate() {
                let slice = gradients[axis][i];
                let same = component.to_bits() == slice.to_bits()
                    || (component.is_nan() && slice.is_nan());
                prop_assert!(same, "gradient {} at {:?}", axis, &point);
            }
            if point.iter().any(|x| x.is_nan()) {
                prop_assert!(value.is_nan(), "NaN at {:?}", &point);
                continue;
            }
            let inside: Vec<f64> = point.iter().zip(&axes)
                .map(|(x, axis)| x.clamp(axis.first(), axis.last())).collect();
            let expected = naive(&axes, table, &inside);
            prop_assert!((value - expected).abs() < 1e-13, "{} {} at {:?}", value, expected, point);
        }
    }

    #[test]
    fn the_gradient_is_the_derivative(
        axes in prop::collection::vec(axis().prop_filter("small", |axis| axis.len() <= 10), 1..4),
        entries in prop::collection::vec(-4.0_f64..4.0, 1000),
        seeds in seeds(6..7),
    ) {
        let reader = reader(axes.clone(), Extrapolation::Linear);
        let table = &entries[..reader.space().len()];
        let cells: Vec<[f64; 2]> = axes.iter().zip(&seeds).map(|(axis, &seed)| {
            let starts = axis.piece_starts();
            let cell = strategies::index(seed, axis.len().max(2) - 1);
            let cell = if starts.contains(&(cell + 1)) { cell - 1 } else { cell };
            [axis.nodes()[cell], axis.nodes().get(cell + 1).copied().unwrap_or(axis.first())]
        }).collect();
        let point: Vec<f64> = cells.iter().zip(&seeds[3..])
            .map(|(cell, place)| cell[0] + (0.1 + 0.8 * place) * (cell[1] - cell[0])).collect();
        let mut gradient = vec![0.0; axes.len()];
        reader.read_gradient(table, &point, &mut gradient).unwrap();
        for (axis, cell) in cells.iter().enumerate() {
            let width = cell[1] - cell[0];
            if width == 0.0 {
                prop_assert_eq!(gradient[axis], 0.0, "one point");
                continue;
            }
            let at = |x: f64| {
                let mut moved = point.clone();
                moved[axis] = x;
                reader.read(table, &moved).unwrap()
            };
            // Linear along the axis: the difference over most of the cell is exact but rounding.
            let (low, high) = (cell[0] + 0.05 * width, cell[0] + 0.95 * width);
            let numeric = (at(high) - at(low)) / (high - low);
            prop_assert!((gradient[axis] - numeric).abs() * width < 1e-12,
                "axis {}: {} {}", axis, gradient[axis], numeric);
        }
    }

    #[test]
    fn one_axis_equals_the_linear_interpolant(
        axis in axis(),
        policy in prop_oneof![Just(Extrapolation::Clamp), Just(Extrapolation::Linear)],
        values in prop::collection::vec(-5.0_f64..5.0, 300),
        seeds in seeds(10..60),
    ) {
        let values = &values[..axis.len()];
        let curve = Interpolant::new(Method::Linear, &axis, values, policy).unwrap();
        let reader = reader(vec![axis.clone()], policy);
        for x in queries(axis.nodes(), &seeds) {
            let (Ok(expected), Ok(found)) = (curve.read(x), reader.read(values, &[x])) else {
                prop_assert!(curve.read(x).is_err() && reader.read(values, &[x]).is_err());
                continue;
            };
            let far = axis.bracket(x).weight.abs().max(1.0);
            let same = (found - expected.value).abs() <= 1e-14 * far || x.is_nan() || far > 1e100;
            prop_assert!(same, "{} {} at {}", found, expected.value, x);
        }
    }
}
