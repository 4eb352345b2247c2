//! From declarations to a compiled model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bifrons_expr::{CompileError, Symbol};
use bifrons_grids::Grid;

use super::graph::{self, Graph};
use super::{Choices, Inner, Model, PeriodPlan, RegimePlan, names};
use crate::ages::Ages;
use crate::edge::{EdgePlan, Planner, check_shocks, law_symbol, markov_symbol};
use crate::endogenous::{ADJUSTS, MarginPlanner, Terminal, bound_definitions};
use crate::error::{BuildError, BuildErrors};
use crate::formula::Formula;
use crate::hoisted::Hoisted;
use crate::parameter::{Leaf, Parameters};
use crate::regime::{Law, Regime};
use crate::scope::{Definitions, Names, Resolver};
use crate::solver::{Liquid, OuterSearch};
use crate::space::{Declared, Quantity, Space, space};
use crate::stage::{
    Compiler, Stage, breakpoint_symbol, constraint_symbol, preference_symbol, probability_symbol,
};

/// A regime on its way.
struct Draft {
    regime: Regime,
    states: Vec<Quantity>,
    actions: Vec<Quantity>,
    names: Names,
    /// Definitions of each stage, and the period that each was made for.
    definitions: Vec<(usize, Definitions)>,
    simulated: Vec<(usize, Definitions)>,
}

pub(super) fn build(
    ages: Ages,
    regimes: Vec<Regime>,
    fixed: &Parameters,
) -> Result<Model, BuildErrors> {
    let mut errors = Vec::new();
    check_regimes(&regimes, &mut errors);
    graph::check_edges(&regimes, &mut errors);
    let graph = graph::graph(&ages, &regimes, &mut errors);
    let drafts: Vec<Draft> = regimes
        .iter()
        .enumerate()
        .map(|(place, regime)| {
            let mut draft = draft(&ages, regime, &regimes, &graph, place, &mut errors);
            resolve(&ages, &graph, place, &mut draft, fixed, &mut errors);
            draft
        })
        .collect();
    check_cycles(&drafts, &mut errors);
    for draft in &drafts {
        if let Some((_, definitions)) = draft.definitions.first() {
            edge_plans(draft, definitions, &drafts, &mut errors);
        }
    }
    if !errors.is_empty() {
        return Err(BuildErrors(errors));
    }
    let leaves = all_leaves(&drafts);
    let plans = drafts
        .iter()
        .enumerate()
        .map(|(place, draft)| finish(&ages, &graph, place, draft, &drafts, &leaves, &mut errors))
        .collect();
    if !errors.is_empty() {
        return Err(BuildErrors(errors));
    }
    Ok(Model {
        inner: Arc::new(Inner {
            ages,
            regimes: plans,
            leaves,
        }),
    })
}

/// What a single regime can get wrong without looking at formulas.
fn check_regimes(regimes: &[Regime], errors: &mut Vec<BuildError>) {
    for (place, regime) in regimes.iter().enumerate() {
        let mut refuse = |code, item: &str, message: &str, remedy: &str| {
            errors.push(BuildError::new(code, &regime.name, item, message, remedy));
        };
        if regimes[..place]
            .iter()
            .any(|other| other.name == regime.name)
        {
            refuse(
                "E-NAME-DUPLICATE",
                "regime",
                "two regimes have this name",
                "rename one of the two",
            );
        }
        if !regime.functions.iter().any(|(name, _)| name == "utility") {
            refuse(
                "E-UTILITY",
                "utility",
                "there is no utility",
                "declare `utility`",
            );
        }
        if regime.is_terminal() && !regime.actions.is_empty() {
            refuse(
                "E-TERMINAL-ACTION",
                "actions",
                "a regime without edges is terminal and has no choices",
                "add an edge, or remove the actions",
            );
        }
        if regime.taste_shocks.is_some() && !regime.preferences.is_linear() {
            refuse(
                "E-EV1-NONLINEAR-CE",
                "taste shocks",
                "taste shocks need linear expectations",
                "remove the taste shocks or use linear preferences",
            );
        }
        if !regime.breakpoints.is_empty() && regime.solver.kinked().is_none() {
            refuse(
                "E-NB-DECL",
                "breakpoints",
                "breakpoints are declared, and the solver looks for none",
                "use NbEgm or NNbEgm, or remove the declarations",
            );
        }
        check_shocks(regime, errors);
        names::check_laws(regime, regimes, errors);
    }
}

