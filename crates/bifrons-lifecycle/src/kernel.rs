//! Values of sixteen pairs of a state and an action at a time.

use core::ops::Range;

use bifrons_egm::OuterError;
use bifrons_grids::{Cells, Grid, Multilinear, ReadError};
use bifrons_lanes::{LANES, Level};
use bifrons_memory::Footprint;

use crate::edge::{MeshAxis, Producer};
use crate::endogenous::Bank;
use crate::model::{PeriodPlan, RegimePlan};
use crate::preference::{Kind, ces, power_mean};
use crate::program::{Lane, Machine, Program};
use crate::space::{QuantityKind, Space, code};
use crate::stage::{EdgeStage, Stage};

/// Axes that a read takes at most.
const MOST_AXES: usize = 12;
/// Accepted distance of a sum of probabilities from one.
pub(crate) const TOLERANCE: f64 = 1e-12;

/// A regime in one period with the values that may follow.
#[derive(Debug)]
pub(crate) struct Kernel<'a> {
    pub(crate) plan: &'a RegimePlan,
    pub(crate) period: &'a PeriodPlan,
    pub(crate) stage: &'a Stage,
    /// For each live edge, what is read there.
    pub(crate) next: Vec<Next<'a>>,
    /// Parameters, then age and period.
    pub(crate) parameters: Vec<f64>,
    pub(crate) level: Level,
    /// Whether probabilities are checked.
    pub(crate) checked: bool,
}

/// The values of a target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Next<'a> {
    pub(crate) edge: usize,
    pub(crate) reader: &'a Multilinear,
    pub(crate) values: &'a [f64],
    /// Rows of the target with its space, read instead of the values where they are given.
    pub(crate) bank: Option<(&'a Bank, &'a Space)>,
    /// How each state of what is read is made.
    pub(crate) producers: &'a [Producer],
    /// Bits of the axes of the expectation over which the values are averages already.
    pub(crate) averaged: u32,
}

impl Next<'_> {
    /// Whether the expectation does not run over an axis any more.
    fn is_averaged(&self, axis: usize) -> bool {
        self.averaged >> axis & 1 == 1
    }
}

/// Working memory of a [`Kernel`].
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) now: Machine,
    pub(crate) laws: Vec<Option<Machine>>,
    /// Coordinates of the states of the pairs.
    pub(crate) states: Vec<Lane>,
    /// Values of the pairs, meaningful where feasible.
    pub(crate) q: Lane,
    pub(crate) feasible: [bool; LANES],
    points: Vec<Lane>,
    nodes: Vec<usize>,
    /// Weight of the node up to each axis, from the probability of the edge on.
    weights: Vec<Lane>,
    /// Weights and values of the lottery, kept for certainty equivalents that are not linear.
    lottery: Vec<(Lane, Lane)>,
    /// Values of the branches of a target that is read by rows.
    column: Vec<f64>,
}

/// Something that is wrong with one lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LaneFault {
    pub(crate) lane: usize,
    pub(crate) kind: FaultKind,
}

/// What is wrong; edges by index in the regime.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum FaultKind {
    NotANumber,
    /// Probability of an edge.
    Edge {
        edge: usize,
        value: f64,
    },
    EdgeSum {
        sum: f64,
    },
    /// Probability on an axis of an edge.
    Markov {
        edge: usize,
        axis: usize,
        value: f64,
    },
    MarkovSum {
        edge: usize,
        axis: usize,
        sum: f64,
    },
    Outside {
        edge: usize,
        state: usize,
        value: f64,
    },
    /// Resources do not ascend with savings.
    NonConcave {
        savings: f64,
        resources: f64,
    },
    /// The search for an outer choice.
    Outer(OuterError),
    /// Something that must increase or be positive does not, at a number.
    Shape {
        what: &'static str,
        value: f64,
    },
}

/// What the expectation has collected.
struct Tally {
    expected: Lane,
    used: usize,
}

impl<'a> Kernel<'a> {
    pub(crate) fn worker(&self) -> Worker {
        let edges = &self.stage.edges;
        let axes = edges.iter().map(|edge| edge.plan.axes.len()).max();
        let states = edges.iter().map(|edge| edge.plan.producers.len()).max();
        let mut worker = Worker {
            now: self.stage.now.machine(),
            laws: edges
                .iter()
                .map(|edge| edge.laws.as_ref().map(Program::machine))
                .collect(),
            states: vec![[0.0; LANES]; self.plan.states.len()],
            q: [0.0; LANES],
            feasible: [false; LANES],
            points: vec![[0.0; LANES]; states.unwrap_or(0)],
            nodes: vec![0; axes.unwrap_or(0)],
            weights: vec![[0.0; LANES]; axes.unwrap_or(0) + 1],
            lottery: Vec::with_capacity(lottery_nodes(self.plan, self.period, self.stage)),
            column: Vec::new(),
        };
        self.prepare(&mut worker);
        worker
    }

