//! `differential-equations` on the reference problems: Dopri5, Dop853, a pair of Verner, Radau5,
//! BDF and Kvaerno's ESDIRK.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use bifrons_ode::{Mass, MatrixMut, Structure};
use bifrons_problems::contest::{Arguments, Contestant, Ran, Ready, Tolerances, run};
use bifrons_problems::ode::{Kind, ReferenceProblem};
use differential_equations::error::Error;
use differential_equations::prelude::*;

/// The problem in the words of the package.
struct Equations<'m, M> {
    model: &'m M,
}

impl<M: ReferenceProblem> Equations<'_, M> {
    /// Writes the Jacobian, which is dense here, into a full matrix by rows.
    fn fill(&self, t: f64, y: &[f64], to: &mut Matrix<f64>) {
        let n = y.len();
        let mut values = vec![0.0; n * n];
        if let Ok(mut out) = MatrixMut::new(n, &Structure::Dense, &mut values) {
            self.model.jacobian(t, y, &mut out);
        }
        for j in 0..n {
            for i in 0..n {
                to[(i, j)] = values[j * n + i];
            }
        }
    }
}

impl<M: ReferenceProblem, const N: usize> ODE<f64, [f64; N]> for Equations<'_, M> {
    fn diff(&self, t: f64, y: &[f64; N], dy: &mut [f64; N]) {
        self.model.derivative(t, y, dy);
    }

    fn jacobian(&self, t: f64, y: &[f64; N], j: &mut Matrix<f64>) {
        self.fill(t, y, j);
    }
}

impl<M: ReferenceProblem, const N: usize> DAE<f64, [f64; N]> for Equations<'_, M> {
    fn diff(&self, t: f64, y: &[f64; N], f: &mut [f64; N]) {
        self.model.derivative(t, y, f);
    }

    fn mass(&self, m: &mut Matrix<f64>) {
        for i in 0..N {
            for j in 0..N {
                let value = match self.model.mass() {
                    Mass::Identity => f64::from(u8::from(i == j)),
                    Mass::Diagonal(values) if i == j => values[i],
                    Mass::Diagonal(_) => 0.0,
                    Mass::Matrix(structure, values) => {
                        structure.position(N, i, j).map_or(0.0, |at| values[at])
                    }
                };
                m[(i, j)] = value;
            }
        }
    }

    fn jacobian(&self, t: f64, y: &[f64; N], j: &mut Matrix<f64>) {
        self.fill(t, y, j);
    }
}

struct DifferentialEquations;

fn ran<const N: usize>(
    solved: Result<Solution<f64, [f64; N]>, Error<f64, [f64; N]>>,
) -> Result<Ran, String> {
    let solution = solved.map_err(|error| format!("{error:?}"))?;
    let (_, state) = solution.last().map_err(|error| format!("{error:?}"))?;
    let number = |count| u64::try_from(count).unwrap_or(u64::MAX);
    Ok(Ran {
        state: state.to_vec(),
        steps: number(solution.steps.accepted),
        rhs: number(solution.evals.function),
        jacobians: number(solution.evals.jacobian),
        factorisations: number(solution.evals.decompositions),
    })
}

/// A method with the tolerances; the budget of steps is large.
macro_rules! with {
    ($method:expr, $tolerances:ident) => {
        $method
            .rtol($tolerances.relative)
            .atol($tolerances.absolute)
            .max_steps(10_000_000)
    };
}

/// A run of an ordinary differential equation: only the last state is kept.
macro_rules! ode {
    ($equations:ident, $end:ident, $initial:ident, $tolerances:ident, $method:expr) => {
        Some(Box::new(move || {
            ran(IVP::ode(&$equations, 0.0, $end, $initial)
                .t_eval([$end])
                .method(with!($method, $tolerances))
                .solve())
        }))
    };
}

/// A run of one of the explicit methods.
fn explicit<'m, M: ReferenceProblem, const N: usize>(
    method: &str,
    equations: Equations<'m, M>,
    end: f64,
    initial: [f64; N],
    tolerances: Tolerances,
) -> Option<Ready<'m>> {
    use ExplicitRungeKutta as Explicit;
    match method {
        "dopri5" => ode!(equations, end, initial, tolerances, Explicit::dopri5()),
        "dop853" => ode!(equations, end, initial, tolerances, Explicit::dop853()),
        _ => ode!(equations, end, initial, tolerances, Explicit::rkv656e()),
    }
}

impl Contestant for DifferentialEquations {
    fn name(&self) -> &'static str {
        "differential-equations"
    }

    fn version(&self) -> &'static str {
        "0.7.0"
    }

    fn methods(&self) -> &'static [&'static str] {
        &["dopri5", "dop853", "rkv656e", "radau5", "bdf", "kvaerno745"]
    }

    fn prepare<'m, M: ReferenceProblem, const N: usize>(
        &self,
        method: &str,
        model: &'m M,
        tolerances: Tolerances,
    ) -> Option<Ready<'m>> {
        let (kind, end) = (model.facts().kind, model.end().0);
        let dense = matches!(model.structure(), Structure::Dense);
        let initial: [f64; N] = model.initial().try_into().ok()?;
        let equations = Equations { model };
        let index =
            |wanted: u8| -> Vec<usize> { (0..N).filter(|&i| model.index(i) == wanted).collect() };
        match (method, kind) {
            ("dopri5" | "dop853" | "rkv656e", Kind::NonStiff) => {
                explicit(method, equations, end, initial, tolerances)
            }
            ("radau5", Kind::NonStiff | Kind::Stiff) if dense => {
                ode!(
                    equations,
                    end,
                    initial,
                    tolerances,
                    ImplicitRungeKutta::radau5()
                )
            }
            ("bdf", Kind::NonStiff | Kind::Stiff) if dense => ode!(
                equations,
                end,
                initial,
                tolerances,
                BackwardDifferentiationFormula::adaptive()
            ),
            ("kvaerno745", Kind::NonStiff | Kind::Stiff) if dense => ode!(
                equations,
                end,
                initial,
                tolerances,
                DiagonallyImplicitRungeKutta::kvaerno745()
            ),
            ("radau5", Kind::Algebraic) => Some(Box::new(move || {
                let method = with!(ImplicitRungeKutta::radau5(), tolerances)
                    .index2_equations(index(2))
                    .index3_equations(index(3));
                ran(IVP::dae(&equations, 0.0, end, initial)
                    .t_eval([end])
                    .method(method)
                    .solve())
            })),
            _ => None,
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
    match run(
        &DifferentialEquations,
        &arguments,
        &mut std::io::stdout().lock(),
    ) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
