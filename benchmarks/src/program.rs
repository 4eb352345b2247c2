//! The one `main` of both scenario binaries.
//!
//! ```text
//! scenario list                       every listed case, one JSON object a line
//! scenario describe CASE              the same for one case, listed or not
//! scenario run CASE [--warmup W] [--repeat K] [--join FILE]
//! ```
//!
//! `--join FILE` makes the process write its own id into `FILE` before anything else: the
//! `cgroup.procs` of the group in which it is to be measured.
//!
//! Exit codes: 0 done, 2 the arguments make no sense, 3 the scenario failed.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, bail};

use crate::protocol::write_case;
use crate::run::{Repetition, Run};
use crate::scenario::{Scenario, resolve};
use crate::scenarios;

const USAGE: &str = "usage: scenario list\n       scenario describe CASE\n       \
    scenario run CASE [--warmup W] [--repeat K] [--join FILE]";

/// Exit code: the arguments make no sense.
const USED_WRONGLY: u8 = 2;
/// Exit code: the scenario failed.
const FAILED: u8 = 3;

/// What the arguments ask for.
#[derive(Debug, PartialEq)]
enum Request {
    List,
    Describe(String),
    Run {
        case: String,
        repetition: Repetition,
    },
}

/// Runs what the arguments of the process ask for; `origin` is when `main` began.
#[must_use]
pub fn main(origin: Instant) -> ExitCode {
    let request = parse(std::env::args().skip(1)).map_err(|error| (USED_WRONGLY, error));
    match request.and_then(|request| answer(&request, origin)) {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, error)) => {
            // A closed standard error is no reason to change the code.
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::from(code)
        }
    }
}

fn answer(request: &Request, origin: Instant) -> Result<(), (u8, anyhow::Error)> {
    let failed = |error| (FAILED, error);
    let used_wrongly = |error| (USED_WRONGLY, error);
    let scenarios = scenarios::all();
    let mut out = io::stdout().lock();
    match request {
        Request::List => {
            for scenario in scenarios {
                list(&mut out, scenario).map_err(failed)?;
            }
            Ok(())
        }
        Request::Describe(name) => {
            let (scenario, case) = resolve(&scenarios, name).map_err(used_wrongly)?;
            let tier = listed_tier(scenario, case.name()).map_err(failed)?;
            write_case(&mut out, scenario, &case, tier).map_err(failed)
        }
        Request::Run { case, repetition } => {
            let (scenario, case) = resolve(&scenarios, case).map_err(used_wrongly)?;
            let version = scenario.version();
            Run::begin(&case, version, *repetition, origin, &mut out)
                .and_then(|mut run| {
                    let outcome = scenario.run(&case, &mut run)?;
                    run.finish(outcome)
                })
                .map_err(failed)
        }
    }
}

fn list(out: &mut impl Write, scenario: &dyn Scenario) -> anyhow::Result<()> {
    for spec in scenario.cases() {
        let name = format!("{}?{}", scenario.name(), spec.query());
        let (scenario, case) = resolve(&[scenario], &name)?;
        write_case(&mut *out, scenario, &case, Some(spec.tier()))?;
    }
    Ok(())
}

fn listed_tier(scenario: &dyn Scenario, name: &str) -> anyhow::Result<Option<crate::Tier>> {
    for spec in scenario.cases() {
        let listed = format!("{}?{}", scenario.name(), spec.query());
        if resolve(&[scenario], &listed)?.1.name() == name {
            return Ok(Some(spec.tier()));
        }
    }
    Ok(None)
}

fn parse(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Request> {
    let request = match arguments.next().as_deref() {
        Some("list") => Request::List,
        Some("describe") => Request::Describe(arguments.next().context(USAGE)?),
        Some("run") => {
            let case = arguments.next().context(USAGE)?;
            let mut repetition = Repetition {
                warmup: 1,
                repeat: 2,
            };
            while let Some(option) = arguments.next() {
                let value = arguments
                    .next()
                    .with_context(|| format!("`{option}` needs a value\n{USAGE}"))?;
                match option.as_str() {
                    "--warmup" => repetition.warmup = count(&option, &value, 0)?,
                    "--repeat" => repetition.repeat = count(&option, &value, 1)?,
                    "--join" => join(&value)?,
                    _ => bail!("unknown option `{option}`\n{USAGE}"),
                }
            }
            Request::Run { case, repetition }
        }
        Some(other) => bail!("unknown command `{other}`\n{USAGE}"),
        None => bail!(USAGE),
    };
    if let Some(extra) = arguments.next() {
        bail!("unexpected argument `{extra}`\n{USAGE}");
    }
    Ok(request)
}

fn count(option: &str, value: &str, least: u64) -> anyhow::Result<u64> {
    let number = value
        .parse()
        .ok()
        .filter(|number| (least..=1_000_000).contains(number));
    number.with_context(|| {
        format!("`{option}` takes a whole number from {least} to 1000000, got `{value}`")
    })
}

fn join(group: &str) -> anyhow::Result<()> {
    std::fs::write(group, std::process::id().to_string())
        .with_context(|| format!("cannot join the control group through `{group}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> anyhow::Result<Request> {
        parse(arguments.iter().map(|&argument| argument.to_owned()))
    }

    #[test]
    fn arguments_are_understood() {
        assert_eq!(parsed(&["list"]).expect("list"), Request::List, "list");
        assert_eq!(
            parsed(&["run", "noop", "--repeat", "5", "--warmup", "0"]).expect("run"),
            Request::Run {
                case: "noop".to_owned(),
                repetition: Repetition {
                    warmup: 0,
                    repeat: 5
                }
            },
            "options in any order"
        );
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (arguments, expected) in [
            (&[][..], "usage"),
            (&["measure"], "`measure`"),
            (&["run"], "usage"),
            (&["run", "noop", "--repeat"], "`--repeat` needs a value"),
            (&["run", "noop", "--repeat", "0"], "got `0`"),
            (&["run", "noop", "--warmup", "-1"], "got `-1`"),
            (&["run", "noop", "--fast", "1"], "`--fast`"),
            (&["list", "all"], "`all`"),
            (
                &["run", "noop", "--join", "/nonexistent/procs"],
                "/nonexistent/procs",
            ),
        ] {
            let error = format!("{:#}", parsed(arguments).expect_err("wrong arguments"));
            assert!(error.contains(expected), "{arguments:?}: {error}");
        }
    }
}
