//! `hybrid/…`: one run of a model with events, and a long chain of blocks.

use bifrons_hybrid::TapeSystem;
use bifrons_problems::DiagramFailure;
use bifrons_sim::{Recording, Run as SimulationRun, Simulation};

use super::ASSEMBLED;
use crate::case::{Case, Parameter};
use crate::run::Run;
use crate::scenario::{Axis, CaseSpec, Checksum, Outcome, Scenario};

const RELATIVE: f64 = 1e-9;
const ABSOLUTE: f64 = 1e-12;
/// Events that are logged and compared.
const LOG: usize = 1000;

/// One model up to a time, compared at its end or at its events.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hybrid {
    name: &'static str,
    model: fn() -> Result<TapeSystem, DiagramFailure>,
    t_end: f64,
    definition: &'static str,
    error: fn(&SimulationRun) -> f64,
    allowed: f64,
}

pub(super) const BOUNCING_BALL: Hybrid = Hybrid {
    name: "hybrid/bouncing-ball",
    model: bifrons_problems::bouncing_ball,
    t_end: 2.0,
    definition: "largest absolute error of the time of an impact before they accumulate",
    error: |run| {
        let first = (2.0_f64 / 9.8).sqrt();
        let exact = |k: i32| first * (1.0 + 2.0 * (1.0 - 0.5_f64.powi(k)));
        let errors = run.events().iter().zip(0..);
        worst(errors.map(|(event, k)| event.t - exact(k)))
    },
    allowed: 1e-9,
};

pub(super) const STATE_MACHINE: Hybrid = Hybrid {
    name: "hybrid/state-machine",
    model: bifrons_problems::state_machine,
    t_end: 3.0,
    definition: "absolute error of the variable at the end, which is 2",
    error: |run| last(run, "y") - 2.0,
    allowed: 0.0,
};

pub(super) const PID_PLANT: Hybrid = Hybrid {
    name: "hybrid/pid-plant",
    model: bifrons_problems::pid_plant,
    t_end: 4.0,
    definition: "absolute error of the output at t = 4 against a matrix exponential",
    error: |run| last(run, "y") - 1.182_983_216_303_21,
    allowed: 1e-7,
};

pub(super) const MULTIRATE: Hybrid = Hybrid {
    name: "hybrid/multirate",
    model: bifrons_problems::multirate,
    t_end: 5.0,
    definition: "absolute error of the output at t = 5 against the exact recursion",
    error: |run| last(run, "y") - 0.961_912_602_915_623_9,
    allowed: 1e-7,
};

pub(super) const THERMOSTAT: Hybrid = Hybrid {
    name: "hybrid/thermostat",
    model: bifrons_problems::thermostat,
    t_end: 50.0,
    definition: "largest absolute error of the time of a switch against the closed form",
    error: |run| {
        let first = -10.0 * (9.5_f64 / 15.0).ln();
        let period = -10.0 * (9.5_f64 / 10.5).ln();
        let errors = run.events().iter().zip(0_u32..);
        worst(errors.map(|(event, k)| event.t - (first + f64::from(k) * period)))
    },
    allowed: 1e-6,
};

pub(super) const STRIBECK: Hybrid = Hybrid {
    name: "hybrid/stribeck",
    model: bifrons_problems::stribeck,
    t_end: 6.0,
    definition: "absolute error of the position at t = 6 against an implicit solver at 1e-11",
    error: |run| last(run, "x") - 0.092_339_663_612_842_21,
    allowed: 1e-6,
};

fn worst(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, |worst, error| error.abs().max(worst))
}

fn last(run: &SimulationRun, name: &str) -> f64 {
    let column = run.signal(name).ok().and_then(|column| column.last());
    column.copied().unwrap_or(f64::INFINITY)
}

impl Scenario for Hybrid {
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
        run.config("t_end", self.t_end)?;
        run.config("precision", "f64")?;
        run.config("solver", "dopri5")?;
        run.config("rtol", format!("{RELATIVE:e}"))?;
        run.config("atol", format!("{ABSOLUTE:e}"))?;
        run.fact("level", bifrons_lanes::Level::detect().name())?;
        let system = (self.model)()?;
        let simulation = Simulation::builder(&system)
            .span(0.0, self.t_end)
            .tolerance(RELATIVE, ABSOLUTE)
            .record(Recording::final_values())
            .log_events(LOG)
            .build()?;
        let plan = simulation.footprint();
        run.plan(&plan);
        run.plan_resident(plan.total().peak() + ASSEMBLED);
        run.assembled()?;
        drop(run.first(|| simulation.run())?);
        let result = run.steady(|| simulation.run())?;
        let error = (self.error)(&result).abs();
        run.accuracy_within("result", error, self.allowed, self.definition)?;
        let report = result.report();
        let check = Checksum::new()
            .values(result.last_state())
            .values(result.last_discrete())
            .word(u64::from(report.events) << 32 | u64::from(report.accepted));
        Ok(Outcome::new(check.bits()))
    }
}

/// `hybrid/chain`: a constant and many gains in a row: built, compiled and evaluated once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain;

impl Scenario for Chain {
    fn name(&self) -> &'static str {
        "hybrid/chain"
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::count(
            "blocks",
            1..=1_000_000,
            10_000,
            "gains in the chain",
        )]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        [1000, 10_000, 100_000]
            .map(|blocks| CaseSpec::quick(format!("blocks={blocks}")))
            .into()
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("blocks", [1000, 10_000, 100_000], "block")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let blocks = case.size("blocks")?;
        run.config("precision", "f64")?;
        run.assembled()?;
        let build = || -> anyhow::Result<f64> {
            let system = bifrons_problems::chain(blocks)?;
            let simulation = Simulation::builder(&system).span(0.0, 0.0).build()?;
            Ok(last(&simulation.run()?, "y"))
        };
        run.first(build)?;
        let y = run.steady(build)?;
        let exact = (blocks as f64 * 2.0_f64.powi(-20).ln_1p()).exp();
        let definition = "relative error of the output against (1 + 2^-20)^blocks";
        run.accuracy_within("output", (y / exact - 1.0).abs(), 1e-10, definition)?;
        Ok(Outcome::new(Checksum::new().value(y).bits()))
    }
}
