//! Runs of compiled systems: one simulation, or a sweep over parameters.
//!
//! ```
//! use bifrons_blocks::{Gain, Integrator};
//! use bifrons_hybrid::DiagramBuilder;
//! use bifrons_sim::{Recording, Sweep, uniform_times};
//!
//! let mut diagram = DiagramBuilder::new("decay");
//! let gain = diagram.add("gain", Gain::new(-1.0))?;
//! let x = diagram.add("x", Integrator::new(1.0))?;
//! diagram.connect(gain.output("y"), x.input("u"))?;
//! diagram.connect(x.output("y"), gain.input("u"))?;
//! diagram.export_output("x", x.output("y"))?;
//! let system = diagram.build()?.flatten()?.compile()?;
//!
//! let sweep = Sweep::builder(&system)
//!     .span(0.0, 5.0)
//!     .column("gain.k", vec![-0.5, -1.5, -2.5])
//!     .record(Recording::times(uniform_times(0.0, 5.0, 11)))
//!     .build()?;
//! let result = sweep.run()?;
//! assert!((result.rows("x", 2)?[10] - (-12.5_f64).exp()).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`Simulation`] is one run, [`Sweep`] many members with parameters of their own; member `i` of
//!   a sweep has the bits of the run alone, for any lanes, chunks, threads and order.
//! * [`Recording`] says what is kept. It never changes the steps that the integrator takes.
//! * [`Sweep::plan`] tells the peak of memory, part by part, before anything runs, and refuses a
//!   budget that is too small with the needed and the allowed bytes.
#![forbid(unsafe_code)]

mod adapter;
mod checkpoint;
mod error;
mod events;
mod method;
mod observer;
mod parameters;
mod recorder;
mod recording;
mod report;
mod simulation;
mod sink;
mod sweep;
mod times;

pub use checkpoint::{Advance, Checkpoint, CheckpointError, ResumeError};
pub use error::{BuildError, RunError, SpillError, SweepError};
pub use events::{EventOptions, EventRecord, Hold, Outcome};
pub use method::RunMethod;
pub use recording::{CustomReduction, Formula, Mark, Overflow, Recording, Reduction};
pub use report::{MemberFailure, MemberReport, Status};
pub use simulation::{Run, Simulation, SimulationBuilder};
pub use sweep::{Sweep, SweepBuilder, SweepPlan, SweepResult, WriteError};
pub use times::uniform_times;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
