//! Tests of life-cycle models against closed forms, reference values and slow siblings.

mod cases;
mod errors;
mod json;
mod reference;
mod slow;
