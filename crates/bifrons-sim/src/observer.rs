//! Values of signals along a step.

mod formulas;

use bifrons_hybrid::{HybridSystem, UnknownName};
use bifrons_lanes::Level;
use bifrons_memory::{Footprint, Part};
use bifrons_ode::Step;

use crate::error::BuildError;
use crate::parameters::Parameters;
use crate::recording::Recording;
use formulas::{FormulaWorkspace, Formulas, Values};

/// Rows that are computed together.
pub(crate) const BLOCK: usize = 64;

/// Where a signal's values come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// The signal is a state.
    State(usize),
    /// The signal is an output that must be evaluated.
    Output(usize),
    /// The signal is an expression.
    Expression(usize),
}

/// The signals of a recording.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Signals {
    pub(crate) names: Vec<String>,
    pub(crate) sources: Vec<Source>,
    formulas: Option<Formulas>,
}

impl Signals {
    pub(crate) fn new<S: HybridSystem>(
        system: &S,
        recording: &Recording,
    ) -> Result<Self, BuildError> {
        let schema = system.schema();
        let mut names: Vec<String> = match &recording.signals {
            Some(names) => names.clone(),
            None => schema.output_names().map(str::to_owned).collect(),
        };
        let mut sources: Vec<_> = names
            .iter()
            .map(|name| {
                let output = schema.output(name)?;
                Ok(system
                    .output_state(output)
                    .map_or(Source::Output(output), Source::State))
            })
            .collect::<Result<_, UnknownName>>()?;
        let expressions = &recording.expressions;
        names.extend(expressions.iter().map(|(name, _)| name.clone()));
        sources.extend((0..expressions.len()).map(Source::Expression));
        Ok(Self {
            names,
            sources,
            formulas: Formulas::new(system, expressions)?,
        })
    }

    pub(crate) fn count(&self) -> usize {
        self.sources.len()
    }

    /// Whether every signal is a state.
    fn are_states(&self) -> bool {
        self.sources
            .iter()
            .all(|source| matches!(source, Source::State(_)))
    }
}

/// Evaluates signals for a worker: at a state, or at times within a step.
pub(crate) struct Observer<'a, S: HybridSystem> {
    pub(crate) system: &'a S,
    parameters: &'a Parameters,
    pub(crate) signals: &'a Signals,
    /// For signals that are not states.
    outputs: Option<Outputs<S>>,
    /// Values of a block of rows, signal by signal.
    block: Vec<[f64; BLOCK]>,
}

struct Outputs<S: HybridSystem> {
    workspace: S::Workspace<1>,
    /// Whose parameters the workspace has.
    member: Option<usize>,
    parameters: Vec<f64>,
    discrete: Vec<f64>,
    state: Vec<f64>,
    values: Vec<f64>,
    formulas: Option<FormulaWorkspace>,
}

impl<'a, S: HybridSystem> Observer<'a, S> {
    pub(crate) fn new(
        system: &'a S,
        parameters: &'a Parameters,
        signals: &'a Signals,
        level: Level,
    ) -> Self {
        let schema = system.schema();
        let outputs = (!signals.are_states()).then(|| Outputs {
            workspace: system.workspace::<1>(level),
            member: None,
            parameters: vec![0.0; parameters.count()],
            discrete: vec![0.0; system.events().discretes().len()],
            state: vec![0.0; schema.state_count()],
            values: vec![0.0; schema.output_count()],
            formulas: signals.formulas.as_ref().map(|own| own.workspace(level)),
        });
        let block = vec![[0.0; BLOCK]; signals.count()];
        Self {
            system,
            parameters,
            signals,
            outputs,
            block,
        }
    }

