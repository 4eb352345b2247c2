//! Against the accurate functions of `bifrons-lanes`.
#![allow(
    clippy::float_cmp,
    clippy::print_stdout,
    clippy::missing_assert_message,
    reason = "tests print their worst errors, and compare bits where they are meant to agree"
)]

use bifrons_lanes::math;

fn ulps(found: f64, expected: f64) -> f64 {
    (found - expected).abs() / (expected.abs().next_up() - expected.abs())
}

#[test]
fn exponentials_are_accurate() {
    let mut worst: f64 = 0.0;
    for i in -70_000..70_970 {
        let x = f64::from(i) * 0.009_999_7;
        worst = worst.max(ulps(super::exp(x), math::exp(x)));
    }
    println!("exp: {worst:.2} ulp");
    assert!(worst <= 2.0, "{worst}");
    assert_eq!(super::exp(0.0).to_bits(), 1.0_f64.to_bits());
}

#[test]
fn logarithms_are_accurate() {
    let mut worst: f64 = 0.0;
    for i in 1..100_000 {
        for x in [
            f64::from(i) * 1.7e-5,
            f64::from(i) * 3.1e7,
            1.0 / f64::from(i),
        ] {
            worst = worst.max(ulps(super::ln(x), math::ln(x)));
        }
    }
    println!("ln: {worst:.2} ulp");
    assert!(worst <= 2.0, "{worst}");
    assert_eq!(super::ln(1.0).to_bits(), 0.0_f64.to_bits());
    let tiny = f64::from_bits(12_345);
    assert!(ulps(super::ln(tiny), math::ln(tiny)) <= 1.0, "subnormal");
}

#[test]
fn ends_of_the_domain_are_kept() {
    assert_eq!(super::ln(0.0), f64::NEG_INFINITY);
    assert!(super::ln(-1.0).is_nan(), "below zero");
    assert!(super::ln(f64::NAN).is_nan(), "not a number");
    assert_eq!(super::ln(f64::INFINITY), f64::INFINITY);
    assert_eq!(super::exp(f64::NEG_INFINITY).to_bits(), 0);
    assert_eq!(super::exp(f64::INFINITY), f64::INFINITY);
    assert!(super::exp(f64::NAN).is_nan(), "not a number");
    assert!(super::exp(709.7).is_finite(), "largest");
    assert_eq!(super::power(0.0, -2.0), f64::INFINITY);
}
