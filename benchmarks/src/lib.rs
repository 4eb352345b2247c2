//! The scenarios that `cargo xtask bench-memory` and `bench-time` measure.
//!
//! One process runs one case once and tells its parent, in JSON lines on standard output, when
//! each phase ended, what it needed and what it computed. The protocol is described in
//! `docs/design/0002-sample-protocol.md`. A scenario implements [`Scenario`] and is listed in
//! [`scenarios::all`]:
//!
//! ```
//! use benchmarks::{Case, CaseSpec, Outcome, Parameter, Run, Scenario};
//!
//! #[derive(Debug)]
//! struct Halving;
//!
//! impl Scenario for Halving {
//!     fn name(&self) -> &'static str {
//!         "example/halving"
//!     }
//!     fn version(&self) -> u32 {
//!         1
//!     }
//!     fn parameters(&self) -> Vec<Parameter> {
//!         vec![Parameter::count("steps", 1..=1000, 10, "halvings")]
//!     }
//!     fn cases(&self) -> Vec<CaseSpec> {
//!         vec![CaseSpec::quick("steps=10")]
//!     }
//!     fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
//!         let steps = case.size("steps")?;
//!         let mut path = vec![1.0; steps + 1];
//!         run.assembled()?;
//!         let mut work = || {
//!             for n in 1..=steps {
//!                 path[n] = path[n - 1] / 2.0;
//!             }
//!             anyhow::Ok(path[steps])
//!         };
//!         let last = run.first(&mut work)?;
//!         run.steady(&mut work)?;
//!         let exact = 0.5_f64.powi(steps as i32);
//!         run.accuracy("end", (last - exact).abs(), "absolute error against 2^-steps")?;
//!         Ok(Outcome::of(&path))
//!     }
//! }
//! ```
#![forbid(unsafe_code)]

mod case;
mod contestant;
mod json;
pub mod models;
mod phase;
mod process;
pub mod program;
mod protocol;
mod run;
mod scenario;
pub mod scenarios;

pub use bifrons_memory::profiler::Scope;
pub use case::{Case, Parameter};
pub use contestant::Bifrons;
pub use run::Run;
pub use scenario::{Axis, CaseSpec, Checksum, Outcome, Scenario, Tier, resolve};
