//! Rows on the liquid nodes, where what is behind savings moves with the liquid state.

use bifrons_egm::{EgmError, Expectation, Record, RowReader, SavingsProblem, dcegm_step};
use bifrons_grids::Grid;
use bifrons_lanes::LANES;
use bifrons_memory::Footprint;

use super::{Pass, Rows, Worker, fault_of};
use crate::edge::MeshAxis;
use crate::endogenous::bank::Entry;
use crate::endogenous::margin::Slopes;
use crate::endogenous::utility::CellUtility;
use crate::kernel::{FaultKind, Kernel};
use crate::program::{Machine, Program};
use crate::space::code;
use crate::stage::EdgeStage;

/// A number and its derivative by the liquid state.
type Dual = [f64; 2];

/// Working memory of rows on liquid nodes.
#[derive(Debug)]
pub(in crate::endogenous) struct AssetWorker {
    now: Machine,
    laws: Vec<Option<Machine>>,
    single: Expectation,
    reader: RowReader,
}

impl AssetWorker {
    pub(super) fn new(slopes: &Slopes, kernel: &Kernel<'_>, reader: RowReader) -> Self {
        let machine = |program: &Program| {
            let mut machine = program.machine();
            program.set(&mut machine, &kernel.parameters);
            machine
        };
        let laws = slopes.laws.iter();
        Self {
            now: machine(&slopes.now),
            laws: laws.map(|law| law.as_ref().map(machine)).collect(),
            single: Expectation::new(),
            reader,
        }
    }

    /// Bytes for rows with so many records, read by so many branches.
    pub(in crate::endogenous) fn footprint(
        slopes: &Slopes,
        records: usize,
        branches: usize,
    ) -> Footprint {
        let laws = slopes.laws.iter().flatten();
        laws.map(Program::footprint)
            .fold(slopes.now.footprint(), Footprint::beside)
            .beside(Footprint::of::<Option<Machine>>(slopes.laws.len()))
            .beside(Expectation::footprint(1, branches, 0))
            .beside(RowReader::footprint(records))
    }
}

