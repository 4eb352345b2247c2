//! Discrete choices: the best one, or the expected best under extreme-value taste shocks.

use bifrons_lanes::{Kernel, Level};

use crate::elementary::{exp, ln};
use crate::error::{ChoiceError, LengthError};

/// Scale λ of extreme-value (Gumbel) taste shocks with mean zero, one per choice.
///
/// ```text
/// V = λ ln Σ e^(v_k / λ),   P_k = e^(v_k / λ) / Σ e^(v_j / λ)
/// ```
///
/// Scale zero means no shocks: the maximum, of equal values the first.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TasteShocks {
    scale: f64,
}

impl TasteShocks {
    /// No shocks: the choice with the highest value.
    pub const NONE: Self = Self { scale: 0.0 };

    /// Shocks with a scale in units of the value.
    ///
    /// # Errors
    ///
    /// [`ChoiceError::Scale`] unless the scale is finite and not negative.
    pub fn new(scale: f64) -> Result<Self, ChoiceError> {
        if scale >= 0.0 && scale.is_finite() {
            Ok(Self { scale })
        } else {
            Err(ChoiceError::Scale { scale })
        }
    }

    /// The scale λ.
    #[must_use]
    pub const fn scale(self) -> f64 {
        self.scale
    }

    /// Expected value of the best choice, and the probability of each.
    ///
    /// The largest value is subtracted first, so nothing overflows. If all values are `-inf`
    /// (nothing is feasible) the result is `-inf` and all probabilities are zero.
    ///
    /// # Errors
    ///
    /// [`ChoiceError::NotANumber`], [`ChoiceError::Length`].
    ///
    /// ```
    /// use bifrons_egm::TasteShocks;
    ///
    /// let mut probabilities = [0.0; 2];
    /// let value = TasteShocks::new(0.5)?.aggregate(&[2.0, 1.0], &mut probabilities)?;
    /// assert!((value - 2.063464005521486).abs() < 1e-14);
    /// assert!((probabilities[0] - 0.8807970779778824).abs() < 1e-15);
    /// # Ok::<(), bifrons_egm::ChoiceError>(())
    /// ```
    pub fn aggregate(self, values: &[f64], probabilities: &mut [f64]) -> Result<f64, ChoiceError> {
        LengthError::check("probabilities", probabilities.len(), values.len())?;
        if let Some(index) = values.iter().position(|v| v.is_nan()) {
            return Err(ChoiceError::NotANumber { index });
        }
        probabilities.copy_from_slice(values);
        let mut aggregate = [f64::NEG_INFINITY];
        let count = probabilities.len();
        self.aggregate_slices(probabilities, count, &mut aggregate);
        Ok(aggregate[0])
    }

    /// Aggregates `choices` slices, one after the other in `table`; each becomes probabilities.
    ///
    /// NaN values give NaN.
    pub(crate) fn aggregate_slices(self, table: &mut [f64], choices: usize, value: &mut [f64]) {
        Level::detect().dispatch(Aggregate {
            scale: self.scale,
            table,
            choices,
            value,
        });
    }
}

/// Values of choices to expected maximum and probabilities.
struct Aggregate<'a> {
    scale: f64,
    table: &'a mut [f64],
    choices: usize,
    value: &'a mut [f64],
}

impl Kernel for Aggregate<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let n = self.value.len();
        if self.choices == 2 {
            let (first, second) = self.table.split_at_mut(n);
            let pairs = first.iter_mut().zip(&mut second[..n]);
            let inverse = 1.0 / self.scale;
            if self.scale > 0.0 && inverse < f64::INFINITY {
                for (slot, (a, b)) in self.value.iter_mut().zip(pairs) {
                    (*slot, *a, *b) = two(*a, *b, self.scale, inverse);
                }
                return;
            }
            if !(self.scale > 0.0) {
                for (slot, (a, b)) in self.value.iter_mut().zip(pairs) {
                    (*slot, *a, *b) = better(*a, *b);
                }
                return;
            }
        }
        for i in 0..n {
            self.value[i] = many(self.table, i, n, self.choices, self.scale);
        }
    }
}

/// Two choices with shocks; `inverse` is one by the scale.
#[inline(always)]
fn two(a: f64, b: f64, scale: f64, inverse: f64) -> (f64, f64, f64) {
    let first = a >= b;
    let (high, low) = if first { (a, b) } else { (b, a) };
    let ratio = exp((low - high) * inverse);
    // Two infinite values have no difference, and one that is infinite never wins.
    let ratio = if low == f64::NEG_INFINITY { 0.0 } else { ratio };
    let sum = 1.0 + ratio;
    let value = high + scale * ln(sum);
    let p = 1.0 / sum;
    let feasible = high != f64::NEG_INFINITY;
    let p = if feasible { p } else { 0.0 };
    let q = ratio * p;
    let (p, q) = if first { (p, q) } else { (q, p) };
    let value = if a.is_nan() { a } else { value };
    (value, p, q)
}

/// Two choices without shocks; the first wins ties.
#[inline(always)]
fn better(a: f64, b: f64) -> (f64, f64, f64) {
    let first = a >= b;
    let value = if first { a } else { b };
    let value = if a.is_nan() { a } else { value };
    let feasible = value != f64::NEG_INFINITY;
    let p = if feasible { 1.0 } else { 0.0 };
    let (p, q) = if first { (p, 0.0) } else { (0.0, p) };
    (value, p, q)
}

/// Any number of choices, `n` numbers apart.
#[inline(always)]
fn many(table: &mut [f64], i: usize, n: usize, choices: usize, scale: f64) -> f64 {
    let at = |k: usize| k * n + i;
    let (mut high, mut best, mut poison) = (f64::NEG_INFINITY, 0, 0.0);
    for k in 0..choices {
        let v = table[at(k)];
        if v > high {
            (high, best) = (v, k);
        }
        if v.is_nan() {
            poison = f64::NAN;
        }
    }
    let feasible = high > f64::NEG_INFINITY;
    if !(scale > 0.0) || !feasible {
        for k in 0..choices {
            table[at(k)] = if feasible && k == best { 1.0 } else { 0.0 };
        }
        return high + poison;
    }
    let mut sum = 0.0;
    for k in 0..choices {
        let weight = exp((table[at(k)] - high) / scale);
        table[at(k)] = weight;
        sum += weight;
    }
    for k in 0..choices {
        table[at(k)] /= sum;
    }
    high + scale * ln(sum) + poison
}
