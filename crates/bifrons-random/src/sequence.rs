//! The sequential form of the generator.

use core::convert::Infallible;

use rand_core::{SeedableRng, TryRng, utils};

use crate::philox4x64;

/// Sequential Philox4x64-10 with the `rand_core` traits; the same numbers as NumPy's `Philox`.
///
/// As there, the 256-bit counter is incremented *before* a block is made, so the first number
/// belongs to `counter + 1`; 32-bit numbers are the low, then the high half of a 64-bit number.
///
/// For draws of simulated elements use [`Draws`](crate::Draws), which has no state.
///
/// ```
/// use bifrons_random::Philox;
/// use rand_core::{Rng, SeedableRng};
///
/// let mut generator = Philox::seed_from_u64(42); // NumPy: Philox(key=42)
/// let first = generator.next_u64();
/// assert_eq!(Philox::new([42, 0], [0; 4]).next_u64(), first);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Philox {
    key: [u64; 2],
    counter: [u64; 4],
    block: [u64; 4],
    /// Words of the block already used.
    used: u8,
    /// High half of a word whose low half was returned by `next_u32`.
    half: Option<u32>,
}

impl Philox {
    /// Generator with a key and a counter, least significant words first.
    #[must_use]
    pub const fn new(key: [u64; 2], counter: [u64; 4]) -> Self {
        Self {
            key,
            counter,
            block: [0; 4],
            used: 4,
            half: None,
        }
    }

    /// Skips numbers: as many calls of `next_u64` whose results are dropped, in constant time.
    pub fn skip(&mut self, count: u64) {
        self.half = None;
        // Position in words from the start of the current block: 4 * (count / 4) + beyond.
        let beyond = (count % 4) as u8 + self.used;
        let (blocks, used) = match beyond {
            0 if count == 0 => (0, 0),
            0 => (count / 4 - 1, 4),
            1..=4 => (count / 4, beyond),
            _ => (count / 4 + 1, beyond - 4),
        };
        if blocks > 0 {
            self.advance(blocks - 1);
            self.refill();
        }
        self.used = used;
    }

    /// A generator 2¹²⁸ numbers further on, for a further independent sequence.
    #[must_use]
    pub fn jumped(&self) -> Self {
        let (low, carry) = self.counter[2].overflowing_add(1);
        let high = self.counter[3].wrapping_add(u64::from(carry));
        Self::new(self.key, [self.counter[0], self.counter[1], low, high])
    }

    /// Adds to the 256-bit counter.
    fn advance(&mut self, blocks: u64) {
        let mut carry = blocks;
        for word in &mut self.counter {
            let (sum, overflow) = word.overflowing_add(carry);
            *word = sum;
            carry = u64::from(overflow);
        }
    }

    fn refill(&mut self) {
        self.advance(1);
        self.block = philox4x64(self.key, self.counter);
    }

    fn word(&mut self) -> u64 {
        if self.used == 4 {
            self.refill();
            self.used = 0;
        }
        self.used += 1;
        self.block[usize::from(self.used) - 1]
    }
}

impl TryRng for Philox {
    type Error = Infallible;

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the halves of a word are wanted"
    )]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(match self.half.take() {
            Some(high) => high,
            None => {
                let word = self.word();
                self.half = Some((word >> 32) as u32);
                word as u32
            }
        })
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.word())
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(dst, || Ok(self.word()))
    }
}

impl SeedableRng for Philox {
    /// Key (two words), then the upper two words of the counter, all little-endian.
    type Seed = [u8; 32];

    fn from_seed(seed: Self::Seed) -> Self {
        let [k0, k1, c2, c3] = utils::read_words(&seed);
        Self::new([k0, k1], [0, 0, c2, c3])
    }

    /// Key `[seed, 0]`, counter zero: NumPy's `Philox(key=seed)`.
    fn seed_from_u64(seed: u64) -> Self {
        Self::new([seed, 0], [0; 4])
    }
}
