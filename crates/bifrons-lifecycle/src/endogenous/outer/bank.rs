//! The rows of a nested regime at one age, by outer choice.

use std::sync::Arc;

use bifrons_egm::{
    Affine as Line, Budget, EgmError, MarginalRead, Row, RowReader, RowView, SavingsNodes,
    UniformFixedCost,
};
use bifrons_grids::{Extrapolation, rank};
use bifrons_lanes::LANES;
use bifrons_memory::Footprint;

use super::OuterMargin;
use crate::endogenous::bank::Entry;
use crate::endogenous::kinked::Cell;
use crate::endogenous::margin::Margin;
use crate::endogenous::utility::CellUtility;
use crate::kernel::{FaultKind, Kernel};
use crate::program::{Machine, Program};

/// Rows for each outer choice, and what leads to them.
#[derive(Debug, Clone)]
pub(crate) struct OuterBank {
    pub(super) branches: usize,
    /// Nodes of the stock.
    pub(super) nodes: Vec<f64>,
    pub(super) outside: Extrapolation,
    /// Stocks that adjusting considers, ascending.
    pub(super) choices: Vec<f64>,
    /// By cell, branch and node of the stock.
    pub(super) faces: Vec<Face>,
    /// By face and choice; NaN where the choice is not allowed.
    pub(super) costs: Vec<f64>,
    /// By choice.
    pub(super) adjusters: Vec<Nest>,
    pub(super) keepers: Nest,
    /// By cell and node of the stock.
    pub(super) fixed: Vec<UniformFixedCost>,
    /// Golden-section steps between choices; `None` if only the choices themselves count.
    pub(super) golden: Option<usize>,
    /// Whether rows differ between stocks before the choice.
    pub(super) by_state: bool,
    /// Choices in flight.
    pub(super) batch: usize,
}

/// Rows of one outer choice, by cell, branch and, if they differ, node of the stock.
#[derive(Debug, Clone, Default)]
pub(super) struct Nest {
    pub(super) entries: Vec<Entry>,
    pub(super) utilities: Arc<Vec<CellUtility>>,
}

/// What a branch can spend at a stock, as a function of the liquid state, before any cost.
#[derive(Debug, Clone, Default)]
pub(super) struct Face {
    pub(super) feasible: bool,
    pub(super) slope: f64,
    pub(super) offset: f64,
    pub(super) budget: Option<Box<Budget>>,
    /// The stock after keeping.
    pub(super) keep: f64,
    /// Whether keeping is allowed.
    pub(super) may_keep: bool,
}

impl Face {
    pub(super) fn resources(&self, liquid: f64) -> f64 {
        match &self.budget {
            None => self.offset + self.slope * liquid,
            Some(budget) => budget.resources(liquid),
        }
    }
}

/// Distance from a node that counts as none, in units of the last place.
const SNAP: f64 = 8.0 * f64::EPSILON;

impl OuterBank {
    pub(in crate::endogenous) fn branches(&self) -> usize {
        self.branches
    }

    /// Stocks that adjusting considers.
    pub(in crate::endogenous) fn choices(&self) -> &[f64] {
        &self.choices
    }

    /// All rows: of keeping, then choice by choice.
    pub(in crate::endogenous) fn entries(&self) -> impl Iterator<Item = &Entry> {
        let nests = core::iter::once(&self.keepers).chain(&self.adjusters);
        nests.flat_map(|nest| &nest.entries)
    }

    pub(super) fn face(&self, cell: usize, branch: usize, node: usize) -> usize {
        (cell * self.branches + branch) * self.nodes.len() + node
    }

    /// The row of a choice, with its utility; `None` where it is not feasible.
    pub(super) fn adjuster(
        &self,
        face: usize,
        choice: usize,
    ) -> Option<(&RowReader, &CellUtility)> {
        self.adjusters[choice].row(self.adjusted(face))
    }

    pub(super) fn keeper(&self, face: usize) -> Option<(&RowReader, &CellUtility)> {
        self.keepers.row(face).filter(|_| self.faces[face].may_keep)
    }

    /// The row of a choice at a face, whether it is feasible or not.
    fn adjusted(&self, face: usize) -> usize {
        if self.by_state {
            face
        } else {
            face / self.nodes.len()
        }
    }

    /// Consumption that leaves savings on the better side of every cliff of the rows at these
    /// faces: of keeping, or of a choice. `sizes` is the sum of all numbers, without their signs,
    /// that resources are made of.
    pub(super) fn settle(
        &self,
        faces: impl Iterator<Item = usize>,
        choice: Option<usize>,
        (sizes, resources): (f64, f64),
        consumption: f64,
    ) -> f64 {
        faces.fold(consumption, |c, face| {
            let entry = match choice {
                None => self.keepers.entries.get(face),
                Some(choice) => self.adjusters[choice].entries.get(self.adjusted(face)),
            };
            entry.map_or(c, |entry| entry.settle(sizes, resources, c))
        })
    }