    /// Sets the parameters; the worker may have served the same regime at another age.
    pub(crate) fn prepare(&self, worker: &mut Worker) {
        self.stage.now.set(&mut worker.now, &self.parameters);
        for (edge, machine) in self.stage.edges.iter().zip(&mut worker.laws) {
            if let (Some(laws), Some(machine)) = (&edge.laws, machine) {
                laws.set(machine, &self.parameters);
            }
        }
    }

    /// Fills in what the formulas see of the states in `worker.states`.
    pub(crate) fn load_states(&self, worker: &mut Worker) {
        for (place, state) in self.plan.states.iter().enumerate() {
            let own = worker.states[place];
            worker.now.slots[place] = match &state.kind {
                QuantityKind::Process(_) => own.map(|coordinate| state.value(coordinate)),
                _ => own,
            };
        }
    }

    /// Values of the pairs in these lanes, whose states and actions are loaded.
    ///
    /// A value may be NaN. An error is the first that was met, not that of the first lane; see
    /// [`Kernel::first_fault`].
    pub(crate) fn evaluate(
        &self,
        worker: &mut Worker,
        lanes: Range<usize>,
    ) -> Result<(), LaneFault> {
        self.stage.now.run(self.level, &mut worker.now);
        let layout = &self.stage.layout;
        let outputs = self.stage.now.outputs(&worker.now);
        let (feasible, utility) = (outputs[layout.feasible], outputs[layout.utility]);
        for lane in 0..LANES {
            worker.feasible[lane] = lanes.contains(&lane) && feasible[lane] > 0.0;
        }
        if self.plan.is_terminal() {
            worker.q = utility;
            return Ok(());
        }
        if self.checked {
            self.check(worker)?;
        }
        let tally = self.lotteries(worker)?;
        self.aggregate(worker, &tally, &utility);
        Ok(())
    }

    /// Discounted values of the future of the pairs in these lanes, whether feasible or not; linear
    /// preferences only.
    pub(crate) fn future(
        &self,
        worker: &mut Worker,
        lanes: Range<usize>,
    ) -> Result<Lane, LaneFault> {
        self.stage.now.run(self.level, &mut worker.now);
        worker.feasible = core::array::from_fn(|lane| lanes.contains(&lane));
        if self.checked {
            self.check(worker)?;
        }
        let tally = self.lotteries(worker)?;
        let discount = self.stage.now.outputs(&worker.now)[self.stage.layout.preferences];
        Ok(discounted(&discount, &tally.expected))
    }

    /// The lotteries of all edges.
    fn lotteries(&self, worker: &mut Worker) -> Result<Tally, LaneFault> {
        worker.lottery.clear();
        let mut tally = Tally {
            expected: [0.0; LANES],
            used: 0,
        };
        for next in &self.next {
            self.expect(next, worker, &mut tally)?;
        }
        Ok(tally)
    }

    /// The fault of the first lane that has one, whatever lanes share a block.
    #[cold]
    pub(crate) fn first_fault(
        &self,
        worker: &mut Worker,
        lanes: Range<usize>,
    ) -> Option<LaneFault> {
        lanes
            .into_iter()
            .find_map(|lane| self.evaluate(worker, lane..lane + 1).err())
    }

    /// Puts utility and the future together.
    fn aggregate(&self, worker: &mut Worker, tally: &Tally, utility: &Lane) {
        let layout = &self.stage.layout;
        let outputs = self.stage.now.outputs(&worker.now);
        let discount = outputs[layout.preferences];
        match &self.plan.declaration.preferences.0 {
            Kind::Linear { .. } => {
                let future = discounted(&discount, &tally.expected);
                worker.q = core::array::from_fn(|lane| utility[lane] + future[lane]);
            }
            Kind::EpsteinZin { .. } => {
                let aversion = outputs[layout.preferences + 1];
                let substitution = outputs[layout.preferences + 2];
                for lane in (0..LANES).filter(|&lane| worker.feasible[lane]) {
                    let lottery = worker.lottery[..tally.used].iter();
                    let terms = lottery.map(|(weights, values)| (weights[lane], values[lane]));
                    let certain = power_mean(1.0 - aversion[lane], terms);
                    worker.q[lane] =
                        ces(discount[lane], substitution[lane], utility[lane], certain);
                }
            }
        }
    }

