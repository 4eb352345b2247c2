//! Endogenous grid methods on slices.
#![forbid(unsafe_code)]

mod arithmetic;
mod budget;
mod candidate;
mod choice;
mod dcegm;
mod egm;
mod elementary;
mod envelope;
mod error;
mod euler_error;
mod expectation;
mod hermite;
mod nbegm;
mod problem;
mod reader;
mod row;
mod utility;

pub use budget::{
    Affine, BreakKind, BreakOwner, Budget, Schedule, Threshold, publish_on_budget, selection_point,
};
pub use candidate::{CandidateBuffer, Candidates};
pub use choice::TasteShocks;
pub use dcegm::{DcEgmOptions, StepReport, StepWorkspace, dcegm_step};
pub use egm::egm_step;
pub use envelope::{
    Descending, EnvelopeMethod, EnvelopeReport, EnvelopeWorkspace, Interpolant, upper_envelope,
};
pub use error::{
    BudgetError, ChoiceError, EgmError, EnvelopeError, LengthError, ReadError, UtilityError,
};
pub use euler_error::{EulerErrors, euler_error};
pub use expectation::{Expectation, Gradient, NextChoice};
pub use nbegm::{
    NbEgmOptions, NbEgmReport, NbEgmWorkspace, SavingsBreak, SavingsNodes, nbegm_step,
};
pub use problem::{InversionReport, SavingsProblem};
pub use reader::{
    Above, MarginalRead, ReadOptions, ReadReport, Reading, Readings, RowReader, ValueRead,
};
pub use row::{Corner, Record, Row, RowView};
pub use utility::{Cara, Crra, NumericInverse, Scaled, SmoothUtility, Utility};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
