//! Building the scenario binaries and finding out where they are.

use std::io::BufReader;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, bail};
use cargo_metadata::Message;

use crate::workspace::Workspace;

/// The profile of everything that is measured.
pub const PROFILE: &str = "bench";

/// The two scenario binaries.
#[derive(Clone, Debug)]
pub struct Binaries {
    /// On the system's allocator.
    pub plain: PathBuf,
    /// On the counting allocator.
    pub heap: PathBuf,
}

impl Binaries {
    /// No binaries, for commands that only build.
    #[must_use]
    pub fn none() -> Self {
        Self {
            plain: PathBuf::new(),
            heap: PathBuf::new(),
        }
    }
}

/// Builds both binaries; cargo's own progress goes to standard error unless `quiet`.
///
/// # Errors
///
/// When cargo fails, or does not report the two binaries.
pub fn binaries(workspace: &Workspace, quiet: bool) -> anyhow::Result<Binaries> {
    let mut command = workspace.cargo();
    command
        .args([
            "build",
            "--profile",
            PROFILE,
            "--package",
            "benchmarks",
            "--bins",
        ])
        .args(["--message-format", "json-render-diagnostics"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if quiet {
        command.arg("--quiet");
    }
    let mut child = command.spawn().context("cannot start cargo")?;
    let stream = child
        .stdout
        .take()
        .context("cargo has no standard output")?;
    let (mut plain, mut heap) = (None, None);
    for message in Message::parse_stream(BufReader::new(stream)) {
        if let Message::CompilerArtifact(artifact) = message.context("cannot read cargo")? {
            let executable = artifact.executable.map(PathBuf::from);
            match artifact.target.name.as_str() {
                "scenario" => plain = executable.or(plain),
                "scenario-heap" => heap = executable.or(heap),
                _ => {}
            }
        }
    }
    let status = child.wait().context("cannot wait for cargo")?;
    if !status.success() {
        bail!("the scenario binaries do not build; see the messages above");
    }
    let plain = plain.context("cargo did not report the binary `scenario`")?;
    let heap = heap.context("cargo did not report the binary `scenario-heap`")?;
    Ok(Binaries { plain, heap })
}
