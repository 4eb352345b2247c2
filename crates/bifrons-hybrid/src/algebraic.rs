//! Algebraic loops: choice of the loop variables, symbolic elimination, and the report.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use bifrons_expr::{Expr, Symbol};

use crate::equations::{Definition, Parameter};
use crate::error::{AlgebraicLoop, LoopKind};
use crate::graph::Digraph;

/// Loop variables that are eliminated symbolically; expressions grow with their factorial.
const LOOP_VARIABLES: usize = 3;

/// Orders mutually dependent definitions so that each uses earlier ones only.
///
/// A few of them (the loop variables) are chosen so that the rest is acyclic. The rest is inserted
/// into the equations of the loop variables, which are eliminated one after the other as long as
/// they are affine; the pivot is the first that is not zero at the default parameters.
/// `unknowns` are sorted by name, so that the result does not depend on the order of blocks.
pub(crate) fn solve(
    unknowns: Vec<Definition>,
    default: &dyn Fn(&Symbol) -> Option<f64>,
) -> Result<Vec<Definition>, LoopKind> {
    let graph = dependencies(&unknowns);
    let torn = tear(&graph)?;
    let rest = order_without(&graph, &torn);
    let inserted = insert(&unknowns, &rest);
    let equations = (0..unknowns.len())
        .filter(|&index| torn[index])
        .map(|index| {
            let variable = unknowns[index].symbol.clone();
            let right = replace(&unknowns[index].expression, &inserted);
            Equation {
                left: Expr::symbol(&variable),
                right,
                variable,
            }
        });
    let mut definitions = eliminate(equations.collect(), default)?;
    definitions.extend(rest.into_iter().map(|index| unknowns[index].clone()));
    Ok(definitions)
}

/// `left = right`; `variable` is the unknown that the equation defined originally.
struct Equation {
    left: Expr,
    right: Expr,
    variable: Symbol,
}

fn dependencies(unknowns: &[Definition]) -> Digraph {
    let mut edges = Vec::new();
    for (index, unknown) in unknowns.iter().enumerate() {
        for symbol in unknown.expression.dependencies() {
            if let Ok(target) = unknowns.binary_search_by(|other| other.symbol.cmp(&symbol)) {
                edges.push((index, target));
            }
        }
    }
    Digraph::from_edges(unknowns.len(), &edges)
}

/// Marks nodes without which the graph is acyclic: from each remaining cycle component the node
/// with the largest product of degrees, the first of equals.
fn tear(graph: &Digraph) -> Result<Vec<bool>, LoopKind> {
    let count = graph.node_count();
    let mut torn = vec![false; count];
    loop {
        let remaining = without(graph, &torn);
        let mut incoming = vec![0_usize; count];
        for node in 0..count {
            for &target in remaining.successors(node) {
                incoming[target] += 1;
            }
        }
        let weight = |node: usize| incoming[node].saturating_mul(remaining.successors(node).len());
        let mut acyclic = true;
        for component in remaining.strong_components().iter() {
            let first = component[0];
            if component.len() == 1 && !remaining.successors(first).contains(&first) {
                continue;
            }
            acyclic = false;
            let best = component.iter().copied().fold(first, |best, node| {
                if weight(node) > weight(best) {
                    node
                } else {
                    best
                }
            });
            torn[best] = true;
        }
        if acyclic {
            return Ok(torn);
        }
        let variables = torn.iter().filter(|torn| **torn).count();
        if variables > LOOP_VARIABLES {
            return Err(LoopKind::TooManyVariables { count: variables });
        }
    }
}

fn without(graph: &Digraph, torn: &[bool]) -> Digraph {
    let mut edges = Vec::with_capacity(graph.edge_count());
    for from in (0..graph.node_count()).filter(|&node| !torn[node]) {
        let targets = graph.successors(from).iter().filter(|&&to| !torn[to]);
        edges.extend(targets.map(|&to| (from, to)));
    }
    Digraph::from_edges(graph.node_count(), &edges)
}

