//! Inputs on which grid codes are known to go wrong, each with the right answer.
#![expect(clippy::float_cmp, reason = "the cases ask for exact numbers")]
#![expect(clippy::unwrap_used, reason = "a test may stop at a broken fixture")]

use bifrons_grids::{
    Axis, AxisError, Breakpoint, Extrapolation, FitError, Grid, Interpolant, Irregular, Knots,
    Linear, Locator, Method, PieceError, PiecewiseLinear, ReadError, SlopeRule,
};

const METHODS: [Method; 3] = [
    Method::Linear,
    Method::MonotoneCubic(SlopeRule::Harmonic),
    Method::MonotoneCubic(SlopeRule::Parabola),
];

fn linear(nodes: &[f64], values: &[f64], policy: Extrapolation) -> Interpolant {
    Interpolant::new(Method::Linear, nodes, values, policy).unwrap()
}

fn values(interpolant: &Interpolant, queries: &[f64]) -> Vec<f64> {
    queries
        .iter()
        .map(|&x| interpolant.read(x).unwrap().value)
        .collect()
}

/// grid-01: queries outside the range.
mod outside {
    use super::*;

    const A: ([f64; 2], [f64; 2]) = ([0.0, 1.0], [1.0, 2.0]);
    const B: ([f64; 3], [f64; 3]) = ([0.0, 1.0, 3.0], [0.0, 1.0, 9.0]);

    #[test]
    fn clamp_holds_the_end_values() {
        let a = linear(&A.0, &A.1, Extrapolation::Clamp);
        let b = linear(&B.0, &B.1, Extrapolation::Clamp);
        assert_eq!(values(&a, &[-0.5, 1.5, 2.0]), [1.0, 2.0, 2.0], "A");
        assert_eq!(values(&b, &[-1.0, 4.0]), [0.0, 9.0], "B");
        assert_eq!(
            values(&a, &[f64::INFINITY, f64::NEG_INFINITY]),
            [2.0, 1.0],
            "infinite"
        );
        assert_eq!(a.read(-0.5).unwrap().slope, 0.0, "slope below");
        assert_eq!(a.read(1.5).unwrap().slope, 0.0, "slope above");
        assert_eq!(a.read(1.0).unwrap().slope, 1.0, "slope at the end");
    }

    #[test]
    fn linear_continues_the_outermost_cell() {
        let a = linear(&A.0, &A.1, Extrapolation::Linear);
        let b = linear(&B.0, &B.1, Extrapolation::Linear);
        assert_eq!(values(&a, &[-0.5, 1.5, 2.0]), [0.5, 2.5, 3.0], "A");
        assert_eq!(values(&b, &[-1.0, 4.0]), [-1.0, 13.0], "B");
        assert_eq!(b.read(4.0).unwrap().slope, 4.0, "slope above");
    }

    #[test]
    fn error_names_the_first_bad_query_and_keeps_the_others() {
        let b = linear(&B.0, &B.1, Extrapolation::Error);
        let (mut values, mut slopes) = ([0.0; 5], [0.0; 5]);
        let queries = [2.0, -1.0, 0.5, 4.0, 3.0];
        let mut locator = Locator::new();
        let found = b.read_unsorted(&mut locator, &queries, &mut values, &mut slopes);
        let expected = ReadError::Outside {
            index: 1,
            axis: 0,
            query: -1.0,
            low: 0.0,
            high: 3.0,
        };
        assert_eq!(found, Err(expected), "first bad query");
        assert_eq!(
            [values[0], values[2], values[4]],
            [5.0, 0.5, 9.0],
            "good answers"
        );
        assert!(
            values[1].is_nan() && values[3].is_nan(),
            "bad answers are NaN"
        );
        assert!(
            slopes[1].is_nan() && slopes[3].is_nan(),
            "bad slopes are NaN"
        );
    }

    #[test]
    fn nan_never_gives_a_finite_number() {
        for method in METHODS {
            for policy in [Extrapolation::Clamp, Extrapolation::Linear] {
                let b = Interpolant::new(method, &B.0, &B.1, policy).unwrap();
                let reading = b.read(f64::NAN).unwrap();
                assert!(reading.value.is_nan(), "{method:?} {policy:?}");
                let (mut value, mut slope) = ([0.0], [0.0]);
                b.read_sorted(&[f64::NAN], &mut value, &mut slope).unwrap();
                assert!(value[0].is_nan(), "{method:?} {policy:?} sorted");
            }
            let b = Interpolant::new(method, &B.0, &B.1, Extrapolation::Error).unwrap();
            for x in [
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                3.0_f64.next_up(),
            ] {
                assert!(
                    matches!(b.read(x), Err(ReadError::Outside { .. })),
                    "{method:?} at {x}"
                );
            }
        }
    }
}

