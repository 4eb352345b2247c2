//! Every reference problem: its data, its Jacobian, its right-hand side against known states.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

mod radau;
mod statements;
mod states;
mod switched;
