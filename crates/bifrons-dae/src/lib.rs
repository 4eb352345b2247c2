//! Acausal networks: components with potentials and flows, index reduction, consistent initial
//! values, runs.
//!
//! A [`NetworkBuilder`] connects components of [`library`] or of your own ([`ComponentSpec`]) by
//! their pins. [`Network::flatten`] writes all equations down with their origins,
//! [`FlatModel::reduce`] eliminates aliases, checks the structure and reduces the index,
//! [`ReducedModel::simulation`] runs, and [`ReducedModel::to_equations`] hands over to sweeps.
//!
//! ```
//! use bifrons_dae::NetworkBuilder;
//! use bifrons_dae::library::planar::{Pivot, PointMass, RigidRod};
//!
//! // A pendulum in Cartesian coordinates, released from the horizontal: index 3.
//! let mut net = NetworkBuilder::new("pendulum");
//! let pivot = net.add("pivot", Pivot::new(0.0, 0.0))?;
//! let rod = net.add("rod", RigidRod::new(1.0))?;
//! let mass = net.add("mass", PointMass::new(1.0, 9.81).x(1.0).y(0.0).vx(0.0).vy(0.0))?;
//! net.connect(pivot.pin("a"), rod.pin("a"))?;
//! net.connect(rod.pin("b"), mass.pin("a"))?;
//! let model = net.build().flatten()?.reduce()?;
//! assert_eq!((model.structural_index(), model.freedom()), (3, 2));
//! let run = model.simulation().span(0.0, 1.0).record(["mass.x", "mass.y"]).run()?;
//! assert!((run.last("mass.x").unwrap() + 0.98629).abs() < 1e-4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate has no features.
#![forbid(unsafe_code)]

mod alias;
mod bridge;
mod component;
mod domain;
mod error;
mod flat;
mod flatten;
mod initial;
pub mod library;
mod name;
mod network;
mod order;
mod range;
mod reduced;
mod reference;
mod selection;
mod simulation;
mod stage;
mod structure;
mod system;

pub use component::{Component, ComponentSpec, ComponentSpecBuilder, Direction, Part};
pub use domain::{Domain, Pair};
pub use error::{
    BridgeError, ComponentError, FlattenError, Flaw, InitialError, NetworkError, RunError,
    StructuralError,
};
pub use flat::{FlatEquation, FlatModel, FlatParameter, FlatVariable, Origin, StartCondition};
pub use initial::{InitialReport, Used};
pub use name::der;
pub use network::{Network, NetworkBuilder, PartId, Pin, Signal};
pub use range::Range;
pub use reduced::ReducedModel;
pub use simulation::{EventKind, Prepared, Run, RunEvent, Simulation};
pub use system::{NetworkSystem, NetworkWorkspace};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/bifrons-dae.md")]
struct Guide;
