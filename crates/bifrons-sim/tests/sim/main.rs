//! Runs and sweeps of diagrams, end to end.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]
#![expect(
    clippy::float_cmp,
    reason = "recorded times and exact values are exact"
)]

mod clocks;
mod determinism;
mod discrete_blocks;
mod guards;
mod machines;
mod models;
mod recording;
mod reference;
mod rows;
mod sweeps;
