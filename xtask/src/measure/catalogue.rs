//! The cases that there are, and those that the arguments select.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};

use super::child::{self, Job};
use super::protocol::{self, CaseLine, Line};
use crate::report::Failure;

/// How often a case is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Tier {
    /// Cases that are small enough for every change, 3 samples each.
    Quick,
    /// All cases, 7 samples each, with instruction counts where valgrind is installed.
    Full,
}

/// Which cases the arguments select.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Exact names; they need not be listed, but must be valid.
    pub cases: Vec<String>,
    /// Only cases whose name contains this.
    pub filter: Option<String>,
    /// Only cases of this tier (`full` is all).
    pub tier: Option<Tier>,
    /// The value of parameter `threads` in all cases.
    pub threads: Option<u64>,
}

/// Asks a scenario binary for its cases.
#[derive(Clone, Debug)]
pub struct Catalogue<'a> {
    program: &'a Path,
    directory: &'a Path,
}

impl<'a> Catalogue<'a> {
    /// The catalogue of `program`, which is run in `directory`.
    #[must_use]
    pub fn new(program: &'a Path, directory: &'a Path) -> Self {
        Self { program, directory }
    }

    /// All listed cases.
    ///
    /// # Errors
    ///
    /// When the binary fails or prints something else.
    pub fn list(&self) -> anyhow::Result<Vec<CaseLine>> {
        self.ask(&["list"])
    }

    /// One case by name, listed or not.
    ///
    /// # Errors
    ///
    /// A usage [`Failure`] when the scenario or a parameter is unknown.
    pub fn describe(&self, name: &str) -> anyhow::Result<CaseLine> {
        let mut found = self.ask(&["describe", name])?;
        found
            .pop()
            .with_context(|| format!("`describe {name}` prints nothing"))
    }

    /// The selected cases, in the order of the list; named ones in the order of the arguments.
    ///
    /// # Errors
    ///
    /// A usage [`Failure`] when a name is unknown, or nothing is selected.
    pub fn select(&self, selection: &Selection) -> anyhow::Result<Vec<CaseLine>> {
        let mut found = if selection.cases.is_empty() {
            self.list()?
        } else {
            selection
                .cases
                .iter()
                .map(|name| self.describe(name))
                .collect::<Result<_, _>>()?
        };
        if let Some(threads) = selection.threads {
            let with_threads = found
                .iter()
                .filter_map(|case| case_with_threads(case, threads));
            let renamed: Vec<String> = with_threads.collect();
            found = renamed
                .iter()
                .map(|name| self.describe(name))
                .collect::<Result<_, _>>()?;
        }
        if selection.tier == Some(Tier::Quick) && selection.cases.is_empty() {
            found.retain(|case| case.tier.as_deref() == Some("quick"));
        }
        if let Some(filter) = &selection.filter {
            found.retain(|case| case.case.contains(filter.as_str()));
        }
        let mut seen = Vec::new();
        found.retain(|case| {
            let new = !seen.contains(&case.case);
            seen.push(case.case.clone());
            new
        });
        if found.is_empty() {
            let message = "no case is selected; `--list` shows what there is";
            return Err(Failure::usage(message).into());
        }
        Ok(found)
    }

    fn ask(&self, arguments: &[&str]) -> anyhow::Result<Vec<CaseLine>> {
        let job = Job::new(self.program, self.directory, Duration::from_secs(30))
            .with(arguments.iter().copied());
        let finished = child::run(&job)?;
        let errors = finished.errors.trim();
        if finished.ending == child::Ending::Exited(2) {
            let message = errors.trim_start_matches("error: ").to_owned();
            return Err(Failure::usage(message).into());
        }
        if !finished.ending.is_success() {
            bail!(
                "`scenario {}` ended with {}: {errors}",
                arguments.join(" "),
                finished.ending
            );
        }
        let cases = finished
            .lines
            .iter()
            .map(|line| match protocol::parse(&line.text)? {
                Line::Case(case) => Ok(case),
                _ => bail!("`scenario {}` prints `{}`", arguments.join(" "), line.text),
            });
        cases.collect()
    }
}

/// The name of the case with another number of threads; `None` without such a parameter.
fn case_with_threads(case: &CaseLine, threads: u64) -> Option<String> {
    let old = case.configuration.get("threads")?;
    let (scenario, query) = case.case.split_once('?')?;
    let old = format!("threads={old}");
    let new = format!("threads={threads}");
    let pairs: Vec<&str> = query
        .split('&')
        .map(|pair| if pair == old { new.as_str() } else { pair })
        .collect();
    Some(format!("{scenario}?{}", pairs.join("&")))
}
