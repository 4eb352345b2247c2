//! Reference problems: the same model as a plain closure, as hand-written lanes and as a diagram,
//! with values to compare with; in [`ode`] the classical test problems of solvers.
//!
//! ```
//! use bifrons_ode::{Options, Save, solve};
//! use bifrons_problems::Reference;
//!
//! let lorenz = Reference::lorenz();
//! let point = &lorenz.points[0];
//! let run = solve(
//!     &mut lorenz.problem(), 0.0, lorenz.initial, point.t, &Save::Final, &Options::default(),
//! )?;
//! assert!(lorenz.error(&run.last_state, point) < 1e-3);
//! # Ok::<(), bifrons_ode::SolveError>(())
//! ```
#![forbid(unsafe_code)]

pub mod contest;
mod diagrams;
mod hybrid;
mod lanes;
pub mod ode;
mod reference;
mod retirement;
mod saver;

pub use diagrams::{DiagramFailure, decay, lorenz, oscillator};
pub use hybrid::{
    bouncing_ball, cart_pole, chain, multirate, pid_plant, quadruped, state_machine, stribeck,
    thermostat,
};
pub use lanes::LorenzLanes;
pub use reference::{Point, Reference};
pub use retirement::{Retirement, RetirementError, RetirementWorkspace};
pub use saver::{Saver, SaverError, SaverWorkspace};

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct WorkspaceReadme;
