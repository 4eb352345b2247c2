//! Numbers as little-endian bytes.

/// Bytes that are written.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

/// Bytes that are read; `None` where there are too few.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl Writer {
    pub(crate) fn flag(&mut self, value: bool) {
        self.bytes.push(u8::from(value));
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn number(&mut self, value: f64) {
        self.u64(value.to_bits());
    }

    pub(crate) fn numbers(&mut self, values: &[f64]) {
        for &value in values {
            self.number(value);
        }
    }

    pub(crate) fn codes(&mut self, values: &[u32]) {
        for &value in values {
            self.u32(value);
        }
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (own, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(own)
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        match self.take(1)? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    pub(crate) fn number(&mut self) -> Option<f64> {
        self.u64().map(f64::from_bits)
    }

    pub(crate) fn numbers(&mut self, count: usize) -> Option<Vec<f64>> {
        // Bytes first: a wrong count must not allocate more than the file holds.
        let bytes = self.take(count.checked_mul(8)?)?;
        let mut own = Self { bytes };
        (0..count).map(|_| own.number()).collect()
    }

    pub(crate) fn codes(&mut self, count: usize) -> Option<Vec<u32>> {
        let bytes = self.take(count.checked_mul(4)?)?;
        let mut own = Self { bytes };
        (0..count).map(|_| own.u32()).collect()
    }

    /// A count that was written as 64 bits.
    pub(crate) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.u64()?).ok()
    }
}
