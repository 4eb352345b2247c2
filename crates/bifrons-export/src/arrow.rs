//! Arrow IPC files.

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use bifrons_memory::Footprint;
use bifrons_table::{Batch, ColumnKind, Field, Schema, SinkError, Table, TableSink};

use crate::columnar::{Columnar, Refusal};
use crate::output::{Destination, Output, Partial};
use crate::rows::{Format, Rows, columnar_sink};

/// Schema, message header and array descriptions of a column, as counted by the allocator.
const COLUMN_BYTES: u64 = 2_560;
/// The writer without columns.
const BASE_BYTES: u64 = 4_096;

/// Writes rows as an Arrow IPC file (the random-access format, also known as Feather version 2).
///
/// Record batches have [`BATCH_ROWS`](Self::BATCH_ROWS) rows but the last, whatever the batches in
/// which rows came. No column is nullable. Categories are dictionaries with signed keys of 32
/// bits, whose values are all labels in the order of their codes; units are metadata `unit` of
/// their fields. All bits of all numbers are kept, those of NaN included.
#[derive(Debug)]
pub struct ArrowSink(Rows<FileWriter<Output>>);

columnar_sink!(ArrowSink);

impl ArrowSink {
    /// Rows of each record batch but the last.
    pub const BATCH_ROWS: usize = 8_192;

    /// What the sink needs: one record batch that is collected, and its copy as arrays and as a
    /// message, and the labels of categories; without the list of record batches (24 bytes each).
    #[must_use]
    pub fn footprint(schema: &Schema) -> Footprint {
        let rows = Self::BATCH_ROWS as u64;
        let column = |field: &Field| {
            // Numbers are written from their arrays; keys are written from a further copy. The
            // text of labels is collected in a buffer that doubles.
            let (copy, labels) = match field.kind() {
                ColumnKind::Bool => (rows.div_ceil(8), 0),
                ColumnKind::Category(categories) => {
                    let text: usize = categories.labels().map(str::len).sum();
                    (8 * rows, text.next_power_of_two() + 4 * categories.len())
                }
                kind => (kind.value_bytes() as u64 * rows, 0),
            };
            Footprint::scratch(copy).beside(Footprint::persistent(COLUMN_BYTES + labels as u64))
        };
        let columns = schema.fields().iter().map(column);
        columns.fold(
            Table::footprint(schema, Self::BATCH_ROWS).beside(Footprint::persistent(BASE_BYTES)),
            Footprint::beside,
        )
    }
}

impl Format for FileWriter<Output> {
    const BATCH_ROWS: usize = ArrowSink::BATCH_ROWS;

    fn begin(output: Output, columnar: &Columnar, _schema: &Schema) -> Result<Self, Refusal> {
        Ok(Self::try_new(output, columnar.schema())?)
    }

    fn write(&mut self, rows: &RecordBatch) -> Result<(), Refusal> {
        Ok(self.write(rows)?)
    }

    fn end(&mut self) -> Result<(), Refusal> {
        Ok(self.finish()?)
    }

    fn output(&mut self) -> &mut Output {
        self.get_mut()
    }
}
