//! The state of a run, and how it passes from one set of states to another.

mod happen;
mod prepare;
mod segments;
mod start;

use std::collections::BTreeMap;

pub(super) use prepare::Snapshot;

use super::Simulation;
use super::events::Surfaces;
use super::result::Run;
use super::watch::row;
use crate::error::RunError;
use crate::initial::{FullSystem, InitialReport};
use crate::order::order;
use crate::reduced::{Meaning, ReducedModel};
use crate::selection::{SelectionPlan, SelectionWorkspace};
use crate::stage::{Fault, ImplicitSlopes, Stage, Workspace};

/// A stage with the workspaces of the integrator and of the observer.
struct Slot {
    stage: Stage,
    integrating: Workspace,
    observing: Workspace,
    implicit: Option<ImplicitSlopes>,
}

pub(super) struct Engine<'m> {
    model: &'m ReducedModel,
    plan: SelectionPlan,
    selection: SelectionWorkspace,
    full: FullSystem,
    slots: Vec<Slot>,
    /// Slot of each set of states that was used.
    known: BTreeMap<Vec<usize>, usize>,
    current: usize,
    /// Parameters, then positions of the switches.
    parameters: Vec<f64>,
    surfaces: Surfaces,
    t: f64,
    x: Vec<f64>,
    values: Vec<f64>,
    report: InitialReport,
    /// Surfaces that ended the last segment of an implicit method.
    fired: Vec<usize>,
}

/// Positions of switches that are tried at one instant.
const MOST_POSITIONS: usize = 10_000;
/// Events without progress of time.
const MOST_STANDSTILL: u32 = 1_000;

impl<'m> Engine<'m> {
    pub(super) fn new(model: &'m ReducedModel, mut parameters: Vec<f64>) -> Result<Self, RunError> {
        parameters.extend(model.switches.iter().map(|_| 0.0));
        let plan = SelectionPlan::new(model)?;
        Ok(Self {
            model,
            selection: plan.workspace(),
            plan,
            full: FullSystem::new(model, &[])?,
            slots: Vec::new(),
            known: BTreeMap::new(),
            current: 0,
            parameters,
            surfaces: Surfaces::new(model),
            t: 0.0,
            x: Vec::new(),
            values: Vec::new(),
            report: InitialReport::default(),
            fired: Vec::new(),
        })
    }

    fn no_states(&self, time: f64) -> RunError {
        RunError::NoStates { time }
    }

    fn unknowns(&self) -> &[f64] {
        &self.values[..self.model.unknowns.len()]
    }

    /// Makes the stage of these states the current one and takes states and tears over.
    fn enter(&mut self, states: Vec<usize>, all: &[f64]) -> Result<(), RunError> {
        let slot = match self.known.get(&states) {
            Some(&slot) => slot,
            None => {
                let order = order(self.model, &states).map_err(|e| RunError::Unordered {
                    equations: e
                        .equations
                        .iter()
                        .map(|e| self.model.describe(*e))
                        .collect(),
                })?;
                let stage = Stage::new(self.model, order)?;
                self.slots.push(Slot {
                    integrating: stage.workspace(),
                    observing: stage.workspace(),
                    implicit: None,
                    stage,
                });
                self.known.insert(states, self.slots.len() - 1);
                self.slots.len() - 1
            }
        };
        self.current = slot;
        let slot = &mut self.slots[slot];
        let order = &slot.stage.order;
        self.x = order.states.iter().map(|u| all[*u]).collect();
        let tears: Vec<f64> = order.tears.iter().map(|u| all[*u]).collect();
        slot.integrating.tears.copy_from_slice(&tears);
        slot.observing.tears.copy_from_slice(&tears);
        self.values.resize(slot.stage.value_count(), 0.0);
        let Slot {
            stage,
            integrating,
            observing,
            implicit,
        } = slot;
        if let Some(implicit) = implicit {
            implicit.set_parameters(&self.parameters);
        }
        stage.set_parameters(integrating, &self.parameters);
        stage.set_parameters(observing, &self.parameters);
        Ok(())
    }

