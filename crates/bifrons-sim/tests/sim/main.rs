//! Runs and sweeps of diagrams, end to end.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]
#![expect(
    clippy::float_cmp,
    reason = "recorded times and exact values are exact"
)]

mod checkpoints;
mod clocks;
mod containers;
mod determinism;
mod discrete_blocks;
mod expressions;
mod fast_edges;
mod guards;
mod holds;
mod implicit_sensitivities;
mod limits;
mod loops;
mod machines;
mod methods;
mod models;
mod recording;
mod reductions;
mod reference;
mod reference_stiff;
mod rows;
mod sensitivities;
mod slides;
mod spill;
mod starts;
mod sweeps;
