//! From the chosen action to the next regime and its states.

use bifrons_expr::{Expr, Symbol};
use bifrons_grids::{Axis, Grid};
use bifrons_lanes::{LANES, Level};
use bifrons_random::{Address, categorical};

use super::chunk::{Crowd, Trouble};
use super::panel::{Layout, Rows};
use super::streams::Streams;
use crate::edge::{MeshAxis, Producer};
use crate::error::SimulateError;
use crate::kernel::{FaultKind, Kernel, TOLERANCE};
use crate::model::RegimePlan;
use crate::problem::Problem;
use crate::program::{Lane, Machine, Program};
use crate::space::code;
use crate::stage::Stage;

/// Added to the regime of a subject that has moved on in this period.
pub(super) const ARRIVED: usize = usize::MAX / 2;

/// What moves subjects of a regime in a period: the stage of simulations.
#[derive(Debug)]
pub(super) struct Mover<'a> {
    pub(super) regime: usize,
    period: usize,
    plan: &'a RegimePlan,
    stage: &'a Stage,
    parameters: Vec<f64>,
    /// For each live edge, the grids of the target.
    targets: Vec<(usize, &'a [Axis])>,
    /// Derived columns that this regime has: place and program.
    derived: Option<(Vec<usize>, Program)>,
    level: Level,
    /// Whether probabilities are checked.
    checked: bool,
}

/// Working memory of a [`Mover`].
#[derive(Debug)]
pub(super) struct Moves {
    now: Machine,
    laws: Vec<Option<Machine>>,
    derived: Option<Machine>,
    /// Edge of each lane.
    edges: [usize; LANES],
    /// Nodes of each lane, by axis.
    nodes: Vec<[usize; LANES]>,
    row: Vec<f64>,
    next: Vec<Lane>,
}

