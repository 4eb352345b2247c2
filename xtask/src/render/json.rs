//! The report for programs, schema `bifrons-report` version 1.0.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::baseline::compare::Row;
use crate::baseline::schema::Source;
use crate::measure::machine::{Machine, Tool};
use crate::measure::session::{Counts, Measurement};

/// Everything that a run found; raw samples included.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    /// Format and version.
    pub schema: Schema,
    /// The command, `bench-memory` or `bench-time`.
    pub command: &'a str,
    /// The exit code.
    pub exit: u8,
    /// When the run ended, in UTC.
    pub time: String,
    /// The tools.
    pub tool: &'a Tool,
    /// The sources.
    pub source: &'a Source,
    /// The machine.
    pub machine: &'a Machine,
    /// How it was measured.
    pub settings: Settings,
    /// Which baseline files there were: `loaded` or `no-baseline`.
    pub baselines: Vec<BaselineState>,
    /// The comparison.
    pub rows: &'a [Row],
    /// The measurements.
    pub cases: &'a [Measurement],
    /// What was skipped, and why.
    pub skipped: &'a [String],
}

/// Format and version of a report.
#[derive(Debug, Serialize)]
pub struct Schema {
    name: &'static str,
    major: u64,
    minor: u64,
}

impl Schema {
    /// The version that this tool writes.
    #[must_use]
    pub fn current() -> Self {
        Self {
            name: "bifrons-report",
            major: 1,
            minor: 0,
        }
    }
}

/// How it was measured.
#[derive(Debug, Serialize)]
pub struct Settings {
    /// Samples of each kind.
    pub samples: Counts,
    /// Repetitions that were not timed.
    pub warmup: u64,
    /// Repetitions that were timed.
    pub repeat: u64,
    /// The environment of the samples.
    pub environment: Vec<String>,
    /// Peak of this tool's own resident set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_peak_bytes: Option<u64>,
}

/// Whether a baseline file was there.
#[derive(Clone, Debug, Serialize)]
pub struct BaselineState {
    /// The file.
    pub file: String,
    /// `loaded` or `no-baseline`; a file that cannot be read ends the run before it measures.
    pub state: &'static str,
}

/// The text of a document, with a newline at its end.
///
/// # Errors
///
/// When a number has no JSON form, which samples exclude.
pub fn to_text(document: &Document<'_>) -> anyhow::Result<String> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    Ok(text)
}

/// A time as `2026-11-30T12:05:09Z`.
#[must_use]
pub fn utc(time: SystemTime) -> String {
    let since = time
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
        .as_secs();
    let (days, rest) = (since / 86_400, since % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Days since 1970-01-01 as a date of the Gregorian calendar.
///
/// Years are counted from March, so that the leap day comes last; 146,097 days are 400 years.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_the_gregorian_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(utc(time), expected, "{seconds}");
        }
    }
}
