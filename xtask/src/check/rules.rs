//! `xtask/layers.toml`: the numbers and exceptions that the rules are judged by.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;

/// Where the rules are, relative to the root.
pub const RULES_PATH: &str = "xtask/layers.toml";

/// The content of `xtask/layers.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// Package (a trailing `*` stands for any ending) → members that may depend on it.
    pub exclusive: BTreeMap<String, Vec<String>>,
    /// Shipped crate → how many packages it may bring.
    pub budget: BTreeMap<String, Budget>,
    /// Package that the lock file may hold in several versions → why.
    pub duplicates: BTreeMap<String, String>,
    /// Member that may contain unsafe code → why.
    pub unsafe_code: BTreeMap<String, String>,
    /// Member whose tests need no second run in the release profile → why.
    pub no_release_tests: BTreeMap<String, String>,
}

/// How many unique packages a crate may bring, itself and its build dependencies included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// With the default features.
    pub plain: usize,
    /// With all features; equal to `plain` when absent.
    pub full: Option<usize>,
}

impl Rules {
    /// Reads the rules of the workspace at `root`.
    ///
    /// # Errors
    ///
    /// When the file is missing or does not parse; the message has line and column.
    pub fn load(root: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(root.join(RULES_PATH))
            .with_context(|| format!("cannot read {RULES_PATH}"))?;
        Self::parse(&text)
    }

    /// Parses the rules.
    ///
    /// # Errors
    ///
    /// When the text is no valid rule file; the message has line and column.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        toml::from_str(text).with_context(|| format!("cannot parse {RULES_PATH}"))
    }

    /// The members that may depend on `package`, if its use is exclusive.
    #[must_use]
    pub fn owners_of(&self, package: &str) -> Option<&[String]> {
        self.exclusive
            .iter()
            .find(|(pattern, _)| match pattern.strip_suffix('*') {
                Some(start) => package.starts_with(start),
                None => package == pattern.as_str(),
            })
            .map(|(_, owners)| owners.as_slice())
    }
}
