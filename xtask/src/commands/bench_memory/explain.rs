//! `--explain CASE`: the plan beside what was measured, largest first.

use crate::commands::bench::Bench;
use crate::measure::protocol::{PlanLine, ScopeLine};
use crate::measure::session::{Counts, Measurement};
use crate::render::{table, units};
use crate::report::{Exit, Report};

/// Measures one case once with each binary and explains where its memory goes.
pub(super) fn run(bench: &Bench<'_>, name: &str) -> anyhow::Result<Report> {
    let case = bench.catalogue().describe(name)?;
    let counts = Counts {
        plain: 1,
        heap: 1,
        instructions: 0,
    };
    let measurements = bench.measure(&[case], counts)?;
    let mut report = Report::ok();
    for measurement in &measurements {
        for problem in &measurement.problems {
            report.add(Exit::Invalid);
            bench.say(format_args!("{}: INVALID: {problem}", measurement.case));
        }
        if measurement.is_valid() {
            for line in explain(measurement) {
                bench.say(line);
            }
        }
    }
    Ok(report)
}

/// The explanation, line by line.
#[must_use]
pub fn explain(measurement: &Measurement) -> Vec<String> {
    let mut out = vec![measurement.case.clone()];
    out.extend(section("planned", plan(&measurement.plan)));
    out.extend(section("measured scopes", scopes(&measurement.scopes)));
    out.extend(section("measured", totals(measurement)));
    let mut accuracy = Vec::new();
    for error in &measurement.accuracy {
        accuracy.push(format!(
            "{}: {:.3e}, {}",
            error.name, error.value, error.definition
        ));
    }
    out.extend(section("accuracy", accuracy));
    let configuration: Vec<String> = measurement
        .configuration
        .iter()
        .chain(&measurement.facts)
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    out.extend(section("configuration", configuration));
    out
}

fn section(title: &str, lines: Vec<String>) -> Vec<String> {
    if lines.is_empty() {
        return Vec::new();
    }
    let indented = lines.into_iter().map(|line| format!("  {line}"));
    std::iter::once(format!("{title}:"))
        .chain(indented)
        .collect()
}

/// The tree with the largest child of each part first.
fn plan(lines: &[PlanLine]) -> Vec<String> {
    if lines.is_empty() {
        return Vec::new();
    }
    let rows: Vec<Vec<String>> = sorted(lines)
        .into_iter()
        .map(|line| {
            let depth = usize::try_from(line.depth).unwrap_or(0);
            vec![
                format!("{}{}", "  ".repeat(depth), line.name),
                units::bytes(line.peak()),
                units::bytes(line.persistent),
                units::bytes(line.scratch),
                line.copies.to_string(),
            ]
        })
        .collect();
    table::aligned(
        &["part", "peak", "kept", "scratch", "copies"],
        &rows,
        &[1, 2, 3, 4],
    )
}

/// Sorts siblings by their peak, descending; equal ones stay in order.
fn sorted(lines: &[PlanLine]) -> Vec<&PlanLine> {
    let Some(first) = lines.first() else {
        return Vec::new();
    };
    // Each sibling with everything below it.
    let mut groups: Vec<&[PlanLine]> = Vec::new();
    let mut begin = 0;
    for (at, line) in lines.iter().enumerate().skip(1) {
        if line.depth <= first.depth {
            groups.push(&lines[begin..at]);
            begin = at;
        }
    }
    groups.push(&lines[begin..]);
    groups.sort_by_key(|group| std::cmp::Reverse(group[0].peak()));
    let mut out = Vec::with_capacity(lines.len());
    for group in groups {
        out.push(&group[0]);
        out.extend(sorted(&group[1..]));
    }
    out
}