/// grid-02: nodes of regular grids are exact.
mod regular_nodes {
    use super::*;

    #[test]
    fn regular_and_listed_nodes_agree() {
        let axis = Linear::new(5.0, 7.0, 3).unwrap();
        let y = [10.0, 20.0, 30.0];
        let queries = [5.0, 6.5, 7.0];
        let regular = Interpolant::new(Method::Linear, &axis, &y, Extrapolation::Error).unwrap();
        let listed = linear(&[5.0, 6.0, 7.0], &y, Extrapolation::Error);
        let (mut found, mut slopes) = ([0.0; 3], [0.0; 3]);
        regular
            .read_on(&axis, &queries, &mut found, &mut slopes)
            .unwrap();
        assert_eq!(found, [10.0, 25.0, 30.0], "regular");
        assert_eq!(values(&listed, &queries), [10.0, 25.0, 30.0], "listed");
    }

    #[test]
    fn last_node_is_the_stop() {
        let axis = Linear::new(0.0, 0.3, 4).unwrap();
        assert_eq!(axis.nodes()[3], 0.3, "last node");
        assert_eq!(axis.first(), 0.0, "first node");
    }

    #[test]
    fn stored_values_come_back_at_every_node() {
        let axis = Linear::new(-1.0, 2.0, 1001).unwrap();
        let y: Vec<f64> = (0..1001).map(|i| f64::from(i).sin()).collect();
        for method in METHODS {
            let curve = Interpolant::new(method, &axis, &y, Extrapolation::Error).unwrap();
            let (mut found, mut slopes) = (vec![0.0; 1001], vec![0.0; 1001]);
            curve
                .read_on(&axis, axis.nodes(), &mut found, &mut slopes)
                .unwrap();
            assert_eq!(found, y, "{method:?} on the axis");
            curve
                .read_sorted(axis.nodes(), &mut found, &mut slopes)
                .unwrap();
            assert_eq!(found, y, "{method:?} sorted");
        }
    }

    #[test]
    fn decimal_literals_hit_the_nodes() {
        let axis = Linear::new(0.1, 0.7, 7).unwrap();
        let curve =
            Interpolant::new(Method::Linear, &axis, axis.nodes(), Extrapolation::Error).unwrap();
        for x in [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7] {
            let found = curve.read(x).unwrap().value;
            assert!((found - x).abs() <= 1e-15, "{found} at {x}");
        }
    }
}

/// grid-03: unsorted, repeated and non-finite nodes.
mod bad_nodes {
    use super::*;

    fn fit(nodes: &[f64], values: &[f64]) -> FitError {
        Interpolant::new(Method::Linear, nodes, values, Extrapolation::Clamp).unwrap_err()
    }

    #[test]
    fn are_refused_with_the_index() {
        let unsorted = fit(&[0.0, 2.0, 1.0, 3.0], &[0.0, 4.0, 1.0, 9.0]);
        let expected = AxisError::NotIncreasing {
            index: 2,
            previous: 2.0,
            value: 1.0,
        };
        assert_eq!(unsorted, FitError::Nodes(expected), "A");
        let repeated = fit(&[0.0, 0.0, 1.0], &[1.0, 1.0, 2.0]);
        let expected = AxisError::Duplicate {
            index: 1,
            value: 0.0,
        };
        assert_eq!(repeated, FitError::Nodes(expected), "B");
        let jump = fit(&[0.0, 1.0, 1.0, 2.0], &[0.0, 1.0, 5.0, 6.0]);
        assert_eq!(
            jump,
            FitError::Nodes(AxisError::Duplicate {
                index: 2,
                value: 1.0
            }),
            "C"
        );
        let descending = fit(&[3.0, 2.0, 1.0], &[0.0; 3]);
        let expected = AxisError::NotIncreasing {
            index: 1,
            previous: 3.0,
            value: 2.0,
        };
        assert_eq!(descending, FitError::Nodes(expected), "D");
        assert!(
            matches!(
                fit(&[0.0, f64::NAN, 1.0], &[0.0; 3]),
                FitError::Nodes(AxisError::NonFiniteNode { index: 1, .. })
            ),
            "E"
        );
        assert!(
            matches!(fit(&[0.0, 1.0, 2.0], &[0.0; 2]), FitError::Length(e) if e.expected == 3),
            "F"
        );
        let infinite = AxisError::NonFiniteNode {
            index: 1,
            value: f64::INFINITY,
        };
        assert_eq!(
            fit(&[0.0, f64::INFINITY], &[0.0; 2]),
            FitError::Nodes(infinite),
            "G"
        );
    }