    pub(super) fn cost(&self, face: usize, choice: usize) -> f64 {
        self.costs[face * self.choices.len() + choice]
    }

    /// Nodes beside a stock and their weights; `None` outside of a grid that forbids it.
    pub(in crate::endogenous) fn weights(&self, stock: f64) -> Option<[(usize, f64); 2]> {
        let (nodes, last) = (&self.nodes, self.nodes.len() - 1);
        let above = rank(nodes, stock).min(last);
        for at in [above.saturating_sub(1), above] {
            if (stock - nodes[at]).abs() <= SNAP * stock.abs().max(nodes[at].abs()) {
                return Some([(at, 1.0), (at, 0.0)]);
            }
        }
        let outside = stock < nodes[0] || stock > nodes[last];
        if outside && self.outside == Extrapolation::Error || stock.is_nan() {
            return None;
        }
        if last == 0 {
            return Some([(0, 1.0), (0, 0.0)]);
        }
        let low = rank(nodes, stock).clamp(1, last) - 1;
        let share = (stock - nodes[low]) / (nodes[low + 1] - nodes[low]);
        let share = if self.outside == Extrapolation::Linear {
            share
        } else {
            share.clamp(0.0, 1.0)
        };
        Some([(low, 1.0 - share), (low + 1, share)])
    }

    /// Adds the breakpoints of the budgets at a cell and node.
    pub(in crate::endogenous) fn add_breaks(
        &self,
        nodes: &mut SavingsNodes,
        (cell, node): (usize, usize),
        [slope, intercept]: [f64; 2],
    ) -> Result<(), EgmError> {
        for branch in 0..self.branches {
            let face = &self.faces[self.face(cell, branch, node)];
            if let Some(budget) = face.budget.as_ref().filter(|_| face.feasible) {
                nodes.add_child(Line { slope, intercept }, budget, NOTHING)?;
            }
        }
        Ok(())
    }

    /// Bytes of a bank with so many rows of this many records, faces and choices.
    pub(in crate::endogenous) fn footprint(
        faces: usize,
        rows: usize,
        (records, read): (usize, MarginalRead),
        choices: usize,
    ) -> Footprint {
        let row = RowReader::plain_footprint(records, read).beside(Row::footprint(records));
        Footprint::of::<Face>(faces)
            .beside(Footprint::of::<UniformFixedCost>(faces))
            .beside(Footprint::of::<f64>(faces.saturating_mul(choices)))
            .beside(Footprint::of::<Nest>(choices))
            .beside(Footprint::of::<Entry>(rows))
            .beside(Footprint::of::<CellUtility>(rows))
            .beside(row.times(rows as u64))
    }
}

/// A row that has no breakpoints of its own.
const NOTHING: RowView<'static> = RowView {
    x: &[],
    value: &[],
    policy: &[],
    marginal: &[],
    equivalent: &[],
    owner: &[],
    marks: &[],
    corner: None,
};

impl Nest {
    pub(super) fn row(&self, at: usize) -> Option<(&RowReader, &CellUtility)> {
        let entry = self.entries.get(at).filter(|entry| entry.feasible)?;
        Some((&entry.reader, &self.utilities[at]))
    }
}

/// Programs of an outer margin with inputs of one state and combination of discrete actions.
#[derive(Debug)]
pub(super) struct Faces<'a> {
    kernel: &'a Kernel<'a>,
    margin: &'a Margin,
    outer: &'a OuterMargin,
    cell: Machine,
    pair: Machine,
    map: Machine,
    utility: Machine,
    kinked: Option<Machine>,
    inputs: Vec<f64>,
}

impl<'a> Faces<'a> {
    pub(super) fn new(kernel: &'a Kernel<'a>, margin: &'a Margin, outer: &'a OuterMargin) -> Self {
        let machine = |program: &Program| {
            let mut machine = program.machine();
            program.set(&mut machine, &kernel.parameters);
            machine
        };
        Self {
            cell: machine(&margin.cell),
            pair: machine(&outer.pair),
            map: machine(&outer.map),
            utility: machine(&margin.utility),
            kinked: margin.kinked.as_ref().map(|own| machine(&own.program)),
            inputs: vec![0.0; kernel.plan.states.len() + kernel.plan.actions.len()],
            kernel,
            margin,
            outer,
        }
    }

