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

    /// Adds what a closing line says; other lines change nothing.
    ///
    /// Closing lines are `test result: ok. 3 passed; 0 failed; 1 ignored; …` and
    /// `Summary [ 1.2s] 3 tests run: 3 passed (1 slow), 1 skipped`.
    pub fn read(&mut self, line: &str) {
        if let Some((_, rest)) = line.split_once("test result: ") {
            let numbers = rest.split_once(". ").map_or("", |(_, numbers)| numbers);
            self.read_numbers(numbers, ';');
        } else if let Some((_, rest)) = line.split_once("Summary [") {
            let run = rest.split_once("run: ").map_or("", |(_, numbers)| numbers);
            self.read_numbers(&without_parentheses(run), ',');
        }
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
