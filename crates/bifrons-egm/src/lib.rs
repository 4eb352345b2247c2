//! Endogenous grid methods as kernels on slices.
//!
//! | need | entry point |
//! |---|---|
//! | a solved function of one number | [`Row`], [`RowView`], read by [`RowReader`] |
//! | expected continuation at savings nodes | [`Expectation`], [`TasteShocks`] |
//! | one period of a concave problem | [`egm_step`] |
//! | one discrete choice, with folds | [`dcegm_step`] |
//! | continuations with kinks and cliffs | [`SavingsNodes`], [`nbegm_step`] |
//! | recursive utility (Epstein-Zin) | [`CesScale`], [`PowerCertainty`] |
//! | budgets with kinks, cliffs and floors | [`Budget`], [`publish_on_budget`] |
//! | the best of several candidates | [`upper_envelope`] |
//! | keep or adjust, finite outer grid | [`OuterFold`], [`UniformFixedCost`] |
//! | continuous outer choice | [`search_adaptive`] |
//! | how good a policy is | [`euler_error`] |
//!
//! Every kernel works on slices and on workspaces that are used again; each workspace has a
//! `footprint`. Results do not depend on batch widths.
//!
//! ```
//! use bifrons_egm::{Crra, Row, SavingsProblem, egm_step};
//!
//! // Tomorrow is worth ln s; today c = m / (1 + β).
//! let (savings, u) = ([1.0, 2.0, 4.0_f64], Crra::log());
//! let (value, marginal) = (savings.map(f64::ln), savings.map(f64::recip));
//! let mut row = Row::new();
//! egm_step(&SavingsProblem::new(&savings, &value, &marginal, &u, 0.95)?, &mut row)?;
//! let record = row.get(1).expect("three records");
//! assert!((record.policy - record.x / 1.95).abs() < 1e-14);
//! # Ok::<(), bifrons_egm::EgmError>(())
//! ```
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
mod outer;
mod problem;
mod reader;
mod recursive;
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
    BudgetError, ChoiceError, EgmError, EnvelopeError, LengthError, OuterError, ReadError,
    UtilityError,
};
pub use euler_error::{EulerErrors, euler_error};
pub use expectation::{Expectation, Gradient, NextChoice};
pub use nbegm::{
    NbEgmOptions, NbEgmReport, NbEgmWorkspace, SavingsBreak, SavingsCliff, SavingsNodes, nbegm_step,
};
pub use outer::{
    AdaptiveOptions, AdaptiveSolution, Adjustment, OuterBest, OuterCandidate, OuterFold, OuterPeak,
    OuterProblem, OuterQueries, UniformFixedCost, batches, refine_peak, search_adaptive,
};
pub use problem::{InversionReport, SavingsProblem};
pub use reader::{
    Above, MarginalRead, ReadOptions, ReadReport, Reading, Readings, RowReader, ValueRead,
};
pub use recursive::{CesScale, PowerCertainty};
pub use row::{Corner, Record, Row, RowView};
pub use utility::{Cara, Crra, NumericInverse, Scaled, SmoothUtility, Utility};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
