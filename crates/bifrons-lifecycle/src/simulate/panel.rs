//! Columns of a panel: which there are, and the rows of a chunk.

use bifrons_expr::Symbol;
use bifrons_memory::Footprint;
use bifrons_table::{ColumnKind, ColumnView, Field, Schema, SchemaError};

use crate::error::SimulateError;
use crate::model::Inner;
use crate::space::{Quantity, QuantityKind};
use crate::spelling::nearest;

/// Label of a category where the regime does not have the state or action.
const MISSING: &str = "(none)";

/// Columns of a panel and where they come from.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) schema: Schema,
    pub(super) quantities: Vec<Shared>,
    /// Names of derived columns.
    pub(super) derived: Vec<Symbol>,
}

/// A column of a state or an action that some regimes have.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    name: String,
    /// Labels if it is a category everywhere.
    labels: Option<Vec<String>>,
    /// For each regime: where its code or value is found.
    pub(super) sources: Vec<Option<Source>>,
}

/// Where a column is found in a regime.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) action: bool,
    /// Storage index.
    pub(super) place: usize,
    /// Code of the column for each code of the regime.
    pub(super) codes: Vec<u32>,
}

impl Layout {
    pub(super) fn new(model: &Inner, derived: &[String]) -> Result<Self, SimulateError> {
        let mut quantities: Vec<Shared> = Vec::new();
        for action in [false, true] {
            for (regime, plan) in model.regimes.iter().enumerate() {
                let own = if action { &plan.actions } else { &plan.states };
                for (place, quantity) in own.iter().enumerate() {
                    add(
                        &mut quantities,
                        quantity,
                        model.regimes.len(),
                        Place {
                            regime,
                            action,
                            place,
                        },
                    );
                }
            }
        }
        let derived = check_derived(model, derived)?;
        let schema = schema(model, &quantities, &derived)?;
        Ok(Self {
            schema,
            quantities,
            derived,
        })
    }

    /// Bytes of the rows of one subject while they are made.
    pub(super) fn row_footprint(&self) -> Footprint {
        Footprint::of::<u8>(self.schema.row_bytes())
    }
}

/// A quantity among the regimes.
struct Place {
    regime: usize,
    action: bool,
    place: usize,
}

fn add(all: &mut Vec<Shared>, quantity: &Quantity, regimes: usize, at: Place) {
    let own = match &quantity.kind {
        QuantityKind::Categorical(labels) => Some(labels.clone()),
        _ => None,
    };
    let known = all.iter().position(|shared| shared.name == quantity.name);
    let index = known.unwrap_or_else(|| {
        all.push(Shared {
            name: quantity.name.clone(),
            labels: own.as_ref().map(|_| Vec::new()),
            sources: vec![None; regimes],
        });
        all.len() - 1
    });
    let shared = &mut all[index];
    let codes = match (&mut shared.labels, own) {
        (Some(labels), Some(own)) => own.iter().map(|label| code_of(labels, label)).collect(),
        // A category here and a number there: codes are shown as numbers.
        _ => {
            shared.labels = None;
            Vec::new()
        }
    };
    shared.sources[at.regime] = Some(Source {
        action: at.action,
        place: at.place,
        codes,
    });
}

/// Code of a label, which is added if it is new.
#[expect(clippy::cast_possible_truncation, reason = "labels are few")]
fn code_of(labels: &mut Vec<String>, label: &str) -> u32 {
    let known = labels.iter().position(|known| known == label);
    known.unwrap_or_else(|| {
        labels.push(label.to_owned());
        labels.len() - 1
    }) as u32
}

fn check_derived(model: &Inner, derived: &[String]) -> Result<Vec<Symbol>, SimulateError> {
    let plans = || {
        model
            .regimes
            .iter()
            .flat_map(|plan| &plan.declaration.functions)
    };
    for name in derived {
        if !plans().any(|(known, _)| known == name) {
            return Err(SimulateError::UnknownColumn {
                name: name.clone(),
                nearest: nearest(name, plans().map(|(known, _)| &**known)),
            });
        }
    }
    Ok(derived.iter().map(Symbol::new).collect())
}

