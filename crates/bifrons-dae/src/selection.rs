//! Choice of states at a point: dummy derivatives by pivots, monitored during a run.
//!
//! Mattsson and Söderlind (1993, *Index reduction in differential-algebraic equations using dummy
//! derivatives*, SIAM J. Sci. Comput. 14(3), 677–692): for every differentiated equation one
//! derivative is demoted to an algebraic unknown, chosen so that the equations can be solved for
//! the demoted ones; then the same with the integrals. Here the choice is made anew where its
//! pivots have become small.

mod clusters;
mod pivots;
mod sets;

use std::collections::BTreeMap;

use bifrons_expr::{CompileError, Expr, Symbol, Tape, TapeBuilder};
use bifrons_hybrid::TIME;
use bifrons_lanes::Level;

use crate::reduced::ReducedModel;
use crate::structure::matching::NONE;
use clusters::clusters;
pub(crate) use pivots::SelectionWorkspace;

/// One independent choice: as many columns as rows are demoted.
#[derive(Debug, Clone)]
struct Cluster {
    /// Number of differentiations left: clusters of a lower level are chosen first.
    level: usize,
    rows: usize,
    /// Unknowns whose derivative may be demoted.
    columns: Vec<usize>,
    /// Row, column and position of the slope in the tape.
    entries: Vec<(usize, usize, usize)>,
}

/// What must be chosen, and how to evaluate it.
#[derive(Debug)]
pub(crate) struct SelectionPlan {
    clusters: Vec<Cluster>,
    /// Unknowns that have a derivative.
    candidates: Vec<usize>,
    /// Derivative of each unknown, or `NONE`.
    derivatives: Vec<usize>,
    /// Preference of each unknown as a state, as a factor of its pivots.
    weights: Vec<f64>,
    tape: Tape,
    /// Whether they read parameters only, so that the choice does not change during a run.
    pub(crate) is_fixed: bool,
}

/// A choice whose pivots are below this share of the best ones is made anew.
const DEGRADED: f64 = 0.4;

impl SelectionPlan {
    pub(crate) fn new(model: &ReducedModel) -> Result<Self, CompileError> {
        let mut outputs: Vec<Expr> = Vec::new();
        let clusters = clusters(model, &mut outputs);
        let unknowns = 0..model.unknowns.len();
        let candidates = unknowns.filter(|u| model.unknowns[*u].derivative != NONE);
        let mut sorted: Vec<Symbol> = model.parameters.iter().map(|p| p.symbol.clone()).collect();
        sorted.sort();
        let known = |symbol: &Symbol| sorted.binary_search(symbol).is_ok();
        let is_fixed = outputs
            .iter()
            .all(|slope| slope.dependencies().iter().all(known));
        let weights = weights(model, is_fixed);
        let parameters = model.parameters.iter().map(|p| p.symbol.clone());
        let switches = model.switches.iter().map(|s| s.symbol.clone());
        let tape = TapeBuilder::new()
            .parameters(parameters.chain(switches))
            .variables([Symbol::new(TIME)])
            .variables(model.unknowns.iter().map(|u| u.symbol.clone()))
            .outputs(outputs)
            .build()?;
        Ok(Self {
            clusters,
            candidates: candidates.collect(),
            derivatives: model.unknowns.iter().map(|u| u.derivative).collect(),
            weights,
            tape,
            is_fixed,
        })
    }

    /// Whether there is anything to choose.
    pub(crate) fn is_trivial(&self) -> bool {
        self.clusters.is_empty()
    }

    pub(crate) fn workspace(&self) -> SelectionWorkspace {
        SelectionWorkspace::new(self)
    }

    pub(crate) fn set_parameters(&self, w: &mut SelectionWorkspace, parameters: &[f64]) {
        self.tape.set_parameters(&mut w.registers, 0, parameters);
    }

    fn evaluate(&self, w: &mut SelectionWorkspace, t: f64, values: &[f64]) {
        let inputs = [&[[t]][..], values.as_chunks().0];
        let out = w.slopes.as_chunks_mut().0;
        self.tape
            .evaluate(Level::detect(), &mut w.registers, &inputs, out);
    }

    /// The states with the largest pivots at a point, ascending, or `None` if an equation has none.
    ///
    /// `values` are all unknowns.
    pub(crate) fn choose<'w>(
        &self,
        w: &'w mut SelectionWorkspace,
        t: f64,
        values: &[f64],
    ) -> Option<&'w [usize]> {
        self.evaluate(w, t, values);
        w.demoted.fill(false);
        for cluster in &self.clusters {
            for (open, &column) in w.open.iter_mut().zip(&cluster.columns) {
                // On a lower level only integrals of what was demoted above may be demoted.
                let derivative = self.derivatives[column];
                *open = cluster.level == 0 || derivative != NONE && w.demoted[derivative];
            }
            self.eliminate(cluster, w, true)?;
            for &column in &w.picked {
                w.demoted[cluster.columns[column]] = true;
            }
        }
        w.states.clear();
        let states = self.candidates.iter().filter(|u| !w.demoted[**u]);
        w.states.extend(states);
        Some(&w.states)
    }

    /// Whether the pivots of the present states have become small beside the best ones.
    pub(crate) fn is_degraded(
        &self,
        w: &mut SelectionWorkspace,
        t: f64,
        values: &[f64],
        states: &[usize],
    ) -> bool {
        self.quality(w, t, values, states) < 0.0
    }

    /// Share of the pivots of the present states in the best ones, less the share at which other
    /// states are chosen.
    pub(crate) fn quality(
        &self,
        w: &mut SelectionWorkspace,
        t: f64,
        values: &[f64],
        states: &[usize],
    ) -> f64 {
        let mut quality = 1.0_f64;
        if self.is_fixed || self.is_trivial() {
            return quality;
        }
        self.evaluate(w, t, values);
        let is_state = |unknown: usize| states.binary_search(&unknown).is_ok();
        for cluster in &self.clusters {
            let used = cluster.columns.iter().filter(|column| !is_state(**column));
            if used.count() != cluster.rows {
                continue;
            }
            w.open.fill(true);
            let best = self.eliminate(cluster, w, false);
            for (open, &column) in w.open.iter_mut().zip(&cluster.columns) {
                *open = !is_state(column);
            }
            let present = self.eliminate(cluster, w, false);
            quality = match (best, present) {
                (Some(best), Some(present)) => quality.min(present / best),
                (Some(_), None) => 0.0,
                _ => quality,
            };
        }
        quality - DEGRADED
    }
}

/// Factors of the pivots: variables with hard conditions are the last to be demoted, derivatives
/// the first. Where the pivots never change the preference is strong, else it decides between
/// pivots of similar size only.
fn weights(model: &ReducedModel, is_fixed: bool) -> Vec<f64> {
    let (variable, condition) = if is_fixed { (0.1, 1e-4) } else { (0.95, 0.9) };
    let mut weights = vec![1.0; model.unknowns.len()];
    for (unknown, weight) in model.unknowns.iter().zip(&mut weights) {
        if unknown.integral == NONE {
            *weight = variable;
        }
    }
    let mut numbers: BTreeMap<&Symbol, usize> = BTreeMap::new();
    for (number, unknown) in model.unknowns.iter().enumerate() {
        numbers.insert(&unknown.symbol, number);
    }
    for start in model.starts.iter().filter(|start| start.fixed) {
        let symbol = start.quantity.as_symbol();
        if let Some(number) = symbol.and_then(|symbol| numbers.get(symbol)) {
            weights[*number] = condition;
        }
    }
    weights
}
