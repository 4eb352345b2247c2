//! What must be chosen: equations of all levels in clusters that share no unknown.

use std::collections::BTreeMap;

use bifrons_expr::Expr;

use super::Cluster;
use crate::reduced::ReducedModel;
use crate::structure::matching::NONE;

/// Equations of all levels in clusters that share no unknown.
pub(super) fn clusters(model: &ReducedModel, outputs: &mut Vec<Expr>) -> Vec<Cluster> {
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
