//! Acausal networks.
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
pub use simulation::{EventKind, Run, RunEvent, Simulation};
