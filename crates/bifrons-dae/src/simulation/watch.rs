//! Looks at each step: rows, surfaces, quality of the chosen states.

use bifrons_ode::{Flow, MemberEnd, MemberSink, Step};

use super::events::Surfaces;
use super::result::Run;
use crate::initial::FullSystem;
use crate::reduced::Meaning;
use crate::selection::{SelectionPlan, SelectionWorkspace};
use crate::stage::{Fault, Stage, Workspace};

/// Why a segment ended before the end of the span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stop {
    /// A surface was crossed.
    Surface,
    /// Surfaces were crossed that the solver names.
    Fired,
    /// Other states should be chosen.
    Selection,
    /// An evaluation failed.
    Fault(Fault),
}

/// A step that can be evaluated between its ends.
pub(super) trait Span {
    fn ends(&self) -> (f64, f64);
    fn state_at(&self, t: f64, state: &mut [f64]);
}

impl Span for Step<'_, 1> {
    fn ends(&self) -> (f64, f64) {
        (self.t_old(), self.t_new())
    }

    fn state_at(&self, t: f64, state: &mut [f64]) {
        Step::state_at(self, t, state);
    }
}

/// A step of a system without states.
pub(super) struct Empty(pub(super) f64, pub(super) f64);

impl Span for Empty {
    fn ends(&self) -> (f64, f64) {
        (self.0, self.1)
    }

    fn state_at(&self, _t: f64, _state: &mut [f64]) {}
}

/// Points per step at which surfaces are looked at.
const SAMPLES: u32 = 4;

pub(super) struct Watch<'a> {
    pub(super) stage: &'a Stage,
    pub(super) workspace: &'a mut Workspace,
    pub(super) surfaces: &'a mut Surfaces,
    /// Positions of the switches.
    pub(super) positions: &'a [f64],
    pub(super) plan: &'a SelectionPlan,
    pub(super) selection: &'a mut SelectionWorkspace,
    pub(super) full: &'a mut FullSystem,
    pub(super) times: &'a [f64],
    pub(super) columns: &'a [Meaning],
    pub(super) run: &'a mut Run,
    /// State and values at the last instant that was looked at.
    pub(super) t: f64,
    pub(super) x: &'a mut [f64],
    pub(super) values: &'a mut [f64],
    pub(super) stop: Option<Stop>,
    pub(super) failure: Option<bifrons_ode::Failure>,
}

impl Watch<'_> {
    fn must_see_all(&self) -> bool {
        !self.surfaces.is_empty() || !self.plan.is_trivial()
    }

    fn wanted(&self) -> f64 {
        if self.must_see_all() {
            f64::NEG_INFINITY
        } else {
            let next = self.times.get(self.run.times.len());
            next.copied().unwrap_or(f64::INFINITY)
        }
    }

    fn evaluate(&mut self, step: &dyn Span, t: f64) -> Result<(), Fault> {
        step.state_at(t, self.x);
        self.t = t;
        self.stage.solve_tears(self.workspace, t, self.x)?;
        self.stage.values(self.workspace, t, self.x, self.values);
        Ok(())
    }

    /// Looks at a step; false if the run must not go on.
    pub(super) fn look(&mut self, step: &dyn Span) -> bool {
        let result = self.examine(step);
        if let Err(fault) = result {
            self.stop = Some(Stop::Fault(fault));
        }
        self.stop.is_none()
    }

    fn examine(&mut self, step: &dyn Span) -> Result<(), Fault> {
        let (t_old, t_new) = step.ends();
        let mut end = t_new;
        if !self.surfaces.is_empty() {
            let mut low = t_old;
            for sample in 1..=SAMPLES {
                let share = f64::from(sample) / f64::from(SAMPLES);
                let t = if sample == SAMPLES {
                    t_new
                } else {
                    t_old + share * (t_new - t_old)
                };
                self.evaluate(step, t)?;
                if self.surfaces.triggered(self.positions, self.values) {
                    end = self.locate(step, low, t)?;
                    self.stop = Some(Stop::Surface);
                    break;
                }
                self.surfaces.note(self.values);
                low = t;
            }
        }
        while let Some(&t) = self.times.get(self.run.times.len())
            && (t < end || (t <= end && self.stop.is_none()))
        {
            self.evaluate(step, t)?;
            self.record(t);
        }
        self.evaluate(step, end)?;
        let states = &self.stage.order.states;
        if self.stop.is_none()
            && self
                .plan
                .is_degraded(self.selection, end, &self.values[..], states)
        {
            self.stop = Some(Stop::Selection);
        }
        Ok(())
    }

    /// The first instant after `low` at which something happens, known to happen at `high`.
    fn locate(&mut self, step: &dyn Span, mut low: f64, mut high: f64) -> Result<f64, Fault> {
        loop {
            let middle = low + 0.5 * (high - low);
            let least = 2.0 * f64::EPSILON * low.abs().max(high.abs());
            if high - low <= least || !(low < middle && middle < high) {
                self.evaluate(step, high)?;
                return Ok(high);
            }
            self.evaluate(step, middle)?;
            if self.surfaces.triggered(self.positions, self.values) {
                high = middle;
            } else {
                low = middle;
            }
        }
    }

    /// Appends a row of the present values.
    pub(super) fn record(&mut self, t: f64) {
        self.run.times.push(t);
        row(self.columns, self.values, &mut self.run.rows);
        if !self.plan.is_trivial() {
            let unknowns = &self.values[..self.full.unknown_count()];
            let (_, worst) = self.full.worst(t, unknowns);
            self.run.residual = self.run.residual.max(worst);
        }
    }
}

/// Appends the recorded variables.
pub(super) fn row(columns: &[Meaning], values: &[f64], out: &mut Vec<f64>) {
    out.extend(columns.iter().map(|meaning| match *meaning {
        Meaning::Unknown(unknown) => values[unknown],
        Meaning::Negated(unknown) => -values[unknown],
        Meaning::Constant(value) => value,
    }));
}

impl MemberSink<1> for Watch<'_> {
    fn begin(&mut self, _lane: usize, _member: usize, _t0: f64, _state: &[f64]) -> f64 {
        self.wanted()
    }

    fn step(&mut self, step: &Step<'_, 1>) -> Flow {
        if self.look(step) {
            Flow::Until(self.wanted())
        } else {
            Flow::Stop
        }
    }

    fn end(&mut self, end: &MemberEnd<'_>) {
        self.failure = end.failure;
        self.run.statistics += end.statistics;
        if !end.stopped {
            self.t = end.t;
            self.x.copy_from_slice(end.state);
        }
    }
}
