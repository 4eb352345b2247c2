//! Elementary functions against independent definitions, and lanes against one number.

use bifrons_lanes::{Kernel, LANES, Level, math};
use proptest::prelude::*;

struct Log2<'a>(&'a mut [f64; LANES]);

impl Kernel for Log2<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for x in self.0 {
            *x = math::exp2_fast(0.3 * math::log2_fast(*x));
        }
    }
}

proptest! {
    #[test]
    fn log2_is_accurate_enough_for_control(x in 1e-300_f64..1e300) {
        prop_assert!((math::log2_fast(x) - x.log2()).abs() < 2e-6, "log2({x})");
    }

    #[test]
    fn exp2_is_accurate_enough_for_control(x in -1000.0_f64..1000.0) {
        let exact = x.exp2();
        prop_assert!((math::exp2_fast(x) / exact - 1.0).abs() < 4e-6, "exp2({x})");
    }

    #[test]
    fn every_level_and_lane_gives_the_scalar_bits(x in prop::array::uniform16(1e-12_f64..1e12)) {
        for level in Level::available() {
            let mut lanes = x;
            level.dispatch(Log2(&mut lanes));
            for (lane, x) in lanes.iter().zip(x) {
                let alone = math::exp2_fast(0.3 * math::log2_fast(x));
                prop_assert_eq!(lane.to_bits(), alone.to_bits(), "level {}", level.name());
            }
        }
    }

    #[test]
    fn integer_power_agrees_with_the_real_power(x in 0.1_f64..10.0, n in -20_i32..20) {
        let real = math::pow(x, f64::from(n));
        prop_assert!((math::powi(x, n) / real - 1.0).abs() < 1e-14, "{x}^{n}");
    }
}

#[test]
fn logarithm_is_exact_at_powers_of_two() {
    for e in -1000..1000 {
        let x = f64::from(e).exp2();
        assert!((math::log2_fast(x) - f64::from(e)).abs() == 0.0, "2^{e}");
    }
}

#[test]
fn exp2_clamps_instead_of_overflowing() {
    assert!(math::exp2_fast(5000.0).is_finite(), "upper end");
    assert!(math::exp2_fast(-5000.0) > 0.0, "lower end");
    assert!(math::exp2_fast(f64::NAN).is_finite(), "NaN is clamped");
}

#[test]
fn levels_are_ordered_and_the_baseline_is_always_there() {
    let levels = Level::available();
    assert_eq!(levels[0], Level::Baseline, "narrowest first");
    assert_eq!(levels.last(), Some(&Level::detect()), "widest last");
}
