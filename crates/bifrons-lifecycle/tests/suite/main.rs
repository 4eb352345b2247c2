//! Tests of life-cycle models against closed forms, reference values and slow siblings.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_assert_message,
    reason = "a failed test helper is a failed test"
)]

mod cases;
mod errors;
mod json;
mod reference;
mod simulation;
mod slow;
