//! Derivatives against dual numbers that are computed beside the expression.

use bifrons_expr::{Expr, Symbol};
use bifrons_lanes::math;
use proptest::prelude::*;

/// Value, derivative by `x`, and a bound of the derivative in which nothing cancels.
#[derive(Debug, Clone, Copy)]
struct Dual {
    value: f64,
    slope: f64,
    size: f64,
}

/// The same number as expression and as dual number.
#[derive(Debug, Clone)]
struct Twin {
    expr: Expr,
    dual: Dual,
}

fn constant(value: f64) -> Twin {
    let (slope, size) = (0.0, 0.0);
    let dual = Dual { value, slope, size };
    Twin {
        expr: Expr::constant(value),
        dual,
    }
}

fn leaf(word: u32, point: [f64; 2]) -> Twin {
    let symbol = |name: &str, value: f64, slope: f64| Twin {
        expr: Expr::symbol(name),
        dual: Dual {
            value,
            slope,
            size: slope,
        },
    };
    match word % 6 {
        0..=2 => symbol("x", point[0], 1.0),
        3 | 4 => symbol("y", point[1], 0.0),
        _ => constant([0.5, -2.0, 3.0][word as usize / 6 % 3]),
    }
}

/// `f(a)` with slope `f'(a)`.
fn one(a: &Twin, f: fn(&Expr) -> Expr, value: f64, factor: f64) -> Twin {
    Twin {
        expr: f(&a.expr),
        dual: Dual {
            value,
            slope: factor * a.dual.slope,
            size: factor.abs() * a.dual.size,
        },
    }
}

/// `f(a, b)` with slopes by both.
fn two(a: &Twin, b: &Twin, expr: Expr, value: f64, by: [f64; 2]) -> Twin {
    let (da, db) = (a.dual, b.dual);
    Twin {
        expr,
        dual: Dual {
            value,
            slope: by[0] * da.slope + by[1] * db.slope,
            size: by[0].abs() * da.size + by[1].abs() * db.size,
        },
    }
}

fn smooth(word: u32, a: &Twin) -> Twin {
    let v = a.dual.value;
    match word % 12 {
        0 => one(a, Expr::sin, math::sin(v), math::cos(v)),
        1 => one(a, Expr::cos, math::cos(v), -math::sin(v)),
        2 => one(a, Expr::tanh, math::tanh(v), math::cosh(v).powi(-2)),
        3 => one(a, Expr::atan, math::atan(v), 1.0 / (1.0 + v * v)),
        4 => one(a, |e| e.powi(3), v * (v * v), 3.0 * (v * v)),
        5 => one(a, |e| e.powi(-2), 1.0 / (v * v), -2.0 / (v * v * v)),
        6 => one(
            a,
            |e| (e * e + 1.0).sqrt(),
            (v * v + 1.0).sqrt(),
            v / (v * v + 1.0).sqrt(),
        ),
        7 => one(
            a,
            |e| (e * e + 1.0).ln(),
            math::ln(v * v + 1.0),
            2.0 * v / (v * v + 1.0),
        ),
        8 => one(
            a,
            |e| (-(e * e)).exp(),
            math::exp(-(v * v)),
            -2.0 * v * math::exp(-(v * v)),
        ),
        9 => one(a, |e| -e, -v, -1.0),
        10 => one(a, Expr::abs, v.abs(), if v >= 0.0 { 1.0 } else { -1.0 }),
        _ => one(
            a,
            Expr::erf,
            math::erf(v),
            std::f64::consts::FRAC_2_SQRT_PI * math::exp(-(v * v)),
        ),
    }
}

fn combined(word: u32, a: &Twin, b: &Twin) -> Twin {
    let ((x, y), (u, v)) = ((&a.expr, &b.expr), (a.dual.value, b.dual.value));
    match word % 8 {
        0 => two(a, b, x + y, u + v, [1.0, 1.0]),
        1 => two(a, b, x - y, u - v, [1.0, -1.0]),
        2 => two(a, b, x * y, u * v, [v, u]),
        3 => two(a, b, x / y, u / v, [1.0 / v, -u / v / v]),
        4 => {
            let length = math::hypot(u, v);
            two(a, b, x.hypot(y), length, [u / length, v / length])
        }
        5 => {
            let square = u * u + v * v;
            two(
                a,
                b,
                x.atan2(y),
                math::atan2(u, v),
                [v / square, -u / square],
            )
        }
        6 => {
            let first = u >= v;
            let by = if first { [1.0, 0.0] } else { [0.0, 1.0] };
            two(a, b, x.max(y), if first { u } else { v }, by)
        }
        _ => {
            let first = u < v;
            let by = if first { [1.0, 0.0] } else { [0.0, 1.0] };
            let expr = Expr::select(x.lt(y), x, y);
            two(a, b, expr, if first { u } else { v }, by)
        }
    }
}

proptest! {
    /// Both round at most some ten times per operation, each time by half a unit in the last place
    /// of a term that the size bounds; functions add a few units of their value.
    #[test]
    fn derivatives_agree_with_dual_numbers(
        words in prop::collection::vec(any::<u32>(), 1..30),
        point in prop::array::uniform2(-2.0_f64..2.0),
    ) {
        let mut stack = vec![leaf(words[0], point)];
        for word in &words {
            let a = stack[stack.len() - 1].clone();
            let b = stack[(word >> 8) as usize % stack.len()].clone();
            let next = match word % 3 {
                0 => leaf(word / 3, point),
                1 => smooth(word / 3, &a),
                _ => combined(word / 3, &b, &a),
            };
            stack.push(next);
        }
        let Twin { expr, dual } = stack.pop().expect("at least one");
        let mut here = |s: &Symbol| Some(point[usize::from(s.name() == "y")]);
        let value = expr.evaluate(&mut here).expect("known");
        let slope = expr.derivative(&Symbol::new("x")).evaluate(&mut here).expect("known");
        // Beyond this size products of slopes leave the range of numbers.
        prop_assume!(dual.value.is_finite() && dual.size < 1e100 && dual.slope.is_finite());
        prop_assert_eq!(value.to_bits(), dual.value.to_bits(), "{}: {} {}", expr, value, dual.value);
        let bound = 100.0 * words.len() as f64 * f64::EPSILON * dual.size;
        prop_assert!((slope - dual.slope).abs() <= bound, "{}: {} {}", expr, slope, dual.slope);
    }
}
