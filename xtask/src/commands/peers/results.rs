//! Lines of the contestants, gathered over the rounds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Name of ours in the lines.
pub(super) const OURS: &str = "bifrons";

/// One line of a contestant; see `bifrons_problems::contest`.
#[derive(Clone, Debug, Deserialize)]
struct Line {
    peer: String,
    version: String,
    method: String,
    problem: String,
    rtol: f64,
    error: Option<f64>,
    #[serde(default)]
    steps: u64,
    #[serde(default)]
    rhs: u64,
    #[serde(default)]
    jacobians: u64,
    #[serde(default)]
    factorisations: u64,
    failure: Option<String>,
    #[serde(default)]
    wall_ns: Times,
}

/// One time, or all times of a line that this tool wrote.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Times {
    One(u64),
    All(Vec<u64>),
}

impl Default for Times {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Times {
    fn all(self) -> Vec<u64> {
        match self {
            Self::One(time) => vec![time],
            Self::All(times) => times,
        }
    }
}

/// What a method reaches on a problem at one tolerance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Name of the package.
    pub peer: String,
    /// Its version.
    pub version: String,
    /// Name of the method.
    pub method: String,
    /// Name of the problem.
    pub problem: String,
    /// Relative tolerance.
    pub rtol: f64,
    /// Error and counts, or what went wrong.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Time of one run in each round, in nanoseconds.
    pub wall_ns: Vec<u64>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Outcome {
    /// At the end of the span.
    Reached {
        /// Error there.
        error: f64,
        /// Accepted steps.
        steps: u64,
        /// Evaluations of the right-hand side.
        rhs: u64,
        /// Evaluations of the Jacobian.
        jacobians: u64,
        /// Factorisations.
        factorisations: u64,
    },
    /// Before it.
    Failed {
        /// What the solver said.
        failure: String,
    },
}

impl Entry {
    /// Median of the times, in nanoseconds.
    #[must_use]
    pub fn median(&self) -> u64 {
        let mut times = self.wall_ns.clone();
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or(0)
    }

    /// Error at the end, if it was reached.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        match self.outcome {
            Outcome::Reached { error, .. } => Some(error),
            Outcome::Failed { .. } => None,
        }
    }
}

/// All lines, and what is wrong with the others.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// In the order in which they first came.
    entries: Vec<Entry>,
    /// Where an entry is, by problem, package, method and bits of the tolerance.
    places: BTreeMap<(String, String, String, u64), usize>,
    breaches: Vec<String>,
}

impl Results {
    /// Adds a line of a contestant.
    pub fn add(&mut self, text: &str) {
        let line: Line = match serde_json::from_str(text) {
            Ok(line) => line,
            Err(error) => return self.breach(format!("`{text}`: {error}")),
        };
        let outcome = match (line.error, line.failure) {
            (Some(error), None) => Outcome::Reached {
                error,
                steps: line.steps,
                rhs: line.rhs,
                jacobians: line.jacobians,
                factorisations: line.factorisations,
            },
            (_, Some(failure)) => Outcome::Failed { failure },
            (None, None) => return self.breach(format!("`{text}`: neither error nor failure")),
        };
        let key = (
            line.problem.clone(),
            line.peer.clone(),
            line.method.clone(),
            line.rtol.to_bits(),
        );
        if let Some(&at) = self.places.get(&key) {
            let entry = &mut self.entries[at];
            entry.wall_ns.extend(line.wall_ns.all());
            if entry.outcome != outcome {
                let what = format!("{} {} of {}", line.problem, line.method, line.peer);
                self.breach(format!("{what}: another result in another round"));
            }
            return;
        }
        self.places.insert(key, self.entries.len());
        self.entries.push(Entry {
            peer: line.peer,
            version: line.version,
            method: line.method,
            problem: line.problem,
            rtol: line.rtol,
            outcome,
            wall_ns: line.wall_ns.all(),
        });
    }

    /// Notes that a contestant did not keep the protocol.
    pub fn breach(&mut self, what: String) {
        self.breaches.push(what);
    }

    /// What was wrong.
    #[must_use]
    pub fn breaches(&self) -> &[String] {
        &self.breaches
    }

    /// All entries.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// One line of JSON without times for each entry of a peer that is no failure and has one of
    /// these tolerances.
    #[must_use]
    pub fn peer_counts(&self, tolerances: &[f64]) -> String {
        let peers = self.entries.iter().filter(|entry| entry.peer != OURS);
        let reached = peers.filter(|entry| {
            let chosen = tolerances
                .iter()
                .any(|t| t.to_bits() == entry.rtol.to_bits());
            chosen && entry.error().is_some()
        });
        let untimed = reached.map(|entry| Entry {
            wall_ns: Vec::new(),
            ..entry.clone()
        });
        let lines = untimed.filter_map(|entry| serde_json::to_string(&entry).ok());
        lines.map(|line| line + "\n").collect()
    }

    /// One line of JSON for each entry.
    #[must_use]
    pub fn to_json(&self) -> String {
        let lines = self
            .entries
            .iter()
            .filter_map(|entry| serde_json::to_string(entry).ok());
        lines.map(|line| line + "\n").collect()
    }
}
