//! Names of independent sequences under one seed.

/// A stream: draws of different streams are independent under the same seed.
///
/// Streams are numbered below 2⁶³ by a registry of the caller, or named by text. Adding a stream
/// never changes the draws of another.
///
/// ```
/// use bifrons_random::Stream;
///
/// const TASTE: Stream = Stream::named("taste");
/// assert_ne!(TASTE, Stream::named("income"));
/// assert_eq!(Stream::numbered(3).id(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(transparent)
)]
pub struct Stream(u64);

impl Stream {
    /// Named streams have this bit, numbered ones do not.
    const NAMED: u64 = 1 << 63;

    /// Stream with a number of the caller's own registry; 32 bits can never meet a named stream.
    #[must_use]
    pub const fn numbered(id: u32) -> Self {
        Self(id as u64)
    }

    /// Stream of a name: the 64-bit FNV-1a hash of its UTF-8 bytes with the top bit set.
    ///
    /// Two names meet with probability 2⁻⁶³; a registry of a thousand names has a chance of
    /// 5e-14 of any meeting. The hash is part of the contract and will not change.
    #[must_use]
    pub const fn named(name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut i = 0;
        while i < bytes.len() {
            hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
            i += 1;
        }
        Self(hash | Self::NAMED)
    }

    /// The number that enters the key.
    #[must_use]
    pub const fn id(self) -> u64 {
        self.0
    }
}
