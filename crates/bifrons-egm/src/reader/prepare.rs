//! From the records of a row to the polynomials of its brackets.

mod brackets;

use bifrons_lanes::Level;

use super::kernel::Piece;
use super::{MarginalRead, RowReader, ValueRead};
use crate::arithmetic::same;
use crate::elementary::{exp, power};
use crate::error::{LengthError, ReadError};
use crate::hermite::{coefficients, limited_slopes};
use crate::row::{Row, RowView};
use crate::utility::Crra;

/// Brackets narrower than this share of the row do not tell the slope above it.
const NARROW: f64 = 1e-6;

impl RowReader {
    /// Takes over a row.
    ///
    /// # Errors
    ///
    /// [`ReadError::Length`] for channels of different lengths, [`ReadError::Unsorted`] if the
    /// abscissae do not ascend; the reader is then empty.
    pub fn prepare(&mut self, row: RowView<'_>) -> Result<(), ReadError> {
        self.x.clear();
        self.pieces.clear();
        self.extra.clear();
        self.owner.clear();
        let finite = check(&row)?;
        self.corner = row.corner;
        self.infinite = !finite && row.value.iter().any(|v| v.is_infinite());
        self.last_marginal = match row.marginal {
            [] | [_] => 0.0,
            [.., last] => *last,
        };
        let whole = row.owner.is_empty() || !brackets::has_gap(row.owner);
        if finite && whole && self.options.value == ValueRead::Hermite && row.x.len() > 1 {
            self.fill_brackets(&row);
        } else {
            self.fill_pieces(&row);
        }
        self.fill_extra(&row);
        self.x.extend_from_slice(row.x);
        if row.owner.is_empty() {
            self.owner.resize(row.x.len(), 0);
        } else {
            self.owner.extend_from_slice(row.owner);
        }
        Ok(())
    }

    /// As [`RowReader::fill_pieces`] for cubics between finite values without gaps, on lanes.
    fn fill_brackets(&mut self, row: &RowView<'_>) {
        let n = row.x.len();
        self.pieces.resize(n + 1, [0.0; 8]);
        Level::detect().dispatch(brackets::Brackets {
            x: row.x,
            value: row.value,
            policy: row.policy,
            marginal: row.marginal,
            pieces: &mut self.pieces[1..n],
        });
        self.pieces[0] = below_first(row, self.pieces[1]);
        self.pieces[n] = above_last(row, n - 1);
    }

    /// The pieces of any row, one after the other.
    fn fill_pieces(&mut self, row: &RowView<'_>) {
        let n = row.x.len();
        let Some(last) = n.checked_sub(1) else { return };
        self.pieces.reserve_exact(n + 1);
        let first = if n > 1 {
            self.piece(row, 0)
        } else {
            constant(row, 0)
        };
        self.pieces.push(below_first(row, first));
        if n > 1 {
            self.pieces.push(first);
        }
        for i in 1..last {
            let piece = self.piece(row, i);
            self.pieces.push(piece);
        }
        self.pieces.push(above_last(row, last));
    }

    /// The bracket from record `i`; a bracket without width is constant.
    #[inline]
    fn piece(&self, row: &RowView<'_>, i: usize) -> Piece {
        let (x0, x1) = (row.x[i], row.x[i + 1]);
        let w = x1 - x0;
        let mut piece = constant(row, i);
        if row.owner.get(i) == Some(&Row::GAP) && w > 0.0 {
            (piece[2], piece[6]) = (f64::NAN, f64::NAN);
            return piece;
        }
        if w > 0.0 {
            let (v0, v1) = (row.value[i], row.value[i + 1]);
            let (y0, y1) = (self.level(v0), self.level(v1));
            let b = if (v0 + v1).is_finite() {
                match self.options.value {
                    ValueRead::Hermite => {
                        let slopes =
                            limited_slopes(w, v0, v1, row.marginal[i], row.marginal[i + 1]);
                        coefficients(w, v0, v1, slopes)
                    }
                    _ => [(y1 - y0) / w, 0.0, 0.0],
                }
            } else {
                [infinite_inside(v0, v1), 0.0, 0.0]
            };
            piece = [x0, y0, b[0], b[1], b[2], piece[5], piece[6], v0];
            piece[6] = (row.policy[i + 1] - row.policy[i]) / w;
        }
        piece
    }

    /// What is linear between records: the value or its inverse utility.
    fn level(&self, value: f64) -> f64 {
        match self.options.value {
            ValueRead::InverseUtility { utility } => inverse_utility(&utility, value),
            _ => value,
        }
    }

