//! Liquid states at which the future changes by steps: asset tests in laws and probabilities.

use std::collections::{BTreeMap, BTreeSet};

use bifrons_expr::{CompileError, Expr, Owner, Pieces, Symbol};
use bifrons_lanes::{LANES, Level};

use super::kinked::Cell;
use crate::program::{Machine, Program};
use crate::scope::Definitions;

/// Two places that differ by less than this share are one.
const SAME: f64 = 1e-12;

/// Formulas of the savings stage that read the liquid state, by steps only.
///
/// Between two neighbouring switches nothing behind savings depends on the liquid state, so that
/// the continuation has one row for each interval.
#[derive(Debug, Clone)]
pub(crate) struct Switching {
    /// Of every formula.
    pub(crate) pieces: Vec<Pieces>,
    /// Inputs: states and actions. Outputs: the places, then the surfaces.
    program: Program,
    places: usize,
    /// By surface, whether zero belongs to the side where it is larger.
    above: Vec<bool>,
}

impl Switching {
    pub(super) fn new(
        pieces: Vec<Pieces>,
        definitions: &Definitions,
        leaves: &BTreeMap<Symbol, usize>,
        inputs: &[Symbol],
    ) -> Result<Self, CompileError> {
        // Two formulas with one threshold, such as a probability and its complement, switch once.
        let mut outputs: Vec<Expr> = Vec::new();
        let mut surfaces: Vec<(Expr, bool)> = Vec::new();
        let mut known = BTreeSet::new();
        for own in pieces.iter().flat_map(Pieces::breakpoints) {
            if known.insert(("at", own.at.simplify().to_string())) {
                outputs.push(own.at.clone());
            }
            let above = own.switch.owner == Owner::Above;
            let side = if above { "above" } else { "below" };
            if known.insert((side, own.switch.surface.to_string())) {
                surfaces.push((own.switch.surface.clone(), above));
            }
        }
        let places = outputs.len();
        outputs.extend(surfaces.iter().map(|(surface, _)| surface.clone()));
        Ok(Self {
            program: Program::new(definitions, leaves, inputs, &outputs)?,
            places,
            above: surfaces.into_iter().map(|(_, above)| above).collect(),
            pieces,
        })
    }

    /// Most intervals of a cell.
    pub(super) fn most(&self) -> usize {
        self.places + 1
    }

    /// Working memory with the parameters set.
    pub(super) fn machine(&self, parameters: &[f64]) -> Machine {
        let mut machine = self.program.machine();
        self.program.set(&mut machine, parameters);
        machine
    }

    /// The first liquid states of all intervals of a cell but the lowest, ascending: the numbers
    /// at which a comparison, executed in `f64`, changes its answer.
    ///
    /// Cost: about sixty runs of the comparisons for each switch.
    pub(super) fn points(&self, machine: &mut Machine, cell: &Cell<'_>) -> Vec<f64> {
        for (slot, &value) in machine.slots.iter_mut().zip(cell.inputs) {
            *slot = [value; LANES];
        }
        let (low, high) = cell.range;
        let mut before = Vec::with_capacity(self.above.len());
        self.sides(machine, cell.state, low, &mut before);
        let outputs = self.program.outputs(machine);
        let places = outputs[..self.places].iter().map(|own| own[0]);
        let mut places: Vec<f64> = places.filter(|at| low < *at && *at < high).collect();
        places.sort_unstable_by(f64::total_cmp);
        places.dedup_by(|next, kept| *next - *kept <= SAME * kept.abs());
        let mut points: Vec<f64> = Vec::with_capacity(places.len());
        let mut start = low;
        for (index, &at) in places.iter().enumerate() {
            let stop = places.get(index + 1).copied().unwrap_or(high);
            let ends = [inside(start, at), inside(at, stop)];
            let first = self.first(machine, cell.state, (at, ends), &mut before);
            points.extend(first.filter(|own| points.last().is_none_or(|last| own > last)));
            start = at;
        }
        points
    }

    /// The first number between two at which the answers are not those of the lower one; `None`
    /// if they are the same at both.
    fn first(
        &self,
        machine: &mut Machine,
        state: usize,
        (at, [mut low, mut high]): (f64, [f64; 2]),
        sides: &mut Vec<bool>,
    ) -> Option<f64> {
        self.sides(machine, state, low, sides);
        let below = sides.clone();
        let mut same = |liquid: f64| {
            self.sides(machine, state, liquid, sides);
            *sides == below
        };
        if same(high) {
            return None;
        }
        // Rounding moves the switch by a few units in the last place.
        let step = 1e-14 * at.abs();
        for near in [at - step, at + step] {
            if low < near && near < high {
                match same(near) {
                    true => low = near,
                    false => high = near,
                }
            }
        }
        loop {
            let middle = low + 0.5 * (high - low);
            if !(low < middle && middle < high) {
                return Some(high);
            }
            match same(middle) {
                true => low = middle,
                false => high = middle,
            }
        }
    }

    /// The answers of all comparisons at a liquid state.
    fn sides(&self, machine: &mut Machine, state: usize, liquid: f64, out: &mut Vec<bool>) {
        machine.slots[state] = [liquid; LANES];
        self.program.run(Level::detect(), machine);
        let surfaces = &self.program.outputs(machine)[self.places..];
        out.clear();
        let sides = surfaces.iter().zip(&self.above);
        out.extend(sides.map(|(surface, &above)| match above {
            true => surface[0] >= 0.0,
            false => surface[0] > 0.0,
        }));
    }
}

/// A number that stands for `[start, stop)`.
pub(super) fn inside(start: f64, stop: f64) -> f64 {
    let middle = start + 0.5 * (stop - start);
    if start < middle && middle < stop {
        middle
    } else {
        start
    }
}
