//! Names and kinds of columns.

use std::fmt;
use std::sync::Arc;

use crate::category::Categories;

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Floating-point numbers of 64 bits; any bits are allowed, NaN is a missing number.
    F64,
    /// Signed integers of 64 bits.
    I64,
    /// Unsigned integers of 32 bits, such as indices of members or ages.
    U32,
    /// Truth values.
    Bool,
    /// Codes of 32 bits into a list of labels.
    Category(Categories),
}

/// A column's name, kind and unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    name: String,
    kind: ColumnKind,
    unit: Option<String>,
}

/// Names and kinds of the columns of a table, in order: at least one column, names distinct and
/// not empty. Cheap to clone.
///
/// ```
/// use bifrons_table::{ColumnKind, Field, Schema, SchemaError};
///
/// let twice = [Field::new("x", ColumnKind::F64), Field::new("x", ColumnKind::I64)];
/// assert_eq!(Schema::new(twice), Err(SchemaError::DuplicateName { name: "x".into() }));
/// ```
#[derive(Clone, Debug)]
pub struct Schema {
    fields: Arc<[Field]>,
}

/// Why columns do not make a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// No columns.
    #[error("schema must have at least one column")]
    NoColumns,
    /// A column without a name.
    #[error("name of column {index} must not be empty")]
    EmptyName {
        /// Position of the column.
        index: usize,
    },
    /// Two columns with one name.
    #[error("column name `{name}` is used twice; names must be distinct")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// Two equal labels of a category.
    #[error("label `{label}` is given twice; labels of a category must be distinct")]
    DuplicateLabel {
        /// The label.
        label: String,
    },
    /// More labels than codes.
    #[error("category must have at most 2147483647 labels, got {count}")]
    TooManyLabels {
        /// Number of labels.
        count: usize,
    },
}

impl ColumnKind {
    /// A category with these labels.
    ///
    /// # Errors
    /// As [`Categories::new`].
    pub fn category<L: Into<Box<str>>>(
        labels: impl IntoIterator<Item = L>,
    ) -> Result<Self, SchemaError> {
        Categories::new(labels).map(Self::Category)
    }

    /// Bytes of one value in memory.
    #[must_use]
    pub fn value_bytes(&self) -> usize {
        match self {
            Self::F64 | Self::I64 => 8,
            Self::U32 | Self::Category(_) => 4,
            Self::Bool => 1,
        }
    }

    /// The name of the kind without labels: `f64`, `i64`, `u32`, `bool` or `category`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::I64 => "i64",
            Self::U32 => "u32",
            Self::Bool => "bool",
            Self::Category(_) => "category",
        }
    }
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Field {
    /// A column of this name and kind, without unit.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: ColumnKind) -> Self {
        Self {
            name: name.into(),
            kind,
            unit: None,
        }
    }

    /// The same column with a unit, such as `m/s`; a text that sinks pass on where they can.
    #[must_use]
    pub fn with_unit(self, unit: impl Into<String>) -> Self {
        Self {
            unit: Some(unit.into()),
            ..self
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> &ColumnKind {
        &self.kind
    }

    /// The unit, if one was given.
    #[must_use]
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }
}

impl Schema {
    /// These columns, in this order.
    ///
    /// # Errors
    /// [`SchemaError::NoColumns`], [`SchemaError::EmptyName`] or [`SchemaError::DuplicateName`].
    pub fn new(fields: impl IntoIterator<Item = Field>) -> Result<Self, SchemaError> {
        let fields: Arc<[Field]> = fields.into_iter().collect();
        if fields.is_empty() {
            return Err(SchemaError::NoColumns);
        }
        if let Some(index) = fields.iter().position(|field| field.name.is_empty()) {
            return Err(SchemaError::EmptyName { index });
        }
        let mut names: Vec<&str> = fields.iter().map(Field::name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(SchemaError::DuplicateName {
                name: pair[0].to_owned(),
            });
        }
        Ok(Self { fields })
    }

    /// The columns, in order.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Position of the column of this name.
    #[must_use]
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// Bytes of one row in memory, over all columns.
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        self.fields
            .iter()
            .map(|field| field.kind.value_bytes())
            .sum()
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.fields, &other.fields) || self.fields == other.fields
    }
}

impl Eq for Schema {}
