//! Whether both branches of a choice agree on its surface.

use crate::cone::Cones;
use crate::expr::Expr;
use crate::graph::{FlatHead, Graph};
use crate::node::NONE;
use crate::op::truth;
use crate::simplify::proved_constant;
use crate::switches::{Evidence, SwitchKind};
use crate::symbol::Symbol;

/// Nodes that all examinations of one expression may visit together.
const BUDGET: usize = 4_000_000;
/// Expressions with more nodes are compared at points only.
const LARGEST_PROOF: usize = 4_000;
/// Symbols that a surface is solved for, one after the other, in a proof.
const MOST_SOLUTIONS: usize = 8;
/// What a proof costs, in visits per node.
const PROOF_COST: usize = 50;
/// Points that are tried for one choice.
const TRIALS: u64 = 48;
/// Agreeing points that make a kink.
const ENOUGH: usize = 4;
/// Differences below this, relative to the branches, are round-off of the point.
const AGREE: f64 = 1e-9;
/// Differences above this, relative to the branches, are jumps.
const DIFFER: f64 = 1e-6;
/// Where a sign change is looked for.
const ENDS: [f64; 9] = [0.0, 1.0, -1.0, 4.0, -4.0, 30.0, -30.0, 1e4, -1e4];
/// Halvings of a bracket: more than a double has bits.
const HALVINGS: usize = 80;

/// A select and one of the comparisons that decide it.
pub(crate) struct Choice {
    pub(crate) comparison: u32,
    pub(crate) condition: u32,
    pub(crate) yes: u32,
    pub(crate) no: u32,
    /// Both sides of the comparison.
    pub(crate) sides: [u32; 2],
}

/// Examines choices within a common budget.
pub(crate) struct Examiner {
    left: usize,
    cones: Cones,
    /// Values of the nodes at the present point.
    values: Vec<f64>,
}

impl Examiner {
    pub(crate) fn new(graph: &Graph) -> Self {
        Self {
            left: BUDGET,
            cones: Cones::new(graph),
            values: vec![],
        }
    }

    pub(crate) fn examine(&mut self, graph: &Graph, choice: &Choice) -> (SwitchKind, Evidence) {
        if self.left == 0 {
            return (SwitchKind::Unknown, Evidence::Missing);
        }
        let Choice {
            condition, yes, no, ..
        } = *choice;
        let cone = self.cones.below_all(graph, &[condition, yes, no]);
        if cone.len() <= LARGEST_PROOF {
            self.left = self.left.saturating_sub(PROOF_COST * cone.len());
            let [a, b] = choice.sides;
            let exprs = graph.export_from(&cone, &[a, b, yes, no]);
            if let [a, b, yes, no] = exprs.as_slice()
                && let Some(kind) = prove(&(a - b), &(yes - no))
            {
                return (kind, Evidence::Proved);
            }
        }
        self.values.resize(graph.nodes.len(), 0.0);
        let surface = self.cones.below_all(graph, &choice.sides);
        let decision = self.cones.below_all(graph, &[condition]);
        let values = std::mem::take(&mut self.values);
        let mut points = Points {
            cone,
            surface,
            decision,
            values,
            movable: vec![],
        };
        points.movable = points
            .surface
            .iter()
            .copied()
            .filter(|id| is_symbol(graph, *id))
            .collect();
        let verdict = self.check(graph, &mut points, choice);
        self.values = points.values;
        verdict
    }

    fn check(
        &mut self,
        graph: &Graph,
        points: &mut Points,
        choice: &Choice,
    ) -> (SwitchKind, Evidence) {
        let (mut agreeing, mut doubtful) = (0, false);
        for trial in 0..TRIALS {
            if self.left == 0 {
                break;
            }
            let difference = points.difference(graph, choice, trial, &mut self.left);
            match difference {
                Some(difference) if difference > DIFFER => {
                    return (SwitchKind::Jump, Evidence::Checked);
                }
                Some(difference) if difference > AGREE => doubtful = true,
                Some(_) => agreeing += 1,
                None => {}
            }
        }
        if agreeing >= ENOUGH && !doubtful {
            (SwitchKind::Kink, Evidence::Checked)
        } else {
            (SwitchKind::Unknown, Evidence::Missing)
        }
    }
}

/// Solves the surface for one symbol and compares the branches by algebra.
fn prove(surface: &Expr, difference: &Expr) -> Option<SwitchKind> {
    if let Some(value) = proved_constant(difference) {
        return Some(if value.abs() > 0.0 {
            SwitchKind::Jump
        } else {
            SwitchKind::Kink
        });
    }
    for symbol in surface.dependencies().into_iter().take(MOST_SOLUTIONS) {
        let Some(affine) = surface.affine_in(&symbol) else {
            continue;
        };
        let solution = -affine.offset / affine.slope;
        let on_surface = difference.substitute(&mut |s| (*s == symbol).then(|| solution.clone()));
        match proved_constant(&on_surface) {
            Some(value) if value.abs() <= 0.0 => return Some(SwitchKind::Kink),
            Some(value) if value.abs() > DIFFER => return Some(SwitchKind::Jump),
            _ => {}
        }
    }
    None
}

