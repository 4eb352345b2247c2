//! `noop`: the floor of every measurement, a process that does nothing.

use crate::case::Case;
use crate::run::Run;
use crate::scenario::{CaseSpec, Checksum, Outcome, Scenario};

/// Does nothing in every phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noop;

impl Scenario for Noop {
    fn name(&self) -> &'static str {
        "noop"
    }

    fn version(&self) -> u32 {
        1
    }

    fn cases(&self) -> Vec<CaseSpec> {
        vec![CaseSpec::quick("")]
    }

    fn run(&self, _case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        run.assembled()?;
        run.first(|| anyhow::Ok(()))?;
        run.steady(|| anyhow::Ok(()))?;
        Ok(Outcome::new(Checksum::new().bits()))
    }
}
