//! Resources with kinks, cliffs and floors: breakpoints found in a formula, placed for one cell.

use bifrons_egm::{
    Affine, BreakKind, BreakOwner, Budget, EgmError, NbEgmOptions, NbEgmWorkspace, Readings, Row,
    RowReader, SavingsCliff, SavingsNodes, SavingsProblem, Threshold, nbegm_step,
};
use bifrons_expr::{Pieces, SwitchKind, Symbol};
use bifrons_lanes::{LANES, Level};
use bifrons_memory::Footprint;

use super::bank::{Bank, Entry, keep};
use super::choice_kinks::Switches;
use super::utility::CellUtility;
use crate::kernel::FaultKind;
use crate::program::{Machine, Program};

/// Levels and slopes that differ by less than this share are the same.
const SAME: f64 = 1e-9;
/// Numbers beside a breakpoint among which the executed comparison switches.
const NEIGHBOURS: u64 = 64;

/// Resources as a formula with known breakpoints.
#[derive(Debug, Clone)]
pub(crate) struct Kinked {
    pub(crate) pieces: Pieces,
    /// Outputs: resources, their slope, then the values of closures.
    pub(crate) program: Program,
    pub(crate) inputs: Vec<Symbol>,
    pub(crate) opaque: Vec<Symbol>,
}

/// What a cell says of the symbols of the formula.
pub(super) struct Cell<'a> {
    pub(super) leaves: &'a std::collections::BTreeMap<Symbol, usize>,
    pub(super) parameters: &'a [f64],
    /// Values of states and actions.
    pub(super) inputs: &'a [f64],
    /// Index of the liquid state.
    pub(super) state: usize,
    /// The range in which breakpoints are looked for.
    pub(super) range: (f64, f64),
}

impl Kinked {
    /// The budget of one cell.
    pub(super) fn budget(
        &self,
        machine: &mut Machine,
        cell: &Cell<'_>,
    ) -> Result<Budget, FaultKind> {
        for (slot, &value) in machine.slots.iter_mut().zip(cell.inputs) {
            *slot = [value; LANES];
        }
        let (low, high) = cell.range;
        self.at(machine, cell, low);
        let outputs = self.program.outputs(machine);
        let opaque: Vec<f64> = outputs[2..].iter().map(|own| own[0]).collect();
        let mut value = |symbol: &Symbol| {
            let input = self.inputs.iter().position(|own| own == symbol);
            let closure = self.opaque.iter().position(|own| own == symbol);
            let leaf = cell.leaves.get(symbol).map(|&at| cell.parameters[at]);
            input
                .map(|at| cell.inputs[at])
                .or(leaf)
                .or(closure.map(|at| opaque[at]))
        };
        let found = self.pieces.locate(low, high, &mut value);
        let points: Vec<f64> = found
            .map_err(|_| FaultKind::NotANumber)?
            .iter()
            .map(|own| own.at)
            .collect();
        let mut pieces = Vec::with_capacity(points.len() + 1);
        let mut thresholds: Vec<Threshold> = Vec::with_capacity(points.len());
        let ends = core::iter::once(low).chain(points.iter().copied());
        for (index, start) in ends.enumerate() {
            let stop = points.get(index).copied().unwrap_or(high);
            let piece = self.piece(machine, cell, start, stop)?;
            let Some(&before) = pieces.last() else {
                pieces.push(piece);
                continue;
            };
            if let Some(threshold) = self.threshold(machine, cell, start, before, piece) {
                thresholds.push(threshold);
                pieces.push(piece);
            }
        }
        Budget::new(&pieces, &thresholds).map_err(|_| FaultKind::Shape {
            what: "resources must increase with the liquid state, but for floors: a positive slope",
            value: pieces
                .iter()
                .fold(f64::INFINITY, |least, piece| least.min(piece.slope)),
        })
    }

    /// Resources and slope at a liquid state.
    fn at(&self, machine: &mut Machine, cell: &Cell<'_>, liquid: f64) -> (f64, f64) {
        machine.slots[cell.state] = [liquid; LANES];
        self.program.run(Level::detect(), machine);
        let outputs = self.program.outputs(machine);
        (outputs[0][0], outputs[1][0])
    }

    /// The line between two breakpoints; it must go through three points.
    fn piece(
        &self,
        machine: &mut Machine,
        cell: &Cell<'_>,
        start: f64,
        stop: f64,
    ) -> Result<Affine, FaultKind> {
        let inside = |share: f64| start + share * (stop - start);
        let (level, slope) = self.at(machine, cell, inside(0.5));
        let line = Affine {
            slope,
            intercept: level - slope * inside(0.5),
        };
        for share in [0.125, 0.875] {
            let (level, _) = self.at(machine, cell, inside(share));
            let miss = level - line.at(inside(share));
            let scale = level.abs().max(line.intercept.abs()).max(1.0);
            if !(miss.abs() <= SAME * scale) {
                return Err(FaultKind::Shape {
                    what: "E-NB-AFFINE: resources must be straight between their breakpoints",
                    value: miss,
                });
            }
        }
        Ok(line)
    }

