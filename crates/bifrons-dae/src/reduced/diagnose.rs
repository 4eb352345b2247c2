//! Errors about the structure, in terms of components.

use std::collections::{BTreeMap, BTreeSet};

use super::ReducedModel;
use crate::alias::Verdict;
use crate::error::{Flaw, StructuralError};
use crate::flat::{FlatEquation, FlatModel, Origin};
use crate::name::plain;
use crate::structure::dulmage::{Decomposition, decompose};
use crate::structure::matching::NONE;

/// Refuses equations that aliases have turned into `0 = number` or `0 = 0`.
///
/// A network has as many equations as unknowns, so an equation that says nothing new leaves an
/// unknown undetermined; the components of the redundant equations are named together.
pub(super) fn contradictions(
    flat: &FlatModel,
    verdicts: &[Verdict],
) -> Result<(), StructuralError> {
    let wrong = |verdict: &Verdict| matches!(verdict, Verdict::Contradiction(_));
    let void = |verdict: &Verdict| matches!(verdict, Verdict::Redundant);
    let flaw = if verdicts.iter().any(wrong) {
        Flaw::Contradiction
    } else if verdicts.iter().any(void) {
        Flaw::Singular
    } else {
        return Ok(());
    };
    let pairs = flat.equations.iter().zip(verdicts);
    let picked: Vec<&FlatEquation> = pairs
        .filter(|(_, verdict)| wrong(verdict) || void(verdict))
        .map(|(equation, _)| equation)
        .collect();
    let mut components = BTreeSet::new();
    for equation in &picked {
        components.extend(equation.origin.components().into_iter().map(str::to_owned));
        components.extend(companions(flat, equation));
    }
    let text =
        |e: &&FlatEquation| format!("{} = {} [{}]", plain(&e.left), plain(&e.right), e.origin);
    Err(StructuralError {
        flaw,
        network: Box::from(&*flat.name),
        components: components.into_iter().collect(),
        pins: Box::default(),
        equations: picked.iter().map(text).collect(),
        unknowns: Box::default(),
        proposal: "these equations repeat or contradict what others say: remove one of the \
                   components or put an element between them"
            .into(),
    })
}

/// Components at the nodes of an equation's component that are of the same kind.
fn companions(flat: &FlatModel, equation: &FlatEquation) -> Vec<String> {
    let mut kinds: BTreeMap<&str, &str> = BTreeMap::new();
    for equation in &flat.equations {
        if let Origin::Component { path, kind } = &equation.origin {
            kinds.insert(path, kind);
        }
    }
    let mut found = BTreeSet::new();
    for path in equation.origin.components() {
        let prefix = format!("{path}.");
        for node in &flat.nodes {
            if !node.pins.iter().any(|pin| pin.starts_with(&prefix)) {
                continue;
            }
            let owners = node.pins.iter().filter_map(|pin| pin.rsplit_once('.'));
            let same = owners.filter(|(owner, _)| kinds.get(owner) == kinds.get(path));
            found.extend(same.map(|(owner, _)| owner.to_owned()));
        }
    }
    found.into_iter().collect()
}

/// Refuses a model whose equations and unknowns, each with all derivatives, have no matching.
pub(super) fn check(model: &ReducedModel) -> Result<(), StructuralError> {
    // A derivative stands for its variable.
    let base = |mut unknown: usize| {
        while model.unknowns[unknown].integral != NONE {
            unknown = model.unknowns[unknown].integral;
        }
        unknown
    };
    let count = model.unknowns.iter().filter(|u| u.integral == NONE).count();
    let rows: Vec<Vec<usize>> = model
        .slopes
        .iter()
        .map(|row| {
            let mut row: Vec<usize> = row.iter().map(|slope| base(slope.unknown)).collect();
            row.sort_unstable();
            row.dedup();
            row
        })
        .collect();
    let parts = decompose(&rows, count);
    if parts == Decomposition::default() {
        return Ok(());
    }
    Err(report(model, &parts))
}

fn report(model: &ReducedModel, parts: &Decomposition) -> StructuralError {
    let mut components = BTreeSet::new();
    for &equation in parts.over_equations.iter().chain(&parts.under_equations) {
        let names = model.equations[equation].origin.components();
        components.extend(names.into_iter().map(str::to_owned));
    }
    let flows = parts
        .under_unknowns
        .iter()
        .filter(|u| model.unknowns[**u].is_flow);
    let some_flow = flows.count() > 0;
    let proposal = match (parts.over_equations.is_empty(), some_flow) {
        (false, true) => {
            "these components fix the same potential and leave their flows open: remove one of \
             them or put an element in series"
        }
        (false, false) => {
            "these components fix the same flow and leave a potential open: remove one of them \
             or put an element in parallel"
        }
        (true, _) => "add equations that determine these unknowns",
    };
    StructuralError {
        flaw: Flaw::Singular,
        network: Box::from(&*model.name),
        components: components.into_iter().collect(),
        pins: Box::default(),
        equations: parts
            .over_equations
            .iter()
            .map(|e| model.describe(*e))
            .collect(),
        unknowns: parts
            .under_unknowns
            .iter()
            .map(|u| model.unknowns[*u].symbol.name().to_owned())
            .collect(),
        proposal: proposal.into(),
    }
}
