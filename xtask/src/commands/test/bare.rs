//! Test binaries without the standard harness.
//!
//! They are programs that pass by ending well (`harness = false`), such as checks of a global
//! allocator that must be alone in their process. cargo-nextest cannot ask them for a list of
//! tests, and they print no closing line, so both need help.

use toml::{Table, Value};

use super::Counts;

/// A test binary without the standard harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BareTest {
    /// The package that it belongs to.
    pub package: String,
    /// The name of the target.
    pub target: String,
}

/// Reads what `cargo test` says about bare tests: nothing but a closing list of failures.
#[derive(Debug)]
pub struct Reader<'a> {
    tests: &'a [BareTest],
    failed: u64,
    has_list: bool,
}

impl<'a> Reader<'a> {
    /// A reader for a command that runs these tests.
    #[must_use]
    pub fn new(tests: &'a [BareTest]) -> Self {
        Self {
            tests,
            failed: 0,
            has_list: false,
        }
    }

    /// Takes note of a line.
    pub fn read(&mut self, line: &str) {
        let line = line.trim();
        if line.starts_with("error: ") && line.ends_with("failed:") {
            self.has_list = true;
        } else if self.has_list && self.tests.iter().any(|test| test.is_named_in(line)) {
            self.failed += 1;
        }
    }

    /// How many passed and failed. Without success and without a list of failures, cargo did
    /// not come to running anything.
    #[must_use]
    pub fn counts(&self, success: bool) -> Counts {
        let ran = success || self.has_list;
        let all = if ran { self.tests.len() as u64 } else { 0 };
        Counts {
            passed: all.saturating_sub(self.failed),
            failed: self.failed,
            skipped: 0,
        }
    }
}

impl BareTest {
    /// Whether a line of the list names this test; the package is left out when it is the only
    /// one.
    fn is_named_in(&self, line: &str) -> bool {
        let alone = format!("`--test {}`", self.target);
        let among_others = format!("`-p {} --test {}`", self.package, self.target);
        line == alone || line == among_others
    }
}

/// The bare tests that a manifest declares.
#[must_use]
pub fn bare_tests(package: &str, manifest: &str) -> Vec<BareTest> {
    let table: Table = manifest.parse().unwrap_or_default();
    let tests = table.get("test").and_then(Value::as_array);
    tests
        .into_iter()
        .flatten()
        .filter(|test| test.get("harness").and_then(Value::as_bool) == Some(false))
        .filter_map(|test| test.get("name").and_then(Value::as_str))
        .map(|target| BareTest {
            package: package.to_owned(),
            target: target.to_owned(),
        })
        .collect()
}
