//! One result as a line of JSON.

use core::fmt::{self, Display, Formatter};

use super::{Ran, Timed, Tolerances};

/// The result of one method on one problem at one tolerance; its text is one line of JSON.
///
/// ```text
/// {"peer":"…","version":"…","method":"…","problem":"…","rtol":1e-4,"atol":1e-4,
///  "error":2.1e-5,"steps":50,"rhs":301,"jacobians":0,"factorisations":0,
///  "wall_ns":8123,"least_ns":8001,"samples":5}
/// ```
///
/// A run that failed has `"failure":"…"` instead of an error and counts.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// Name of the package.
    pub peer: &'a str,
    /// Its version.
    pub version: &'a str,
    /// Name of the method.
    pub method: &'a str,
    /// Name of the problem.
    pub problem: &'a str,
    /// Tolerances.
    pub tolerances: Tolerances,
    /// Error at the end, see [`crate::ode::ReferenceProblem::error`].
    pub error: f64,
    /// The run and its time.
    pub timed: &'a Timed,
}

impl Display for Line<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{{\"peer\":{},\"version\":{},\"method\":{},\"problem\":{},\"rtol\":{:e},\"atol\":{:e}",
            Text(self.peer),
            Text(self.version),
            Text(self.method),
            Text(self.problem),
            self.tolerances.relative,
            self.tolerances.absolute,
        )?;
        match &self.timed.ran {
            Ok(ran) if self.error.is_finite() => counts(f, self.error, ran)?,
            Ok(_) => write!(f, ",\"failure\":\"the error at the end is not finite\"")?,
            Err(said) => write!(f, ",\"failure\":{}", Text(said))?,
        }
        write!(
            f,
            ",\"wall_ns\":{},\"least_ns\":{},\"samples\":{}}}",
            self.timed.median.as_nanos(),
            self.timed.least.as_nanos(),
            self.timed.samples,
        )
    }
}

fn counts(f: &mut Formatter<'_>, error: f64, ran: &Ran) -> fmt::Result {
    write!(
        f,
        ",\"error\":{error:e},\"steps\":{},\"rhs\":{},\"jacobians\":{},\"factorisations\":{}",
        ran.steps, ran.rhs, ran.jacobians, ran.factorisations,
    )
}

/// A text as a string of JSON.
struct Text<'a>(&'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => f.write_str(" ")?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}
