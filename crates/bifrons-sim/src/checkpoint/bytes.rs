//! Numbers as bytes, with a version in front and a checksum behind.

use super::CheckpointError;
use super::fingerprint::hash;

/// Collects bytes.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn new(magic: &[u8; 8], version: u64) -> Self {
        let mut writer = Self(magic.to_vec());
        writer.word(version);
        writer
    }

    /// A part of a larger whole.
    pub(crate) fn part() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn word(&mut self, word: u64) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    pub(crate) fn number(&mut self, number: f64) {
        self.word(number.to_bits());
    }

    pub(crate) fn numbers(&mut self, numbers: &[f64]) {
        self.words(numbers.iter().map(|number| number.to_bits()));
    }

    /// The count, then the words.
    pub(crate) fn words(&mut self, words: impl ExactSizeIterator<Item = u64>) {
        self.word(words.len() as u64);
        for word in words {
            self.word(word);
        }
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn into_part(self) -> Vec<u8> {
        self.0
    }

    /// Everything with its checksum behind.
    pub(crate) fn seal(mut self) -> Vec<u8> {
        let checksum = hash(&self.0);
        self.word(checksum);
        self.0
    }
}

/// Takes bytes apart; `None` where they end too early.
pub(crate) struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    /// Checks version and checksum.
    pub(crate) fn open(
        bytes: &'b [u8],
        magic: &[u8; 8],
        version: u64,
    ) -> Result<Self, CheckpointError> {
        let foreign = CheckpointError::Foreign { bytes: bytes.len() };
        let Some(rest) = bytes.strip_prefix(magic) else {
            return Err(foreign);
        };
        let mut reader = Self(rest);
        let found = reader.word().ok_or_else(|| foreign.clone())?;
        if found != version {
            let supported = version;
            return Err(CheckpointError::Version { found, supported });
        }
        let (body, checksum) = reader.0.split_last_chunk::<8>().ok_or(foreign)?;
        let expected = u64::from_le_bytes(*checksum);
        let found = hash(&bytes[..bytes.len() - 8]);
        if found != expected {
            return Err(CheckpointError::Damaged { found, expected });
        }
        Ok(Self(body))
    }

    /// A part of a larger whole.
    pub(crate) fn part(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn word(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    pub(crate) fn number(&mut self) -> Option<f64> {
        self.word().map(f64::from_bits)
    }

    /// As many words as were written; never more than there are bytes for.
    pub(crate) fn words(&mut self) -> Option<Vec<u64>> {
        let count = usize::try_from(self.word()?).ok()?;
        if count > self.0.len() / 8 {
            return None;
        }
        (0..count).map(|_| self.word()).collect()
    }

    pub(crate) fn numbers(&mut self) -> Option<Vec<f64>> {
        Some(self.words()?.into_iter().map(f64::from_bits).collect())
    }

    /// Fills a slice of the length that was written.
    pub(crate) fn fill(&mut self, numbers: &mut [f64]) -> Option<()> {
        let found = self.numbers()?;
        (found.len() == numbers.len()).then(|| numbers.copy_from_slice(&found))
    }

    pub(crate) fn bytes(&mut self) -> Option<&'b [u8]> {
        let count = usize::try_from(self.word()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }
}
