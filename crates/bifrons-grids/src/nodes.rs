//! Checks of node lists.

use crate::error::AxisError;

/// Nodes of one axis are numbered by `u32`, with one number to spare for the rank.
pub(crate) const MOST: usize = (u32::MAX - 1) as usize;

pub(crate) const fn check_count(count: usize) -> Result<(), AxisError> {
    match count {
        0 => Err(AxisError::Empty),
        1..=MOST => Ok(()),
        _ => Err(AxisError::TooMany { count, most: MOST }),
    }
}

/// Finite, strictly increasing, of finite length.
pub(crate) fn check_strict(nodes: &[f64]) -> Result<(), AxisError> {
    check(nodes, |_| false)
}

/// Finite, increasing, no value more than twice.
pub(crate) fn check_with_pairs(nodes: &[f64]) -> Result<(), AxisError> {
    check(nodes, |i| i < 2 || nodes[i - 2] < nodes[i - 1])
}

/// `may_repeat(i)`: whether node `i` may equal node `i - 1`.
fn check(nodes: &[f64], may_repeat: impl Fn(usize) -> bool) -> Result<(), AxisError> {
    check_count(nodes.len())?;
    if let Some(index) = nodes.iter().position(|node| !node.is_finite()) {
        return Err(AxisError::NonFiniteNode {
            index,
            value: nodes[index],
        });
    }
    for (i, pair) in nodes.windows(2).enumerate() {
        let (previous, value, index) = (pair[0], pair[1], i + 1);
        if value < previous {
            return Err(AxisError::NotIncreasing {
                index,
                previous,
                value,
            });
        }
        if value <= previous && !may_repeat(index) {
            return Err(AxisError::Duplicate { index, value });
        }
    }
    check_range(nodes[0], nodes[nodes.len() - 1])
}

pub(crate) fn check_range(start: f64, stop: f64) -> Result<(), AxisError> {
    if (stop - start).is_finite() {
        Ok(())
    } else {
        Err(AxisError::RangeOverflow { start, stop })
    }
}

/// Regular nodes that rounding made equal.
pub(crate) fn check_resolved(nodes: &[f64]) -> Result<(), AxisError> {
    match nodes.windows(2).position(|pair| pair[1] <= pair[0]) {
        Some(index) => Err(AxisError::TooFine {
            index,
            value: nodes[index],
        }),
        None => Ok(()),
    }
}