/// The nodes that are not torn, each after those that it uses.
fn order_without(graph: &Digraph, torn: &[bool]) -> Vec<usize> {
    let components = without(graph, torn).strong_components();
    let nodes = components
        .iter()
        .flat_map(|component| component.iter().copied());
    nodes.filter(|&node| !torn[node]).collect()
}

/// Each of the rest as an expression of the loop variables.
fn insert(unknowns: &[Definition], rest: &[usize]) -> BTreeMap<Symbol, Expr> {
    let mut inserted = BTreeMap::new();
    for &index in rest {
        let expression = replace(&unknowns[index].expression, &inserted);
        inserted.insert(unknowns[index].symbol.clone(), expression);
    }
    inserted
}

fn replace(expression: &Expr, by: &BTreeMap<Symbol, Expr>) -> Expr {
    expression.substitute(&mut |symbol| by.get(symbol).cloned())
}

/// Gaussian elimination on expressions; the last variable is defined first.
fn eliminate(
    mut equations: Vec<Equation>,
    default: &dyn Fn(&Symbol) -> Option<f64>,
) -> Result<Vec<Definition>, LoopKind> {
    let mut variables: Vec<Symbol> = equations.iter().map(|e| e.variable.clone()).collect();
    let mut solved = Vec::with_capacity(equations.len());
    while let Some(first) = variables.first() {
        let mut problem = LoopKind::Singular {
            variable: first.name().to_owned(),
        };
        let pivot = find_pivot(&equations, &variables, default, &mut problem);
        if pivot.is_none()
            && let (LoopKind::Nonlinear { .. }, [equation], [variable]) =
                (&problem, &equations[..], &variables[..])
        {
            // Later definitions come first in `solved`.
            let iterations = newton(equation, variable, default)?;
            solved.extend(iterations.into_iter().rev());
            break;
        }
        let (row, column, solution) = pivot.ok_or_else(|| problem.clone())?;
        let variable = variables.remove(column);
        equations.remove(row);
        for equation in &mut equations {
            let mut by = |symbol: &Symbol| (*symbol == variable).then(|| solution.clone());
            equation.left = equation.left.substitute(&mut by);
            equation.right = equation.right.substitute(&mut by);
        }
        solved.push(Definition {
            symbol: variable,
            expression: solution,
        });
    }
    solved.reverse();
    Ok(solved)
}

/// Newton steps from zero that a nonlinear loop of one variable gets.
const NEWTON_STEPS: u32 = 12;
/// The largest residual of a solution, relative to `1 + |v|`.
const NEWTON_RESIDUAL: f64 = 1e-9;

/// Newton's method unrolled: every step is a definition, the last one the variable itself.
///
/// ```text
/// v_0 = 0      v_(k+1) = v_k - r(v_k) / r'(v_k)      v = v_12 if |r(v_12)| ≤ 1e-9 (1 + |v_12|), else NaN
/// ```
///
/// A fixed number of steps keeps the program straight, so that members on lanes do not wait for
/// each other. A loop of constants and parameters only is tried with their defaults at once.
fn newton(
    equation: &Equation,
    variable: &Symbol,
    default: &dyn Fn(&Symbol) -> Option<f64>,
) -> Result<Vec<Definition>, LoopKind> {
    let residual = &equation.left - &equation.right;
    let slope = residual.derivative(variable);
    check_convergence(&residual, &slope, variable, default)?;
    let at = |expression: &Expr, value: &Expr| {
        expression.substitute(&mut |symbol| (symbol == variable).then(|| value.clone()))
    };
    let mut definitions = Vec::new();
    let mut value = Expr::constant(0.0);
    for step in 1..=NEWTON_STEPS {
        let symbol = Symbol::from(format!("newton {step} of {}", variable.name()));
        let expression = &value - at(&residual, &value) / at(&slope, &value);
        value = Expr::symbol(&symbol);
        definitions.push(Definition { symbol, expression });
    }
    let bound = NEWTON_RESIDUAL * (1.0 + value.abs());
    let solved = at(&residual, &value).abs().le(bound);
    definitions.push(Definition {
        symbol: variable.clone(),
        expression: Expr::select(solved, value, f64::NAN),
    });
    Ok(definitions)
}

