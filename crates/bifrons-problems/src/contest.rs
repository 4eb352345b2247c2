//! Solvers on reference problems: what a run gives, how it is timed, one line of JSON each.
//!
//! Programs that bring solvers implement [`Contestant`] and hand it to [`run`]; they all speak the
//! same protocol, so `cargo xtask peers` can run them alternately and compare.

mod arguments;
mod clock;
mod line;

use std::io::Write;

use crate::ode::{ReferenceProblem, Visit, visit_all};

pub use arguments::{Arguments, USAGE, UsageError};
pub use clock::{Timed, timed};
pub use line::Line;

/// Relative tolerances of a work-precision curve.
pub const TOLERANCES: [f64; 8] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];

/// What one integration gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ran {
    /// State at the end.
    pub state: Vec<f64>,
    /// Accepted steps.
    pub steps: u64,
    /// Evaluations of the right-hand side, including those for difference quotients.
    pub rhs: u64,
    /// Evaluations of the Jacobian.
    pub jacobians: u64,
    /// Factorisations.
    pub factorisations: u64,
}

/// An integration that is ready to be timed: it may be called again and again.
///
/// The error is what the solver says.
pub type Ready<'m> = Box<dyn FnMut() -> Result<Ran, String> + 'm>;

/// Solvers of one package.
pub trait Contestant {
    /// Name of the package.
    fn name(&self) -> &'static str;

    /// Its version.
    fn version(&self) -> &'static str;

    /// Names of all methods that it brings.
    fn methods(&self) -> &'static [&'static str];

    /// Prepares a method for a problem; nothing if it cannot solve problems of this kind.
    ///
    /// `N` is the number of components, 0 if that is not known at compile time. What is done here
    /// is not timed: describing the problem, finding its pattern.
    fn prepare<'m, M: ReferenceProblem, const N: usize>(
        &self,
        method: &str,
        model: &'m M,
        tolerance: Tolerances,
    ) -> Option<Ready<'m>>;
}

/// Tolerances of a run: relative, and absolute for every component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// Relative tolerance.
    pub relative: f64,
    /// Absolute tolerance, `s rtol` with the scale `s` of the problem.
    pub absolute: f64,
}

impl Tolerances {
    /// The tolerances of a problem at a relative tolerance.
    #[must_use]
    pub fn new<M: ReferenceProblem>(model: &M, relative: f64) -> Self {
        Self {
            relative,
            absolute: relative * model.facts().scale,
        }
    }
}

/// Runs what the arguments ask for, and writes one [`Line`] each.
///
/// A method whose run takes longer than [`Arguments::patience`] is not run at smaller tolerances.
///
/// # Errors
///
/// When the lines cannot be written.
pub fn run<C: Contestant>(
    contestant: &C,
    arguments: &Arguments,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let mut round = Round {
        contestant,
        arguments,
        out,
        failed: Ok(()),
    };
    visit_all(&mut round);
    round.failed
}

struct Round<'a, C> {
    contestant: &'a C,
    arguments: &'a Arguments,
    out: &'a mut dyn Write,
    failed: std::io::Result<()>,
}

impl<C: Contestant> Visit for Round<'_, C> {
    fn visit<M: ReferenceProblem, const N: usize>(&mut self, model: &M) {
        if self.failed.is_ok() && self.arguments.wants_problem(model.facts().name) {
            self.failed = self.methods::<M, N>(model);
        }
    }
}

impl<C: Contestant> Round<'_, C> {
    fn methods<M: ReferenceProblem, const N: usize>(&mut self, model: &M) -> std::io::Result<()> {
        let (_, reference) = model.end();
        for &method in self.contestant.methods() {
            if !self.arguments.wants_method(method) {
                continue;
            }
            for &relative in &self.arguments.tolerances {
                let tolerances = Tolerances::new(model, relative);
                let Some(mut ready) = self.contestant.prepare::<M, N>(method, model, tolerances)
                else {
                    break;
                };
                if self.arguments.list {
                    writeln!(self.out, "{} {method}", model.facts().name)?;
                    break;
                }
                let timed = timed(&mut ready, self.arguments.samples);
                let line = Line {
                    peer: self.contestant.name(),
                    version: self.contestant.version(),
                    method,
                    problem: model.facts().name,
                    tolerances,
                    error: timed
                        .ran
                        .as_ref()
                        .map_or(f64::NAN, |ran| model.error(&ran.state, &reference)),
                    timed: &timed,
                };
                writeln!(self.out, "{line}")?;
                self.out.flush()?;
                if timed.median > self.arguments.patience {
                    break;
                }
            }
        }
        Ok(())
    }
}
