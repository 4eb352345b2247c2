//! Exit codes, and how several problems of one run become one code.

use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// Exit code of every command.
///
/// When several apply, the one that says most about the trust in the others wins:
/// usage, then invalid, then baseline, then absent, then findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[repr(u8)]
pub enum Exit {
    /// 0: done, nothing to object.
    Ok = 0,
    /// 1: the command did its work and found something: a regression, a broken rule.
    Findings = 1,
    /// 2: the arguments make no sense, or select nothing.
    Usage = 2,
    /// 3: a measurement is invalid (scenario failed, protocol breach, timeout, not
    /// deterministic), or the command itself could not work.
    Invalid = 3,
    /// 4: the baseline is missing under `--check`, unreadable, of an unsupported schema, locked,
    /// or newer than this tool.
    Baseline = 4,
    /// 5: a tool or a permission that the arguments require is absent.
    Absent = 5,
}

impl Exit {
    /// The numeric code.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The code of an error: that of the [`Failure`] in its chain, else [`Exit::Invalid`].
    #[must_use]
    pub fn of(error: &anyhow::Error) -> Self {
        error
            .chain()
            .find_map(|cause| cause.downcast_ref::<Failure>())
            .map_or(Self::Invalid, |f| f.exit)
    }

    fn rank(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Findings => 1,
            Self::Absent => 2,
            Self::Baseline => 3,
            Self::Invalid => 4,
            Self::Usage => 5,
        }
    }

    /// The graver of two codes.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if other.rank() > self.rank() {
            other
        } else {
            self
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Prints one line of the answer on standard output.
///
/// A reader that has left, as `head` does, changes nothing: the exit code still tells.
pub fn answer(line: impl fmt::Display) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Prints one line for the person who waits on standard error.
pub fn note(line: impl fmt::Display) {
    eprintln!("{line}");
}

/// An error with a chosen exit code.
#[derive(Debug)]
pub struct Failure {
    /// The code the process ends with.
    pub exit: Exit,
    /// What happened and what to do, as a lowercase fragment.
    pub message: String,
}

impl Failure {
    /// An error that ends the process with `exit`.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
        }
    }

    /// Wrong arguments.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// What a command leaves behind: its exit code, the gravest of all that was added.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    exit: Exit,
}

impl Report {
    /// A report without findings.
    #[must_use]
    pub fn ok() -> Self {
        Self { exit: Exit::Ok }
    }

    /// Adds a problem.
    pub fn add(&mut self, exit: Exit) {
        self.exit = self.exit.max(exit);
    }

    /// The exit code.
    #[must_use]
    pub fn exit(&self) -> Exit {
        self.exit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravest_problem_wins() {
        let mut report = Report::ok();
        assert_eq!(report.exit(), Exit::Ok, "an empty report is fine");
        for (added, expected) in [
            (Exit::Findings, Exit::Findings),
            (Exit::Baseline, Exit::Baseline),
            (Exit::Findings, Exit::Baseline),
            (Exit::Invalid, Exit::Invalid),
            (Exit::Baseline, Exit::Invalid),
            (Exit::Ok, Exit::Invalid),
        ] {
            report.add(added);
            assert_eq!(report.exit(), expected, "after adding {added:?}");
        }
    }

    #[test]
    fn code_is_found_below_context() {
        use anyhow::Context as _;
        let error = Err::<(), _>(Failure::new(Exit::Baseline, "locked")).context("while blessing");
        let error = error.expect_err("constructed as an error");
        assert_eq!(
            Exit::of(&error),
            Exit::Baseline,
            "the failure is below one layer of context"
        );
        assert_eq!(
            Exit::of(&anyhow::anyhow!("disk full")),
            Exit::Invalid,
            "untyped errors"
        );
    }

    #[test]
    fn codes_are_the_documented_numbers() {
        let codes = [
            Exit::Ok,
            Exit::Findings,
            Exit::Usage,
            Exit::Invalid,
            Exit::Baseline,
            Exit::Absent,
        ]
        .map(Exit::code);
        assert_eq!(codes, [0, 1, 2, 3, 4, 5], "exit codes are an interface");
    }
}
