//! What an outer margin must be, proved from the formulas.

use std::collections::BTreeSet;

use bifrons_expr::{CompileError, Expr, Symbol};

use super::OuterMargin;
use crate::edge::Producer;
use crate::endogenous::margin::{MarginPlanner, Roles};
use crate::error::BuildError;
use crate::program::Program;
use crate::scope::Definitions;
use crate::solver::{Liquid, Outer};
use crate::space::Quantity;
use crate::stage::{constraint_symbol, on_edge};

/// The name by which formulas read whether the stock is adjusted.
pub(crate) const ADJUSTS: &str = "adjusts";

/// The names that are bound to numbers when the inner problem is solved.
pub(crate) fn bound(outer: &Outer) -> [Symbol; 2] {
    [Symbol::new(&outer.post), Symbol::new(ADJUSTS)]
}

/// Factor and offset of the stock in the action.
struct Map {
    factor: f64,
    offset: Expr,
}

impl MarginPlanner<'_> {
    /// The outer margin; complains about everything that cannot be nested.
    pub(in crate::endogenous) fn outer(
        &mut self,
        liquid: &Liquid,
        roles: &Roles,
        bounds: &[String],
    ) -> Result<Option<OuterMargin>, CompileError> {
        let Some((search, batch)) = self.regime.solver.outer() else {
            return Ok(None);
        };
        let (search, before) = (search.clone(), self.errors.len());
        let Some(outer) = self.outer_roles(liquid) else {
            return Ok(None);
        };
        let map = self.outer_map(&outer, roles);
        self.check_keep(&outer);
        self.check_cost(&outer, roles);
        self.check_coupled(&outer, roles);
        self.check_fixed_cost(&outer, roles);
        self.check_phases(&outer);
        let Some(map) = map.filter(|_| self.errors.len() == before) else {
            return Ok(None);
        };
        let by_state = self.reads_state(&outer, &map);
        let named = |name: &Option<String>, default: f64| match name {
            Some(name) => Expr::symbol(name.as_str()),
            None => Expr::constant(default),
        };
        let feasible = self.feasible(bounds);
        let scale = named(&outer.fixed.as_ref().map(|(name, _)| name.clone()), 0.0);
        let kept = Expr::symbol(outer.kept());
        let maps = [kept, map.offset, Expr::constant(map.factor), scale];
        let inputs = self.inputs();
        Ok(Some(OuterMargin {
            state: self.states.len() - 2,
            action: self.actions.len() - 2,
            map: self.compile(self.definitions, &inputs, &maps)?,
            pair: self.compile(
                self.definitions,
                &inputs,
                &[named(&outer.cost, 0.0), feasible],
            )?,
            codes: self.bound_laws()?,
            by_state,
            fixed: outer.fixed.map(|(_, ends)| ends),
            search,
            batch,
        }))
    }

    /// The laws of each edge with the stock after the choice as an input.
    fn bound_laws(&self) -> Result<Vec<Option<Program>>, CompileError> {
        let mut all = Vec::with_capacity(self.edges.len());
        for (index, edge) in self.edges.iter().enumerate() {
            let discrete = edge.plan.producers.split_last().map_or(0, |(_, rest)| {
                let is_law = |producer: &&Producer| matches!(producer, Producer::Law(_));
                rest.iter().filter(is_law).count()
            });
            all.push(if discrete == 0 {
                None
            } else {
                let definitions = on_edge(self.definitions, self.regime, index);
                let outputs: Vec<Expr> = edge.plan.laws.iter().map(Expr::symbol).collect();
                let inputs = self.edge_inputs(index);
                Some(self.compile(&definitions, &inputs, &outputs)?)
            });
        }
        Ok(all)
    }

    pub(in crate::endogenous) fn refuse_outer(
        &mut self,
        code: &'static str,
        item: &str,
        message: impl Into<String>,
        remedy: &str,
    ) {
        let error = BuildError::new(code, &self.regime.name, item, message, remedy);
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// State, action and functions by their roles.
    fn outer_roles(&mut self, liquid: &Liquid) -> Option<Outer> {
        let Some(outer) = self.regime.outer.clone() else {
            let message = "there is no outer margin";
            let remedy = "declare `outer` with the stock, the action and the stock after the \
                          choice, or use DcEgm or NbEgm";
            self.refuse_outer("E-NE-OUTER", "outer margin", message, remedy);
            return None;
        };
        if outer.state == liquid.state
            || outer.action == liquid.action
            || outer.post == liquid.savings
        {
            let message = "it shares its state, action or stock with the liquid margin";
            let remedy = "name another state, action and function";
            self.refuse_outer("E-NE-DISTINCT", "outer margin", message, remedy);
            return None;
        }
        let second = |all: &[Quantity]| {
            let continuous: Vec<&Quantity> = all.iter().filter(|own| own.is_continuous()).collect();
            match continuous.as_slice() {
                [own, _] => Some(own.name.clone()),
                _ => None,
            }
        };
        let found = [second(self.states), second(self.actions)];
        if found != [Some(outer.state.clone()), Some(outer.action.clone())] {
            let message = format!(
                "`{}` and `{}` are not the continuous state and action beside the liquid ones",
                outer.state, outer.action
            );
            let remedy = "name the second continuous state and action, there must be no third; \
                          without them use DcEgm or NbEgm";
            self.refuse_outer("E-NE-OUTER", "outer margin", message, remedy);
            return None;
        }
        let functions = [Some(&outer.post), outer.keep.as_ref(), outer.cost.as_ref()];
        let scale = outer.fixed.as_ref().map(|(name, _)| name);
        for name in functions.into_iter().chain([scale]).flatten() {
            if self.original.get(&Symbol::new(name)).is_none() {
                let message = format!("there is no function `{name}`");
                self.refuse_outer(
                    "E-NE-OUTER",
                    "outer margin",
                    message,
                    "declare the function",
                );
                return None;
            }
        }
        if self.regime.taste_shocks.is_some() {
            let message = "there are taste shocks: their sum and the outer maximum do not commute";
            self.refuse_outer("E-NE-EV1", "taste shocks", message, "use GridSearch");
        }
        Some(outer)
    }

    /// The stock after the choice is straight in the action with a power of two as factor.
    fn outer_map(&mut self, outer: &Outer, roles: &Roles) -> Option<Map> {
        let (post, action) = (Symbol::new(&outer.post), Symbol::new(&outer.action));
        let whole = self.original.inlined(&post, &BTreeSet::new());
        let line = whole.and_then(|whole| whole.affine_in(&action));
        let line = line.map(|line| (line.slope.simplify().as_constant(), line.offset));
        let Some((Some(factor), offset)) = line.filter(|(factor, _)| factor.is_some_and(is_power))
        else {
            let message = format!(
                "`{post}` is not `offset ± 2^k · {action}` by its formula, k a whole number"
            );
            let remedy = "let the action be the stock itself, or what is added to it";
            self.refuse_outer("E-NN-INV", &outer.post, message, remedy);
            return None;
        };
        let reads = self.original.reaches(&offset, &BTreeSet::new());
        for bad in [&roles.state, &roles.action, &roles.savings] {
            if reads.contains(bad) {
                let message = format!("`{post}` depends on `{bad}`");
                let remedy = "let it depend on the outer margin, discrete states and parameters";
                self.refuse_outer("E-NN-INV", &outer.post, message, remedy);
                return None;
            }
        }
        Some(Map { factor, offset })
    }

    /// What names reach, if savings and the stock after the choice are given.
    fn reach(&self, name: &str) -> BTreeSet<Symbol> {
        let liquid = self.regime.liquid.as_ref();
        let cut = liquid.map(|own| Symbol::new(&own.savings));
        let cut: BTreeSet<Symbol> = cut.into_iter().collect();
        self.definitions.reaches(&Expr::symbol(name), &cut)
    }

    /// First name of a list that a function reads.
    fn first_read(&self, name: &str, bad: &[&Symbol]) -> Option<Symbol> {
        let reads = self.reach(name);
        bad.iter()
            .find(|own| reads.contains(**own))
            .map(|own| (*own).clone())
    }

    /// Keeping is a function of the state alone.
    fn check_keep(&mut self, outer: &Outer) {
        let Some(keep) = &outer.keep else {
            return;
        };
        let mut bad = vec![Symbol::new(&outer.post), Symbol::new(ADJUSTS)];
        let quantities = self.states.iter().chain(self.actions);
        let others = quantities.filter(|own| own.name != outer.state);
        bad.extend(others.map(|own| own.symbol.clone()));
        let bad: Vec<&Symbol> = bad.iter().collect();
        if let Some(read) = self.first_read(keep, &bad) {
            let message = format!("`{keep}` depends on `{read}`");
            let remedy = "let it depend on the stock, `age`, `period` and parameters only";
            self.refuse_outer("E-NE-KEEP", keep, message, remedy);
        }
    }

    /// The cost reads the outer margin only and is zero if nothing is adjusted; resources are
    /// something without the outer choice, less the cost.
    fn check_cost(&mut self, outer: &Outer, roles: &Roles) {
        if let Some(cost) = &outer.cost {
            let bad = [&roles.state, &roles.action, &roles.savings];
            if let Some(read) = self.first_read(cost, &bad) {
                let message = format!("`{cost}` depends on `{read}`");
                let remedy = "let it depend on the stocks, discrete states and actions, parameters";
                self.refuse_outer("E-NE-COST", cost, message, remedy);
            }
            let whole = self
                .definitions
                .inlined(&Symbol::new(cost), &BTreeSet::new());
            let kept = whole.map(|whole| {
                let zero = |own: &Symbol| (own.name() == ADJUSTS).then(|| Expr::constant(0.0));
                whole.substitute(&mut { zero }).simplify().as_constant()
            });
            if kept != Some(Some(0.0)) {
                let message = format!("`{cost}` is not shown to be zero where `{ADJUSTS}` is zero");
                let remedy = "multiply the cost by `adjusts`";
                self.refuse_outer("E-NE-COST", cost, message, remedy);
            }
        }
        let Some(base) = self.base_resources(roles) else {
            let message = format!("`{}` is not something less the cost", roles.resources);
            let remedy = "declare resources as `before - cost` with the function of the cost";
            self.refuse_outer("E-NE-COST", "resources", message, remedy);
            return;
        };
        let reads = self.definitions.reaches(&base, &BTreeSet::new());
        let choice = [
            Symbol::new(&outer.post),
            Symbol::new(&outer.action),
            Symbol::new(ADJUSTS),
        ];
        if let Some(read) = choice.iter().find(|own| reads.contains(*own)) {
            let message = format!("resources before the cost depend on `{read}`");
            let remedy = "move what the outer choice takes into the cost";
            self.refuse_outer("E-NE-COST", "resources", message, remedy);
        }
    }

    /// What can be spent before the cost of adjusting, with all definitions put in.
    pub(in crate::endogenous) fn base_resources(&self, roles: &Roles) -> Option<Expr> {
        let Some(name) = roles
            .resources
            .as_symbol()
            .filter(|name| **name != roles.state)
        else {
            return Some(roles.resources.clone());
        };
        let outer = self.regime.outer.as_ref();
        let cost = outer
            .filter(|_| self.regime.solver.outer().is_some())
            .and_then(|own| own.cost.as_ref())
            .map(Symbol::new);
        let kept: BTreeSet<Symbol> = cost.iter().cloned().collect();
        let whole = self.definitions.inlined(name, &kept)?;
        let Some(cost) = cost else {
            return Some(whole);
        };
        let line = whole.affine_in(&cost)?;
        (line.slope.simplify().as_constant() == Some(-1.0)).then_some(line.offset)
    }

    /// What happens after the choice reads the stock, not the action; the law of the stock reads
    /// neither consumption nor savings.
    fn check_coupled(&mut self, outer: &Outer, roles: &Roles) {
        let action = Symbol::new(&outer.action);
        let laws = (0..self.edges.len()).flat_map(|index| {
            let plan = &self.edges[index].plan;
            plan.laws.iter().map(|law| law.name().to_owned())
        });
        let names: Vec<String> = self
            .savings_stage()
            .iter()
            .map(|name| name.name().to_owned())
            .chain(laws)
            .collect();
        for name in names {
            if let Some(read) = self.first_read(&name, &[&action]) {
                let message = format!("`{name}` depends on `{read}`");
                let remedy = "let it depend on the stock after the choice instead";
                self.refuse_outer("E-NE-COUPLED", &name, message, remedy);
            }
        }
        for index in 0..self.edges.len() {
            for law in self.passive_laws(index) {
                let bad = [&roles.state, &roles.action, &roles.savings];
                if let Some(read) = self.first_read(law.name(), &bad) {
                    let message = format!("the law of the stock depends on `{read}`");
                    let remedy = "let it depend on the stock after the choice, shocks, parameters";
                    self.refuse_outer("E-NE-LAW", law.name(), message, remedy);
                }
            }
        }
    }

    /// The scale of the fixed cost depends on neither margin's choice.
    fn check_fixed_cost(&mut self, outer: &Outer, roles: &Roles) {
        let Some((scale, [low, high])) = &outer.fixed else {
            return;
        };
        let post = Symbol::new(&outer.post);
        let (action, adjusts) = (Symbol::new(&outer.action), Symbol::new(ADJUSTS));
        let margins = [&roles.state, &roles.action, &roles.savings];
        let bad: Vec<&Symbol> = margins
            .into_iter()
            .chain([&post, &action, &adjusts])
            .collect();
        let discrete = self.actions.iter().filter(|own| !own.is_continuous());
        let discrete: Vec<&Symbol> = discrete.map(|own| &own.symbol).collect();
        let bad = [bad, discrete].concat();
        if let Some(read) = self.first_read(scale, &bad) {
            let message = format!("the scale of the fixed cost depends on `{read}`");
            let remedy = "let it depend on the stock, discrete states and parameters";
            self.refuse_outer("E-NN-AGG", scale, message, remedy);
        }
        if !(low < high && low.is_finite() && high.is_finite()) {
            let message = format!("the shock of the fixed cost is uniform on [{low}, {high}]");
            self.refuse_outer(
                "E-NN-AGG",
                scale,
                message,
                "give finite ends, the lower one first",
            );
        }
    }

    /// Everything that a replay of the choice reads is the same in simulations.
    fn check_phases(&mut self, outer: &Outer) {
        let roots = [Some(&outer.post), outer.keep.as_ref(), outer.cost.as_ref()];
        let mut names: Vec<Symbol> = roots.into_iter().flatten().map(Symbol::new).collect();
        names.push(Symbol::new("utility"));
        names.extend(
            self.regime
                .constraints
                .iter()
                .map(|(name, _)| constraint_symbol(name)),
        );
        let liquid = self.regime.liquid.as_ref();
        names.extend(
            liquid
                .and_then(|own| own.resources.as_ref())
                .map(Symbol::new),
        );
        let reads = self.original.ancestors(names);
        let changed = self.regime.simulated.iter().map(|(name, _)| name.clone());
        let changed: Vec<String> = changed
            .filter(|name| reads.contains(&Symbol::new(name)))
            .collect();
        for name in changed {
            let message = format!("`{name}` has another form in simulations");
            let remedy = "let the choice depend on functions with one form";
            self.refuse_outer("E-NN-PHASE", &name, message, remedy);
        }
    }

    /// Laws of continuous states of a target beside the liquid one.
    fn passive_laws(&self, index: usize) -> Vec<Symbol> {
        let plan = &self.edges[index].plan;
        let Some((_, rest)) = plan.producers.split_last() else {
            return Vec::new();
        };
        let laws = rest
            .iter()
            .enumerate()
            .filter_map(|(state, producer)| match producer {
                Producer::Law(output) if (self.continuous)(plan, state) => {
                    Some(plan.laws[*output].clone())
                }
                _ => None,
            });
        laws.collect()
    }

    /// Whether rows differ between stocks before the choice.
    fn reads_state(&self, outer: &Outer, map: &Map) -> bool {
        let state = Symbol::new(&outer.state);
        let action = Symbol::new(&outer.action);
        let offset = self.original.reaches(&map.offset, &BTreeSet::new());
        let fixed = self.edges.iter().any(|edge| {
            let place = self.states.len() - 2;
            edge.plan.producers.contains(&Producer::Fixed(place))
        });
        let mut names: Vec<Symbol> = self.savings_stage();
        names.push(Symbol::new("utility"));
        for edge in self.edges {
            names.extend(edge.plan.laws.iter().cloned());
        }
        let reads = |own: &BTreeSet<Symbol>| {
            own.contains(&state) || (own.contains(&action) && offset.contains(&state))
        };
        fixed || names.iter().any(|name| reads(&self.reach(name.name())))
    }
}

/// Whether dividing by a number is exact.
fn is_power(factor: f64) -> bool {
    const MANTISSA: u64 = (1 << 52) - 1;
    factor.is_normal() && factor.to_bits() & MANTISSA == 0
}

/// The definitions of the inner problem, in which the choice is given.
pub(crate) fn bound_definitions(definitions: &Definitions, outer: &Outer) -> Definitions {
    definitions.without(&bound(outer))
}
