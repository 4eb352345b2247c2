//! The values of one column.

use std::ops::Range;

use crate::schema::ColumnKind;

/// A view of one column's values.
///
/// A new kind is a breaking change for whoever writes sinks, hence not exhaustive.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ColumnView<'a> {
    /// Floating-point numbers.
    F64(&'a [f64]),
    /// Signed integers.
    I64(&'a [i64]),
    /// Unsigned integers.
    U32(&'a [u32]),
    /// Truth values.
    Bool(&'a [bool]),
    /// Codes of categories.
    Category(&'a [u32]),
}

/// One value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cell {
    /// A floating-point number.
    F64(f64),
    /// A signed integer.
    I64(i64),
    /// An unsigned integer.
    U32(u32),
    /// A truth value.
    Bool(bool),
    /// The code of a category.
    Category(u32),
}

impl<'a> ColumnView<'a> {
    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::F64(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::U32(values) | Self::Category(values) => values.len(),
            Self::Bool(values) => values.len(),
        }
    }

    /// Whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a row; `None` behind the last row.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Cell> {
        Some(match self {
            Self::F64(values) => Cell::F64(*values.get(row)?),
            Self::I64(values) => Cell::I64(*values.get(row)?),
            Self::U32(values) => Cell::U32(*values.get(row)?),
            Self::Bool(values) => Cell::Bool(*values.get(row)?),
            Self::Category(codes) => Cell::Category(*codes.get(row)?),
        })
    }

    /// The name of the kind, as [`ColumnKind::name`].
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::F64(_) => "f64",
            Self::I64(_) => "i64",
            Self::U32(_) => "u32",
            Self::Bool(_) => "bool",
            Self::Category(_) => "category",
        }
    }

    /// The rows of a range that lies within the column.
    pub(crate) fn slice(self, rows: Range<usize>) -> Self {
        match self {
            Self::F64(values) => Self::F64(&values[rows]),
            Self::I64(values) => Self::I64(&values[rows]),
            Self::U32(values) => Self::U32(&values[rows]),
            Self::Bool(values) => Self::Bool(&values[rows]),
            Self::Category(codes) => Self::Category(&codes[rows]),
        }
    }
}

impl Cell {
    pub(crate) fn kind_name(self) -> &'static str {
        match self {
            Self::F64(_) => "f64",
            Self::I64(_) => "i64",
            Self::U32(_) => "u32",
            Self::Bool(_) => "bool",
            Self::Category(_) => "category",
        }
    }
}

/// The owned values of one column.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    F64(Vec<f64>),
    I64(Vec<i64>),
    U32(Vec<u32>),
    Bool(Vec<bool>),
    Category(Vec<u32>),
}

/// The same expression for the vector of each kind.
macro_rules! each_kind {
    ($column:expr, $values:ident => $body:expr) => {
        match $column {
            Column::F64($values) => $body,
            Column::I64($values) => $body,
            Column::U32($values) | Column::Category($values) => $body,
            Column::Bool($values) => $body,
        }
    };
}

impl Column {
    /// An empty column with room for exactly `rows` values.
    pub(crate) fn with_capacity(kind: &ColumnKind, rows: usize) -> Self {
        match kind {
            ColumnKind::F64 => Self::F64(Vec::with_capacity(rows)),
            ColumnKind::I64 => Self::I64(Vec::with_capacity(rows)),
            ColumnKind::U32 => Self::U32(Vec::with_capacity(rows)),
            ColumnKind::Bool => Self::Bool(Vec::with_capacity(rows)),
            ColumnKind::Category(_) => Self::Category(Vec::with_capacity(rows)),
        }
    }

    pub(crate) fn view(&self) -> ColumnView<'_> {
        match self {
            Self::F64(values) => ColumnView::F64(values),
            Self::I64(values) => ColumnView::I64(values),
            Self::U32(values) => ColumnView::U32(values),
            Self::Bool(values) => ColumnView::Bool(values),
            Self::Category(codes) => ColumnView::Category(codes),
        }
    }

    /// Appends values of the same kind; a view of another kind was refused before.
    pub(crate) fn extend(&mut self, view: ColumnView<'_>) {
        match (self, view) {
            (Self::F64(own), ColumnView::F64(values)) => own.extend_from_slice(values),
            (Self::I64(own), ColumnView::I64(values)) => own.extend_from_slice(values),
            (Self::U32(own), ColumnView::U32(values))
            | (Self::Category(own), ColumnView::Category(values)) => own.extend_from_slice(values),
            (Self::Bool(own), ColumnView::Bool(values)) => own.extend_from_slice(values),
            (own, view) => debug_assert!(false, "{own:?} cannot take {view:?}"),
        }
    }

    pub(crate) fn push(&mut self, cell: Cell) {
        match (self, cell) {
            (Self::F64(own), Cell::F64(value)) => own.push(value),
            (Self::I64(own), Cell::I64(value)) => own.push(value),
            (Self::U32(own), Cell::U32(value)) | (Self::Category(own), Cell::Category(value)) => {
                own.push(value);
            }
            (Self::Bool(own), Cell::Bool(value)) => own.push(value),
            (own, cell) => debug_assert!(false, "{own:?} cannot take {cell:?}"),
        }
    }

    pub(crate) fn reserve_exact(&mut self, rows: usize) {
        each_kind!(self, values => values.reserve_exact(rows));
    }

    pub(crate) fn capacity(&self) -> usize {
        each_kind!(self, values => values.capacity())
    }

    pub(crate) fn clear(&mut self) {
        each_kind!(self, values => values.clear());
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        each_kind!(self, values => values.truncate(rows));
    }
}