fn is_symbol(graph: &Graph, id: u32) -> bool {
    matches!(graph.nodes[id as usize].head, FlatHead::Symbol(_))
}

/// Values of the nodes of a choice at points of its surface.
struct Points {
    /// Nodes of the condition and both branches.
    cone: Vec<u32>,
    /// Nodes of both sides of the comparison.
    surface: Vec<u32>,
    /// Nodes of the condition.
    decision: Vec<u32>,
    /// Value of each node of the graph that belongs to the cone.
    values: Vec<f64>,
    /// Nodes of the symbols that the surface depends on.
    movable: Vec<u32>,
}

impl Points {
    /// Relative difference of the branches at a point of the surface, if one is found where this
    /// comparison decides.
    fn difference(
        &mut self,
        graph: &Graph,
        choice: &Choice,
        trial: u64,
        left: &mut usize,
    ) -> Option<f64> {
        *left = left.saturating_sub(2 * self.cone.len());
        for id in &self.cone {
            if let FlatHead::Symbol(symbol) = graph.nodes[*id as usize].head {
                self.values[*id as usize] = coordinate(&graph.symbols[symbol as usize], trial);
            }
        }
        self.settle(graph, choice, trial, left)?;
        evaluate(graph, &self.cone, &mut self.values, NONE);
        let (yes, no) = (
            self.values[choice.yes as usize],
            self.values[choice.no as usize],
        );
        let mut outcome = |value: f64| {
            self.values[choice.comparison as usize] = value;
            evaluate(graph, &self.decision, &mut self.values, choice.comparison);
            truth(self.values[choice.condition as usize])
        };
        if outcome(0.0) == outcome(1.0) {
            return None;
        }
        let difference = (yes - no).abs() / (1.0 + yes.abs().max(no.abs()));
        difference.is_finite().then_some(difference)
    }

    /// Moves one symbol until both sides of the comparison are equal.
    fn settle(
        &mut self,
        graph: &Graph,
        choice: &Choice,
        trial: u64,
        left: &mut usize,
    ) -> Option<()> {
        let count = self.movable.len() as u64;
        let symbol = *self
            .movable
            .get(usize::try_from(trial.checked_rem(count)?).ok()?)?;
        let [a, b] = choice.sides;
        let mut gap = |x: f64| {
            *left = left.saturating_sub(self.surface.len());
            self.values[symbol as usize] = x;
            evaluate(graph, &self.surface, &mut self.values, NONE);
            self.values[a as usize] - self.values[b as usize]
        };
        let first = gap(ENDS[0]);
        let other = ENDS.into_iter().skip(1).find(|x| first * gap(*x) <= 0.0)?;
        let (mut low, mut high) = (ENDS[0], other);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if first * gap(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        // A pole changes the sign, too, but is no zero.
        let scale = {
            let value = gap(high);
            let size = self.values[a as usize]
                .abs()
                .max(self.values[b as usize].abs());
            value.abs() / (1.0 + size)
        };
        (scale <= AGREE).then_some(())
    }
}

/// Values of the nodes in `cone`, operands first; `fixed` keeps its value.
fn evaluate(graph: &Graph, cone: &[u32], values: &mut [f64], fixed: u32) {
    for id in cone {
        let node = graph.nodes[*id as usize];
        match node.head {
            FlatHead::Constant(bits) => values[*id as usize] = f64::from_bits(bits),
            FlatHead::Op(op) if *id != fixed => {
                values[*id as usize] = graph.apply(op, node.operands, values);
            }
            _ => {}
        }
    }
}

/// Coordinate of a trial point: depends on the name of the symbol and the trial only.
fn coordinate(symbol: &Symbol, trial: u64) -> f64 {
    const SCALES: [f64; 4] = [1.0, 3.0, 10.0, 100.0];
    let seed = symbol
        .name()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    let bits = crate::node::mix(seed ^ trial.wrapping_mul(0x9e37_79b9_7f4a_7c15)) as u64;
    let unit = f64::from(u32::try_from(bits >> 32).unwrap_or(0)) / f64::from(u32::MAX);
    let scale = SCALES[usize::try_from(trial % 4).unwrap_or(0)];
    // Half of the points are positive, where logarithms and roots are defined.
    if trial % 8 < 4 {
        scale * unit
    } else {
        scale * (2.0 * unit - 1.0)
    }
}