fn scopes(scopes: &[ScopeLine]) -> Vec<String> {
    if scopes.is_empty() {
        return Vec::new();
    }
    let mut sorted: Vec<&ScopeLine> = scopes.iter().collect();
    sorted.sort_by_key(|scope| std::cmp::Reverse(scope.peak));
    let rows: Vec<Vec<String>> = sorted
        .into_iter()
        .map(|scope| {
            vec![
                scope.name.clone(),
                units::bytes(scope.peak),
                units::bytes(scope.bytes),
                scope.blocks.to_string(),
                scope.entries.to_string(),
            ]
        })
        .collect();
    table::aligned(
        &["scope", "peak", "total", "blocks", "entries"],
        &rows,
        &[1, 2, 3, 4],
    )
}

fn totals(measurement: &Measurement) -> Vec<String> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut push = |name: &str, value: Option<u64>, unit: &str, remark: String| {
        let human = value.map(|value| units::human(value, unit));
        rows.extend(human.map(|human| vec![name.to_owned(), human, remark]));
    };
    let of = |name: &str| measurement.median(name);
    push(
        "heap_peak",
        of("heap_peak"),
        "byte",
        "above `ready`".to_owned(),
    );
    push(
        "heap_peak_run",
        of("heap_peak_run"),
        "byte",
        "above `assembled`".to_owned(),
    );
    push(
        "planned_heap",
        of("planned_heap"),
        "byte",
        ratio(of("planned_heap"), of("heap_peak_run")),
    );
    push(
        "heap_total",
        of("heap_total"),
        "byte",
        "from `ready` to `first`".to_owned(),
    );
    push(
        "heap_blocks",
        of("heap_blocks"),
        "count",
        "from `ready` to `first`".to_owned(),
    );
    push(
        "heap_blocks_steady",
        of("heap_blocks_steady"),
        "count",
        "worst repetition".to_owned(),
    );
    push(
        "rss_peak",
        of("rss_peak"),
        "byte",
        "whole process".to_owned(),
    );
    let grown = of("rss_peak").zip(of("rss_peak_ready"));
    let grown = grown.map(|(peak, ready)| peak.saturating_sub(ready));
    push("resident growth", grown, "byte", "above `ready`".to_owned());
    push(
        "planned_resident",
        of("planned_resident"),
        "byte",
        ratio(of("planned_resident"), grown),
    );
    table::aligned(&["metric", "value", ""], &rows, &[1])
}

/// `planned / measured = 1.08`.
fn ratio(planned: Option<u64>, measured: Option<u64>) -> String {
    match (planned, measured) {
        (Some(planned), Some(measured)) if measured > 0 => {
            let hundredths =
                (u128::from(planned) * 100 + u128::from(measured / 2)) / u128::from(measured);
            format!(
                "planned / measured = {}.{:02}",
                hundredths / 100,
                hundredths % 100
            )
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, depth: u64, persistent: u64) -> PlanLine {
        PlanLine {
            name: name.to_owned(),
            depth,
            copies: 1,
            persistent,
            scratch: 0,
        }
    }

    #[test]
    fn siblings_are_sorted_and_keep_their_children() {
        let lines = [
            part("run", 0, 100),
            part("small", 1, 10),
            part("of small", 2, 10),
            part("large", 1, 90),
            part("of large, small", 2, 20),
            part("of large, large", 2, 70),
        ];
        let names: Vec<&str> = sorted(&lines)
            .iter()
            .map(|line| line.name.as_str())
            .collect();
        let expected = [
            "run",
            "large",
            "of large, large",
            "of large, small",
            "small",
            "of small",
        ];
        assert_eq!(names, expected, "largest first on each level");
        assert!(sorted(&[]).is_empty(), "no plan");
    }

    #[test]
    fn ratios_are_rounded() {
        assert_eq!(
            ratio(Some(1084), Some(1000)),
            "planned / measured = 1.08",
            "rounded"
        );
        assert_eq!(ratio(Some(1), Some(0)), "", "nothing measured");
        assert_eq!(ratio(None, Some(1)), "", "nothing planned");
    }
}
