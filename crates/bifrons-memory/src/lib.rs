//! Memory as a quantity that is known before a run and measured after it.
//!
//! * [`Footprint`] says how many bytes an operation keeps and how many it needs while it runs;
//!   footprints compose ([`then`](Footprint::then), [`beside`](Footprint::beside),
//!   [`times`](Footprint::times)), and [`Part`] gives them names so that a plan can be read.
//! * [`Budget`] says how many bytes may be used: so many, or a share of what the machine or its
//!   cgroup leaves.
//! * [`ChunkRequest`] finds the widest chunk of equal items that fits a budget, or says which
//!   part is too large and by how much.
//! * [`process`] reads what the process really holds (resident set, its peak, page faults).
//! * With feature `profiler`, module `profiler` has a counting allocator with exact bytes and
//!   blocks for the process and for named scopes.
//!
//! ```
//! use bifrons_memory::{ChunkRequest, Footprint, Part};
//!
//! // A table of 1000 numbers is shared; each member keeps 8 numbers and needs 40 while it runs.
//! let plan = ChunkRequest::new(5_000)
//!     .shared(Part::new("table", Footprint::of::<f64>(1_000)))
//!     .item(Part::new("member", Footprint::of::<f64>(8).beside(Footprint::scratch(40 * 8))))
//!     .in_flight(2)
//!     .preferred(1_024)
//!     .plan_within(256 * 1024)?;
//! assert_eq!(plan.width(), 330);
//! assert!(plan.footprint().peak() <= 256 * 1024);
//! # Ok::<(), bifrons_memory::PlanError>(())
//! ```
//!
//! # Features
//!
//! * `serde`: `Serialize` and `Deserialize` for [`Footprint`], [`Part`] and [`Bytes`].
//! * `profiler`: the counting allocator. It holds the only `unsafe` code of the workspace.
#![cfg_attr(not(feature = "profiler"), forbid(unsafe_code))]
#![deny(unsafe_code)]

mod budget;
mod bytes;
mod cgroup;
mod chunk;
mod footprint;
mod part;
pub mod process;
#[cfg(feature = "profiler")]
pub mod profiler;
mod surroundings;
mod text;

pub use budget::{Budget, BudgetError};
pub use bytes::{Bytes, ParseBytesError};
pub use cgroup::{CgroupMemory, CgroupVersion};
pub use chunk::{ChunkPlan, ChunkRanges, ChunkRequest, PlanError};
pub use footprint::Footprint;
pub use part::{Composition, Part, PartEntry};
pub use surroundings::Surroundings;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
