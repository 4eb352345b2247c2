//! Working memory of one thread, before its first row.

use bifrons_egm::{Expectation, PowerCertainty, Row, RowReader, StepWorkspace};

use super::{AssetWorker, Rows, Worker, has_codes};
use crate::endogenous::kinked::KinkedWorker;
use crate::endogenous::target::{Target, TargetKind, terminal};
use crate::program::{Machine, Program};

impl Rows<'_> {
    /// Working memory for the rows of one thread.
    pub(in crate::endogenous) fn worker(&self) -> Worker {
        let (kernel, margin) = (self.kernel, self.margin);
        let machine = |program: &Program| {
            let mut machine = program.machine();
            program.set(&mut machine, &kernel.parameters);
            machine
        };
        let edges = &kernel.stage.edges;
        let axes = edges.iter().map(|edge| edge.plan.axes.len()).max();
        let states = edges.iter().map(|edge| edge.plan.producers.len()).max();
        let nodes = margin.savings.len();
        let batch = self.settings.stochastic_node_batch_size;
        // Steps with breakpoints read and write in buffers of their own.
        let plain = if margin.kinked.is_none() { nodes } else { 0 };
        let mut row = Row::new();
        row.reserve(2 * plain);
        Worker {
            now: machine(&kernel.stage.now),
            cell: machine(&margin.cell),
            laws: {
                let laws = margin.laws.iter();
                laws.map(|law| law.as_ref().map(machine)).collect()
            },
            codes: self.code_machines(),
            terminals: self.targets.iter().map(terminal).collect(),
            expectation: Expectation::new().with_stochastic_node_batch_size(batch),
            certainty: (!kernel.plan.declaration.preferences.is_linear()).then(PowerCertainty::new),
            step: StepWorkspace::new(),
            row,
            queries: vec![0.0; plain * self.branches_read()],
            values: vec![0.0; nodes],
            marginals: vec![0.0; nodes],
            nodes: vec![0; axes.unwrap_or(0)],
            point: vec![0.0; kernel.plan.states.len()],
            action: vec![0.0; kernel.plan.actions.len()],
            next: vec![0.0; states.unwrap_or(0)],
            savings: margin.savings.clone(),
            kinked: margin.kinked.as_ref().map(|own| {
                let worker = KinkedWorker::default();
                (machine(&own.program), Box::new(worker))
            }),
            switching: margin
                .switching
                .as_ref()
                .map(|own| own.machine(&kernel.parameters)),
            slots: Vec::new(),
            asset: margin.slopes.as_ref().map(|slopes| {
                let reader = RowReader::new(self.settings.read);
                Box::new(AssetWorker::new(slopes, kernel, reader))
            }),
            chosen: None,
            outer: {
                let is_nested = self.targets.iter().any(Target::is_nested);
                is_nested.then(Box::default)
            },
        }
    }

    /// Branches of a target that are read at the same time.
    fn branches_read(&self) -> usize {
        let branches = self.targets.iter().map(|target| match target.kind {
            TargetKind::Rows(bank) if bank.outer.is_none() => bank.branches,
            _ => 1,
        });
        branches.max().unwrap_or(1)
    }

    fn code_machines(&self) -> Vec<Option<Machine>> {
        let edges = self.kernel.stage.edges.iter().enumerate();
        let own = edges.map(|(index, edge)| {
            let program = self.codes(index).filter(|_| has_codes(edge))?;
            let mut machine = program.machine();
            program.set(&mut machine, &self.kernel.parameters);
            Some(machine)
        });
        own.collect()
    }
}
