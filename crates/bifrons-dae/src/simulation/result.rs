//! What a run returns.

use bifrons_ode::Statistics;

use crate::initial::InitialReport;

/// What happened at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A switch changed its position.
    Switch {
        /// Whether its surface is positive now.
        on: bool,
    },
    /// A declared event happened.
    Event,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunEvent {
    /// The instant.
    pub time: f64,
    /// Path of the switch or event.
    pub name: String,
    /// What it was.
    pub kind: EventKind,
    /// The recorded variables just before.
    pub before: Vec<f64>,
    /// The recorded variables just after.
    pub after: Vec<f64>,
}

/// Rows of a run, events and counts.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Run {
    /// Names of the columns.
    pub names: Vec<String>,
    /// Times of the rows; at an event the row shows what is after it.
    pub times: Vec<f64>,
    /// `times.len() × names.len()` numbers, row by row.
    pub rows: Vec<f64>,
    /// Time reached.
    pub end: f64,
    /// The recorded variables there.
    pub last: Vec<f64>,
    /// Events in order.
    pub events: Vec<RunEvent>,
    /// How the initial values were found.
    pub initial: InitialReport,
    /// Counts of the integration.
    pub statistics: Statistics,
    /// How often other states were chosen.
    pub selections: u64,
    /// Largest residual of any equation at a row, relative to its terms.
    pub residual: f64,
    /// Names of the states at the end.
    pub states: Vec<String>,
}

impl Run {
    /// Position of a column.
    fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// A recorded variable over all rows.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let position = self.position(name)?;
        let width = self.names.len();
        let rows = self.rows.chunks_exact(width);
        Some(rows.map(|row| row[position]).collect())
    }

    /// A recorded variable at the end.
    #[must_use]
    pub fn last(&self, name: &str) -> Option<f64> {
        self.last.get(self.position(name)?).copied()
    }
}
