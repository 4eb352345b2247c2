//! The registry: every scenario that can be measured.

mod calibration;
mod dae;
mod horizon;
mod noop;
mod ode;
mod sweep_decay;

use bifrons_problems::Reference;

use crate::scenario::Scenario;

const DECAY: ode::Ode = ode::Ode {
    name: "ode/decay",
    problem: Reference::decay,
    point: 1,
    allowed: 1e-8,
};
const OSCILLATOR: ode::Ode = ode::Ode {
    name: "ode/oscillator",
    problem: Reference::oscillator,
    point: 2,
    allowed: 1e-5,
};
const LORENZ: ode::Ode = ode::Ode {
    name: "ode/lorenz",
    problem: Reference::lorenz,
    point: 1,
    allowed: 1e-4,
};

/// All scenarios, in the order in which they are listed.
#[must_use]
pub fn all() -> Vec<&'static dyn Scenario> {
    vec![
        &noop::Noop,
        &calibration::Block,
        &DECAY,
        &OSCILLATOR,
        &LORENZ,
        &sweep_decay::SweepDecay,
        &horizon::Horizon,
        &dae::RC,
        &dae::RC_LADDER,
        &dae::RLC,
        &dae::RECTIFIER,
        &dae::DC_MOTOR,
        &dae::CHAIN,
        &dae::PENDULUM,
        &dae::PENDULUM_BDF,
        &dae::PENDULUM_RADAU,
        &dae::DOUBLE_PENDULUM,
        &dae::TWO_TANK,
        &dae::THERMAL,
    ]
}
