//! Lane arrays that start on a cache line.

/// Bytes of a cache line on the processors at hand.
const LINE: usize = 64;

/// Numbers in front of the first array at most.
const fn padding<const W: usize>() -> usize {
    let line = LINE / size_of::<f64>();
    if W < line { 0 } else { line }
}

/// `[f64; W]` arrays, the first one on a cache line where an array is a line or more: a vector
/// read then never straddles two lines, which costs up to a third of the speed of a tape.
#[derive(Debug, Clone)]
pub(crate) struct Aligned<const W: usize> {
    buffer: Vec<f64>,
    skip: usize,
    count: usize,
}

impl<const W: usize> Aligned<W> {
    /// `count` arrays of `value`. A clone keeps the values, not the alignment.
    pub(crate) fn new(value: f64, count: usize) -> Self {
        let buffer = vec![value; Self::numbers(count)];
        let skip = match padding::<W>() {
            0 => 0,
            most => buffer.as_ptr().align_offset(LINE).min(most),
        };
        Self {
            buffer,
            skip,
            count,
        }
    }

    /// Numbers that `count` arrays take.
    pub(crate) const fn numbers(count: usize) -> usize {
        numbers(count, W)
    }

    pub(crate) const fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub(crate) fn arrays(&self) -> &[[f64; W]] {
        &self.buffer[self.skip..].as_chunks::<W>().0[..self.count]
    }

    #[inline]
    pub(crate) fn arrays_mut(&mut self) -> &mut [[f64; W]] {
        &mut self.buffer[self.skip..].as_chunks_mut::<W>().0[..self.count]
    }
}

/// Numbers that `count` arrays of `lanes` take.
pub(crate) const fn numbers(count: usize, lanes: usize) -> usize {
    let line = LINE / size_of::<f64>();
    count
        .saturating_mul(lanes)
        .saturating_add(if lanes < line { 0 } else { line })
}
