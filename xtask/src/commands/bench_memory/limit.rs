//! `--limit BYTES`: the cases run inside a control group with that hard limit.
//!
//! This is the proof that a plan fits: what does not fit is killed by the kernel.

use crate::commands::bench::Bench;
use crate::measure::cgroup::Hierarchy;
use crate::measure::child::Ending;
use crate::measure::protocol::CaseLine;
use crate::measure::sample::{self, Meter, Problem, Sample};
use crate::render::{table, units};
use crate::report::{Exit, Failure, Report};

/// Runs every case once below the limit.
pub(super) fn run(bench: &mut Bench<'_>, cases: &[CaseLine], bytes: u64) -> anyhow::Result<Report> {
    let hierarchy = match Hierarchy::find() {
        Ok(hierarchy) => hierarchy,
        Err(reason) => {
            bench.skip(format!("--limit: {reason}"))?;
            return Ok(Report::ok());
        }
    };
    let mut report = Report::ok();
    let mut rows = Vec::new();
    for case in cases {
        let group = hierarchy.group()?;
        group.limit(bytes)?;
        let sample = sample::take(case, Meter::Plain, &bench.setup, Some(&group.join_file()))?;
        let peak = group.peak()?;
        let (exit, verdict) = judge(&sample);
        report.add(exit);
        let planned = sample.metrics.get("planned_resident").copied();
        rows.push(vec![
            case.case.clone(),
            units::bytes(bytes),
            planned.map_or_else(|| "-".to_owned(), units::bytes),
            units::bytes(peak),
            verdict,
        ]);
    }
    for line in table::aligned(
        &["case", "limit", "planned", "peak", "verdict"],
        &rows,
        &[1, 2, 3],
    ) {
        bench.say(line);
    }
    Ok(report)
}

fn judge(sample: &Sample) -> (Exit, String) {
    // The kernel ends with signal 9 what exceeds the limit of its group.
    let killed = sample.problems.iter().any(|problem| {
        matches!(
            problem,
            Problem::Ended {
                ending: Ending::Signalled(9),
                ..
            }
        )
    });
    match sample.problems.first() {
        None => (Exit::Ok, "fits".to_owned()),
        Some(_) if killed => (Exit::Findings, "DOES NOT FIT".to_owned()),
        Some(problem) => (Exit::Invalid, format!("INVALID: {problem}")),
    }
}

/// Reads `64MiB`, `1.5 GiB`, `100kB`, `4096`.
///
/// # Errors
///
/// When it is no number of bytes from 1 to 2^63.
pub(super) fn parse_bytes(text: &str) -> Result<u64, Failure> {
    const UNITS: [(&str, f64); 12] = [
        ("kib", 1024.0),
        ("mib", 1_048_576.0),
        ("gib", 1_073_741_824.0),
        ("kb", 1e3),
        ("mb", 1e6),
        ("gb", 1e9),
        ("k", 1024.0),
        ("m", 1_048_576.0),
        ("g", 1_073_741_824.0),
        ("bytes", 1.0),
        ("b", 1.0),
        ("", 1.0),
    ];
    let lower = text.trim().to_ascii_lowercase();
    let split = lower
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(lower.len());
    let (number, unit) = (lower[..split].trim(), &lower[split..]);
    let factor = UNITS
        .iter()
        .find(|(name, _)| *name == unit)
        .map(|(_, factor)| factor);
    let bytes = number
        .parse::<f64>()
        .ok()
        .zip(factor)
        .map(|(number, factor)| number * factor);
    let bytes = bytes.filter(|bytes| (1.0..=9.2e18).contains(bytes));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked just before"
    )]
    let bytes = bytes.map(|bytes| bytes as u64);
    bytes.ok_or_else(|| Failure::usage(format!("--limit takes bytes like `64MiB`, got `{text}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_sizes_are_read() {
        for (text, expected) in [
            ("4096", 4096),
            ("64MiB", 64 << 20),
            ("64 M", 64 << 20),
            ("1.5 GiB", 3 << 29),
            ("100kB", 100_000),
            ("7 bytes", 7),
        ] {
            assert_eq!(parse_bytes(text).expect(text), expected, "{text}");
        }
        for text in ["", "MiB", "-1", "0", "64 pages", "1e30", "NaN"] {
            let error = parse_bytes(text).expect_err(text).to_string();
            assert!(error.contains("64MiB"), "{text}: {error}");
        }
    }
}
