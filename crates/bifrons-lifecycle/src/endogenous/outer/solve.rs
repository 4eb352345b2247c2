//! All rows of a nested regime at one age, and its values on the grid.

use std::sync::Arc;

use bifrons_egm::{OuterError, OuterFold};
use bifrons_grids::Grid;
use bifrons_parallel::Threads;

use super::bank::{Face, Faces, Nest};
use super::search::Mesh;
use super::{OuterBank, OuterMargin, OuterReader};
use crate::endogenous::bank::{Bank, Entry};
use crate::endogenous::rows::{Solved, Trouble};
use crate::endogenous::utility::CellUtility;
use crate::endogenous::worker::{Rows, Task};
use crate::kernel::FaultKind;
use crate::solver::OuterSearch;

/// What the rows of all outer choices share.
pub(super) struct Nesting<'a> {
    pub(super) rows: &'a Rows<'a>,
    pub(super) outer: &'a OuterMargin,
    pub(super) threads: &'a Threads,
    pub(super) cells: usize,
    pub(super) branches: usize,
    /// Nodes of the stock and of the liquid state.
    pub(super) stocks: Vec<f64>,
    pub(super) liquid: Vec<f64>,
    pub(super) faces: Vec<Face>,
}

/// Solves a nested regime at one age.
pub(in crate::endogenous) fn solve_outer(
    rows: &Rows<'_>,
    outer: &OuterMargin,
    threads: &Threads,
) -> Result<Solved, Trouble> {
    let mut bank = empty(rows, outer);
    let nesting = Nesting::new(rows, outer, threads, &mut bank)?;
    bank.keepers = nesting.keepers()?;
    match &outer.search {
        OuterSearch::Grid(axis) => {
            bank.choices = axis.nodes().to_vec();
            for range in bifrons_egm::batches(bank.choices.len(), outer.batch) {
                bank.adjusters
                    .extend(nesting.adjusters(&bank.choices[range])?);
            }
        }
        OuterSearch::Adaptive(options) => {
            (bank.choices, bank.adjusters) = Mesh::find(&nesting, options)?;
        }
    }
    bank.golden = golden(&outer.search);
    let candidates = bank.choices.len() * bank.branches;
    if u32::try_from(candidates).is_ok_and(|count| count < OuterFold::KEEP) {
        bank.costs = nesting.costs(&bank.choices);
    } else {
        return Err(nesting.trouble(OuterError::Grid { count: candidates }));
    }
    bank.faces.clone_from(&nesting.faces);
    let values = nesting.values(&bank)?;
    let bank = Bank::nested(bank);
    Ok(Solved { values, bank })
}

/// Rows of one outer choice before they are solved.
struct Plan {
    /// Faces from one row to the next.
    step: usize,
    utilities: Vec<CellUtility>,
    tasks: Vec<Option<Task>>,
}

impl Plan {
    fn with(self, entries: Vec<Entry>) -> Nest {
        Nest {
            entries,
            utilities: Arc::new(self.utilities),
        }
    }
}

/// A bank whose rows are known: those of keeping, then choice by choice.
pub(in crate::endogenous) fn restore(
    rows: &Rows<'_>,
    outer: &OuterMargin,
    choices: Vec<f64>,
    next: &mut dyn FnMut() -> Option<Entry>,
) -> Option<OuterBank> {
    let threads = Threads::one();
    let mut bank = empty(rows, outer);
    let nesting = Nesting::new(rows, outer, &threads, &mut bank).ok()?;
    let mut fill = |plan: Plan| {
        let entries: Option<Vec<Entry>> = plan.tasks.iter().map(|_| next()).collect();
        entries.map(|entries| plan.with(entries))
    };
    bank.keepers = fill(nesting.plan_keepers().ok()?)?;
    for &choice in &choices {
        let nest = fill(nesting.plan_adjusters(choice).ok()?)?;
        bank.adjusters.push(nest);
    }
    bank.golden = golden(&outer.search);
    bank.costs = nesting.costs(&choices);
    bank.choices = choices;
    bank.faces = nesting.faces;
    Some(bank)
}

