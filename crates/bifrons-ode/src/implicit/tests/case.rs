//! A problem as data, and the plainest driver.
#![expect(clippy::float_cmp, reason = "ends are met bit for bit")]

use crate::error::Failure;
use crate::problem::{Fault, Mass, MatrixMut, Problem, Structure};
use crate::statistics::Statistics;
use crate::stepper::{Attempt, Start, Stepper};
use crate::tolerance::Tolerance;

pub(super) type Rhs = fn(f64, &[f64], &mut [f64]);

/// A problem without closures, so that every method is compiled for one type only.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) rhs: Rhs,
    pub(super) jacobian: Option<fn(f64, &[f64], &mut MatrixMut<'_>)>,
    pub(super) structure: Structure,
    pub(super) mass: Mass,
    pub(super) index: Vec<u8>,
    pub(super) y0: Vec<f64>,
    /// Absolute tolerance is this times the relative one.
    pub(super) scale: f64,
    pub(super) t_end: f64,
    pub(super) wanted: Vec<f64>,
}

impl Problem for Case {
    fn dimension(&self) -> usize {
        self.y0.len()
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        (self.rhs)(t, y, dy);
        Ok(())
    }

    fn structure(&self) -> &Structure {
        &self.structure
    }

    fn has_jacobian(&self) -> bool {
        self.jacobian.is_some()
    }

    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        if let Some(jacobian) = self.jacobian {
            jacobian(t, y, out);
        }
        Ok(())
    }

    fn mass(&self) -> &Mass {
        &self.mass
    }

    fn index(&self, component: usize) -> u8 {
        self.index.get(component).copied().unwrap_or(1)
    }
}

impl Case {
    pub(super) fn tolerance(&self, relative: f64) -> Tolerance {
        Tolerance::new(relative, self.scale * relative).unwrap()
    }

    /// The norm of the comparisons: RMS of `(y − ref) / (scale + |ref|)`.
    pub(super) fn error(&self, y: &[f64]) -> f64 {
        let term = |(y, r): (&f64, &f64)| ((y - r) / (self.scale + r.abs())).powi(2);
        let sum: f64 = y.iter().zip(&self.wanted).map(term).sum();
        (sum / y.len() as f64).sqrt()
    }
}

/// What a run gave.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) y: Vec<f64>,
    pub(super) statistics: Statistics,
}

/// Steps from the start to the end of the case, and looks at the interpolant of every step.
pub(super) fn run(case: &mut Case, stepper: &mut dyn Stepper<Case>) -> Result<Run, Failure> {
    follow(case, stepper, check_ends)
}

/// Steps from the start to the end of the case.
pub(super) fn run_plainly(
    case: &mut Case,
    stepper: &mut dyn Stepper<Case>,
) -> Result<Run, Failure> {
    follow(case, stepper, |_| ())
}

fn follow(
    case: &mut Case,
    stepper: &mut dyn Stepper<Case>,
    look: fn(&dyn Stepper<Case>),
) -> Result<Run, Failure> {
    let y0 = case.y0.clone();
    let t_end = case.t_end;
    let start = Start {
        t: 0.0,
        y: &y0,
        direction: t_end.signum(),
        limit: t_end,
        initial_step: None,
        max_step: f64::INFINITY,
    };
    stepper.start(case, &start)?;
    let mut attempts = 0;
    while stepper.t() != t_end {
        attempts += 1;
        if attempts > 2_000_000 {
            return Err(Failure::StepBudget {
                t: stepper.t(),
                budget: 2_000_000,
            });
        }
        if stepper.attempt(case, t_end)? == Attempt::Accepted {
            look(stepper);
        }
    }
    Ok(Run {
        y: stepper.state().to_vec(),
        statistics: stepper.statistics(),
    })
}

/// The interpolant has the states at its ends, also in the basis of dense solutions.
fn check_ends(stepper: &dyn Stepper<Case>) {
    let n = stepper.state().len();
    let mut r = vec![0.0; stepper.coefficient_count()];
    for i in 0..n.min(2) {
        stepper.coefficients(i, &mut r);
        let end = r[0] + r[1];
        let state = stepper.state()[i];
        assert!(
            (end - state).abs() <= 1e-14 * (r[0].abs() + state.abs()),
            "end of {i}"
        );
    }
}

/// Value of the alternating basis.
pub(super) fn alternating(r: &[f64], theta: f64) -> f64 {
    let mut value = 0.0;
    for (k, r) in r.iter().enumerate().rev() {
        let factor = if k % 2 == 0 { theta } else { 1.0 - theta };
        value = r + factor * value;
    }
    value
}

/// The state at `t` in a reference file: numbers are kept as text there.
pub(super) fn reference(text: &str, t: f64) -> Vec<f64> {
    let from = text.find("\"reference\"").unwrap();
    let mut rest = &text[from..];
    while let Some(at) = rest.find("\"t\":") {
        rest = &rest[at + 4..];
        let mut quoted = rest.split('"');
        let found: f64 = quoted.nth(1).unwrap().parse().unwrap();
        let list = &rest[rest.find("\"y\":").unwrap()..];
        let (open, close) = (list.find('[').unwrap(), list.find(']').unwrap());
        if found == t {
            let numbers = list[open + 1..close].split(',');
            return numbers
                .map(|v| v.trim().trim_matches('"').parse().unwrap())
                .collect();
        }
    }
    panic!("no reference at t = {t}");
}
