//! `ode_solvers` on the reference problems: Dopri5 and Dop853.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use bifrons_problems::contest::{Arguments, Contestant, Ran, Ready, Tolerances, run};
use bifrons_problems::ode::{Kind, ReferenceProblem};
use ode_solvers::dop_shared::{IntegrationError, OutputType, Stats};
use ode_solvers::{DVector, Dop853, Dopri5, SVector, System};

/// The problem in the words of the package.
struct Equations<'m, M> {
    model: &'m M,
}

impl<M: ReferenceProblem, const N: usize> System<f64, SVector<f64, N>> for Equations<'_, M> {
    fn system(&self, t: f64, y: &SVector<f64, N>, dy: &mut SVector<f64, N>) {
        self.model.derivative(t, y.as_slice(), dy.as_mut_slice());
    }
}

impl<M: ReferenceProblem> System<f64, DVector<f64>> for Equations<'_, M> {
    fn system(&self, t: f64, y: &DVector<f64>, dy: &mut DVector<f64>) {
        self.model.derivative(t, y.as_slice(), dy.as_mut_slice());
    }
}

struct OdeSolvers;

/// What the package says of a run.
fn ran(stats: Result<Stats, IntegrationError>, state: &[f64]) -> Result<Ran, String> {
    let stats = stats.map_err(|error| error.to_string())?;
    Ok(Ran {
        state: state.to_vec(),
        steps: u64::from(stats.accepted_steps),
        rhs: u64::from(stats.num_eval),
        ..Ran::default()
    })
}

/// Makes, runs and drops a solver; only the last state is kept.
macro_rules! solve {
    ($solver:ident, $model:ident, $end:ident, $initial:ident, $tolerances:ident, $beta:expr, $limits:expr) => {{
        let equations = Equations { model: $model };
        let (low, high) = $limits;
        let mut solver = $solver::from_param(
            equations,
            0.0,
            $end,
            $end,
            $initial.clone(),
            $tolerances.relative,
            $tolerances.absolute,
            0.9,
            $beta,
            low,
            high,
            $end,
            0.0,
            10_000_000,
            u32::MAX,
            OutputType::Sparse,
        );
        let stats = solver.integrate();
        let state = solver.y_out().last().map_or(&[][..], |y| y.as_slice());
        ran(stats, state)
    }};
}

impl Contestant for OdeSolvers {
    fn name(&self) -> &'static str {
        "ode_solvers"
    }

    fn version(&self) -> &'static str {
        "0.6.2"
    }

    fn methods(&self) -> &'static [&'static str] {
        &["dopri5", "dop853"]
    }

    fn prepare<'m, M: ReferenceProblem, const N: usize>(
        &self,
        method: &str,
        model: &'m M,
        tolerances: Tolerances,
    ) -> Option<Ready<'m>> {
        if model.facts().kind != Kind::NonStiff {
            return None;
        }
        let end = model.end().0;
        let initial = model.initial();
        let dopri5 = method == "dopri5";
        if N == 0 {
            let initial = DVector::from_vec(initial);
            return Some(Box::new(move || {
                if dopri5 {
                    solve!(Dopri5, model, end, initial, tolerances, 0.04, (0.2, 10.0))
                } else {
                    solve!(Dop853, model, end, initial, tolerances, 0.0, (0.333, 6.0))
                }
            }));
        }
        let initial = SVector::<f64, N>::from_vec(initial);
        Some(Box::new(move || {
            if dopri5 {
                solve!(Dopri5, model, end, initial, tolerances, 0.04, (0.2, 10.0))
            } else {
                solve!(Dop853, model, end, initial, tolerances, 0.0, (0.333, 6.0))
            }
        }))
    }
}

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    match run(&OdeSolvers, &arguments, &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
