//! Hybrid systems: what a model *is*, from blocks and wires to lanes of numbers.
//!
//! A model goes through four forms, and each can be the first:
//!
//! 1. a [`Diagram`] of [`Block`]s and nested diagrams, connected by named ports;
//! 2. an [`EquationSystem`]: the same as named equations in causal order, printable;
//! 3. a [`TapeSystem`]: the equations compiled to straight-line programs;
//! 4. a [`HybridSystem`]: the face that a driver sees, for one member or lanes of members. Plain
//!    Rust code gets it through [`ScalarSystem`] and [`ScalarLanes`].
//!
//! Everything keeps its path: parameters, states and errors speak of `plant.motor.r1`. Nothing
//! recurses on the depth of a diagram or the length of a chain.
//!
//! ```
//! use bifrons_expr::Expr;
//! use bifrons_hybrid::{BlockSpec, DiagramBuilder, HybridSystem};
//!
//! let s = |name: &str| Expr::symbol(name);
//! let gain = BlockSpec::builder("Gain").input("u").parameter("k", -1.5).output("y", s("k") * s("u"));
//! let integrator = BlockSpec::builder("Integrator")
//!     .input("u")
//!     .parameter("x0", 1.0)
//!     .state("x", s("u"), s("x0"))
//!     .output("y", s("x"));
//!
//! let mut builder = DiagramBuilder::new("decay");
//! let gain = builder.add("gain", gain.build()?)?;
//! let x = builder.add("integrator", integrator.build()?)?;
//! builder.connect(x.output("y"), gain.input("u"))?;
//! builder.connect(gain.output("y"), x.input("u"))?;
//! builder.export_output("x", x.output("y"))?;
//!
//! let equations = builder.build()?.flatten()?;
//! assert!(equations.to_string().contains("der(integrator.x) = gain.y"));
//! let system = equations.compile()?;
//! assert_eq!(system.schema().parameter("gain.k")?, 0);
//! assert_eq!(system.output_state(0), Some(0)); // the output `x` is the state itself
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Blocks for common use are in `bifrons-blocks`, solvers and recording elsewhere: this crate knows
//! neither. It has no features.
#![forbid(unsafe_code)]

mod algebraic;
mod block;
mod container;
mod diagram;
mod equations;
mod error;
mod event;
mod flatten;
mod graph;
mod layout;
mod linearise;
mod loop_program;
mod name;
mod newton;
mod program;
mod range;
mod scalar;
mod schema;
mod sensitivity;
mod sliding;
mod system;
mod tape_events;
mod tape_system;
mod time_guards;
mod trim;
mod update_program;

pub use block::{Block, BlockSpec, BlockSpecBuilder, Component, Template, UnitConversion};
pub use container::{Enabled, ForEach, Triggered};
pub use diagram::{BlockId, Diagram, DiagramBuilder, InputPort, OutputPort};
pub use equations::{
    ContinuousState, Definition, DiscreteState, EquationSystem, EquationSystemBuilder,
    GuardEquation, LoopEquations, Output, Parameter, RateTransition, Update,
};
pub use error::{
    AlgebraicLoop, BlockError, DiagramError, EquationError, LinearisationError, LoopKind,
    SchemaError, SensitivityError, SlideError, TrimError, UnitMismatch, UnknownName, UnknownPort,
};
pub use event::{
    Clock, Course, Direction, EventTable, Guard, Instant, Rational, RationalError, Rivals,
    TimeGrid, TimelineError, Trigger,
};
pub use graph::{Digraph, StrongComponents};
pub use linearise::LinearModel;
pub use name::{NameProblem, TIME};
pub use range::ParameterRange;
pub use scalar::{ScalarLanes, ScalarSystem, ScalarWorkspace};
pub use schema::Schema;
pub use sliding::Slide;
pub use system::{HybridSystem, LoopFailure};
pub use tape_system::{TapeSystem, TapeWorkspace};
pub use trim::{OperatingPoint, Trim};
