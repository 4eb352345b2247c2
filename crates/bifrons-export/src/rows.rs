//! What the columnar sinks have in common: rows collected to full batches, a file that is whole
//! or not there.

use std::fmt;

use arrow_array::RecordBatch;
use bifrons_table::{Batch, Schema, SinkError, SinkProtocol};

use crate::columnar::{Columnar, Refusal};
use crate::output::{Destination, Output, Partial};
use crate::staging::Staging;

/// A writer of one file format.
pub(crate) trait Format: Sized {
    /// Rows that go to the writer at a time.
    const BATCH_ROWS: usize;

    /// Starts a file.
    fn begin(output: Output, columnar: &Columnar, schema: &Schema) -> Result<Self, Refusal>;

    /// Writes rows.
    fn write(&mut self, rows: &RecordBatch) -> Result<(), Refusal>;

    /// Writes what makes the file readable, and all that is buffered.
    fn end(&mut self) -> Result<(), Refusal>;

    /// Where bytes go.
    fn output(&mut self) -> &mut Output;
}

/// A sink of one format.
pub(crate) struct Rows<F: Format> {
    protocol: SinkProtocol,
    destination: Destination,
    pub(crate) partial: Partial,
    open: Option<Open<F>>,
}

/// A file that is being written.
struct Open<F: Format> {
    columnar: Columnar,
    staging: Staging,
    partial: Partial,
    /// No more rows and no more attempts to end.
    ended: bool,
    /// The file can be read.
    whole: bool,
    format: F,
}

impl<F: Format> Rows<F> {
    pub(crate) fn over(destination: Destination) -> Self {
        Self {
            protocol: SinkProtocol::default(),
            destination,
            partial: Partial::default(),
            open: None,
        }
    }

    pub(crate) fn begin(&mut self, schema: &Schema) -> Result<(), SinkError> {
        self.protocol.begin(schema)?;
        let result = self.open(schema);
        self.settle(result)
    }

    pub(crate) fn append(&mut self, batch: &Batch<'_>) -> Result<(), SinkError> {
        self.protocol.append(batch)?;
        let result = self.open.as_mut().map_or(Ok(()), |open| open.write(batch));
        self.settle(result)
    }

    pub(crate) fn finish(&mut self) -> Result<(), SinkError> {
        self.protocol.finish()?;
        let result = self.open.as_mut().map_or(Ok(()), |open| {
            open.end()?;
            Ok(open.format.output().commit()?)
        });
        self.settle(result)?;
        self.open = None;
        Ok(())
    }

    fn open(&mut self, schema: &Schema) -> Result<(), Refusal> {
        let columnar = Columnar::new(schema)?;
        let staging = Staging::new(schema, F::BATCH_ROWS);
        let output = self.destination.open(self.partial)?;
        let format = F::begin(output, &columnar, schema)?;
        self.open = Some(Open {
            columnar,
            staging,
            partial: self.partial,
            ended: false,
            whole: false,
            format,
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
                    open.format.output().spoil();
                }
            }
            match refusal {
                Refusal::Batch(error) => error.into(),
                Refusal::Target(error) => self.destination.refused(error),
            }
        })
    }
}

impl<F: Format> Open<F> {
    fn write(&mut self, batch: &Batch<'_>) -> Result<(), Refusal> {
        let Self {
            columnar,
            staging,
            format,
            ..
        } = self;
        staging.push(batch, |full| format.write(&columnar.record(full)?))
    }

    /// Writes the rest and what makes the file readable.
    fn end(&mut self) -> Result<(), Refusal> {
        self.ended = true;
        let Self {
            columnar,
            staging,
            format,
            ..
        } = self;
        staging.flush(|rest| format.write(&columnar.record(rest)?))?;
        format.end()?;
        format.output().mark();
        self.whole = true;
        Ok(())
    }
}

impl<F: Format> Drop for Open<F> {
    fn drop(&mut self) {
        if !self.ended && (self.partial == Partial::Discard || self.end().is_err()) {
            self.format.output().spoil();
        }
    }
}

/// Not every writer can be shown.
impl<F: Format> fmt::Debug for Rows<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let staging = self.open.as_ref().map(|open| &open.staging);
        f.debug_struct("Rows")
            .field("protocol", &self.protocol)
            .field("destination", &self.destination)
            .field("partial", &self.partial)
            .field("staging", &staging)
            .finish_non_exhaustive()
    }
}

/// The public face of a columnar sink.
macro_rules! columnar_sink {
    ($sink:ident) => {
        impl $sink {
            /// A sink for a file of this name, which appears when the sink is finished.
            #[must_use]
            pub fn create(path: impl Into<std::path::PathBuf>) -> Self {
                Self(Rows::over(Destination::Path(path.into())))
            }

            /// A sink for any writer; here an interrupted run leaves what it leaves.
            #[must_use]
            pub fn to_writer(writer: impl std::io::Write + Send + Sync + 'static) -> Self {
                Self(Rows::over(Destination::Writer(Some(Box::new(writer)))))
            }

            /// The same sink with another policy for interrupted runs.
            #[must_use]
            pub fn partial(mut self, partial: Partial) -> Self {
                self.0.partial = partial;
                self
            }
        }

        impl TableSink for $sink {
            fn begin(&mut self, schema: &Schema) -> Result<(), SinkError> {
                self.0.begin(schema)
            }

            fn append(&mut self, batch: &Batch<'_>) -> Result<(), SinkError> {
                self.0.append(batch)
            }

            fn finish(&mut self) -> Result<(), SinkError> {
                self.0.finish()
            }
        }
    };
}
pub(crate) use columnar_sink;
