//! What a sweep will use, before it runs.

use bifrons_hybrid::HybridSystem;
use bifrons_lanes::LANES;
use bifrons_memory::{Bytes, ChunkPlan, ChunkRequest, Footprint, Part};

use super::{Sweep, result, worker};
use crate::error::SweepError;

/// Members above which a chunk does not get faster: the lanes at the end of a chunk that idle
/// are then fewer than one in a hundred.
const WIDEST: usize = 1024;
/// Chunks per thread that are wanted at least, so that threads end at the same time.
const CHUNKS_PER_THREAD: usize = 8;

/// The predicted peak of a sweep, part by part, and its chunks.
///
/// ```text
/// peak = result + threads in use × (worker)        result = members × (rows × columns × 8 + 32)
/// ```
///
/// The bytes are those of the heap that the run allocates on top of what exists already, the
/// sweep's own parameter columns included there.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPlan {
    chunks: ChunkPlan,
}

impl SweepPlan {
    /// Members of a chunk.
    #[must_use]
    pub fn chunk_width(&self) -> usize {
        self.chunks.width()
    }

    /// Number of chunks.
    #[must_use]
    pub fn chunk_count(&self) -> usize {
        self.chunks.chunk_count()
    }

    /// Bytes of the heap at the peak.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.chunks.footprint().peak()
    }

    /// Resident bytes at the peak for a process that has `resident` bytes now.
    #[must_use]
    pub fn resident_peak(&self, resident: u64) -> u64 {
        resident.saturating_add(self.peak())
    }

    /// Bytes that the budget allowed, `u64::MAX` for no bound.
    #[must_use]
    pub fn allowed(&self) -> u64 {
        self.chunks.allowed()
    }

    /// The parts of the prediction.
    #[must_use]
    pub fn tree(&self) -> &Part {
        self.chunks.tree()
    }
}

impl core::fmt::Display for SweepPlan {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        writeln!(
            f,
            "{} in {} chunks of {} members",
            Bytes::new(self.peak()),
            self.chunk_count(),
            self.chunk_width()
        )?;
        write!(f, "{}", self.tree())
    }
}

pub(super) fn plan<S: HybridSystem>(sweep: &Sweep<'_, S>) -> Result<SweepPlan, SweepError> {
    let threads = sweep.threads.count();
    let worker = match sweep.lanes {
        1 => worker::footprint::<S, 1>(sweep),
        _ => worker::footprint::<S, LANES>(sweep),
    };
    let handed_out = Part::new("slices of a chunk", result::slices_footprint(sweep));
    let request = ChunkRequest::new(sweep.members)
        .shared(result::footprint(sweep))
        .chunk(Part::beside("worker", [worker, handed_out]))
        .item(Part::new("member", Footprint::ZERO))
        .in_flight(threads)
        .preferred(
            sweep
                .chunk
                .unwrap_or_else(|| preferred(sweep.members, threads)),
        );
    Ok(SweepPlan {
        chunks: request.plan(&sweep.budget)?,
    })
}

/// A multiple of the lanes that leaves each thread several chunks.
fn preferred(members: usize, threads: usize) -> usize {
    if threads == 1 {
        return WIDEST;
    }
    let share = members
        .div_ceil(threads * CHUNKS_PER_THREAD)
        .next_multiple_of(LANES);
    share.clamp(LANES, WIDEST)
}
