//! Rows that leave for a sink while a run goes on.

use bifrons_table::{
    Batch, ColumnKind, ColumnView, Field, Schema, SchemaError, SinkError, TableSink,
};

use crate::recording::Mark;

/// Takes full blocks of rows.
pub(crate) trait RowTaker {
    /// Whether the rows were taken; after a refusal none are.
    fn take(&mut self, times: &[f64], marks: &[Mark], columns: &[&[f64]]) -> bool;

    /// Whether rows were refused.
    fn has_failed(&self) -> bool;
}

/// A sink with what it said.
pub(crate) struct Spill<'s> {
    sink: &'s mut dyn TableSink,
    schema: Schema,
    /// Whether rows have marks.
    marked: bool,
    codes: Vec<u32>,
    pub(crate) rows: u64,
    pub(crate) error: Option<SinkError>,
}

/// Columns of the rows of a run: `time` in seconds, `mark` where rows are at steps or events, then
/// one per recorded name.
pub(crate) fn schema(names: &[String], marked: bool) -> Result<Schema, SchemaError> {
    let mut fields = vec![Field::new("time", ColumnKind::F64).with_unit("s")];
    if marked {
        let labels = ["step", "pre", "post"];
        fields.push(Field::new("mark", ColumnKind::category(labels)?));
    }
    fields.extend(
        names
            .iter()
            .map(|name| Field::new(name.as_str(), ColumnKind::F64)),
    );
    Schema::new(fields)
}

impl<'s> Spill<'s> {
    /// Begins the sink.
    pub(crate) fn new(
        sink: &'s mut dyn TableSink,
        schema: Schema,
        marked: bool,
    ) -> Result<Self, SinkError> {
        sink.begin(&schema)?;
        Ok(Self {
            sink,
            schema,
            marked,
            codes: Vec::new(),
            rows: 0,
            error: None,
        })
    }

    fn append(
        &mut self,
        times: &[f64],
        marks: &[Mark],
        columns: &[&[f64]],
    ) -> Result<(), SinkError> {
        let mut views = Vec::with_capacity(columns.len() + 2);
        views.push(ColumnView::F64(times));
        if self.marked {
            self.codes.clear();
            self.codes.extend(marks.iter().map(|mark| mark.code()));
            views.push(ColumnView::Category(&self.codes));
        }
        views.extend(columns.iter().map(|column| ColumnView::F64(column)));
        self.sink.append(&Batch::new(&self.schema, &views)?)
    }

    /// Ends the sink.
    pub(crate) fn finish(self) -> Result<(), SinkError> {
        match self.error {
            Some(error) => Err(error),
            None => self.sink.finish(),
        }
    }
}

impl RowTaker for Spill<'_> {
    fn take(&mut self, times: &[f64], marks: &[Mark], columns: &[&[f64]]) -> bool {
        if self.error.is_some() {
            return false;
        }
        match self.append(times, marks, columns) {
            Ok(()) => self.rows += times.len() as u64,
            Err(error) => self.error = Some(error),
        }
        self.error.is_none()
    }

    fn has_failed(&self) -> bool {
        self.error.is_some()
    }
}
