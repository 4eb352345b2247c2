//! Life-cycle models: regimes over ages, solved by backward induction and simulated forward.
//!
//! A [`Model`] is built from [`Regime`]s over [`Ages`] and checked once; values for its parameters
//! make it a [`Problem`], which is planned and solved; the [`Solution`] has values and policies.
//!
//! The crate has no features.

#![forbid(unsafe_code)]

mod ages;
mod averaged;
mod breakpoint;
mod domain;
mod edge;
mod endogenous;
mod error;
mod formula;
mod hoisted;
mod kernel;
mod model;
mod options;
mod parameter;
mod plan;
mod population;
mod preference;
mod problem;
mod program;
mod regime;
mod scope;
mod search;
mod simulate;
mod solution;
mod solve;
mod solver;
mod space;
mod spelling;
mod stage;
mod store;

pub use ages::Ages;
pub use breakpoint::Breakpoint;
pub use domain::Domain;
pub use endogenous::OuterValues;
pub use error::{BuildError, BuildErrors, Fault, ParameterError, Place, SimulateError, SolveError};
pub use formula::Formula;
pub use model::{DetectedBreak, Model, ModelBuilder};
pub use options::{Retention, SolveOptions, Validation};
pub use parameter::{Leaf, Parameters};
pub use plan::SolvePlan;
pub use population::Population;
pub use preference::Preferences;
pub use problem::Problem;
pub use regime::{Edge, Joint, Probabilities, Regime};
pub use simulate::{Decisions, Panel, SimulateOptions, SimulationReport};
pub use solution::{Report, Solution, Statistics};
pub use solver::{DcEgm, Liquid, NNbEgm, NbEgm, Negm, Outer, OuterSearch, Solver};
pub use store::StoreError;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/lifecycle.md")]
struct Guide;
