//! Named, typed columns: what every producer of rows and every sink of rows speak about.
//!
//! * A [`Schema`] is a list of [`Field`]s: name, [`ColumnKind`], optional unit.
//! * A [`Batch`] is a checked view of some rows: one slice per column, all of the same length.
//! * A [`Table`] holds rows in memory, column by column, and gives batches of itself.
//! * A [`TableSink`] takes a schema, then batches, then an end: `begin`, `append`…, `finish`.
//!
//! Zero rows are valid everywhere. There are no nulls: a missing number is NaN, a missing category
//! is a category of its own.
//!
//! ```
//! use bifrons_table::{Batch, ColumnKind, ColumnView, Field, MemorySink, Schema, TableSink};
//!
//! let schema = Schema::new([
//!     Field::new("time", ColumnKind::F64).with_unit("s"),
//!     Field::new("mode", ColumnKind::category(["free", "stuck"])?),
//! ])?;
//! let mut sink = MemorySink::new();
//! sink.begin(&schema)?;
//! let columns = [ColumnView::F64(&[0.0, 0.5, 1.0]), ColumnView::Category(&[0, 0, 1])];
//! sink.append(&Batch::new(&schema, &columns)?)?;
//! sink.finish()?;
//!
//! let table = sink.into_table()?;
//! assert_eq!(table.row_count(), 3);
//! assert_eq!(table.f64("time")?, [0.0, 0.5, 1.0]);
//! assert_eq!(table.category("mode")?.label(2), Some("stuck"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod batch;
mod category;
mod column;
mod schema;
mod sink;
mod table;

pub use batch::{Batch, BatchError};
pub use category::{Categories, CategoryColumn};
pub use column::{Cell, ColumnView};
pub use schema::{ColumnKind, Field, Schema, SchemaError};
pub use sink::{MemorySink, SinkError, SinkProtocol, TableSink};
pub use table::{ColumnError, Table};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
