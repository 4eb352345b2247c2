//! Where rows go.

use crate::batch::{Batch, BatchError};
use crate::schema::Schema;
use crate::table::Table;

/// A receiver of rows: `begin` once, `append` any number of times, `finish` once.
///
/// Rows arrive in their final order. A sink that drops without `finish` was interrupted; what it
/// leaves behind is for the sink to say. After an error no more rows are taken.
pub trait TableSink: Send {
    /// Starts with the columns of all rows to come.
    ///
    /// # Errors
    /// [`SinkError::Order`] if called twice, or what the sink's target says.
    fn begin(&mut self, schema: &Schema) -> Result<(), SinkError>;

    /// Takes some rows; none are valid, too.
    ///
    /// # Errors
    /// [`SinkError::Order`] before `begin` or after `finish`, [`SinkError::Batch`] for rows of
    /// another schema, or what the sink's target says.
    fn append(&mut self, batch: &Batch<'_>) -> Result<(), SinkError>;

    /// Ends: all rows are where they belong when this returns.
    ///
    /// # Errors
    /// [`SinkError::Order`] before `begin` or when called twice, or what the sink's target says.
    fn finish(&mut self) -> Result<(), SinkError>;
}

impl<S: TableSink + ?Sized> TableSink for &mut S {
    fn begin(&mut self, schema: &Schema) -> Result<(), SinkError> {
        (**self).begin(schema)
    }

    fn append(&mut self, batch: &Batch<'_>) -> Result<(), SinkError> {
        (**self).append(batch)
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        (**self).finish()
    }
}

impl<S: TableSink + ?Sized> TableSink for Box<S> {
    fn begin(&mut self, schema: &Schema) -> Result<(), SinkError> {
        (**self).begin(schema)
    }

    fn append(&mut self, batch: &Batch<'_>) -> Result<(), SinkError> {
        (**self).append(batch)
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        (**self).finish()
    }
}

/// Why a sink does not take rows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SinkError {
    /// Calls in the wrong order.
    #[error(
        "`{call}` must not follow when the sink {state}; call begin, append and finish in turn"
    )]
    Order {
        /// The method.
        call: &'static str,
        /// What the sink had done before.
        state: &'static str,
    },
    /// The rows do not fit.
    #[error("rows do not fit the sink")]
    Batch(#[from] BatchError),
    /// There is room for fewer rows.
    #[error("sink has room for {capacity} rows, but at least {needed} are needed")]
    Full {
        /// Rows that have room.
        capacity: usize,
        /// Rows taken before and rows of this call together.
        needed: usize,
    },
    /// The target refused.
    #[error("`{target}` cannot be written")]
    Write {
        /// Where the rows go.
        target: String,
        /// What the target said.
        source: std::io::Error,
    },
}

/// Keeps the order of a sink's calls: a field that every sink's methods ask first.
///
/// ```
/// use bifrons_table::{ColumnKind, Field, Schema, SinkProtocol};
///
/// let mut protocol = SinkProtocol::default();
/// assert!(protocol.finish().is_err());
/// protocol.begin(&Schema::new([Field::new("x", ColumnKind::F64)])?)?;
/// protocol.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SinkProtocol {
    schema: Option<Schema>,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    New,
    Open,
    Finished,
    Failed,
}

impl SinkProtocol {
    /// To be called first in [`TableSink::begin`].
    ///
    /// # Errors
    /// [`SinkError::Order`] if called twice.
    pub fn begin(&mut self, schema: &Schema) -> Result<(), SinkError> {
        self.require("begin", Phase::New)?;
        self.phase = Phase::Open;
        self.schema = Some(schema.clone());
        Ok(())
    }

    /// To be called first in [`TableSink::append`].
    ///
    /// # Errors
    /// [`SinkError::Order`], or [`SinkError::Batch`] for rows of another schema.
    pub fn append(&mut self, batch: &Batch<'_>) -> Result<(), SinkError> {
        self.require("append", Phase::Open)?;
        match &self.schema {
            Some(schema) => Ok(batch.require(schema)?),
            None => self.require("append", Phase::New),
        }
    }

    /// To be called first in [`TableSink::finish`].
    ///
    /// # Errors
    /// [`SinkError::Order`].
    pub fn finish(&mut self) -> Result<(), SinkError> {
        self.require("finish", Phase::Open)?;
        self.phase = Phase::Finished;
        Ok(())
    }

    /// To be called when the target has refused: nothing is taken after that.
    pub fn fail(&mut self) {
        self.phase = Phase::Failed;
    }

    /// The schema, after `begin`.
    #[must_use]
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// Whether `finish` was called.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.phase == Phase::Finished
    }

    fn require(&self, call: &'static str, phase: Phase) -> Result<(), SinkError> {
        if self.phase == phase {
            return Ok(());
        }
        let state = match self.phase {
            Phase::New => "has not begun",
            Phase::Open => "has begun",
            Phase::Finished => "is finished",
            Phase::Failed => "has failed",
        };
        Err(SinkError::Order { call, state })
    }
}

/// Keeps all rows in a [`Table`].
#[derive(Clone, Debug, Default)]
pub struct MemorySink {
    protocol: SinkProtocol,
    table: Option<Table>,
    reserve: usize,
    limit: Option<usize>,
}

impl MemorySink {
    /// Any number of rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Any number of rows, with room for exactly `rows` from the beginning.
    #[must_use]
    pub fn with_capacity(rows: usize) -> Self {
        Self {
            reserve: rows,
            ..Self::default()
        }
    }

    /// At most `rows` rows, with room for them from the beginning; more are an error and not a
    /// silent loss.
    #[must_use]
    pub fn with_limit(rows: usize) -> Self {
        Self {
            reserve: rows,
            limit: Some(rows),
            ..Self::default()
        }
    }

    /// The rows taken up to now; `None` before `begin`.
    #[must_use]
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// The rows.
    ///
    /// # Errors
    /// [`SinkError::Order`] if the sink is not finished.
    pub fn into_table(self) -> Result<Table, SinkError> {
        self.protocol.require("into_table", Phase::Finished)?;
        self.table.ok_or(SinkError::Order {
            call: "into_table",
            state: "has not begun",
        })
    }
}

impl TableSink for MemorySink {
    fn begin(&mut self, schema: &Schema) -> Result<(), SinkError> {
        self.protocol.begin(schema)?;
        self.table = Some(Table::with_capacity(schema.clone(), self.reserve));
        Ok(())
    }

    fn append(&mut self, batch: &Batch<'_>) -> Result<(), SinkError> {
        self.protocol.append(batch)?;
        let Some(table) = &mut self.table else {
            return Ok(());
        };
        let needed = table.row_count().saturating_add(batch.row_count());
        if let Some(capacity) = self.limit
            && needed > capacity
        {
            self.protocol.fail();
            return Err(SinkError::Full { capacity, needed });
        }
        Ok(table.append(batch)?)
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        self.protocol.finish()
    }
}
