//! Batches as Arrow arrays.

use std::io;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray, UInt32Array,
};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{ArrowError, DataType, Field as ArrowField, Schema as ArrowSchema, SchemaRef};
use bifrons_table::{Batch, BatchError, Categories, ColumnKind, ColumnView, Field, Schema};

/// What can go wrong below a sink's methods.
pub(crate) enum Refusal {
    Batch(BatchError),
    Target(io::Error),
}

impl From<BatchError> for Refusal {
    fn from(error: BatchError) -> Self {
        Self::Batch(error)
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Target(error)
    }
}

impl From<ArrowError> for Refusal {
    fn from(error: ArrowError) -> Self {
        Self::Target(match error {
            ArrowError::IoError(_, error) => error,
            other => io::Error::other(other),
        })
    }
}

/// A schema in Arrow's terms, with the labels of each category column as one shared array.
#[derive(Debug)]
pub(crate) struct Columnar {
    schema: SchemaRef,
    labels: Vec<Option<ArrayRef>>,
}

impl Columnar {
    pub(crate) fn new(schema: &Schema) -> io::Result<Self> {
        let fields: Vec<ArrowField> = schema
            .fields()
            .iter()
            .map(arrow_field)
            .collect::<io::Result<_>>()?;
        let labels = schema.fields().iter().map(|field| match field.kind() {
            ColumnKind::Category(categories) => Some(label_array(categories)),
            _ => None,
        });
        Ok(Self {
            schema: Arc::new(ArrowSchema::new(fields)),
            labels: labels.collect(),
        })
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Copies rows into arrays.
    pub(crate) fn record(&self, batch: &Batch<'_>) -> Result<RecordBatch, Refusal> {
        let arrays = batch
            .columns()
            .zip(&self.labels)
            .map(|(view, labels)| array(view, labels));
        let arrays: Vec<ArrayRef> = arrays.collect::<Result<_, Refusal>>()?;
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), arrays)?)
    }
}

fn arrow_field(field: &Field) -> io::Result<ArrowField> {
    let kind = match field.kind() {
        ColumnKind::F64 => DataType::Float64,
        ColumnKind::I64 => DataType::Int64,
        ColumnKind::U32 => DataType::UInt32,
        ColumnKind::Bool => DataType::Boolean,
        ColumnKind::Category(_) => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
        other => {
            let text = format!(
                "kind {other} of column `{}` is unknown to Arrow",
                field.name()
            );
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
    };
    let arrow = ArrowField::new(field.name(), kind, false);
    Ok(match field.unit() {
        Some(unit) => arrow.with_metadata([("unit".to_owned(), unit.to_owned())]),
        None => arrow,
    })
}

fn label_array(categories: &Categories) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(categories.labels()))
}

fn array(view: ColumnView<'_>, labels: &Option<ArrayRef>) -> Result<ArrayRef, Refusal> {
    Ok(match (view, labels) {
        (ColumnView::F64(values), _) => Arc::new(Float64Array::from(values.to_vec())),
        (ColumnView::I64(values), _) => Arc::new(Int64Array::from(values.to_vec())),
        (ColumnView::U32(values), _) => Arc::new(UInt32Array::from(values.to_vec())),
        (ColumnView::Bool(values), _) => {
            Arc::new(BooleanArray::new(BooleanBuffer::from(values), None))
        }
        (ColumnView::Category(codes), Some(labels)) => {
            // Signed keys, since not all readers take unsigned ones; there are less than 2^31
            // labels, which the schema has checked.
            let keys = codes.iter().map(|code| i32::try_from(*code));
            let keys: Vec<i32> = keys.collect::<Result<_, _>>().map_err(io::Error::other)?;
            let keys = Int32Array::from(keys);
            Arc::new(DictionaryArray::<Int32Type>::try_new(
                keys,
                Arc::clone(labels),
            )?)
        }
        (view, _) => {
            let text = format!("kind {} of column is unknown to Arrow", view.kind_name());
            return Err(io::Error::new(io::ErrorKind::Unsupported, text).into());
        }
    })
}
