//! `cargo xtask bench-memory`.

use crate::report::{Failure, Report};
use crate::workspace::Workspace;

/// Arguments of `bench-memory`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
///
/// # Errors
///
/// Until the measuring machinery is in place, always.
pub fn run(_args: &Args, _workspace: &Workspace) -> anyhow::Result<Report> {
    Err(Failure::usage("no scenario selected").into())
}
