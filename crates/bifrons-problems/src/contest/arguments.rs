//! What the programs of a contest are asked for.

use std::time::Duration;

use super::TOLERANCES;

/// How to ask.
pub const USAGE: &str = "options: [--list] [--problem NAME]… [--method NAME]… [--rtol R]… \
                         [--samples N] [--patience SECONDS]";

/// Arguments of a program.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Arguments {
    /// Problems to run, all if empty.
    pub problems: Vec<String>,
    /// Methods to run, all if empty.
    pub methods: Vec<String>,
    /// Relative tolerances, [`TOLERANCES`] by default.
    pub tolerances: Vec<f64>,
    /// Samples per run; with none the run is made once, and its time is that. Default: 5.
    pub samples: usize,
    /// A method that takes longer is not run at smaller tolerances. Default: one second.
    pub patience: Duration,
    /// Whether to list problems and methods only.
    pub list: bool,
}

/// Arguments that make no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}\n{USAGE}")]
pub struct UsageError {
    what: String,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            problems: Vec::new(),
            methods: Vec::new(),
            tolerances: TOLERANCES.to_vec(),
            samples: 5,
            patience: Duration::from_secs(1),
            list: false,
        }
    }
}

impl Arguments {
    /// Reads arguments, without the name of the program.
    ///
    /// # Errors
    ///
    /// When an option is unknown, lacks its value, or has one that is no number or not positive.
    pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Self, UsageError> {
        let mut arguments = Self::default();
        let mut tolerances = Vec::new();
        let mut words = words.into_iter();
        while let Some(option) = words.next() {
            if option == "--list" {
                arguments.list = true;
                continue;
            }
            let Some(value) = words.next() else {
                return Err(wrong(format!("`{option}` is unknown or needs a value")));
            };
            match option.as_str() {
                "--problem" => arguments.problems.push(value),
                "--method" => arguments.methods.push(value),
                "--rtol" => tolerances.push(positive(&option, &value)?),
                "--patience" => {
                    let seconds = positive(&option, &value)?.min(1e6);
                    arguments.patience = Duration::from_secs_f64(seconds);
                }
                "--samples" => {
                    let count = value.parse().ok();
                    arguments.samples =
                        count.ok_or_else(|| wrong(format!("`{value}` is no number of samples")))?;
                }
                _ => return Err(wrong(format!("unknown option `{option}`"))),
            }
        }
        if !tolerances.is_empty() {
            arguments.tolerances = tolerances;
        }
        Ok(arguments)
    }

    pub(super) fn wants_problem(&self, name: &str) -> bool {
        self.problems.is_empty() || self.problems.iter().any(|wanted| wanted == name)
    }

    pub(super) fn wants_method(&self, name: &str) -> bool {
        self.methods.is_empty() || self.methods.iter().any(|wanted| wanted == name)
    }
}

fn positive(option: &str, value: &str) -> Result<f64, UsageError> {
    let number = value
        .parse()
        .ok()
        .filter(|x: &f64| x.is_finite() && *x > 0.0);
    number.ok_or_else(|| wrong(format!("`{option}` takes a positive number, got `{value}`")))
}

fn wrong(what: String) -> UsageError {
    UsageError { what }
}