    fn fill_extra(&mut self, row: &RowView<'_>) {
        let channel = match self.options.marginal {
            MarginalRead::Linear => row.marginal,
            MarginalRead::ViaPolicy if !row.equivalent.is_empty() => row.equivalent,
            _ => return,
        };
        let Some(last) = channel.len().checked_sub(1) else {
            return;
        };
        self.extra.reserve_exact(channel.len() + 1);
        let slope = |i: usize| {
            let w = row.x[i + 1] - row.x[i];
            // Infinite equivalents (marginal zero) at both ends stay infinite inside.
            let flat = same(channel[i], channel[i + 1]);
            if w > 0.0 && !flat {
                (channel[i + 1] - channel[i]) / w
            } else {
                0.0
            }
        };
        let first = if last > 0 { slope(0) } else { 0.0 };
        self.extra.push([channel[0], first]);
        for i in 0..last {
            self.extra.push([channel[i], slope(i)]);
        }
        let above = match self.options.marginal {
            MarginalRead::ViaPolicy => slope_above(row.x, channel),
            _ => 0.0,
        };
        self.extra.push([channel[last], above]);
    }
}

/// Lengths and order; whether all values are finite.
fn check(row: &RowView<'_>) -> Result<bool, ReadError> {
    let n = row.x.len();
    LengthError::check("value", row.value.len(), n)?;
    LengthError::check("policy", row.policy.len(), n)?;
    LengthError::check("marginal", row.marginal.len(), n)?;
    if !row.equivalent.is_empty() {
        LengthError::check("equivalent", row.equivalent.len(), n)?;
    }
    if !row.owner.is_empty() {
        LengthError::check("owner", row.owner.len(), n)?;
    }
    let clean = Level::detect().dispatch(brackets::Check {
        x: row.x,
        value: row.value,
    });
    if clean.ascends {
        return Ok(clean.finite);
    }
    let out_of_order = |i: usize| {
        let falls = i > 0 && !(row.x[i - 1] <= row.x[i]);
        row.x[i].is_nan() || falls || (i > 1 && !(row.x[i - 2] < row.x[i]))
    };
    let index = (0..n).find(|&i| out_of_order(i)).unwrap_or(0);
    Err(ReadError::Unsorted {
        index,
        x: row.x[index],
    })
}

/// Below the first record: tangent of the value, secant of the policy.
fn below_first(row: &RowView<'_>, first: Piece) -> Piece {
    let mut below = first;
    if row.x.get(1).is_none_or(|&next| next > row.x[0]) {
        (below[3], below[4]) = (0.0, 0.0);
    }
    below
}

/// Above the last record: the policy goes on.
fn above_last(row: &RowView<'_>, last: usize) -> Piece {
    let mut above = constant(row, last);
    above[6] = slope_above(row.x, row.policy);
    above
}

/// A piece that stays at record `i`.
fn constant(row: &RowView<'_>, i: usize) -> Piece {
    let (x, v, c) = (row.x[i], row.value[i], row.policy[i]);
    [x, v, 0.0, 0.0, 0.0, c, 0.0, v]
}

/// First coefficient of a bracket with an infinite end: it makes the inside infinite, or NaN.
fn infinite_inside(v0: f64, v1: f64) -> f64 {
    if v0.is_nan() || v1.is_nan() {
        f64::NAN
    } else if v0.is_infinite() {
        // Adding zero keeps the infinite left value.
        if v1.is_infinite() && (v0 > 0.0) != (v1 > 0.0) {
            f64::NAN
        } else {
            0.0
        }
    } else {
        v1
    }
}

/// Slope of the last bracket that is not narrow, moved into `[0, 1]`.
fn slope_above(x: &[f64], policy: &[f64]) -> f64 {
    let n = x.len();
    if n < 2 {
        return 0.0;
    }
    let least = NARROW * (x[n - 1] - x[0]);
    for i in (0..n - 1).rev() {
        let w = x[i + 1] - x[i];
        if w > least {
            let slope = (policy[i + 1] - policy[i]) / w;
            // NaN goes to zero.
            let slope = if slope > 0.0 { slope } else { 0.0 };
            return if slope < 1.0 { slope } else { 1.0 };
        }
    }
    0.0
}

/// The consumption with this utility; NaN outside of the range of the utility.
fn inverse_utility(utility: &Crra, value: f64) -> f64 {
    let power_of = 1.0 - utility.risk_aversion();
    if power_of == 0.0 {
        exp(value)
    } else {
        power(power_of * value, 1.0 / power_of)
    }
}

#[cfg(test)]
mod tests;
