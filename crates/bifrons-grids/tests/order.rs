//! Measured order of convergence on a smooth monotone function.
#![expect(clippy::unwrap_used, reason = "broken input stops the test")]

use bifrons_grids::{Extrapolation, Grid, Interpolant, Linear, Method, SlopeLimit, SlopeRule};

/// Largest errors of value and slope of a fit to `1 - e^-x` on `[0, 3]` with `cells` cells.
fn errors(cells: usize, fit: impl Fn(&Linear, &[f64]) -> Interpolant) -> [f64; 2] {
    let axis = Linear::new(0.0, 3.0, cells + 1).unwrap();
    let values: Vec<f64> = axis.nodes().iter().map(|x| -(-x).exp_m1()).collect();
    let curve = fit(&axis, &values);
    let count = 20 * cells;
    (0..=count).fold([0.0_f64; 2], |[value, slope], i| {
        let x = 3.0 * i as f64 / count as f64;
        let found = curve.read(x).unwrap();
        let (exact, exact_slope) = (-(-x).exp_m1(), (-x).exp());
        [
            value.max((found.value - exact).abs()),
            slope.max((found.slope - exact_slope).abs()),
        ]
    })
}

/// Mean order over four refinements.
fn order(fit: impl Fn(&Linear, &[f64]) -> Interpolant) -> [f64; 2] {
    let (coarse, fine) = (errors(32, &fit), errors(512, &fit));
    [0, 1].map(|i| (coarse[i] / fine[i]).log2() / 4.0)
}

fn assert_order(what: &str, found: [f64; 2], expected: [f64; 2]) {
    for (found, expected) in found.into_iter().zip(expected) {
        assert!(
            (found - expected).abs() < 0.2,
            "{what}: order {found}, claimed {expected}"
        );
    }
}

#[test]
fn orders_are_as_claimed() {
    let fit = |method: Method| {
        move |axis: &Linear, values: &[f64]| {
            Interpolant::new(method, axis, values, Extrapolation::Error).unwrap()
        }
    };
    assert_order("linear", order(fit(Method::Linear)), [2.0, 1.0]);
    let harmonic = order(fit(Method::MonotoneCubic(SlopeRule::Harmonic)));
    assert_order("harmonic slopes", harmonic, [3.0, 2.0]);
    let parabola = order(fit(Method::MonotoneCubic(SlopeRule::Parabola)));
    assert_order("parabola slopes", parabola, [3.0, 2.0]);
    let exact = order(|axis, values| {
        let slopes: Vec<f64> = axis.nodes().iter().map(|x| (-x).exp()).collect();
        let limit = SlopeLimit::Monotone;
        Interpolant::with_slopes(limit, axis, values, &slopes, Extrapolation::Error).unwrap()
    });
    assert_order("exact slopes", exact, [4.0, 3.0]);
}
