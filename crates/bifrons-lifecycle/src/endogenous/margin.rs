//! The liquid margin of a regime, proved from its formulas.

mod code;
mod declared;
mod roles;
mod smooth;
mod steps;

pub(crate) use smooth::Slopes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bifrons_expr::{CompileError, Expr, Pieces, Symbol};
use bifrons_grids::Grid;

use super::kinked::Kinked;
use super::outer::{OuterMargin, bound};
use super::switching::Switching;
use crate::edge::{EdgePlan, MeshAxis, Producer};
use crate::error::BuildError;
use crate::kernel::Kernel;
use crate::program::Program;
use crate::regime::Regime;
use crate::scope::{Body, Definitions};
use crate::solver::Liquid;
use crate::space::Quantity;
use crate::stage::{
    EdgeStage, Now, constraint_symbol, on_edge, preference_symbol, probability_symbol,
};

/// A compiled liquid margin.
#[derive(Debug, Clone)]
pub(crate) struct Margin {
    /// Storage index of the state, the last one.
    pub(crate) state: usize,
    /// Index of the action, the last one.
    pub(crate) action: usize,
    pub(crate) savings: Vec<f64>,
    /// Inputs: states and actions. Outputs: utility and its first two derivatives by the action;
    /// under Epstein-Zin preferences also discount factor, risk aversion and substitution.
    pub(crate) utility: Arc<Program>,
    /// Whether utility reads age or period.
    pub(crate) by_age: bool,
    /// Inputs: states and actions. Outputs: 1 where the cell is feasible, slope and offset of the
    /// resources in the state.
    pub(crate) cell: Program,
    /// Resources with breakpoints, instead of slope and offset.
    pub(crate) kinked: Option<Kinked>,
    /// For each edge, slope and offset of the next state in savings; inputs as for its laws.
    pub(crate) laws: Vec<Option<Program>>,
    /// Where laws, probabilities or the discount factor switch along the liquid state.
    pub(crate) switching: Option<Switching>,
    /// If something behind savings moves with the liquid state: rows are on its nodes.
    pub(crate) slopes: Option<Slopes>,
    /// The stock around it, if the solver is nested.
    pub(crate) outer: Option<OuterMargin>,
}

/// What a terminal regime is worth. Outputs: utility, its derivative by the continuous state.
#[derive(Debug, Clone)]
pub(crate) struct Terminal {
    pub(crate) worth: Program,
    /// Storage index of the continuous state.
    pub(crate) state: Option<usize>,
}

/// Everything that is needed to find and prove a margin.
pub(crate) struct MarginPlanner<'a> {
    pub(crate) regime: &'a Regime,
    pub(crate) states: &'a [Quantity],
    pub(crate) actions: &'a [Quantity],
    /// Definitions of the inner problem: an outer choice is an input.
    pub(crate) definitions: &'a Definitions,
    /// Definitions as declared.
    pub(crate) original: &'a Definitions,
    pub(crate) leaves: &'a BTreeMap<Symbol, usize>,
    pub(crate) edges: &'a [EdgeStage],
    /// Places of the outputs of the program of now, and how many there are.
    pub(crate) layout: &'a Now,
    pub(crate) outputs: usize,
    /// For each edge, whether the target can be read by the liquid state of this name.
    pub(crate) readable: &'a dyn Fn(&EdgePlan, &str) -> bool,
    /// Whether a state of the target of an edge is continuous.
    pub(crate) continuous: &'a dyn Fn(&EdgePlan, usize) -> bool,
    pub(crate) errors: &'a mut Vec<BuildError>,
}

/// Symbols of the margin.
pub(super) struct Roles {
    pub(super) state: Symbol,
    pub(super) action: Symbol,
    pub(super) savings: Symbol,
    pub(super) resources: Expr,
}

impl Margin {
    /// Liquid states among which breakpoints are looked for.
    pub(super) fn range(&self, kernel: &Kernel<'_>) -> (f64, f64) {
        let nodes = kernel.period.space.reader.space().axes()[self.state].nodes();
        let grid = &self.savings;
        let low = nodes[0].min(grid[0]);
        let high = nodes[nodes.len() - 1].max(grid[grid.len() - 1]);
        let width = high - low + 1.0;
        (low - width, high + width)
    }
}

