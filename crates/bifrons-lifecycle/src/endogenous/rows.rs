//! All rows of a regime at one age, and its values on the grid.

use std::sync::Arc;

use bifrons_egm::{
    AdaptiveSolution, Expectation, MarginalRead, PowerCertainty, Readings, Row, RowReader,
    StepWorkspace,
};
use bifrons_expr::SwitchKind;
use bifrons_grids::Grid;
use bifrons_lanes::LANES;
use bifrons_memory::Footprint;
use bifrons_parallel::Threads;

use super::bank::{Bank, Entry};
use super::intervals::Slot;
use super::kinked::{BREAKS, KinkedWorker};
use super::margin::Margin;
use super::outer::{OuterBank, OuterMargin, OuterReader, solve_outer};
use super::switching::Switching;
use super::target::{Target, TargetKind};
use super::utility::CellUtility;
use super::worker::{AssetWorker, Rows};
use crate::kernel::{FaultKind, Kernel};
use crate::model::{PeriodPlan, RegimePlan};
use crate::preference::log_sum;
use crate::problem::Problem;
use crate::solution::Solution;
use crate::solver::{DcEgm, OuterSearch};
use crate::stage::Stage;

/// A regime at one age, solved.
#[derive(Debug)]
pub(crate) struct Solved {
    pub(crate) values: Vec<f64>,
    pub(crate) bank: Bank,
}

/// A fault of a cell and branch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Trouble {
    pub(crate) cell: usize,
    pub(crate) branch: usize,
    pub(crate) kind: FaultKind,
}

/// Utilities of a regime that do not change with age.
pub(crate) type Cache = Option<Arc<Vec<CellUtility>>>;

/// Solves a regime by its rows; `None` if it has no margin.
pub(crate) fn solve(
    solution: &Solution,
    kernel: &Kernel<'_>,
    period: usize,
    threads: &Threads,
    cache: &mut Cache,
) -> Option<Result<Solved, Trouble>> {
    let margin = kernel.stage.margin.as_ref()?;
    let settings = settings(kernel.plan, margin)?;
    let targets = targets(solution, kernel, period)?;
    if let Some(outer) = &margin.outer {
        let rows = Rows {
            kernel,
            margin,
            settings,
            targets,
            utilities: &[],
        };
        return Some(solve_outer(&rows, outer, threads));
    }
    Some(solve_rows(
        kernel, margin, settings, targets, threads, cache,
    ))
}

/// Settings of the solver. Under Epstein-Zin preferences the marginal is the derivative of what is
/// read as value, so that the marginal of the certainty equivalent is the derivative of it. So it
/// is in rows on liquid nodes, whose marginal is no marginal utility and may be negative.
pub(super) fn settings(plan: &RegimePlan, margin: &Margin) -> Option<DcEgm> {
    let own = plan.declaration.solver.settings()?;
    if plan.declaration.preferences.is_linear() && margin.slopes.is_none() {
        return Some(own);
    }
    Some(own.read(own.read.with_marginal(MarginalRead::DerivativeOfValue)))
}

fn solve_rows(
    kernel: &Kernel<'_>,
    margin: &Margin,
    settings: DcEgm,
    targets: Vec<Target<'_>>,
    threads: &Threads,
    cache: &mut Cache,
) -> Result<Solved, Trouble> {
    let branches = kernel.period.choices.branches;
    let utilities = match cache.take() {
        Some(known) if !margin.by_age => known,
        _ => Arc::new(utilities(kernel, margin)?),
    };
    *cache = Some(utilities.clone());
    let shape = kernel.period.space.reader.space().shape();
    let liquid = shape[margin.state];
    let cells = kernel.period.space.len() / liquid;
    let mut entries: Vec<Entry> = (0..cells * branches).map(|_| Entry::default()).collect();
    let rows = Rows {
        kernel,
        margin,
        settings,
        targets,
        utilities: &utilities,
    };
    let done = threads.try_for_each_with(
        entries.iter_mut(),
        || rows.worker(),
        |worker, index, entry| rows.solve(worker, index, entry),
    );
    if let Err((index, kind)) = done {
        return Err(Trouble {
            cell: index / branches,
            branch: index % branches,
            kind,
        });
    }
    let scale = taste(kernel);
    let bank = Bank {
        branches,
        entries,
        utilities,
        scale,
        outer: None,
    };
    let nodes = kernel.period.space.reader.space().axes()[margin.state].nodes();
    let solver = &kernel.plan.declaration.solver;
    let width = solver.branches_at_a_time(branches);
    let mut values = vec![0.0; cells * liquid];
    threads.for_each_with(
        values.chunks_mut(liquid),
        || Table::new(width, liquid),
        |table, cell, values| table.fill(&bank, cell, nodes, values),
    );
    Ok(Solved { values, bank })
}