    /// Adds the lottery of one edge.
    fn expect(
        &self,
        next: &Next<'_>,
        worker: &mut Worker,
        tally: &mut Tally,
    ) -> Result<(), LaneFault> {
        let edge = &self.stage.edges[next.edge];
        let outputs = self.stage.now.outputs(&worker.now);
        let mut reached = outputs[self.stage.layout.edges[next.edge]];
        for lane in 0..LANES {
            if !worker.feasible[lane] {
                reached[lane] = 0.0;
            }
        }
        if reached.iter().all(|&p| p == 0.0) {
            return Ok(());
        }
        self.load_laws(next.edge, edge, worker);
        if !edge.by_node {
            self.run_laws(next.edge, edge, worker);
        }
        worker.nodes[..edge.plan.axes.len()].fill(0);
        // Where laws do not read the node, only codes of states change with it.
        let cells = if edge.by_node || next.bank.is_some() {
            None
        } else {
            Some(self.locate(next, edge, worker, &reached)?)
        };
        worker.weights[0] = reached;
        let mut changed = 0;
        loop {
            let weight = self.weight(next, edge, worker, changed);
            if let Some(cells) = &cells {
                self.read_at(next, worker, (&weight, cells), tally);
            } else if weight.iter().any(|&w| w != 0.0) {
                if edge.by_node {
                    self.load_nodes(next.edge, edge, worker);
                    self.run_laws(next.edge, edge, worker);
                }
                self.read(next, edge, worker, &weight, tally)?;
            }
            let Some(axis) = self.advance(next, edge, &mut worker.nodes) else {
                return Ok(());
            };
            changed = axis;
        }
    }

    /// States and actions as inputs of the laws.
    fn load_laws(&self, index: usize, edge: &EdgeStage, worker: &mut Worker) {
        if let (Some(machine), Some(_)) = (&mut worker.laws[index], &edge.laws) {
            let count = self.stage.now.input_count();
            machine.slots[..count].copy_from_slice(&worker.now.slots[..count]);
        }
    }

    /// The node of the expectation as inputs of the laws.
    fn load_nodes(&self, index: usize, edge: &EdgeStage, worker: &mut Worker) {
        let Some(machine) = &mut worker.laws[index] else {
            return;
        };
        let mut slot = self.stage.now.input_count();
        for (axis, &node) in edge.plan.axes.iter().zip(&worker.nodes) {
            match axis {
                MeshAxis::Shock(shock) => {
                    let point = &self.plan.declaration.shocks[*shock].points[node];
                    for &value in point {
                        machine.slots[slot] = [value; LANES];
                        slot += 1;
                    }
                }
                MeshAxis::Markov { values, .. } => {
                    machine.slots[slot] = [values[node]; LANES];
                    slot += 1;
                }
                MeshAxis::Process { chain, .. } => {
                    machine.slots[slot] = [chain.nodes()[node]; LANES];
                    slot += 1;
                }
            }
        }
    }

    fn run_laws(&self, index: usize, edge: &EdgeStage, worker: &mut Worker) {
        if let (Some(machine), Some(laws)) = (&mut worker.laws[index], &edge.laws) {
            laws.run(self.level, machine);
        }
    }

    /// Probability of the edge times the weights of the node, axis by axis; axes before `changed`
    /// are where they were.
    fn weight(
        &self,
        next: &Next<'_>,
        edge: &EdgeStage,
        worker: &mut Worker,
        changed: usize,
    ) -> Lane {
        let Worker {
            now,
            weights,
            nodes,
            states,
            ..
        } = worker;
        let outputs = self.stage.now.outputs(now);
        let axes = edge.plan.axes.iter().enumerate();
        for (place, axis) in axes.skip(changed) {
            let node = nodes[place];
            let mut weight = weights[place];
            if next.is_averaged(place) {
                weights[place + 1] = weight;
                continue;
            }
            match axis {
                MeshAxis::Shock(shock) => {
                    let own = self.plan.declaration.shocks[*shock].probabilities[node];
                    weight = weight.map(|w| w * own);
                }
                MeshAxis::Markov { .. } => {
                    let own = &outputs[self.stage.layout.markov[next.edge][place] + node];
                    for (w, own) in weight.iter_mut().zip(own) {
                        // Where the pair is not reached the formula may be anything.
                        *w = if *w == 0.0 { 0.0 } else { *w * own };
                    }
                }
                MeshAxis::Process { chain, source, .. } => {
                    for lane in 0..LANES {
                        let row = source.map_or(0, |state| code(states[state][lane]));
                        weight[lane] *= chain.row(row)[node];
                    }
                }
            }
            weights[place + 1] = weight;
        }
        weights[edge.plan.axes.len()]
    }