impl MarginPlanner<'_> {
    /// The margin of the regime; complains about everything that the solver cannot take.
    pub(crate) fn plan(&mut self) -> Result<Option<Margin>, CompileError> {
        let Some(liquid) = self.liquid() else {
            return Ok(None);
        };
        let before = self.errors.len();
        let Some(roles) = self.roles(&liquid) else {
            return Ok(None);
        };
        self.check_kinds(&liquid);
        let bounds = self.check_constraints(&liquid, &roles);
        let outer = self.outer(&liquid, &roles, &bounds)?;
        if self.regime.solver.outer().is_some() && outer.is_none() {
            return Ok(None);
        }
        let mut steps = Vec::new();
        let mut moves = self.check_savings_stage(&roles, &mut steps);
        let [laws, law_slopes] = self.laws(&liquid, &roles, &mut steps)?;
        moves |= law_slopes.iter().any(Option::is_some);
        let resources = self.resources(&roles);
        let utility = self.utility(&roles);
        self.check_declared(&roles, &steps);
        let (Some(resources), Some(utility)) = (resources, utility) else {
            return Ok(None);
        };
        if self.errors.len() > before {
            return Ok(None);
        }
        let inputs = self.inputs();
        // Constraints of nested solvers are looked at for each outer choice.
        let feasible = match outer {
            Some(_) => Expr::constant(1.0),
            None => self.feasible(&bounds),
        };
        let [slope, offset] = resources;
        Ok(Some(Margin {
            state: self.states.len() - 1,
            action: self.actions.len() - 1,
            savings: liquid.grid.nodes().to_vec(),
            kinked: self.kinked(&roles)?,
            by_age: utility.iter().any(|own| self.reads_age(own)),
            utility: Arc::new(self.compile(self.definitions, &inputs, &utility)?),
            cell: self.compile(self.definitions, &inputs, &[feasible, slope, offset])?,
            laws,
            switching: self.switching(steps)?,
            slopes: if moves {
                Some(self.slopes(&roles, law_slopes)?)
            } else {
                None
            },
            outer,
        }))
    }

    /// What is declared as liquid; complains if nothing can be.
    fn liquid(&mut self) -> Option<Liquid> {
        if self.regime.is_terminal() {
            self.refuse(
                "TERMINAL",
                "solver",
                "the regime is terminal",
                "remove the solver",
            );
            return None;
        }
        let liquid = self.regime.liquid.clone();
        if liquid.is_none() {
            self.refuse(
                "ROLE-STATE",
                "liquid margin",
                "there is no liquid margin",
                "declare `liquid` with the state, the action, savings and their grid",
            );
        }
        liquid
    }

    fn reads_age(&self, expr: &Expr) -> bool {
        let reach = self.definitions.reaches(expr, &BTreeSet::new());
        let names = ["age", "period"].map(Symbol::new);
        names.iter().any(|name| reach.contains(name))
    }

    /// Whether all constraints hold that are not in `bounds`, as a number.
    pub(super) fn feasible(&self, bounds: &[String]) -> Expr {
        let all = self.regime.constraints.iter();
        all.filter(|(name, _)| !bounds.contains(name))
            .map(|(name, _)| Expr::symbol(constraint_symbol(name)))
            .reduce(|all, one| all * one)
            .unwrap_or_else(|| Expr::constant(1.0))
    }

    pub(super) fn compile(
        &self,
        definitions: &Definitions,
        inputs: &[Symbol],
        outputs: &[Expr],
    ) -> Result<Program, CompileError> {
        Program::new(definitions, self.leaves, inputs, outputs)
    }

    /// States, actions and, of nested solvers, what the outer choice is.
    pub(super) fn inputs(&self) -> Vec<Symbol> {
        let quantities = self.states.iter().chain(self.actions);
        let mut all: Vec<Symbol> = quantities.map(|own| own.symbol.clone()).collect();
        all.extend(self.chosen());
        all
    }

    fn chosen(&self) -> Vec<Symbol> {
        let nested = self.regime.solver.outer().is_some();
        let outer = self.regime.outer.as_ref().filter(|_| nested);
        outer.map_or_else(Vec::new, |own| bound(own).to_vec())
    }

    /// Inputs of laws: the nodes of the axes come before what the outer choice is.
    pub(super) fn edge_inputs(&self, index: usize) -> Vec<Symbol> {
        let quantities = self.states.iter().chain(self.actions);
        let mut all: Vec<Symbol> = quantities.map(|own| own.symbol.clone()).collect();
        for axis in &self.edges[index].plan.axes {
            all.extend(axis.symbols(&self.regime.shocks));
        }
        all.extend(self.chosen());
        all
    }

    fn refuse(&mut self, code: &str, item: &str, message: impl Into<String>, remedy: &str) {
        let code = code::full(&self.regime.solver, code);
        let error = BuildError::new(code, &self.regime.name, item, message, remedy);
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    fn preference_names(&self) -> Vec<Symbol> {
        let formulas = self.regime.preferences.formulas();
        let names = formulas.iter().map(|(name, _)| preference_symbol(name));
        names.collect()
    }

    /// Probabilities, parameters of preferences and laws of what is not liquid.
    pub(super) fn savings_stage(&self) -> Vec<Symbol> {
        let mut names = self.preference_names();
        for (index, edge) in self.edges.iter().enumerate() {
            names.push(probability_symbol(index));
            if let Some((_, discrete)) = edge.plan.producers.split_last() {
                names.extend(discrete.iter().filter_map(|producer| match producer {
                    Producer::Law(output) => Some(edge.plan.laws[*output].clone()),
                    _ => None,
                }));
            }
            for axis in &edge.plan.axes {
                if let MeshAxis::Markov { probabilities, .. } = axis {
                    names.extend(probabilities.iter().cloned());
                }
            }
        }
        names
    }

    /// Probabilities, discount factor and the like do not move with savings, and with the liquid
    /// state by steps at most, or smoothly; whether one of them does so smoothly.
    fn check_savings_stage(&mut self, roles: &Roles, steps: &mut Vec<Pieces>) -> bool {
        let mut moves = false;
        let (by_steps, smoothly) = (self.takes_steps(), self.takes_slopes());
        for name in self.savings_stage() {
            let reads = self
                .definitions
                .reaches(&Expr::symbol(&name), &BTreeSet::new());
            let bad = [&roles.savings, &roles.action, &roles.state];
            let mut bad = bad.into_iter().filter(|own| reads.contains(*own));
            let allowed = |own: &Symbol| (by_steps || smoothly) && *own == roles.state;
            if let Some(bad) = bad.find(|own| !allowed(own)) {
                let message = format!("`{name}` depends on `{bad}`");
                let remedy = "let it depend on discrete states, actions and parameters, or use \
                              GridSearch";
                self.refuse("SAVSTAGE", name.name(), message, remedy);
                continue;
            }
            if !reads.contains(&roles.state) {
                continue;
            }
            let definitions = self.definitions_of(&name);
            let Some(whole) = definitions.inlined(&name, &BTreeSet::new()) else {
                let message = format!("`{name}` is a closure of `{}`", roles.state);
                self.refuse("SAVSTAGE", name.name(), message, "write it as a formula");
                continue;
            };
            if by_steps {
                self.add_steps(&definitions, &name, &whole, roles, steps);
            } else {
                self.check_smooth(&definitions, &name, &whole, roles);
                moves = true;
            }
        }
        moves
    }

    /// Whether a closure stands between an expression and a symbol.
    fn is_opaque(&self, definitions: &Definitions, expr: &Expr, symbol: &Symbol) -> bool {
        expr.dependencies().into_iter().any(|name| {
            matches!(definitions.get(&name), Some(Body::Closure(_)))
                && definitions.ancestors([name]).contains(symbol)
        })
    }

    /// Slope and offset of the resources in the state.
    fn resources(&mut self, roles: &Roles) -> Option<[Expr; 2]> {
        let Some(name) = roles
            .resources
            .as_symbol()
            .filter(|name| **name != roles.state)
        else {
            return Some([Expr::constant(1.0), Expr::constant(0.0)]);
        };
        let whole = self.base_resources(roles);
        let reads = self
            .definitions
            .reaches(&Expr::symbol(name), &BTreeSet::new());
        if reads.contains(&roles.action) {
            let message = format!("`{name}` depends on `{}`", roles.action);
            self.refuse(
                "RES-ACTION",
                name.name(),
                message,
                "let it depend on what is known before",
            );
            return None;
        }
        let open = whole.filter(|whole| !self.is_opaque(self.definitions, whole, &roles.state));
        if self.regime.solver.kinked().is_some() {
            return self.has_breaks(name, open, roles);
        }
        let line = open.and_then(|whole| whole.affine_in(&roles.state));
        if line.is_none() {
            let message = format!("`{name}` is not shown to be straight in `{}`", roles.state);
            let remedy = "use formulas without `max`, `min` or conditions on the state, NbEgm for \
                          budgets with kinks, or GridSearch";
            self.refuse("RES-AFFINE", name.name(), message, remedy);
        }
        line.map(|line| [line.slope, line.offset])
    }

    /// Whether the breakpoints of the resources are known; they take the place of the line.
    fn has_breaks(
        &mut self,
        name: &Symbol,
        open: Option<Expr>,
        roles: &Roles,
    ) -> Option<[Expr; 2]> {
        let Some(whole) = open else {
            let message = format!("`{name}` depends on `{}` through a closure", roles.state);
            self.refuse("SMOOTH", name.name(), message, "write it as a formula");
            return None;
        };
        let pieces = whole.pieces_along(&roles.state);
        if let Some(switch) = pieces.unresolved().first() {
            let message = format!(
                "`{}` cannot be solved for `{}`",
                switch.surface, roles.state
            );
            let remedy = "let conditions compare formulas that are straight in the state";
            self.refuse("VAR", name.name(), message, remedy);
            return None;
        }
        Some([Expr::constant(1.0), Expr::constant(0.0)])
    }

    /// Resources with their breakpoints, compiled.
    fn kinked(&self, roles: &Roles) -> Result<Option<Kinked>, CompileError> {
        if self.regime.solver.kinked().is_none() {
            return Ok(None);
        }
        let Some(whole) = self.base_resources(roles) else {
            return Ok(None);
        };
        let inputs = self.inputs();
        let is_opaque =
            |name: &Symbol| matches!(self.definitions.get(name), Some(Body::Closure(_)));
        let opaque: Vec<Symbol> = whole.dependencies().into_iter().filter(is_opaque).collect();
        let mut outputs = vec![whole.clone(), whole.derivative(&roles.state)];
        outputs.extend(opaque.iter().map(Expr::symbol));
        Ok(Some(Kinked {
            pieces: whole.pieces_along(&roles.state),
            program: self.compile(self.definitions, &inputs, &outputs)?,
            inputs,
            opaque,
        }))
    }

    /// Utility and its first two derivatives by the action; of preferences that are not linear
    /// also their parameters.
    fn utility(&mut self, roles: &Roles) -> Option<Vec<Expr>> {
        let name = Symbol::new("utility");
        let reads = self
            .definitions
            .reaches(&Expr::symbol(&name), &BTreeSet::new());
        if reads.contains(&roles.state) || reads.contains(&roles.savings) {
            let message = format!("utility depends on `{}`", roles.state);
            self.refuse(
                "U-STATE",
                "utility",
                message,
                "let it depend on the action only",
            );
            return None;
        }
        let whole = self.definitions.inlined(&name, &BTreeSet::new());
        let open = whole.filter(|whole| !self.is_opaque(self.definitions, whole, &roles.action));
        let Some(whole) = open else {
            let message = "utility is a closure of the action";
            self.refuse(
                "FUNCS",
                "utility",
                message,
                "write it as a formula: it is differentiated",
            );
            return None;
        };
        let marginal = whole.derivative(&roles.action);
        let curvature = marginal.derivative(&roles.action);
        let mut outputs = vec![whole, marginal, curvature];
        if !self.regime.preferences.is_linear() {
            outputs.extend(self.preference_names().iter().map(Expr::symbol));
        }
        Some(outputs)
    }

    /// Slope and offset of the next liquid state in savings, for each edge.
    fn laws(
        &mut self,
        liquid: &Liquid,
        roles: &Roles,
        steps: &mut Vec<Pieces>,
    ) -> Result<[Vec<Option<Program>>; 2], CompileError> {
        let mut laws = [Vec::new(), Vec::new()];
        for (index, edge) in self.edges.iter().enumerate() {
            if !(self.readable)(&edge.plan, &liquid.state) {
                let item = format!("edge to `{}`", self.regime.edges[index].target);
                let message = "the target has no rows in the liquid state";
                let remedy = "solve it by Egm or DcEgm with the same liquid state, or let it be \
                              terminal with at most this continuous state";
                self.refuse("TARGET", &item, message, remedy);
            }
            // The liquid state is the last state of the target, if it has it.
            let own = match edge.plan.producers.last() {
                Some(&Producer::Law(output)) => Some(edge.plan.laws[output].clone()),
                _ => None,
            };
            let definitions = on_edge(self.definitions, self.regime, index);
            let own = match own {
                Some(law) => self.law(&definitions, (index, &law), roles, steps)?,
                None => [None, None],
            };
            for (all, own) in laws.iter_mut().zip(own) {
                all.push(own);
            }
        }
        Ok(laws)
    }

    /// The law of an edge and, if it moves with the liquid state, its derivative.
    fn law(
        &mut self,
        definitions: &Definitions,
        (index, name): (usize, &Symbol),
        roles: &Roles,
        steps: &mut Vec<Pieces>,
    ) -> Result<[Option<Program>; 2], CompileError> {
        let kept = BTreeSet::from([roles.savings.clone()]);
        let whole = definitions.inlined(name, &kept);
        let item = format!("edge to `{}`", self.regime.edges[index].target);
        let reads = definitions.reaches(&Expr::symbol(name), &kept);
        let (by_steps, smoothly) = (self.takes_steps(), self.takes_slopes());
        for bad in [&roles.action, &roles.state] {
            if reads.contains(bad) && !((by_steps || smoothly) && *bad == roles.state) {
                let message = format!("the law of the liquid state reads `{bad}`");
                let remedy = "let it read savings instead";
                self.refuse("LAW", &item, message, remedy);
                return Ok([None, None]);
            }
        }
        let open = whole.filter(|whole| !self.is_opaque(definitions, whole, &roles.savings));
        let Some(line) = open.and_then(|whole| whole.affine_in(&roles.savings)) else {
            let message = "the law of the liquid state is not shown to be straight in savings";
            let remedy =
                "use formulas without `max`, `min` or conditions on savings, or GridSearch";
            self.refuse("LAW", &item, message, remedy);
            return Ok([None, None]);
        };
        let inputs = self.edge_inputs(index);
        let outputs = [line.slope, line.offset];
        let mut slopes = None;
        if reads.contains(&roles.state) {
            for part in &outputs {
                if by_steps {
                    self.add_steps(definitions, name, part, roles, steps);
                } else {
                    self.check_smooth(definitions, name, part, roles);
                }
            }
            if !by_steps {
                let parts = [0, 1].map(|at: usize| outputs[at].derivative(&roles.state));
                slopes = Some(self.compile(definitions, &inputs, &parts)?);
            }
        }
        let law = self.compile(definitions, &inputs, &outputs)?;
        Ok([Some(law), slopes])
    }
}

impl Terminal {
    /// What a terminal regime is worth, if its utility is a formula of the last continuous state.
    pub(crate) fn new(
        states: &[Quantity],
        definitions: &Definitions,
        leaves: &BTreeMap<Symbol, usize>,
    ) -> Option<Self> {
        let name = Symbol::new("utility");
        let worth = definitions.inlined(&name, &BTreeSet::new())?;
        let slope = match states.last().filter(|own| own.is_continuous()) {
            None => Expr::constant(0.0),
            Some(own) => {
                let opaque = worth.dependencies().into_iter().any(|name| {
                    matches!(definitions.get(&name), Some(Body::Closure(_)))
                        && definitions.ancestors([name]).contains(&own.symbol)
                });
                if opaque {
                    return None;
                }
                worth.derivative(&own.symbol)
            }
        };
        let inputs: Vec<Symbol> = states.iter().map(|own| own.symbol.clone()).collect();
        let worth = Program::new(definitions, leaves, &inputs, &[worth, slope]).ok()?;
        Some(Self {
            worth,
            state: states
                .last()
                .filter(|own| own.is_continuous())
                .map(|_| states.len() - 1),
        })
    }
}
