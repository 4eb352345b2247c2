//! What was used to find the initial values.

use std::fmt;

/// Where the initial value of a degree of freedom comes from.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Used {
    /// A hard condition.
    Fixed,
    /// A guess that could be kept.
    Guess,
    /// Nothing was said: zero.
    Default,
    /// A guess that had to move.
    Moved {
        /// The guess.
        from: f64,
    },
}

/// How the initial values were found.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct InitialReport {
    /// The states: name, value, where it comes from.
    pub states: Vec<(String, f64, Used)>,
    /// Hard conditions that follow from the others.
    pub redundant: Vec<String>,
    /// Newton iterations on the whole system; zero where the states decided everything.
    pub iterations: u32,
    /// Whether Newton's method failed and the residual was removed in steps.
    pub homotopy: bool,
    /// Largest residual over all equations, relative to the size of their slopes.
    pub residual: f64,
}

impl fmt::Display for InitialReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value, used) in &self.states {
            match used {
                Used::Fixed => writeln!(f, "{name} = {value} (fixed)")?,
                Used::Guess => writeln!(f, "{name} = {value} (guess)")?,
                Used::Default => writeln!(f, "{name} = {value} (nothing said)")?,
                Used::Moved { from } => writeln!(f, "{name} = {value} (guess {from} dropped)")?,
            }
        }
        for condition in &self.redundant {
            writeln!(f, "{condition} follows from the others")?;
        }
        write!(
            f,
            "{} iterations, homotopy {}, residual {:e}",
            self.iterations, self.homotopy, self.residual
        )
    }
}
