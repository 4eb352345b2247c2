//! Properties of one-dimensional interpolants.
#![expect(clippy::unwrap_used, reason = "broken input stops the test")]

#[path = "support/strategies.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod strategies;

use bifrons_grids::{
    Extrapolation, Grid, Interpolant, Knots, Locator, Method, ReadError, SlopeLimit, SlopeRule,
    estimate_slopes_into,
};
use proptest::prelude::*;
use strategies::{axis, config, nodes, queries, seeds, sorted};

fn method() -> impl Strategy<Value = Method> {
    prop_oneof![
        Just(Method::Linear),
        Just(Method::MonotoneCubic(SlopeRule::Harmonic)),
        Just(Method::MonotoneCubic(SlopeRule::Parabola)),
        prop_oneof![Just(0.5), Just(1.0), Just(2.0), Just(7.3)]
            .prop_map(|risk_aversion| Method::InverseUtility { risk_aversion }),
    ]
}

fn policy() -> impl Strategy<Value = Extrapolation> {
    prop_oneof![
        Just(Extrapolation::Clamp),
        Just(Extrapolation::Linear),
        Just(Extrapolation::Error)
    ]
}

/// Values that the method takes.
fn suited(method: Method, values: &[f64]) -> Vec<f64> {
    let map = |x: f64| match method {
        Method::InverseUtility { risk_aversion } if risk_aversion > 1.0 => -1.0 - x.abs(),
        Method::InverseUtility { .. } => x.abs(),
        _ => x,
    };
    values.iter().map(|&x| map(x)).collect()
}

/// The same bits, or both NaN.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// What `read` says, in the words of the slice reads: NaN where it refuses (infinite, which no
/// test expects, for an error that has no place here).
fn alone(curve: &Interpolant, x: f64) -> (f64, f64) {
    match curve.read(x) {
        Ok(reading) => (reading.value, reading.slope),
        Err(ReadError::Outside { .. }) => (f64::NAN, f64::NAN),
        Err(_) => (f64::INFINITY, f64::INFINITY),
    }
}

