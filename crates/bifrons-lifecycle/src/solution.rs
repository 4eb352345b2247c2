//! Values and policies of all ages, and what was seen on the way.

use crate::endogenous::{Bank, Decider, OuterBank, OuterValues};
use crate::error::Fault;
use crate::problem::Problem;
use crate::space::Space;

/// What backward induction found.
#[derive(Debug, Clone)]
pub struct Solution {
    pub(crate) problem: Problem,
    /// By period and regime.
    pub(crate) slots: Vec<Vec<Slot>>,
    pub(crate) report: Report,
}

/// What is kept of one regime in one period.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slot {
    pub(crate) values: Option<Vec<f64>>,
    pub(crate) policy: Option<Vec<u32>>,
    /// Rows of solvers that invert an Euler equation.
    pub(crate) bank: Option<Bank>,
}

/// The number of an action where there is none.
pub(crate) const NONE: u32 = u32::MAX;

/// Values of one regime in one period.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Statistics {
    /// Period.
    pub period: usize,
    /// Regime.
    pub regime: String,
    /// Number of states, or of subjects in a simulation.
    pub states: usize,
    /// States without a feasible action; their value is `-inf`.
    pub infeasible: usize,
    /// States whose value is NaN.
    pub nan: usize,
    /// Smallest and largest of the finite values; `None` if there is none.
    pub range: Option<(f64, f64)>,
}

/// What a solve has seen.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Report {
    /// One entry per period and regime, in order of solution: last period first.
    pub statistics: Vec<Statistics>,
    /// The first value that is NaN, in order of solution.
    pub first_failure: Option<Fault>,
}

impl Report {
    /// States whose value is NaN, over all periods.
    #[must_use]
    pub fn nan(&self) -> usize {
        self.statistics.iter().map(|entry| entry.nan).sum()
    }

    /// States without a feasible action, over all periods.
    #[must_use]
    pub fn infeasible(&self) -> usize {
        self.statistics.iter().map(|entry| entry.infeasible).sum()
    }
}

impl Solution {
    /// The problem that was solved.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// What was seen on the way.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Values of a regime in a period, row-major over its states in the order of
    /// [`Model::states`](crate::Model::states); `-inf` where no action is feasible.
    ///
    /// `None` if the regime does not exist then or the values were not kept.
    #[must_use]
    pub fn values(&self, period: usize, regime: &str) -> Option<&[f64]> {
        self.slot(period, regime)?.1.values.as_deref()
    }

    /// Best action of a state: one value per action, discrete actions (codes) first; `None` where
    /// no action is feasible, and if nothing was kept.
    ///
    /// With taste shocks it is the best action without them.
    #[must_use]
    pub fn policy(&self, period: usize, regime: &str, state: usize) -> Option<Vec<f64>> {
        let (index, slot) = self.slot(period, regime)?;
        let plan = &self.problem.model.inner.regimes[index];
        let own = plan.periods[period].as_ref()?;
        if slot.bank.is_some() {
            let point = self.coordinates(period, regime, state)?;
            return self.policy_at(period, regime, &point);
        }
        let flat = *slot.policy.as_ref()?.get(state)?;
        if flat == NONE {
            return None;
        }
        let mut values = vec![0.0; own.choices.axes.len()];
        own.choices.values_into(flat as usize, &mut values);
        Some(values)
    }

    /// Best action at any state, off the grid as well, for regimes that are solved by rows.
    ///
    /// `state` is as for [`Solution::value_at`], the answer as for [`Solution::policy`].
    #[must_use]
    pub fn policy_at(&self, period: usize, regime: &str, state: &[f64]) -> Option<Vec<f64>> {
        let (index, slot) = self.slot(period, regime)?;
        if let Some(bank) = slot.bank.as_ref().and_then(|bank| bank.outer.as_deref()) {
            return self.nested_policy(period, index, bank, state);
        }
        let (cell, liquid) = self.space(period, index)?.cell_of(state)?;
        let choice = slot.bank.as_ref()?.best(cell, liquid)?;
        let plan = &self.problem.model.inner.regimes[index];
        let choices = &plan.periods[period].as_ref()?.choices;
        let mut action = vec![0.0; choices.axes.len()];
        choices.values_into(choice.branch * choices.inner, &mut action);
        *action.last_mut()? = choice.policy;
        Some(action)
    }

