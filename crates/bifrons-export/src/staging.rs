//! Rows collected to batches of constant length, so that files do not depend on how rows came.

use bifrons_table::{Batch, Schema, Table};

/// A table that is written whenever it is full.
#[derive(Debug)]
pub(crate) struct Staging {
    table: Table,
    rows: usize,
}

impl Staging {
    pub(crate) fn new(schema: &Schema, rows: usize) -> Self {
        Self {
            table: Table::with_capacity(schema.clone(), rows),
            rows,
        }
    }

    /// Takes rows, and passes every full batch on.
    pub(crate) fn push<E>(
        &mut self,
        batch: &Batch<'_>,
        mut write: impl FnMut(&Batch<'_>) -> Result<(), E>,
    ) -> Result<(), E>
    where
        E: From<bifrons_table::BatchError>,
    {
        let mut taken = 0;
        while taken < batch.row_count() {
            let room = self.rows - self.table.row_count();
            let piece = batch.slice(taken..taken.saturating_add(room));
            taken += piece.row_count();
            if piece.row_count() == self.rows {
                // Full by itself: no copy.
                write(&piece)?;
                continue;
            }
            self.table.append(&piece)?;
            if self.table.row_count() == self.rows {
                write(&self.table.batch())?;
                self.table.clear();
            }
        }
        Ok(())
    }

    /// Passes the rest on.
    pub(crate) fn flush<E>(
        &mut self,
        write: impl FnOnce(&Batch<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.table.row_count() > 0 {
            write(&self.table.batch())?;
            self.table.clear();
        }
        Ok(())
    }
}
