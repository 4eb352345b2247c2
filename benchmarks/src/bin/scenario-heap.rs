//! Runs one scenario on the counting allocator: heap bytes, blocks, scopes. Never timed.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use bifrons_memory::profiler::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

fn main() -> ExitCode {
    benchmarks::program::main(std::time::Instant::now())
}
