//! Consistent initial values of a run.

use std::collections::BTreeMap;

use bifrons_expr::Symbol;

use super::Engine;
use crate::error::{InitialError, RunError};
use crate::initial::{FullSystem, InitialReport, Known, Start, Used};

impl Engine<'_> {
    /// Consistent values at `t0`, positions of switches included.
    pub(in crate::simulation) fn initialise(&mut self, t0: f64) -> Result<(), RunError> {
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
            return Err(RunError::Initial(InitialError::NotConverged {
                equation: self.model.describe(row),
                residual: worst,
                time: t0,
            }));
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
        let states = states.to_vec();
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
        let states = states.to_vec();
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
}
