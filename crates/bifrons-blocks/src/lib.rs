//! Blocks for diagrams of `bifrons-hybrid`.
//!
//! Each block is a small struct of settings whose documentation states its equations. What can
//! change from run to run is a parameter with a default; what shapes the equations (the number of
//! inputs, signs, integer exponents, zeros of a matrix) is fixed when the block is added, and a
//! setting that makes no sense is an error of [`DiagramBuilder::add`].
//!
//! | | |
//! |---|---|
//! | sources | [`Constant`], [`Time`], [`Step`], [`Ramp`], [`Sine`], [`Chirp`], [`Pulse`], [`Sawtooth`], [`TableSource`], [`Noise`] |
//! | arithmetic | [`Gain`], [`Sum`], [`Product`], [`Divide`], [`Power`], [`Polynomial`], [`Minimum`], [`Maximum`], [`Bias`], [`MatrixGain`], [`VectorProduct`], [`Norm`] |
//! | functions | [`Function`], [`Expression`] from text, [`External`] closures, tables [`Lookup1d`], [`Lookup`] |
//! | logic | [`Compare`], [`Logic`], [`TruthTable`], [`Switch`], [`MultiportSwitch`], [`Latch`], [`SampleAndHold`], [`CrossingCounter`], [`Stop`] |
//! | kinks | [`Abs`], [`Sign`], [`Saturation`], [`DeadZone`], [`Quantizer`], [`RateLimiter`], [`Backlash`], [`Friction`] |
//! | states | [`Integrator`], [`SecondOrder`], [`StateSpace`], [`TransferFunction`], [`ZeroPole`], [`PadeDelay`], [`Derivative`], [`Pid`] |
//! | discrete | [`ZeroOrderHold`], [`FirstOrderHold`], [`UnitDelay`], [`SampledDelay`], [`MovingAverage`], [`DiscreteIntegrator`], [`DiscreteDerivative`], [`DiscreteTransferFunction`], [`DiscreteStateSpace`], [`DiscretePid`], [`DiscreteRateLimiter`], [`Counter`], [`EdgeDetector`] at a [`Rate`] |
//! | switching | [`Relay`], [`LimitedIntegrator`], [`StateMachine`] |
//! | design | [`zoh()`], [`control`]: regulators, Kalman filters, pole placement, tuning rules |
//!
//! [`DiagramBuilder::add`]: bifrons_hybrid::DiagramBuilder::add
//!
//! ```
//! use bifrons_blocks::{Gain, Integrator};
//! use bifrons_hybrid::DiagramBuilder;
//!
//! let mut builder = DiagramBuilder::new("decay");
//! let gain = builder.add("gain", Gain::new(-1.5))?;
//! let x = builder.add("integrator", Integrator::new(1.0))?;
//! builder.connect(x.output("y"), gain.input("u"))?;
//! builder.connect(gain.output("y"), x.input("u"))?;
//! builder.export_output("x", x.output("y"))?;
//! let system = builder.build()?.flatten()?.compile()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! It has no features.
#![forbid(unsafe_code)]

mod check;
mod continuous;
pub mod control;
mod discrete;
mod discrete_linear;
mod expression;
mod external;
mod function;
mod linear;
mod logic;
mod machine;
mod maths;
mod mechanism;
mod nonlinear;
mod rate;
mod regulator;
mod relay;
mod sampled;
mod source;
mod vector;
mod wave;
mod zoh;

pub use continuous::{Integrator, SecondOrder};
pub use discrete::{
    Counter, DiscreteDerivative, DiscreteIntegrator, DiscreteRateLimiter, Edge, EdgeDetector,
    SumRule, UnitDelay, ZeroOrderHold,
};
pub use discrete_linear::{DiscretePid, DiscreteStateSpace, DiscreteTransferFunction};
pub use expression::Expression;
pub use external::{External, Lookup, Lookup1d, Reading, TableSource};
pub use function::Function;
pub use linear::{StateSpace, TransferFunction};
pub use logic::{
    Compare, CrossingCounter, Gate, Latch, Logic, MultiportSwitch, SampleAndHold, Stop, Switch,
    TruthTable,
};
pub use machine::StateMachine;
pub use maths::{Divide, Gain, Maximum, Minimum, Polynomial, Power, Product, Sum};
pub use mechanism::{Backlash, Friction, Quantizer, RateLimiter};
pub use nonlinear::{Abs, DeadZone, Saturation, Sign};
pub use rate::Rate;
pub use regulator::{Derivative, PadeDelay, Pid, ZeroPole};
pub use relay::{LimitedIntegrator, Relay};
pub use sampled::{FirstOrderHold, MovingAverage, SampledDelay};
pub use source::{Constant, Ramp, Sine, Step};
pub use vector::{Bias, MatrixGain, Norm, VectorProduct};
pub use wave::{Chirp, Distribution, Noise, Pulse, Sawtooth, Time};
pub use zoh::zoh;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/bifrons-blocks.md")]
struct Guide;