fn schema(model: &Inner, quantities: &[Shared], derived: &[Symbol]) -> Result<Schema, SchemaError> {
    let names = model.regimes.iter().map(|plan| plan.name());
    let mut fields = vec![
        Field::new("subject", ColumnKind::I64),
        Field::new("period", ColumnKind::U32),
        Field::new("age", ColumnKind::F64),
        Field::new("regime", ColumnKind::category(names)?),
    ];
    for shared in quantities {
        let kind = match &shared.labels {
            Some(labels) => {
                let missing = shared.sources.iter().any(Option::is_none);
                // Actions are missing where none is feasible.
                let acts = shared.sources.iter().flatten().any(|source| source.action);
                let more = (missing || acts).then_some(MISSING);
                ColumnKind::category(labels.iter().map(|label| &**label).chain(more))?
            }
            None => ColumnKind::F64,
        };
        fields.push(Field::new(&shared.name, kind));
    }
    fields.push(Field::new("value", ColumnKind::F64));
    fields.push(Field::new("feasible", ColumnKind::Bool));
    for name in derived {
        fields.push(Field::new(name.name(), ColumnKind::F64));
    }
    Schema::new(fields)
}

/// Rows of a chunk: `periods` places for each subject, not all of which are used.
#[derive(Debug)]
pub(super) struct Rows {
    periods: usize,
    pub(super) used: Vec<bool>,
    pub(super) subject: Vec<i64>,
    pub(super) period: Vec<u32>,
    pub(super) age: Vec<f64>,
    pub(super) regime: Vec<u32>,
    pub(super) quantities: Vec<Cells>,
    pub(super) value: Vec<f64>,
    pub(super) feasible: Vec<bool>,
    pub(super) derived: Vec<Vec<f64>>,
}

/// Cells of a state or an action.
#[derive(Debug)]
pub(super) enum Cells {
    Numbers(Vec<f64>),
    Codes(Vec<u32>),
}

impl Rows {
    pub(super) fn new(layout: &Layout, subjects: usize, periods: usize) -> Self {
        let count = subjects * periods;
        let cells = |shared: &Shared| match &shared.labels {
            None => Cells::Numbers(vec![f64::NAN; count]),
            #[expect(clippy::cast_possible_truncation, reason = "labels are few")]
            Some(labels) => Cells::Codes(vec![labels.len() as u32; count]),
        };
        Self {
            periods,
            used: vec![false; count],
            subject: vec![0; count],
            period: vec![0; count],
            age: vec![0.0; count],
            regime: vec![0; count],
            quantities: layout.quantities.iter().map(cells).collect(),
            value: vec![f64::NAN; count],
            feasible: vec![false; count],
            derived: layout
                .derived
                .iter()
                .map(|_| vec![f64::NAN; count])
                .collect(),
        }
    }

    /// Place of a subject of the chunk in a period.
    pub(super) fn place(&self, subject: usize, period: usize) -> usize {
        subject * self.periods + period
    }

    /// Drops places that are not used; returns the number of rows.
    pub(super) fn compact(&mut self) -> usize {
        let used = core::mem::take(&mut self.used);
        keep(&mut self.subject, &used);
        keep(&mut self.period, &used);
        keep(&mut self.age, &used);
        keep(&mut self.regime, &used);
        for cells in &mut self.quantities {
            match cells {
                Cells::Numbers(values) => keep(values, &used),
                Cells::Codes(values) => keep(values, &used),
            }
        }
        keep(&mut self.value, &used);
        keep(&mut self.feasible, &used);
        for values in &mut self.derived {
            keep(values, &used);
        }
        self.subject.len()
    }

    /// The columns in the order of the schema.
    pub(super) fn views(&self) -> Vec<ColumnView<'_>> {
        let mut views = vec![
            ColumnView::I64(&self.subject),
            ColumnView::U32(&self.period),
            ColumnView::F64(&self.age),
            ColumnView::Category(&self.regime),
        ];
        views.extend(self.quantities.iter().map(|cells| match cells {
            Cells::Numbers(values) => ColumnView::F64(values),
            Cells::Codes(values) => ColumnView::Category(values),
        }));
        views.push(ColumnView::F64(&self.value));
        views.push(ColumnView::Bool(&self.feasible));
        views.extend(self.derived.iter().map(|values| ColumnView::F64(values)));
        views
    }
}

fn keep<T: Copy>(values: &mut Vec<T>, used: &[bool]) {
    let mut to = 0;
    for (from, _) in used.iter().enumerate().filter(|(_, used)| **used) {
        values[to] = values[from];
        to += 1;
    }
    values.truncate(to);
}
