//! The loop of a run: segments between events, choices of states, initial values.

use std::collections::BTreeMap;

use bifrons_expr::Symbol;
use bifrons_ode::{EnsembleWorkspace, Failure, Method, Save, SolveError, solve, solve_members};

use super::Simulation;
use super::events::Surfaces;
use super::problem::{Explicit, SemiExplicit};
use super::result::{EventKind, Run, RunEvent};
use super::watch::{Empty, Stop, Watch, row};

use crate::error::RunError;
use crate::initial::{FullSystem, InitialReport, Known, Start, Used};
use crate::order::order;
use crate::reduced::{Meaning, ReducedModel};
use crate::selection::{SelectionPlan, SelectionWorkspace};
use crate::stage::{Fault, ImplicitSlopes, Stage, Workspace};
use crate::structure::matching::NONE;

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

    /// Consistent values at `t0`, positions of switches included.
    pub(super) fn initialise(&mut self, t0: f64) -> Result<(), RunError> {
        self.t = t0;
        let mut seen: Vec<Vec<f64>> = Vec::new();
        loop {
            self.push_parameters();
            self.initialise_once(t0)?;
            let first = self.model.parameters.len();
            let wrong: Vec<usize> = (0..self.surfaces.switch_count)
                .filter(|k| {
                    let position = self.parameters[first + k];
                    self.surfaces.is_inconsistent(*k, position, &self.values)
                })
                .collect();
            if wrong.is_empty() {
                break;
            }
            self.flip(&wrong, &mut seen)?;
        }
        self.surfaces.arm(&self.values);
        Ok(())
    }

    /// Changes all of these switches, or the first one where that came back to known positions.
    fn flip(&mut self, wrong: &[usize], seen: &mut Vec<Vec<f64>>) -> Result<(), RunError> {
        let first = self.model.parameters.len();
        let positions = self.parameters[first..].to_vec();
        let returned = seen.contains(&positions);
        seen.push(positions);
        if seen.len() > MOST_POSITIONS {
            let name = |k: &usize| self.model.switches[*k].symbol.name().to_owned();
            return Err(RunError::Switches {
                time: self.t,
                switches: wrong.iter().map(name).collect(),
            });
        }
        let count = if returned { 1 } else { wrong.len() };
        for &switch in &wrong[..count] {
            let position = &mut self.parameters[first + switch];
            *position = 1.0 - *position;
        }
        Ok(())
    }

    fn initialise_once(&mut self, t0: f64) -> Result<(), RunError> {
        let symbols = self.model.parameters.iter().map(|p| p.symbol.clone());
        let switches = self.model.switches.iter().map(|s| s.symbol.clone());
        let names = symbols.chain(switches);
        let parameters: BTreeMap<Symbol, f64> =
            names.zip(self.parameters.iter().copied()).collect();
        let start = Start::new(self.model, t0, &parameters)?;
        self.report = InitialReport::default();
        let quick = self.quick(&start, t0);
        let done = match quick {
            Ok(()) => start.violated(self.model, self.unknowns()).is_empty(),
            Err(_) => false,
        };
        if !done {
            self.thorough(&start, t0)?;
        }
        let values = self.values[..self.model.unknowns.len()].to_vec();
        let (row, worst) = self.full.worst(t0, &values);
        if !(worst <= 1e-7) {
            return Err(RunError::Initial(
                crate::error::InitialError::NotConverged {
                    equation: self.model.describe(row),
                    residual: worst,
                    time: t0,
                },
            ));
        }
        self.report.residual = worst;
        self.report_states(&start);
        Ok(())
    }

    /// States from their conditions, the rest from the equations.
    fn quick(&mut self, start: &Start, t0: f64) -> Result<(), RunError> {
        let states = self.plan.choose(&mut self.selection, t0, &start.values);
        let Some(states) = states else {
            return Err(self.no_states(t0));
        };
        self.enter(states, &start.values)?;
        self.evaluate()
    }

    /// All equations and conditions at once.
    fn thorough(&mut self, start: &Start, t0: f64) -> Result<(), RunError> {
        let hard: Vec<_> = start
            .hard
            .iter()
            .map(|hard| hard.quantity.clone())
            .collect();
        let mut full = FullSystem::new(self.model, &hard)?;
        full.set_parameters(&self.parameters);
        let mut z = start.values.clone();
        let mut report = InitialReport::default();
        full.solve(self.model, start, t0, &mut z, &mut report)?;
        self.report = report;
        let states = self.plan.choose(&mut self.selection, t0, &z);
        let Some(states) = states else {
            return Err(self.no_states(t0));
        };
        self.enter(states, &z)?;
        self.evaluate()
    }

    fn report_states(&mut self, start: &Start) {
        let states = &self.slots[self.current].stage.order.states;
        for (&state, &value) in states.iter().zip(&self.x) {
            let first = start.values[state];
            let moved = (value - first).abs() > 1e-9 * (1.0 + first.abs());
            let used = match start.used[state] {
                Known::Fixed => Used::Fixed,
                Known::Guess if moved => Used::Moved { from: first },
                Known::Guess => Used::Guess,
                Known::Nothing if moved => Used::Moved { from: first },
                Known::Nothing => Used::Default,
            };
            let name = self.model.unknowns[state].symbol.name().replace('\'', "");
            self.report.states.push((name, value, used));
        }
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

    fn segments(
        &mut self,
        simulation: &Simulation<'_>,
        columns: &[Meaning],
        run: &mut Run,
    ) -> Result<(), RunError> {
        let mut workspace = EnsembleWorkspace::<1>::new(self.x.len());
        let (mut events, mut still) = (0, 0);
        while simulation.times.get(run.times.len()) == Some(&self.t) {
            run.times.push(self.t);
            row(columns, &self.values, &mut run.rows);
        }
        while self.t < simulation.t_end {
            let before = self.t;
            let stop = if simulation.options.method == Method::Bdf && !self.x.is_empty() {
                self.implicit_segment(simulation, columns, run)?
            } else {
                self.segment(simulation, columns, run, &mut workspace)?
            };
            match stop {
                None => break,
                Some(Stop::Fault(fault)) => return Err(self.fault(self.t, fault)),
                Some(Stop::Surface) => {
                    events += 1;
                    self.happen(columns, run, &[])?;
                    self.choose_again(run, false)?;
                    while simulation.times.get(run.times.len()) == Some(&self.t) {
                        run.times.push(self.t);
                        row(columns, &self.values, &mut run.rows);
                    }
                }
                Some(Stop::Selection) => self.choose_again(run, true)?,
                Some(Stop::Fired) => {
                    events += 1;
                    let fired = std::mem::take(&mut self.fired);
                    self.happen(columns, run, &fired)?;
                    self.choose_again(run, false)?;
                    while simulation.times.get(run.times.len()) == Some(&self.t) {
                        run.times.push(self.t);
                        row(columns, &self.values, &mut run.rows);
                    }
                }
            }
            still = if self.t > before { 0 } else { still + 1 };
            if events > simulation.max_events || still > MOST_STANDSTILL {
                return Err(RunError::Events {
                    time: self.t,
                    events,
                });
            }
        }
        self.evaluate()
    }

    /// Integrates until something happens.
    fn segment(
        &mut self,
        simulation: &Simulation<'_>,
        columns: &[Meaning],
        run: &mut Run,
        workspace: &mut EnsembleWorkspace<1>,
    ) -> Result<Option<Stop>, RunError> {
        let slot = &mut self.slots[self.current];
        let initial = self.x.clone();
        let mut problem = Explicit {
            stage: &slot.stage,
            workspace: &mut slot.integrating,
            initial: &initial,
            fault: None,
        };
        let mut watch = Watch {
            stage: &slot.stage,
            workspace: &mut slot.observing,
            surfaces: &mut self.surfaces,
            positions: &self.parameters[self.model.parameters.len()..],
            plan: &self.plan,
            selection: &mut self.selection,
            full: &mut self.full,
            times: &simulation.times,
            columns,
            run,
            t: self.t,
            x: &mut self.x,
            values: &mut self.values,
            stop: None,
            failure: None,
        };
        if initial.is_empty() {
            without_states(&mut watch, simulation.t_end);
        } else {
            let (t0, t_end, options) = (self.t, simulation.t_end, &simulation.options);
            solve_members(
                &mut problem,
                0..1,
                t0,
                t_end,
                options,
                workspace,
                &mut watch,
            )?;
        }
        let (stop, failure) = (watch.stop, watch.failure);
        self.t = watch.t;
        let fault = problem.fault;
        if let Some(failure) = failure {
            let cause = fault.map(|(t, fault)| Box::new(self.fault(t, fault)));
            return Err(RunError::Integration { failure, cause });
        }
        Ok(stop)
    }

    /// Integrates by an implicit method until something happens.
    fn implicit_segment(
        &mut self,
        simulation: &Simulation<'_>,
        columns: &[Meaning],
        run: &mut Run,
    ) -> Result<Option<Stop>, RunError> {
        let slot = &mut self.slots[self.current];
        if slot.implicit.is_none() {
            let mut implicit = ImplicitSlopes::new(self.model, &slot.stage)?;
            implicit.set_parameters(&self.parameters);
            slot.implicit = Some(implicit);
        }
        let Some(slopes) = &mut slot.implicit else {
            return Ok(None);
        };
        let mut y = self.x.clone();
        y.extend_from_slice(&slot.observing.tears);
        let mut problem = SemiExplicit {
            stage: &slot.stage,
            workspace: &mut slot.integrating,
            slopes,
            surfaces: &self.surfaces,
            positions: &self.parameters[self.model.parameters.len()..],
            plan: &self.plan,
            selection: &mut self.selection,
            values: vec![0.0; slot.stage.value_count()],
            fired: Vec::new(),
        };
        let save = Save::Times(simulation.times[run.times.len()..].to_vec());
        let (t0, t_end, options) = (self.t, simulation.t_end, &simulation.options);
        let solved = solve(&mut problem, t0, &y, t_end, &save, options);
        self.fired = std::mem::take(&mut problem.fired);
        let (solution, failure): (_, Option<Failure>) = match solved {
            Ok(solution) => (solution, None),
            Err(SolveError::Input(error)) => return Err(error.into()),
            Err(SolveError::Failed { failure, partial }) => (*partial, Some(failure)),
            Err(_) => return Ok(None),
        };
        run.statistics += solution.statistics;
        let states = self.x.len();
        for (k, &t) in solution.times.iter().enumerate() {
            let stopped = t >= solution.last_time && t < t_end;
            if stopped {
                break;
            }
            self.take(t, solution.state(k), states)?;
            run.times.push(t);
            row(columns, &self.values, &mut run.rows);
            let unknowns = self.values[..self.model.unknowns.len()].to_vec();
            let (_, worst) = self.full.worst(t, &unknowns);
            run.residual = run.residual.max(worst);
        }
        self.take(solution.last_time, &solution.last_state, states)?;
        if let Some(failure) = failure {
            return Err(RunError::Integration {
                failure,
                cause: None,
            });
        }
        let selection = self.surfaces.count_all();
        self.fired.retain(|surface| *surface != selection);
        Ok(if solution.last_time >= t_end && self.fired.is_empty() {
            None
        } else if self.fired.is_empty() {
            Some(Stop::Selection)
        } else {
            Some(Stop::Fired)
        })
    }

    /// Takes states and guesses of the tears over, solves for the tears.
    fn take(&mut self, t: f64, y: &[f64], states: usize) -> Result<(), RunError> {
        self.t = t;
        self.x.copy_from_slice(&y[..states]);
        self.slots[self.current]
            .observing
            .tears
            .copy_from_slice(&y[states..]);
        self.evaluate()
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
        self.enter(chosen, &values)?;
        self.evaluate()
    }

    /// Events fire, switches change until all agree with their surfaces.
    ///
    /// `surfaces` are those that are known to have been crossed, switches first.
    fn happen(
        &mut self,
        columns: &[Meaning],
        run: &mut Run,
        surfaces: &[usize],
    ) -> Result<(), RunError> {
        let mut before = Vec::new();
        row(columns, &self.values, &mut before);
        let switches = self.surfaces.switch_count;
        let mut fired = self.surfaces.fired(&self.values);
        fired.extend(surfaces.iter().filter_map(|s| s.checked_sub(switches)));
        fired.sort_unstable();
        fired.dedup();
        let left = self.values.clone();
        for &event in &fired {
            self.surfaces.count(event);
            self.reset(event, &left)?;
        }
        let first = self.model.parameters.len();
        let old = self.parameters[first..].to_vec();
        let mut seen = Vec::new();
        let mut values = left;
        let crossed: Vec<usize> = surfaces.iter().copied().filter(|s| *s < switches).collect();
        if !crossed.is_empty() {
            self.flip(&crossed, &mut seen)?;
            self.push_parameters();
            self.evaluate()?;
            values.clone_from(&self.values);
        }
        loop {
            let wrong: Vec<usize> = (0..self.surfaces.switch_count)
                .filter(|k| {
                    let position = self.parameters[first + k];
                    if crossed.contains(k) {
                        self.surfaces.is_clearly_inconsistent(*k, position, &values)
                    } else {
                        self.surfaces.is_inconsistent(*k, position, &values)
                    }
                })
                .collect();
            if wrong.is_empty() && !(seen.is_empty() && !fired.is_empty()) {
                break;
            }
            if wrong.is_empty() {
                seen.push(Vec::new());
            } else {
                self.flip(&wrong, &mut seen)?;
            }
            self.push_parameters();
            self.evaluate()?;
            values.clone_from(&self.values);
        }
        self.surfaces.arm(&self.values);
        let mut after = Vec::new();
        row(columns, &self.values, &mut after);
        let mut note = |name: &str, kind| {
            run.events.push(RunEvent {
                time: self.t,
                name: name.to_owned(),
                kind,
                before: before.clone(),
                after: after.clone(),
            });
        };
        for event in fired {
            note(&self.model.events[event].name, EventKind::Event);
        }
        for (k, (old, new)) in old.iter().zip(&self.parameters[first..]).enumerate() {
            if (old - new).abs() > 0.5 {
                let on = *new > 0.5;
                note(
                    self.model.switches[k].symbol.name(),
                    EventKind::Switch { on },
                );
            }
        }
        Ok(())
    }

    /// Gives states their new values, and iterated unknowns new guesses.
    fn reset(&mut self, event: usize, left: &[f64]) -> Result<(), RunError> {
        let model = self.model;
        let resets = &model.events[event].resets;
        let values = self.surfaces.resets(event, resets.len(), left).to_vec();
        let slot = &mut self.slots[self.current];
        for ((target, _), value) in resets.iter().zip(values) {
            let (unknown, value) = match model.meaning(target.name()) {
                Some(Meaning::Unknown(unknown)) => (unknown, value),
                Some(Meaning::Negated(unknown)) => (unknown, -value),
                _ => (NONE, value),
            };
            let order = &slot.stage.order;
            if let Some(state) = order.states.iter().position(|u| *u == unknown) {
                self.x[state] = value;
            } else if let Some(tear) = order.tears.iter().position(|u| *u == unknown) {
                slot.observing.tears[tear] = value;
                slot.integrating.tears[tear] = value;
            } else {
                return Err(RunError::Reset {
                    event: model.events[event].name.to_string(),
                    variable: target.name().to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// Steps from row to row.
fn without_states(watch: &mut Watch<'_>, t_end: f64) {
    let mut t = watch.t;
    while t < t_end {
        let next = watch.times.iter().copied().find(|time| *time > t);
        let next = next.unwrap_or(t_end).min(t_end);
        if !watch.look(&Empty(t, next)) {
            return;
        }
        t = next;
    }
}
