//! Choice of states at a point: dummy derivatives by pivots, monitored during a run.
//!
//! Mattsson and Söderlind (1993, *Index reduction in differential-algebraic equations using dummy
//! derivatives*, SIAM J. Sci. Comput. 14(3), 677–692): for every differentiated equation one
//! derivative is demoted to an algebraic unknown, chosen so that the equations can be solved for
//! the demoted ones; then the same with the integrals. Here the choice is made anew where its
//! pivots have become small.

use std::collections::BTreeMap;

use bifrons_expr::{CompileError, Expr, Registers, Symbol, Tape, TapeBuilder};
use bifrons_hybrid::TIME;
use bifrons_lanes::Level;

use crate::reduced::ReducedModel;
use crate::structure::matching::NONE;

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

/// Registers and the matrices of the choice.
#[derive(Debug)]
pub(crate) struct SelectionWorkspace {
    registers: Registers<1>,
    slopes: Vec<f64>,
    matrix: Vec<f64>,
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
        let largest = self.clusters.iter().map(|c| c.rows * c.columns.len()).max();
        SelectionWorkspace {
            registers: self.tape.registers(),
            slopes: vec![0.0; self.tape.output_count()],
            matrix: vec![0.0; largest.unwrap_or(0)],
        }
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

    /// The states with the largest pivots at a point, or the equations' row that has none.
    ///
    /// `values` are all unknowns.
    pub(crate) fn choose(
        &self,
        w: &mut SelectionWorkspace,
        t: f64,
        values: &[f64],
    ) -> Option<Vec<usize>> {
        self.evaluate(w, t, values);
        let mut demoted = vec![false; self.weights.len()];
        for cluster in &self.clusters {
            let allowed = |column: usize| cluster.level == 0 || self.is_open(&demoted, column);
            let columns: Vec<usize> = (0..cluster.columns.len())
                .filter(|c| allowed(cluster.columns[*c]))
                .collect();
            let (picked, _) = self.eliminate(cluster, w, &columns, true)?;
            for column in picked {
                demoted[cluster.columns[column]] = true;
            }
        }
        let states = self.candidates.iter().filter(|u| !demoted[**u]);
        Some(states.copied().collect())
    }