fn draft(
    ages: &Ages,
    regime: &Regime,
    regimes: &[Regime],
    graph: &Graph,
    place: usize,
    errors: &mut Vec<BuildError>,
) -> Draft {
    let first = graph.exists.iter().position(|period| period[place]);
    let age = ages.values()[first.unwrap_or(0)];
    let mut quantities = |entries, last| {
        let declared = Declared {
            regime: &regime.name,
            entries,
            last,
            free: false,
        };
        declared.quantities(age, errors)
    };
    let liquid = liquid(regime, regimes);
    let states = quantities(&regime.states, liquid.map(|own| &*own.state));
    let actions = quantities(&regime.actions, liquid.map(|own| &*own.action));
    let discrete = actions.iter().any(|action| !action.is_continuous());
    if regime.taste_shocks.is_some() && !discrete {
        errors.push(BuildError::new(
            "E-EV1-NO-DISCRETE",
            &regime.name,
            "taste shocks",
            "there is no discrete action",
            "declare a categorical action or remove the taste shocks",
        ));
    }
    let processes = names::processes(regime, regimes);
    let names = names::names(regime, &states, &actions, &processes, errors);
    Draft {
        regime: regime.clone(),
        states,
        actions,
        names,
        definitions: Vec::new(),
        simulated: Vec::new(),
    }
}

/// The liquid margin that says which continuous quantities come last: the regime's own, or for a
/// terminal regime that of a regime that leads there.
fn liquid<'a>(regime: &'a Regime, regimes: &'a [Regime]) -> Option<&'a Liquid> {
    let by_rows = |own: &&Regime| own.solver.settings().is_some();
    if !regime.is_terminal() {
        return Some(regime).filter(by_rows)?.liquid.as_ref();
    }
    let leads = |own: &&Regime| own.edges.iter().any(|edge| edge.target == regime.name);
    let mut sources = regimes.iter().filter(by_rows).filter(leads);
    sources.find_map(|own| own.liquid.as_ref())
}

/// Resolves all formulas, once, or at each age if one of them varies.
fn resolve(
    ages: &Ages,
    graph: &Graph,
    place: usize,
    draft: &mut Draft,
    fixed: &Parameters,
    errors: &mut Vec<BuildError>,
) {
    let varies = formulas(&draft.regime)
        .iter()
        .any(|(.., formula)| formula.varies());
    let periods = (0..ages.count()).filter(|&period| graph.exists[period][place]);
    for period in periods.take(if varies { usize::MAX } else { 1 }) {
        for simulate in [false, true] {
            if simulate && draft.regime.simulated.is_empty() {
                continue;
            }
            let mut resolver = Resolver {
                regime: &draft.regime.name,
                period,
                age: ages.values()[period],
                names: &draft.names,
                fixed,
                definitions: Definitions::default(),
                errors,
            };
            for (symbol, owner, formula) in formulas(&draft.regime) {
                let truth = symbol.name().starts_with("constraint:");
                resolver.define(symbol, &owner, formula, truth);
            }
            if simulate {
                for (name, formula) in &draft.regime.simulated {
                    resolver.define(Symbol::new(name), name, formula, false);
                }
            }
            let definitions = resolver.definitions;
            if simulate {
                draft.simulated.push((period, definitions));
            } else {
                draft.definitions.push((period, definitions));
            }
        }
    }
}

/// Every formula of a regime with the symbol that it defines and the owner of its parameters.
fn formulas(regime: &Regime) -> Vec<(Symbol, String, &Formula)> {
    let mut all = Vec::new();
    for (name, formula) in &regime.functions {
        all.push((Symbol::new(name), name.clone(), formula));
    }
    for (name, formula) in &regime.constraints {
        all.push((constraint_symbol(name), name.clone(), formula));
    }
    for (index, own) in regime.breakpoints.iter().enumerate() {
        all.push((breakpoint_symbol(index), own.function.clone(), &own.at));
    }
    if let Some(formula) = &regime.adjusts {
        all.push((Symbol::new(ADJUSTS), ADJUSTS.to_owned(), formula));
    }
    add_laws(&regime.laws, None, None, &mut all);
    for (index, edge) in regime.edges.iter().enumerate() {
        let owner = format!("to_{}", edge.target);
        all.push((probability_symbol(index), owner.clone(), &edge.probability));
        add_laws(&edge.laws, Some(index), Some(&owner), &mut all);
    }
    if !regime.is_terminal() {
        for (name, formula) in regime.preferences.formulas() {
            all.push((preference_symbol(name), "preferences".to_owned(), formula));
        }
    }
    if let Some(scale) = &regime.taste_shocks {
        all.push((preference_symbol("scale"), "taste_shocks".to_owned(), scale));
    }
    all
}