impl Rows<'_> {
    /// One record for each liquid node: the row of savings with the node put in, read once.
    ///
    /// ```text
    /// V(l) = max over c of  u(c) + W(M(l) - c; l),    W = β E V'
    /// G(l) = u'(c) + (∂W/∂l) / M'(l)                  at the best savings
    /// ```
    ///
    /// `G` is the derivative of the value by resources, so that parents multiply it by the slope
    /// of the resources as they do with every row.
    pub(super) fn solve_asset(
        &self,
        worker: &mut Worker,
        utility: &CellUtility,
        entry: &mut Entry,
    ) -> Result<(), FaultKind> {
        let Some(mut own) = worker.asset.take() else {
            return Ok(());
        };
        let nodes = self.kernel.period.space.reader.space().axes()[self.margin.state].nodes();
        entry.row.clear();
        entry.row.reserve(nodes.len());
        entry.feasible = false;
        for &liquid in nodes {
            worker.now.slots[self.margin.state] = [liquid; LANES];
            let place = [entry.resources(liquid), entry.slope];
            let record = self.record(worker, &mut own, utility, place)?;
            entry.feasible |= record.value > f64::NEG_INFINITY;
            entry.row.push(record);
        }
        worker.asset = Some(own);
        entry.reader = RowReader::new(self.settings.read);
        let done = entry.reader.prepare(entry.row.view());
        done.map_err(|_| FaultKind::NotANumber)
    }

    /// The record at the liquid node that has been put in.
    fn record(
        &self,
        worker: &mut Worker,
        own: &mut AssetWorker,
        utility: &CellUtility,
        [resources, slope]: [f64; 2],
    ) -> Result<Record, FaultKind> {
        let dead = Record {
            x: resources,
            value: f64::NEG_INFINITY,
            policy: 0.0,
            marginal: 0.0,
            owner: 0,
        };
        self.average(worker)?;
        let discount = self.discount(worker);
        let Worker {
            expectation,
            step,
            row,
            savings,
            ..
        } = &mut *worker;
        let (value, marginal, u) = (
            expectation.value(),
            expectation.marginal(),
            utility.as_dyn(),
        );
        let stepped = SavingsProblem::new(savings, value, marginal, u, discount)
            .and_then(|problem| dcegm_step(&problem, &self.settings.step, step, row));
        match stepped {
            Ok(_) => {}
            Err(EgmError::NoCandidate { .. }) => return Ok(dead),
            Err(error) => return Err(fault_of(&error)),
        }
        let found = own.reader.prepare(row.view());
        let found = found.and_then(|()| own.reader.read(u, resources));
        let found = found.map_err(|_| FaultKind::NotANumber)?;
        if found.value == f64::NEG_INFINITY {
            return Ok(dead);
        }
        let policy = found.policy;
        let [future, moves] = self.future(worker, own, resources - policy)?;
        let place = self.kernel.stage.layout.preferences;
        let patience = self.slopes(own)[place][0];
        let shift = patience * future + discount * moves;
        Ok(Record {
            value: found.value,
            policy,
            marginal: u.marginal(policy) + shift / slope,
            ..dead
        })
    }

    /// The derivatives of what the program of now says, after [`Rows::future`].
    fn slopes<'w>(&self, own: &'w AssetWorker) -> &'w [[f64; LANES]] {
        let slopes = self.margin.slopes.as_ref();
        slopes.map_or(&[], |slopes| slopes.now.outputs(&own.now))
    }

    /// `E V'` at some savings and its derivative by the liquid state.
    fn future(
        &self,
        worker: &mut Worker,
        own: &mut AssetWorker,
        savings: f64,
    ) -> Result<Dual, FaultKind> {
        let Some(slopes) = &self.margin.slopes else {
            return Ok([0.0; 2]);
        };
        let count = self.kernel.stage.now.input_count();
        own.now.slots[..count].copy_from_slice(&worker.now.slots[..count]);
        slopes.now.run(self.kernel.level, &mut own.now);
        // Next periods are read at one liquid state at a time, as savings of zero beside it.
        let nodes = worker.savings.len();
        worker.savings.clear();
        worker.savings.push(0.0);
        worker.values.truncate(1);
        worker.marginals.truncate(1);
        let mut sum = [0.0; 2];
        let mut done = Ok(());
        for place in 0..self.targets.len() {
            done = done.and_then(|()| self.add_edge(worker, own, (place, savings), &mut sum));
        }
        worker.savings.clear();
        worker.savings.extend_from_slice(&self.margin.savings);
        worker.values.resize(nodes, 0.0);
        worker.marginals.resize(nodes, 0.0);
        done.map(|()| sum)
    }

    /// Adds the lottery of one edge.
    fn add_edge(
        &self,
        worker: &mut Worker,
        own: &mut AssetWorker,
        (place, savings): (usize, f64),
        sum: &mut Dual,
    ) -> Result<(), FaultKind> {
        let index = self.targets[place].edge;
        let edge = &self.kernel.stage.edges[index];
        let at = self.kernel.stage.layout.edges[index];
        let reached = [
            self.kernel.stage.now.outputs(&worker.now)[at][0],
            self.slopes(own)[at][0],
        ];
        if reached[0] == 0.0 && reached[1] == 0.0 {
            return Ok(());
        }
        self.load_laws(worker, index);
        if let Some(machine) = &mut own.laws[index] {
            let count = self.kernel.stage.now.input_count();
            machine.slots[..count].copy_from_slice(&worker.now.slots[..count]);
        }
        worker.nodes[..edge.plan.axes.len()].fill(0);
        loop {
            let [weight, change] = self.dual_weight(worker, own, (index, edge), reached);
            if weight != 0.0 || change != 0.0 {
                let [slope, offset] = self.law(index, edge, worker);
                let [tilt, shift] = self.law_slope(worker, own, (index, edge));
                let next = slope * savings + offset;
                let [value, marginal] = self.next(worker, own, (place, edge), next)?;
                sum[0] += weight * value;
                sum[1] += change * value + weight * marginal * (tilt * savings + shift);
            }
            if !self.advance(edge, &mut worker.nodes) {
                return Ok(());
            }
        }
    }

    /// The weight of the current node and its derivative.
    fn dual_weight(
        &self,
        worker: &Worker,
        own: &AssetWorker,
        (index, edge): (usize, &EdgeStage),
        reached: Dual,
    ) -> Dual {
        let values = self.kernel.stage.now.outputs(&worker.now);
        let slopes = self.slopes(own);
        let shocks = &self.kernel.plan.declaration.shocks;
        let mut product = reached;
        for (place, axis) in edge.plan.axes.iter().enumerate() {
            let node = worker.nodes[place];
            let [weight, change] = match axis {
                MeshAxis::Shock(shock) => [shocks[*shock].probabilities[node], 0.0],
                MeshAxis::Markov { .. } => {
                    let at = self.kernel.stage.layout.markov[index][place] + node;
                    [values[at][0], slopes[at][0]]
                }
                MeshAxis::Process { chain, source, .. } => {
                    let row = source.map_or(0, |state| code(worker.point[state]));
                    [chain.row(row)[node], 0.0]
                }
            };
            product = [
                product[0] * weight,
                product[1] * weight + product[0] * change,
            ];
        }
        product
    }

    /// Derivatives of slope and offset of the law at the current node.
    fn law_slope(
        &self,
        worker: &Worker,
        own: &mut AssetWorker,
        (index, edge): (usize, &EdgeStage),
    ) -> [f64; 2] {
        let slopes = self.margin.slopes.as_ref();
        let law = slopes.and_then(|slopes| slopes.laws[index].as_ref());
        let Some((law, machine)) = law.zip(own.laws[index].as_mut()) else {
            return [0.0; 2];
        };
        self.load_nodes(edge, &worker.nodes, machine);
        law.run(self.kernel.level, machine);
        let outputs = law.outputs(machine);
        [outputs[0][0], outputs[1][0]]
    }

    /// Value and marginal value of the current node at a next liquid state.
    fn next(
        &self,
        worker: &mut Worker,
        own: &mut AssetWorker,
        (place, edge): (usize, &EdgeStage),
        liquid: f64,
    ) -> Result<Dual, FaultKind> {
        core::mem::swap(&mut worker.expectation, &mut own.single);
        worker.expectation.reset(1);
        let done = self.add(worker, (place, Pass::Values), edge, 1.0, [1.0, liquid]);
        let read = [
            worker.expectation.value()[0],
            worker.expectation.marginal()[0],
        ];
        core::mem::swap(&mut worker.expectation, &mut own.single);
        done.map(|()| read)
    }
}