    /// Whether the derivative of an unknown was demoted on the level above.
    fn is_open(&self, demoted: &[bool], unknown: usize) -> bool {
        let derivative = self.derivatives[unknown];
        derivative != NONE && demoted[derivative]
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
            let all: Vec<usize> = (0..cluster.columns.len()).collect();
            let used = all
                .iter()
                .copied()
                .filter(|c| !is_state(cluster.columns[*c]));
            let used: Vec<usize> = used.collect();
            if used.len() != cluster.rows {
                continue;
            }
            let best = self.eliminate(cluster, w, &all, false);
            let present = self.eliminate(cluster, w, &used, false);
            quality = match (best, present) {
                (Some((_, best)), Some((_, present))) => quality.min(present / best),
                (Some(_), None) => 0.0,
                _ => quality,
            };
        }
        quality - DEGRADED
    }

    /// Gaussian elimination with complete pivoting in the given columns: the columns of the pivots
    /// and the product of their sizes, or `None` if the rows are dependent there.
    fn eliminate(
        &self,
        cluster: &Cluster,
        w: &mut SelectionWorkspace,
        columns: &[usize],
        prefer: bool,
    ) -> Option<(Vec<usize>, f64)> {
        let width = cluster.columns.len();
        let matrix = &mut w.matrix[..cluster.rows * width];
        matrix.fill(0.0);
        for &(row, column, position) in &cluster.entries {
            matrix[row * width + column] = w.slopes[position];
        }
        for row in matrix.chunks_mut(width) {
            let largest = row.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            if !(largest > 0.0 && largest.is_finite()) {
                return None;
            }
            row.iter_mut().for_each(|v| *v /= largest);
        }
        let mut picked: Vec<usize> = Vec::with_capacity(cluster.rows);
        let mut used = vec![false; cluster.rows];
        let mut product = 1.0;
        for _ in 0..cluster.rows {
            let mut best = (0.0, 0, 0);
            for row in (0..cluster.rows).filter(|r| !used[*r]) {
                for &column in columns.iter().filter(|c| !picked.contains(c)) {
                    let size = matrix[row * width + column].abs();
                    let weight = if prefer {
                        self.weights[cluster.columns[column]]
                    } else {
                        1.0
                    };
                    if size * weight > best.0 {
                        best = (size * weight, row, column);
                    }
                }
            }
            let (_, row, column) = best;
            let pivot = matrix[row * width + column];
            if pivot.abs() < 1e-10 {
                return None;
            }
            product *= pivot.abs();
            used[row] = true;
            picked.push(column);
            for other in (0..cluster.rows).filter(|r| !used[*r]) {
                let factor = matrix[other * width + column] / pivot;
                if factor != 0.0 {
                    for c in 0..width {
                        matrix[other * width + c] -= factor * matrix[row * width + c];
                    }
                }
            }
        }
        Some((picked, product))
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

/// Equations of all levels in clusters that share no unknown.
fn clusters(model: &ReducedModel, outputs: &mut Vec<Expr>) -> Vec<Cluster> {
    let integrals = integrals(model);
    let highest = (0..model.equations.len())
        .filter(|e| model.equations[*e].order > 0 && model.equations[*e].derivative == NONE);
    let mut rows: Vec<usize> = highest.map(|e| integrals[e]).collect();
    let mut clusters = Vec::new();
    let mut level = 0;
    while !rows.is_empty() {
        split(model, &rows, level, outputs, &mut clusters);
        let lower = rows.iter().filter(|e| model.equations[**e].order > 0);
        rows = lower.map(|e| integrals[*e]).collect();
        level += 1;
    }
    clusters
}

/// The equation whose derivative each one is.
fn integrals(model: &ReducedModel) -> Vec<usize> {
    let mut integrals = vec![NONE; model.equations.len()];
    for (equation, e) in model.equations.iter().enumerate() {
        if e.derivative != NONE {
            integrals[e.derivative] = equation;
        }
    }
    integrals
}

/// Appends the clusters of one level; the slopes by unknowns are those of the derivatives of the
/// equations by the derivatives of the unknowns.
fn split(
    model: &ReducedModel,
    rows: &[usize],
    level: usize,
    outputs: &mut Vec<Expr>,
    clusters: &mut Vec<Cluster>,
) {
    let mut owner: BTreeMap<usize, usize> = BTreeMap::new();
    let mut parent: Vec<usize> = (0..rows.len()).collect();
    let columns: Vec<Vec<(usize, &Expr)>> = rows
        .iter()
        .map(|row| {
            let slopes = model.slopes[*row].iter();
            let open = slopes.filter(|slope| depth(model, slope.unknown) == level + 1);
            open.map(|slope| (slope.unknown, &slope.value)).collect()
        })
        .collect();
    for (row, columns) in columns.iter().enumerate() {
        for (unknown, _) in columns {
            let first = *owner.entry(*unknown).or_insert(row);
            let (a, b) = (root(&parent, first), root(&parent, row));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for row in 0..rows.len() {
        members.entry(root(&parent, row)).or_default().push(row);
    }
    for rows in members.values() {
        let mut unknowns: Vec<usize> = rows
            .iter()
            .flat_map(|row| columns[*row].iter().map(|(unknown, _)| *unknown))
            .collect();
        unknowns.sort_unstable();
        unknowns.dedup();
        let mut entries = Vec::new();
        for (local, &row) in rows.iter().enumerate() {
            for (unknown, slope) in &columns[row] {
                if let Ok(column) = unknowns.binary_search(unknown) {
                    entries.push((local, column, outputs.len()));
                    outputs.push((*slope).clone());
                }
            }
        }
        clusters.push(Cluster {
            level,
            rows: rows.len(),
            columns: unknowns,
            entries,
        });
    }
}

/// Number of derivatives that an unknown has. On a level only those unknowns are chosen from whose
/// derivatives the level above chose from.
fn depth(model: &ReducedModel, mut unknown: usize) -> usize {
    let mut depth = 0;
    while model.unknowns[unknown].derivative != NONE {
        unknown = model.unknowns[unknown].derivative;
        depth += 1;
    }
    depth
}

fn root(parent: &[usize], mut node: usize) -> usize {
    while parent[node] != node {
        node = parent[node];
    }
    node
}
