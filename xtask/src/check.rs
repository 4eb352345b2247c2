//! The rules that no compiler knows: findings, and one module per group of rules.

pub mod features;
pub mod files;
pub mod layers;
pub mod links;
pub mod manifest_text;
pub mod rules;
pub mod rust_source;
pub mod tidy;

use std::fmt;

use serde_json::{Value, json};

/// How much a finding weighs.
///
/// Closed on purpose: a third degree would need a third answer to "does the check pass?".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Printed, never fails the check.
    Warning,
    /// Fails the check.
    Error,
}

/// One broken rule at one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Path relative to the root, with `/` as separator.
    pub path: String,
    /// Line, counted from 1; 0 means the file as a whole.
    pub line: usize,
    /// Short name of the rule, in kebab case.
    pub rule: &'static str,
    /// Whether it fails the check.
    pub severity: Severity,
    /// What was found.
    pub what: String,
    /// What to do about it.
    pub fix: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path)?;
        if self.line > 0 {
            write!(f, "{}:", self.line)?;
        }
        let mark = match self.severity {
            Severity::Warning => "warning: ",
            Severity::Error => "",
        };
        write!(f, " {mark}{}: {}; {}", self.rule, self.what, self.fix)
    }
}

/// All findings of a run, with the numbers that the rules were judged by.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
    facts: Vec<String>,
}

impl Findings {
    /// Adds a finding that fails the check.
    pub fn error(
        &mut self,
        at: (&str, usize),
        rule: &'static str,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.push(Severity::Error, at, rule, what.into(), fix.into());
    }

    /// Adds a finding that is only printed.
    pub fn warning(
        &mut self,
        at: (&str, usize),
        rule: &'static str,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.push(Severity::Warning, at, rule, what.into(), fix.into());
    }

    fn push(
        &mut self,
        severity: Severity,
        (path, line): (&str, usize),
        rule: &'static str,
        what: String,
        fix: String,
    ) {
        let path = path.to_owned();
        self.list.push(Finding {
            path,
            line,
            rule,
            severity,
            what,
            fix,
        });
    }

    /// Adds a line that is printed before the findings: what was looked at, which numbers hold.
    pub fn fact(&mut self, line: impl Into<String>) {
        self.facts.push(line.into());
    }

    /// Takes over the findings and facts of another group of rules.
    pub fn append(&mut self, other: Self) {
        self.list.extend(other.list);
        self.facts.extend(other.facts);
    }

    /// Orders by path, line and rule, so that two runs over one tree print the same text.
    pub fn sort(&mut self) {
        self.list.sort();
    }

    /// The findings in their present order.
    #[must_use]
    pub fn list(&self) -> &[Finding] {
        &self.list
    }

    /// The facts in the order in which they were added.
    #[must_use]
    pub fn facts(&self) -> &[String] {
        &self.facts
    }

    /// Number of findings of one severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|f| f.severity == severity).count()
    }

    /// Whether nothing fails the check.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.count(Severity::Error) == 0
    }

    /// The closing line.
    #[must_use]
    pub fn summary(&self) -> String {
        let plural = |n: usize, word: &str| match n {
            1 => format!("1 {word}"),
            n => format!("{n} {word}s"),
        };
        format!(
            "{}, {}",
            plural(self.count(Severity::Error), "finding"),
            plural(self.count(Severity::Warning), "warning"),
        )
    }

    /// The machine-readable form.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let findings: Vec<Value> = self
            .list
            .iter()
            .map(|f| {
                json!({
                    "path": f.path,
                    "line": f.line,
                    "rule": f.rule,
                    "severity": match f.severity {
                        Severity::Warning => "warning",
                        Severity::Error => "error",
                    },
                    "what": f.what,
                    "fix": f.fix,
                })
            })
            .collect();
        json!({
            "schema": { "name": "bifrons-findings", "major": 1, "minor": 0 },
            "errors": self.count(Severity::Error),
            "warnings": self.count(Severity::Warning),
            "facts": self.facts,
            "findings": findings,
        })
    }
}
