//! Formulas of one regime, compiled.

use std::collections::{BTreeMap, BTreeSet};

use bifrons_expr::{CompileError, Expr, Symbol};
use bifrons_memory::Footprint;

use crate::edge::{EdgePlan, MeshAxis, law_symbol, next};
use crate::endogenous::{Margin, Terminal};
use crate::hoisted::Hoisted;
use crate::program::Program;
use crate::regime::Regime;
use crate::scope::Definitions;
use crate::space::Quantity;

/// What one regime computes at one age, or at all ages if no formula varies.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// Inputs: states and actions. Outputs: see [`Now`].
    pub(crate) now: Program,
    pub(crate) layout: Now,
    /// What becomes of each edge.
    pub(crate) edges: Vec<EdgeStage>,
    /// The definitions that it was compiled from.
    pub(crate) definitions: Definitions,
    /// Index of each parameter by its symbol, age and period last.
    pub(crate) leaves: BTreeMap<Symbol, usize>,
    /// The liquid margin, if the solver works on one, and of terminal regimes what they are worth.
    pub(crate) margin: Option<Margin>,
    pub(crate) terminal: Option<Terminal>,
    /// The parts of a grid search, where less is computed than there are pairs.
    pub(crate) hoisted: Option<Hoisted>,
}

/// Places of the outputs of the program of now.
#[derive(Debug, Clone, Default)]
pub(crate) struct Now {
    /// 1 where all constraints hold.
    pub(crate) feasible: usize,
    pub(crate) utility: usize,
    /// First of the preference parameters.
    pub(crate) preferences: usize,
    /// The scale of taste shocks.
    pub(crate) taste: Option<usize>,
    /// Probability of each edge.
    pub(crate) edges: Vec<usize>,
    /// For each edge and each of its axes, the first probability.
    pub(crate) markov: Vec<Vec<usize>>,
}

/// A planned edge with its compiled laws.
#[derive(Debug, Clone)]
pub(crate) struct EdgeStage {
    pub(crate) plan: EdgePlan,
    /// Inputs: states, actions, names of the axes. Outputs: the laws.
    pub(crate) laws: Option<Program>,
    /// Whether the laws read an axis.
    pub(crate) by_node: bool,
    /// Bits of the axes that no law reads and whose law reads neither states nor actions, but for
    /// the state that a process is in.
    pub(crate) apart: u32,
    /// Nodes of the expectation.
    pub(crate) mesh: usize,
}

pub(crate) struct Compiler<'a> {
    pub(crate) regime: &'a Regime,
    pub(crate) states: &'a [Quantity],
    pub(crate) actions: &'a [Quantity],
    pub(crate) leaves: &'a BTreeMap<Symbol, usize>,
    pub(crate) definitions: Definitions,
}

/// The definition of a constraint.
pub(crate) fn constraint_symbol(name: &str) -> Symbol {
    Symbol::new(format!("constraint:{name}"))
}

/// The definition of the threshold of a declared breakpoint.
pub(crate) fn breakpoint_symbol(index: usize) -> Symbol {
    Symbol::new(format!("breakpoint {index}:at"))
}

/// The definition of the probability of an edge.
pub(crate) fn probability_symbol(edge: usize) -> Symbol {
    Symbol::new(format!("edge {edge}:probability"))
}

/// The definition of a preference parameter or of the scale of taste shocks.
pub(crate) fn preference_symbol(name: &str) -> Symbol {
    Symbol::new(format!("preferences:{name}"))
}