    /// Cells of the pairs in the target, with the first code of states that follow from the node.
    fn locate(
        &self,
        next: &Next<'_>,
        edge: &EdgeStage,
        worker: &mut Worker,
        reached: &Lane,
    ) -> Result<Cells, LaneFault> {
        worker.nodes[..edge.plan.axes.len()].fill(0);
        self.place(next, edge, worker, reached);
        let mut points: [&[f64]; MOST_AXES] = [&[]; MOST_AXES];
        for (slice, point) in points.iter_mut().zip(&worker.points) {
            *slice = point;
        }
        let axes = next.reader.space().axes().len();
        let cells = next.reader.cells(&points[..axes]);
        cells.map_err(|error| outside(next.edge, &error))
    }

    /// Reads the target at one node whose cells are known and adds it up.
    fn read_at(
        &self,
        next: &Next<'_>,
        worker: &mut Worker,
        (weight, cells): (&Lane, &Cells),
        tally: &mut Tally,
    ) {
        if weight.iter().all(|&w| w == 0.0) {
            return;
        }
        let strides = next.reader.space().strides();
        let codes = next.producers.iter().zip(strides);
        let offset = codes.map(|(producer, stride)| match *producer {
            Producer::Axis(axis) => worker.nodes[axis] * stride,
            _ => 0,
        });
        // Codes are below the length of their axis, so the offset is inside of the table.
        let values = cells.value(next.values, offset.sum());
        self.add(worker, weight, values.unwrap_or([f64::NAN; LANES]), tally);
    }

    /// Next states of the pairs at the current node.
    fn place(&self, next: &Next<'_>, edge: &EdgeStage, worker: &mut Worker, weight: &Lane) {
        let laws = worker.laws[next.edge].as_ref().zip(edge.laws.as_ref());
        let laws = laws.map_or(&[] as &[Lane], |(machine, laws)| laws.outputs(machine));
        let axes = next.reader.space().axes();
        for (state, producer) in next.producers.iter().enumerate() {
            let point = match *producer {
                Producer::Law(output) => laws[output],
                Producer::Axis(axis) => [worker.nodes[axis] as f64; LANES],
                Producer::Fixed(source) => worker.states[source],
            };
            // Pairs that are not reached are read anywhere inside.
            let inside = axes[state].first();
            worker.points[state] =
                core::array::from_fn(|l| if weight[l] == 0.0 { inside } else { point[l] });
        }
    }

    /// Adds the values of a node.
    fn add(&self, worker: &mut Worker, weight: &Lane, values: Lane, tally: &mut Tally) {
        if self.plan.declaration.preferences.is_linear() {
            for lane in 0..LANES {
                // What cannot happen does not matter, be it infinite.
                let term = weight[lane] * values[lane];
                tally.expected[lane] += if weight[lane] == 0.0 { 0.0 } else { term };
            }
        } else {
            worker.lottery.push((*weight, values));
            tally.used += 1;
        }
    }

    /// Reads the target at one node and adds it up.
    fn read(
        &self,
        next: &Next<'_>,
        edge: &EdgeStage,
        worker: &mut Worker,
        weight: &Lane,
        tally: &mut Tally,
    ) -> Result<(), LaneFault> {
        self.place(next, edge, worker, weight);
        let mut points: [&[f64]; MOST_AXES] = [&[]; MOST_AXES];
        for (slice, point) in points.iter_mut().zip(&worker.points) {
            *slice = point;
        }
        let mut values = [0.0; LANES];
        let points = &points[..next.reader.space().axes().len()];
        if let Some(rows) = next.bank {
            values = read_rows(rows, points, weight, &mut worker.column);
        } else if let Err(error) = next.reader.read_into(next.values, points, &mut values) {
            return Err(outside(next.edge, &error));
        }
        self.add(worker, weight, values, tally);
        Ok(())
    }

    /// The next node, the last axis fastest; the first axis that has changed, `None` at the end.
    fn advance(&self, next: &Next<'_>, edge: &EdgeStage, nodes: &mut [usize]) -> Option<usize> {
        let shocks = &self.plan.declaration.shocks;
        let axes = edge.plan.axes.iter().enumerate().rev();
        for (place, axis) in axes.filter(|(place, _)| !next.is_averaged(*place)) {
            nodes[place] += 1;
            if nodes[place] < axis.count(shocks) {
                return Some(place);
            }
            nodes[place] = 0;
        }
        None
    }

