//! Tables for people.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

use super::units;
use crate::baseline::compare::{Row, Verdict};

/// A table without lines: columns aligned, two blanks between them, no blanks at the end.
#[must_use]
pub fn aligned(header: &[&str], rows: &[Vec<String>], right: &[usize]) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header.iter().copied());
    table.add_rows(rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if right.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// How a comparison is shown.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Every metric, not only headlines and problems.
    pub all: bool,
    /// Colours around the verdicts.
    pub colour: bool,
}

impl Style {
    /// Colours when standard output is a terminal and `NO_COLOR` is not set.
    #[must_use]
    pub fn for_terminal(all: bool, terminal: bool) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            all,
            colour: terminal && !refused,
        }
    }
}

/// The table of a comparison, one line each; below every failure why, and how to reproduce it.
#[must_use]
pub fn comparison(rows: &[Row], style: Style, reproduce: impl Fn(&Row) -> String) -> Vec<String> {
    let shown: Vec<&Row> = rows
        .iter()
        .filter(|row| style.all || row.headline || row.verdict.is_notable())
        .collect();
    let cells: Vec<Vec<String>> = shown.iter().map(|row| cells(row)).collect();
    let header = [
        "case", "metric", "baseline", "now", "change", "limit", "verdict",
    ];
    let lines = aligned(&header, &cells, &[2, 3, 4, 5]);
    let mut out = Vec::new();
    let mut lines = lines.into_iter();
    out.extend(lines.next());
    for (at, (line, row)) in lines.zip(&shown).enumerate() {
        out.push(if style.colour {
            coloured(&line, row.verdict)
        } else {
            line
        });
        // The same reason for several metrics of a case is said once, below the last one.
        let same = |next: &&Row| next.case == row.case && next.detail == row.detail;
        if !shown.get(at + 1).is_some_and(same) {
            out.extend(row.detail.as_ref().map(|detail| format!("  {detail}")));
        }
        if is_failure(row.verdict) {
            out.push(format!("  reproduce: {}", reproduce(row)));
        }
    }
    out
}

fn is_failure(verdict: Verdict) -> bool {
    matches!(
        verdict,
        Verdict::Regressed
            | Verdict::OutsidePlan
            | Verdict::Changed
            | Verdict::Missing
            | Verdict::Invalid
    )
}

fn cells(row: &Row) -> Vec<String> {
    let value = |value: Option<u64>| {
        value.map_or_else(|| "-".to_owned(), |value| units::human(value, row.unit))
    };
    vec![
        row.case.clone(),
        row.metric.clone(),
        value(row.baseline),
        value(row.now),
        units::delta(row.change),
        row.limit.clone(),
        row.verdict.word().to_owned(),
    ]
}

/// The verdict is the last word of the line.
fn coloured(line: &str, verdict: Verdict) -> String {
    let code = match verdict {
        Verdict::Ok => "32",
        Verdict::Improved => "36",
        Verdict::New | Verdict::Stale | Verdict::NotComparable => "33",
        Verdict::Recorded => return line.to_owned(),
        _ => "1;31",
    };
    match line.strip_suffix(verdict.word()) {
        Some(before) => format!("{before}\u{1b}[{code}m{}\u{1b}[0m", verdict.word()),
        None => line.to_owned(),
    }
}

/// `1 regressed, 0 invalid, 41 ok, 0 stale`, and what else there is.
#[must_use]
pub fn summary(rows: &[Row]) -> String {
    let count = |verdicts: &[Verdict]| {
        rows.iter()
            .filter(|row| verdicts.contains(&row.verdict))
            .count()
    };
    let failed = [
        Verdict::Regressed,
        Verdict::OutsidePlan,
        Verdict::Changed,
        Verdict::Missing,
    ];
    let mut text = format!(
        "{} regressed, {} invalid, {} ok, {} stale",
        count(&failed),
        count(&[Verdict::Invalid]),
        count(&[Verdict::Ok, Verdict::Improved]),
        count(&[Verdict::Stale]),
    );
    for (verdict, word) in [
        (Verdict::Improved, "improved"),
        (Verdict::New, "new"),
        (Verdict::NotComparable, "not comparable"),
    ] {
        let number = count(&[verdict]);
        if number > 0 {
            text.push_str(&format!(", {number} {word}"));
        }
    }
    text
}

#[cfg(test)]
mod tests;
