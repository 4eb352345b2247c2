//! Equations compiled to tapes.

use std::slice;

use bifrons_expr::Symbol;
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::equations::{EquationSystem, LoopEquations, Meaning, Output};
use crate::error::EquationError;
use crate::event::{Course, EventTable, Instant};
use crate::program::{Program, ProgramRegisters};
use crate::schema::Schema;
use crate::system::{HybridSystem, LoopFailure};
use crate::tape_events::{EventRegisters, TapeEvents};

/// An [`EquationSystem`] compiled to straight-line programs for lanes of members.
///
/// Start values, derivatives and outputs are programs of their own, so that none computes what
/// only another one needs. Within a program every quantity is computed once per pass. Parts that
/// depend on parameters only run when parameters are set.
#[derive(Debug, Clone)]
pub struct TapeSystem {
    schema: Schema,
    starts: Program,
    derivatives: Program,
    outputs: Program,
    output_states: Vec<Option<usize>>,
    events: TapeEvents,
    loops: Vec<String>,
}

/// Workspace of a [`TapeSystem`].
#[derive(Debug, Clone)]
pub struct TapeWorkspace<const W: usize> {
    level: Level,
    starts: ProgramRegisters<1>,
    /// Start values of one member.
    start_values: Vec<[f64; 1]>,
    derivatives: ProgramRegisters<W>,
    outputs: ProgramRegisters<W>,
    /// Where there are events, for one lane.
    events: Option<Box<EventRegisters>>,
}

impl EquationSystem {
    /// Compiles the equations.
    ///
    /// Cost: `O(n log n)` in the size of the equations; no recursion.
    ///
    /// # Errors
    ///
    /// [`EquationError::OpenInputs`] if the system has inputs without a value;
    /// [`EquationError::Tape`] if a program gets too large.
    pub fn compile(&self) -> Result<TapeSystem, EquationError> {
        if !self.inputs().is_empty() {
            return Err(EquationError::OpenInputs {
                system: self.name().to_owned(),
                inputs: self
                    .inputs()
                    .iter()
                    .map(|input| input.name().to_owned())
                    .collect(),
            });
        }
        let states: Vec<Symbol> = self.states().iter().map(|s| s.symbol.clone()).collect();
        let starts = self.states().iter().map(|s| s.start.clone());
        let starts = starts.chain(self.discretes().iter().map(|d| d.start.clone()));
        let starts = starts.collect();
        let derivatives = self.states().iter().map(|s| s.derivative.clone()).collect();
        let outputs = self
            .outputs()
            .iter()
            .map(|o| o.expression.clone())
            .collect();
        let program = |states: &[Symbol], roots| {
            Program::new(self, states, roots).map_err(|source| EquationError::Tape {
                system: self.name().to_owned(),
                source,
            })
        };
        Ok(TapeSystem {
            schema: self.schema(),
            starts: program(&[], starts)?,
            derivatives: program(&states, derivatives)?,
            outputs: program(&states, outputs)?,
            output_states: self.output_states(),
            events: TapeEvents::new(self, &states)?,
            loops: self.loops().iter().map(LoopEquations::names).collect(),
        })
    }

    fn schema(&self) -> Schema {
        Schema::of_checked(
            self.name(),
            self.states().iter().map(|state| &state.symbol),
            self.parameters(),
            self.outputs().iter().map(|output| &output.name),
        )
    }

    /// For each output, the state that it is.
    fn output_states(&self) -> Vec<Option<usize>> {
        let state = |output: &Output| match self.meaning(output.expression.as_symbol()?) {
            Some(Meaning::State(state)) => Some(state),
            _ => None,
        };
        self.outputs().iter().map(state).collect()
    }
}

impl TapeSystem {
    /// Number of instructions of the programs for derivatives and for outputs.
    #[must_use]
    pub fn instruction_counts(&self) -> (usize, usize) {
        (
            self.derivatives.instruction_count(),
            self.outputs.instruction_count(),
        )
    }
}

impl TapeSystem {
    fn discrete_count(&self) -> usize {
        self.events.table().discretes().len()
    }

    /// Evaluates the start values of states and discrete states.
    fn start_values<const W: usize>(
        &self,
        workspace: &mut TapeWorkspace<W>,
        t0: f64,
        parameters: &[f64],
    ) {
        let TapeWorkspace {
            level,
            starts,
            start_values,
            ..
        } = workspace;
        self.starts.set_values(starts, 0, parameters, &[]);
        self.starts
            .evaluate(*level, starts, &[&[[t0]], &[]], start_values);
    }
}

impl HybridSystem for TapeSystem {
    type Workspace<const W: usize> = TapeWorkspace<W>;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn workspace<const W: usize>(&self, level: Level) -> TapeWorkspace<W> {
        let mut workspace = TapeWorkspace {
            level,
            starts: self.starts.registers(),
            start_values: vec![[0.0]; self.schema.state_count() + self.discrete_count()],
            derivatives: self.derivatives.registers(),
            outputs: self.outputs.registers(),
            events: (W == 1).then(|| self.events.registers()).flatten(),
        };
        for lane in 0..W {
            self.set_parameters(&mut workspace, lane, self.schema.defaults());
        }
        workspace
    }

