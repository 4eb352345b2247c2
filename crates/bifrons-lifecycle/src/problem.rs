//! A model with values for its parameters.

use crate::error::{Fault, ParameterError, Place, SolveError};
use crate::kernel::{FaultKind, Kernel, Next};
use crate::model::{Model, RegimePlan};
use crate::options::SolveOptions;
use crate::parameter::Parameters;
use crate::plan::SolvePlan;
use crate::solution::Solution;
use crate::stage::{Stage, preference_symbol};

use bifrons_lanes::Level;

/// A model with values for its parameters, ready to be planned and solved.
#[derive(Debug, Clone)]
pub struct Problem {
    pub(crate) model: Model,
    pub(crate) parameters: Vec<f64>,
}

impl Problem {
    pub(crate) fn new(model: &Model, parameters: &Parameters) -> Result<Self, ParameterError> {
        let problem = Self {
            model: model.clone(),
            parameters: parameters.resolve(&model.inner.leaves)?,
        };
        problem.check_scales()?;
        Ok(problem)
    }

    /// Scales of taste shocks are zero or positive and finite.
    fn check_scales(&self) -> Result<(), ParameterError> {
        let scale = preference_symbol("scale");
        for plan in &self.model.inner.regimes {
            for (period, own) in plan.periods.iter().enumerate() {
                let Some(own) = own
                    .as_ref()
                    .filter(|_| plan.declaration.taste_shocks.is_some())
                else {
                    continue;
                };
                let parameters = self.parameters_at(period);
                let value = plan.stages[own.stage].constant(&scale, &parameters);
                if let Some(value) = value.filter(|value| !(0.0..f64::INFINITY).contains(value)) {
                    return Err(ParameterError::TasteScale {
                        regime: plan.name().to_owned(),
                        value,
                    });
                }
            }
        }
        Ok(())
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Values of the parameters, in the order of [`Model::template`].
    #[must_use]
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// Solves by backward induction on one thread, keeping values and policies.
    ///
    /// # Errors
    ///
    /// [`SolveError`].
    pub fn solve(&self) -> Result<Solution, SolveError> {
        self.solve_with(&SolveOptions::new())
    }

    /// Solves by backward induction.
    ///
    /// # Errors
    ///
    /// [`SolveError`]; a fault comes with everything that was solved before it.
    pub fn solve_with(&self, options: &SolveOptions) -> Result<Solution, SolveError> {
        crate::solve::solve(self, options)
    }

    /// What a solve will use, before it runs.
    ///
    /// # Errors
    ///
    /// [`SolveError::Budget`] if it does not fit the budget of the options.
    pub fn plan(&self, options: &SolveOptions) -> Result<SolvePlan, SolveError> {
        crate::plan::plan(self, options)
    }

    /// Parameters of one period: those of the model, then age and period.
    pub(crate) fn parameters_at(&self, period: usize) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.parameters.len() + 2);
        all.extend_from_slice(&self.parameters);
        all.push(self.model.inner.ages.values()[period]);
        all.push(period as f64);
        all
    }

    /// The kernel of a regime in a period; `values` gives what the targets are worth.
    pub(crate) fn kernel<'a>(
        &'a self,
        period: usize,
        regime: usize,
        checked: bool,
        values: impl Fn(usize) -> Option<&'a [f64]>,
    ) -> Option<Kernel<'a>> {
        let plan = &self.model.inner.regimes[regime];
        let own = plan.periods[period].as_ref()?;
        let stage = &plan.stages[own.stage];
        let mut next = Vec::with_capacity(own.live.len());
        for &edge in &own.live {
            let target = stage.edges[edge].plan.target;
            let there = self.model.inner.regimes[target].periods.get(period + 1)?;
            next.push(Next {
                edge,
                reader: &there.as_ref()?.space.reader,
                values: values(target)?,
                bank: None,
                producers: &stage.edges[edge].plan.producers,
                averaged: 0,
            });
        }
        Some(Kernel {
            plan,
            period: own,
            stage,
            next,
            parameters: self.parameters_at(period),
            level: Level::detect(),
            checked,
        })
    }

    /// What formulas see of a state (by coordinates) and a combination of actions.
    pub(crate) fn point(&self, kernel: &Kernel<'_>, state: &[f64], flat: usize) -> Vec<f64> {
        let states = state.iter().zip(&kernel.plan.states);
        let mut point: Vec<f64> = states.map(|(&own, state)| state.value(own)).collect();
        let mut action = vec![0.0; kernel.plan.actions.len()];
        kernel.period.choices.values_into(flat, &mut action);
        point.extend(action);
        point
    }

    /// A fault with names for a state and an action.
    pub(crate) fn fault(
        &self,
        period: usize,
        regime: usize,
        kind: FaultKind,
        point: Vec<f64>,
    ) -> Fault {
        let plan = &self.model.inner.regimes[regime];
        let names = plan.states.iter().chain(&plan.actions);
        let place = Place {
            age: self.model.inner.ages.values()[period],
            regime: plan.name().to_owned(),
            point: names.map(|own| own.name.clone()).zip(point).collect(),
        };
        let stage = plan.periods[period].as_ref().map_or(0, |own| own.stage);
        named(&self.model, plan, &plan.stages[stage], kind, place)
    }
}

fn named(model: &Model, plan: &RegimePlan, stage: &Stage, kind: FaultKind, place: Place) -> Fault {
    let target = |edge: usize| &model.inner.regimes[stage.edges[edge].plan.target];
    let probability =
        |edge: usize| format!("the probability of the edge to `{}`", target(edge).name());
    let row = |edge: usize, axis: usize| {
        let symbols = stage.edges[edge].plan.axes[axis].symbols(&plan.declaration.shocks);
        let names: Vec<&str> = symbols.iter().map(bifrons_expr::Symbol::name).collect();
        format!(
            "the probabilities of `{}` on the edge to `{}`",
            names.join(", "),
            target(edge).name()
        )
    };
    match kind {
        FaultKind::NotANumber => Fault::NotANumber { place },
        FaultKind::Edge { edge, value } => Fault::Probability {
            what: probability(edge),
            value,
            place,
        },
        FaultKind::EdgeSum { sum } => Fault::ProbabilitySum {
            what: "the probabilities of the edges".to_owned(),
            sum,
            place,
        },
        FaultKind::Markov { edge, axis, value } => Fault::Probability {
            what: row(edge, axis),
            value,
            place,
        },
        FaultKind::MarkovSum { edge, axis, sum } => Fault::ProbabilitySum {
            what: row(edge, axis),
            sum,
            place,
        },
        FaultKind::NonConcave { savings, resources } => Fault::NonConcave {
            savings,
            resources,
            place,
        },
        FaultKind::Outer(cause) => Fault::Outer {
            cause,
            place: place.of_all_states(),
        },
        FaultKind::Shape { what, value } => Fault::Shape {
            what: what.to_owned(),
            value,
            place,
        },
        FaultKind::Outside { edge, state, value } => Fault::Outside {
            state: target(edge).states[state].name.clone(),
            target: target(edge).name().to_owned(),
            value,
            place,
        },
    }
}