fn add_laws<'r>(
    laws: &'r [(String, Law)],
    edge: Option<usize>,
    owner: Option<&str>,
    all: &mut Vec<(Symbol, String, &'r Formula)>,
) {
    for (state, law) in laws {
        let owner = owner.map_or_else(|| format!("next_{state}"), str::to_owned);
        match law {
            Law::Value(formula) => all.push((law_symbol(edge, state), owner, formula)),
            Law::Markov(formulas) => {
                for (category, formula) in formulas.iter().enumerate() {
                    let symbol = markov_symbol(edge, state, category);
                    all.push((symbol, owner.clone(), formula));
                }
            }
            Law::Fixed => {}
        }
    }
}

fn check_cycles(drafts: &[Draft], errors: &mut Vec<BuildError>) {
    for draft in drafts {
        let all = draft.definitions.iter().chain(&draft.simulated);
        let cycle = all
            .filter_map(|(_, definitions)| definitions.any_cycle())
            .next();
        if let Some(cycle) = cycle {
            let names: Vec<&str> = cycle.iter().map(Symbol::name).collect();
            errors.push(BuildError::new(
                "E-DAG-CYCLE",
                &draft.regime.name,
                names.join(" -> "),
                "each of these functions needs the next one, and the last the first",
                "break the cycle",
            ));
        }
        check_future(draft, errors);
        check_scale(draft, errors);
        for (name, _) in &draft.regime.simulated {
            if !draft
                .regime
                .functions
                .iter()
                .any(|(known, _)| known == name)
            {
                errors.push(BuildError::new(
                    "E-SIMULATE-UNKNOWN",
                    &draft.regime.name,
                    name,
                    "a variant for simulation is given of a function that does not exist",
                    "declare the function",
                ));
            }
        }
    }
}

/// The scale of taste shocks is a number, the same in all states.
fn check_scale(draft: &Draft, errors: &mut Vec<BuildError>) {
    let Some((_, definitions)) = draft.definitions.first() else {
        return;
    };
    let reads = definitions.ancestors([preference_symbol("scale")]);
    let quantities = draft.states.iter().chain(&draft.actions);
    for quantity in quantities.filter(|own| reads.contains(&own.symbol)) {
        errors.push(BuildError::new(
            "E-EV1-SCALE",
            &draft.regime.name,
            "taste shocks",
            format!("the scale depends on `{}`", quantity.name),
            "let the scale depend on parameters, `age` and `period` only",
        ));
    }
}

/// Quantities of now that read what is known later only.
fn check_future(draft: &Draft, errors: &mut Vec<BuildError>) {
    let regime = &draft.regime;
    let shocks = regime.shocks.iter().flat_map(|shock| &shock.outputs);
    let mut later: BTreeSet<Symbol> = shocks.map(Symbol::new).collect();
    let Some((_, definitions)) = draft.definitions.first() else {
        return;
    };
    for name in &draft.names.known {
        if name.name().starts_with("next_") && definitions.get(name).is_none() {
            later.insert(name.clone());
        }
    }
    for (symbol, owner, _) in formulas(regime) {
        let of_now = symbol.name() == "utility"
            || symbol.name().contains("constraint:")
            || symbol.name().contains("preferences:")
            || symbol.name().contains("markov:")
            || symbol.name().ends_with(":probability");
        if !of_now {
            continue;
        }
        let reads = definitions.ancestors([symbol]);
        if let Some(name) = reads.intersection(&later).next() {
            errors.push(BuildError::new(
                "E-NAME-FUTURE",
                &regime.name,
                owner,
                format!("`{name}` is read, which is drawn after the decision"),
                "read it in laws of next states only",
            ));
        }
    }
}

