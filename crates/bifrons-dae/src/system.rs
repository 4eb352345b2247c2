//! A network as a system that any driver runs, sweeps and plans.

mod build;
mod instant;
mod lane;
mod layout;
mod start;

use std::sync::Arc;

use bifrons_hybrid::{EventTable, HybridSystem, Instant, Schema};
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::reduced::{Meaning, ReducedModel};
use crate::selection::{SelectionPlan, SelectionWorkspace};
use crate::stage::Stage;
use lane::Lane;
use layout::Layout;
use start::{StartPlan, StartWorkspace};

/// A network compiled for drivers of [`HybridSystem`], such as the simulations and sweeps of
/// `bifrons-sim`; made by [`ReducedModel::compile`].
///
/// Iterations, switches, events and changing states are allowed. What a run remembers of them are
/// discrete states: the set of states, positions of switches, counts of events, and the values
/// of the iterated unknowns at the last instant, from which every evaluation starts. So an
/// evaluation is a pure function of time, states, parameters and discrete states, and members
/// have the same bits for any lanes, chunks, threads and order.
///
/// Where states may change, they are called `state1`, `state2` and so on; record variables as
/// outputs instead. Tolerances per state are then about changing quantities.
///
/// A member whose parameters are outside their ranges, or whose start has no consistent values,
/// starts with NaN: drivers report it as failed and go on.
///
/// Cost of an evaluation: the iteration, lane by lane. A network without any of these runs on wide
/// lanes as [`ReducedModel::to_equations`].
///
/// ```
/// use bifrons_dae::NetworkBuilder;
/// use bifrons_dae::library::electrical::{Diode, Capacitor, Ground, Resistor, SineVoltage};
/// use bifrons_sim::{Recording, Sweep};
///
/// let mut net = NetworkBuilder::new("rectifier");
/// let source = net.add("source", SineVoltage::new(10.0, 50.0, 0.0, 0.0))?;
/// let diode = net.add("diode", Diode::new(1e-6, 0.04, 1e8))?;
/// let load = net.add("load", Resistor::new(100.0))?;
/// let c = net.add("c", Capacitor::new(1e-3).voltage(0.0))?;
/// let ground = net.add("ground", Ground::new())?;
/// net.connect(source.pin("p"), diode.pin("p"))?;
/// net.join([diode.pin("n"), load.pin("p"), c.pin("p")])?;
/// net.join([source.pin("n"), load.pin("n"), c.pin("n"), ground.pin("p")])?;
/// let system = net.build().flatten()?.reduce()?.compile(&["load.v"])?;
///
/// let sweep = Sweep::builder(&system)
///     .span(0.0, 0.02)
///     .column("load.r", vec![50.0, 100.0, 200.0])
///     .record(Recording::final_values())
///     .build()?;
/// let planned = sweep.plan()?.peak();
/// let result = sweep.run()?;
/// assert!(result.rows("load.v", 0)?[0] < result.rows("load.v", 2)?[0]);
/// assert!(planned > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NetworkSystem {
    model: Arc<ReducedModel>,
    schema: Schema,
    table: EventTable,
    layout: Layout,
    plan: SelectionPlan,
    /// One per set of states.
    stages: Vec<Stage>,
    outputs: Vec<Meaning>,
    output_states: Vec<Option<usize>>,
    start: StartPlan,
    /// Entries of sparse factors, as found at the default parameters.
    fill: usize,
    /// Bytes that the start of a member takes for a while, where states do not decide it.
    thorough: Footprint,
}

/// Registers and buffers of a [`NetworkSystem`] for `W` members.
#[derive(Debug)]
pub struct NetworkWorkspace<const W: usize> {
    /// One per member.
    lanes: Vec<Lane>,
    /// For starts, so that they leave the lanes alone.
    spare: Lane,
    selection: SelectionWorkspace,
    start: StartWorkspace,
    /// All unknowns, surfaces and new values of events.
    values: Vec<f64>,
    state: Vec<f64>,
    result: Vec<f64>,
    /// Switches that were crossed at the present instant.
    crossed: Vec<bool>,
    /// Positions of switches that were tried at the present instant.
    seen: Vec<u64>,
}

/// Positions of switches that are tried at one instant.
const MOST_POSITIONS: usize = 1000;

impl NetworkSystem {
    /// Number of sets of states that the run may choose from.
    #[must_use]
    pub fn set_count(&self) -> usize {
        self.stages.len()
    }

    /// Whether the choice of states, switches or events must be watched.
    fn is_watched(&self) -> bool {
        self.stages.len() > 1 || self.layout.surfaces() > 0
    }

    /// Quality of the present set of states; falls through zero where another is better.
    fn quality(&self, selection: &mut SelectionWorkspace, lane: &Lane, t: f64, all: &[f64]) -> f64 {
        let states = &self.stages[lane.stage].order.states;
        self.plan.quality(selection, t, all, states)
    }

    fn unknown_count(&self) -> usize {
        self.model.unknowns.len()
    }
}

impl HybridSystem for NetworkSystem {
    type Workspace<const W: usize> = NetworkWorkspace<W>;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn workspace<const W: usize>(&self, level: Level) -> NetworkWorkspace<W> {
        let widest = self.stages.iter().map(Stage::value_count).max();
        let mut workspace = NetworkWorkspace {
            lanes: (0..W).map(|_| Lane::new(self, level)).collect(),
            spare: Lane::new(self, level),
            selection: self.plan.workspace(),
            start: StartWorkspace::new(self),
            values: vec![0.0; widest.unwrap_or(0)],
            state: vec![0.0; self.layout.states],
            result: vec![0.0; self.layout.states],
            crossed: vec![false; self.layout.switches],
            seen: Vec::with_capacity(self.layout.most_positions()),
        };
        for lane in &mut workspace.lanes {
            lane.set_parameters(self, self.schema.defaults());
        }
        self.plan
            .set_parameters(&mut workspace.selection, &workspace.lanes[0].parameters);
        workspace
    }

