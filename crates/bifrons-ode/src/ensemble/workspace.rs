//! The memory of an ensemble: allocated once, reused by every run.

use bifrons_memory::Footprint;

use super::events::EventLanes;
use super::method::LaneMethod;
use crate::explicit::stages::Stages;

/// Lane arrays: two states, seven stages, one stage argument.
const LANE_ARRAYS: usize = 10;
/// Arrays of one member: initial state, its slope, Euler probe, slope there, absolute tolerances.
const MEMBER_ARRAYS: usize = 5;
/// Lane arrays start on a cache line.
const ALIGNMENT: usize = 64;
const PADDING: usize = ALIGNMENT / size_of::<f64>();

/// Buffers of an ensemble of `W` lanes for `n` components.
#[derive(Debug, Clone)]
pub struct EnsembleWorkspace<const W: usize> {
    dimension: usize,
    arrays: usize,
    /// Lane arrays after up to `PADDING` numbers, then those of the member.
    numbers: Vec<f64>,
    events: Option<Box<EventLanes<W>>>,
}

/// Numbers up to which zeros are written rather than asked for.
const SHORT: usize = 128;

/// Zeros in one block. Allocators keep short blocks at hand for whoever asks for any content, not
/// for zeroed memory, which costs a run of a dozen steps a twentieth of its time.
fn zeros(count: usize) -> Vec<f64> {
    if count > SHORT {
        return vec![0.0; count];
    }
    let mut numbers = Vec::with_capacity(count);
    numbers.resize(count, 0.0);
    numbers
}

/// What a run borrows of the workspace.
pub(crate) type Split<'w, S, const W: usize> = (S, MemberArrays<'w>, Option<&'w mut EventLanes<W>>);

/// Borrowed arrays of one member, `n` components each.
#[derive(Debug)]
pub(crate) struct MemberArrays<'w> {
    pub(crate) state: &'w mut [f64],
    pub(crate) slope: &'w mut [f64],
    pub(crate) euler: &'w mut [f64],
    pub(crate) slope_there: &'w mut [f64],
    pub(crate) absolute: &'w mut [f64],
}

/// Arrays of `n` components that a method takes, its matrices included.
pub(crate) const fn arrays_of<'w, S: Stages<'w, W>, const W: usize>(n: usize) -> usize {
    S::ARRAYS + S::MATRICES * n
}

impl<const W: usize> EnsembleWorkspace<W> {
    /// Buffers for `dimension` components.
    ///
    /// Cost: one allocation of [`EnsembleWorkspace::footprint`] bytes; runs allocate nothing.
    #[must_use]
    pub fn new(dimension: usize) -> Self {
        Self::with_arrays(dimension, LANE_ARRAYS)
    }

    /// Buffers for methods with this many lane arrays.
    pub(crate) fn with_arrays(dimension: usize, arrays: usize) -> Self {
        Self {
            dimension,
            arrays,
            numbers: zeros(arrays * dimension * W + PADDING + MEMBER_ARRAYS * dimension),
            events: None,
        }
    }

    /// Buffers for a method and a number of root functions.
    #[must_use]
    pub fn for_method<M: LaneMethod>(dimension: usize, roots: usize) -> Self {
        let arrays = arrays_of::<M::Arrays<'_, W>, W>(dimension);
        let mut workspace = Self::with_arrays(dimension, arrays);
        workspace.events = (roots > 0).then(|| Box::new(EventLanes::new(dimension, roots)));
        workspace
    }

    /// Bytes of the buffers for a method and a number of root functions.
    #[must_use]
    pub fn footprint_for_method<M: LaneMethod>(dimension: usize, roots: usize) -> Footprint {
        let arrays = arrays_of::<M::Arrays<'_, W>, W>(dimension);
        let plain =
            Footprint::of::<f64>(arrays * dimension * W + PADDING)
                .beside(Footprint::of::<f64>(MEMBER_ARRAYS * dimension));
        if roots == 0 {
            return plain;
        }
        plain
            .beside(EventLanes::<W>::footprint(dimension, roots))
            .beside(Footprint::of::<EventLanes<W>>(1))
    }

    /// Whether there is room for exactly these arrays and for no functions.
    pub(crate) fn suits(&self, dimension: usize, arrays: usize) -> bool {
        self.dimension == dimension && self.arrays == arrays && self.events.is_none()
    }

    /// Makes every number zero, as it was at first.
    pub(crate) fn clear(&mut self) {
        self.numbers.fill(0.0);
    }

    /// Lane arrays that there is room for.
    pub(crate) const fn arrays(&self) -> usize {
        self.arrays
    }

    /// Root functions that there is room for.
    pub(crate) fn root_count(&self) -> usize {
        self.events
            .as_ref()
            .map_or(0, |events| events.watches[0].sides().len())
    }

    /// Components that the buffers are for.
    #[must_use]
    pub const fn dimension(&self) -> usize {
        self.dimension
    }

    /// Bytes of the buffers, `8 (10 n W + 8 + 5 n)`.
    #[must_use]
    pub fn footprint(dimension: usize) -> Footprint {
        Self::footprint_of_arrays(dimension, LANE_ARRAYS)
    }

    /// Bytes of the buffers with this many lane arrays.
    pub(crate) fn footprint_of_arrays(dimension: usize, arrays: usize) -> Footprint {
        Footprint::of::<f64>(arrays * dimension * W + PADDING)
            .beside(Footprint::of::<f64>(MEMBER_ARRAYS * dimension))
    }

    pub(crate) fn split<'w, S: Stages<'w, W>>(&'w mut self) -> Split<'w, S, W> {
        let n = self.dimension;
        let skip = self.numbers.as_ptr().align_offset(ALIGNMENT).min(PADDING);
        let own = self.numbers.len() - MEMBER_ARRAYS * n;
        let (lanes, mut member) = self.numbers.split_at_mut(own);
        let mut rest = &mut lanes[skip..];
        let stages = S::build(n, |length| {
            let (head, tail) = core::mem::take(&mut rest).split_at_mut(length * W);
            rest = tail;
            head.as_chunks_mut::<W>().0
        });
        let mut member_array = || {
            let (head, tail) = core::mem::take(&mut member).split_at_mut(n);
            member = tail;
            head
        };
        let member = MemberArrays {
            state: member_array(),
            slope: member_array(),
            euler: member_array(),
            slope_there: member_array(),
            absolute: member_array(),
        };
        (stages, member, self.events.as_deref_mut())
    }
}