/// The scale of the taste shocks, a number of the age.
pub(super) fn taste(kernel: &Kernel<'_>) -> f64 {
    let name = crate::stage::preference_symbol("scale");
    let declared = kernel.plan.declaration.taste_shocks.as_ref();
    declared.map_or(0.0, |_| {
        let value = kernel.stage.constant(&name, &kernel.parameters);
        value.unwrap_or(0.0)
    })
}

/// Values of some or all branches of a cell at the nodes of the liquid state.
struct Table {
    /// Branches at a time; fewer than all only without taste shocks.
    width: usize,
    values: Vec<f64>,
    resources: Vec<f64>,
    policy: Vec<f64>,
    marginal: Vec<f64>,
    column: Vec<f64>,
}

impl Table {
    fn new(width: usize, liquid: usize) -> Self {
        Self {
            width,
            values: vec![0.0; width * liquid],
            resources: vec![0.0; liquid],
            policy: vec![0.0; liquid],
            marginal: vec![0.0; liquid],
            column: vec![0.0; width],
        }
    }

    /// The values of a cell. Branches are taken in ascending order, so that the width changes no
    /// bit: of a maximum all that matters is the order of its terms.
    fn fill(&mut self, bank: &Bank, cell: usize, nodes: &[f64], values: &mut [f64]) {
        let count = nodes.len();
        values.fill(f64::NEG_INFINITY);
        let mut first = 0;
        while first < bank.branches {
            let width = self.width.min(bank.branches - first);
            for own in 0..width {
                self.read(bank, (cell, first + own, own), nodes);
            }
            for (node, value) in values.iter_mut().enumerate() {
                let column = &mut self.column[..width];
                for (branch, slot) in column.iter_mut().enumerate() {
                    *slot = self.values[branch * count + node];
                }
                // The sum is the largest value for a scale of zero.
                let own = log_sum(bank.scale, column);
                if own > *value || own.is_nan() {
                    *value = own;
                }
            }
            first += width;
        }
    }

    /// Values of one branch at all nodes, into its place.
    fn read(&mut self, bank: &Bank, (cell, branch, place): (usize, usize, usize), nodes: &[f64]) {
        let count = nodes.len();
        let index = cell * bank.branches + branch;
        let entry = &bank.entries[index];
        let own = &mut self.values[place * count..(place + 1) * count];
        if !entry.feasible {
            own.fill(f64::NEG_INFINITY);
            return;
        }
        if entry.has_breaks() {
            // Resources fall at a cliff, so each node is read on its own.
            for (slot, &node) in own.iter_mut().zip(nodes) {
                let choice = bank.read(cell, branch, node);
                *slot = choice.map_or(f64::NEG_INFINITY, |choice| choice.value);
            }
            return;
        }
        for (slot, &node) in self.resources.iter_mut().zip(nodes) {
            *slot = entry.resources(node);
        }
        let out = Readings {
            value: &mut *own,
            policy: &mut self.policy,
            marginal: &mut self.marginal,
        };
        let utility = bank.utilities[index].as_dyn();
        if entry
            .reader
            .read_sorted(utility, &self.resources, out)
            .is_err()
        {
            own.fill(f64::NAN);
        }
    }
}

/// Utilities of all cells and branches.
pub(super) fn utilities(kernel: &Kernel<'_>, margin: &Margin) -> Result<Vec<CellUtility>, Trouble> {
    let choices = &kernel.period.choices;
    let liquid = kernel.period.space.reader.space().shape()[margin.state];
    let cells = kernel.period.space.len() / liquid;
    let mut machine = margin.utility.machine();
    margin.utility.set(&mut machine, &kernel.parameters);
    let states = kernel.plan.states.len();
    let mut point = vec![0.0; states];
    let mut action = vec![0.0; kernel.plan.actions.len()];
    let last = margin.savings.last().copied().unwrap_or(1.0);
    let scale = if last > 0.0 { last } else { 1.0 };
    let mut all = Vec::with_capacity(cells * choices.branches);
    for index in 0..cells * choices.branches {
        let (cell, branch) = (index / choices.branches, index % choices.branches);
        kernel.period.space.point_into(cell * liquid, &mut point);
        choices.values_into(branch * choices.inner, &mut action);
        for (place, state) in kernel.plan.states.iter().enumerate() {
            machine.slots[place] = [state.value(point[place]); LANES];
        }
        for (place, &value) in action.iter().enumerate() {
            machine.slots[states + place] = [value; LANES];
        }
        let at = states + margin.action;
        let (own, what) = if kernel.plan.declaration.preferences.is_linear() {
            let own = CellUtility::recognise(&margin.utility, &mut machine, at, scale);
            let what = "marginal utility must be positive and fall with the action, up to the \
                        largest savings";
            (own, what)
        } else {
            let own = CellUtility::recursive(&margin.utility, &mut machine, at, scale);
            let what = "E-NB-EZ: under Epstein-Zin preferences utility must be A·c^φ with positive A \
                        and φ, φ(1 - 1/ψ) below one, positive ψ and a discount factor inside of \
                        (0, 1), for consumption up to the largest savings";
            (own, what)
        };
        all.push(own.ok_or(Trouble {
            cell,
            branch,
            kind: FaultKind::Shape { what, value: scale },
        })?);
    }
    Ok(all)
}