/// Runs the iteration with parameters at their defaults, where nothing else is read.
fn check_convergence(
    residual: &Expr,
    slope: &Expr,
    variable: &Symbol,
    default: &dyn Fn(&Symbol) -> Option<f64>,
) -> Result<(), LoopKind> {
    let mut value = 0.0_f64;
    for step in 0..=NEWTON_STEPS {
        let mut read = |symbol: &Symbol| {
            if symbol == variable {
                Some(value)
            } else {
                default(symbol)
            }
        };
        let (Ok(rest), Ok(rate)) = (residual.evaluate(&mut read), slope.evaluate(&mut read)) else {
            // It also depends on time or states.
            return Ok(());
        };
        if step < NEWTON_STEPS {
            value -= rest / rate;
        } else if !(rest.abs() <= NEWTON_RESIDUAL * (1.0 + value.abs())) {
            return Err(LoopKind::NoConvergence {
                variable: variable.name().to_owned(),
            });
        }
    }
    Ok(())
}

/// An equation and a variable that it can be solved for, and the solution.
fn find_pivot(
    equations: &[Equation],
    variables: &[Symbol],
    default: &dyn Fn(&Symbol) -> Option<f64>,
    problem: &mut LoopKind,
) -> Option<(usize, usize, Expr)> {
    for (row, equation) in equations.iter().enumerate() {
        let own = variables
            .iter()
            .position(|variable| *variable == equation.variable);
        let others = (0..variables.len()).filter(|&column| Some(column) != own);
        for column in own.into_iter().chain(others) {
            let variable = &variables[column];
            let sides = (
                equation.left.affine_in(variable),
                equation.right.affine_in(variable),
            );
            let (Some(left), Some(right)) = sides else {
                *problem = LoopKind::Nonlinear {
                    variable: variable.name().to_owned(),
                };
                continue;
            };
            let coefficient = left.slope - right.slope;
            if is_usable(&coefficient, default) {
                let constant = if left.offset.as_constant() == Some(0.0) {
                    right.offset
                } else {
                    right.offset - left.offset
                };
                return Some((row, column, constant / coefficient));
            }
        }
    }
    None
}

/// Whether a coefficient is not known to be zero, with parameters at their defaults.
fn is_usable(coefficient: &Expr, default: &dyn Fn(&Symbol) -> Option<f64>) -> bool {
    match coefficient.evaluate(&mut |symbol| default(symbol)) {
        Ok(value) => value != 0.0 && value.is_finite(),
        // It also depends on time or states.
        Err(_) => true,
    }
}

/// Default values of parameters by name, collected when a loop first asks for one.
#[derive(Default)]
pub(crate) struct Defaults(OnceCell<BTreeMap<Symbol, f64>>);

impl Defaults {
    pub(crate) fn get(&self, parameters: &[Parameter], symbol: &Symbol) -> Option<f64> {
        let pairs = || {
            parameters
                .iter()
                .map(|p| (p.symbol.clone(), p.default))
                .collect()
        };
        self.0.get_or_init(pairs).get(symbol).copied()
    }
}

/// The error for the loop that `members` (sorted) of `graph` form, printed from `start` on.
pub(crate) fn report(
    system: &str,
    graph: &Digraph,
    members: &[usize],
    start: usize,
    kind: LoopKind,
    name: impl Fn(usize) -> String,
) -> AlgebraicLoop {
    let within = |node: usize| members.binary_search(&node).is_ok();
    // The edges point to what is used, the signal flows the other way.
    let mut cycle = graph
        .cycle_through(start, within)
        .unwrap_or_else(|| vec![start]);
    cycle[1..].reverse();
    AlgebraicLoop {
        system: system.to_owned(),
        ports: cycle.into_iter().map(name).collect(),
        port_count: members.len(),
        kind,
    }
}
