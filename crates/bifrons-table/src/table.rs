//! Rows in memory, column by column.

use bifrons_memory::Footprint;

use crate::batch::{Batch, BatchError};
use crate::category::CategoryColumn;
use crate::column::{Cell, Column, ColumnView};
use crate::schema::{ColumnKind, Field, Schema};

/// A table in memory: one contiguous vector per column.
///
/// [`with_capacity`](Self::with_capacity) and [`reserve_exact`](Self::reserve_exact) take exactly
/// what they are asked for, which makes [`footprint`](Self::footprint) exact. Appending beyond
/// that grows the columns by doubling.
///
/// ```
/// use bifrons_table::{Cell, ColumnKind, Field, Schema, Table};
///
/// let schema = Schema::new([
///     Field::new("member", ColumnKind::U32),
///     Field::new("value", ColumnKind::F64),
/// ])?;
/// let mut table = Table::with_capacity(schema, 2);
/// table.push_row(&[Cell::U32(0), Cell::F64(1.5)])?;
/// table.push_row(&[Cell::U32(1), Cell::F64(2.5)])?;
/// assert_eq!(table.f64("value")?, [1.5, 2.5]);
/// assert!(table.f64("member").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    schema: Schema,
    columns: Vec<Column>,
    rows: usize,
}

/// Why a column cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// No column of this name.
    #[error("column `{name}` is unknown; there are: {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// All names, separated by commas.
        known: String,
    },
    /// The column has another kind.
    #[error("column `{name}` is {found}, not {asked}")]
    Kind {
        /// Name of the column.
        name: String,
        /// Its kind.
        found: &'static str,
        /// The kind asked for.
        asked: &'static str,
    },
}

impl Table {
    /// No rows.
    #[must_use]
    pub fn new(schema: Schema) -> Self {
        Self::with_capacity(schema, 0)
    }

    /// No rows, with room for exactly `rows`.
    #[must_use]
    pub fn with_capacity(schema: Schema, rows: usize) -> Self {
        let columns = schema.fields().iter().map(Field::kind);
        let columns = columns
            .map(|kind| Column::with_capacity(kind, rows))
            .collect();
        Self {
            schema,
            columns,
            rows: 0,
        }
    }

    /// What a table with room for `rows` rows holds, without the schema, which is shared: the
    /// values and one vector header per column.
    #[must_use]
    pub fn footprint(schema: &Schema, rows: usize) -> Footprint {
        Footprint::persistent(schema.row_bytes() as u64)
            .times(rows as u64)
            .beside(Footprint::of::<Column>(schema.fields().len()))
    }

