//! Tests of life-cycle models against closed forms, reference values and slow siblings.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_assert_message,
    clippy::print_stdout,
    reason = "a failed test helper is a failed test"
)]

mod asset_rows;
mod cases;
mod cliffs;
mod eligibility;
mod endogenous;
mod errors;
mod hoisted;
mod houses;
mod json;
mod kinked;
mod nested;
mod recursive;
mod reference;
mod refusals;
mod retirement;
mod simulation;
mod slow;
mod store;
mod switch;