/// What is behind each live edge.
fn targets<'a>(
    solution: &'a Solution,
    kernel: &Kernel<'_>,
    period: usize,
) -> Option<Vec<Target<'a>>> {
    let problem: &Problem = &solution.problem;
    let model = &problem.model.inner;
    let mut targets = Vec::with_capacity(kernel.period.live.len());
    for &edge in &kernel.period.live {
        let index = kernel.stage.edges[edge].plan.target;
        let plan = &model.regimes[index];
        let there = plan.periods.get(period + 1)?.as_ref()?;
        let kind = if plan.is_terminal() {
            let terminal = plan.stages[there.stage].terminal.as_ref()?;
            TargetKind::Terminal {
                worth: &terminal.worth,
                parameters: problem.parameters_at(period + 1),
                values: &plan.states,
                state: terminal.state,
            }
        } else {
            TargetKind::Rows(solution.slots.get(period + 1)?[index].bank.as_ref()?)
        };
        targets.push(Target {
            edge,
            space: &there.space,
            kind,
        });
    }
    Some(targets)
}

/// Bytes that a regime at one age leaves behind, and those of one worker; `later` ages of
/// decisions follow.
pub(crate) fn footprint(
    regimes: &[RegimePlan],
    plan: &RegimePlan,
    own: &PeriodPlan,
    later: usize,
) -> Option<(Footprint, Footprint)> {
    let stage = &plan.stages[own.stage];
    let margin = stage.margin.as_ref()?;
    let nodes = margin.savings.len();
    let liquid = own.space.reader.space().shape()[margin.state];
    let branches = own.choices.branches;
    let rows = own.space.len() / liquid * branches;
    let options = plan.declaration.solver.kinked();
    let options = options.filter(|_| margin.kinked.is_some());
    let kinks = breakpoints(regimes, stage, own, |_| true);
    let passed_on = if margin.outer.is_some() { 1 } else { 3 * later };
    let most = options.as_ref().map_or(0, |own| own.mark_limit);
    // Those that next period's resources add are not among the marks of a row.
    let breaks = kinks
        .saturating_mul(passed_on)
        .min(most + kinks)
        .max(BREAKS);
    // Crossings are few; a row of a folded chain has at most twice its nodes.
    let records = match &margin.slopes {
        Some(_) => liquid,
        None if ends(regimes, stage, own) => 0,
        // Both sides of the breakpoints that are followed.
        None if margin.kinked.is_some() => nodes + 2 * breaks,
        None => nodes,
    };
    let intervals = margin.switching.as_ref().map_or(1, Switching::most);
    let read = settings(plan, margin)?.read.marginal;
    let bank = match &margin.outer {
        None if intervals > 1 => {
            Bank::footprint(rows * intervals, records, read).beside(Footprint::of::<Entry>(rows))
        }
        None => Bank::footprint(rows, records, read),
        Some(outer) => nested_footprint(own, outer, (rows, liquid, records), read),
    };
    let cliffs = breakpoints(regimes, stage, own, |kind| kind != SwitchKind::Kink);
    let kinked = options.map_or(Footprint::ZERO, |options| {
        KinkedWorker::footprint(nodes, (breaks, cliffs), &options)
    });
    let worker = worker_footprint(plan, stage, margin, (nodes, liquid, branches))?;
    let slopes = margin.slopes.as_ref();
    let asset = slopes.map(|own| AssetWorker::footprint(own, 2 * nodes, branches));
    let nested = margin.outer.as_ref().map_or(Footprint::ZERO, |outer| {
        let candidates = choices(outer) * branches;
        OuterReader::footprint(nodes.max(liquid), candidates, outer.batch)
    });
    let worker = worker.beside(nested).beside(kinked);
    let slots = slots_footprint(plan, nodes, intervals);
    Some((
        bank,
        worker
            .beside(slots)
            .beside(asset.unwrap_or(Footprint::ZERO)),
    ))
}

