//! Sources: values before, at and after their times.
#![expect(
    clippy::float_cmp,
    reason = "formulas are exact or repeated in the same order"
)]

use bifrons_blocks::{Constant, Ramp, Sine, Step};
use bifrons_hybrid::BlockError;

use crate::bench::{Bench, refusal, value, value_at};

#[test]
fn constant_is_its_parameter() {
    assert_eq!(value(Constant::new(-2.5), &[]), -2.5, "value");
    assert_eq!(
        Bench::new(Constant::new(1.0), &[]).parameter_names(),
        ["block.value"],
        "name"
    );
}

#[test]
fn step_has_its_new_value_from_the_step_time_on() {
    let step = Step::new(2.0).before(-1.0).after(3.0);
    for (t, y) in [(1.999, -1.0), (2.0, 3.0), (2.001, 3.0), (-5.0, -1.0)] {
        assert_eq!(value_at(t, step, &[]), y, "at {t}");
    }
    assert_eq!(
        value_at(0.5, Step::new(0.0), &[]),
        1.0,
        "unit step by default"
    );
    assert_eq!(
        value_at(-0.5, Step::new(0.0), &[]),
        0.0,
        "zero before by default"
    );
}

#[test]
fn ramp_rests_until_it_starts() {
    let ramp = Ramp::new(0.5).start_time(1.0).start_value(2.0);
    for (t, y) in [(0.0, 2.0), (1.0, 2.0), (3.0, 3.0)] {
        assert_eq!(value_at(t, ramp, &[]), y, "at {t}");
    }
}

#[test]
fn sine_has_amplitude_frequency_phase_and_bias() {
    let sine = Sine::new(2.0, 3.0).phase(0.25).bias(-1.0);
    for t in [0.0, 0.4, 7.0] {
        let expected = -1.0 + 2.0 * bifrons_lanes::math::sin(3.0 * t + 0.25);
        assert_eq!(value_at(t, sine, &[]), expected, "at {t}");
    }
}

#[test]
fn sources_refuse_settings_that_are_not_finite() {
    for (error, expected) in [
        (refusal(Constant::new(f64::NAN)), "value"),
        (refusal(Step::new(f64::INFINITY)), "step_time"),
        (refusal(Step::new(0.0).before(f64::NAN)), "before"),
        (refusal(Ramp::new(f64::NAN)), "slope"),
        (refusal(Sine::new(1.0, f64::INFINITY)), "frequency"),
    ] {
        let BlockError::Value { setting, .. } = &error else {
            panic!("variant: {error}")
        };
        assert_eq!(setting, expected, "{error}");
    }
    assert_eq!(
        refusal(Constant::new(f64::INFINITY)).to_string(),
        "`value` of block kind Constant must be finite, got inf",
        "text"
    );
}
