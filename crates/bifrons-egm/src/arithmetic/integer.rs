//! Exact signs by integers wide enough for every exponent of `f64`.

use std::cmp::Ordering;

/// Products of three finite `f64` are multiples of `2^(-3·1074)` below `2^(3·1024)`; with 160
/// bits for the digits and some for the sum that is less than 100 · 64 bits.
const LIMBS: usize = 101;

/// Sign of `Σ sign · a · b · c` over the terms, without any rounding.
///
/// All numbers must be finite. Cost: about 100 ns per term.
pub(crate) fn sign_of_products(terms: &[(bool, [f64; 3])]) -> Ordering {
    let mut sum = [0_u64; LIMBS];
    for &(negative, factors) in terms {
        add_product(&mut sum, negative, factors);
    }
    if sum[LIMBS - 1] >> 63 == 1 {
        Ordering::Less
    } else if sum.iter().all(|&limb| limb == 0) {
        Ordering::Equal
    } else {
        Ordering::Greater
    }
}

/// Sign, whole-numbered mantissa, and exponent above the smallest one.
fn decode(x: f64) -> (bool, u64, usize) {
    let bits = x.to_bits();
    let exponent = (bits >> 52) & 0x7ff;
    let fraction = bits & 0x000f_ffff_ffff_ffff;
    let mantissa = if exponent == 0 {
        fraction
    } else {
        fraction | 1 << 52
    };
    (
        bits >> 63 == 1,
        mantissa,
        exponent.saturating_sub(1) as usize,
    )
}

fn add_product(sum: &mut [u64; LIMBS], negative: bool, [a, b, c]: [f64; 3]) {
    let ((na, ma, ea), (nb, mb, eb), (nc, mc, ec)) = (decode(a), decode(b), decode(c));
    if ma == 0 || mb == 0 || mc == 0 {
        return;
    }
    let two = u128::from(ma) * u128::from(mb);
    let (low, high) = (two & u128::from(u64::MAX), two >> 64);
    let first = low * u128::from(mc);
    let second = high * u128::from(mc) + (first >> 64);
    #[expect(clippy::cast_possible_truncation, reason = "limbs are the low halves")]
    let digits = [first as u64, second as u64, (second >> 64) as u64, 0];
    let shift = ea + eb + ec;
    let (from, bits) = (shift / 64, shift % 64);
    let mut shifted = [0_u64; 4];
    for (i, slot) in shifted.iter_mut().enumerate() {
        let carried = if i > 0 && bits > 0 {
            digits[i - 1] >> (64 - bits)
        } else {
            0
        };
        *slot = digits[i] << bits | carried;
    }
    if negative ^ na ^ nb ^ nc {
        subtract(&mut sum[from..], shifted);
    } else {
        add(&mut sum[from..], shifted);
    }
}

fn add(sum: &mut [u64], digits: [u64; 4]) {
    let mut carry = false;
    for (i, slot) in sum.iter_mut().enumerate() {
        let digit = digits.get(i).copied().unwrap_or(0);
        if i >= 4 && !carry {
            return;
        }
        let (partial, first) = slot.overflowing_add(digit);
        let (total, second) = partial.overflowing_add(u64::from(carry));
        *slot = total;
        carry = first || second;
    }
}

fn subtract(sum: &mut [u64], digits: [u64; 4]) {
    let mut borrow = false;
    for (i, slot) in sum.iter_mut().enumerate() {
        let digit = digits.get(i).copied().unwrap_or(0);
        if i >= 4 && !borrow {
            return;
        }
        let (partial, first) = slot.overflowing_sub(digit);
        let (total, second) = partial.overflowing_sub(u64::from(borrow));
        *slot = total;
        borrow = first || second;
    }
}