    pub(crate) fn footprint(system: &S, signals: &Signals) -> Part {
        let schema = system.schema();
        let block = Part::new(
            "block of rows",
            Footprint::of::<[f64; BLOCK]>(signals.count()),
        );
        if signals.are_states() {
            return Part::beside("signals", [block]);
        }
        let discretes = system.events().discretes().len();
        let numbers =
            schema.parameter_count() + discretes + schema.state_count() + schema.output_count();
        let vectors = Part::new("vectors", Footprint::of::<f64>(numbers));
        let system = Part::new("system", system.workspace_footprint(1));
        let formulas = signals.formulas.as_ref();
        let formulas = formulas.map_or(Footprint::ZERO, Formulas::footprint);
        let formulas = Part::new("expressions", formulas);
        Part::beside("signals", [block, vectors, system, formulas])
    }

    /// Values of a signal in the block filled last.
    pub(crate) fn values(&self, signal: usize, rows: usize) -> &[f64] {
        &self.block[signal][..rows]
    }

    /// Fills the block with the signals at up to [`BLOCK`] times within a step.
    pub(crate) fn fill<const W: usize>(
        &mut self,
        step: &Step<'_, W>,
        times: &[f64],
        discrete: &[f64],
    ) {
        let rows = times.len();
        for (values, source) in self.block.iter_mut().zip(&self.signals.sources) {
            if let Source::State(i) = source {
                step.interpolate(*i, times, &mut values[..rows]);
            }
        }
        let Some(outputs) = &mut self.outputs else {
            return;
        };
        outputs.load(self.system, self.parameters, step.member(), discrete);
        for (row, &t) in times.iter().enumerate() {
            step.state_at(t, &mut outputs.state);
            outputs.evaluate(self.system, t);
            outputs.write(self.signals, &mut self.block, (row, t));
        }
    }

    /// Fills the first row of the block with the signals at a state.
    pub(crate) fn fill_at(&mut self, member: usize, t: f64, state: &[f64], discrete: &[f64]) {
        for (values, source) in self.block.iter_mut().zip(&self.signals.sources) {
            if let Source::State(i) = source {
                values[0] = state[*i];
            }
        }
        let Some(outputs) = &mut self.outputs else {
            return;
        };
        outputs.load(self.system, self.parameters, member, discrete);
        let states = outputs.state.len();
        outputs.state.copy_from_slice(&state[..states]);
        outputs.evaluate(self.system, t);
        outputs.write(self.signals, &mut self.block, (0, t));
    }
}

impl<S: HybridSystem> Outputs<S> {
    fn load(&mut self, system: &S, parameters: &Parameters, member: usize, discrete: &[f64]) {
        if self.member != Some(member) {
            parameters.fill(member, &mut self.parameters);
            self.discrete.copy_from_slice(discrete);
            system.set_values(&mut self.workspace, 0, &self.parameters, discrete);
            self.member = Some(member);
        } else if !self
            .discrete
            .iter()
            .zip(discrete)
            .all(|(a, b)| a.to_bits() == b.to_bits())
        {
            self.discrete.copy_from_slice(discrete);
            system.set_values(&mut self.workspace, 0, &self.parameters, discrete);
        }
    }

    fn evaluate(&mut self, system: &S, t: f64) {
        let state = self.state.as_chunks::<1>().0;
        let values = self.values.as_chunks_mut::<1>().0;
        system.outputs(&mut self.workspace, &[t], state, values);
    }

    /// Writes one row of the block from the outputs evaluated last, at the time of the row.
    fn write(&mut self, signals: &Signals, block: &mut [[f64; BLOCK]], (row, t): (usize, f64)) {
        let values = Values {
            t,
            outputs: &self.values,
            state: &self.state,
            discrete: &self.discrete,
            parameters: &self.parameters,
        };
        let expressions = match (&signals.formulas, &mut self.formulas) {
            (Some(formulas), Some(workspace)) => formulas.evaluate(workspace, values),
            _ => &[],
        };
        for (column, source) in block.iter_mut().zip(&signals.sources) {
            match source {
                Source::State(_) => {}
                Source::Output(j) => column[row] = self.values[*j],
                Source::Expression(k) => column[row] = expressions[*k][0],
            }
        }
    }
}