    /// Gives every workspace the parameters and positions of switches.
    fn push_parameters(&mut self) {
        self.plan
            .set_parameters(&mut self.selection, &self.parameters);
        self.full.set_parameters(&self.parameters);
        for slot in &mut self.slots {
            slot.stage
                .set_parameters(&mut slot.integrating, &self.parameters);
            slot.stage
                .set_parameters(&mut slot.observing, &self.parameters);
            if let Some(implicit) = &mut slot.implicit {
                implicit.set_parameters(&self.parameters);
            }
        }
    }

    /// All values at the present state.
    fn evaluate(&mut self) -> Result<(), RunError> {
        let slot = &mut self.slots[self.current];
        let result = slot.stage.solve_tears(&mut slot.observing, self.t, &self.x);
        if let Err(fault) = result {
            return Err(self.fault(self.t, fault));
        }
        slot.stage
            .values(&mut slot.observing, self.t, &self.x, &mut self.values);
        slot.integrating
            .tears
            .copy_from_slice(&slot.observing.tears);
        match self.values.iter().position(|v| !v.is_finite()) {
            Some(position) if position < self.model.unknowns.len() => Err(RunError::NotFinite {
                variable: self.model.unknowns[position]
                    .symbol
                    .name()
                    .replace('\'', ""),
                time: self.t,
            }),
            _ => Ok(()),
        }
    }

    fn fault(&self, time: f64, fault: Fault) -> RunError {
        let order = &self.slots[self.current].stage.order;
        match fault {
            Fault::Singular { tear } => RunError::Singular {
                unknown: self.model.unknowns[order.tears[tear]]
                    .symbol
                    .name()
                    .to_owned(),
                time,
            },
            Fault::NotFinite { residual } => RunError::NotConverged {
                equation: self.model.describe(order.residuals[residual]),
                residual: f64::NAN,
                time,
            },
            Fault::NotConverged { residual, value } => RunError::NotConverged {
                equation: self.model.describe(order.residuals[residual]),
                residual: value,
                time,
            },
        }
    }

    pub(super) fn run(
        &mut self,
        simulation: &Simulation<'_>,
        columns: &[Meaning],
    ) -> Result<Run, RunError> {
        let mut run = Run {
            names: simulation.names.clone(),
            times: Vec::with_capacity(simulation.times.len()),
            rows: Vec::with_capacity(simulation.times.len() * columns.len()),
            last: Vec::with_capacity(columns.len()),
            initial: self.report.clone(),
            residual: self.report.residual,
            end: self.t,
            ..Run::default()
        };
        match self.segments(simulation, columns, &mut run) {
            Ok(()) => {
                run.end = self.t;
                row(columns, &self.values, &mut run.last);
                let states = &self.slots[self.current].stage.order.states;
                let name = |u: &usize| self.model.unknowns[*u].symbol.name().to_owned();
                run.states = states.iter().map(name).collect();
                Ok(run)
            }
            Err(cause) => {
                run.end = self.t;
                Err(RunError::Ended {
                    time: self.t,
                    cause: Box::new(cause),
                    partial: Box::new(run),
                })
            }
        }
    }

    /// Takes other states where the present ones have become bad.
    fn choose_again(&mut self, run: &mut Run, due: bool) -> Result<(), RunError> {
        let states = &self.slots[self.current].stage.order.states;
        let values = self.values.clone();
        let degraded = self
            .plan
            .is_degraded(&mut self.selection, self.t, &values, states);
        if !(degraded || due) {
            return Ok(());
        }
        let chosen = self.plan.choose(&mut self.selection, self.t, &values);
        let Some(chosen) = chosen else {
            return Err(self.no_states(self.t));
        };
        run.selections += 1;
        let chosen = chosen.to_vec();
        self.enter(chosen, &values)?;
        self.evaluate()
    }
}
