//! The widest chunk of equal items that fits a budget.

use std::ops::Range;

use crate::budget::{Budget, BudgetError};
use crate::bytes::Bytes;
use crate::footprint::Footprint;
use crate::part::Part;

/// A question to the planner: `items` equal pieces of work, cut into chunks of one width, some
/// chunks in flight at the same time.
///
/// ```text
/// chunks(width)   = ceil(items / width)
/// flying(width)   = min(in_flight, chunks(width))
/// needed(width)   = shared + flying(width) × (chunk + width × item)          (peaks)
/// ```
///
/// The plan has the largest `width <= min(preferred, items)` whose need is at most the allowed
/// number of bytes. The need is not monotone in the width (a wider chunk may leave fewer in
/// flight), hence every number of flying chunks is looked at; cost `O(in_flight × log(items))`.
#[derive(Clone, Debug)]
#[must_use]
pub struct ChunkRequest {
    items: usize,
    shared: Part,
    chunk: Part,
    item: Part,
    in_flight: usize,
    preferred: usize,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The preferred width is zero.
    #[error("preferred chunk width must be at least 1, got 0")]
    ZeroWidth,
    /// No chunk may be in flight.
    #[error("number of chunks in flight must be at least 1, got 0")]
    ZeroInFlight,
    /// Not even the cheapest width fits.
    #[error(
        "plan needs {} ({needed} bytes) but {} ({allowed} bytes) are allowed; the largest part is \
         `{part}`: raise the budget or shrink it",
        Bytes::new(*needed), Bytes::new(*allowed)
    )]
    TooSmall {
        /// Bytes of the cheapest width; `u64::MAX` if more than 64 bits hold.
        needed: u64,
        /// Bytes that the budget allows.
        allowed: u64,
        /// Path of the part whose own footprint is the largest.
        part: String,
    },
    /// The budget has no value here.
    #[error("budget cannot be resolved")]
    Budget(#[from] BudgetError),
}

impl ChunkRequest {
    /// `items` pieces of work without any footprint, one chunk in flight, no preferred width.
    ///
    /// Zero items are valid: the plan has no chunks and needs the shared part only.
    pub fn new(items: usize) -> Self {
        Self {
            items,
            shared: Part::new("shared", Footprint::ZERO),
            chunk: Part::new("chunk", Footprint::ZERO),
            item: Part::new("item", Footprint::ZERO),
            in_flight: 1,
            preferred: usize::MAX,
        }
    }

    /// What exists once, whatever the chunks.
    pub fn shared(self, shared: Part) -> Self {
        Self { shared, ..self }
    }

    /// What each chunk in flight needs beside its items, such as a thread's workspace.
    pub fn chunk(self, chunk: Part) -> Self {
        Self { chunk, ..self }
    }

    /// What each item of a chunk in flight needs.
    pub fn item(self, item: Part) -> Self {
        Self { item, ..self }
    }

    /// How many chunks exist at the same time: the number of threads, or more if results wait.
    pub fn in_flight(self, in_flight: usize) -> Self {
        Self { in_flight, ..self }
    }

    /// The width above which a chunk does not get faster.
    pub fn preferred(self, preferred: usize) -> Self {
        Self { preferred, ..self }
    }

    /// The plan for a budget, which is resolved now.
    ///
    /// # Errors
    /// As [`plan_within`](Self::plan_within), and [`PlanError::Budget`].
    pub fn plan(&self, budget: &Budget) -> Result<ChunkPlan, PlanError> {
        self.plan_within(budget.resolve()?)
    }