    fn set_parameters<const W: usize>(
        &self,
        workspace: &mut TapeWorkspace<W>,
        lane: usize,
        parameters: &[f64],
    ) {
        // Without discrete states this takes no memory; with some, drivers call `set_values`.
        let discrete = vec![0.0; self.discrete_count()];
        self.set_values(workspace, lane, parameters, &discrete);
    }

    fn set_values<const W: usize>(
        &self,
        workspace: &mut TapeWorkspace<W>,
        lane: usize,
        parameters: &[f64],
        discrete: &[f64],
    ) {
        self.derivatives
            .set_values(&mut workspace.derivatives, lane, parameters, discrete);
        self.outputs
            .set_values(&mut workspace.outputs, lane, parameters, discrete);
        if let Some(events) = &mut workspace.events {
            self.events.set_values(events, parameters, discrete);
        }
    }

    fn events(&self) -> &EventTable {
        self.events.table()
    }

    fn initial_discrete<const W: usize>(
        &self,
        workspace: &mut TapeWorkspace<W>,
        t0: f64,
        parameters: &[f64],
        discrete: &mut [f64],
    ) {
        self.start_values(workspace, t0, parameters);
        let values = &workspace.start_values[self.schema.state_count()..];
        for (own, [value]) in discrete.iter_mut().zip(values) {
            *own = *value;
        }
    }

    fn guards(&self, workspace: &mut TapeWorkspace<1>, t: f64, x: &[f64], guards: &mut [f64]) {
        if let Some(events) = &mut workspace.events {
            self.events.guards(workspace.level, events, t, x, guards);
        }
    }

    fn guard_rates(&self, workspace: &mut TapeWorkspace<1>, t: f64, x: &[f64], rates: &mut [f64]) {
        if let Some(events) = &mut workspace.events {
            self.events.rates(workspace.level, events, t, x, rates);
        }
    }

    fn guard_course(
        &self,
        workspace: &mut TapeWorkspace<1>,
        guard: usize,
        from: f64,
        to: f64,
    ) -> Option<Course> {
        let events = workspace.events.as_mut()?;
        self.events.course(events, guard, (from, to))
    }

    fn update(
        &self,
        workspace: &mut TapeWorkspace<1>,
        instant: &Instant<'_>,
        state: &mut [f64],
        discrete: &mut [f64],
    ) {
        if let Some(events) = &mut workspace.events {
            self.events
                .update(workspace.level, events, instant, state, discrete);
        }
    }

    fn initial_state<const W: usize>(
        &self,
        workspace: &mut TapeWorkspace<W>,
        t0: f64,
        parameters: &[f64],
        state: &mut [f64],
    ) {
        self.start_values(workspace, t0, parameters);
        for (own, [value]) in state.iter_mut().zip(&workspace.start_values) {
            *own = *value;
        }
    }

    fn derivatives<const W: usize>(
        &self,
        workspace: &mut TapeWorkspace<W>,
        t: &[f64; W],
        x: &[[f64; W]],
        dx: &mut [[f64; W]],
    ) {
        let inputs = [slice::from_ref(t), x];
        self.derivatives
            .evaluate(workspace.level, &mut workspace.derivatives, &inputs, dx);
    }

    fn outputs<const W: usize>(
        &self,
        workspace: &mut TapeWorkspace<W>,
        t: &[f64; W],
        x: &[[f64; W]],
        y: &mut [[f64; W]],
    ) {
        let inputs = [slice::from_ref(t), x];
        self.outputs
            .evaluate(workspace.level, &mut workspace.outputs, &inputs, y);
    }

    fn output_state(&self, output: usize) -> Option<usize> {
        self.output_states.get(output).copied().flatten()
    }

    fn loops(&self) -> &[String] {
        &self.loops
    }

    fn loop_failure<const W: usize>(
        &self,
        workspace: &TapeWorkspace<W>,
        lane: usize,
    ) -> Option<LoopFailure> {
        let events = workspace.events.as_ref().filter(|_| lane == 0);
        let derivatives = workspace.derivatives.loop_failure(lane);
        derivatives
            .or_else(|| workspace.outputs.loop_failure(lane))
            .or_else(|| events?.loop_failure())
    }

    fn workspace_footprint(&self, lanes: usize) -> Footprint {
        self.starts
            .footprint(1)
            .beside(Footprint::of::<f64>(
                self.schema.state_count() + self.discrete_count(),
            ))
            .beside(self.derivatives.footprint(lanes))
            .beside(self.outputs.footprint(lanes))
            .beside(self.events.footprint(lanes))
    }
}
