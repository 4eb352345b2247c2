//! Tables as people see them.

use super::*;
use crate::baseline::compare::Delta;

fn row(case: &str, metric: &str, numbers: [u64; 2], percent: f64, verdict: Verdict) -> Row {
    Row {
        case: case.to_owned(),
        metric: metric.to_owned(),
        unit: "byte",
        baseline: Some(numbers[0]),
        now: Some(numbers[1]),
        change: Delta::Percent(percent),
        limit: if metric == "heap_peak" { "2 %" } else { "50 %" }.to_owned(),
        verdict,
        detail: None,
        headline: true,
    }
}

fn example() -> Vec<Row> {
    let (sweep, ladder) = ("sweep/decay?members=1000", "dae/rc-ladder?n=200");
    let mut hidden = row(sweep, "heap_total", [900_000, 900_000], 0.0, Verdict::Ok);
    hidden.headline = false;
    vec![
        row(sweep, "heap_peak", [812_344, 812_344], 0.0, Verdict::Ok),
        hidden,
        row(
            sweep,
            "rss_peak",
            [4_308_992, 4_521_984],
            4.943,
            Verdict::Ok,
        ),
        row(
            ladder,
            "heap_peak",
            [6_501_171, 7_340_032],
            12.903,
            Verdict::Regressed,
        ),
        Row::remark("ode/decay", "-", Verdict::Invalid, "exit code 7: diverged"),
    ]
}

fn shown(rows: &[Row], style: Style) -> String {
    comparison(rows, style, |row| {
        format!("cargo xtask bench-memory --case '{}'", row.case)
    })
    .join("\n")
}

#[test]
fn table_is_aligned_and_failures_say_how_to_reproduce() {
    let text = shown(
        &example(),
        Style {
            all: false,
            colour: false,
        },
    );
    let expected = "\
case                      metric     baseline      now   change  limit  verdict
sweep/decay?members=1000  heap_peak   793 KiB  793 KiB    0.0 %    2 %  ok
sweep/decay?members=1000  rss_peak    4.1 MiB  4.3 MiB   +4.9 %   50 %  ok
dae/rc-ladder?n=200       heap_peak   6.2 MiB  7.0 MiB  +12.9 %    2 %  REGRESSED
  reproduce: cargo xtask bench-memory --case 'dae/rc-ladder?n=200'
ode/decay                 -                 -        -                  INVALID
  exit code 7: diverged
  reproduce: cargo xtask bench-memory --case 'ode/decay'";
    assert_eq!(text, expected, "\n{text}\n");
}

#[test]
fn all_metrics_are_shown_on_request() {
    let all = shown(
        &example(),
        Style {
            all: true,
            colour: false,
        },
    );
    assert!(all.contains("heap_total"), "{all}");
    let mut rows = example();
    rows[1].verdict = Verdict::Regressed;
    let notable = shown(
        &rows,
        Style {
            all: false,
            colour: false,
        },
    );
    assert!(
        notable.contains("heap_total"),
        "a regression is never hidden: {notable}"
    );
}

#[test]
fn colours_surround_the_verdict_only() {
    let text = shown(
        &example(),
        Style {
            all: false,
            colour: true,
        },
    );
    assert!(
        text.contains("  \u{1b}[1;31mREGRESSED\u{1b}[0m\n"),
        "{text}"
    );
    assert!(text.contains("  \u{1b}[32mok\u{1b}[0m\n"), "{text}");
    let plain = text
        .replace("\u{1b}[1;31m", "")
        .replace("\u{1b}[32m", "")
        .replace("\u{1b}[0m", "");
    assert_eq!(
        plain,
        shown(
            &example(),
            Style {
                all: false,
                colour: false
            }
        ),
        "same text"
    );
}

#[test]
fn same_reason_is_said_once() {
    let stale = |metric| {
        let mut row = row("sweep/decay", metric, [1, 2], 0.0, Verdict::Stale);
        row.detail = Some("scenario version 2 is not that of the baseline, 1".to_owned());
        row
    };
    let text = shown(
        &[stale("heap_peak"), stale("rss_peak")],
        Style {
            all: false,
            colour: false,
        },
    );
    assert_eq!(text.matches("scenario version 2").count(), 1, "{text}");
    assert!(
        text.ends_with("the baseline, 1"),
        "below the last one: {text}"
    );
}

#[test]
fn summary_counts_rows() {
    let mut rows = example();
    assert_eq!(
        summary(&rows),
        "1 regressed, 1 invalid, 3 ok, 0 stale",
        "counts"
    );
    rows[0].verdict = Verdict::Improved;
    rows[1].verdict = Verdict::New;
    rows[2].verdict = Verdict::Stale;
    assert_eq!(
        summary(&rows),
        "1 regressed, 1 invalid, 1 ok, 1 stale, 1 improved, 1 new",
        "more"
    );
}
