//! Blocks for diagrams of `bifrons-hybrid`.
//!
//! Each block is a small struct of settings whose documentation states its equations. What can
//! change from run to run is a parameter with a default; what shapes the equations (the number of
//! inputs, signs, integer exponents, zeros of a matrix) is fixed when the block is added, and a
//! setting that makes no sense is an error of [`DiagramBuilder::add`].
//!
//! | | |
//! |---|---|
//! | sources | [`Constant`], [`Step`], [`Ramp`], [`Sine`] |
//! | arithmetic | [`Gain`], [`Sum`], [`Product`], [`Divide`], [`Power`], [`Polynomial`], [`Minimum`], [`Maximum`] |
//! | functions | [`Function`], [`Expression`] from text |
//! | kinks | [`Abs`], [`Sign`], [`Saturation`], [`DeadZone`] |
//! | states | [`Integrator`], [`SecondOrder`], [`StateSpace`], [`TransferFunction`] |
//! | discrete | [`ZeroOrderHold`], [`UnitDelay`], [`DiscreteIntegrator`], [`DiscreteDerivative`], [`DiscreteTransferFunction`], [`DiscreteStateSpace`], [`DiscretePid`], [`DiscreteRateLimiter`], [`Counter`], [`EdgeDetector`] at a [`Rate`] |
//! | switching | [`Relay`], [`LimitedIntegrator`], [`StateMachine`] |
//! | design | [`zoh()`] |
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
mod discrete;
mod discrete_linear;
mod expression;
mod function;
mod linear;
mod machine;
mod maths;
mod nonlinear;
mod rate;
mod relay;
mod source;
mod zoh;

pub use continuous::{Integrator, SecondOrder};
pub use discrete::{
    Counter, DiscreteDerivative, DiscreteIntegrator, DiscreteRateLimiter, Edge, EdgeDetector,
    SumRule, UnitDelay, ZeroOrderHold,
};
pub use discrete_linear::{DiscretePid, DiscreteStateSpace, DiscreteTransferFunction};
pub use expression::Expression;
pub use function::Function;
pub use linear::{StateSpace, TransferFunction};
pub use machine::StateMachine;
pub use maths::{Divide, Gain, Maximum, Minimum, Polynomial, Power, Product, Sum};
pub use nonlinear::{Abs, DeadZone, Saturation, Sign};
pub use rate::Rate;
pub use relay::{LimitedIntegrator, Relay};
pub use source::{Constant, Ramp, Sine, Step};
pub use zoh::zoh;