impl Compiler<'_> {
    pub(crate) fn compile(self, plans: Vec<EdgePlan>) -> Result<Stage, CompileError> {
        let mut outputs = Vec::new();
        let mut push = |expr: Expr| {
            outputs.push(expr);
            outputs.len() - 1
        };
        let named = |symbol: &Symbol| Expr::symbol(symbol);
        let all = self
            .regime
            .constraints
            .iter()
            .map(|(name, _)| named(&constraint_symbol(name)))
            .reduce(|all, one| all * one);
        let mut layout = Now {
            feasible: push(all.unwrap_or_else(|| Expr::constant(1.0))),
            utility: push(Expr::symbol("utility")),
            ..Now::default()
        };
        if !self.regime.is_terminal() {
            let parts = self.regime.preferences.formulas();
            let mut places = parts
                .iter()
                .map(|(name, _)| push(named(&preference_symbol(name))));
            layout.preferences = places.next().unwrap_or_default();
            places.for_each(drop);
        }
        if self.regime.taste_shocks.is_some() {
            layout.taste = Some(push(named(&preference_symbol("scale"))));
        }
        for (edge, plan) in plans.iter().enumerate() {
            layout.edges.push(push(named(&probability_symbol(edge))));
            let firsts = plan.axes.iter().map(|axis| match axis {
                MeshAxis::Markov { probabilities, .. } => {
                    let places: Vec<usize> = probabilities.iter().map(|p| push(named(p))).collect();
                    places.first().copied().unwrap_or_default()
                }
                _ => 0,
            });
            layout.markov.push(firsts.collect());
        }
        let inputs = self.inputs();
        let now = Program::new(&self.definitions, self.leaves, &inputs, &outputs)?;
        let edges = plans
            .into_iter()
            .enumerate()
            .map(|(index, plan)| self.edge(index, plan, &inputs))
            .collect::<Result<_, _>>()?;
        Ok(Stage {
            now,
            layout,
            edges,
            definitions: self.definitions,
            leaves: self.leaves.clone(),
            margin: None,
            terminal: None,
            hoisted: None,
        })
    }

    fn inputs(&self) -> Vec<Symbol> {
        let quantities = self.states.iter().chain(self.actions);
        quantities.map(|quantity| quantity.symbol.clone()).collect()
    }

    fn edge(
        &self,
        index: usize,
        plan: EdgePlan,
        inputs: &[Symbol],
    ) -> Result<EdgeStage, CompileError> {
        let shocks = &self.regime.shocks;
        let mesh = plan.axes.iter().map(|axis| axis.count(shocks)).product();
        let read: Vec<Symbol> = plan
            .axes
            .iter()
            .flat_map(|axis| axis.symbols(shocks))
            .collect();
        let definitions = on_edge(&self.definitions, self.regime, index);
        let ancestors = definitions.ancestors(plan.laws.iter().cloned());
        let by_node = read.iter().any(|name| ancestors.contains(name));
        let apart = self.apart(&plan, &ancestors);
        let laws = if plan.laws.is_empty() {
            None
        } else {
            let inputs: Vec<Symbol> = inputs.iter().cloned().chain(read).collect();
            let outputs: Vec<Expr> = plan.laws.iter().map(Expr::symbol).collect();
            Some(Program::new(&definitions, self.leaves, &inputs, &outputs)?)
        };
        Ok(EdgeStage {
            plan,
            laws,
            by_node,
            apart,
            mesh,
        })
    }

    /// Bits of the axes whose average is the same for all pairs, given what the laws depend on.
    fn apart(&self, plan: &EdgePlan, ancestors: &BTreeSet<Symbol>) -> u32 {
        let is_constant = |probability: &Symbol| {
            let whole = self.definitions.inlined(probability, &BTreeSet::new());
            whole.is_some_and(|own| {
                let mut symbols = own.dependencies().into_iter();
                symbols.all(|symbol| self.leaves.contains_key(&symbol))
            })
        };
        let mut apart = 0;
        for (place, axis) in plan.axes.iter().enumerate().take(32) {
            let symbols = axis.symbols(&self.regime.shocks);
            let own = match axis {
                MeshAxis::Process { .. } => true,
                MeshAxis::Markov { probabilities, .. } => probabilities.iter().all(is_constant),
                MeshAxis::Shock(_) => false,
            };
            if own && !symbols.iter().any(|name| ancestors.contains(name)) {
                apart |= 1 << place;
            }
        }
        apart
    }
}

/// The definitions as they are on an edge: `next_x` is what the law of the edge says.
pub(crate) fn on_edge(definitions: &Definitions, regime: &Regime, index: usize) -> Definitions {
    let laws = regime.edges[index].laws.iter();
    let aliases: Vec<(Symbol, Symbol)> = laws
        .map(|(state, _)| (next(state), law_symbol(Some(index), state)))
        .collect();
    definitions.with_aliases(&aliases)
}

impl Stage {
    /// A definition that depends on parameters, age and period only.
    pub(crate) fn constant(&self, name: &Symbol, parameters: &[f64]) -> Option<f64> {
        let expr = self.definitions.inlined(name, &BTreeSet::new())?;
        let mut value = |symbol: &Symbol| self.leaves.get(symbol).map(|&at| parameters[at]);
        expr.evaluate(&mut value).ok()
    }

    /// Bytes of the machines of one worker.
    pub(crate) fn footprint(&self) -> Footprint {
        let laws = self.edges.iter().filter_map(|edge| edge.laws.as_ref());
        laws.map(Program::footprint)
            .fold(self.now.footprint(), Footprint::beside)
    }
}
