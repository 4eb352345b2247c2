//! Kinks and jumps: both sides and the point itself.
#![expect(clippy::float_cmp, reason = "every value is exact")]

use bifrons_blocks::{Abs, DeadZone, Saturation, Sign};
use bifrons_hybrid::BlockError;

use crate::bench::{refusal, value};

#[test]
fn absolute_value_and_sign() {
    for (u, absolute, sign) in [(-3.0, 3.0, -1.0), (0.0, 0.0, 0.0), (2.0, 2.0, 1.0)] {
        assert_eq!(value(Abs, &[u]), absolute, "|{u}|");
        assert_eq!(value(Sign, &[u]), sign, "sign of {u}");
    }
}

#[test]
fn saturation_holds_its_limits() {
    for (u, y) in [
        (-5.0, -1.0),
        (-1.0, -1.0),
        (0.3, 0.3),
        (2.0, 2.0),
        (9.0, 2.0),
    ] {
        assert_eq!(value(Saturation::new(-1.0, 2.0), &[u]), y, "at {u}");
    }
    let one_sided = Saturation::new(0.0, f64::INFINITY);
    assert_eq!(value(one_sided, &[1e300]), 1e300, "no upper limit");
    assert_eq!(value(one_sided, &[-1.0]), 0.0, "a lower limit");
}

#[test]
fn dead_zone_is_shifted_to_zero() {
    for (u, y) in [
        (-3.0, -2.0),
        (-1.0, 0.0),
        (0.0, 0.0),
        (2.0, 0.0),
        (5.0, 3.0),
    ] {
        assert_eq!(value(DeadZone::new(-1.0, 2.0), &[u]), y, "at {u}");
    }
    assert_eq!(value(DeadZone::symmetric(0.5), &[-2.0]), -1.5, "symmetric");
}

#[test]
fn limits_must_be_ordered_numbers() {
    for (error, expected) in [
        (refusal(Saturation::new(1.0, 0.0)), "lower"),
        (refusal(Saturation::new(f64::NAN, 0.0)), "lower"),
        (refusal(Saturation::new(0.0, f64::NAN)), "upper"),
        (refusal(DeadZone::new(1.0, 0.0)), "start"),
        (refusal(DeadZone::new(0.0, f64::INFINITY)), "end"),
        (refusal(DeadZone::symmetric(-1.0)), "start"),
    ] {
        let BlockError::Value { setting, .. } = &error else {
            panic!("variant: {error}")
        };
        assert_eq!(setting, expected, "{error}");
    }
}
