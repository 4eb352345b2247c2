//! Algebraic loops: choice of the loop variables, symbolic elimination, and the report.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use bifrons_expr::{Expr, Jacobian, Symbol};

use crate::equations::{Definition, LoopEquations, Parameter};
use crate::error::{AlgebraicLoop, LoopKind};
use crate::graph::Digraph;
use crate::newton::{Newton, NewtonState};

/// Loop variables that are eliminated symbolically; expressions grow with their factorial.
const LOOP_VARIABLES: usize = 3;
/// Loop variables that are solved for by iteration with a dense matrix.
const LARGEST: usize = 100;

/// What orders mutually dependent definitions.
pub(crate) struct Solved {
    /// Each uses earlier ones and the unknowns of the loop.
    pub(crate) definitions: Vec<Definition>,
    /// What is left to be solved by iteration.
    pub(crate) equations: Option<LoopEquations>,
}

/// What is known about symbols when a loop is solved.
pub(crate) struct Known<'k> {
    /// Default values of parameters.
    pub(crate) default: &'k dyn Fn(&Symbol) -> Option<f64>,
    /// Guesses of loop variables.
    pub(crate) guess: &'k dyn Fn(&Symbol) -> Option<Expr>,
}

/// Orders mutually dependent definitions so that each uses earlier ones only.
///
/// A few of them (the loop variables, preferably ones with a guess) are chosen so that the rest is
/// acyclic. The rest is inserted into the equations of the loop variables. Up to three of these
/// are eliminated one after the other as long as they are affine; the pivot is the first that is
/// not zero at the default parameters. What is left is solved by iteration in the run.
/// `unknowns` are sorted by name, so that the result does not depend on the order of blocks.
pub(crate) fn solve(unknowns: Vec<Definition>, known: &Known<'_>) -> Result<Solved, LoopKind> {
    let graph = dependencies(&unknowns);
    let guessed: Vec<bool> = unknowns
        .iter()
        .map(|unknown| (known.guess)(&unknown.symbol).is_some())
        .collect();
    let torn = tear(&graph, &guessed)?;
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
    let mut solved = eliminate(equations.collect(), known)?;
    let rest = rest.into_iter().map(|index| unknowns[index].clone());
    solved.definitions.extend(rest);
    Ok(solved)
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
/// with the largest product of degrees, the first of equals; one with a guess before others.
fn tear(graph: &Digraph, guessed: &[bool]) -> Result<Vec<bool>, LoopKind> {
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
        let weight = |node: usize| {
            let ways = incoming[node].saturating_mul(remaining.successors(node).len());
            (guessed[node] && ways > 0, ways)
        };
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
        if variables > LARGEST {
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
fn eliminate(mut equations: Vec<Equation>, known: &Known<'_>) -> Result<Solved, LoopKind> {
    let mut variables: Vec<Symbol> = equations.iter().map(|e| e.variable.clone()).collect();
    let mut definitions = Vec::with_capacity(equations.len());
    let mut left = None;
    while let Some(first) = variables.first() {
        let mut problem = LoopKind::Singular {
            variable: first.name().to_owned(),
        };
        let pivot = if variables.len() + definitions.len() > LOOP_VARIABLES {
            problem = LoopKind::Nonlinear {
                variable: first.name().to_owned(),
            };
            None
        } else {
            find_pivot(&equations, &variables, known.default, &mut problem)
        };
        if pivot.is_none() && matches!(problem, LoopKind::Nonlinear { .. }) {
            left = Some(iterate(&equations, variables, known)?);
            break;
        }
        let (row, column, solution) = pivot.ok_or(problem)?;
        let variable = variables.remove(column);
        equations.remove(row);
        for equation in &mut equations {
            let mut by = |symbol: &Symbol| (*symbol == variable).then(|| solution.clone());
            equation.left = equation.left.substitute(&mut by);
            equation.right = equation.right.substitute(&mut by);
        }
        definitions.push(Definition {
            symbol: variable,
            expression: solution,
        });
    }
    definitions.reverse();
    Ok(Solved {
        definitions,
        equations: left,
    })
}

/// Equations that are solved by iteration; guesses are 0 unless given.
///
/// A loop of constants and parameters only is tried with their defaults at once.
fn iterate(
    equations: &[Equation],
    variables: Vec<Symbol>,
    known: &Known<'_>,
) -> Result<LoopEquations, LoopKind> {
    let residuals = equations.iter().map(|e| &e.left - &e.right).collect();
    let guess = |variable: &Symbol| (known.guess)(variable);
    let guesses = variables
        .iter()
        .map(|v| guess(v).unwrap_or(Expr::constant(0.0)));
    let equations = LoopEquations {
        residuals,
        guesses: guesses.collect(),
        variables,
    };
    match solve_at(&equations, known.default) {
        Some(newton) if newton.state != NewtonState::Solved => Err(LoopKind::NoConvergence {
            variable: equations.names(),
            residual: newton.residual,
        }),
        _ => Ok(equations),
    }
}

/// Solves a loop where all other symbols have values; `None` if some has none.
pub(crate) fn solve_at(
    equations: &LoopEquations,
    value: &dyn Fn(&Symbol) -> Option<f64>,
) -> Option<Newton> {
    let variables = &equations.variables;
    let jacobian = Jacobian::new(&equations.residuals, variables);
    let mut newton = Newton::new(variables.len());
    let guesses = equations.guesses.iter();
    let guesses = guesses.map(|guess| guess.evaluate(&mut |symbol| value(symbol)).ok());
    let guesses: Vec<f64> = guesses.collect::<Option<_>>()?;
    newton.start(|i| guesses[i]);
    while newton.state == NewtonState::Running {
        let trial = newton.trial();
        let read = |expression: &Expr| {
            let at = |symbol: &Symbol| match variables.iter().position(|v| v == symbol) {
                Some(k) => Some(trial[k]),
                None => value(symbol),
            };
            expression.evaluate(&mut |symbol| at(symbol)).ok()
        };
        let residuals = equations.residuals.iter().map(read);
        let residuals: Vec<f64> = residuals.collect::<Option<_>>()?;
        let entries: Vec<f64> = jacobian.entries().iter().map(read).collect::<Option<_>>()?;
        let places = jacobian.pattern().entries().zip(entries);
        newton.observe(
            |i| residuals[i],
            places.map(|((row, column), value)| (row, column, value)),
        );
    }
    Some(newton)
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
