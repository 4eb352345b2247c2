//! `diffsol` on the reference problems: BDF, TR-BDF2, ESDIRK34 and Tsit45, with dense matrices of
//! nalgebra, and sparse ones of faer where the Jacobian is banded or sparse.
#![forbid(unsafe_code)]

mod linear;

use std::process::ExitCode;

use bifrons_ode::{Mass, Structure};
use bifrons_problems::contest::{Arguments, Contestant, Ran, Ready, Tolerances, run};
use bifrons_problems::ode::{Kind, ReferenceProblem};
use diffsol::{
    DiffsolError, FaerSparseLU, FaerSparseMat, NalgebraLU, NalgebraMat, OdeBuilder, OdeEquations,
    OdeSolverMethod, OdeSolverStopReason, Op, Vector,
};

use crate::linear::{Cached, product};

struct Diffsol;

/// What is built from a problem.
#[derive(Clone, Copy)]
enum Method {
    Bdf,
    TrBdf2,
    Esdirk34,
    Tsit45,
}

/// Steps to the end; at most ten million.
fn advance<'p, E, S>(mut solver: S, end: f64) -> Result<Ran, String>
where
    E: OdeEquations<T = f64> + 'p,
    E::V: Vector<T = f64>,
    S: OdeSolverMethod<'p, E>,
{
    solver.set_stop_time(end).map_err(said)?;
    while solver.step().map_err(said)? != OdeSolverStopReason::TstopReached {}
    let state = solver.state().y.clone_as_vec();
    let counts = solver.get_statistics();
    let calls = solver.problem().eqn.rhs().statistics();
    Ok(Ran {
        state,
        steps: number(counts.number_of_steps),
        rhs: number(calls.number_of_calls),
        jacobians: number(calls.number_of_matrix_evals),
        factorisations: number(counts.number_of_linear_solver_setups),
    })
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn said(error: DiffsolError) -> String {
    error.to_string()
}

/// Runs of a problem: each makes, runs and drops a solver; calls counted by the problem are those
/// of this run.
macro_rules! runs {
    ($problem:ident, $solver:ty, $method:ident, $end:ident) => {{
        $problem.ode_options.max_number_timesteps = 10_000_000;
        Some(Box::new(move || {
            let before = $problem.eqn.rhs().statistics();
            let mut ran = match $method {
                Method::Bdf => advance($problem.bdf::<$solver>().map_err(said)?, $end),
                Method::TrBdf2 => advance($problem.tr_bdf2::<$solver>().map_err(said)?, $end),
                Method::Esdirk34 => advance($problem.esdirk34::<$solver>().map_err(said)?, $end),
                Method::Tsit45 => advance($problem.tsit45().map_err(said)?, $end),
            }?;
            ran.rhs -= number(before.number_of_calls);
            ran.jacobians -= number(before.number_of_matrix_evals);
            Ok(ran)
        }))
    }};
}

/// A function that builds the problem for one kind of matrices and returns runs of it.
macro_rules! backend {
    ($name:ident, $matrix:ty, $solver:ty) => {
        fn $name<M: ReferenceProblem>(
            model: &M,
            method: Method,
            tolerances: Tolerances,
        ) -> Option<Ready<'_>> {
            let end = model.end().0;
            let initial = model.initial();
            let n = initial.len();
            let cached = Cached::new(model);
            let builder = OdeBuilder::<$matrix>::new()
                .rtol(tolerances.relative)
                .atol(vec![tolerances.absolute])
                .rhs_implicit(
                    move |y: &[f64], _p: &[f64], t: f64, dy: &mut [f64]| model.derivative(t, y, dy),
                    move |y: &[f64], _p: &[f64], t: f64, v: &[f64], out: &mut [f64]| {
                        cached.product(t, y, v, out);
                    },
                )
                .init(
                    move |_p: &[f64], _t: f64, y: &mut [f64]| y.copy_from_slice(&initial),
                    n,
                );
            if matches!(model.mass(), Mass::Identity) {
                let mut problem = builder.build().ok()?;
                return runs!(problem, $solver, method, end);
            }
            let with_mass = builder.mass(
                move |v: &[f64], _p: &[f64], _t: f64, beta: f64, out: &mut [f64]| {
                    for out in out.iter_mut() {
                        *out *= beta;
                    }
                    match model.mass() {
                        Mass::Identity => {}
                        Mass::Diagonal(values) => {
                            for ((out, v), mass) in out.iter_mut().zip(v).zip(values) {
                                *out += mass * v;
                            }
                        }
                        Mass::Matrix(structure, values) => product(structure, values, v, out),
                    }
                },
            );
            let mut problem = with_mass.build().ok()?;
            runs!(problem, $solver, method, end)
        }
    };
}

backend!(dense_runs, NalgebraMat<f64>, NalgebraLU<f64>);
backend!(sparse_runs, FaerSparseMat<f64>, FaerSparseLU<f64>);

impl Contestant for Diffsol {
    fn name(&self) -> &'static str {
        "diffsol"
    }

    fn version(&self) -> &'static str {
        "0.19.0"
    }

    fn methods(&self) -> &'static [&'static str] {
        &[
            "tsit45",
            "bdf",
            "tr_bdf2",
            "esdirk34",
            "bdf_sparse",
            "esdirk34_sparse",
        ]
    }

    fn prepare<'m, M: ReferenceProblem, const N: usize>(
        &self,
        method: &str,
        model: &'m M,
        tolerances: Tolerances,
    ) -> Option<Ready<'m>> {
        let is_dense = matches!(model.structure(), Structure::Dense);
        let index = (0..model.dimension()).map(|i| model.index(i)).max();
        let explicit = method == "tsit45";
        let sparse = method.ends_with("_sparse");
        let fits = if explicit {
            model.facts().kind == Kind::NonStiff
        } else {
            sparse != is_dense && index == Some(1)
        };
        let kind = match method.trim_end_matches("_sparse") {
            "bdf" => Method::Bdf,
            "tr_bdf2" => Method::TrBdf2,
            "esdirk34" => Method::Esdirk34,
            _ => Method::Tsit45,
        };
        if !fits {
            return None;
        }
        if sparse {
            sparse_runs(model, kind, tolerances)
        } else {
            dense_runs(model, kind, tolerances)
        }
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
    match run(&Diffsol, &arguments, &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