    fn set_parameters<const W: usize>(
        &self,
        workspace: &mut NetworkWorkspace<W>,
        lane: usize,
        parameters: &[f64],
    ) {
        workspace.lanes[lane].set_parameters(self, parameters);
    }

    fn set_values<const W: usize>(
        &self,
        workspace: &mut NetworkWorkspace<W>,
        lane: usize,
        parameters: &[f64],
        discrete: &[f64],
    ) {
        let own = &mut workspace.lanes[lane];
        own.load(self, parameters, discrete);
        if W == 1 && self.stages.len() > 1 {
            self.plan
                .set_parameters(&mut workspace.selection, &own.parameters);
        }
    }

    fn initial_state<const W: usize>(
        &self,
        workspace: &mut NetworkWorkspace<W>,
        t0: f64,
        parameters: &[f64],
        state: &mut [f64],
    ) {
        self.find_start(workspace, t0, parameters);
        state.copy_from_slice(&workspace.start.state);
    }

    fn initial_discrete<const W: usize>(
        &self,
        workspace: &mut NetworkWorkspace<W>,
        t0: f64,
        parameters: &[f64],
        discrete: &mut [f64],
    ) {
        self.find_start(workspace, t0, parameters);
        discrete.copy_from_slice(&workspace.start.discrete);
    }

    fn derivatives<const W: usize>(
        &self,
        workspace: &mut NetworkWorkspace<W>,
        t: &[f64; W],
        x: &[[f64; W]],
        dx: &mut [[f64; W]],
    ) {
        let NetworkWorkspace {
            lanes,
            state,
            result,
            ..
        } = workspace;
        for (position, (lane, &t)) in lanes.iter_mut().zip(t).enumerate() {
            for (own, all) in state.iter_mut().zip(x) {
                *own = all[position];
            }
            let stage = &self.stages[lane.stage];
            if lane.solve(stage, t, state) {
                stage.rates(&mut lane.stages[lane.stage], t, state, result);
            } else {
                result.fill(f64::NAN);
            }
            for (own, all) in result.iter().zip(dx.iter_mut()) {
                all[position] = *own;
            }
        }
    }

    fn outputs<const W: usize>(
        &self,
        workspace: &mut NetworkWorkspace<W>,
        t: &[f64; W],
        x: &[[f64; W]],
        y: &mut [[f64; W]],
    ) {
        let NetworkWorkspace {
            lanes,
            state,
            values,
            ..
        } = workspace;
        for (position, (lane, &t)) in lanes.iter_mut().zip(t).enumerate() {
            for (own, all) in state.iter_mut().zip(x) {
                *own = all[position];
            }
            lane.evaluate(self, t, state, values);
            for (meaning, all) in self.outputs.iter().zip(y.iter_mut()) {
                all[position] = match *meaning {
                    Meaning::Unknown(unknown) => values[unknown],
                    Meaning::Negated(unknown) => -values[unknown],
                    Meaning::Constant(value) => value,
                };
            }
        }
    }

    fn output_state(&self, output: usize) -> Option<usize> {
        self.output_states.get(output).copied().flatten()
    }

    fn events(&self) -> &EventTable {
        &self.table
    }

    fn guards(&self, workspace: &mut NetworkWorkspace<1>, t: f64, x: &[f64], guards: &mut [f64]) {
        if !self.is_watched() {
            // Nothing happens; the guard exists so that drivers know the discrete states.
            guards.fill(1.0);
            return;
        }
        let NetworkWorkspace {
            lanes,
            values,
            selection,
            ..
        } = workspace;
        let lane = &mut lanes[0];
        if !lane.evaluate(self, t, x, values) {
            guards.fill(f64::NAN);
            return;
        }
        let switches = self.layout.switches;
        for (switch, guard) in guards[..switches].iter_mut().enumerate() {
            *guard = self.layout.distance(lane, switch, values) + lane.offsets[switch];
        }
        for (event, guard) in guards[switches..].iter_mut().enumerate() {
            *guard = match self.layout.events.get(event) {
                Some(event) => values[event.surface],
                None => {
                    let unknowns = &values[..self.unknown_count()];
                    self.quality(selection, lane, t, unknowns)
                }
            };
        }
    }

    fn update(
        &self,
        workspace: &mut NetworkWorkspace<1>,
        instant: &Instant<'_>,
        state: &mut [f64],
        discrete: &mut [f64],
    ) {
        if !self.is_watched() {
            return;
        }
        if self.happen(workspace, instant).is_some() {
            state.copy_from_slice(&workspace.state);
            workspace.lanes[0].store(&self.layout, instant.t, state, discrete);
        } else {
            state.fill(f64::NAN);
            discrete.fill(f64::NAN);
        }
    }

    fn workspace_footprint(&self, lanes: usize) -> Footprint {
        let widest = self.stages.iter().map(Stage::value_count).max();
        let (states, switches) = (self.layout.states, self.layout.switches);
        Lane::footprint(self)
            .times(lanes as u64 + 1)
            .beside(Footprint::of::<Lane>(lanes))
            .beside(self.plan.footprint())
            .beside(StartWorkspace::footprint(self))
            .beside(Footprint::of::<f64>(widest.unwrap_or(0) + 2 * states))
            .beside(Footprint::of::<bool>(switches))
            .beside(Footprint::of::<u64>(self.layout.most_positions()))
            .beside(self.thorough)
    }
}
