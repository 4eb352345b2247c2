//! Invariants on random problems, against plain bisection.
#![expect(clippy::float_cmp, reason = "adjacent floats and copies are compared")]

use bifrons_roots::{
    NewtonOptions, RootMethod, RootOptions, Tolerance, find_root, find_root_near, minimise, newton,
};
use proptest::prelude::*;

/// The obvious sibling: bisection down to adjacent numbers.
fn bisect(f: impl Fn(f64) -> f64, mut left: f64, mut right: f64) -> (f64, f64) {
    let rising = f(left) < 0.0;
    loop {
        let middle = left.midpoint(right);
        if middle == left || middle == right {
            return (left, right);
        }
        if (f(middle) < 0.0) == rising && f(middle) != 0.0 {
            left = middle;
        } else {
            right = middle;
        }
    }
}

fn method() -> impl Strategy<Value = RootMethod> {
    prop_oneof![Just(RootMethod::Itp), Just(RootMethod::Brent)]
}

proptest! {
    #[test]
    fn steps_are_located_exactly_as_by_bisection(
        edge in -1e3_f64..1e3, left in 1e-3_f64..1e6, right in 1e-3_f64..1e6,
        low in -1e10_f64..-1e-10, high in 1e-10_f64..1e10, method in method(),
    ) {
        let f = |x: f64| if x < edge { low } else { high };
        let (left, right) = (edge - left, edge + right);
        let options = RootOptions::default().with_method(method).with_tolerance(Tolerance::EXACT);
        let bracket = find_root(f, left, right, &options).unwrap().bracket;
        prop_assert_eq!((bracket.left().x, bracket.right().x), bisect(f, left, right));
        prop_assert_eq!(bracket.right().x, edge);
    }

    #[test]
    fn itp_keeps_its_bound_on_any_monotone_function(
        root in -0.999_f64..0.999, power in 1_i32..12, scale in -200_i32..200, digits in 2_i32..13,
    ) {
        let power = 2 * power - 1;
        let f = |x: f64| 10.0_f64.powi(scale) * (x - root).powi(power);
        let width = 10.0_f64.powi(-digits);
        let options = RootOptions::default().with_tolerance(Tolerance::new(width, 0.0).unwrap());
        let found = find_root(f, -1.0, 1.0, &options).unwrap();
        let bound = (2.0 / width).log2().ceil() + 2.0;
        prop_assert!(f64::from(found.evaluations - 2) <= bound, "{} > {bound}", found.evaluations);
    }

    #[test]
    fn crossings_are_within_tolerance_and_at_or_past_zero(
        a in 0.1_f64..5.0, shift in -3.0_f64..3.0, t0 in -1e6_f64..1e6, method in method(),
        backwards: bool,
    ) {
        let g = |t: f64| (a * (t - t0)).tanh() + 0.01 * (t - t0) - 0.1 * shift;
        let (from, to) = if backwards { (t0 + 40.0, t0 - 40.0) } else { (t0 - 40.0, t0 + 40.0) };
        let found = find_root(g, from, to, &RootOptions::default().with_method(method)).unwrap();
        let (left, right) = (found.bracket.left(), found.bracket.right());
        let sign = if backwards { -1.0 } else { 1.0 };
        prop_assert!(sign * right.value >= 0.0 && sign * left.value < 0.0);
        let size = left.x.abs().max(right.x.abs());
        let ulp = size.next_up() - size;
        prop_assert!(right.value == 0.0 || (right.x - left.x).abs() <= 4.0 * ulp);
        prop_assert_eq!(right.value.to_bits(), g(right.x).to_bits());
    }

    #[test]
    fn newton_and_expansion_invert_monotone_functions(
        target in -50.0_f64..50.0, guess in -1e4_f64..1e4, step in 1e-6_f64..1e3,
    ) {
        // x + x³ = target has one root, which the derivative 1 + 3x² bounds.
        let f = |x: f64| x + x * x * x - target;
        let options = NewtonOptions::default().with_step(step);
        let by_newton = newton(|x| (f(x), 1.0 + 3.0 * x * x), guess, &options).unwrap();
        let by_widening = find_root_near(f, guess, &options).unwrap();
        for root in [by_newton, by_widening] {
            let rounding = 4.0 * f64::EPSILON * (target.abs() + root.x.abs());
            prop_assert!(root.value.abs() <= rounding.max(20.0 * f64::EPSILON * target.abs()), "{root:?}");
        }
        prop_assert!(by_newton.evaluations < 120, "{}", by_newton.evaluations);
    }

    #[test]
    fn minima_of_parabolas(centre in -10.0_f64..10.0, left in 0.01_f64..20.0, right in 0.01_f64..20.0) {
        let f = |x: f64| (x - centre) * (x - centre);
        let found = minimise(f, centre - left, centre + right, &Default::default()).unwrap();
        prop_assert!((found.x - centre).abs() <= 4e-8 * centre.abs().max(0.1), "{found:?}");
    }
}
