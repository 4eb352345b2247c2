//! What is read behind an edge.

use super::bank::Bank;
use crate::program::{Machine, Program};
use crate::space::{Quantity, Space};

/// What is read behind a live edge.
#[derive(Debug)]
pub(super) struct Target<'a> {
    pub(super) edge: usize,
    pub(super) space: &'a Space,
    pub(super) kind: TargetKind<'a>,
}

#[derive(Debug)]
pub(super) enum TargetKind<'a> {
    Rows(&'a Bank),
    /// A terminal regime: its worth with the parameters of the next age.
    Terminal {
        worth: &'a Program,
        parameters: Vec<f64>,
        values: &'a [Quantity],
        state: Option<usize>,
    },
}

impl Target<'_> {
    /// Whether the target has an outer choice.
    pub(super) fn is_nested(&self) -> bool {
        matches!(self.kind, TargetKind::Rows(bank) if bank.outer.is_some())
    }
}

/// A machine of a terminal target, at the next age.
pub(super) fn terminal(target: &Target<'_>) -> Option<Machine> {
    match &target.kind {
        TargetKind::Rows(_) => None,
        TargetKind::Terminal {
            worth, parameters, ..
        } => {
            let mut machine = worth.machine();
            worth.set(&mut machine, parameters);
            Some(machine)
        }
    }
}
