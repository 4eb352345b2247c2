//! Runs of reduced models.

mod engine;
mod events;
mod prepared;
mod problem;
mod result;
mod watch;

use bifrons_ode::{Method, Options, Tolerance};

pub use prepared::Prepared;
pub use result::{EventKind, Run, RunEvent};

use crate::error::RunError;
use crate::reduced::{Meaning, ReducedModel};
use engine::Engine;

/// Settings of a run; made by [`ReducedModel::simulation`].
///
/// ```
/// # use bifrons_dae::NetworkBuilder;
/// # use bifrons_dae::library::electrical::{Capacitor, Ground, Resistor, VoltageSource};
/// # let mut net = NetworkBuilder::new("rc");
/// # let source = net.add("source", VoltageSource::new(1.0))?;
/// # let r = net.add("r", Resistor::new(1.0))?;
/// # let c = net.add("c", Capacitor::new(1.0).voltage(0.0))?;
/// # let ground = net.add("ground", Ground::new())?;
/// # net.connect(source.pin("p"), r.pin("p"))?;
/// # net.connect(r.pin("n"), c.pin("p"))?;
/// # net.connect(c.pin("n"), source.pin("n"))?;
/// # net.connect(source.pin("n"), ground.pin("p"))?;
/// let model = net.build().flatten()?.reduce()?;
/// let run = model.simulation().span(0.0, 1.0).record(["c.v"]).run()?;
/// assert!((run.last("c.v").unwrap() - (1.0 - (-1.0_f64).exp())).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Simulation<'m> {
    model: &'m ReducedModel,
    t0: f64,
    t_end: f64,
    times: Vec<f64>,
    names: Vec<String>,
    parameters: Vec<(String, f64)>,
    options: Options,
    max_events: u64,
}

impl ReducedModel {
    /// Starts the settings of a run from 0 to 1 that records nothing on the way.
    pub fn simulation(&self) -> Simulation<'_> {
        Simulation {
            model: self,
            t0: 0.0,
            t_end: 1.0,
            times: Vec::new(),
            names: Vec::new(),
            parameters: Vec::new(),
            options: Options::default(),
            max_events: 1_000_000,
        }
    }
}

impl<'m> Simulation<'m> {
    /// Start and end, `t0 <= t_end`.
    pub fn span(mut self, t0: f64, t_end: f64) -> Self {
        (self.t0, self.t_end) = (t0, t_end);
        self
    }

    /// Times of the recorded rows, ascending and within the span.
    pub fn times(mut self, times: impl Into<Vec<f64>>) -> Self {
        self.times = times.into();
        self
    }

