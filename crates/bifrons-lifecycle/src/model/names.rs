//! Names of a regime: which are taken, and what they may mean.

use std::collections::BTreeSet;

use bifrons_expr::Symbol;

use crate::domain::Kind;
use crate::edge::next;
use crate::endogenous::ADJUSTS;
use crate::error::BuildError;
use crate::regime::{Law, Regime};
use crate::scope::Names;
use crate::space::{Quantity, QuantityKind};

/// Names that every formula can read.
const CONTEXT: [&str; 2] = ["age", "period"];

/// The names of a regime; complains about names that are taken twice.
pub(super) fn names(
    regime: &Regime,
    states: &[Quantity],
    actions: &[Quantity],
    processes: &BTreeSet<String>,
    errors: &mut Vec<BuildError>,
) -> Names {
    let mut names = Names::default();
    for name in CONTEXT {
        names.known.insert(Symbol::new(name));
    }
    for (name, what) in declared(regime) {
        let reserved = CONTEXT.contains(&&*name)
            || (regime.adjusts.is_some() && name == ADJUSTS)
            || name.starts_with("next_")
            || name.contains(':')
            || name.is_empty();
        if reserved {
            errors.push(BuildError::new(
                "E-NAME-RESERVED",
                &regime.name,
                format!("{what} `{name}`"),
                "the name is empty, `age`, `period`, `adjusts` beside an outer margin, begins with `next_` or contains a colon",
                "choose another name",
            ));
        } else if !names.known.insert(Symbol::new(&name)) {
            errors.push(BuildError::new(
                "E-NAME-DUPLICATE",
                &regime.name,
                format!("{what} `{name}`"),
                "the name is declared twice in this regime",
                "rename one of the two",
            ));
        }
    }
    names.known.insert(Symbol::new("utility"));
    if regime.adjusts.is_some() {
        names.known.insert(Symbol::new(ADJUSTS));
    }
    let laws = regime.laws.iter();
    let all = laws.chain(regime.edges.iter().flat_map(|edge| &edge.laws));
    for (state, _) in all {
        names.known.insert(next(state));
    }
    for state in processes {
        names.known.insert(next(state));
    }
    for quantity in states.iter().chain(actions) {
        if let QuantityKind::Categorical(labels) = &quantity.kind {
            names.labels.insert(quantity.name.clone(), labels.clone());
        }
    }
    names
}

/// Every declared name with what it names.
fn declared(regime: &Regime) -> Vec<(String, &'static str)> {
    let states = regime.states.iter().map(|(name, _)| (name, "state"));
    let actions = regime.actions.iter().map(|(name, _)| (name, "action"));
    let functions = regime.functions.iter().map(|(name, _)| (name, "function"));
    let shocks = regime.shocks.iter().flat_map(|shock| &shock.outputs);
    states
        .chain(actions)
        .chain(functions)
        .chain(shocks.map(|name| (name, "shock")))
        .map(|(name, what)| (name.clone(), what))
        .collect()
}

/// Names of processes in the targets of a regime, which laws may read as `next_` values.
pub(super) fn processes(regime: &Regime, all: &[Regime]) -> BTreeSet<String> {
    let targets = regime.edges.iter().map(|edge| &edge.target);
    targets
        .filter_map(|target| all.iter().find(|other| other.name == *target))
        .flat_map(|target| &target.states)
        .filter(|(_, domain)| matches!(domain.kind, Kind::Process(_)))
        .map(|(name, _)| name.clone())
        .collect()
}

/// Laws of states that no target has, and several laws of one state.
pub(super) fn check_laws(regime: &Regime, all: &[Regime], errors: &mut Vec<BuildError>) {
    let has = |target: &str, state: &str| {
        all.iter()
            .find(|other| other.name == target)
            .is_none_or(|other| other.states.iter().any(|(name, _)| name == state))
    };
    let mut unused = |state: &str, place: String| {
        errors.push(BuildError::new(
            "E-LAW-UNUSED",
            &regime.name,
            format!("{place}`{state}`"),
            "no target of the law has such a state",
            "remove the law or correct the name",
        ));
    };
    for (state, _) in &regime.laws {
        if !regime.edges.iter().any(|edge| has(&edge.target, state)) {
            unused(state, "law of ".to_owned());
        }
    }
    for edge in &regime.edges {
        for (state, _) in &edge.laws {
            if !has(&edge.target, state) {
                unused(state, format!("edge to `{}`, law of ", edge.target));
            }
        }
    }
    let lists = regime.edges.iter().map(|edge| &edge.laws);
    for laws in lists.chain([&regime.laws]) {
        check_twice(regime, laws, errors);
    }
}

fn check_twice(regime: &Regime, laws: &[(String, Law)], errors: &mut Vec<BuildError>) {
    for (index, (state, _)) in laws.iter().enumerate() {
        if laws[..index].iter().any(|(other, _)| other == state) {
            errors.push(BuildError::new(
                "E-NAME-DUPLICATE",
                &regime.name,
                format!("law of `{state}`"),
                "the state has two laws",
                "keep one; a law of an edge goes before the law of the regime",
            ));
        }
    }
}
