//! Input that is not an axis.

use bifrons_grids::{
    AxisError, Breakpoint, Categorical, Grid, Irregular, LengthError, Linear, Logarithmic,
    PieceError, PiecewiseLinear, PiecewiseLogarithmic,
};

#[test]
fn regular_bounds_are_finite_and_increase() {
    let found = Linear::new(f64::NAN, 1.0, 3);
    assert!(
        matches!(found, Err(AxisError::NonFiniteBound { name: "start", .. })),
        "start"
    );
    let infinite = AxisError::NonFiniteBound {
        name: "stop",
        value: f64::INFINITY,
    };
    assert_eq!(Linear::new(0.0, f64::INFINITY, 1), Err(infinite), "stop");
    let descending = AxisError::NotIncreasing {
        index: 1,
        previous: 1.0,
        value: 0.0,
    };
    assert_eq!(
        Linear::new(1.0, 0.0, 3),
        Err(descending.clone()),
        "descending"
    );
    assert_eq!(
        Logarithmic::new(1.0, 0.0, 3),
        Err(descending),
        "descending ratio"
    );
    let equal = AxisError::Duplicate {
        index: 1,
        value: 1.0,
    };
    assert_eq!(Linear::new(1.0, 1.0, 2), Err(equal), "equal");
    let wide = AxisError::RangeOverflow {
        start: -1e308,
        stop: 1e308,
    };
    assert_eq!(Linear::new(-1e308, 1e308, 2), Err(wide), "overflow");
    let fine = Linear::new(1.0, 1.0_f64.next_up(), 3);
    assert_eq!(
        fine,
        Err(AxisError::TooFine {
            index: 0,
            value: 1.0
        }),
        "too fine"
    );
    let many = Linear::new(0.0, 1.0, usize::MAX);
    assert!(
        matches!(
            many,
            Err(AxisError::TooMany {
                count: usize::MAX,
                ..
            })
        ),
        "too many"
    );
}

#[test]
fn ratios_need_positive_bounds() {
    for start in [0.0, -0.0, -1.0] {
        let found = Logarithmic::new(start, 1.0, 3);
        let expected = AxisError::NonPositiveBound {
            name: "start",
            value: start,
        };
        assert_eq!(found, Err(expected), "start {start}");
        let found = PiecewiseLogarithmic::new([start, 2.0], &[Breakpoint::left(1.0)], &[2, 2]);
        let expected = AxisError::NonPositiveBound {
            name: "start",
            value: start,
        };
        assert_eq!(found, Err(expected), "piecewise start {start}");
    }
    let found = Logarithmic::new(1.0, -1.0, 1);
    let expected = AxisError::NonPositiveBound {
        name: "stop",
        value: -1.0,
    };
    assert_eq!(found, Err(expected), "stop of one point");
}

#[test]
fn ratios_reach_from_the_smallest_to_the_largest_number() {
    let axis = Logarithmic::new(f64::MIN_POSITIVE, f64::MAX, 2047).unwrap();
    for (i, &node) in axis.nodes().iter().enumerate() {
        assert_eq!(
            axis.coordinate(node).to_bits(),
            (i as f64).to_bits(),
            "node {i}"
        );
    }
    let tiny = Logarithmic::new(5e-324, 1e-300, 9).unwrap();
    assert_eq!(
        tiny.coordinate(5e-324).to_bits(),
        0.0_f64.to_bits(),
        "subnormal start"
    );
    assert_eq!(
        tiny.rank(1e-310),
        tiny.nodes().iter().filter(|x| **x <= 1e-310).count(),
        "rank"
    );
}