/// Golden-section steps between choices.
fn golden(search: &OuterSearch) -> Option<usize> {
    match search {
        OuterSearch::Grid(_) => None,
        OuterSearch::Adaptive(options) => Some(options.golden_iterations),
    }
}

/// A bank without rows.
pub(super) fn empty(rows: &Rows<'_>, outer: &OuterMargin) -> OuterBank {
    let kernel = rows.kernel;
    let axes = kernel.period.space.reader.space().axes();
    OuterBank {
        branches: kernel.period.choices.branches,
        nodes: axes[outer.state].nodes().to_vec(),
        outside: kernel.plan.states[outer.state].outside,
        choices: Vec::new(),
        faces: Vec::new(),
        costs: Vec::new(),
        adjusters: Vec::new(),
        keepers: Nest::default(),
        fixed: Vec::new(),
        golden: None,
        by_state: outer.by_state,
        batch: outer.batch,
    }
}

impl<'a> Nesting<'a> {
    /// Places resources, the stock after keeping and the fixed cost of every state.
    pub(super) fn new(
        rows: &'a Rows<'a>,
        outer: &'a OuterMargin,
        threads: &'a Threads,
        bank: &mut OuterBank,
    ) -> Result<Self, Trouble> {
        let kernel = rows.kernel;
        let axes = kernel.period.space.reader.space().axes();
        let liquid = axes[rows.margin.state].nodes().to_vec();
        let (branches, stocks) = (bank.branches, bank.nodes.clone());
        let cells = kernel.period.space.len() / liquid.len() / stocks.len();
        let mut nesting = Self {
            rows,
            outer,
            threads,
            cells,
            branches,
            stocks,
            liquid,
            faces: Vec::with_capacity(cells * branches * bank.nodes.len()),
        };
        let mut faces = Faces::new(kernel, rows.margin, outer);
        for face in 0..cells * branches * bank.nodes.len() {
            nesting.load(&mut faces, face);
            let own = faces.face().map_err(|kind| nesting.at(face, kind))?;
            nesting.faces.push(own);
        }
        for cell in 0..cells {
            for node in 0..bank.nodes.len() {
                let face = bank.face(cell, 0, node);
                nesting.load(&mut faces, face);
                let fixed = faces.fixed().map_err(|kind| nesting.at(face, kind))?;
                bank.fixed.push(fixed);
            }
        }
        Ok(nesting)
    }

    /// A fault of a face.
    fn at(&self, face: usize, kind: FaultKind) -> Trouble {
        let (rest, node) = (face / self.stocks.len(), face % self.stocks.len());
        Trouble {
            cell: rest / self.branches * self.stocks.len() + node,
            branch: rest % self.branches,
            kind,
        }
    }

    /// A fault of the search.
    pub(super) fn trouble(&self, error: OuterError) -> Trouble {
        self.at(0, FaultKind::Outer(error))
    }

    /// States and discrete actions of a face as inputs.
    pub(super) fn load(&self, faces: &mut Faces<'_>, face: usize) {
        let kernel = self.rows.kernel;
        let (rest, node) = (face / self.stocks.len(), face % self.stocks.len());
        let (cell, branch) = (rest / self.branches, rest % self.branches);
        let mut point = vec![0.0; kernel.plan.states.len()];
        let flat = (cell * self.stocks.len() + node) * self.liquid.len();
        kernel.period.space.point_into(flat, &mut point);
        faces.load(&point, branch);
    }

    /// The rows of keeping.
    fn keepers(&self) -> Result<Nest, Trouble> {
        self.solve(self.plan_keepers()?)
    }

    /// The rows of some outer choices.
    pub(super) fn adjusters(&self, choices: &[f64]) -> Result<Vec<Nest>, Trouble> {
        let nest = |&choice: &f64| self.solve(self.plan_adjusters(choice)?);
        choices.iter().map(nest).collect()
    }

