//! Order of evaluation for chosen states: blocks, tears, assignments.

mod small;

use bifrons_expr::{Expr, Symbol};
use bifrons_hybrid::Digraph;

use crate::reduced::ReducedModel;
use crate::structure::matching::{NONE, maximum};
use crate::structure::tearing::{forget, localise, tear};

/// How the unknowns follow from the states.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    /// Unknowns that are integrated.
    pub(crate) states: Vec<usize>,
    /// Unknowns that are iterated.
    pub(crate) tears: Vec<usize>,
    /// Equations that determine them.
    pub(crate) residuals: Vec<usize>,
    /// All others as expressions of time, states, tears and earlier ones.
    pub(crate) definitions: Vec<(usize, Expr)>,
    /// Unknowns of the largest block that is solved together.
    pub(crate) largest_block: usize,
}

/// Equations that cannot be ordered for these states: there are none for some unknowns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unordered {
    pub(crate) equations: Vec<usize>,
}

/// Orders the equations (block lower triangular form, Tarjan), tears the blocks.
pub(crate) fn order(model: &ReducedModel, states: &[usize]) -> Result<Order, Unordered> {
    arrange(model, states, false)
}

/// As [`order`], with small linear blocks solved symbolically instead of torn.
pub(crate) fn order_with_symbols(
    model: &ReducedModel,
    states: &[usize],
) -> Result<Order, Unordered> {
    arrange(model, states, true)
}

fn arrange(model: &ReducedModel, states: &[usize], symbolic: bool) -> Result<Order, Unordered> {
    let mut local = vec![0; model.unknowns.len()];
    for &state in states {
        local[state] = NONE;
    }
    let unknowns: Vec<usize> = (0..local.len()).filter(|u| local[*u] != NONE).collect();
    for (position, &unknown) in unknowns.iter().enumerate() {
        local[unknown] = position;
    }
    let rows: Vec<Vec<usize>> = model
        .slopes
        .iter()
        .map(|row| {
            let open = row.iter().map(|slope| local[slope.unknown]);
            open.filter(|u| *u != NONE).collect()
        })
        .collect();
    let matching = maximum(&rows, unknowns.len());
    let single = |e: &usize| matching.unknown_of[*e] == NONE;
    let unmatched: Vec<usize> = (0..rows.len()).filter(single).collect();
    if !unmatched.is_empty() || unknowns.len() != rows.len() {
        return Err(Unordered {
            equations: unmatched,
        });
    }
    let mut edges = Vec::new();
    for (equation, row) in rows.iter().enumerate() {
        let used = row.iter().map(|unknown| matching.equation_of[*unknown]);
        edges.extend(used.filter(|e| *e != equation).map(|e| (equation, e)));
    }
    let mut building = Building {
        model,
        order: Order {
            states: states.to_vec(),
            tears: Vec::new(),
            residuals: Vec::new(),
            definitions: Vec::new(),
            largest_block: 0,
        },
        local: vec![NONE; model.unknowns.len()],
        symbolic,
    };
    let components = Digraph::from_edges(rows.len(), &edges).strong_components();
    for block in components.iter() {
        let of = |e: &usize| unknowns[matching.unknown_of[*e]];
        building.block(block, &block.iter().map(of).collect::<Vec<_>>());
    }
    Ok(building.order)
}

struct Building<'m> {
    model: &'m ReducedModel,
    order: Order,
    /// Number of an unknown in its block.
    local: Vec<usize>,
    symbolic: bool,
}

impl Building<'_> {
    fn block(&mut self, equations: &[usize], unknowns: &[usize]) {
        self.order.largest_block = self.order.largest_block.max(equations.len());
        if let ([equation], [unknown]) = (equations, unknowns) {
            match self.solve(*equation, *unknown) {
                Some(expression) => self.order.definitions.push((*unknown, expression)),
                None => {
                    self.order.tears.push(*unknown);
                    self.order.residuals.push(*equation);
                }
            }
            return;
        }
        localise(&mut self.local, unknowns);
        let rows: Vec<Vec<(usize, bool)>> = equations
            .iter()
            .map(|equation| {
                let row = self.model.slopes[*equation].iter();
                row.filter(|slope| self.local[slope.unknown] != NONE)
                    .map(|slope| (self.local[slope.unknown], slope.is_safe))
                    .collect()
            })
            .collect();
        let torn = tear(&rows);
        forget(&mut self.local, unknowns);
        let mut tears: Vec<usize> = torn.tears.iter().map(|u| unknowns[*u]).collect();
        let mut residuals: Vec<usize> = torn.residuals.iter().map(|e| equations[*e]).collect();
        let mut definitions = Vec::with_capacity(torn.assignments.len());
        for &(equation, unknown) in &torn.assignments {
            let (equation, unknown) = (equations[equation], unknowns[unknown]);
            match self.solve(equation, unknown) {
                Some(expression) => definitions.push((unknown, expression)),
                None => {
                    tears.push(unknown);
                    residuals.push(equation);
                }
            }
        }
        let solution = if self.symbolic {
            small::solve(self.model, &tears, &residuals, &definitions)
        } else {
            None
        };
        match solution {
            Some(mut solution) => self.order.definitions.append(&mut solution),
            None => {
                self.order.tears.append(&mut tears);
                self.order.residuals.append(&mut residuals);
            }
        }
        self.order.definitions.append(&mut definitions);
    }

    /// The unknown from its equation, where that is affine in it.
    fn solve(&self, equation: usize, unknown: usize) -> Option<Expr> {
        let equation = &self.model.equations[equation];
        let symbol: &Symbol = &self.model.unknowns[unknown].symbol;
        if equation.left.as_symbol() == Some(symbol)
            && !equation.right.dependencies().contains(symbol)
        {
            return Some(equation.right.clone());
        }
        let residual = &equation.left - &equation.right;
        let affine = residual.affine_in(symbol)?;
        Some(match affine.slope.as_constant() {
            Some(1.0) => -affine.offset,
            Some(-1.0) => affine.offset,
            _ => -affine.offset / affine.slope,
        })
    }
}