    /// What changes between two pieces; `None` if nothing does.
    fn threshold(
        &self,
        machine: &mut Machine,
        cell: &Cell<'_>,
        at: f64,
        below: Affine,
        above: Affine,
    ) -> Option<Threshold> {
        let (left, right) = (below.at(at), above.at(at));
        let scale = left.abs().max(right.abs()).max(at.abs());
        if (left - right).abs() > SAME * scale {
            // The first number that the executed formula puts on the upper side.
            let upper = |machine: &mut Machine, l: f64| {
                let (level, _) = self.at(machine, cell, l);
                (level - above.at(l)).abs() < (level - below.at(l)).abs()
            };
            let mut first = at;
            for _ in 0..NEIGHBOURS {
                if upper(machine, first) {
                    break;
                }
                first = first.next_up();
            }
            for _ in 0..NEIGHBOURS {
                if !upper(machine, first.next_down()) {
                    break;
                }
                first = first.next_down();
            }
            return Some(Threshold::at(first, BreakKind::Jump, BreakOwner::Above));
        }
        if (below.slope - above.slope).abs() <= SAME * below.slope.abs().max(above.slope.abs()) {
            return None;
        }
        let flat = below.slope == 0.0 || above.slope == 0.0;
        let kind = if flat {
            BreakKind::Floor
        } else {
            BreakKind::Kink
        };
        Some(Threshold::at(at, kind, BreakOwner::Above))
    }
}

/// Working memory of steps with breakpoints.
#[derive(Debug, Default)]
pub(super) struct KinkedWorker {
    pub(super) nodes: SavingsNodes,
    work: NbEgmWorkspace,
    /// The row before it is kept, whose memory grows as records come.
    row: Row,
    liquid: Vec<f64>,
    resources: Vec<f64>,
    slopes: Vec<f64>,
    value: Vec<f64>,
    policy: Vec<f64>,
    marginal: Vec<f64>,
    pub(super) best: Vec<f64>,
    pub(super) best_marginal: Vec<f64>,
    switches: Switches,
    cliffs: Vec<SavingsCliff>,
}

/// Breakpoints for which a plan has room at least. How many there are depends on the rows: those of
/// next period's resources come anew every period, each leaves up to two behind, and they fade.
pub(super) const BREAKS: usize = 8;
/// Points of a curve at a kink for which a plan has room. Where a tax rises from one to two thirds
/// consumption doubles along the curve of logarithmic utility, in 72 points of the default ratio.
const KINK_POINTS: usize = 72;

impl Kinked {
    /// Breakpoints of resources of some kind.
    pub(super) fn breakpoints(&self, counts: impl Fn(SwitchKind) -> bool) -> usize {
        let found = self.pieces.breakpoints().iter();
        found.filter(|own| counts(own.switch.kind)).count()
    }
}

impl KinkedWorker {
    /// Bytes of working memory for so many nodes of the grid, breakpoints and cliffs of the
    /// continuation.
    pub(super) fn footprint(
        grid: usize,
        (breaks, cliffs): (usize, usize),
        options: &NbEgmOptions,
    ) -> Footprint {
        let nodes = grid + 2 * breaks;
        let most = options.curve_points;
        let points = most * cliffs.min(BREAKS) + most.min(KINK_POINTS) * BREAKS;
        SavingsNodes::footprint(grid, breaks)
            .beside(NbEgmWorkspace::footprint(
                nodes,
                (breaks, points),
                options,
                2 * BREAKS,
            ))
            .beside(Footprint::of::<[f64; 8]>(nodes))
            .beside(Switches::footprint(nodes))
    }

    /// Adds the breakpoints of a cell of a target.
    pub(super) fn add_breaks(
        &mut self,
        bank: &Bank,
        cell: usize,
        [slope, offset]: [f64; 2],
    ) -> Result<(), EgmError> {
        let next = Affine {
            slope,
            intercept: offset,
        };
        let entries = &bank.entries[cell * bank.branches..(cell + 1) * bank.branches];
        for entry in entries.iter().filter(|own| own.feasible) {
            if let Some(intervals) = &entry.intervals {
                intervals.add_breaks(next, &mut self.nodes)?;
            } else if let Some(budget) = &entry.budget {
                self.nodes.add_child(next, budget, entry.row.view())?;
            }
        }
        Ok(())
    }

