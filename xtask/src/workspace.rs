//! Where the workspace is and what `cargo metadata` says about it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use cargo_metadata::{Metadata, MetadataCommand};

/// The root of the workspace and its target directory.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// Finds the workspace that this tool was built from.
    ///
    /// The root is the parent of the manifest directory that cargo hands to `cargo run`; when
    /// the binary is started without cargo, the directory that it was compiled from. The target
    /// directory is `CARGO_TARGET_DIR` or `target` below the root.
    ///
    /// # Errors
    ///
    /// When that directory holds no `Cargo.toml` any more.
    pub fn locate() -> anyhow::Result<Self> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest
            .parent()
            .context("the manifest directory has no parent")?;
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(target) => std::env::current_dir()?.join(target),
            None => root.join("target"),
        };
        Self::at(root, target)
    }

    /// A workspace at a given root with a given target directory.
    ///
    /// # Errors
    ///
    /// When `root` holds no `Cargo.toml`.
    pub fn at(root: impl Into<PathBuf>, target: impl Into<PathBuf>) -> anyhow::Result<Self> {
        let (root, target) = (root.into(), target.into());
        if !root.join("Cargo.toml").is_file() {
            bail!(
                "no Cargo.toml in {}; run through `cargo xtask`",
                root.display()
            );
        }
        Ok(Self { root, target })
    }

    /// The directory with the workspace's `Cargo.toml`.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory that cargo builds into.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The only directory that commands write to without being asked: `target/xtask`.
    #[must_use]
    pub fn scratch(&self) -> PathBuf {
        self.target.join("xtask")
    }

    /// A `cargo` command that runs in the root.
    #[must_use]
    pub fn cargo(&self) -> Command {
        let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    /// What `cargo metadata` says: packages, targets and, unless `no_deps`, the resolved graph.
    ///
    /// # Errors
    ///
    /// When cargo fails, for example because a manifest does not parse.
    pub fn metadata(&self, no_deps: bool) -> anyhow::Result<Metadata> {
        let mut command = MetadataCommand::new();
        command.manifest_path(self.root.join("Cargo.toml"));
        if no_deps {
            command.no_deps();
        }
        command.exec().context("`cargo metadata` failed")
    }
}
