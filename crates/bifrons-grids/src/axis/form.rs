//! The serialised form of an axis: what it was built from, never its nodes.

use serde::{Deserialize, Serialize};

use super::{
    Axis, Breakpoint, Categorical, Grid, Irregular, Linear, Logarithmic, PiecewiseLinear,
    PiecewiseLogarithmic, Side,
};
use crate::error::AxisError;

/// Stable schema, `kind` names the variant in kebab case.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum AxisForm {
    Linear {
        start: f64,
        stop: f64,
        count: usize,
    },
    Logarithmic {
        start: f64,
        stop: f64,
        count: usize,
    },
    Irregular {
        nodes: Vec<f64>,
    },
    PiecewiseLinear {
        domain: [f64; 2],
        breakpoints: Vec<BreakpointForm>,
        counts: Vec<usize>,
    },
    PiecewiseLogarithmic {
        domain: [f64; 2],
        breakpoints: Vec<BreakpointForm>,
        counts: Vec<usize>,
    },
    Categorical {
        labels: Vec<String>,
        ordered: bool,
    },
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BreakpointForm {
    at: f64,
    owner: SideForm,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SideForm {
    Left,
    Right,
}

impl From<Breakpoint> for BreakpointForm {
    fn from(point: Breakpoint) -> Self {
        let owner = match point.owner {
            Side::Left => SideForm::Left,
            Side::Right => SideForm::Right,
        };
        Self {
            at: point.at,
            owner,
        }
    }
}

impl From<BreakpointForm> for Breakpoint {
    fn from(form: BreakpointForm) -> Self {
        match form.owner {
            SideForm::Left => Self::left(form.at),
            SideForm::Right => Self::right(form.at),
        }
    }
}

fn forms(points: &[Breakpoint]) -> Vec<BreakpointForm> {
    points.iter().copied().map(Into::into).collect()
}

fn points(forms: Vec<BreakpointForm>) -> Vec<Breakpoint> {
    forms.into_iter().map(Into::into).collect()
}

impl From<Axis> for AxisForm {
    fn from(axis: Axis) -> Self {
        let (start, stop, count) = (axis.first(), axis.last(), axis.len());
        match axis {
            Axis::Linear(_) => Self::Linear { start, stop, count },
            Axis::Logarithmic(_) => Self::Logarithmic { start, stop, count },
            Axis::Irregular(own) => Self::Irregular {
                nodes: own.nodes().to_vec(),
            },
            Axis::PiecewiseLinear(own) => Self::PiecewiseLinear {
                domain: [start, stop],
                breakpoints: forms(own.breakpoints()),
                counts: own.piece_lengths(),
            },
            Axis::PiecewiseLogarithmic(own) => Self::PiecewiseLogarithmic {
                domain: [start, stop],
                breakpoints: forms(own.breakpoints()),
                counts: own.piece_lengths(),
            },
            Axis::Categorical(own) => Self::Categorical {
                labels: own.labels().to_vec(),
                ordered: own.is_ordered(),
            },
        }
    }
}

impl TryFrom<AxisForm> for Axis {
    type Error = AxisError;

    fn try_from(form: AxisForm) -> Result<Self, AxisError> {
        Ok(match form {
            AxisForm::Linear { start, stop, count } => Linear::new(start, stop, count)?.into(),
            AxisForm::Logarithmic { start, stop, count } => {
                Logarithmic::new(start, stop, count)?.into()
            }
            AxisForm::Irregular { nodes } => Irregular::new(nodes)?.into(),
            AxisForm::PiecewiseLinear {
                domain,
                breakpoints,
                counts,
            } => PiecewiseLinear::new(domain, &points(breakpoints), &counts)?.into(),
            AxisForm::PiecewiseLogarithmic {
                domain,
                breakpoints,
                counts,
            } => PiecewiseLogarithmic::new(domain, &points(breakpoints), &counts)?.into(),
            AxisForm::Categorical {
                labels,
                ordered: true,
            } => Categorical::ordered(labels)?.into(),
            AxisForm::Categorical {
                labels,
                ordered: false,
            } => Categorical::unordered(labels)?.into(),
        })
    }
}
