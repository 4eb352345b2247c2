//! The problem at savings nodes, and its inversion by the Euler equation.

use crate::error::{EgmError, LengthError};
use crate::utility::Utility;

/// What is known at the savings nodes of one cell and choice.
///
/// ```text
/// max over s of  u(m - s) + β EV(s)        u'(c_j) = β EM(s_j),  m_j = s_j + c_j
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SavingsProblem<'a> {
    /// Savings nodes, ascending; the first one is the borrowing limit.
    pub savings: &'a [f64],
    /// Expected value `EV` of the next period.
    pub value: &'a [f64],
    /// Its derivative `EM` by savings.
    pub marginal: &'a [f64],
    /// Utility of consumption.
    pub utility: &'a dyn Utility,
    /// Discount factor β.
    pub discount: f64,
    /// Largest consumption that is believed: a node whose marginal utility is not above that of
    /// this consumption is *saturated* and gives no candidate.
    pub consumption_limit: f64,
}

/// Nodes that gave no candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct InversionReport {
    /// Nodes whose value is not finite or whose continuation falls.
    pub dead: usize,
    /// Nodes whose continuation is flat.
    pub saturated: usize,
}

/// Channels that an inversion writes, as long as the savings.
pub(crate) struct Inverted<'a> {
    pub(crate) x: &'a mut [f64],
    pub(crate) value: &'a mut [f64],
    pub(crate) policy: &'a mut [f64],
    pub(crate) marginal: &'a mut [f64],
}

impl<'a> SavingsProblem<'a> {
    /// A problem with consumption limit `1000 · max |s|`.
    ///
    /// # Errors
    ///
    /// [`EgmError::Length`]; [`EgmError::Savings`] unless the savings are finite and ascend
    /// (equal neighbours are allowed); [`EgmError::Parameter`] unless β is positive and finite.
    pub fn new(
        savings: &'a [f64],
        value: &'a [f64],
        marginal: &'a [f64],
        utility: &'a dyn Utility,
        discount: f64,
    ) -> Result<Self, EgmError> {
        LengthError::check("value", value.len(), savings.len())?;
        LengthError::check("marginal", marginal.len(), savings.len())?;
        let ascends = savings
            .windows(2)
            .fold(true, |ok, pair| ok & (pair[0] <= pair[1]));
        let ends = [savings.first(), savings.last()];
        if !ascends || ends.into_iter().flatten().any(|s| !s.is_finite()) {
            let wrong = |i: &usize| {
                !savings[*i].is_finite() || (*i > 0 && !(savings[*i - 1] <= savings[*i]))
            };
            let index = (0..savings.len()).find(wrong).unwrap_or(0);
            return Err(EgmError::Savings {
                index,
                savings: savings[index],
            });
        }
        if !(discount > 0.0 && discount.is_finite()) {
            return Err(EgmError::Parameter {
                name: "discount factor",
                required: "positive and finite",
                value: discount,
            });
        }
        let widest = ends
            .into_iter()
            .flatten()
            .fold(0.0_f64, |most, s| most.max(s.abs()));
        let limit = if widest > 0.0 {
            1e3 * widest
        } else {
            f64::INFINITY
        };
        Ok(Self {
            savings,
            value,
            marginal,
            utility,
            discount,
            consumption_limit: limit,
        })
    }

    /// Sets the largest consumption that is believed.
    #[must_use]
    pub const fn with_consumption_limit(mut self, limit: f64) -> Self {
        self.consumption_limit = limit;
        self
    }

    /// Number of savings nodes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.savings.len()
    }

    /// Whether there is no savings node.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.savings.is_empty()
    }

    /// Inverts the Euler equation at every node; nodes without candidate become NaN.
    pub(crate) fn invert_into(&self, out: &mut Inverted<'_>) -> InversionReport {
        let least = self.utility.marginal(self.consumption_limit);
        let mut report = InversionReport::default();
        for (slot, &m) in out.marginal.iter_mut().zip(self.marginal) {
            *slot = self.discount * m;
        }
        self.utility
            .inverse_marginals_into(out.marginal, out.policy);
        self.utility
            .values_at_into(out.policy, out.marginal, out.value);
        for (slot, &v) in out.value.iter_mut().zip(self.value) {
            *slot += self.discount * v;
        }
        let mut clean = true;
        for i in 0..self.savings.len() {
            out.x[i] = self.savings[i] + out.policy[i];
            // Adding up is one comparison for all: NaN and infinity fail it.
            clean &= out.marginal[i] > least && (out.x[i] + out.value[i]).abs() < f64::INFINITY;
        }
        if !clean {
            self.drop_nodes(least, out, &mut report);
        }
        report
    }

    fn drop_nodes(&self, least: f64, out: &mut Inverted<'_>, report: &mut InversionReport) {
        for i in 0..self.savings.len() {
            let d = out.marginal[i];
            let finite = (out.x[i] + out.value[i]).is_finite();
            if d >= 0.0 && d <= least && self.value[i].is_finite() {
                report.saturated += 1;
            } else if !(d > least && finite) {
                report.dead += 1;
            } else {
                continue;
            }
            for channel in [
                &mut *out.x,
                &mut *out.value,
                &mut *out.policy,
                &mut *out.marginal,
            ] {
                channel[i] = f64::NAN;
            }
        }
    }

    /// Discounted value at the borrowing limit; `None` if it is not finite.
    pub(crate) fn corner(&self) -> Option<crate::row::Corner> {
        let (&savings, &value) = (self.savings.first()?, self.value.first()?);
        let continuation = self.discount * value;
        continuation.is_finite().then_some(crate::row::Corner {
            savings,
            continuation,
        })
    }

    pub(crate) fn no_candidate(&self, report: InversionReport) -> EgmError {
        EgmError::NoCandidate {
            count: self.len(),
            dead: report.dead,
            saturated: report.saturated,
        }
    }
}
