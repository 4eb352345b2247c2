//! Tolerances of single cases, each with a written reason.
//!
//! `benchmarks/scenarios/*.toml` may hold entries like
//!
//! ```toml
//! [[tolerance]]
//! case = "sweep/decay?members=1000&threads=1"
//! metric = "rss_peak"
//! relative = 1.0
//! reason = "the writer's buffer is filled or not, depending on the disk"
//! ```
//!
//! `relative = 0.02` is 2 %. The absolute part of the limit stays. What the command line says
//! with `--tolerance METRIC=REL` wins over both.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use serde::Deserialize;

use crate::measure::metric::{Limit, Metric};
use crate::report::Failure;

/// All tolerances that differ from the definition of their metric.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    cases: Vec<(String, String, u64)>,
    all: Vec<(String, u64)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    tolerance: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    case: String,
    metric: String,
    relative: f64,
    reason: String,
}

impl Overrides {
    /// Reads every `*.toml` in `directory`, which need not exist, and the arguments.
    ///
    /// # Errors
    ///
    /// When a file or an argument names an unknown or ungated metric, gives no reason, or no
    /// number from 0 to 100.
    pub fn read(directory: &Path, arguments: &[String]) -> anyhow::Result<Self> {
        let mut overrides = Self::default();
        let mut paths: Vec<_> = match fs::read_dir(directory) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
            Err(_) => Vec::new(),
        };
        paths.retain(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        });
        paths.sort();
        for path in paths {
            let text = fs::read_to_string(&path)?;
            overrides
                .add_text(&text)
                .with_context(|| path.display().to_string())?;
        }
        for argument in arguments {
            let wrong =
                |error: anyhow::Error| Failure::usage(format!("--tolerance {argument}: {error:#}"));
            overrides.all.push(parse_argument(argument).map_err(wrong)?);
        }
        Ok(overrides)
    }

    fn add_text(&mut self, text: &str) -> anyhow::Result<()> {
        let document: Document = toml::from_str(text)?;
        for entry in document.tolerance {
            if entry.reason.trim().is_empty() {
                bail!("the tolerance of `{}` needs a reason", entry.case);
            }
            gated(&entry.metric)?;
            let ppm = parts_per_million(entry.relative)?;
            self.cases.push((entry.case, entry.metric, ppm));
        }
        Ok(())
    }

    /// The limit of a metric in a case; `None` when the metric is not gated.
    #[must_use]
    pub fn limit(&self, case: &str, metric: &Metric) -> Option<Limit> {
        let limit = metric.limit?;
        let all = self.all.iter().rev().find(|(name, _)| name == metric.name);
        let of_case = self
            .cases
            .iter()
            .find(|(named, name, _)| named == case && name == metric.name);
        let relative_ppm = match (all, of_case) {
            (Some((_, ppm)), _) | (None, Some((_, _, ppm))) => *ppm,
            (None, None) => limit.relative_ppm,
        };
        Some(Limit {
            relative_ppm,
            ..limit
        })
    }
}

fn parse_argument(argument: &str) -> anyhow::Result<(String, u64)> {
    let (metric, relative) = argument.split_once('=').context("write METRIC=REL")?;
    gated(metric)?;
    let relative = match relative.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
        None => relative.trim().parse::<f64>(),
    };
    let relative = relative.context("REL is a number like 0.05 or 5%")?;
    Ok((metric.to_owned(), parts_per_million(relative)?))
}

fn gated(metric: &str) -> anyhow::Result<()> {
    match Metric::named(metric) {
        Some(known) if known.limit.is_some() => Ok(()),
        Some(_) => bail!("metric `{metric}` is recorded only and has no tolerance"),
        None => {
            let names = crate::measure::metric::METRICS
                .iter()
                .filter(|m| m.limit.is_some());
            let names: Vec<&str> = names.map(|metric| metric.name).collect();
            bail!("unknown metric `{metric}`; gated are {}", names.join(", "))
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked just before"
)]
fn parts_per_million(relative: f64) -> anyhow::Result<u64> {
    if !(0.0..=100.0).contains(&relative) {
        bail!("a tolerance lies between 0 and 100 (10000 %), got {relative}");
    }
    Ok((relative * 1e6).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(overrides: &Overrides, case: &str, metric: &str) -> u64 {
        let metric = Metric::named(metric).expect("a metric");
        overrides.limit(case, metric).expect("gated").relative_ppm
    }

    #[test]
    fn arguments_win_over_files_and_files_over_definitions() {
        let mut overrides = Overrides::default();
        let text = "[[tolerance]]\ncase = \"a\"\nmetric = \"rss_peak\"\nrelative = 1.0\n\
            reason = \"depends on the disk\"\n";
        overrides.add_text(text).expect("valid");
        assert_eq!(
            limit(&overrides, "a", "rss_peak"),
            1_000_000,
            "from the file"
        );
        assert_eq!(limit(&overrides, "b", "rss_peak"), 500_000, "another case");
        assert_eq!(
            limit(&overrides, "a", "heap_peak"),
            20_000,
            "another metric"
        );
        overrides
            .all
            .push(parse_argument("rss_peak=75%").expect("valid"));
        assert_eq!(
            limit(&overrides, "a", "rss_peak"),
            750_000,
            "from the argument"
        );
        let ungated = Metric::named("ready").expect("a metric");
        assert_eq!(overrides.limit("a", ungated), None, "recorded only");
    }

    #[test]
    fn wrong_tolerances_are_named() {
        for (argument, expected) in [
            ("rss_peak", "METRIC=REL"),
            ("rss=0.1", "`rss`"),
            ("ready=0.1", "recorded only"),
            ("rss_peak=wide", "REL"),
            ("rss_peak=NaN", "NaN"),
            ("rss_peak=-0.1", "-0.1"),
        ] {
            let error = format!("{:#}", parse_argument(argument).expect_err(argument));
            assert!(error.contains(expected), "{argument}: {error}");
        }
        let text =
            "[[tolerance]]\ncase = \"a\"\nmetric = \"rss_peak\"\nrelative = 1.0\nreason = \" \"\n";
        let error = Overrides::default()
            .add_text(text)
            .expect_err("no reason")
            .to_string();
        assert!(error.contains("needs a reason"), "{error}");
    }
}