fn assert_reads(
    curve: &Interpolant,
    queries: &[f64],
    read: impl FnOnce(&mut [f64], &mut [f64]) -> Result<(), ReadError>,
) -> Result<(), TestCaseError> {
    let (mut values, mut slopes) = (vec![0.0; queries.len()], vec![0.0; queries.len()]);
    let outcome = read(&mut values, &mut slopes);
    let first_bad = queries.iter().position(|&x| curve.read(x).is_err());
    match (outcome, first_bad) {
        (Ok(()), None) => {}
        (Err(ReadError::Outside { index, .. }), Some(first)) => prop_assert_eq!(index, first),
        (outcome, first) => prop_assert!(false, "{:?}, first bad {:?}", outcome, first),
    }
    for ((&x, value), slope) in queries.iter().zip(values).zip(slopes) {
        let (alone_value, alone_slope) = alone(curve, x);
        prop_assert!(
            same(value, alone_value),
            "value {} {} at {}",
            value,
            alone_value,
            x
        );
        prop_assert!(
            same(slope, alone_slope),
            "slope {} {} at {}",
            slope,
            alone_slope,
            x
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn all_paths_give_the_same_bits(
        axis in axis(),
        (method, policy) in (method(), policy()),
        values in prop::collection::vec(-5.0_f64..5.0, 300),
        seeds in seeds(0..600),
    ) {
        let values = suited(method, &values[..axis.len()]);
        let curve = Interpolant::new(method, &axis, &values, policy).unwrap();
        let unsorted = queries(axis.nodes(), &seeds);
        let ascending = sorted(unsorted.clone());
        assert_reads(&curve, &ascending, |v, s| curve.read_sorted(&ascending, v, s))?;
        let mut locator = Locator::new();
        assert_reads(&curve, &unsorted, |v, s| curve.read_unsorted(&mut locator, &unsorted, v, s))?;
        assert_reads(&curve, &unsorted, |v, s| curve.read_on(&axis, &unsorted, v, s))?;
        let mut ranks = vec![0; unsorted.len()];
        axis.ranks_into(&unsorted, &mut ranks).unwrap();
        assert_reads(&curve, &unsorted, |v, s| curve.read_located(&ranks, &unsorted, v, s))?;
        let mut only = vec![0.0; ascending.len()];
        let outcome = curve.values_sorted(&ascending, &mut only);
        prop_assert_eq!(outcome.is_err(), ascending.iter().any(|&x| curve.read(x).is_err()));
        for (&x, value) in ascending.iter().zip(only) {
            prop_assert!(same(value, alone(&curve, x).0), "value alone at {}", x);
        }
    }

    #[test]
    fn stored_values_come_back(
        axis in axis(),
        method in method(),
        values in prop::collection::vec(-5.0_f64..5.0, 300),
    ) {
        let values = suited(method, &values[..axis.len()]);
        let curve = Interpolant::new(method, &axis, &values, Extrapolation::Error).unwrap();
        for (&x, value) in axis.nodes().iter().zip(values) {
            prop_assert_eq!(curve.read(x).unwrap().value.to_bits(), value.to_bits(), "at {}", x);
        }
    }

    #[test]
    fn affine_functions_are_exact(
        widths in prop::collection::vec(1_u32..4096, 1..80),
        (a, b) in (-48_i32..48, -48_i32..48),
        seeds in seeds(10..80),
    ) {
        // Multiples of powers of two: nodes, values and secants are exact, so must the reads be.
        let steps = core::iter::once(0).chain(widths);
        let nodes: Vec<f64> = steps
            .scan(-1000.0, |x, w| { *x += f64::from(w) / 64.0; Some(*x) })
            .collect();
        let (a, b) = (f64::from(a) / 16.0, f64::from(b) / 16.0);
        let values: Vec<f64> = nodes.iter().map(|x| a + b * x).collect();
        for (method, eps) in [
            (Method::Linear, 0.0),
            (Method::MonotoneCubic(SlopeRule::Harmonic), 1e-15),
            (Method::MonotoneCubic(SlopeRule::Parabola), 1e-15),
        ] {
            let curve = Interpolant::new(method, &nodes, &values, Extrapolation::Linear).unwrap();
            for x in queries(&nodes, &seeds).iter().map(|x| (x * 1024.0).round() / 1024.0) {
                if !x.is_finite() { continue; }
                let reading = curve.read(x).unwrap();
                let (value, slope) = (a + b * x, b);
                let size = eps * (a.abs() + b.abs() * (x.abs() + 1000.0));
                prop_assert!((reading.value - value).abs() <= size, "{:?} at {}", method, x);
                prop_assert!((reading.slope - slope).abs() <= 4.0 * eps * b.abs(), "{:?}", method);
            }
        }
    }

    #[test]
    fn cubics_are_monotone_where_the_data_are(
        nodes in nodes(2..60),
        steps in prop::collection::vec(prop_oneof![Just(0.0), 1e-9_f64..1e3], 60),
        rule in prop_oneof![Just(SlopeRule::Harmonic), Just(SlopeRule::Parabola)],
        seeds in seeds(50..120),
    ) {
        let values: Vec<f64> = steps.iter().take(nodes.len())
            .scan(-1.0, |sum, step| { *sum += step; Some(*sum) }).collect();
        let method = Method::MonotoneCubic(rule);
        let curve = Interpolant::new(method, &nodes, &values, Extrapolation::Clamp).unwrap();
        let ascending = sorted(queries(&nodes, &seeds));
        let (mut found, mut slopes) = (ascending.clone(), ascending.clone());
        curve.read_sorted(&ascending, &mut found, &mut slopes).unwrap();
        let size = values.iter().fold(0.0_f64, |size, y| size.max(y.abs()));
        for pair in found.windows(2).filter(|pair| !pair[1].is_nan()) {
            prop_assert!(pair[1] >= pair[0] - 1e-15 * size, "{:?}", pair);
        }
        let steepest = slopes.iter().fold(0.0_f64, |size, s| size.max(s.abs()));
        for slope in slopes.iter().filter(|slope| !slope.is_nan()) {
            prop_assert!(*slope >= -1e-14 * steepest, "slope {}", slope);
        }
    }

    #[test]
    fn slopes_are_the_derivative(
        nodes in nodes(2..30),
        method in method(),
        values in prop::collection::vec(-5.0_f64..5.0, 30),
        seeds in seeds(5..20),
    ) {
        let values = suited(method, &values[..nodes.len()]);
        let curve = Interpolant::new(method, &nodes, &values, Extrapolation::Error).unwrap();
        for (seed, place) in seeds.iter().zip(&seeds[1..]) {
            let cell = strategies::index(*seed, nodes.len() - 1);
            let (low, width) = (nodes[cell], nodes[cell + 1] - nodes[cell]);
            let (x, h) = (low + width * (0.1 + 0.8 * place), 1e-3 * width);
            let at = |x: f64| curve.read(x).unwrap().value;
            // Two central differences, the error of second order removed.
            let central = |h: f64| (at(x + h) - at(x - h)) / ((x + h) - (x - h));
            let numeric = (4.0 * central(h) - central(2.0 * h)) / 3.0;
            let slope = curve.read(x).unwrap().slope;
            let size = values[cell].abs().max(values[cell + 1].abs()).max(1.0);
            let noise = 1e-15 * size / h + 1e-14 * slope.abs() * low.abs() / h;
            let tolerance = 1e-5 * (slope.abs() + size / width) + 10.0 * noise;
            prop_assert!((slope - numeric).abs() <= tolerance,
                "{:?}: slope {} numeric {} at {} in {}", method, slope, numeric, x, width);
        }
    }

    #[test]
    fn given_slopes_make_cubics_exact_and_smooth(
        nodes in nodes(2..40),
        c in prop::array::uniform4(-2.0_f64..2.0),
        seeds in seeds(10..60),
    ) {
        let scale = nodes.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
        let value = |x: f64| { let t = x / scale; c[0] + t * (c[1] + t * (c[2] + t * c[3])) };
        let slope = |x: f64| { let t = x / scale; (c[1] + t * (2.0 * c[2] + t * 3.0 * c[3])) / scale };
        let values: Vec<f64> = nodes.iter().map(|&x| value(x)).collect();
        let slopes: Vec<f64> = nodes.iter().map(|&x| slope(x)).collect();
        let curve = Interpolant::with_slopes(
            SlopeLimit::None, &nodes, &values, &slopes, Extrapolation::Linear).unwrap();
        for x in queries(&nodes, &seeds) {
            if !(x >= nodes[0] && x <= nodes[nodes.len() - 1]) { continue; }
            let found = curve.read(x).unwrap();
            prop_assert!((found.value - value(x)).abs() <= 1e-13, "value at {}", x);
        }
        for (&x, &expected) in nodes.iter().zip(&slopes) {
            let right = curve.read(x).unwrap().slope;
            let closest = nodes.windows(2).map(|x| x[1] - x[0]).fold(f64::INFINITY, f64::min);
            let noise = 1e-14 + 2e-15 / closest;
            prop_assert!((right - expected).abs() <= noise, "right slope at {}", x);
            let left = curve.read_left(x).unwrap().slope;
            prop_assert!((left - expected).abs() <= 10.0 * noise, "left slope at {}", x);
        }
    }

    #[test]
    fn utility_of_an_affine_function_is_exact(
        nodes in nodes(2..40),
        gamma in prop_oneof![Just(1.0), 0.2_f64..5.0],
        (a, b) in (0.1_f64..2.0, 0.0_f64..2.0),
        seeds in seeds(10..60),
    ) {
        let first = nodes[0];
        let y = |x: f64| a + b * (x - first);
        let u = |y: f64| if gamma.to_bits() == 1.0_f64.to_bits() { y.ln() } else { y.powf(1.0 - gamma) / (1.0 - gamma) };
        let values: Vec<f64> = nodes.iter().map(|&x| u(y(x))).collect();
        let method = Method::InverseUtility { risk_aversion: gamma };
        let curve = Interpolant::new(method, &nodes, &values, Extrapolation::Error).unwrap();
        for x in queries(&nodes, &seeds) {
            let Ok(found) = curve.read(x) else { continue };
            let exact = u(y(x));
            // Near γ = 1 the power of utility loses digits in the ratio 1/(1 - γ).
            let condition = 1.0 + exact.abs() + 1.0 / (1.0 - gamma).abs().max(1e-3);
            prop_assert!((found.value - exact).abs() <= 1e-12 * condition,
                "{} {} at {}", found.value, exact, x);
        }
    }

    #[test]
    fn refitting_equals_fitting(
        (first, second) in (nodes(1..40), nodes(1..60)),
        method in method(),
        values in prop::collection::vec(-5.0_f64..5.0, 60),
        seeds in seeds(0..40),
    ) {
        let values = suited(method, &values);
        let policy = Extrapolation::Clamp;
        let fresh = Interpolant::new(method, &second, &values[..second.len()], policy).unwrap();
        let mut reused = Interpolant::new(method, &first, &values[..first.len()], policy).unwrap();
        let before = alone(&reused, first[0]);
        prop_assert!(reused.refit(&second, &values[..second.len() - 1]).is_err());
        prop_assert_eq!(alone(&reused, first[0]), before, "a failed fit changes nothing");
        reused.refit(&second, &values[..second.len()]).unwrap();
        for x in queries(&second, &seeds) {
            let (a, b) = (alone(&fresh, x), alone(&reused, x));
            prop_assert!(same(a.0, b.0) && same(a.1, b.1), "{:?} {:?}", a, b);
        }
    }

    #[test]
    fn pairs_read_like_separate_interpolants(
        nodes in nodes(4..60),
        method in method(),
        values in prop::collection::vec(-5.0_f64..5.0, 61),
        seeds in seeds(2..60),
    ) {
        let values = suited(method, &values);
        // Node `cut` twice: left part ..=cut, right part cut.. with their own values.
        let cut = 1 + strategies::index(seeds[0], nodes.len() - 2);
        let pairs: Vec<f64> = nodes[..=cut].iter().chain(&nodes[cut..]).copied().collect();
        let values = &values[..pairs.len()];
        let policy = Extrapolation::Linear;
        let whole = Interpolant::new(method, Knots::with_pairs(&pairs), values, policy).unwrap();
        let left = Interpolant::new(method, &nodes[..=cut], &values[..=cut], policy).unwrap();
        let right = Interpolant::new(method, &nodes[cut..], &values[cut + 1..], policy).unwrap();
        for x in queries(&nodes, &seeds) {
            let expected = if x < nodes[cut] { alone(&left, x) } else { alone(&right, x) };
            let found = alone(&whole, x);
            prop_assert!(same(found.0, expected.0) && same(found.1, expected.1), "at {}", x);
        }
        let limit = whole.read_left(nodes[cut]).unwrap();
        prop_assert_eq!(limit.value.to_bits(), values[cut].to_bits(), "left limit");
    }

    #[test]
    fn estimated_slopes_lie_in_the_monotone_region(
        nodes in nodes(2..60),
        values in prop::collection::vec(-5.0_f64..5.0, 60),
        rule in prop_oneof![Just(SlopeRule::Harmonic), Just(SlopeRule::Parabola)],
    ) {
        let values = &values[..nodes.len()];
        let mut slopes = vec![0.0; nodes.len()];
        estimate_slopes_into(rule, &nodes, values, &mut slopes).unwrap();
        for i in 0..nodes.len() - 1 {
            let secant = (values[i + 1] - values[i]) / (nodes[i + 1] - nodes[i]);
            for slope in &slopes[i..i + 2] {
                let ratio = slope / secant;
                prop_assert!(secant == 0.0 || (0.0..=3.0 + 1e-12).contains(&ratio), "{}", ratio);
            }
        }
    }
}
