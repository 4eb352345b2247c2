//! The tables of errors and counts: ours are made anew, those of the peers are committed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, bail};

use crate::commands::peers::{Entry, Outcome, Results};
use crate::measure::cargo_build::PROFILE;
use crate::workspace::Workspace;

/// Name of the generated part.
pub(super) const PART: &str = "work-precision";
/// Results of the peers without times, relative to the root; `cargo xtask peers --write`.
pub const PEERS: &str = "benchmarks/peers/counts.json";
/// Tolerances of the columns.
pub const TOLERANCES: [f64; 3] = [1e-4, 1e-7, 1e-10];
/// Sizes of one problem that say the same as their neighbours.
const LEFT_OUT: [&str; 2] = ["brusselator1d_100", "brusselator1d_200"];

/// Runs our contestant once per problem, method and tolerance.
///
/// # Errors
///
/// When it cannot be built or run.
pub(super) fn ours(workspace: &Workspace) -> anyhow::Result<String> {
    let mut command = workspace.cargo();
    command.args(["run", "--quiet", "--profile", PROFILE]);
    command.args(["--package", "benchmarks", "--bin", "contestant", "--"]);
    command.args(["--samples", "0", "--patience", "1000"]);
    for tolerance in TOLERANCES {
        command.args(["--rtol", &format!("{tolerance:e}")]);
    }
    let output = command
        .stdin(Stdio::null())
        .output()
        .context("cannot run the contestant")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("the contestant failed: {}", said.trim());
    }
    String::from_utf8(output.stdout).context("lines of the contestant are not UTF-8")
}

/// The tables of all problems: our lines, and those of the peers.
///
/// # Errors
///
/// When a line breaks the protocol.
pub(super) fn tables(root: &Path, ours: &str) -> anyhow::Result<String> {
    let mut results = Results::default();
    ours.lines().for_each(|line| results.add(line));
    let peers = root.join(PEERS);
    if peers.is_file() {
        let text = fs::read_to_string(&peers).with_context(|| format!("cannot read {PEERS}"))?;
        text.lines().for_each(|line| results.add(line));
    }
    if let Some(breach) = results.breaches().first() {
        bail!("{breach}");
    }
    Ok(render(results.entries()))
}

/// One section per problem of ours, in the order of the lines.
fn render(entries: &[Entry]) -> String {
    let mut problems: Vec<&str> = Vec::new();
    for entry in entries {
        let name = entry.problem.as_str();
        if !problems.contains(&name) && !LEFT_OUT.contains(&name) {
            problems.push(name);
        }
    }
    let mut text = String::new();
    for problem in problems {
        text.push_str(&format!(
            "### {problem}\n\n| solver | 1e-4 | 1e-7 | 1e-10 |\n|---|---|---|---|\n"
        ));
        let mut rows: Vec<(&str, &str)> = Vec::new();
        let mut cells: BTreeMap<(&str, &str, u64), &Entry> = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.problem == problem) {
            let row = (entry.peer.as_str(), entry.method.as_str());
            if !rows.contains(&row) {
                rows.push(row);
            }
            cells.insert((row.0, row.1, entry.rtol.to_bits()), entry);
        }
        for (peer, method) in rows {
            let cell = |tolerance: f64| {
                let entry = cells.get(&(peer, method, tolerance.to_bits()));
                entry.map_or_else(|| "–".to_owned(), |entry| shown(entry))
            };
            let columns = TOLERANCES.map(cell).join(" | ");
            text.push_str(&format!("| {peer} {method} | {columns} |\n"));
        }
        text.push('\n');
    }
    text
}

/// Steps, evaluations, factorisations, error in units of the tolerance.
fn shown(entry: &Entry) -> String {
    match &entry.outcome {
        Outcome::Reached {
            error,
            steps,
            rhs,
            factorisations,
            ..
        } => format!(
            "{steps} / {rhs} / {factorisations}, {}",
            two_digits(error / entry.rtol)
        ),
        Outcome::Failed { .. } => "failed".to_owned(),
    }
}

/// `0.53`, `12`, `3.1e5`.
fn two_digits(value: f64) -> String {
    if (0.1..1000.0).contains(&value) {
        let digits = usize::from(value < 10.0);
        return format!("{value:.digits$}");
    }
    format!("{value:.1e}")
}

#[cfg(test)]
mod tests {
    use super::{render, two_digits};
    use crate::commands::peers::Results;

    #[test]
    fn a_row_per_method_and_a_column_per_tolerance() {
        let mut results = Results::default();
        for (rtol, error) in [("1e-4", "2e-4"), ("1e-7", "5e-8")] {
            results.add(&format!(
                "{{\"peer\":\"bifrons\",\"version\":\"1\",\"method\":\"bdf\",\"problem\":\"hires\",\
                 \"rtol\":{rtol},\"error\":{error},\"steps\":7,\"rhs\":9,\"jacobians\":1,\
                 \"factorisations\":3,\"wall_ns\":1}}"
            ));
        }
        assert!(results.breaches().is_empty(), "{:?}", results.breaches());
        let text = render(results.entries());
        assert!(
            text.contains("| bifrons bdf | 7 / 9 / 3, 2.0 | 7 / 9 / 3, 0.5 | – |"),
            "{text}"
        );
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.53, 9.94, 12.4, 999.4, 2.5e5, 3e-4].map(two_digits);
        assert_eq!(
            shown,
            ["0.5", "9.9", "12", "999", "2.5e5", "3.0e-4"],
            "two digits"
        );
    }
}
