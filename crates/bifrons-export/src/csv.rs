//! Comma-separated values.

mod resume;

use std::io::{self, Write};
use std::path::PathBuf;

use bifrons_memory::Footprint;
use bifrons_table::{
    Batch, ColumnKind, ColumnView, Field, Schema, SinkError, SinkProtocol, TableSink,
};

use crate::output::{Destination, Output, Partial};

/// Bytes that are collected before they go to the file.
const BUFFER: usize = 64 << 10;

/// Writes rows as comma-separated values, UTF-8, one line with the names and one line per row,
/// each ended by `\n`.
///
/// * Floating-point numbers are the shortest text that reads back to the same bits, with a point or
///   an exponent (`0.1`, `1.0`, `-0.0`, `1e-7`); `inf`, `-inf`, and `NaN` for every NaN.
/// * Categories are their labels; labels and names are quoted where they need it.
/// * Units are not written.
///
/// Readers that take `NaN` for a missing value by default (among them those of Arrow) have a
/// setting for it.
#[derive(Debug)]
pub struct CsvSink {
    protocol: SinkProtocol,
    destination: Destination,
    partial: Partial,
    resumed: Option<resume::Resumed>,
    writer: Option<csv::Writer<Output>>,
    text: Vec<u8>,
}

impl CsvSink {
    /// A sink for a file of this name, which appears when the sink is finished.
    #[must_use]
    pub fn create(path: impl Into<PathBuf>) -> Self {
        Self::over(Destination::Path(path.into()))
    }

    /// A sink for any writer, such as standard output; here an interrupted run leaves what it
    /// leaves.
    #[must_use]
    pub fn to_writer(writer: impl Write + Send + Sync + 'static) -> Self {
        Self::over(Destination::Writer(Some(Box::new(writer))))
    }

    /// The same sink with another policy for interrupted runs.
    #[must_use]
    pub fn partial(self, partial: Partial) -> Self {
        Self { partial, ..self }
    }

    /// Goes on with `NAME.partial`, which a run with [`Partial::Keep`] has left, whether it was
    /// killed or not; starts it if there is none.
    ///
    /// A last row that is not whole is cut off. [`resumed_rows`](Self::resumed_rows) says how many
    /// rows are there; rows that are appended come behind them. If they are the rows that the
    /// first run would have written, the finished file has the same bytes as that of a run without
    /// interruption.
    ///
    /// # Errors
    /// [`SinkError::Write`] if the file cannot be read, or another run writes it.
    pub fn resume(path: impl Into<PathBuf>) -> Result<Self, SinkError> {
        let sink = Self::create(path).partial(Partial::Keep);
        match &sink.destination {
            Destination::Path(path) => match resume::Resumed::open(path) {
                Ok(resumed) => Ok(Self { resumed, ..sink }),
                Err(error) => Err(sink.destination.refused(error)),
            },
            Destination::Writer(_) => Ok(sink),
        }
    }

    /// Rows that are in the file already, without the line of names; zero unless resumed.
    #[must_use]
    pub fn resumed_rows(&self) -> u64 {
        self.resumed.as_ref().map_or(0, resume::Resumed::rows)
    }

    /// Of the rows found by [`resume`](Self::resume), keeps the first `rows` at most: so that the
    /// file ends where the caller can go on, such as behind the last row of a member.
    ///
    /// # Errors
    /// [`SinkError::Write`] if the file cannot be read.
    pub fn keep_rows(mut self, rows: u64) -> Result<Self, SinkError> {
        if let Some(resumed) = &mut self.resumed
            && let Err(error) = resumed.keep(rows)
        {
            return Err(self.destination.refused(error));
        }
        Ok(self)
    }

    /// What the sink needs beside the batches, as far as names and labels are shorter than 1 KiB.
    #[must_use]
    pub fn footprint() -> Footprint {
        Footprint::persistent((BUFFER + 2 * 1_024) as u64)
    }

