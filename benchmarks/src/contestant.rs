//! The methods of `bifrons-ode` as a contestant on the reference problems.

use bifrons_ode::{
    Bs32, Dop853, Method, Options, Problem, Save, Solution, SolveError, Tolerance, Tsit5, solve,
    solve_with,
};
use bifrons_problems::contest::{Contestant, Ran, Ready, Tolerances};
use bifrons_problems::ode::{Kind, ReferenceProblem};

/// Budget of steps: as large as that of every other contestant.
const MAX_STEPS: u64 = 10_000_000;

/// All methods that choose their steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bifrons;

/// A method, its name, and whether it solves a problem.
type Entry = (&'static str, Method, fn(Kind, u8) -> bool);

/// Explicit methods are for what is not stiff.
fn explicit(kind: Kind, _index: u8) -> bool {
    kind == Kind::NonStiff
}

/// Implicit methods of index one at most are for the rest.
fn implicit(kind: Kind, index: u8) -> bool {
    kind != Kind::NonStiff && index == 1
}

/// Radau solves systems of every index; its complex matrices are not for large ones.
fn every_index(kind: Kind, _index: u8) -> bool {
    kind != Kind::NonStiff
}

const METHODS: [Entry; 11] = [
    ("dopri5", Method::Dopri5, explicit),
    ("tsit5", Method::Tsit5, explicit),
    ("bs32", Method::Bs32, explicit),
    ("dop853", Method::Dop853, explicit),
    ("bdf", Method::Bdf, implicit),
    ("radau", Method::Radau, every_index),
    ("rodas4", Method::Rodas4, implicit),
    ("rodas5p", Method::Rodas5P, implicit),
    ("tr_bdf2", Method::TrBdf2, implicit),
    ("esdirk4", Method::Esdirk4, implicit),
    ("esdirk5", Method::Esdirk5, implicit),
];

/// Their names, in the same order.
const NAMES: [&str; METHODS.len()] = {
    let mut names = [""; METHODS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = METHODS[i].0;
        i += 1;
    }
    names
};

impl Contestant for Bifrons {
    fn name(&self) -> &'static str {
        "bifrons"
    }

    fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    fn methods(&self) -> &'static [&'static str] {
        &NAMES
    }

    fn prepare<'m, M: ReferenceProblem, const N: usize>(
        &self,
        method: &str,
        model: &'m M,
        tolerances: Tolerances,
    ) -> Option<Ready<'m>> {
        let (_, method, takes) = METHODS.into_iter().find(|(name, ..)| *name == method)?;
        let index = (0..model.dimension()).map(|i| model.index(i)).max()?;
        if !takes(model.facts().kind, index) {
            return None;
        }
        let mut options =
            Options::with_tolerance(Tolerance::new(tolerances.relative, tolerances.absolute).ok()?);
        options.method = method;
        options.max_steps = MAX_STEPS;
        let (initial, end) = (model.initial(), model.end().0);
        Some(Box::new(move || {
            let mut problem = model.problem();
            let solved = run(&mut problem, &initial, end, &options);
            let solution = solved.map_err(|error| error.to_string())?;
            let counts = solution.statistics;
            Ok(Ran {
                state: solution.last_state,
                steps: counts.accepted,
                rhs: counts.rhs,
                jacobians: counts.jacobians,
                factorisations: counts.factorisations,
            })
        }))
    }
}

/// Explicit methods are compiled for the type of the problem, as those of other crates are.
fn run<P: Problem>(
    problem: &mut P,
    y0: &[f64],
    end: f64,
    options: &Options,
) -> Result<Solution, SolveError> {
    let (save, span) = (Save::Final, (0.0, end));
    match options.method {
        Method::Tsit5 => solve_with::<Tsit5, _>(problem, span, y0, &save, options),
        Method::Bs32 => solve_with::<Bs32, _>(problem, span, y0, &save, options),
        Method::Dop853 => solve_with::<Dop853, _>(problem, span, y0, &save, options),
        _ => solve(problem, 0.0, y0, end, &save, options),
    }
}
