//! One member: its parameters, its discrete states, and the solution for its iterated unknowns.

use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use super::NetworkSystem;
use super::layout::Layout;
use crate::stage::{Stage, Workspace};

/// What one member has.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) stages: Vec<Workspace>,
    /// The present set of states.
    pub(super) stage: usize,
    /// Parameters, then positions of the switches.
    pub(super) parameters: Vec<f64>,
    /// Distance beyond its surface at which a switch changes.
    pub(super) offsets: Vec<f64>,
    /// How often each event has happened.
    pub(super) counts: Vec<f64>,
    /// Time, states and iterated unknowns at the last instant.
    last_time: f64,
    last_state: Vec<f64>,
    guess: Vec<f64>,
    trial: Vec<f64>,
}

/// Smallest share of the way from the last instant that is tried.
const LEAST_SHARE: f64 = 1.0 / 1024.0;

impl Lane {
    pub(super) fn new(system: &NetworkSystem, level: Level) -> Self {
        let layout = &system.layout;
        let stage = |stage: &Stage| stage.workspace_at(level);
        Self {
            stages: system.stages.iter().map(stage).collect(),
            stage: 0,
            parameters: vec![0.0; system.schema.parameter_count() + layout.switches],
            offsets: vec![0.0; layout.switches],
            counts: vec![0.0; layout.events.len()],
            last_time: 0.0,
            last_state: vec![0.0; layout.states],
            guess: vec![0.0; layout.tears],
            trial: vec![0.0; layout.states],
        }
    }

    pub(super) fn footprint(system: &NetworkSystem) -> Footprint {
        let layout = &system.layout;
        let parameters = system.schema.parameter_count();
        let numbers = parameters + 2 * layout.switches + layout.events.len();
        let own = Footprint::of::<f64>(numbers + 2 * layout.states + layout.tears);
        let stages = system.stages.iter().map(|s| s.footprint(system.fill));
        stages.fold(
            own.beside(Footprint::of::<Workspace>(system.stages.len())),
            Footprint::beside,
        )
    }

    /// Position of a switch: 1 on the positive side of its surface, else 0.
    pub(super) fn position(&self, layout: &Layout, switch: usize) -> f64 {
        self.parameters[self.parameters.len() - layout.switches + switch]
    }

    pub(super) fn flip(&mut self, layout: &Layout, switch: usize) {
        let place = self.parameters.len() - layout.switches + switch;
        self.parameters[place] = 1.0 - self.parameters[place];
    }

    /// Takes over parameters, with the switches where they are.
    pub(super) fn set_parameters(&mut self, system: &NetworkSystem, parameters: &[f64]) {
        self.parameters[..parameters.len()].copy_from_slice(parameters);
        self.push_parameters(system);
    }

    /// Gives the present stage the parameters and positions.
    pub(super) fn push_parameters(&mut self, system: &NetworkSystem) {
        let workspace = &mut self.stages[self.stage];
        system.stages[self.stage].set_parameters(workspace, &self.parameters);
    }

    /// Takes over parameters and discrete states.
    pub(super) fn load(&mut self, system: &NetworkSystem, parameters: &[f64], discrete: &[f64]) {
        let layout = &system.layout;
        self.parameters[..parameters.len()].copy_from_slice(parameters);
        let Some((set, rest)) = discrete.split_first() else {
            self.push_parameters(system);
            return;
        };
        self.stage = (0..self.stages.len())
            .find(|stage| *set <= *stage as f64)
            .unwrap_or(0);
        let (positions, rest) = rest.split_at(layout.switches);
        let (offsets, rest) = rest.split_at(layout.switches);
        let (counts, rest) = rest.split_at(layout.events.len());
        let (time, rest) = rest.split_at(1);
        let (state, guess) = rest.split_at(layout.states);
        self.parameters[parameters.len()..].copy_from_slice(positions);
        self.offsets.copy_from_slice(offsets);
        self.counts.copy_from_slice(counts);
        self.last_time = time[0];
        self.last_state.copy_from_slice(state);
        self.guess.copy_from_slice(guess);
        self.push_parameters(system);
    }