    /// Probabilities of edges and categories: in `[0, 1]`, adding up to one.
    fn check(&self, worker: &Worker) -> Result<(), LaneFault> {
        let outputs = self.stage.now.outputs(&worker.now);
        let layout = &self.stage.layout;
        for lane in (0..LANES).filter(|&lane| worker.feasible[lane]) {
            let fault = |kind| Err(LaneFault { lane, kind });
            let mut sum = 0.0;
            for next in &self.next {
                let edge = next.edge;
                let value = outputs[layout.edges[edge]][lane];
                if !(value >= 0.0) {
                    return fault(FaultKind::Edge { edge, value });
                }
                sum += value;
                if value == 0.0 {
                    continue;
                }
                for (axis, own) in self.stage.edges[edge].plan.axes.iter().enumerate() {
                    let MeshAxis::Markov { probabilities, .. } = own else {
                        continue;
                    };
                    let first = layout.markov[edge][axis];
                    let row = &outputs[first..first + probabilities.len()];
                    let mut sum = 0.0;
                    for value in row.iter().map(|p| p[lane]) {
                        if !(value >= 0.0) {
                            return fault(FaultKind::Markov { edge, axis, value });
                        }
                        sum += value;
                    }
                    if !((sum - 1.0).abs() <= TOLERANCE) {
                        return fault(FaultKind::MarkovSum { edge, axis, sum });
                    }
                }
            }
            if !((sum - 1.0).abs() <= TOLERANCE) {
                return fault(FaultKind::EdgeSum { sum });
            }
        }
        Ok(())
    }
}

/// Expectations times discount factors; what does not count does not matter, be it infinite.
fn discounted(discount: &Lane, expected: &Lane) -> Lane {
    core::array::from_fn(|lane| {
        if discount[lane] == 0.0 {
            0.0
        } else {
            discount[lane] * expected[lane]
        }
    })
}

/// Nodes of the lottery that are kept per pair.
pub(crate) fn lottery_nodes(plan: &RegimePlan, period: &PeriodPlan, stage: &Stage) -> usize {
    if plan.is_terminal() || plan.declaration.preferences.is_linear() {
        return 0;
    }
    period.live.iter().map(|&edge| stage.edges[edge].mesh).sum()
}

/// Bytes of a [`Worker`].
pub(crate) fn footprint(plan: &RegimePlan, period: &PeriodPlan, stage: &Stage) -> Footprint {
    let states = stage
        .edges
        .iter()
        .map(|edge| edge.plan.producers.len())
        .max();
    let axes = stage.edges.iter().map(|edge| edge.plan.axes.len()).max();
    stage
        .footprint()
        .beside(Footprint::of::<Option<Machine>>(stage.edges.len()))
        .beside(Footprint::of::<Lane>(
            plan.states.len() + states.unwrap_or(0),
        ))
        .beside(Footprint::of::<usize>(axes.unwrap_or(0)))
        .beside(Footprint::of::<Lane>(axes.unwrap_or(0) + 1))
        .beside(Footprint::of::<(Lane, Lane)>(lottery_nodes(
            plan, period, stage,
        )))
}

/// Values of rows at the points of lanes that are reached.
fn read_rows(
    (bank, space): (&Bank, &Space),
    points: &[&[f64]],
    weight: &Lane,
    column: &mut Vec<f64>,
) -> Lane {
    let mut point = [0.0; MOST_AXES];
    core::array::from_fn(|lane| {
        if weight[lane] == 0.0 {
            return 0.0;
        }
        for (slot, own) in point.iter_mut().zip(points) {
            *slot = own[lane];
        }
        let cell = space.cell_of(&point[..points.len()]);
        cell.map_or(f64::NAN, |(cell, liquid)| {
            bank.value_with(cell, liquid, column)
        })
    })
}

fn outside(edge: usize, error: &ReadError) -> LaneFault {
    match *error {
        ReadError::Outside {
            index, axis, query, ..
        }
        | ReadError::NotACode {
            index, axis, query, ..
        } => LaneFault {
            lane: index,
            kind: FaultKind::Outside {
                edge,
                state: axis,
                value: query,
            },
        },
        // Shapes are right by construction; should they not be, no value is better than a wrong one.
        _ => LaneFault {
            lane: 0,
            kind: FaultKind::NotANumber,
        },
    }
}