impl<'a> Mover<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        layout: &Layout,
        (period, regime): (usize, usize),
        checked: bool,
    ) -> Result<Self, SimulateError> {
        let model = &problem.model.inner;
        let plan = &model.regimes[regime];
        let missing = || SimulateError::NotRetained {
            age: model.ages.values()[period],
            regime: plan.name().to_owned(),
            what: "states",
        };
        let own = plan.periods[period].as_ref().ok_or_else(missing)?;
        let stage = plan.simulated_stage(own.stage);
        let mut targets = Vec::new();
        for &edge in &own.live {
            let target = &model.regimes[stage.edges[edge].plan.target];
            let there = target.periods.get(period + 1).and_then(Option::as_ref);
            let there = there.ok_or_else(missing)?;
            targets.push((edge, there.space.reader.space().axes()));
        }
        Ok(Self {
            regime,
            period,
            plan,
            stage,
            parameters: problem.parameters_at(period),
            targets,
            derived: derived(plan, stage, layout),
            level: Level::detect(),
            checked,
        })
    }

    pub(super) fn moves(&self) -> Moves {
        let edges = &self.stage.edges;
        let axes = edges.iter().map(|edge| edge.plan.axes.len()).max();
        let states = edges.iter().map(|edge| edge.plan.producers.len()).max();
        Moves {
            now: self.stage.now.machine(),
            laws: edges
                .iter()
                .map(|edge| edge.laws.as_ref().map(Program::machine))
                .collect(),
            derived: self.derived.as_ref().map(|(_, program)| program.machine()),
            edges: [0; LANES],
            nodes: vec![[0; LANES]; axes.unwrap_or(0)],
            row: Vec::new(),
            next: vec![[0.0; LANES]; states.unwrap_or(0)],
        }
    }

    pub(super) fn prepare(&self, moves: &mut Moves) {
        self.stage.now.set(&mut moves.now, &self.parameters);
        for (edge, machine) in self.stage.edges.iter().zip(&mut moves.laws) {
            if let (Some(laws), Some(machine)) = (&edge.laws, machine) {
                laws.set(machine, &self.parameters);
            }
        }
        if let (Some((_, program)), Some(machine)) = (&self.derived, &mut moves.derived) {
            program.set(machine, &self.parameters);
        }
    }

    /// States and chosen actions of some members as inputs.
    fn load(&self, slots: &mut [Lane], members: &[usize], crowd: &Crowd) {
        let states = self.plan.states.len();
        let count = self.plan.actions.len();
        for lane in 0..LANES {
            let own = members[lane.min(members.len() - 1)];
            for (place, state) in self.plan.states.iter().enumerate() {
                slots[place][lane] = state.value(crowd.states[own * crowd.width + place]);
            }
            let action = &crowd.actions[own * crowd.acts..own * crowd.acts + count];
            for (place, &value) in action.iter().enumerate() {
                slots[states + place][lane] = value;
            }
        }
    }

    /// Derived columns of the members.
    pub(super) fn derive(
        &self,
        moves: &mut Moves,
        period: usize,
        members: &[usize],
        crowd: &Crowd,
        rows: &mut Rows,
    ) {
        let (Some((columns, program)), Some(machine)) = (&self.derived, &mut moves.derived) else {
            return;
        };
        for block in members.chunks(LANES) {
            self.load(&mut machine.slots, block, crowd);
            program.run(self.level, machine);
            for (&column, values) in columns.iter().zip(program.outputs(machine)) {
                for (lane, &own) in block.iter().enumerate() {
                    let at = rows.place(own, period);
                    rows.derived[column][at] = values[lane];
                }
            }
        }
    }

    /// Moves the members to their next regimes; returns the number of states off their grids.
    pub(super) fn go(
        &self,
        moves: &mut Moves,
        kernel: &Kernel<'_>,
        streams: &Streams,
        members: &[usize],
        crowd: &mut Crowd,
    ) -> usize {
        let mut off_grid = 0;
        for block in members.chunks(LANES) {
            self.load(&mut moves.now.slots, block, crowd);
            self.stage.now.run(self.level, &mut moves.now);
            for (lane, &own) in block.iter().enumerate() {
                let at = Address::new(crowd.numbers[own], self.period as u64);
                moves.edges[lane] = self.draw_edge(moves, streams, at, lane);
                let wrong = self.checked.then(|| self.wrong_row(moves, lane)).flatten();
                if let Some(kind) = wrong {
                    moves.edges[lane] = usize::MAX;
                    self.blame(crowd, kernel, own, kind);
                }
            }
            for &(edge, axes) in &self.targets {
                let count = block.len();
                if !moves.edges[..count].contains(&edge) {
                    continue;
                }
                self.draw_nodes(moves, streams, edge, block, crowd);
                self.run_laws(moves, edge);
                for (lane, &own) in block.iter().enumerate() {
                    if moves.edges[lane] != edge {
                        continue;
                    }
                    match self.place(moves, edge, axes, (lane, own), crowd) {
                        Ok(off) => off_grid += off,
                        Err(kind) => self.blame(crowd, kernel, own, kind),
                    }
                }
            }
        }
        off_grid
    }

    fn blame(&self, crowd: &mut Crowd, kernel: &Kernel<'_>, own: usize, kind: FaultKind) {
        let flat = crowd.choice[own].flat as usize;
        let trouble = Trouble {
            period: self.period,
            regime: self.regime,
            kind,
            state: Vec::new(),
            flat,
        };
        crowd.blame(own, kernel, trouble);
    }

    /// What is wrong with the probabilities of a lane whose edge has been drawn: not in `[0, 1]`,
    /// or not adding up to one.
    fn wrong_row(&self, moves: &Moves, lane: usize) -> Option<FaultKind> {
        let outputs = self.stage.now.outputs(&moves.now);
        let layout = &self.stage.layout;
        let mut sum = 0.0;
        for &(edge, _) in &self.targets {
            let value = outputs[layout.edges[edge]][lane];
            if !(value >= 0.0) {
                return Some(FaultKind::Edge { edge, value });
            }
            sum += value;
        }
        if !((sum - 1.0).abs() <= TOLERANCE) {
            return Some(FaultKind::EdgeSum { sum });
        }
        let edge = moves.edges[lane];
        for (axis, own) in self.stage.edges[edge].plan.axes.iter().enumerate() {
            let MeshAxis::Markov { probabilities, .. } = own else {
                continue;
            };
            let first = layout.markov[edge][axis];
            let row = &outputs[first..first + probabilities.len()];
            let mut sum = 0.0;
            for value in row.iter().map(|p| p[lane]) {
                if !(value >= 0.0) {
                    return Some(FaultKind::Markov { edge, axis, value });
                }
                sum += value;
            }
            if !((sum - 1.0).abs() <= TOLERANCE) {
                return Some(FaultKind::MarkovSum { edge, axis, sum });
            }
        }
        None
    }

    /// The edge that a subject takes.
    fn draw_edge(&self, moves: &mut Moves, streams: &Streams, at: Address, lane: usize) -> usize {
        let outputs = self.stage.now.outputs(&moves.now);
        let places = &self.stage.layout.edges;
        moves.row.clear();
        let live = self.targets.iter();
        moves
            .row
            .extend(live.map(|&(edge, _)| outputs[places[edge]][lane]));
        let drawn = if moves.row.len() == 1 {
            Some(0)
        } else {
            categorical(&moves.row, streams.regime.uniform(at))
        };
        self.targets[drawn.unwrap_or(0)].0
    }

    /// Nodes of the axes of an edge, drawn for each lane, and their values as inputs of the laws.
    fn draw_nodes(
        &self,
        moves: &mut Moves,
        streams: &Streams,
        edge: usize,
        block: &[usize],
        crowd: &Crowd,
    ) {
        let shocks = &self.plan.declaration.shocks;
        let mut slot = self.stage.now.input_count();
        for (place, axis) in self.stage.edges[edge].plan.axes.iter().enumerate() {
            for (lane, &own) in block.iter().enumerate() {
                let draws = streams.axes[edge][place];
                let u = draws.uniform(Address::new(crowd.numbers[own], self.period as u64));
                let node = match axis {
                    MeshAxis::Shock(shock) => categorical(&shocks[*shock].probabilities, u),
                    MeshAxis::Markov { probabilities, .. } => {
                        let outputs = self.stage.now.outputs(&moves.now);
                        let first = self.stage.layout.markov[edge][place];
                        let row = &outputs[first..first + probabilities.len()];
                        moves.row.clear();
                        moves.row.extend(row.iter().map(|p| p[lane]));
                        categorical(&moves.row, u)
                    }
                    MeshAxis::Process { chain, source, .. } => {
                        let from = own * crowd.width;
                        let row = source.map_or(0, |state| code(crowd.states[from + state]));
                        categorical(chain.row(row), u)
                    }
                };
                moves.nodes[place][lane] = node.unwrap_or(0);
            }
            let Some(machine) = &mut moves.laws[edge] else {
                continue;
            };
            let nodes = &moves.nodes[place];
            match axis {
                MeshAxis::Shock(shock) => {
                    let points = &shocks[*shock].points;
                    for output in 0..shocks[*shock].outputs.len() {
                        machine.slots[slot] = nodes.map(|node| points[node][output]);
                        slot += 1;
                    }
                }
                MeshAxis::Markov { values, .. } => {
                    machine.slots[slot] = nodes.map(|node| values[node]);
                    slot += 1;
                }
                MeshAxis::Process { chain, .. } => {
                    machine.slots[slot] = nodes.map(|node| chain.nodes()[node]);
                    slot += 1;
                }
            }
        }
    }

    fn run_laws(&self, moves: &mut Moves, edge: usize) {
        let laws = &self.stage.edges[edge].laws;
        if let (Some(laws), Some(machine)) = (laws, &mut moves.laws[edge]) {
            let count = self.stage.now.input_count();
            machine.slots[..count].copy_from_slice(&moves.now.slots[..count]);
            laws.run(self.level, machine);
        }
    }

    /// Puts a subject into its next states; returns how many of them are off their grids.
    fn place(
        &self,
        moves: &mut Moves,
        edge: usize,
        axes: &[Axis],
        (lane, own): (usize, usize),
        crowd: &mut Crowd,
    ) -> Result<usize, FaultKind> {
        let step = &self.stage.edges[edge];
        let laws = moves.laws[edge].as_ref().zip(step.laws.as_ref());
        let laws = laws.map_or(&[] as &[Lane], |(machine, laws)| laws.outputs(machine));
        let mut off = 0;
        for (state, producer) in step.plan.producers.iter().enumerate() {
            let value = match *producer {
                Producer::Law(output) => laws[output][lane],
                Producer::Axis(axis) => moves.nodes[axis][lane] as f64,
                Producer::Fixed(source) => crowd.states[own * crowd.width + source],
            };
            let axis = &axes[state];
            let inside = if axis.is_continuous() {
                value >= axis.first() && value <= axis.last()
            } else {
                axis.nodes().contains(&value)
            };
            if !inside && (!axis.is_continuous() || !value.is_finite()) {
                return Err(FaultKind::Outside { edge, state, value });
            }
            off += usize::from(!inside);
            moves.next[state][lane] = value;
        }
        for state in 0..step.plan.producers.len() {
            crowd.states[own * crowd.width + state] = moves.next[state][lane];
        }
        crowd.regime[own] = Some(step.plan.target + ARRIVED);
        Ok(off)
    }
}

/// The derived columns that a regime has, compiled.
fn derived(plan: &RegimePlan, stage: &Stage, layout: &Layout) -> Option<(Vec<usize>, Program)> {
    let known = |name: &Symbol| stage.definitions.get(name).is_some();
    let columns: Vec<usize> = (0..layout.derived.len())
        .filter(|&column| known(&layout.derived[column]))
        .collect();
    if columns.is_empty() {
        return None;
    }
    let outputs: Vec<Expr> = columns
        .iter()
        .map(|&column| Expr::symbol(&layout.derived[column]))
        .collect();
    let quantities = plan.states.iter().chain(&plan.actions);
    let inputs: Vec<Symbol> = quantities.map(|own| own.symbol.clone()).collect();
    let program = Program::new(&stage.definitions, &stage.leaves, &inputs, &outputs).ok()?;
    Some((columns, program))
}
