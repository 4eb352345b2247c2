//! Parquet files.

use std::io::{self, Write};

use ::parquet::arrow::ArrowWriter;
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::schema::types::ColumnPath;
use arrow_array::RecordBatch;
use bifrons_memory::Footprint;
use bifrons_table::{Batch, ColumnKind, Field, Schema, SinkError, Table, TableSink};

use crate::columnar::{Columnar, Refusal};
use crate::output::{Destination, Output, Partial};
use crate::rows::{Format, Rows, columnar_sink};

/// Descriptions and encoders of a column, as counted by the allocator.
const COLUMN_BYTES: u64 = 24 << 10;
/// The writer without columns.
const BASE_BYTES: u64 = 96 << 10;
/// Most that the largest page grows by, eight bytes per row below that.
const PAGE_BYTES: u64 = 416 << 10;
/// Per row, of a column whose values all differ: dictionary, its hash table, and indices.
const DICTIONARY_BYTES: u64 = 26;
/// Values that a dictionary has room for from the start.
const LEAST_DICTIONARY: u64 = 2048;
/// Per row: indices into a dictionary.
const INDEX_BYTES: u64 = 4;
/// Per column of a row group that is written: its entry in the list at the end of the file.
const ENTRY_BYTES: u64 = 1 << 10;
/// Per label: its place in the array, in the dictionary and in the hash table.
const LABEL_BYTES: u64 = 80;

/// Writes rows as a Parquet file, without compression.
///
/// Row groups have [`ROW_GROUP_ROWS`](Self::ROW_GROUP_ROWS) rows but the last, whatever the batches
/// in which rows came. No column is nullable. Floating-point numbers are stored plainly, all bits
/// of them, those of NaN included; integers and categories through dictionaries, which makes
/// repeated values short. Categories are strings: labels that no row has are not in the file, and
/// codes are those of the reader. Units are metadata `unit` of their fields in the Arrow schema
/// that the file carries.
#[derive(Debug)]
pub struct ParquetSink(Rows<ArrowWriter<Output>>);

columnar_sink!(ParquetSink);

impl ParquetSink {
    /// Rows of each row group but the last. A row group is kept in memory until it is full.
    pub const ROW_GROUP_ROWS: usize = 65_536;
    /// Rows that go to the encoder at a time.
    const BATCH_ROWS: usize = 8_192;

    /// What the sink needs at most, when no value repeats: rows that are collected, their copy as
    /// arrays, and the encoded row group with its dictionaries; without the list of row groups.
    ///
    /// Integers that repeat need less, down to a fifth, see [`ParquetSink::footprint_of`].
    #[must_use]
    pub fn footprint(schema: &Schema) -> Footprint {
        Self::footprint_of(schema, usize::MAX, |_| usize::MAX)
    }

    /// As [`ParquetSink::footprint`] of at most `rows` rows, where a column of integers has at most
    /// `distinct(name)` different values in each row group, with the list of row groups: 1 KiB for
    /// each of their columns. `usize::MAX` rows are an unknown number, without the list.
    #[must_use]
    pub fn footprint_of(
        schema: &Schema,
        rows: usize,
        distinct: impl Fn(&str) -> usize,
    ) -> Footprint {
        let batch = Self::BATCH_ROWS.min(rows) as u64;
        let group = Self::ROW_GROUP_ROWS.min(rows) as u64;
        let groups = match rows {
            usize::MAX => 0,
            rows => rows.div_ceil(Self::ROW_GROUP_ROWS) as u64,
        };
        let column = |field: &Field| {
            let value = field.kind().value_bytes() as u64;
            let (copy, encoded) = match field.kind() {
                ColumnKind::Bool => (batch.div_ceil(8), group.div_ceil(8)),
                ColumnKind::Category(categories) => {
                    let text: u64 = categories.labels().map(|label| label.len() as u64).sum();
                    let labels = text * 2 + categories.len() as u64 * LABEL_BYTES;
                    (8 * batch, INDEX_BYTES * group + labels)
                }
                ColumnKind::F64 => (value * batch, value * group),
                _ => {
                    let known = group
                        .min(distinct(field.name()) as u64)
                        .max(LEAST_DICTIONARY);
                    // Of the bytes of a value that differs from all others, four are its index.
                    let each = value + DICTIONARY_BYTES - INDEX_BYTES;
                    (value * batch, INDEX_BYTES * group + each * known)
                }
            };
            Footprint::persistent(encoded + COLUMN_BYTES + groups * ENTRY_BYTES)
                .beside(Footprint::scratch(copy))
        };
        let collected = Table::footprint(schema, Self::BATCH_ROWS);
        let columns = schema.fields().iter().map(column);
        columns.fold(
            collected.beside(Footprint::persistent(
                BASE_BYTES + PAGE_BYTES.min(8 * group),
            )),
            Footprint::beside,
        )
    }
}

fn properties(schema: &Schema) -> WriterProperties {
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("bifrons-export ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_max_row_group_row_count(Some(ParquetSink::ROW_GROUP_ROWS))
        .set_statistics_enabled(EnabledStatistics::Chunk);
    for field in schema
        .fields()
        .iter()
        .filter(|field| *field.kind() == ColumnKind::F64)
    {
        // A dictionary of numbers that rarely repeat costs memory and saves nothing.
        let path = ColumnPath::new(vec![field.name().to_owned()]);
        builder = builder.set_column_dictionary_enabled(path, false);
    }
    builder.build()
}

impl From<ParquetError> for Refusal {
    fn from(error: ParquetError) -> Self {
        Self::Target(match error {
            ParquetError::External(source) => match source.downcast::<io::Error>() {
                Ok(error) => *error,
                Err(source) => io::Error::other(source),
            },
            other => io::Error::other(other),
        })
    }
}

impl Format for ArrowWriter<Output> {
    const BATCH_ROWS: usize = ParquetSink::BATCH_ROWS;

    fn begin(output: Output, columnar: &Columnar, schema: &Schema) -> Result<Self, Refusal> {
        let properties = properties(schema);
        Ok(Self::try_new(
            output,
            columnar.schema().clone(),
            Some(properties),
        )?)
    }

    fn write(&mut self, rows: &RecordBatch) -> Result<(), Refusal> {
        Ok(self.write(rows)?)
    }

    fn end(&mut self) -> Result<(), Refusal> {
        self.finish()?;
        Ok(self.inner_mut().flush()?)
    }

    fn output(&mut self) -> &mut Output {
        self.inner_mut()
    }
}
