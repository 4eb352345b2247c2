//! The arguments that both commands take.

use std::path::PathBuf;
use std::time::Duration;

use crate::measure::catalogue::{Selection, Tier};

/// Arguments of every measuring command.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Common {
    /// Measure exactly this case; may be repeated, and need not be a listed one.
    #[arg(long, value_name = "NAME")]
    pub case: Vec<String>,

    /// Measure the cases whose name contains this.
    #[arg(long, value_name = "SUBSTR")]
    pub filter: Option<String>,

    /// `quick`: the small cases, 3 samples. `full`: all cases, 7 samples, instructions of the
    /// small ones.
    /// Without it: all cases, 3 samples.
    #[arg(long)]
    pub tier: Option<Tier>,

    /// Number of samples of noisy metrics.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub samples: Option<u16>,

    /// Measure with this number of threads; leaves out cases that have no threads.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,

    /// List the selected cases and measure nothing.
    #[arg(long)]
    pub list: bool,

    /// Exit with 1 when a gated metric is missing or regressed, with 4 when there is no baseline.
    #[arg(long, conflicts_with = "bless")]
    pub check: bool,

    /// Accept what is measured as the baseline of the selected cases.
    #[arg(long)]
    pub bless: bool,

    /// Bless although the sources differ from the last commit.
    #[arg(long, requires = "bless")]
    pub allow_dirty: bool,

    /// Another relative tolerance for a metric, as in `rss_peak=0.8` or `rss_peak=80%`.
    #[arg(long, value_name = "METRIC=REL")]
    pub tolerance: Vec<String>,

    /// Write a report with all samples to this file, or to standard output for `-`.
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,

    /// No progress, no notes; the table only.
    #[arg(long)]
    pub quiet: bool,

    /// Show every metric, not only the headlines and what is wrong.
    #[arg(long)]
    pub all_metrics: bool,

    /// Keep the working directory and the output of each sample below this directory.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,

    /// Seconds that a sample may take before it is killed with all its children.
    #[arg(long, value_name = "SECONDS", default_value_t = 120.0)]
    pub timeout: f64,

    /// Exit with 5 instead of skipping when valgrind or a control group is needed and absent.
    #[arg(long)]
    pub require: bool,

    /// Use this scenario binary instead of building one; needs --heap-binary.
    #[arg(long, value_name = "PATH", requires = "heap_binary")]
    pub binary: Option<PathBuf>,

    /// Use this scenario binary with the counting allocator; needs --binary.
    #[arg(long, value_name = "PATH", requires = "binary")]
    pub heap_binary: Option<PathBuf>,

    /// Directory of the baselines [default: benchmarks/baselines].
    #[arg(long, value_name = "DIR")]
    pub baselines: Option<PathBuf>,
}

impl Common {
    /// Which cases are selected.
    #[must_use]
    pub fn selection(&self) -> Selection {
        Selection {
            cases: self.case.clone(),
            filter: self.filter.clone(),
            tier: self.tier,
            threads: self.threads,
        }
    }

    /// Samples of noisy metrics.
    #[must_use]
    pub fn sample_count(&self) -> usize {
        let of_tier = if self.tier == Some(Tier::Full) { 7 } else { 3 };
        self.samples.map_or(of_tier, usize::from)
    }

    /// Time that a sample may take.
    ///
    /// # Errors
    ///
    /// A usage failure when it is not positive.
    pub fn time_limit(&self) -> Result<Duration, crate::report::Failure> {
        Duration::try_from_secs_f64(self.timeout)
            .ok()
            .filter(|limit| !limit.is_zero())
            .ok_or_else(|| {
                let got = self.timeout;
                crate::report::Failure::usage(format!(
                    "--timeout takes positive seconds, got {got}"
                ))
            })
    }

    /// Whether the table goes to standard error, because the report is on standard output.
    #[must_use]
    pub fn json_on_stdout(&self) -> bool {
        self.json
            .as_deref()
            .is_some_and(|path| path.as_os_str() == "-")
    }
}
