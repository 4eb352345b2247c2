//! One row: continuation, inversion, envelope.

mod add;
mod asset;
mod intervals;
mod make;

use bifrons_egm::{
    BreakKind, Budget, EgmError, Expectation, PowerCertainty, Row, RowReader, SavingsProblem,
    StepWorkspace, dcegm_step, egm_step,
};
use bifrons_grids::Grid;
use bifrons_lanes::LANES;

use super::bank::{Entry, keep};
use super::intervals::Slot;
use super::kinked::{Cell, KinkedWorker};
use super::margin::Margin;
use super::outer::OuterReader;
use super::target::{Target, TargetKind};
use super::utility::CellUtility;
use crate::edge::{MeshAxis, Producer};
use crate::kernel::{FaultKind, Kernel, TOLERANCE};
use crate::program::{Machine, Program};
use crate::solver::{DcEgm, Solver};
use crate::space::code;
use crate::stage::EdgeStage;

pub(super) use asset::AssetWorker;

/// Branches of a target that are read without allocation.
const MOST_BRANCHES: usize = 32;

/// Everything that the rows of a regime in a period share.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    pub(super) kernel: &'a Kernel<'a>,
    pub(super) margin: &'a Margin,
    pub(super) settings: DcEgm,
    pub(super) targets: Vec<Target<'a>>,
    /// By cell and branch; of nested solvers none.
    pub(super) utilities: &'a [CellUtility],
}

/// A row of a nested solver.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    /// Discrete coordinates and the node of the stock.
    pub(super) cell: usize,
    pub(super) branch: usize,
    /// The outer action.
    pub(super) action: f64,
    /// The stock after the choice, and whether it is adjusted.
    pub(super) chosen: [f64; 2],
}

/// Working memory of one thread.
#[derive(Debug)]
pub(super) struct Worker {
    now: Machine,
    cell: Machine,
    laws: Vec<Option<Machine>>,
    /// Of edges on which discrete states have formulas.
    codes: Vec<Option<Machine>>,
    terminals: Vec<Option<Machine>>,
    expectation: Expectation,
    /// Takes the place of the expectation under Epstein-Zin preferences.
    certainty: Option<PowerCertainty>,
    step: StepWorkspace,
    row: Row,
    queries: Vec<f64>,
    values: Vec<f64>,
    marginals: Vec<f64>,
    nodes: Vec<usize>,
    point: Vec<f64>,
    action: Vec<f64>,
    next: Vec<f64>,
    /// Savings nodes of the row that is being solved.
    savings: Vec<f64>,
    /// For resources with breakpoints.
    kinked: Option<(Machine, Box<KinkedWorker>)>,
    /// For what switches along the liquid state, and the intervals in flight.
    switching: Option<Machine>,
    slots: Vec<Slot>,
    /// For rows on liquid nodes.
    asset: Option<Box<AssetWorker>>,
    /// What the outer choice is, in nested solvers.
    chosen: Option<[f64; 2]>,
    /// For nested targets.
    outer: Option<Box<OuterReader>>,
}

/// What is done at each node of the expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Breakpoints of what may follow are collected.
    Breaks,
    /// Values are added.
    Values,
}