    /// The plan for `allowed` bytes.
    ///
    /// # Errors
    /// [`PlanError::ZeroWidth`], [`PlanError::ZeroInFlight`], or [`PlanError::TooSmall`] with the
    /// need of the cheapest width.
    pub fn plan_within(&self, allowed: u64) -> Result<ChunkPlan, PlanError> {
        if self.preferred == 0 {
            return Err(PlanError::ZeroWidth);
        }
        if self.in_flight == 0 {
            return Err(PlanError::ZeroInFlight);
        }
        let mut cheapest: Option<(u64, usize)> = None;
        for (low, high) in self.ranges() {
            let needed = self.needed(low);
            if needed.fits(allowed) {
                return Ok(self.plan_of(self.widest(low, high, allowed), allowed));
            }
            if cheapest.is_none_or(|(bytes, _)| needed.peak() < bytes) {
                cheapest = Some((needed.peak(), low));
            }
        }
        let (needed, width) = cheapest.unwrap_or((u64::MAX, 1));
        let (part, _) = self.tree(width).largest();
        Err(PlanError::TooSmall {
            needed,
            allowed,
            part,
        })
    }

    /// Ranges of widths with the same number of chunks in flight, widest first.
    fn ranges(&self) -> impl Iterator<Item = (usize, usize)> {
        let cap = self.preferred.min(self.items).max(1);
        let items = self.items.max(1);
        let flying = self.in_flight.min(items);
        (1..=flying).filter_map(move |count| {
            let low = if count == flying {
                1
            } else {
                items.div_ceil(count)
            };
            let high = if count == 1 {
                items
            } else {
                items.div_ceil(count - 1) - 1
            };
            let high = high.min(cap);
            (low <= high).then_some((low, high))
        })
    }

    /// The largest width in `low..=high` that fits, given that `low` does: bisection, since the
    /// need is monotone where the number of flying chunks is the same.
    fn widest(&self, mut low: usize, mut high: usize, allowed: u64) -> usize {
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.needed(middle).fits(allowed) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low
    }

    fn flying(&self, width: usize) -> u64 {
        self.in_flight.min(self.items.div_ceil(width)) as u64
    }

    fn needed(&self, width: usize) -> Footprint {
        let one = self
            .chunk
            .total()
            .beside(self.item.total().times(width as u64));
        self.shared.total().beside(one.times(self.flying(width)))
    }

    fn tree(&self, width: usize) -> Part {
        let items = self.item.clone().times(width as u64);
        let flying = Part::beside("in flight", [self.chunk.clone(), items]);
        Part::beside(
            "plan",
            [self.shared.clone(), flying.times(self.flying(width))],
        )
    }

    fn plan_of(&self, width: usize, allowed: u64) -> ChunkPlan {
        ChunkPlan {
            items: self.items,
            width,
            allowed,
            tree: self.tree(width),
        }
    }
}

/// How work is cut, and what that needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkPlan {
    items: usize,
    width: usize,
    allowed: u64,
    tree: Part,
}

impl ChunkPlan {
    /// Items in each chunk but the last, at least 1.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of items.
    #[must_use]
    pub fn item_count(&self) -> usize {
        self.items
    }

    /// Number of chunks; zero for zero items.
    #[must_use]
    pub fn chunk_count(&self) -> usize {
        self.items.div_ceil(self.width)
    }

    /// Bytes that the budget allowed, `u64::MAX` for no bound.
    #[must_use]
    pub fn allowed(&self) -> u64 {
        self.allowed
    }

    /// What the run needs.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        self.tree.total()
    }

    /// What the run needs, part by part.
    #[must_use]
    pub fn tree(&self) -> &Part {
        &self.tree
    }

    /// The index ranges of the chunks, in order; together they cover all items.
    #[must_use]
    pub fn ranges(&self) -> ChunkRanges {
        ChunkRanges {
            next: 0,
            items: self.items,
            width: self.width,
        }
    }
}

/// The index ranges of a [`ChunkPlan`].
#[derive(Clone, Debug)]
pub struct ChunkRanges {
    next: usize,
    items: usize,
    width: usize,
}

impl Iterator for ChunkRanges {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.next >= self.items {
            return None;
        }
        let start = self.next;
        self.next = self.items.min(start.saturating_add(self.width));
        Some(start..self.next)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.items - self.next).div_ceil(self.width);
        (left, Some(left))
    }
}

impl ExactSizeIterator for ChunkRanges {}