    /// Writes the discrete states for the present solution at `t` and `x`.
    pub(super) fn store(&self, layout: &Layout, t: f64, x: &[f64], discrete: &mut [f64]) {
        let Some((set, rest)) = discrete.split_first_mut() else {
            return;
        };
        *set = self.stage as f64;
        let (positions, rest) = rest.split_at_mut(layout.switches);
        let (offsets, rest) = rest.split_at_mut(layout.switches);
        let (counts, rest) = rest.split_at_mut(layout.events.len());
        let (time, rest) = rest.split_at_mut(1);
        let (state, guess) = rest.split_at_mut(layout.states);
        let first = self.parameters.len() - layout.switches;
        positions.copy_from_slice(&self.parameters[first..]);
        offsets.copy_from_slice(&self.offsets);
        counts.copy_from_slice(&self.counts);
        time[0] = t;
        state.copy_from_slice(x);
        let tears = &self.stages[self.stage].tears;
        guess.fill(0.0);
        guess[..tears.len()].copy_from_slice(tears);
    }

    /// Makes a stage the present one, at a point given by all unknowns.
    pub(super) fn enter(
        &mut self,
        system: &NetworkSystem,
        stage: usize,
        all: &[f64],
        x: &mut [f64],
    ) {
        self.stage = stage;
        let order = &system.stages[stage].order;
        for (x, state) in x.iter_mut().zip(&order.states) {
            *x = all[*state];
        }
        let tears = &mut self.stages[stage].tears;
        for (own, tear) in tears.iter_mut().zip(&order.tears) {
            *own = all[*tear];
        }
        self.push_parameters(system);
    }

    /// Solves for the iterated unknowns from those of the last instant; where that fails, on the
    /// way from there.
    pub(super) fn solve(&mut self, stage: &Stage, t: f64, x: &[f64]) -> bool {
        let w = &mut self.stages[self.stage];
        if w.tears.is_empty() {
            return true;
        }
        let count = w.tears.len();
        w.tears.copy_from_slice(&self.guess[..count]);
        if stage.solve_tears(w, t, x).is_ok() {
            return true;
        }
        if !(t.is_finite() && x.iter().chain(&self.guess[..count]).all(|v| v.is_finite())) {
            return false;
        }
        w.tears.copy_from_slice(&self.guess[..count]);
        let (mut done, mut share) = (0.0, 0.5);
        while done < 1.0 {
            let next = f64::min(done + share, 1.0);
            let mix = |from: f64, to: f64| (1.0 - next) * from + next * to;
            for ((trial, from), to) in self.trial.iter_mut().zip(&self.last_state).zip(x) {
                *trial = mix(*from, *to);
            }
            if stage
                .solve_tears(w, mix(self.last_time, t), &self.trial)
                .is_ok()
            {
                done = next;
                share *= 2.0;
            } else {
                share *= 0.5;
                if share < LEAST_SHARE {
                    return false;
                }
            }
        }
        true
    }

    /// All values at a point; NaN and `false` where there is no solution.
    pub(super) fn evaluate(
        &mut self,
        system: &NetworkSystem,
        t: f64,
        x: &[f64],
        values: &mut [f64],
    ) -> bool {
        let stage = &system.stages[self.stage];
        let solved = self.solve(stage, t, x);
        self.values(stage, solved, t, x, values)
    }

    /// The same with the iterated unknowns solved for from those of the last solution.
    pub(super) fn evaluate_on(
        &mut self,
        system: &NetworkSystem,
        t: f64,
        x: &[f64],
        values: &mut [f64],
    ) -> bool {
        let stage = &system.stages[self.stage];
        let solved = stage
            .solve_tears(&mut self.stages[self.stage], t, x)
            .is_ok();
        self.values(stage, solved, t, x, values)
    }

    fn values(
        &mut self,
        stage: &Stage,
        solved: bool,
        t: f64,
        x: &[f64],
        values: &mut [f64],
    ) -> bool {
        let values = &mut values[..stage.value_count()];
        if !solved {
            values.fill(f64::NAN);
            return false;
        }
        stage.values(&mut self.stages[self.stage], t, x, values);
        true
    }
}
