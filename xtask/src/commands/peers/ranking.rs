//! Ratios of times at equal error.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::curve::Curve;
use super::results::{Entry, OURS, Outcome, Results};
use crate::render::table::aligned;

/// Errors at which times are compared.
const ERRORS: [f64; 4] = [1e-3, 1e-5, 1e-7, 1e-9];

/// The best of ours and the best of a peer on one problem at one error.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// Name of the problem.
    pub problem: String,
    /// Error that both reach.
    pub at_error: f64,
    /// Our fastest method and its time in nanoseconds.
    pub ours: (String, f64),
    /// The peer.
    pub peer: String,
    /// Its fastest method and its time; nothing if none reaches the error.
    pub theirs: Option<(String, f64)>,
}

impl Standing {
    /// Our time in units of theirs: below one we are ahead.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.theirs.as_ref().map(|(_, time)| self.ours.1 / time)
    }
}

/// All comparisons, in the order of the problems.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    standings: Vec<Standing>,
    /// Problem, peer and what it said, where not a single run ended.
    failed: Vec<(String, String, String)>,
}

/// Compares the fastest method of ours with the fastest of each peer.
#[must_use]
pub fn rank(results: &Results) -> Ranking {
    let mut ranking = Ranking::default();
    let mut seen = BTreeSet::new();
    for entry in results.entries() {
        if seen.insert(&entry.problem) {
            ranking.problem(&entry.problem, results.entries());
        }
    }
    ranking
}

/// Curves of one problem by package and method.
fn curves<'r>(problem: &str, entries: &'r [Entry]) -> BTreeMap<&'r str, Vec<(&'r str, Curve)>> {
    let mut grouped: BTreeMap<&str, BTreeMap<&str, Vec<&Entry>>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.problem == problem) {
        let methods = grouped.entry(&entry.peer).or_default();
        methods.entry(&entry.method).or_default().push(entry);
    }
    let curve = |(method, runs): (_, Vec<&Entry>)| (method, Curve::new(runs));
    let of = |methods: BTreeMap<_, _>| methods.into_iter().map(curve).collect();
    grouped
        .into_iter()
        .map(|(peer, methods)| (peer, of(methods)))
        .collect()
}

fn fastest(curves: &[(&str, Curve)], error: f64) -> Option<(String, f64)> {
    let times = curves
        .iter()
        .filter_map(|(name, curve)| Some((name, curve.time_at(error)?)));
    let best = times.min_by(|a, b| a.1.total_cmp(&b.1));
    best.map(|(name, time)| ((*name).to_owned(), time))
}

impl Ranking {
    fn problem(&mut self, problem: &str, entries: &[Entry]) {
        let curves = curves(problem, entries);
        let Some(own) = curves.get(OURS) else {
            return;
        };
        for (peer, methods) in curves.iter().filter(|(peer, _)| **peer != OURS) {
            for error in ERRORS {
                let Some(ours) = fastest(own, error) else {
                    continue;
                };
                self.standings.push(Standing {
                    problem: problem.to_owned(),
                    at_error: error,
                    ours,
                    peer: (*peer).to_owned(),
                    theirs: fastest(methods, error),
                });
            }
            self.note_failure(problem, peer, entries);
        }
        self.note_failure(problem, OURS, entries);
    }

    /// The last words of a package of which no run reached the end.
    fn note_failure(&mut self, problem: &str, peer: &str, entries: &[Entry]) {
        let mut of = entries
            .iter()
            .filter(|e| e.problem == problem && e.peer == peer);
        let mut said = None;
        let all_failed = of.all(|entry| match &entry.outcome {
            Outcome::Failed { failure } => {
                said = Some(failure.clone());
                true
            }
            Outcome::Reached { .. } => false,
        });
        if let (true, Some(said)) = (all_failed, said) {
            self.failed
                .push((problem.to_owned(), peer.to_owned(), said));
        }
    }

    /// All comparisons.
    #[must_use]
    pub fn standings(&self) -> &[Standing] {
        &self.standings
    }

    /// Our time in units of the peer's for each problem and error, and summaries.
    #[must_use]
    pub fn table(&self) -> Vec<String> {
        let header = [
            "problem", "peer", "1e-3", "1e-5", "1e-7", "1e-9", "ours", "theirs",
        ];
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut last = None;
        for standing in &self.standings {
            let key = (&standing.problem, &standing.peer);
            if last != Some(key) {
                last = Some(key);
                let mut row = vec![standing.problem.clone(), standing.peer.clone()];
                row.resize(header.len(), "-".to_owned());
                rows.push(row);
            }
            let (Some(row), Some(column)) = (
                rows.last_mut(),
                ERRORS
                    .iter()
                    .position(|&e| e.to_bits() == standing.at_error.to_bits()),
            ) else {
                continue;
            };
            row[2 + column] = match standing.ratio() {
                Some(ratio) => format!("{ratio:.2}"),
                None => "only ours".to_owned(),
            };
            // The methods shown are those at the smallest error that both reach.
            if let Some((theirs, _)) = &standing.theirs {
                row[6] = standing.ours.0.clone();
                row[7] = theirs.clone();
            }
        }
        let mut lines = aligned(&header, &rows, &[2, 3, 4, 5]);
        lines
            .push("our time in units of theirs at equal error: below 1.00 we are ahead".to_owned());
        lines.extend(self.summaries());
        for (problem, peer, said) in &self.failed {
            let short: String = said.chars().take(90).collect();
            lines.push(format!("no run ended: {problem} {peer}: {short}"));
        }
        lines
    }

    /// Geometric means by peer, and where we are not ahead.
    fn summaries(&self) -> Vec<String> {
        let mut by_peer: BTreeMap<&str, Vec<(&Standing, f64)>> = BTreeMap::new();
        for standing in &self.standings {
            if let Some(ratio) = standing.ratio() {
                by_peer
                    .entry(&standing.peer)
                    .or_default()
                    .push((standing, ratio));
            }
        }
        let mut lines = Vec::new();
        for (peer, ratios) in by_peer {
            #[expect(clippy::cast_precision_loss, reason = "small counts")]
            let count = ratios.len() as f64;
            let mean = ratios.iter().map(|(_, ratio)| ratio.ln()).sum::<f64>() / count;
            let behind: Vec<String> = ratios
                .iter()
                .filter(|(_, ratio)| *ratio > 1.0)
                .map(|(s, ratio)| format!("{} at {:e} ({ratio:.2})", s.problem, s.at_error))
                .collect();
            let share = ratios.len() - behind.len();
            lines.push(format!(
                "{peer}: geometric mean {:.2}, ahead in {share} of {}",
                mean.exp(),
                ratios.len()
            ));
            if !behind.is_empty() {
                lines.push(format!("  behind: {}", behind.join(", ")));
            }
        }
        lines
    }

    /// One line of JSON for each comparison.
    #[must_use]
    pub fn to_json(&self) -> String {
        let lines = self.standings.iter().filter_map(|standing| {
            let mut value = serde_json::to_value(standing).ok()?;
            value["ratio"] = standing.ratio().into();
            Some(value.to_string() + "\n")
        });
        lines.collect()
    }
}
