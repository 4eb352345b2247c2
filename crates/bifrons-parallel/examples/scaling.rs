//! How throughput grows with threads, for coarse and for fine items, and that the bits stay.
//!
//! `cargo run --release -p bifrons-parallel --example scaling`
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use bifrons_memory::process;
use bifrons_parallel::{Threads, ThreadsError};

const SHAPES: [&str; 3] = ["for_each_with", "stream_ordered", "reduce_fixed"];
const ROUNDS: usize = 7;

fn spin(turns: usize, seed: usize) -> f64 {
    (0..turns).fold(seed as f64 * 1e-3, |x, _| {
        black_box(3.7 * x * (1.0 - x)).clamp(0.0, 1.0)
    })
}

/// One run of one shape: a sum over all items.
fn run(shape: usize, threads: &Threads, turns: usize, places: &mut [f64]) -> f64 {
    let n = places.len();
    match shape {
        0 => {
            let work = |_: &mut (), i, place: &mut f64| *place = spin(turns, i);
            threads.for_each_with(places.iter_mut(), || (), work);
            places.iter().sum()
        }
        1 => {
            let mut sum = 0.0;
            let work = |_: &mut (), i| spin(turns, i);
            let _: ControlFlow<()> = threads.stream_ordered(
                n,
                4 * threads.count(),
                || (),
                work,
                |_, x| {
                    sum += x;
                    ControlFlow::Continue(())
                },
            );
            sum
        }
        _ => {
            let chunk = |r: std::ops::Range<usize>| r.map(|i| spin(turns, i)).sum::<f64>();
            threads
                .reduce_fixed(n, 64, chunk, |a, b| a + b)
                .unwrap_or(0.0)
        }
    }
}

fn main() -> Result<(), ThreadsError> {
    let most = Threads::available().count();
    println!("threads  shape           items  µs/item  speed-up  checksum");
    for (n, turns) in [(2_000, 20_000), (200_000, 200), (2_000_000, 5)] {
        let mut base = [0.0; 3];
        for count in (0..)
            .map(|power| 1 << power)
            .take_while(|count| *count <= most)
        {
            let threads = Threads::new(count)?;
            let mut places = vec![0.0; n];
            for (shape, name) in SHAPES.iter().enumerate() {
                // The best of some rounds: what the machine can do when nobody disturbs it.
                let mut best = f64::INFINITY;
                let mut check = 0.0;
                for _ in 0..ROUNDS {
                    let start = Instant::now();
                    check = run(shape, &threads, turns, &mut places);
                    best = best.min(start.elapsed().as_secs_f64());
                }
                if count == 1 {
                    base[shape] = best;
                }
                let (time, speed_up) = (best * 1e6 / n as f64, base[shape] / best);
                let bits = check.to_bits();
                println!("{count:>7}  {name:<14}{n:>8}  {time:>7.3}  {speed_up:>8.2}  {bits:016x}");
            }
        }
    }
    if let Some(peak) = process::peak_resident_bytes() {
        println!("peak resident size: {}", bifrons_memory::Bytes::new(peak));
    }
    Ok(())
}
