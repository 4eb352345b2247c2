//! Plans a sweep of members within a budget, runs it, and compares planned with measured bytes.
//!
//! `cargo run -p bifrons-memory --example plan_and_measure --features profiler -- "1 MiB"`
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use bifrons_memory::{Budget, Bytes, ChunkRequest, Footprint, Part, process};

#[cfg(feature = "profiler")]
#[global_allocator]
static ALLOCATOR: bifrons_memory::profiler::CountingAllocator =
    bifrons_memory::profiler::CountingAllocator::new();

const MEMBERS: usize = 10_000;
const STATES: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let allowed: Bytes = std::env::args()
        .nth(1)
        .as_deref()
        .unwrap_or("1 MiB")
        .parse()?;
    let plan = ChunkRequest::new(MEMBERS)
        .shared(Part::new("totals", Footprint::of::<f64>(MEMBERS)))
        .item(Part::new(
            "member",
            Footprint::of::<f64>(STATES).into_scratch(),
        ))
        .preferred(4_096)
        .plan(&Budget::bytes(allowed.get()))?;
    println!("{}\n", plan.tree());
    println!("{} chunks of {} members", plan.chunk_count(), plan.width());

    process::reset_peak();
    #[cfg(feature = "profiler")]
    let before = {
        bifrons_memory::profiler::reset_peak();
        bifrons_memory::profiler::counts().live_bytes
    };
    let mut totals = Vec::with_capacity(MEMBERS);
    let mut states = vec![0.0; plan.width() * STATES];
    for range in plan.ranges() {
        for (member, state) in range.zip(states.chunks_exact_mut(STATES)) {
            for (at, x) in state.iter_mut().enumerate() {
                *x = (member * at) as f64;
            }
            totals.push(state.iter().sum::<f64>());
        }
    }
    println!("sum of all: {}", totals.iter().sum::<f64>());
    #[cfg(feature = "profiler")]
    {
        let peak = bifrons_memory::profiler::counts().peak_bytes - before;
        println!(
            "planned {}, measured {}",
            Bytes::new(plan.footprint().peak()),
            Bytes::new(peak)
        );
    }
    if let Some(peak) = process::peak_resident_bytes() {
        println!("peak resident size of the process: {}", Bytes::new(peak));
    }
    Ok(())
}
