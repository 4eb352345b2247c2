//! Which regimes exist when, and whether they lead somewhere.

use crate::ages::Ages;
use crate::error::BuildError;
use crate::regime::Regime;
use crate::spelling::nearest;

/// For each period and regime: whether it exists, and which of its edges are there.
pub(super) struct Graph {
    pub(super) exists: Vec<Vec<bool>>,
    pub(super) live: Vec<Vec<Vec<usize>>>,
}

/// Index of a regime by name.
pub(super) fn index(regimes: &[Regime], name: &str) -> Option<usize> {
    regimes.iter().position(|regime| regime.name == name)
}

fn within(age: f64, (first, last): (f64, f64)) -> bool {
    first <= age && age <= last
}

/// Complains about edges to unknown regimes and edges that are there twice.
pub(super) fn check_edges(regimes: &[Regime], errors: &mut Vec<BuildError>) {
    for regime in regimes {
        for (place, edge) in regime.edges.iter().enumerate() {
            if index(regimes, &edge.target).is_none() {
                let names = regimes.iter().map(|other| &*other.name);
                let near = nearest(&edge.target, names);
                let hint = near.map(|name| format!(", for instance `{name}`"));
                errors.push(BuildError::new(
                    "E-EDGE-TARGET",
                    &regime.name,
                    format!("edge to `{}`", edge.target),
                    "there is no such regime",
                    format!("name a declared regime{}", hint.unwrap_or_default()),
                ));
            }
            let twice = regime.edges[..place].iter().any(|other| {
                let overlap = other.ages.0 <= edge.ages.1 && edge.ages.0 <= other.ages.1;
                other.target == edge.target && overlap
            });
            if twice {
                errors.push(BuildError::new(
                    "E-EDGE-DUPLICATE",
                    &regime.name,
                    format!("edge to `{}`", edge.target),
                    "another edge leads to the same regime at the same age",
                    "give one edge with the sum of the probabilities",
                ));
            }
        }
    }
}

/// Existence and live edges; complains about ages from which no terminal regime is reached.
pub(super) fn graph(ages: &Ages, regimes: &[Regime], errors: &mut Vec<BuildError>) -> Graph {
    let exists: Vec<Vec<bool>> = ages
        .values()
        .iter()
        .map(|&age| regimes.iter().map(|r| within(age, r.ages)).collect())
        .collect();
    let live = (0..ages.count())
        .map(|period| {
            let age = ages.values()[period];
            let here = |(place, regime): (usize, &Regime)| {
                let open = |(_, edge): &(usize, &crate::regime::Edge)| {
                    let next = exists.get(period + 1);
                    let target = index(regimes, &edge.target);
                    let there = next.zip(target).is_some_and(|(next, target)| next[target]);
                    exists[period][place] && there && within(age, edge.ages)
                };
                let edges = regime.edges.iter().enumerate();
                edges.filter(open).map(|(edge, _)| edge).collect()
            };
            regimes.iter().enumerate().map(here).collect()
        })
        .collect();
    let graph = Graph { exists, live };
    check_ends(ages, regimes, &graph, errors);
    graph
}

fn check_ends(ages: &Ages, regimes: &[Regime], graph: &Graph, errors: &mut Vec<BuildError>) {
    for (place, regime) in regimes.iter().enumerate() {
        if !graph.exists.iter().any(|period| period[place]) {
            errors.push(BuildError::new(
                "E-GRAPH-EMPTY",
                &regime.name,
                "ages",
                format!(
                    "the regime exists at no age of the model ({:?})",
                    regime.ages
                ),
                "widen its ages or remove it",
            ));
        }
    }
    let mut ends = vec![false; regimes.len()];
    for period in (0..ages.count()).rev() {
        let mut here = vec![false; regimes.len()];
        for (place, regime) in regimes.iter().enumerate() {
            if !graph.exists[period][place] {
                continue;
            }
            here[place] = regime.is_terminal()
                || graph.live[period][place].iter().any(|&edge| {
                    index(regimes, &regime.edges[edge].target).is_some_and(|target| ends[target])
                });
            if !here[place] {
                errors.push(BuildError::new(
                    "E-GRAPH-NO-TERMINAL",
                    &regime.name,
                    format!("age {}", ages.values()[period]),
                    "no terminal regime can be reached from here",
                    "add an edge to a regime without edges that exists at the next age",
                ));
            }
        }
        ends = here;
    }
}
