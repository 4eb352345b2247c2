//! How many tests ran, read from what cargo and cargo-nextest print at the end.

use std::fmt;

/// Numbers of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Passed.
    pub passed: u64,
    /// Failed, timed out, or could not be executed.
    pub failed: u64,
    /// Left out by the runner.
    pub skipped: u64,
}

impl Counts {
    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// The numbers in a closing line of cargo's harness, of which every test binary prints one:
    /// `test result: ok. 3 passed; 0 failed; 1 ignored; …`. The same words further right belong
    /// to the output of a test.
    #[must_use]
    pub fn of_result(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("test result: ")?;
        let (_, numbers) = rest.split_once(". ")?;
        let mut counts = Self::default();
        counts.read_numbers(numbers, ';');
        Some(counts)
    }

    /// The numbers in a closing line of cargo-nextest, which prints one for all binaries, after
    /// the output of all tests: `Summary [ 1.2s] 3 tests run: 3 passed (1 slow), 1 skipped`.
    #[must_use]
    pub fn of_summary(line: &str) -> Option<Self> {
        let rest = line.trim_start().strip_prefix("Summary [")?;
        let (_, numbers) = rest.split_once(" run: ")?;
        let mut counts = Self::default();
        counts.read_numbers(&without_parentheses(numbers), ',');
        Some(counts)
    }

    fn read_numbers(&mut self, text: &str, separator: char) {
        for part in text.split(separator) {
            let Some((number, what)) = part.trim().split_once(' ') else {
                continue;
            };
            let Ok(number) = number.parse::<u64>() else {
                continue;
            };
            match what.trim() {
                "passed" => self.passed += number,
                "failed" | "timed out" | "exec failed" => self.failed += number,
                "ignored" | "skipped" => self.skipped += number,
                _ => {} // "measured", "filtered out"
            }
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed, self.failed, self.skipped
        )
    }
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}