    /// Value and consumption of one combination of discrete actions at any state, for regimes that
    /// are solved by rows; `None` also where it is not feasible.
    ///
    /// `branch` numbers the combinations in row-major order.
    #[must_use]
    pub fn branch_at(
        &self,
        period: usize,
        regime: &str,
        state: &[f64],
        branch: usize,
    ) -> Option<(f64, f64)> {
        let (index, slot) = self.slot(period, regime)?;
        let (cell, liquid) = self.space(period, index)?.cell_of(state)?;
        let bank = slot.bank.as_ref().filter(|bank| branch < bank.branches())?;
        let choice = bank.read(cell, branch, liquid)?;
        Some((choice.value, choice.policy))
    }

    /// Value at any state: of rows where the regime is solved by them, else multilinear between the
    /// nodes, read outside as the states say.
    ///
    /// `state` has one coordinate per state in the order of [`Model::states`](crate::Model::states),
    /// a code for categories and processes. `None` if the values were not kept, the length is
    /// wrong or the state is outside of a grid that forbids it.
    #[must_use]
    pub fn value_at(&self, period: usize, regime: &str, state: &[f64]) -> Option<f64> {
        let (index, slot) = self.slot(period, regime)?;
        let space = self.space(period, index)?;
        if let Some(bank) = slot.bank.as_ref().filter(|bank| bank.outer.is_some()) {
            let (&liquid, rest) = state.split_last()?;
            let (&stock, discrete) = rest.split_last()?;
            let cell = space.discrete_cell(discrete, 2)?;
            return bank.nested_value(cell, stock, liquid);
        }
        if let Some(bank) = &slot.bank {
            let (cell, liquid) = space.cell_of(state)?;
            return Some(bank.value(cell, liquid));
        }
        space.reader.read(slot.values.as_deref()?, state).ok()
    }

    /// Value of keeping and of the best adjustment at any state, before a fixed cost, and how
    /// likely adjusting is, for regimes with an outer margin; `-inf` where one is not feasible.
    ///
    /// At a stock between two nodes everything is blended linearly, as [`Solution::value_at`] is.
    #[must_use]
    pub fn adjustment_at(&self, period: usize, regime: &str, state: &[f64]) -> Option<OuterValues> {
        let (index, slot) = self.slot(period, regime)?;
        let (&liquid, rest) = state.split_last()?;
        let (&stock, discrete) = rest.split_last()?;
        let cell = self.space(period, index)?.discrete_cell(discrete, 2)?;
        slot.bank.as_ref()?.adjustment(cell, stock, liquid)
    }

    fn nested_policy(
        &self,
        period: usize,
        regime: usize,
        bank: &OuterBank,
        state: &[f64],
    ) -> Option<Vec<f64>> {
        let none: &[f64] = &[];
        let kernel = self.problem.kernel(period, regime, false, |_| Some(none))?;
        let decision = Decider::new(&kernel, bank)?.decide(state, None)?;
        let choices = &kernel.period.choices;
        let mut action = vec![0.0; choices.axes.len()];
        choices.values_into(decision.branch * choices.inner, &mut action);
        let [.., outer, liquid] = action.as_mut_slice() else {
            return None;
        };
        (*outer, *liquid) = (decision.action, decision.policy);
        Some(action)
    }

    /// The coordinates of a state of the arrays.
    #[must_use]
    pub fn coordinates(&self, period: usize, regime: &str, state: usize) -> Option<Vec<f64>> {
        let (index, _) = self.slot(period, regime)?;
        let space = self.space(period, index)?;
        if state >= space.len() {
            return None;
        }
        let mut point = vec![0.0; self.problem.model.inner.regimes[index].states.len()];
        space.point_into(state, &mut point);
        Some(point)
    }

    fn slot(&self, period: usize, regime: &str) -> Option<(usize, &Slot)> {
        let regimes = &self.problem.model.inner.regimes;
        let index = regimes.iter().position(|plan| plan.name() == regime)?;
        Some((index, self.slots.get(period)?.get(index)?))
    }

    fn space(&self, period: usize, regime: usize) -> Option<&Space> {
        let plan = &self.problem.model.inner.regimes[regime];
        Some(&plan.periods.get(period)?.as_ref()?.space)
    }
}
