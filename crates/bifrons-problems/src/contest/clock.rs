//! Wall time of a run: medians of batches that are long enough for the clock.

use std::time::{Duration, Instant};

use super::{Ran, Ready};

/// A batch lasts at least this long, unless one run does.
const BATCH: Duration = Duration::from_millis(2);

/// A run and how long it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    /// What the run gave, or what the solver said.
    pub ran: Result<Ran, String>,
    /// Median over the samples of the time of one run.
    pub median: Duration,
    /// The least of them.
    pub least: Duration,
    /// Number of samples.
    pub samples: usize,
}

/// Runs once to warm up, then takes `samples` samples; a run that fails, or of which no
/// sample is asked for, is made and timed once.
pub fn timed(ready: &mut Ready<'_>, samples: usize) -> Timed {
    let started = Instant::now();
    let ran = ready();
    let first = started.elapsed();
    if ran.is_err() || samples == 0 {
        return Timed {
            ran,
            median: first,
            least: first,
            samples: 1,
        };
    }
    let runs = BATCH.as_nanos() / first.as_nanos().max(1) + 1;
    let runs = u32::try_from(runs).unwrap_or(u32::MAX);
    let mut times: Vec<Duration> = (0..samples)
        .map(|_| {
            let started = Instant::now();
            for _ in 0..runs {
                // The same run again: its result is known.
                drop(core::hint::black_box(ready()));
            }
            started.elapsed() / runs
        })
        .collect();
    times.sort_unstable();
    Timed {
        ran,
        median: times[times.len() / 2],
        least: times[0],
        samples: times.len(),
    }
}
