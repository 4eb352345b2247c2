//! Small linear blocks by Cramer's rule on expressions.

use std::collections::BTreeMap;

use bifrons_expr::{Expr, Jacobian, Symbol};

use crate::reduced::ReducedModel;

/// Iterated unknowns up to which a block is solved.
const MOST: usize = 3;

/// The tears of a block as expressions, if its residuals are linear in them.
pub(super) fn solve(
    model: &ReducedModel,
    tears: &[usize],
    residuals: &[usize],
    definitions: &[(usize, Expr)],
) -> Option<Vec<(usize, Expr)>> {
    let count = tears.len();
    if count > MOST {
        return None;
    }
    let symbol = |unknown: usize| model.unknowns[unknown].symbol.clone();
    let mut by: BTreeMap<Symbol, Expr> = BTreeMap::new();
    for (unknown, expression) in definitions {
        let value = expression.substitute(&mut |s| by.get(s).cloned());
        by.insert(symbol(*unknown), value);
    }
    let residual = |e: &usize| {
        let equation = &model.equations[*e];
        let residual = &equation.left - &equation.right;
        residual.substitute(&mut |s| by.get(s).cloned())
    };
    let residuals: Vec<Expr> = residuals.iter().map(residual).collect();
    let symbols: Vec<Symbol> = tears.iter().map(|u| symbol(*u)).collect();
    let jacobian = Jacobian::new(&residuals, &symbols);
    let mut matrix = vec![vec![Expr::constant(0.0); count]; count];
    for ((row, column), entry) in jacobian.pattern().entries().zip(jacobian.entries()) {
        let depends = entry.dependencies();
        if symbols.iter().any(|tear| depends.contains(tear)) {
            return None;
        }
        matrix[row][column] = entry.clone();
    }
    let zero = |residual: &Expr| {
        let value = residual.substitute(&mut |s| symbols.contains(s).then(|| Expr::constant(0.0)));
        -value
    };
    let right: Vec<Expr> = residuals.iter().map(zero).collect();
    let whole = determinant(&matrix);
    let tear = |(column, &tear): (usize, &usize)| {
        let mut replaced = matrix.clone();
        for (row, value) in replaced.iter_mut().zip(&right) {
            row[column] = value.clone();
        }
        (tear, determinant(&replaced) / &whole)
    };
    Some(tears.iter().enumerate().map(tear).collect())
}

/// Determinant of up to three rows.
fn determinant(m: &[Vec<Expr>]) -> Expr {
    let two = |a: usize, b: usize, i: usize, j: usize| &m[a][i] * &m[b][j] - &m[a][j] * &m[b][i];
    match m.len() {
        0 => Expr::constant(1.0),
        1 => m[0][0].clone(),
        2 => two(0, 1, 0, 1),
        _ => &m[0][0] * two(1, 2, 1, 2) - &m[0][1] * two(1, 2, 0, 2) + &m[0][2] * two(1, 2, 0, 1),
    }
}
