//! Equations compiled to tapes.

use std::slice;

use bifrons_expr::{Expr, Registers, Symbol, Tape, TapeBuilder};
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::equations::EquationSystem;
use crate::error::EquationError;
use crate::name::TIME;
use crate::schema::Schema;
use crate::system::HybridSystem;

/// An [`EquationSystem`] compiled to straight-line programs for lanes of members.
///
/// Start values, derivatives and outputs are programs of their own, so that none computes what
/// only another one needs. Within a program every quantity is computed once per pass. Parts that
/// depend on parameters only run when parameters are set.
#[derive(Debug, Clone)]
pub struct TapeSystem {
    schema: Schema,
    starts: Tape,
    derivatives: Tape,
    outputs: Tape,
    output_states: Vec<Option<usize>>,
}

/// Workspace of a [`TapeSystem`].
#[derive(Debug, Clone)]
pub struct TapeWorkspace<const W: usize> {
    level: Level,
    starts: Registers<1>,
    /// Start values of one member.
    start_values: Vec<[f64; 1]>,
    derivatives: Registers<W>,
    outputs: Registers<W>,
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
        let starts: Vec<Expr> = self.states().iter().map(|s| s.start.clone()).collect();
        let derivatives: Vec<Expr> = self.states().iter().map(|s| s.derivative.clone()).collect();
        let outputs: Vec<Expr> = self
            .outputs()
            .iter()
            .map(|o| o.expression.clone())
            .collect();
        Ok(TapeSystem {
            schema: self.schema(),
            starts: self.tape(&[], &starts)?,
            derivatives: self.tape(&states, &derivatives)?,
            outputs: self.tape(&states, &outputs)?,
            output_states: self.output_states(&states),
        })
    }

    fn schema(&self) -> Schema {
        let parameters = self
            .parameters()
            .iter()
            .map(|p| (p.symbol.name(), p.default));
        Schema::of_checked(
            self.name(),
            self.states().iter().map(|state| state.symbol.name()),
            parameters,
            self.outputs().iter().map(|output| output.name.name()),
        )
    }

    /// A program over `time` and `states` with the definitions that the roots need.
    fn tape(&self, states: &[Symbol], roots: &[Expr]) -> Result<Tape, EquationError> {
        let mut builder = TapeBuilder::new()
            .parameters(
                self.parameters()
                    .iter()
                    .map(|parameter| parameter.symbol.clone()),
            )
            .variables(std::iter::once(Symbol::new(TIME)).chain(states.iter().cloned()));
        let needed = self.needed(roots);
        let definitions = self
            .definitions()
            .iter()
            .zip(needed)
            .filter(|(_, needed)| *needed);
        for (definition, _) in definitions {
            builder = builder.define(definition.symbol.clone(), definition.expression.clone());
        }
        for root in roots {
            builder = builder.output(root.clone());
        }
        builder.build().map_err(|source| EquationError::Tape {
            system: self.name().to_owned(),
            source,
        })
    }

    /// For each output, the state that it is.
    fn output_states(&self, states: &[Symbol]) -> Vec<Option<usize>> {
        let mut sorted: Vec<usize> = (0..states.len()).collect();
        sorted.sort_by(|&a, &b| states[a].cmp(&states[b]));
        let position = |symbol: &Symbol| {
            let found = sorted
                .binary_search_by(|&state| states[state].cmp(symbol))
                .ok()?;
            Some(sorted[found])
        };
        let outputs = self.outputs().iter();
        outputs
            .map(|output| output.expression.as_symbol().and_then(position))
            .collect()
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

impl HybridSystem for TapeSystem {
    type Workspace<const W: usize> = TapeWorkspace<W>;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn workspace<const W: usize>(&self, level: Level) -> TapeWorkspace<W> {
        let mut workspace = TapeWorkspace {
            level,
            starts: self.starts.registers(),
            start_values: vec![[0.0]; self.schema.state_count()],
            derivatives: self.derivatives.registers(),
            outputs: self.outputs.registers(),
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
        self.derivatives
            .set_parameters(&mut workspace.derivatives, lane, parameters);
        self.outputs
            .set_parameters(&mut workspace.outputs, lane, parameters);
    }

    fn initial_state<const W: usize>(
        &self,
        workspace: &mut TapeWorkspace<W>,
        t0: f64,
        parameters: &[f64],
        state: &mut [f64],
    ) {
        let TapeWorkspace {
            level,
            starts,
            start_values,
            ..
        } = workspace;
        self.starts.set_parameters(starts, 0, parameters);
        self.starts
            .evaluate(*level, starts, &[&[[t0]]], start_values);
        for (own, [value]) in state.iter_mut().zip(start_values) {
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

    fn workspace_footprint(&self, lanes: usize) -> Footprint {
        registers(&self.starts, 1)
            .beside(Footprint::of::<f64>(self.schema.state_count()))
            .beside(registers(&self.derivatives, lanes))
            .beside(registers(&self.outputs, lanes))
    }
}

/// Memory of the registers of a tape: one number per register and lane.
fn registers(tape: &Tape, lanes: usize) -> Footprint {
    Footprint::of::<f64>(tape.register_count().saturating_mul(lanes))
}