    #[test]
    fn a_jump_is_welcome_in_knots_with_pairs() {
        let x = [0.0, 1.0, 1.0, 2.0];
        let knots = Knots::with_pairs(&x);
        for method in METHODS {
            let jump = Interpolant::new(method, knots, &[0.0, 1.0, 5.0, 6.0], Extrapolation::Error)
                .unwrap();
            assert_eq!(jump.read_left(1.0).unwrap().value, 1.0, "{method:?} left");
            assert_eq!(jump.read(1.0).unwrap().value, 5.0, "{method:?} right");
            assert_eq!(jump.read(0.5).unwrap().value, 0.5, "{method:?} below");
            assert_eq!(jump.read(1.5).unwrap().value, 5.5, "{method:?} above");
        }
        let triple = [0.0, 1.0, 1.0, 1.0, 2.0];
        let fitted = Interpolant::new(
            Method::Linear,
            Knots::with_pairs(&triple),
            &[0.0; 5],
            Extrapolation::Error,
        );
        let expected = AxisError::Duplicate {
            index: 3,
            value: 1.0,
        };
        assert_eq!(
            fitted.unwrap_err(),
            FitError::Nodes(expected),
            "three copies"
        );
    }
}

/// grid-06: who owns a breakpoint.
mod breakpoints {
    use super::*;

    const Y: [f64; 6] = [1.0, 1.0, 5.0, 5.0, 7.0, 8.0];

    fn check(curve: &Interpolant, what: &str) {
        let queries = [
            0.0,
            0.5,
            1.0_f64.next_down(),
            1.0,
            1.0_f64.next_up(),
            2.0,
            3.0,
        ];
        let expected = [1.0, 1.0, 1.0, 5.0, 5.0, 7.0, 8.0];
        assert_eq!(values(curve, &queries), expected, "{what} scalar");
        let (mut found, mut slopes) = ([0.0; 7], [0.0; 7]);
        curve
            .read_sorted(&queries, &mut found, &mut slopes)
            .unwrap();
        assert_eq!(found, expected, "{what} sorted");
        assert_eq!(slopes, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0], "{what} slopes");
        curve
            .read_unsorted(&mut Locator::new(), &queries, &mut found, &mut slopes)
            .unwrap();
        assert_eq!(found, expected, "{what} unsorted");
        for x in [0.0_f64.next_down(), 3.0_f64.next_up()] {
            assert!(
                matches!(curve.read(x), Err(ReadError::Outside { .. })),
                "{what} at {x}"
            );
        }
        let limits = [1.0, 2.0].map(|x| curve.read_left(x).unwrap().value);
        assert_eq!(limits, [1.0, 5.0], "{what} left limits");
        let left = curve.read_left(2.0).unwrap().slope;
        let right = curve.read(2.0).unwrap().slope;
        assert_eq!([left, right], [0.0, 1.0], "{what} derivatives at 2");
    }

    #[test]
    fn right_pieces_own_them() {
        let points = [Breakpoint::right(1.0), Breakpoint::right(2.0)];
        let axis = PiecewiseLinear::new([0.0, 3.0], &points, &[2, 2, 2]).unwrap();
        for method in METHODS {
            let curve = Interpolant::new(method, &axis, &Y, Extrapolation::Error).unwrap();
            check(&curve, "pieces");
            let nodes = [0.0, 1.0, 1.0, 2.0, 2.0, 3.0];
            let knots = Knots::with_pairs(&nodes);
            let pairs = Interpolant::new(method, knots, &Y, Extrapolation::Error).unwrap();
            check(&pairs, "pairs");
        }
    }

    #[test]
    fn left_pieces_own_them_if_asked() {
        let points = [Breakpoint::left(1.0), Breakpoint::left(2.0)];
        let axis = PiecewiseLinear::new([0.0, 3.0], &points, &[2, 2, 2]).unwrap();
        let curve = Interpolant::new(Method::Linear, &axis, &Y, Extrapolation::Error).unwrap();
        let queries = [
            1.0_f64.next_down(),
            1.0,
            1.0_f64.next_up(),
            2.0,
            2.0_f64.next_up(),
        ];
        assert_eq!(
            values(&curve, &queries),
            [1.0, 1.0, 5.0, 5.0, 7.0],
            "values"
        );
        assert_eq!(curve.read_left(2.0).unwrap().slope, 0.0, "left slope");
        assert_eq!(curve.read_right(2.0).unwrap().value, 7.0, "right limit");
        assert_eq!(curve.read_right(1.0).unwrap().value, 5.0, "right limit");
    }

    #[test]
    fn an_empty_piece_is_refused() {
        let points = [Breakpoint::right(1.0), Breakpoint::right(1.0)];
        let found = PiecewiseLinear::new([0.0, 2.0], &points, &[2, 2, 2]);
        assert_eq!(
            found,
            Err(AxisError::Duplicate {
                index: 2,
                value: 1.0
            }),
            "repeated"
        );
        let points = [Breakpoint::left(1.0), Breakpoint::right(1.0_f64.next_up())];
        let found = PiecewiseLinear::new([0.0, 2.0], &points, &[2, 2, 2]);
        let is_empty = matches!(
            found,
            Err(AxisError::Piece(PieceError::EmptyPiece { piece: 1, .. }))
        );
        assert!(is_empty, "nothing between");
    }

    #[test]
    fn there_is_no_hidden_tolerance() {
        let points = [Breakpoint::right(0.1 + 0.2)];
        let axis = PiecewiseLinear::new([0.0, 1.0], &points, &[3, 3]).unwrap();
        assert_eq!((axis.piece(0.3), axis.piece(0.1 + 0.2)), (0, 1), "owners");
        let y = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0];
        let curve = Interpolant::new(Method::Linear, &axis, &y, Extrapolation::Error).unwrap();
        assert_eq!(values(&curve, &[0.3, 0.1 + 0.2]), [1.0, 2.0], "values");
    }
}