fn all_leaves(drafts: &[Draft]) -> Vec<Leaf> {
    let mut all = BTreeSet::new();
    for draft in drafts {
        for (_, definitions) in draft.definitions.iter().chain(&draft.simulated) {
            all.extend(definitions.leaves.values().cloned());
        }
    }
    all.into_iter().collect()
}

/// Compiles the stages and lays out the periods.
fn finish(
    ages: &Ages,
    graph: &Graph,
    place: usize,
    draft: &Draft,
    drafts: &[Draft],
    leaves: &[Leaf],
    errors: &mut Vec<BuildError>,
) -> RegimePlan {
    let stages = compile(draft, &draft.definitions, drafts, leaves, errors);
    let simulated = compile(draft, &draft.simulated, drafts, leaves, errors);
    let mut seen = 0;
    let periods = (0..ages.count())
        .map(|period| {
            if !graph.exists[period][place] {
                return None;
            }
            let stage = if draft.definitions.len() > 1 { seen } else { 0 };
            seen += 1;
            let live = graph.live[period][place].clone();
            lay_out(draft, stage, ages.values()[period], live, errors)
        })
        .collect();
    RegimePlan {
        declaration: draft.regime.clone(),
        states: draft.states.clone(),
        actions: draft.actions.clone(),
        stages,
        simulated,
        periods,
    }
}

fn compile(
    draft: &Draft,
    variants: &[(usize, Definitions)],
    drafts: &[Draft],
    leaves: &[Leaf],
    errors: &mut Vec<BuildError>,
) -> Vec<Stage> {
    let mut stages = Vec::new();
    for (_, definitions) in variants {
        let before = errors.len();
        let plans = edge_plans(draft, definitions, drafts, errors);
        if errors.len() > before {
            return stages;
        }
        let mut numbers: BTreeMap<Symbol, usize> = definitions
            .leaves
            .iter()
            .filter_map(|(symbol, leaf)| {
                leaves
                    .binary_search(leaf)
                    .ok()
                    .map(|at| (symbol.clone(), at))
            })
            .collect();
        numbers.insert(Symbol::new("age"), leaves.len());
        numbers.insert(Symbol::new("period"), leaves.len() + 1);
        let compiler = Compiler {
            regime: &draft.regime,
            states: &draft.states,
            actions: &draft.actions,
            leaves: &numbers,
            definitions: definitions.clone(),
        };
        let stage = compiler
            .compile(plans)
            .and_then(|stage| add_margin(draft, drafts, stage, errors));
        match stage {
            Ok(stage) => stages.push(stage),
            Err(error) => {
                errors.push(not_compiled(&draft.regime.name, &error));
                return stages;
            }
        }
    }
    stages
}

/// Adds what solvers that invert an Euler equation need.
fn add_margin(
    draft: &Draft,
    drafts: &[Draft],
    mut stage: Stage,
    errors: &mut Vec<BuildError>,
) -> Result<Stage, CompileError> {
    if draft.regime.is_terminal() {
        stage.terminal = Terminal::new(&draft.states, &stage.definitions, &stage.leaves);
    }
    stage.hoisted = Hoisted::new(&draft.regime, &draft.states, &draft.actions, &stage)?;
    if draft.regime.solver.settings().is_none() {
        return Ok(stage);
    }
    let readable = |plan: &EdgePlan, liquid: &str| {
        let target = &drafts[plan.target];
        if target.regime.is_terminal() {
            let last = target.states.last().filter(|own| own.is_continuous());
            return last.is_none_or(|own| own.name == liquid);
        }
        let margin = target.regime.liquid.as_ref();
        let kinked = |own: &Draft| own.regime.solver.kinked().is_some();
        target.regime.solver.settings().is_some()
            && kinked(draft) == kinked(target)
            && margin.is_some_and(|own| own.state == liquid)
    };
    let continuous = |plan: &EdgePlan, state: usize| {
        let states = &drafts[plan.target].states;
        states.get(state).is_some_and(Quantity::is_continuous)
    };
    let nested = draft.regime.solver.outer().is_some();
    let outer = draft.regime.outer.as_ref().filter(|_| nested);
    let bound = outer.map(|own| bound_definitions(&stage.definitions, own));
    let margin = MarginPlanner {
        regime: &draft.regime,
        states: &draft.states,
        actions: &draft.actions,
        definitions: bound.as_ref().unwrap_or(&stage.definitions),
        original: &stage.definitions,
        continuous: &continuous,
        leaves: &stage.leaves,
        edges: &stage.edges,
        layout: &stage.layout,
        outputs: stage.now.output_count(),
        readable: &readable,
        errors,
    }
    .plan()?;
    stage.margin = margin;
    Ok(stage)
}