    /// Names of the recorded variables: any variable of the flat model, or `der(…)` of one.
    pub fn record<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.names = names.into_iter().map(Into::into).collect();
        self
    }

    /// Gives a parameter another value than its default.
    pub fn parameter(mut self, name: impl Into<String>, value: f64) -> Self {
        self.parameters.push((name.into(), value));
        self
    }

    /// Tolerances of the integration; default relative 1e-6, absolute 1e-9.
    pub fn tolerance(mut self, tolerance: Tolerance) -> Self {
        self.options.tolerance = tolerance;
        self
    }

    /// Method of the integration; default [`Method::Dopri5`].
    ///
    /// Explicit methods solve for the iterated unknowns in every evaluation. Implicit methods take
    /// them as algebraic components, with the exact sparse Jacobian. Every explicit method
    /// runs as `Dopri5`.
    pub fn method(mut self, method: Method) -> Self {
        self.options.method = method;
        self
    }

    /// Largest step of the integration; default the span.
    pub fn max_step(mut self, step: f64) -> Self {
        self.options.max_step = Some(step);
        self
    }

    /// Budget of attempted steps between two events; default 1,000,000.
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.options.max_steps = steps;
        self
    }

    /// Budget of events; default 1,000,000.
    pub fn max_events(mut self, events: u64) -> Self {
        self.max_events = events;
        self
    }

    /// Finds initial values and runs.
    ///
    /// # Errors
    ///
    /// [`RunError`]; one that is met on the way carries what was recorded before.
    pub fn run(&self) -> Result<Run, RunError> {
        let columns = self.columns()?;
        let mut engine = self.engine()?;
        engine.run(self, &columns)
    }

    /// Compiles everything that a run may need and finds initial values, so that what is left to
    /// allocate is known.
    ///
    /// Where states may change, all their sets are compiled, up to 64; further ones are compiled
    /// when they are met.
    ///
    /// # Errors
    ///
    /// [`RunError`], as [`run`](Self::run) before its first step.
    pub fn prepare(self) -> Result<Prepared<'m>, RunError> {
        let columns = self.columns()?;
        let mut engine = self.engine()?;
        engine.compile_all(self.options.method)?;
        Ok(Prepared {
            start: engine.snapshot(),
            engine,
            columns,
            simulation: self,
        })
    }

    fn engine(&self) -> Result<Engine<'m>, RunError> {
        self.check_times()?;
        let parameters = self.parameter_values()?;
        let mut engine = Engine::new(self.model, parameters)?;
        engine.initialise(self.t0)?;
        Ok(engine)
    }

    fn columns(&self) -> Result<Vec<Meaning>, RunError> {
        let find = |name: &String| {
            self.model
                .recorded(name)
                .ok_or_else(|| RunError::UnknownName {
                    what: "variable",
                    name: name.clone(),
                    nearest: self.model.nearest(name),
                })
        };
        self.names.iter().map(find).collect()
    }

    fn check_times(&self) -> Result<(), RunError> {
        let mut last = self.t0;
        if !(self.t0 <= self.t_end && self.t0.is_finite() && self.t_end.is_finite()) {
            return Err(RunError::Span {
                t0: self.t0,
                t_end: self.t_end,
            });
        }
        for (index, &time) in self.times.iter().enumerate() {
            if !(time >= last && time <= self.t_end) {
                return Err(RunError::Time { index, time });
            }
            last = time;
        }
        Ok(())
    }

    fn parameter_values(&self) -> Result<Vec<f64>, RunError> {
        let model = self.model;
        if let Some(input) = model.inputs.first() {
            return Err(RunError::OpenInput {
                input: input.name().to_owned(),
            });
        }
        let mut values: Vec<f64> = model.parameters.iter().map(|p| p.default).collect();
        for (name, value) in &self.parameters {
            let found = model
                .parameters
                .iter()
                .position(|p| p.symbol.name() == name);
            let Some(position) = found else {
                let known = model.parameters.iter().map(|p| p.symbol.name());
                return Err(RunError::UnknownName {
                    what: "parameter",
                    name: name.clone(),
                    nearest: crate::name::nearest(name, known).map(str::to_owned),
                });
            };
            let range = model.parameters[position].range;
            if !range.contains(*value) {
                return Err(RunError::Parameter {
                    parameter: name.clone(),
                    range,
                    value: *value,
                });
            }
            values[position] = *value;
        }
        Ok(values)
    }
}

impl ReducedModel {
    pub(crate) fn recorded(&self, name: &str) -> Option<Meaning> {
        match crate::name::differentiated(name) {
            None => self.meaning(name),
            Some(base) => {
                let derivative = |unknown: usize| {
                    let derivative = self.unknowns[unknown].derivative;
                    (derivative < self.unknowns.len()).then_some(derivative)
                };
                match self.recorded(base)? {
                    Meaning::Constant(_) => Some(Meaning::Constant(0.0)),
                    Meaning::Unknown(unknown) => derivative(unknown).map(Meaning::Unknown),
                    Meaning::Negated(unknown) => derivative(unknown).map(Meaning::Negated),
                }
            }
        }
    }

    fn nearest(&self, name: &str) -> Option<String> {
        let known = self.variables.iter().map(|(symbol, _)| symbol.name());
        crate::name::nearest(name, known).map(str::to_owned)
    }
}