/// grid-07: one point, or none.
mod one_point {
    use super::*;

    #[test]
    fn is_a_constant() {
        let mut methods = METHODS.to_vec();
        methods.push(Method::InverseUtility { risk_aversion: 0.5 });
        for method in methods {
            let fit = |policy| Interpolant::new(method, &[2.0], &[7.0], policy).unwrap();
            assert_eq!(
                values(&fit(Extrapolation::Clamp), &[2.0, 1.0, 3.0]),
                [7.0; 3],
                "clamp"
            );
            for policy in [Extrapolation::Linear, Extrapolation::Error] {
                let curve = fit(policy);
                assert_eq!(
                    curve.read(2.0).unwrap().value,
                    7.0,
                    "{policy:?} at the node"
                );
                for query in [1.0, 3.0] {
                    let expected = ReadError::Outside {
                        index: 0,
                        axis: 0,
                        query,
                        low: 2.0,
                        high: 2.0,
                    };
                    assert_eq!(curve.read(query), Err(expected), "{policy:?}");
                }
            }
        }
    }

    #[test]
    fn no_node_is_an_error() {
        let none: [f64; 0] = [];
        let found = Interpolant::new(Method::Linear, &none, &none, Extrapolation::Clamp);
        assert_eq!(
            found.unwrap_err(),
            FitError::Nodes(AxisError::Empty),
            "interpolant"
        );
        assert_eq!(Linear::new(0.0, 1.0, 0), Err(AxisError::Empty), "linear");
        assert_eq!(Irregular::new([]), Err(AxisError::Empty), "irregular");
    }

    #[test]
    fn lies_at_the_start() {
        assert_eq!(
            Linear::new(2.0, 2.0, 1).unwrap().nodes(),
            [2.0],
            "equal bounds"
        );
        let axis = Axis::from(Linear::new(2.0, 3.0, 1).unwrap());
        assert_eq!(axis.nodes(), [2.0], "start only");
        assert_eq!(
            [1.0, 2.0, 5.0].map(|x| axis.coordinate(x)),
            [0.0; 3],
            "coordinates"
        );
        assert!(axis.coordinate(f64::NAN).is_nan(), "NaN");
    }

    #[test]
    fn two_points_make_a_straight_cubic() {
        for method in METHODS {
            let curve =
                Interpolant::new(method, &[0.0, 1.0], &[1.0, 3.0], Extrapolation::Error).unwrap();
            let reading = curve.read(0.25).unwrap();
            assert_eq!((reading.value, reading.slope), (1.5, 2.0), "{method:?}");
        }
    }
}