    /// Takes a state and the discrete actions of a branch as inputs.
    pub(super) fn load(&mut self, point: &[f64], branch: usize) {
        let states = self.kernel.plan.states.len();
        for (slot, (state, &at)) in self
            .inputs
            .iter_mut()
            .zip(self.kernel.plan.states.iter().zip(point))
        {
            *slot = state.value(at);
        }
        let choices = &self.kernel.period.choices;
        choices.values_into(branch * choices.inner, &mut self.inputs[states..]);
        for machine in [
            &mut self.cell,
            &mut self.pair,
            &mut self.map,
            &mut self.utility,
        ] {
            for (slot, &value) in machine.slots.iter_mut().zip(&self.inputs) {
                *slot = [value; LANES];
            }
        }
    }

    /// Resources and the stock after keeping.
    pub(super) fn face(&mut self) -> Result<Face, FaultKind> {
        let level = self.kernel.level;
        self.margin.cell.run(level, &mut self.cell);
        let outputs = self.margin.cell.outputs(&self.cell);
        let [feasible, slope, offset] = [0, 1, 2].map(|at: usize| outputs[at][0]);
        let keep = self.map()[0];
        let mut face = Face {
            feasible: feasible > 0.0,
            slope,
            offset,
            keep,
            ..Face::default()
        };
        if !face.feasible {
            return Ok(face);
        }
        if !(slope > 0.0 && offset.is_finite()) {
            let what = "resources must increase strictly with the liquid state: a positive slope";
            return Err(FaultKind::Shape { what, value: slope });
        }
        let mut cost = [0.0];
        self.costs(&[keep], 0.0, &mut cost);
        face.may_keep = !cost[0].is_nan();
        if let Some((kinked, machine)) = self.margin.kinked.as_ref().zip(self.kinked.as_mut()) {
            let cell = Cell {
                leaves: &self.kernel.stage.leaves,
                parameters: &self.kernel.parameters,
                inputs: &self.inputs,
                state: self.margin.state,
                range: self.margin.range(self.kernel),
            };
            face.budget = Some(Box::new(kinked.budget(machine, &cell)?));
        }
        Ok(face)
    }

    /// The stock after keeping, offset and factor of the stock in the action, scale of the fixed
    /// cost.
    pub(super) fn map(&mut self) -> [f64; 4] {
        self.outer.map.run(self.kernel.level, &mut self.map);
        let outputs = self.outer.map.outputs(&self.map);
        [0, 1, 2, 3].map(|at: usize| outputs[at][0])
    }

    /// The fixed cost.
    pub(super) fn fixed(&mut self) -> Result<UniformFixedCost, FaultKind> {
        let Some([low, high]) = self.outer.fixed else {
            return Ok(UniformFixedCost::NONE);
        };
        let scale = self.map()[3];
        UniformFixedCost::new(scale, low, high).map_err(FaultKind::Outer)
    }

    /// Costs of stocks after the choice; NaN where constraints do not hold.
    pub(super) fn costs(&mut self, stocks: &[f64], adjusts: f64, costs: &mut [f64]) {
        let (post, flag) = {
            let count = self.outer.pair.input_count();
            (count - 2, count - 1)
        };
        let states = self.kernel.plan.states.len();
        let [_, offset, factor, _] = self.map();
        for (stocks, costs) in stocks.chunks(LANES).zip(costs.chunks_mut(LANES)) {
            for lane in 0..LANES {
                let stock = stocks[lane.min(stocks.len() - 1)];
                self.pair.slots[post][lane] = stock;
                self.pair.slots[flag][lane] = adjusts;
                self.pair.slots[states + self.outer.action][lane] = (stock - offset) / factor;
            }
            self.outer.pair.run(self.kernel.level, &mut self.pair);
            let outputs = self.outer.pair.outputs(&self.pair);
            for (lane, cost) in costs.iter_mut().enumerate() {
                *cost = if outputs[1][lane] > 0.0 {
                    outputs[0][lane]
                } else {
                    f64::NAN
                };
            }
        }
    }

    /// The action that leads to a stock.
    pub(super) fn action(&mut self, stock: f64) -> f64 {
        let [_, offset, factor, _] = self.map();
        (stock - offset) / factor
    }

    /// Utility of consumption given the stock after the choice.
    pub(super) fn utility(&mut self, stock: f64, adjusts: f64) -> Result<CellUtility, FaultKind> {
        let (margin, states) = (self.margin, self.kernel.plan.states.len());
        let action = self.action(stock);
        let count = margin.utility.input_count();
        self.utility.slots[states + self.outer.action] = [action; LANES];
        self.utility.slots[count - 2] = [stock; LANES];
        self.utility.slots[count - 1] = [adjusts; LANES];
        let last = margin.savings.last().copied().unwrap_or(1.0);
        let scale = if last > 0.0 { last } else { 1.0 };
        let at = states + margin.action;
        let own = CellUtility::recognise(&margin.utility, &mut self.utility, at, scale);
        own.ok_or(FaultKind::Shape {
            what: "marginal utility must be positive and fall with the action, up to the largest \
                   savings",
            value: stock,
        })
    }
}
