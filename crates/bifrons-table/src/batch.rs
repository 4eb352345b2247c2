//! A checked view of some rows.

use std::ops::Range;

use crate::column::{Column, ColumnView};
use crate::schema::{ColumnKind, Schema};

/// Some rows of all columns of a schema: slices of one length, of the right kinds, with codes
/// that have labels.
///
/// Checked once when it is made, so that a sink need not check again. Copies nothing.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    schema: &'a Schema,
    source: Source<'a>,
    start: usize,
    rows: usize,
}

#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    Views(&'a [ColumnView<'a>]),
    Table(&'a [Column]),
}

/// Why columns do not fit a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The number of columns differs.
    #[error("schema has {required} columns, got {found}")]
    ColumnCount {
        /// Columns of the schema.
        required: usize,
        /// Columns given.
        found: usize,
    },
    /// A column has another kind.
    #[error("column `{column}` must be {required}, got {found}")]
    Kind {
        /// Name of the column.
        column: String,
        /// Kind in the schema.
        required: &'static str,
        /// Kind given.
        found: &'static str,
    },
    /// A column has another number of rows than the first.
    #[error("column `{column}` must have {required} rows as the first column has, got {found}")]
    Length {
        /// Name of the column.
        column: String,
        /// Rows of the first column.
        required: usize,
        /// Rows of this column.
        found: usize,
    },
    /// A code without a label.
    #[error("code {code} of column `{column}` in row {row} must be below the {labels} labels")]
    Code {
        /// Name of the column.
        column: String,
        /// Row within the batch.
        row: usize,
        /// The code.
        code: u32,
        /// Number of labels.
        labels: usize,
    },
    /// The rows belong to another schema than the table or sink has.
    #[error("rows have another schema than the table: {difference}")]
    Schema {
        /// The first column that differs.
        difference: String,
    },
}

impl<'a> Batch<'a> {
    /// These columns, in the order of the schema.
    ///
    /// # Errors
    /// [`BatchError::ColumnCount`], [`BatchError::Kind`], [`BatchError::Length`] or
    /// [`BatchError::Code`], for the first column that does not fit.
    ///
    /// Cost: `O(columns)`, and one pass over the codes of category columns.
    pub fn new(schema: &'a Schema, columns: &'a [ColumnView<'a>]) -> Result<Self, BatchError> {
        let fields = schema.fields();
        if fields.len() != columns.len() {
            return Err(BatchError::ColumnCount {
                required: fields.len(),
                found: columns.len(),
            });
        }
        let rows = columns[0].len();
        for (field, view) in fields.iter().zip(columns) {
            let column = || field.name().to_owned();
            let (required, found) = (field.kind().name(), view.kind_name());
            if required != found {
                return Err(BatchError::Kind {
                    column: column(),
                    required,
                    found,
                });
            }
            if view.len() != rows {
                let (required, found) = (rows, view.len());
                return Err(BatchError::Length {
                    column: column(),
                    required,
                    found,
                });
            }
            if let (ColumnKind::Category(categories), ColumnView::Category(codes)) =
                (field.kind(), view)
                && let Some(row) = codes
                    .iter()
                    .position(|code| *code as usize >= categories.len())
            {
                let (code, labels) = (codes[row], categories.len());
                return Err(BatchError::Code {
                    column: column(),
                    row,
                    code,
                    labels,
                });
            }
        }
        Ok(Self {
            schema,
            source: Source::Views(columns),
            start: 0,
            rows,
        })
    }

    /// All rows of a table's columns, which have been checked.
    pub(crate) fn of_table(schema: &'a Schema, columns: &'a [Column], rows: usize) -> Self {
        Self {
            schema,
            source: Source::Table(columns),
            start: 0,
            rows,
        }
    }

    /// The schema.
    #[must_use]
    pub fn schema(&self) -> &'a Schema {
        self.schema
    }

    /// Number of rows.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn column_count(&self) -> usize {
        self.schema.fields().len()
    }

    /// The values of the column at a position; `None` behind the last column.
    #[must_use]
    pub fn column(&self, index: usize) -> Option<ColumnView<'a>> {
        let view = match self.source {
            Source::Views(views) => *views.get(index)?,
            Source::Table(columns) => columns.get(index)?.view(),
        };
        Some(view.slice(self.start..self.start + self.rows))
    }

    /// The values of all columns, in order.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = ColumnView<'a>> + use<'a, '_> {
        (0..self.column_count()).map(|index| {
            let view = match self.source {
                Source::Views(views) => views[index],
                Source::Table(columns) => columns[index].view(),
            };
            view.slice(self.start..self.start + self.rows)
        })
    }

    /// The rows of a range, cut to the rows that exist.
    #[must_use]
    pub fn slice(&self, rows: Range<usize>) -> Self {
        let end = rows.end.min(self.rows);
        let start = rows.start.min(end);
        Self {
            start: self.start + start,
            rows: end - start,
            ..*self
        }
    }

    /// The same rows in pieces of `width` rows, the last one shorter; a width of zero counts as
    /// one. No pieces for no rows.
    pub fn chunks(&self, width: usize) -> impl Iterator<Item = Self> + use<'a> {
        let (all, width) = (*self, width.max(1));
        (0..all.rows.div_ceil(width)).map(move |piece| {
            let start = piece * width;
            all.slice(start..start.saturating_add(width))
        })
    }

    /// Fails unless the rows have this schema.
    pub(crate) fn require(&self, schema: &Schema) -> Result<(), BatchError> {
        if self.schema == schema {
            return Ok(());
        }
        let (own, other) = (self.schema.fields(), schema.fields());
        let difference = match own.iter().zip(other).find(|(own, other)| own != other) {
            Some((own, other)) if own.name() != other.name() => {
                format!("`{}` in place of `{}`", own.name(), other.name())
            }
            Some((own, other)) if own.kind().name() != other.kind().name() => {
                let (found, required) = (own.kind(), other.kind());
                format!("`{}` is {found} in place of {required}", own.name())
            }
            Some((own, _)) => format!("labels or unit of `{}`", own.name()),
            None => format!("{} columns in place of {}", own.len(), other.len()),
        };
        Err(BatchError::Schema { difference })
    }
}
