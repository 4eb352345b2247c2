//! Sinks that write tables to files: CSV, Arrow IPC, Parquet.
//!
//! All of them implement [`TableSink`](bifrons_table::TableSink), and keep three promises.
//!
//! * **Whole or not at all.** Rows go to a working file beside the target, which is renamed to the
//!   target's name by `finish`. Whatever happens before, the target is as it was: absent, or the
//!   older file. See [`Partial`] for what becomes of the rows of an interrupted run.
//! * **The same bytes however rows are cut.** The file depends on the rows alone and not on the
//!   batches in which they came.
//! * **The same bits.** Numbers read back to the same bits; see below for NaN.
//!
//! ```
//! use bifrons_export::CsvSink;
//! use bifrons_table::{Batch, ColumnKind, ColumnView, Field, Schema, TableSink};
//!
//! # let dir = std::env::temp_dir().join(format!("bifrons-export-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&dir)?;
//! let schema = Schema::new([
//!     Field::new("time", ColumnKind::F64),
//!     Field::new("mode", ColumnKind::category(["free", "stuck"])?),
//! ])?;
//! let mut sink = CsvSink::create(dir.join("run.csv"));
//! sink.begin(&schema)?;
//! let columns = [ColumnView::F64(&[0.0, 0.1]), ColumnView::Category(&[0, 1])];
//! sink.append(&Batch::new(&schema, &columns)?)?;
//! sink.finish()?;
//! assert_eq!(std::fs::read_to_string(dir.join("run.csv"))?, "time,mode\n0.0,free\n0.1,stuck\n");
//! # std::fs::remove_dir_all(&dir)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | kind | CSV | Arrow IPC | Parquet |
//! |---|---|---|---|
//! | `f64` | shortest text that reads back; `inf`, `-inf`, `NaN` | `Float64` | `DOUBLE`, plain |
//! | `i64`, `u32` | decimal | `Int64`, `UInt32` | `INT64`, `INT32` (unsigned) |
//! | `bool` | `true`, `false` | `Boolean` | `BOOLEAN` |
//! | `category` | the label | `Dictionary(Int32, Utf8)` | `BYTE_ARRAY` (string), dictionary |
//! | unit | not written | metadata `unit` of the field | the same |
//! | NaN | one text: sign and payload are lost | all bits kept | all bits kept |
//!
//! # Features
//!
//! * `arrow`: `ArrowSink`, the Arrow IPC file format (also known as Feather version 2).
//! * `parquet`: `ParquetSink`, without compression.
#![forbid(unsafe_code)]

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(any(feature = "arrow", feature = "parquet"))]
mod columnar;
mod csv;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(any(feature = "arrow", feature = "parquet"))]
mod rows;
#[cfg(any(feature = "arrow", feature = "parquet"))]
mod staging;

#[cfg(feature = "arrow")]
pub use arrow::ArrowSink;
pub use csv::CsvSink;
pub use output::Partial;
#[cfg(feature = "parquet")]
pub use parquet::ParquetSink;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
