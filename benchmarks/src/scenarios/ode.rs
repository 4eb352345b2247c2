//! `ode/…`: one run of the solver on a plain closure, recorded at 200 times.

use bifrons_memory::{Footprint, Part};
use bifrons_ode::{EnsembleWorkspace, Options, Save, Tolerance, solve};
use bifrons_problems::Reference;

use crate::case::Case;
use crate::run::Run;
use crate::scenario::{CaseSpec, Checksum, Outcome, Scenario};

/// Rows of the record.
const ROWS: usize = 200;
const RELATIVE: f64 = 1e-8;
const ABSOLUTE: f64 = 1e-10;

/// One reference problem of `bifrons-problems` up to one of its points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ode {
    pub(super) name: &'static str,
    pub(super) problem: fn() -> Reference,
    /// Index of the reference point at which the run ends.
    pub(super) point: usize,
    /// Error at the end above which the sample is wrong.
    pub(super) allowed: f64,
}

impl Scenario for Ode {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> u32 {
        1
    }

    fn cases(&self) -> Vec<CaseSpec> {
        vec![CaseSpec::quick("")]
    }

    fn run(&self, _case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let problem = (self.problem)();
        let point = &problem.points[self.point];
        let states = problem.initial.len();
        let times = bifrons_sim::uniform_times(0.0, point.t, ROWS);
        let save = Save::Times(times);
        let options = Options::with_tolerance(Tolerance::new(RELATIVE, ABSOLUTE)?);
        run.config("states", states)?;
        run.config("rows", ROWS)?;
        run.config("t_end", point.t)?;
        run.config("precision", "f64")?;
        run.config("solver", "dopri5")?;
        run.config("rtol", format!("{RELATIVE:e}"))?;
        run.config("atol", format!("{ABSOLUTE:e}"))?;
        let plan = Part::beside(
            "run",
            [
                Part::new("record", Footprint::of::<f64>(ROWS * (states + 1))),
                Part::new("states", Footprint::of::<f64>(2 * states)),
                Part::new("integrator", EnsembleWorkspace::<1>::footprint(states)),
            ],
        );
        run.plan(&plan);
        run.plan_resident(plan.total().peak() + super::KERNEL);
        run.assembled()?;
        let work = || {
            solve(
                &mut problem.problem(),
                0.0,
                problem.initial,
                point.t,
                &save,
                &options,
            )
        };
        drop(run.first(work)?);
        let solution = run.steady(work)?;
        let error = problem.error(&solution.last_state, point);
        let definition = format!(
            "largest component error at t = {}, {}",
            point.t, problem.source
        );
        run.accuracy_within("end", error, self.allowed, definition)?;
        let check = Checksum::new()
            .values(&solution.states)
            .word(solution.statistics.accepted)
            .word(solution.statistics.rhs);
        Ok(Outcome::new(check.bits()))
    }
}