fn not_compiled(regime: &str, error: &CompileError) -> BuildError {
    BuildError::new(
        "E-COMPILE",
        regime,
        "formulas",
        error.to_string(),
        "correct the formula that is named",
    )
}

fn edge_plans(
    draft: &Draft,
    definitions: &Definitions,
    drafts: &[Draft],
    errors: &mut Vec<BuildError>,
) -> Vec<EdgePlan> {
    let mut plans = Vec::new();
    for (index, edge) in draft.regime.edges.iter().enumerate() {
        let target = drafts
            .iter()
            .position(|other| other.regime.name == edge.target);
        if let Some(target) = target {
            let planner = Planner {
                regime: &draft.regime,
                states: &draft.states,
                index,
                target,
                target_states: &drafts[target].states,
                definitions,
                errors,
            };
            plans.push(planner.plan());
        }
    }
    plans
}

fn lay_out(
    draft: &Draft,
    stage: usize,
    age: f64,
    live: Vec<usize>,
    errors: &mut Vec<BuildError>,
) -> Option<PeriodPlan> {
    let regime = &draft.regime;
    let mut axes = |entries, quantities: &[Quantity]| {
        let declared = Declared {
            regime: &regime.name,
            entries,
            last: None,
            free: regime.solver.settings().is_some(),
        };
        declared.axes(quantities, age, errors)
    };
    let state_axes = axes(&regime.states, &draft.states);
    let action_axes = axes(&regime.actions, &draft.actions)?;
    let space = space(&regime.name, &draft.states, state_axes?, errors)?;
    check_outer_grid(draft, &space, errors);
    let (mut branches, mut inner) = (1, 1);
    for (axis, action) in action_axes.iter().zip(&draft.actions) {
        if action.is_continuous() {
            inner *= axis.len();
        } else {
            branches *= axis.len();
        }
    }
    if u32::try_from(branches * inner).is_ok_and(|count| count < u32::MAX) {
        Some(())
    } else {
        errors.push(BuildError::new(
            "E-GRID-SIZE",
            &regime.name,
            "actions",
            format!("{branches} discrete and {inner} continuous combinations of actions"),
            "use coarser grids: a combination needs a number of 32 bits",
        ));
        None
    }?;
    Some(PeriodPlan {
        stage,
        space,
        choices: Choices {
            axes: action_axes,
            branches,
            inner,
        },
        live,
    })
}

/// The stocks that are searched lie inside of the grid of the stock.
fn check_outer_grid(draft: &Draft, space: &Space, errors: &mut Vec<BuildError>) {
    let Some((search, _)) = draft.regime.solver.outer() else {
        return;
    };
    let nodes = match search {
        OuterSearch::Grid(axis) => axis.nodes().to_vec(),
        OuterSearch::Adaptive(options) => options.initial_grid.clone(),
    };
    let axes = space.reader.space().axes();
    let (Some(outer), Some(axis)) = (&draft.regime.outer, axes.iter().rev().nth(1)) else {
        return;
    };
    let inside = |z: &f64| (axis.first()..=axis.last()).contains(z);
    let ascends = nodes.windows(2).all(|pair| pair[0] < pair[1]);
    if nodes.len() >= 2 && ascends && nodes.iter().all(inside) {
        return;
    }
    let error = BuildError::new(
        "E-NE-GRID",
        &draft.regime.name,
        "outer grid",
        format!(
            "{} stocks are searched, from {:?} to {:?}; the grid of `{}` goes from {} to {}",
            nodes.len(),
            nodes.first(),
            nodes.last(),
            outer.state,
            axis.first(),
            axis.last()
        ),
        "give at least two ascending stocks inside of the grid of the state",
    );
    if !errors.contains(&error) {
        errors.push(error);
    }
}
