//! Fitting: checks first, then the coefficients, so that a failed fit changes nothing.

use super::cell::{Cell, Cubic, Straight, Utility, finite_or_nan, inverse_utility, mark};
use super::slopes::{self, SlopeLimit};
use super::{Interpolant, Method, Table};
use crate::error::{FitError, LengthError};
use crate::knots::Knots;

impl Interpolant {
    /// Fits new values at new knots by the same method, in the same memory.
    ///
    /// Allocates only if there are more nodes than ever before.
    ///
    /// # Errors
    ///
    /// As [`Interpolant::new`]; the interpolant is then as before.
    pub fn refit<'a>(
        &mut self,
        knots: impl Into<Knots<'a>>,
        values: &[f64],
    ) -> Result<(), FitError> {
        let knots = knots.into();
        check(&knots, values)?;
        match (self.method, &mut self.table) {
            (Method::MonotoneCubic(rule), Table::Cubic(table)) => {
                reserve(&mut self.scratch, values.len());
                self.scratch.resize(values.len(), 0.0);
                slopes::estimate(rule, &knots, values, &mut self.scratch);
                fill_cubic(table, &knots, values, &self.scratch, SlopeLimit::None);
            }
            (_, Table::Cubic(_)) => return Err(FitError::SlopesMissing),
            (_, Table::Straight(table)) => fill_straight(table, &knots, values),
            (_, Table::Utility(table, gamma)) => {
                invert(values, *gamma, &mut self.scratch)?;
                fill_utility(table, &knots, values, &self.scratch);
            }
        }
        self.anchor(&knots);
        Ok(())
    }

    /// Fits new values and slopes at new knots, in the same memory.
    ///
    /// # Errors
    ///
    /// As [`Interpolant::with_slopes`]; [`FitError::SlopesUnused`] unless the method is
    /// [`Method::Hermite`]. The interpolant is then as before.
    pub fn refit_with_slopes<'a>(
        &mut self,
        knots: impl Into<Knots<'a>>,
        values: &[f64],
        slopes: &[f64],
    ) -> Result<(), FitError> {
        let knots = knots.into();
        let (Method::Hermite(limit), Table::Cubic(table)) = (self.method, &mut self.table) else {
            return Err(FitError::SlopesUnused);
        };
        check(&knots, values)?;
        LengthError::check("slopes", slopes.len(), values.len())?;
        fill_cubic(table, &knots, values, slopes, limit);
        self.anchor(&knots);
        Ok(())
    }

    fn anchor(&mut self, knots: &Knots<'_>) {
        reserve(&mut self.anchors, knots.nodes.len() + 1);
        reserve(&mut self.starts, knots.starts().len());
        self.anchors.clear();
        self.anchors.push(knots.nodes[0]);
        self.anchors.extend_from_slice(knots.nodes);
        self.starts.clear();
        self.starts.extend_from_slice(knots.starts());
    }
}

/// Room for `count` entries, no more.
fn reserve<T>(list: &mut Vec<T>, count: usize) {
    list.reserve_exact(count.saturating_sub(list.len()));
}

fn check(knots: &Knots<'_>, values: &[f64]) -> Result<(), FitError> {
    knots.check()?;
    LengthError::check("values", values.len(), knots.nodes.len())?;
    check_secants(knots, values)
}

/// Secants between finite values are finite (they are infinite or NaN at seams of width zero).
pub(super) fn check_secants(knots: &Knots<'_>, values: &[f64]) -> Result<(), FitError> {
    for (i, (x, y)) in knots.nodes.windows(2).zip(values.windows(2)).enumerate() {
        let secant = (y[1] - y[0]) / (x[1] - x[0]);
        if !secant.is_finite() && y[0].is_finite() && y[1].is_finite() && !knots.is_seam(i) {
            return Err(FitError::SecantOverflow { index: i });
        }
    }
    Ok(())
}

