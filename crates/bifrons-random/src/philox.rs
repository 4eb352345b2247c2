//! The bijection Philox4x64-10.

/// Multipliers of the two halves.
const MULTIPLIER: [u64; 2] = [0xd2e7_470e_e14c_6c93, 0xca5a_8263_9512_1157];
/// Increments of the key per round: the golden ratio and `√3 - 1`, as 64-bit fractions.
const WEYL: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xbb67_ae85_84ca_a73b];
const ROUNDS: u32 = 10;

/// Random block of a key and a counter: Philox4x64 with ten rounds.
///
/// For each key this is a bijection of the counters, so different counters give different blocks.
/// Word 0 of key and counter is the least significant one.
///
/// # References
///
/// J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw (2011), "Parallel random numbers: as
/// easy as 1, 2, 3", SC11, doi:10.1145/2063384.2063405, section 3.4 and table 2.
///
/// # Examples
///
/// ```
/// use bifrons_random::philox4x64;
///
/// assert_eq!(philox4x64([0; 2], [0; 4])[0], 0x1655_4d9e_ca36_314c);
/// ```
#[inline]
#[must_use]
pub const fn philox4x64(key: [u64; 2], counter: [u64; 4]) -> [u64; 4] {
    let [mut k0, mut k1] = key;
    let [mut c0, mut c1, mut c2, mut c3] = counter;
    let mut round = 0;
    while round < ROUNDS {
        let (high0, low0) = multiply(MULTIPLIER[0], c0);
        let (high1, low1) = multiply(MULTIPLIER[1], c2);
        (c0, c1, c2, c3) = (high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0);
        k0 = k0.wrapping_add(WEYL[0]);
        k1 = k1.wrapping_add(WEYL[1]);
        round += 1;
    }
    [c0, c1, c2, c3]
}

/// High and low word of the full product.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the two halves of the product are wanted"
)]
const fn multiply(a: u64, b: u64) -> (u64, u64) {
    let product = a as u128 * b as u128;
    ((product >> 64) as u64, product as u64)
}
