//! The registry: every scenario that can be measured.

mod calibration;
mod dae;
mod horizon;
mod hybrid;
mod lifecycle;
mod noop;
mod ode;
mod population;
mod retirement;
mod saver;
mod sweep_decay;
mod sweep_events;

use bifrons_problems::{Reference, Saver};

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

const DETERMINISTIC: saver::EgmSaver = saver::EgmSaver {
    name: "egm/deterministic",
    saver: Saver::deterministic,
    allowed: 1e-1,
};
const BUFFER_STOCK: saver::EgmSaver = saver::EgmSaver {
    name: "egm/buffer-stock",
    saver: Saver::buffer_stock,
    allowed: 1e-2,
};

/// Pages of code and heap that assembling a model and starting its run touch in a fresh process:
/// between 1.6 and 2.2 MiB were measured.
const ASSEMBLED: u64 = 1792 * 1024;

/// The same of a kernel that runs without a model: between 0.6 and 0.9 MiB were measured.
const KERNEL: u64 = 768 * 1024;

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
        &hybrid::BOUNCING_BALL,
        &hybrid::STATE_MACHINE,
        &hybrid::PID_PLANT,
        &hybrid::MULTIRATE,
        &hybrid::THERMOSTAT,
        &hybrid::STRIBECK,
        &hybrid::Chain,
        &sweep_events::QUADRUPED,
        &sweep_events::CART_POLE,
        &sweep_events::BOUNCING_BALL,
        &horizon::Horizon,
        &DETERMINISTIC,
        &BUFFER_STOCK,
        &retirement::DcEgmRetirement,
        &lifecycle::GridSearchRetirement,
        &lifecycle::Precautionary,
        &lifecycle::EpsteinZin,
        &lifecycle::KINKED_TAX,
        &lifecycle::ASSET_TEST,
        &lifecycle::Durable,
        &lifecycle::DurableKinked,
        &lifecycle::MahlerYum,
        &population::Population,
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
