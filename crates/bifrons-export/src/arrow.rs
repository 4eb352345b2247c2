//! Arrow IPC files.

use std::io::Write;
use std::path::PathBuf;

use arrow_ipc::writer::FileWriter;
use bifrons_memory::Footprint;
use bifrons_table::{Batch, ColumnKind, Field, Schema, SinkError, SinkProtocol, Table, TableSink};

use crate::columnar::{Columnar, Refusal};
use crate::output::{Destination, Output, Partial};
use crate::staging::Staging;

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
pub struct ArrowSink {
    protocol: SinkProtocol,
    destination: Destination,
    partial: Partial,
    open: Option<Open>,
}

struct Open {
    columnar: Columnar,
    staging: Staging,
    partial: Partial,
    /// No more rows and no more attempts to end.
    ended: bool,
    /// The footer is written.
    whole: bool,
    writer: FileWriter<Output>,
}

impl ArrowSink {
    /// Rows of each record batch but the last.
    pub const BATCH_ROWS: usize = 8_192;

    /// A sink for a file of this name, which appears when the sink is finished.
    #[must_use]
    pub fn create(path: impl Into<PathBuf>) -> Self {
        Self::over(Destination::Path(path.into()))
    }

    /// A sink for any writer; here an interrupted run leaves what it leaves.
    #[must_use]
    pub fn to_writer(writer: impl Write + Send + Sync + 'static) -> Self {
        Self::over(Destination::Writer(Some(Box::new(writer))))
    }

    /// The same sink with another policy for interrupted runs.
    #[must_use]
    pub fn partial(self, partial: Partial) -> Self {
        Self { partial, ..self }
    }

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

    fn over(destination: Destination) -> Self {
        Self {
            protocol: SinkProtocol::default(),
            destination,
            partial: Partial::default(),
            open: None,
        }
    }

    fn open(&mut self, schema: &Schema) -> Result<(), Refusal> {
        let columnar = Columnar::new(schema)?;
        let staging = Staging::new(schema, Self::BATCH_ROWS);
        let output = self.destination.open(self.partial)?;
        let writer = FileWriter::try_new(output, columnar.schema())?;
        let partial = self.partial;
        self.open = Some(Open {
            columnar,
            staging,
            partial,
            ended: false,
            whole: false,
            writer,
        });
        Ok(())
    }

    fn settle(&mut self, result: Result<(), Refusal>) -> Result<(), SinkError> {
        result.map_err(|refusal| {
            self.protocol.fail();
            // A file without its last part cannot be read.
            if let Some(mut open) = self.open.take() {
                open.ended = true;
                if !open.whole {
                    open.writer.get_mut().spoil();
                }
            }
            match refusal {
                Refusal::Batch(error) => error.into(),
                Refusal::Target(error) => self.destination.refused(error),
            }
        })
    }
}

impl Open {
    fn write(&mut self, batch: &Batch<'_>) -> Result<(), Refusal> {
        let Self {
            columnar,
            staging,
            writer,
            ..
        } = self;
        staging.push(batch, |full| Ok(writer.write(&columnar.record(full)?)?))
    }

    /// Writes the rest and the footer.
    fn end(&mut self) -> Result<(), Refusal> {
        self.ended = true;
        let Self {
            columnar,
            staging,
            writer,
            ..
        } = self;
        staging
            .flush(|rest| -> Result<(), Refusal> { Ok(writer.write(&columnar.record(rest)?)?) })?;
        writer.finish()?;
        writer.get_ref().mark();
        self.whole = true;
        Ok(())
    }
}

impl TableSink for ArrowSink {
    fn begin(&mut self, schema: &Schema) -> Result<(), SinkError> {
        self.protocol.begin(schema)?;
        let result = self.open(schema);
        self.settle(result)
    }

    fn append(&mut self, batch: &Batch<'_>) -> Result<(), SinkError> {
        self.protocol.append(batch)?;
        let result = self.open.as_mut().map_or(Ok(()), |open| open.write(batch));
        self.settle(result)
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        self.protocol.finish()?;
        let result = match self.open.as_mut() {
            Some(open) => open
                .end()
                .and_then(|()| Ok(open.writer.get_mut().commit()?)),
            None => Ok(()),
        };
        self.settle(result)?;
        self.open = None;
        Ok(())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.ended && (self.partial == Partial::Discard || self.end().is_err()) {
            self.writer.get_mut().spoil();
        }
    }
}

impl std::fmt::Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Open")
            .field("staging", &self.staging)
            .finish_non_exhaustive()
    }
}