    fn plan_keepers(&self) -> Result<Plan, Trouble> {
        self.plan(0.0, true, |face: usize| {
            let own = &self.faces[face];
            (own.feasible && own.may_keep).then_some(own.keep)
        })
    }

    fn plan_adjusters(&self, choice: f64) -> Result<Plan, Trouble> {
        let needed = |face| self.is_needed(face).then_some(choice);
        self.plan(1.0, self.outer.by_state, needed)
    }

    /// Whether a face, or one of those that share its row, is feasible.
    fn is_needed(&self, face: usize) -> bool {
        if self.outer.by_state {
            return self.faces[face].feasible;
        }
        let first = face - face % self.stocks.len();
        let mut shared = self.faces[first..first + self.stocks.len()].iter();
        shared.any(|own| own.feasible)
    }

    /// Rows of all cells and branches with the stock that is said for each face; `None` where
    /// it is not feasible.
    fn plan(
        &self,
        adjusts: f64,
        by_state: bool,
        stock: impl Fn(usize) -> Option<f64>,
    ) -> Result<Plan, Trouble> {
        let step = if by_state { 1 } else { self.stocks.len() };
        let count = self.faces.len() / step;
        let mut faces = Faces::new(self.rows.kernel, self.rows.margin, self.outer);
        let (mut utilities, mut tasks) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for at in 0..count {
            let face = at * step;
            let Some(post) = stock(face) else {
                utilities.push(CellUtility::any());
                tasks.push(None);
                continue;
            };
            self.load(&mut faces, face);
            let utility = faces.utility(post, adjusts);
            utilities.push(utility.map_err(|kind| self.at(face, kind))?);
            let (rest, node) = (face / self.stocks.len(), face % self.stocks.len());
            tasks.push(Some(Task {
                cell: rest / self.branches * self.stocks.len() + node,
                branch: rest % self.branches,
                action: faces.action(post),
                chosen: [post, adjusts],
            }));
        }
        Ok(Plan {
            step,
            utilities,
            tasks,
        })
    }

    /// Solves the rows of a plan.
    fn solve(&self, plan: Plan) -> Result<Nest, Trouble> {
        let mut entries: Vec<Entry> = plan.tasks.iter().map(|_| Entry::default()).collect();
        let done = self.threads.try_for_each_with(
            entries.iter_mut(),
            || self.rows.worker(),
            |worker, at, entry| match plan.tasks[at] {
                None => Ok(()),
                Some(task) => self
                    .rows
                    .solve_task(worker, task, &plan.utilities[at], entry),
            },
        );
        done.map_err(|(at, kind)| self.at(at * plan.step, kind))?;
        Ok(plan.with(entries))
    }

    /// Costs by face and choice.
    pub(super) fn costs(&self, choices: &[f64]) -> Vec<f64> {
        let mut faces = Faces::new(self.rows.kernel, self.rows.margin, self.outer);
        let mut all = vec![0.0; self.faces.len() * choices.len()];
        for (face, costs) in all.chunks_mut(choices.len().max(1)).enumerate() {
            self.load(&mut faces, face);
            faces.costs(choices, 1.0, costs);
        }
        all
    }

    /// Values on the grid.
    fn values(&self, bank: &OuterBank) -> Result<Vec<f64>, Trouble> {
        let count = self.liquid.len();
        let mut values = vec![0.0; self.cells * self.stocks.len() * count];
        let done = self.threads.try_for_each_with(
            values.chunks_mut(count),
            OuterReader::default,
            |reader, at, values| {
                let place = (at / self.stocks.len(), at % self.stocks.len());
                let fold = reader.read(bank, place, [1.0, 0.0], &self.liquid);
                fold.map(|fold| values.copy_from_slice(fold.value()))
            },
        );
        done.map_err(|(at, _)| Trouble {
            cell: at,
            branch: 0,
            kind: FaultKind::NotANumber,
        })?;
        Ok(values)
    }
}