impl Rows<'_> {
    /// The laws of the discrete states of an edge.
    fn codes(&self, edge: usize) -> Option<&Program> {
        match &self.margin.outer {
            None => self.kernel.stage.edges[edge].laws.as_ref(),
            Some(outer) => outer.codes[edge].as_ref(),
        }
    }

    /// Solves a row of a nested solver.
    pub(super) fn solve_task(
        &self,
        worker: &mut Worker,
        task: Task,
        utility: &CellUtility,
        entry: &mut Entry,
    ) -> Result<(), FaultKind> {
        let index = task.cell * self.kernel.period.choices.branches + task.branch;
        self.load(worker, index);
        if let Some(outer) = &self.margin.outer {
            let slot = self.kernel.plan.states.len() + outer.action;
            worker.action[outer.action] = task.action;
            worker.now.slots[slot] = [task.action; LANES];
        }
        worker.chosen = Some(task.chosen);
        (entry.slope, entry.offset, entry.feasible) = (1.0, 0.0, true);
        self.solve_row(worker, utility, None, entry)
    }

    /// Solves the row of a cell and branch.
    pub(super) fn solve(
        &self,
        worker: &mut Worker,
        index: usize,
        entry: &mut Entry,
    ) -> Result<(), FaultKind> {
        self.load(worker, index);
        self.margin.cell.run(self.kernel.level, &mut worker.cell);
        let outputs = self.margin.cell.outputs(&worker.cell);
        let [feasible, slope, offset] = [0, 1, 2].map(|at: usize| outputs[at][0]);
        (entry.slope, entry.offset, entry.feasible) = (slope, offset, feasible > 0.0);
        if !entry.feasible {
            return Ok(());
        }
        if !(slope > 0.0 && offset.is_finite()) {
            let what = "resources must increase strictly with the liquid state: a positive slope";
            return Err(FaultKind::Shape { what, value: slope });
        }
        let budget = self.budget(worker)?;
        let utility = &self.utilities[index];
        if self.margin.slopes.is_some() {
            return self.solve_asset(worker, utility, entry);
        }
        let points = self.switches(worker);
        match budget {
            Some(budget) if !points.is_empty() => {
                self.solve_intervals(worker, utility, (budget, points), entry)
            }
            budget => self.solve_row(worker, utility, budget, entry),
        }
    }

    /// The row of what has been loaded.
    fn solve_row(
        &self,
        worker: &mut Worker,
        utility: &CellUtility,
        budget: Option<Budget>,
        entry: &mut Entry,
    ) -> Result<(), FaultKind> {
        self.average(worker)?;
        if let Some((certainty, scale)) = worker.certainty.as_ref().zip(utility.scale()) {
            let (values, marginals) = (&mut worker.values, &mut worker.marginals);
            let done = certainty.finish_into(scale, values, marginals);
            done.map_err(|_| FaultKind::NotANumber)?;
        }
        self.step(worker, utility, budget, entry)
    }

    /// The continuation of what has been loaded.
    fn average(&self, worker: &mut Worker) -> Result<(), FaultKind> {
        self.kernel
            .stage
            .now
            .run(self.kernel.level, &mut worker.now);
        if self.kernel.checked {
            self.check(worker)?;
        }
        self.place_nodes(worker)?;
        let Some((_, own)) = &mut worker.kinked else {
            return self.expect_all(worker);
        };
        own.look_for_switches(true);
        self.expect_all(worker)?;
        if let Some((_, own)) = &mut worker.kinked
            && own.has_switches()
        {
            own.look_for_switches(false);
            self.merge_nodes(worker);
            self.expect_all(worker)?;
        }
        Ok(())
    }

    /// The lotteries of all edges at the savings nodes.
    fn expect_all(&self, worker: &mut Worker) -> Result<(), FaultKind> {
        let layout = &self.kernel.stage.layout;
        match &mut worker.certainty {
            None => worker.expectation.reset(worker.savings.len()),
            Some(certainty) => {
                let outputs = self.kernel.stage.now.outputs(&worker.now);
                certainty.reset(worker.savings.len(), outputs[layout.preferences + 1][0]);
            }
        }
        for place in 0..self.targets.len() {
            self.expect(worker, place, Pass::Values)?;
        }
        worker.expectation.finish();
        Ok(())
    }

    /// The discount factor of what has been loaded.
    fn discount(&self, worker: &Worker) -> f64 {
        let layout = &self.kernel.stage.layout;
        self.kernel.stage.now.outputs(&worker.now)[layout.preferences][0]
    }

    /// The breakpoints of the cell's resources, if they have any.
    fn budget(&self, worker: &mut Worker) -> Result<Option<Budget>, FaultKind> {
        let Some(kinked) = &self.margin.kinked else {
            return Ok(None);
        };
        let inputs = self.inputs(worker);
        let cell = self.cell_of(&inputs);
        let Some((machine, _)) = &mut worker.kinked else {
            return Ok(None);
        };
        let budget = kinked.budget(machine, &cell)?;
        let mut breaks = budget.points().iter().zip(budget.kinds());
        let jump = breaks.find(|(_, kind)| **kind == BreakKind::Jump);
        if let Some((&at, _)) = jump.filter(|_| worker.certainty.is_some()) {
            return Err(FaultKind::Shape {
                what: "E-NB-EZ: under Epstein-Zin preferences resources must be continuous in the \
                       liquid state: no cliff",
                value: at,
            });
        }
        Ok(Some(budget))
    }

    /// States and actions of what has been loaded.
    fn inputs(&self, worker: &Worker) -> Vec<f64> {
        let states = self.kernel.plan.states.iter();
        let values = states.zip(&worker.point).map(|(own, &at)| own.value(at));
        values.chain(worker.action.iter().copied()).collect()
    }

    fn cell_of<'c>(&'c self, inputs: &'c [f64]) -> Cell<'c> {
        Cell {
            leaves: &self.kernel.stage.leaves,
            parameters: &self.kernel.parameters,
            inputs,
            state: self.margin.state,
            range: self.margin.range(self.kernel),
        }
    }

    /// Adds the breakpoints of what may follow to the savings nodes.
    fn place_nodes(&self, worker: &mut Worker) -> Result<(), FaultKind> {
        let Some((_, own)) = &mut worker.kinked else {
            return Ok(());
        };
        own.nodes.clear();
        for place in 0..self.targets.len() {
            self.expect(worker, place, Pass::Breaks)?;
        }
        self.merge_nodes(worker);
        Ok(())
    }

    /// The savings nodes with all breakpoints that were added.
    fn merge_nodes(&self, worker: &mut Worker) {
        if let Some((_, own)) = &mut worker.kinked {
            own.nodes.merge(&self.margin.savings);
            worker.savings.clear();
            worker.savings.extend_from_slice(own.nodes.nodes());
            worker.values.resize(worker.savings.len(), 0.0);
            worker.marginals.resize(worker.savings.len(), 0.0);
        }
    }

    /// Inverts the Euler equation and keeps the row.
    fn step(
        &self,
        worker: &mut Worker,
        utility: &CellUtility,
        budget: Option<Budget>,
        entry: &mut Entry,
    ) -> Result<(), FaultKind> {
        let discount = self.discount(worker);
        let Worker {
            expectation,
            certainty,
            values,
            marginals,
            step,
            row,
            savings,
            kinked,
            ..
        } = worker;
        let (value, marginal) = match certainty {
            None => (expectation.value(), expectation.marginal()),
            Some(_) => (values.as_slice(), marginals.as_slice()),
        };
        let problem = SavingsProblem::new(savings, value, marginal, utility.as_dyn(), discount);
        let solver = &self.kernel.plan.declaration.solver;
        let reader = RowReader::new(self.settings.read);
        let result = problem.and_then(|problem| match (solver, kinked, solver.kinked()) {
            (_, Some((_, kinked)), Some(options)) => {
                let nodes = core::mem::take(&mut kinked.nodes);
                let done = kinked.step(&problem, &nodes, &options, (reader, budget), entry);
                kinked.nodes = nodes;
                done
            }
            (Solver::Egm, ..) => {
                egm_step(&problem, row)?;
                keep(reader, row, entry)
            }
            _ => {
                dcegm_step(&problem, &self.settings.step, step, row)?;
                keep(reader, row, entry)
            }
        });
        settled(result, entry)
    }

    /// States and actions of a cell and branch as inputs; the liquid ones are placeholders.
    fn load(&self, worker: &mut Worker, index: usize) {
        let kernel = self.kernel;
        let choices = &kernel.period.choices;
        let branches = choices.branches;
        let liquid = kernel.period.space.reader.space().shape()[self.margin.state];
        kernel
            .period
            .space
            .point_into(index / branches * liquid, &mut worker.point);
        choices.values_into(index % branches * choices.inner, &mut worker.action);
        worker.action[self.margin.action] = 1.0;
        let states = kernel.plan.states.len();
        for (place, state) in kernel.plan.states.iter().enumerate() {
            let value = [state.value(worker.point[place]); LANES];
            worker.now.slots[place] = value;
            worker.cell.slots[place] = value;
        }
        for (place, &value) in worker.action.iter().enumerate() {
            worker.now.slots[states + place] = [value; LANES];
            worker.cell.slots[states + place] = [value; LANES];
        }
    }

    /// Probabilities of edges and categories: in `[0, 1]`, adding up to one.
    fn check(&self, worker: &Worker) -> Result<(), FaultKind> {
        let outputs = self.kernel.stage.now.outputs(&worker.now);
        let layout = &self.kernel.stage.layout;
        let mut sum = 0.0;
        for target in &self.targets {
            let edge = target.edge;
            let value = outputs[layout.edges[edge]][0];
            if !(value >= 0.0) {
                return Err(FaultKind::Edge { edge, value });
            }
            sum += value;
            for (axis, own) in self.kernel.stage.edges[edge].plan.axes.iter().enumerate() {
                let MeshAxis::Markov { probabilities, .. } = own else {
                    continue;
                };
                let first = layout.markov[edge][axis];
                let row = outputs[first..first + probabilities.len()]
                    .iter()
                    .map(|p| p[0]);
                if let Some(value) = row.clone().find(|value| !(*value >= 0.0)) {
                    return Err(FaultKind::Markov { edge, axis, value });
                }
                let sum: f64 = row.sum();
                if !((sum - 1.0).abs() <= TOLERANCE) {
                    return Err(FaultKind::MarkovSum { edge, axis, sum });
                }
            }
        }
        if (sum - 1.0).abs() <= TOLERANCE {
            Ok(())
        } else {
            Err(FaultKind::EdgeSum { sum })
        }
    }

    /// Adds the lottery of one edge.
    fn expect(&self, worker: &mut Worker, place: usize, pass: Pass) -> Result<(), FaultKind> {
        let target = &self.targets[place];
        let edge = &self.kernel.stage.edges[target.edge];
        let outputs = self.kernel.stage.now.outputs(&worker.now);
        let reached = outputs[self.kernel.stage.layout.edges[target.edge]][0];
        if reached == 0.0 {
            return Ok(());
        }
        self.load_laws(worker, target.edge);
        self.load_chosen(worker, target.edge);
        worker.nodes[..edge.plan.axes.len()].fill(0);
        loop {
            let weight = self.weight(target.edge, edge, worker, reached);
            if weight != 0.0 {
                let line = self.law(target.edge, edge, worker);
                self.add(worker, (place, pass), edge, weight, line)?;
            }
            if !self.advance(edge, &mut worker.nodes) {
                return Ok(());
            }
        }
    }

    /// States and actions as inputs of laws.
    fn load_laws(&self, worker: &mut Worker, edge: usize) {
        let machines = [&mut worker.laws[edge], &mut worker.codes[edge]];
        for machine in machines.into_iter().flatten() {
            let count = self.kernel.stage.now.input_count();
            machine.slots[..count].copy_from_slice(&worker.now.slots[..count]);
        }
    }

    /// The outer choice as the last inputs of laws.
    fn load_chosen(&self, worker: &mut Worker, edge: usize) {
        let Some(chosen) = worker.chosen else {
            return;
        };
        let law = self.margin.laws[edge].as_ref();
        let machines = [
            (law, &mut worker.laws[edge]),
            (self.codes(edge), &mut worker.codes[edge]),
        ];
        for (program, machine) in machines {
            if let (Some(program), Some(machine)) = (program, machine) {
                let count = program.input_count();
                for (slot, value) in machine.slots[count - 2..count].iter_mut().zip(chosen) {
                    *slot = [value; LANES];
                }
            }
        }
    }

    fn weight(&self, index: usize, edge: &EdgeStage, worker: &Worker, reached: f64) -> f64 {
        let outputs = self.kernel.stage.now.outputs(&worker.now);
        let shocks = &self.kernel.plan.declaration.shocks;
        let mut weight = reached;
        for (place, axis) in edge.plan.axes.iter().enumerate() {
            let node = worker.nodes[place];
            weight *= match axis {
                MeshAxis::Shock(shock) => shocks[*shock].probabilities[node],
                MeshAxis::Markov { .. } => {
                    outputs[self.kernel.stage.layout.markov[index][place] + node][0]
                }
                MeshAxis::Process { chain, source, .. } => {
                    let row = source.map_or(0, |state| code(worker.point[state]));
                    chain.row(row)[node]
                }
            };
        }
        weight
    }

    /// Slope and offset of the next liquid state at the current node.
    fn law(&self, index: usize, edge: &EdgeStage, worker: &mut Worker) -> [f64; 2] {
        let law = self.margin.laws[index].as_ref();
        let Some((machine, law)) = worker.laws[index].as_mut().zip(law) else {
            return [0.0; 2];
        };
        self.load_nodes(edge, &worker.nodes, machine);
        law.run(self.kernel.level, machine);
        let outputs = law.outputs(machine);
        [outputs[0][0], outputs[1][0]]
    }

    /// The node of the expectation as inputs of laws.
    fn load_nodes(&self, edge: &EdgeStage, nodes: &[usize], machine: &mut Machine) {
        let shocks = &self.kernel.plan.declaration.shocks;
        let mut slot = self.kernel.stage.now.input_count();
        for (axis, &node) in edge.plan.axes.iter().zip(nodes) {
            match axis {
                MeshAxis::Shock(shock) => {
                    for &value in &shocks[*shock].points[node] {
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

    /// Adds one node of the expectation.
    fn add(
        &self,
        worker: &mut Worker,
        (place, pass): (usize, Pass),
        edge: &EdgeStage,
        weight: f64,
        [slope, offset]: [f64; 2],
    ) -> Result<(), FaultKind> {
        let target = &self.targets[place];
        let count = edge.plan.producers.len();
        let codes = worker.codes[target.edge].as_mut();
        let codes = codes.zip(self.codes(target.edge));
        let codes = codes.map(|(machine, laws)| {
            self.load_nodes(edge, &worker.nodes, machine);
            laws.run(self.kernel.level, machine);
            laws.outputs(machine)
        });
        for (state, producer) in edge.plan.producers.iter().enumerate() {
            worker.next[state] = match *producer {
                Producer::Axis(axis) => worker.nodes[axis] as f64,
                Producer::Fixed(source) => worker.point[source],
                Producer::Law(output) => codes.map_or(0.0, |outputs| outputs[output][0]),
            };
        }
        let done = match &target.kind {
            TargetKind::Rows(bank) if bank.outer.is_some() => {
                let [discrete @ .., stock, _] = &worker.next[..count] else {
                    return Err(FaultKind::NotANumber);
                };
                let (stock, cell) = (*stock, self.cell(target, discrete)?);
                let outside = FaultKind::Outside {
                    edge: target.edge,
                    state: count - 2,
                    value: stock,
                };
                let bank = bank.outer.as_deref().ok_or(outside)?;
                let weights = bank.weights(stock).ok_or(outside)?;
                let place = (cell, weights, pass);
                self.add_nested(worker, bank, place, weight, [slope, offset])
            }
            TargetKind::Rows(bank) => {
                let cell = self.cell(target, &worker.next[..count - 1])?;
                self.add_rows(worker, bank, (cell, pass), weight, [slope, offset])
            }
            TargetKind::Terminal { .. } if pass == Pass::Breaks => Ok(()),
            TargetKind::Terminal { .. } => {
                self.add_terminal(worker, place, weight, [slope, offset])
            }
        };
        done.map_err(|error| match error {
            EgmError::Read(_) => FaultKind::Shape {
                what: "the law of the liquid state must increase with savings: a positive slope",
                value: slope,
            },
            _ => FaultKind::NotANumber,
        })
    }

    /// Number of the target's cell with these discrete coordinates.
    fn cell(&self, target: &Target<'_>, discrete: &[f64]) -> Result<usize, FaultKind> {
        let axes = target.space.reader.space().axes();
        let mut cell = 0;
        for (state, (&value, axis)) in discrete.iter().zip(axes).enumerate() {
            if !axis.nodes().contains(&value) {
                return Err(FaultKind::Outside {
                    edge: target.edge,
                    state,
                    value,
                });
            }
            cell = cell * axis.len() + code(value);
        }
        Ok(cell)
    }

    /// The next node, the last axis fastest.
    fn advance(&self, edge: &EdgeStage, nodes: &mut [usize]) -> bool {
        let shocks = &self.kernel.plan.declaration.shocks;
        for (axis, node) in edge.plan.axes.iter().zip(nodes).rev() {
            *node += 1;
            if *node < axis.count(shocks) {
                return true;
            }
            *node = 0;
        }
        false
    }
}

/// What became of a step.
fn settled(result: Result<(), EgmError>, entry: &mut Entry) -> Result<(), FaultKind> {
    match result {
        Ok(()) => Ok(()),
        // No savings lead anywhere: the branch is not feasible.
        Err(EgmError::NoCandidate { .. }) => {
            entry.feasible = false;
            Ok(())
        }
        Err(error) => Err(fault_of(&error)),
    }
}

/// What a step that fails says of the model.
fn fault_of(error: &EgmError) -> FaultKind {
    match *error {
        EgmError::NonConcave {
            savings, resources, ..
        } => FaultKind::NonConcave { savings, resources },
        EgmError::Parameter { value, .. } => FaultKind::Shape {
            what: "the discount factor must be positive and finite",
            value,
        },
        EgmError::Cliffs { count, .. } => FaultKind::Shape {
            what: "E-NB-CLIFFS: at most `cliff_target_limit` cliffs can be followed",
            value: count as f64,
        },
        _ => FaultKind::NotANumber,
    }
}

/// Whether a state that is not the last one has a formula.
fn has_codes(edge: &EdgeStage) -> bool {
    let (last, discrete) = match edge.plan.producers.split_last() {
        Some(parts) => parts,
        None => return false,
    };
    let is_law = |producer: &Producer| matches!(producer, Producer::Law(_));
    // The last one is liquid, or a discrete state of a terminal target.
    discrete.iter().any(is_law)
        || (is_law(last) && edge.plan.laws.len() == 1 && discrete.is_empty())
}
