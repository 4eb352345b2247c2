//! Runs one scenario on the system's allocator: resident set, time, instructions.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    benchmarks::program::main(std::time::Instant::now())
}