    /// Best value and its marginal by savings node, over the branches of a cell of a target.
    pub(super) fn read(
        &mut self,
        bank: &Bank,
        cell: usize,
        [slope, offset]: [f64; 2],
    ) -> Result<(), EgmError> {
        self.make_room([slope, offset]);
        let count = self.nodes.nodes().len();
        let first = cell * bank.branches;
        for branch in 0..bank.branches {
            let entry = &bank.entries[first + branch];
            if !entry.feasible {
                continue;
            }
            let utility = &bank.utilities[first + branch];
            // A cliff makes resources fall, and a row may end: read stretch by stretch.
            let mut from = 0;
            let mut next = 0;
            while from < count {
                let own = entry.interval(self.liquid[from]);
                let breaks = self.nodes.breaks();
                while breaks.get(next).is_some_and(|at| at.node <= from) {
                    next += 1;
                }
                let cut = breaks.get(next).map_or(count, |at| at.node);
                let other = |at: &usize| entry.interval(self.liquid[*at]) != own;
                let to = match entry.intervals {
                    None => cut,
                    Some(_) => (from + 1..cut).find(other).unwrap_or(cut),
                };
                let reads = (entry.at(self.liquid[from]), utility, branch);
                self.read_stretch(reads, slope, (from, to))?;
                from = to;
            }
        }
        if bank.branches > 1 {
            let (line, marginal) = ([slope, offset], &self.best_marginal);
            self.switches
                .find((bank, cell), line, marginal, &mut self.nodes);
        }
        Ok(())
    }

    /// Starts or ends the search for changes of next period's best branch in what is read.
    pub(super) fn look_for_switches(&mut self, is_wanted: bool) {
        self.switches.start(is_wanted);
    }

    /// Whether such changes were added to the breakpoints since the search was started.
    pub(super) fn has_switches(&self) -> bool {
        self.switches.found
    }

    /// Reads a row between two savings nodes and keeps what is better than before.
    fn read_stretch(
        &mut self,
        (entry, utility, branch): (&Entry, &CellUtility, usize),
        slope: f64,
        (from, to): (usize, usize),
    ) -> Result<(), EgmError> {
        let Some(budget) = entry.budget.as_ref().filter(|_| entry.feasible) else {
            return Ok(());
        };
        let stretch = from..to;
        budget.resources_into(
            &self.liquid[stretch.clone()],
            &mut self.resources[stretch.clone()],
            &mut self.slopes[stretch.clone()],
        );
        let out = Readings {
            value: &mut self.value[stretch.clone()],
            policy: &mut self.policy[stretch.clone()],
            marginal: &mut self.marginal[stretch.clone()],
        };
        let resources = &self.resources[stretch.clone()];
        entry.reader.read_sorted(utility.as_dyn(), resources, out)?;
        if let Some(scale) = utility.scale() {
            let marginals = &mut self.marginal[stretch.clone()];
            for (value, marginal) in self.value[stretch.clone()].iter_mut().zip(marginals) {
                *value = scale.value(*value);
                *marginal /= scale.slope(*value);
            }
        }
        for i in stretch {
            if self.value[i] > self.best[i] || self.value[i].is_nan() {
                self.best[i] = self.value[i];
                self.best_marginal[i] = self.marginal[i] * self.slopes[i] * slope;
                self.switches.keep(i, branch);
            }
        }
        Ok(())
    }

    /// Room for all savings nodes, and the next liquid states.
    fn make_room(&mut self, [slope, offset]: [f64; 2]) {
        let savings = self.nodes.nodes();
        for buffer in [
            &mut self.liquid,
            &mut self.resources,
            &mut self.slopes,
            &mut self.value,
            &mut self.policy,
            &mut self.marginal,
            &mut self.best,
            &mut self.best_marginal,
        ] {
            buffer.clear();
            buffer.resize(savings.len(), 0.0);
        }
        self.best.fill(f64::NEG_INFINITY);
        self.switches.reset(savings.len());
        for (slot, &own) in self.liquid.iter_mut().zip(savings) {
            *slot = slope * own + offset;
        }
    }

    /// Solves a row and keeps it, with its budget unless resources are elsewhere.
    pub(super) fn step(
        &mut self,
        problem: &SavingsProblem<'_>,
        nodes: &SavingsNodes,
        options: &NbEgmOptions,
        (reader, budget): (RowReader, Option<Budget>),
        entry: &mut Entry,
    ) -> Result<(), EgmError> {
        let (breaks, row) = (nodes.breaks(), &mut self.row);
        row.clear();
        nbegm_step(problem, breaks, options, &mut self.work, row)?;
        keep(reader, row, entry)?;
        entry.budget = budget.map(Box::new);
        let view = entry.row.view();
        nodes.cliffs_into(problem.value, view, &mut self.cliffs);
        entry.cliffs = (!self.cliffs.is_empty()).then(|| self.cliffs.as_slice().into());
        Ok(())
    }
}