    /// The schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Number of rows.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.rows
    }

    /// Rows for which there is room without growing.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.columns.iter().map(Column::capacity).min().unwrap_or(0)
    }

    /// Makes room for exactly `rows` more rows.
    pub fn reserve_exact(&mut self, rows: usize) {
        for column in &mut self.columns {
            column.reserve_exact(rows);
        }
    }

    /// Removes all rows and keeps the room: a table as a reused buffer.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Removes the rows behind the first `rows`, and keeps the room.
    pub fn truncate(&mut self, rows: usize) {
        if rows == 0 {
            self.columns.iter_mut().for_each(Column::clear);
        } else {
            self.columns
                .iter_mut()
                .for_each(|column| column.truncate(rows));
        }
        self.rows = self.rows.min(rows);
    }

    /// Appends rows of the same schema.
    ///
    /// # Errors
    /// [`BatchError::Schema`] if the batch has another schema; the table is unchanged.
    pub fn append(&mut self, batch: &Batch<'_>) -> Result<(), BatchError> {
        batch.require(&self.schema)?;
        for (column, view) in self.columns.iter_mut().zip(batch.columns()) {
            column.extend(view);
        }
        self.rows += batch.row_count();
        Ok(())
    }

    /// Appends one row, cells in the order of the columns.
    ///
    /// # Errors
    /// [`BatchError::ColumnCount`], [`BatchError::Kind`] or [`BatchError::Code`] (its row is the
    /// number of rows before); the table is unchanged.
    pub fn push_row(&mut self, cells: &[Cell]) -> Result<(), BatchError> {
        let fields = self.schema.fields();
        if fields.len() != cells.len() {
            return Err(BatchError::ColumnCount {
                required: fields.len(),
                found: cells.len(),
            });
        }
        for (field, cell) in fields.iter().zip(cells) {
            let (required, found) = (field.kind().name(), cell.kind_name());
            if required != found {
                let column = field.name().to_owned();
                return Err(BatchError::Kind {
                    column,
                    required,
                    found,
                });
            }
            if let (ColumnKind::Category(categories), Cell::Category(code)) = (field.kind(), *cell)
                && code as usize >= categories.len()
            {
                let (column, labels) = (field.name().to_owned(), categories.len());
                return Err(BatchError::Code {
                    column,
                    row: self.rows,
                    code,
                    labels,
                });
            }
        }
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(*cell);
        }
        self.rows += 1;
        Ok(())
    }

    /// All rows as a batch, without copying.
    #[must_use]
    pub fn batch(&self) -> Batch<'_> {
        Batch::of_table(&self.schema, &self.columns, self.rows)
    }

    /// The values of the column of this name.
    ///
    /// # Errors
    /// [`ColumnError::Unknown`].
    pub fn column(&self, name: &str) -> Result<ColumnView<'_>, ColumnError> {
        match self.schema.index_of(name) {
            Some(index) => Ok(self.columns[index].view()),
            None => {
                let names: Vec<&str> = self.schema.fields().iter().map(Field::name).collect();
                Err(ColumnError::Unknown {
                    name: name.to_owned(),
                    known: names.join(", "),
                })
            }
        }
    }

    /// The floating-point numbers of a column.
    ///
    /// # Errors
    /// [`ColumnError::Unknown`] or [`ColumnError::Kind`], as for all typed columns.
    pub fn f64(&self, name: &str) -> Result<&[f64], ColumnError> {
        match self.column(name)? {
            ColumnView::F64(values) => Ok(values),
            other => Err(wrong_kind(name, other, "f64")),
        }
    }

    /// The signed integers of a column.
    ///
    /// # Errors
    /// As [`f64`](Self::f64).
    pub fn i64(&self, name: &str) -> Result<&[i64], ColumnError> {
        match self.column(name)? {
            ColumnView::I64(values) => Ok(values),
            other => Err(wrong_kind(name, other, "i64")),
        }
    }

    /// The unsigned integers of a column.
    ///
    /// # Errors
    /// As [`f64`](Self::f64).
    pub fn u32(&self, name: &str) -> Result<&[u32], ColumnError> {
        match self.column(name)? {
            ColumnView::U32(values) => Ok(values),
            other => Err(wrong_kind(name, other, "u32")),
        }
    }

    /// The truth values of a column.
    ///
    /// # Errors
    /// As [`f64`](Self::f64).
    pub fn bool(&self, name: &str) -> Result<&[bool], ColumnError> {
        match self.column(name)? {
            ColumnView::Bool(values) => Ok(values),
            other => Err(wrong_kind(name, other, "bool")),
        }
    }

    /// The codes and labels of a category column.
    ///
    /// # Errors
    /// As [`f64`](Self::f64).
    pub fn category(&self, name: &str) -> Result<CategoryColumn<'_>, ColumnError> {
        let view = self.column(name)?;
        let kind = self
            .schema
            .index_of(name)
            .map(|index| self.schema.fields()[index].kind());
        match (view, kind) {
            (ColumnView::Category(codes), Some(ColumnKind::Category(categories))) => {
                Ok(CategoryColumn::new(codes, categories))
            }
            (other, _) => Err(wrong_kind(name, other, "category")),
        }
    }
}

fn wrong_kind(name: &str, found: ColumnView<'_>, asked: &'static str) -> ColumnError {
    ColumnError::Kind {
        name: name.to_owned(),
        found: found.kind_name(),
        asked,
    }
}