fn invert(values: &[f64], gamma: f64, y: &mut Vec<f64>) -> Result<(), FitError> {
    reserve(y, values.len());
    y.clear();
    for (index, &value) in values.iter().enumerate() {
        y.push(if value.is_finite() {
            inverse_utility(value, gamma).ok_or(FitError::OutsideUtilityRange {
                index,
                value,
                risk_aversion: gamma,
            })?
        } else {
            f64::NAN
        });
    }
    Ok(())
}

/// One cell with its slopes at the left and at the right end.
type Piece<C> = (C, f64, f64);

/// Cells by rank. `inside(i)` is the cell from node `i`; `end(i, slope)` continues from node `i`
/// with the slope of the cell next to it.
fn fill<C: Cell>(
    table: &mut Vec<C>,
    knots: &Knots<'_>,
    inside: impl Fn(usize) -> Piece<C>,
    end: impl Fn(usize, f64) -> C,
) {
    let count = knots.nodes.len();
    reserve(table, count + 1);
    table.clear();
    table.push(end(0, 0.0));
    let mut slope = 0.0;
    for i in 0..count - 1 {
        if knots.is_seam(i) {
            table.push(end(i, slope));
            slope = 0.0;
        } else {
            let (cell, left, right) = inside(i);
            if i == 0 {
                table[0] = end(0, finite_or_nan(left));
            }
            table.push(cell);
            slope = finite_or_nan(right);
        }
    }
    table.push(end(count - 1, slope));
}

fn fill_straight(table: &mut Vec<Straight>, knots: &Knots<'_>, y: &[f64]) {
    let x = knots.nodes;
    let inside = |i: usize| {
        let slope = if y[i].is_finite() && y[i + 1].is_finite() {
            (y[i + 1] - y[i]) / (x[i + 1] - x[i])
        } else {
            mark(y[i], y[i + 1])
        };
        (Straight([y[i], slope]), slope, slope)
    };
    fill(table, knots, inside, |i, slope| Straight([y[i], slope]));
}

fn fill_cubic(
    table: &mut Vec<Cubic>,
    knots: &Knots<'_>,
    y: &[f64],
    slopes: &[f64],
    limit: SlopeLimit,
) {
    let x = knots.nodes;
    let inside = |i: usize| {
        if !y[i].is_finite() || !y[i + 1].is_finite() {
            let slope = mark(y[i], y[i + 1]);
            return (Cubic([y[i], slope, 0.0, 0.0]), slope, slope);
        }
        let width = x[i + 1] - x[i];
        let secant = (y[i + 1] - y[i]) / width;
        let (left, right) = slopes::limited(limit, secant, slopes[i], slopes[i + 1]);
        let (rise, fall) = (secant - left, right - secant);
        // left + c₂ w + c₃ w² = secant and left + 2 c₂ w + 3 c₃ w² = right
        let c2 = (rise + (rise - fall)) / width;
        let c3 = (fall - rise) / width / width;
        if c2.is_finite() && c3.is_finite() {
            (Cubic([y[i], left, c2, c3]), left, right)
        } else {
            (Cubic([y[i], secant, 0.0, 0.0]), secant, secant)
        }
    };
    fill(table, knots, inside, |i, slope| {
        Cubic([y[i], slope, 0.0, 0.0])
    });
}

/// `v`: values, `y`: their inverse utilities (NaN where the value is not finite). The slopes that
/// `fill` hands on are those of `y`.
fn fill_utility(table: &mut Vec<Utility>, knots: &Knots<'_>, v: &[f64], y: &[f64]) {
    let x = knots.nodes;
    let inside = |i: usize| {
        if y[i].is_nan() || y[i + 1].is_nan() {
            let mark = mark(v[i], v[i + 1]);
            let instead = if mark == 0.0 { v[i] } else { mark };
            (Utility([v[i], y[i], 0.0, instead]), 0.0, 0.0)
        } else {
            let rate = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
            (Utility([v[i], y[i], rate, 0.0]), rate, rate)
        }
    };
    let end = |i: usize, rate: f64| {
        let instead = if y[i].is_nan() { v[i] } else { 0.0 };
        Utility([v[i], y[i], rate, instead])
    };
    fill(table, knots, inside, end);
}