/// Buffers of one worker that every solver with rows has.
fn worker_footprint(
    plan: &RegimePlan,
    stage: &Stage,
    margin: &Margin,
    (nodes, liquid, branches): (usize, usize, usize),
) -> Option<Footprint> {
    let settings = plan.declaration.solver.settings()?;
    let width = plan.declaration.solver.branches_at_a_time(branches);
    let certainty = if plan.declaration.preferences.is_linear() {
        Footprint::ZERO
    } else {
        PowerCertainty::footprint(nodes)
    };
    // Steps with breakpoints read and write in buffers of their own.
    let (read, step) = if margin.kinked.is_some() {
        (0, Footprint::ZERO)
    } else {
        let points = settings.step.constrained_points;
        (branches, StepWorkspace::footprint(nodes, points, 2))
    };
    let batch = settings.stochastic_node_batch_size;
    let own = stage
        .footprint()
        .beside(margin.cell.footprint())
        .beside(Expectation::footprint(nodes, read, batch))
        .beside(step)
        .beside(Row::footprint(2 * nodes))
        .beside(RowReader::footprint(nodes))
        .beside(Footprint::of::<f64>(nodes * (read + 2)))
        .beside(certainty)
        .beside(Footprint::of::<f64>((width + 3) * liquid + width));
    Some(own)
}

/// Continuations of the intervals that are held at a time.
fn slots_footprint(plan: &RegimePlan, nodes: usize, intervals: usize) -> Footprint {
    if intervals <= 1 {
        return Footprint::ZERO;
    }
    let live = plan.declaration.solver.intervals_at_a_time(intervals);
    let slots = Slot::footprint(nodes, BREAKS).times(live as u64);
    slots.beside(Footprint::of::<Slot>(live))
}

/// Breakpoints of some kind of next period's resources at most, for every draw and branch.
fn breakpoints(
    regimes: &[RegimePlan],
    stage: &Stage,
    own: &PeriodPlan,
    counts: impl Fn(SwitchKind) -> bool,
) -> usize {
    let of = |plan: &RegimePlan| {
        let margins = plan.stages.iter().filter_map(|own| own.margin.as_ref());
        let found = margins.filter_map(|own| Some(own.kinked.as_ref()?.breakpoints(&counts)));
        let branches = plan.periods.iter().flatten();
        let branches = branches.map(|own| own.choices.branches).max();
        found.max().unwrap_or(0) * branches.unwrap_or(0)
    };
    let edges = own.live.iter().map(|&edge| &stage.edges[edge]);
    edges
        .map(|edge| of(&regimes[edge.plan.target]) * edge.mesh)
        .sum()
}

/// Whether nothing that may follow depends on savings: all is consumed, rows have no records.
fn ends(regimes: &[RegimePlan], stage: &Stage, own: &PeriodPlan) -> bool {
    let stateless = |plan: &RegimePlan| {
        let worth = |stage: &Stage| stage.terminal.as_ref().map(|own| own.state);
        plan.is_terminal() && plan.stages.iter().all(|own| worth(own) == Some(None))
    };
    let mut targets = own.live.iter().map(|&edge| stage.edges[edge].plan.target);
    targets.all(|target| stateless(&regimes[target]))
}

/// Outer choices of one period at most.
fn choices(outer: &OuterMargin) -> usize {
    match &outer.search {
        OuterSearch::Grid(axis) => axis.len(),
        OuterSearch::Adaptive(options) => 2 * options.max_nodes.max(options.initial_grid.len()),
    }
}

/// Bytes that a nested regime at one age leaves behind.
fn nested_footprint(
    own: &PeriodPlan,
    outer: &OuterMargin,
    (faces, liquid, nodes): (usize, usize, usize),
    read: MarginalRead,
) -> Footprint {
    let stocks = own.space.reader.space().shape()[outer.state];
    let count = choices(outer);
    let rows = if outer.by_state {
        faces.saturating_mul(count + 1)
    } else {
        (faces / stocks).saturating_mul(count + stocks)
    };
    let search = match &outer.search {
        OuterSearch::Grid(_) => Footprint::ZERO,
        OuterSearch::Adaptive(options) => {
            let queries = faces / own.choices.branches * liquid;
            AdaptiveSolution::footprint(queries, options).into_scratch()
        }
    };
    OuterBank::footprint(faces, rows, (nodes, read), count).beside(search)
}