    fn over(destination: Destination) -> Self {
        Self {
            protocol: SinkProtocol::default(),
            destination,
            partial: Partial::default(),
            resumed: None,
            writer: None,
            text: Vec::with_capacity(32),
        }
    }

    /// Opens the file and writes the names, or compares them with those of a resumed file.
    fn open(&mut self, schema: &Schema) -> io::Result<()> {
        let (output, names_are_there) = match (self.resumed.take(), &self.destination) {
            (Some(resumed), Destination::Path(path)) => {
                let names = !resumed.is_empty();
                (
                    Output::File(resumed.into_pending(path, &names_line(schema)?)?),
                    names,
                )
            }
            _ => (self.destination.open(self.partial)?, false),
        };
        let mut writer = csv_writer(output);
        if !names_are_there {
            writer
                .write_record(schema.fields().iter().map(Field::name))
                .map_err(io_error)?;
        }
        self.writer = Some(mark(writer)?);
        Ok(())
    }

    fn write(&mut self, batch: &Batch<'_>) -> io::Result<()> {
        let Some(mut writer) = self.writer.take() else {
            return Ok(());
        };
        for row in 0..batch.row_count() {
            for (field, view) in batch.schema().fields().iter().zip(batch.columns()) {
                match (view, field.kind()) {
                    (ColumnView::Category(codes), ColumnKind::Category(categories)) => {
                        writer.write_field(categories.label(codes[row]).unwrap_or_default())
                    }
                    (view, _) => {
                        number(&mut self.text, view, row)?;
                        writer.write_field(&self.text)
                    }
                }
                .map_err(io_error)?;
            }
            writer.write_record(None::<&[u8]>).map_err(io_error)?;
        }
        self.writer = Some(mark(writer)?);
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        match self.writer.take() {
            Some(writer) => writer.into_inner().map_err(into_error)?.commit(),
            None => Ok(()),
        }
    }
}

impl TableSink for CsvSink {
    fn begin(&mut self, schema: &Schema) -> Result<(), SinkError> {
        self.protocol.begin(schema)?;
        let result = self.open(schema);
        self.settle(result)
    }

    fn append(&mut self, batch: &Batch<'_>) -> Result<(), SinkError> {
        self.protocol.append(batch)?;
        let result = self.write(batch);
        self.settle(result)
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        self.protocol.finish()?;
        let result = self.close();
        self.settle(result)
    }
}

impl CsvSink {
    fn settle(&mut self, result: io::Result<()>) -> Result<(), SinkError> {
        result.map_err(|error| {
            self.protocol.fail();
            self.writer = None;
            self.destination.refused(error)
        })
    }
}

fn csv_writer<W: Write>(output: W) -> csv::Writer<W> {
    csv::WriterBuilder::new()
        .buffer_capacity(BUFFER)
        .from_writer(output)
}

/// The line of names, with its end.
fn names_line(schema: &Schema) -> io::Result<Vec<u8>> {
    let mut writer = csv_writer(Vec::new());
    writer
        .write_record(schema.fields().iter().map(Field::name))
        .map_err(io_error)?;
    writer.into_inner().map_err(into_error)
}

/// Writes what is buffered and marks it as whole.
fn mark(mut writer: csv::Writer<Output>) -> io::Result<csv::Writer<Output>> {
    writer.flush()?;
    writer.get_ref().mark();
    Ok(writer)
}

/// The text of one value that is no category.
fn number(text: &mut Vec<u8>, view: ColumnView<'_>, row: usize) -> io::Result<()> {
    text.clear();
    match view {
        ColumnView::F64(values) => write!(text, "{:?}", values[row]),
        ColumnView::I64(values) => write!(text, "{}", values[row]),
        ColumnView::U32(values) => write!(text, "{}", values[row]),
        ColumnView::Bool(values) => write!(text, "{}", values[row]),
        _ => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "kind of column is unknown to CSV",
        )),
    }
}

fn into_error<W>(error: csv::IntoInnerError<W>) -> io::Error {
    io::Error::new(error.error().kind(), error.error().to_string())
}

fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
