//! Symmetric nodes and checks that all discrete forms share.

use crate::ShockError;

/// Most nodes of equally spaced forms; more than any table in memory would hold.
pub(crate) const MOST: usize = u32::MAX as usize;

/// Number of nodes between 1 and `most`.
pub(crate) fn check_count(count: usize, most: usize) -> Result<(), ShockError> {
    if count == 0 || count > most {
        return Err(ShockError::NodeCount { count, most });
    }
    Ok(())
}

/// A parameter that must be finite.
pub(crate) fn finite(name: &'static str, value: f64) -> Result<f64, ShockError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ShockError::NotFinite { name, value })
    }
}

/// A spread that must be finite and may be zero.
pub(crate) fn spread(name: &'static str, value: f64) -> Result<f64, ShockError> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(ShockError::Spread {
            name,
            required: "finite and not negative",
            value,
        })
    }
}

/// A spread that must be finite and positive.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64, ShockError> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(ShockError::Spread {
            name,
            required: "finite and positive",
            value,
        })
    }
}

/// Finite, strictly ascending.
pub(crate) fn check_nodes(nodes: &[f64]) -> Result<(), ShockError> {
    let mut before = f64::NEG_INFINITY;
    for (index, &value) in nodes.iter().enumerate() {
        if !(value.is_finite() && before < value) {
            return Err(ShockError::Nodes {
                index,
                before,
                value,
            });
        }
        before = value;
    }
    Ok(())
}

/// `count` equally spaced numbers from `-reach` to `reach`, antisymmetric to the bit.
pub(crate) fn symmetric(count: usize, reach: f64) -> Vec<f64> {
    mirrored(count, |i| {
        if i + 1 == count {
            reach
        } else {
            reach * (place(i, count) / (count - 1) as f64)
        }
    })
}

/// Twice the distance of index `i` from the middle, in steps.
fn place(i: usize, count: usize) -> f64 {
    (2 * i + 1 - count) as f64
}

/// Numbers whose upper half is given by index, whose lower half is its mirror image, and whose
/// middle is zero.
pub(crate) fn mirrored(count: usize, upper: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut values = vec![0.0; count];
    for i in count.div_ceil(2)..count {
        if 2 * i + 1 != count {
            let value = upper(i);
            values[i] = value;
            values[count - 1 - i] = -value;
        }
    }
    values
}

/// Bounds of the cell of each node: midpoints between neighbours, open at both ends.
pub(crate) fn cells(nodes: &[f64]) -> Vec<f64> {
    let mut bounds = Vec::with_capacity(nodes.len() + 1);
    bounds.push(f64::NEG_INFINITY);
    bounds.extend(nodes.windows(2).map(|pair| pair[0].midpoint(pair[1])));
    bounds.push(f64::INFINITY);
    bounds
}
