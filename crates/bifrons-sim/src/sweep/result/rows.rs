//! The rows of a sweep as a table.

use bifrons_table::{
    Batch, BatchError, ColumnKind, ColumnView, Field, Schema, SchemaError, SinkError, TableSink,
};

use super::SweepResult;

/// Rows that are handed to a sink at once, or those of one member if it has more.
const BATCH: usize = 4096;

/// Rows of a sweep that a sink did not take.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The names of the columns do not make a schema.
    #[error("rows of the sweep do not make a table; rename the recorded output")]
    Schema(#[from] SchemaError),
    /// The sink refused.
    #[error("rows of the sweep cannot be written")]
    Sink(#[from] SinkError),
}

impl From<BatchError> for WriteError {
    fn from(error: BatchError) -> Self {
        Self::Sink(SinkError::Batch(error))
    }
}

/// Rows on their way to a sink.
struct Buffer {
    members: Vec<i64>,
    times: Vec<f64>,
    columns: Vec<Vec<f64>>,
}

impl SweepResult {
    /// Columns of the rows: `member`, `time` in seconds, then one per recorded name.
    ///
    /// # Errors
    ///
    /// [`SchemaError`] if an output is called `member` or `time`.
    pub fn table_schema(&self) -> Result<Schema, SchemaError> {
        let fixed = [
            Field::new("member", ColumnKind::I64),
            Field::new("time", ColumnKind::F64).with_unit("s"),
        ];
        Schema::new(
            fixed
                .into_iter()
                .chain(self.names().map(|n| Field::new(n, ColumnKind::F64))),
        )
    }

    /// Writes the valid rows of all members to a sink, member by member in ascending order, and
    /// finishes it.
    ///
    /// Memory: a buffer of `BATCH = 4096` rows, or of those of one member if they are more.
    ///
    /// # Errors
    ///
    /// [`WriteError`] with what the schema or the sink says.
    pub fn write_to(&self, sink: &mut impl TableSink) -> Result<(), WriteError> {
        let schema = self.table_schema()?;
        sink.begin(&schema)?;
        let mut buffer = Buffer {
            members: Vec::new(),
            times: Vec::new(),
            columns: vec![Vec::new(); self.names.len()],
        };
        for member in 0..self.member_count() {
            let rows = self.reports[member].rows as usize;
            if buffer.times.len() + rows > BATCH {
                buffer.flush(&schema, sink)?;
            }
            let start = member * self.rows;
            buffer.members.resize(
                buffer.members.len() + rows,
                i64::try_from(member).unwrap_or(i64::MAX),
            );
            buffer.times.extend_from_slice(self.times(member));
            for (column, values) in buffer.columns.iter_mut().zip(&self.columns) {
                column.extend_from_slice(&values[start..start + rows]);
            }
        }
        buffer.flush(&schema, sink)?;
        Ok(sink.finish()?)
    }
}

impl Buffer {
    fn flush(&mut self, schema: &Schema, sink: &mut impl TableSink) -> Result<(), WriteError> {
        let mut views = vec![ColumnView::I64(&self.members), ColumnView::F64(&self.times)];
        views.extend(self.columns.iter().map(|column| ColumnView::F64(column)));
        sink.append(&Batch::new(schema, &views)?)?;
        self.members.clear();
        self.times.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        Ok(())
    }
}