#[test]
fn pieces_fit_their_breakpoints() {
    let new = |points: &[Breakpoint], counts: &[usize]| {
        PiecewiseLinear::new([0.0, 2.0], points, counts).map(|_| ())
    };
    let middle = [Breakpoint::right(1.0)];
    let mismatch = PieceError::CountMismatch {
        breakpoints: 1,
        counts: 1,
    };
    assert_eq!(
        new(&middle, &[2]),
        Err(AxisError::Piece(mismatch)),
        "counts"
    );
    let few = PieceError::TooFewPoints { piece: 1, count: 1 };
    assert_eq!(
        new(&middle, &[2, 1]),
        Err(AxisError::Piece(few)),
        "one point"
    );
}

#[test]
fn breakpoints_lie_inside_and_leave_room() {
    let new = |points: &[Breakpoint], counts: &[usize]| {
        PiecewiseLinear::new([0.0, 2.0], points, counts).map(|_| ())
    };
    let outside = AxisError::NotIncreasing {
        index: 2,
        previous: 3.0,
        value: 2.0,
    };
    assert_eq!(
        new(&[Breakpoint::right(3.0)], &[2, 2]),
        Err(outside),
        "beyond the domain"
    );
    let nan = new(&[Breakpoint::left(f64::NAN)], &[2, 2]);
    assert!(
        matches!(
            nan,
            Err(AxisError::NonFiniteBound {
                name: "breakpoint",
                ..
            })
        ),
        "NaN"
    );
    let end = [Breakpoint::right(f64::next_up(0.0))];
    let empty = PieceError::EmptyPiece {
        piece: 0,
        low: 0.0,
        high: 0.0,
    };
    assert_eq!(
        new(&end, &[2, 2]),
        Err(AxisError::Piece(empty)),
        "one number"
    );
    assert_eq!(
        new(&[], &[]),
        Err(PieceError::CountMismatch {
            breakpoints: 0,
            counts: 0
        }
        .into()),
        "none"
    );
    assert_eq!(new(&[], &[2]), Ok(()), "one piece");
}

#[test]
fn lists_increase() {
    let wide = AxisError::RangeOverflow {
        start: -1.7e308,
        stop: 1.7e308,
    };
    assert_eq!(Irregular::new([-1.7e308, 1.7e308]), Err(wide), "overflow");
    let found = Irregular::new([0.0, -0.0]);
    assert_eq!(
        found,
        Err(AxisError::Duplicate {
            index: 1,
            value: -0.0
        }),
        "both zeros"
    );
}

#[test]
fn labels_differ() {
    let found = Categorical::ordered(["a", "b", "a"]);
    let label = "a".to_owned();
    assert_eq!(
        found,
        Err(AxisError::DuplicateLabel {
            first: 0,
            second: 2,
            label
        }),
        "twice"
    );
    let none: [&str; 0] = [];
    assert_eq!(Categorical::unordered(none), Err(AxisError::Empty), "none");
    let axis = Categorical::unordered(["x", "y"]).unwrap();
    assert!(!axis.is_ordered() && !axis.is_continuous(), "unordered");
    assert_eq!(
        (axis.label(1), axis.label(2), axis.code("z")),
        (Some("y"), None, None),
        "lookup"
    );
    assert_eq!((axis.rank(0.5), axis.rank(f64::NAN)), (1, 2), "ranks");
}

#[test]
fn slices_have_the_same_length() {
    let axis = Linear::new(0.0, 1.0, 3).unwrap();
    let expected = LengthError {
        what: "ranks",
        expected: 2,
        found: 3,
    };
    assert_eq!(
        axis.ranks_into(&[0.0; 2], &mut [0; 3]),
        Err(expected),
        "ranks"
    );
    let expected = LengthError {
        what: "coordinates",
        expected: 2,
        found: 1,
    };
    assert_eq!(
        axis.coordinates_into(&[0.0; 2], &mut [0.0]),
        Err(expected),
        "coordinates"
    );
}

#[test]
fn messages_name_value_and_fix() {
    let message = Irregular::new([0.0, 2.0, 1.0]).unwrap_err().to_string();
    assert_eq!(
        message, "nodes must increase: entry 2 is 1 after 2; sort the list",
        "message"
    );
}
