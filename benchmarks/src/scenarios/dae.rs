//! `dae/…`: networks from components to results.

mod networks;

use anyhow::Context as _;
use bifrons_dae::{Network, Run as Result};
use bifrons_ode::{Method, Tolerance};

use crate::case::{Case, Parameter};
use crate::run::Run;
use crate::scenario::{Axis, CaseSpec, Checksum, Outcome, Scenario};

/// Rows of the record.
const ROWS: usize = 101;

/// One network and what its run must show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dae {
    name: &'static str,
    /// Default size and measured sizes, where the network has one.
    sizes: Option<(u64, &'static [u64])>,
    build: fn(usize) -> anyhow::Result<Network>,
    t_end: fn(usize) -> f64,
    method: Method,
    tolerance: (f64, f64),
    /// Recorded variables for a size.
    record: fn(usize) -> Vec<String>,
    /// Error of the recorded variables against a closed form or an invariant.
    error: fn(&Result, usize) -> f64,
    allowed: f64,
    definition: &'static str,
    /// Events that happen at most.
    events: usize,
    /// Resident bytes of the model and its programs: in all, and per section.
    assembled: (u64, u64),
}

impl Scenario for Dae {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        let size = self.sizes.iter();
        size.map(|(default, _)| Parameter::count("n", 1..=100_000, *default, "sections or periods"))
            .collect()
    }

    fn cases(&self) -> Vec<CaseSpec> {
        match self.sizes {
            None => vec![CaseSpec::quick("")],
            Some((_, sizes)) => sizes
                .iter()
                .map(|n| {
                    let query = format!("n={n}");
                    if *n <= 200 {
                        CaseSpec::quick(query)
                    } else {
                        CaseSpec::full(query)
                    }
                })
                .collect(),
        }
    }

    fn axes(&self) -> Vec<Axis> {
        let size = self.sizes.iter();
        size.map(|(_, sizes)| Axis::new("n", sizes.iter().copied(), "section"))
            .collect()
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let n = if self.sizes.is_some() {
            case.size("n")?
        } else {
            1
        };
        let t_end = (self.t_end)(n);
        let tolerance = Tolerance::new(self.tolerance.0, self.tolerance.1)?;
        let times = bifrons_sim::uniform_times(0.0, t_end, ROWS);
        let names = (self.record)(n);
        let network = (self.build)(n)?;
        let flat = network.flatten()?;
        let model = flat.reduce()?;
        run.config("unknowns", model.unknown_count())?;
        run.config("eliminated", model.eliminated_count())?;
        run.config("freedom", model.freedom())?;
        run.config("rows", ROWS)?;
        run.config("t_end", t_end)?;
        run.config("precision", "f64")?;
        run.config("solver", self.method.name())?;
        run.config("rtol", format!("{:e}", self.tolerance.0))?;
        run.config("atol", format!("{:e}", self.tolerance.1))?;
        let mut simulation = model
            .simulation()
            .span(0.0, t_end)
            .times(times)
            .record(names)
            .method(self.method)
            .tolerance(tolerance)
            .prepare()?;
        let plan = simulation.footprint(self.events);
        run.plan(&plan);
        let (all, each) = self.assembled;
        let sections = if each > 0 { n as u64 } else { 0 };
        run.plan_resident(plan.total().peak() + all + each * sections);
        run.assembled()?;
        drop(run.first(|| simulation.run())?);
        let result = run.steady(|| simulation.run())?;
        let error = (self.error)(&result, n);
        run.accuracy_within("error", error, self.allowed, self.definition.to_owned())?;
        let residual = "largest residual of any equation at a row, relative to its terms";
        run.accuracy_within("residual", result.residual, 1e-9, residual)?;
        let check = Checksum::new()
            .values(&result.rows)
            .word(result.statistics.accepted)
            .word(result.events.len() as u64);
        Ok(Outcome::new(check.bits()))
    }
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

/// Largest deviation of a column from a function of time.
fn deviation(run: &Result, name: &str, expected: impl Fn(f64) -> f64) -> f64 {
    let Some(column) = run.column(name).context(name.to_owned()).ok() else {
        return f64::INFINITY;
    };
    let pairs = column.iter().zip(&run.times);
    pairs
        .map(|(v, t)| (v - expected(*t)).abs())
        .fold(0.0, f64::max)
}

const EXPLICIT: Dae = Dae {
    name: "",
    sizes: None,
    build: networks::rc,
    t_end: |_| 1.0,
    method: Method::Dopri5,
    tolerance: (1e-6, 1e-9),
    record: |_| Vec::new(),
    error: |_, _| 0.0,
    allowed: 1e-5,
    definition: "largest absolute error against the closed form",
    events: 0,
    assembled: (1_700_000, 0),
};

pub(super) const RC: Dae = Dae {
    name: "dae/rc",
    t_end: |_| 5.0,
    record: |_| names(&["c.v", "r.i"]),
    error: |run, _| deviation(run, "c.v", |t| -(-t).exp_m1()),
    ..EXPLICIT
};

pub(super) const RC_LADDER: Dae = Dae {
    name: "dae/rc-ladder",
    sizes: Some((200, &[10, 50, 200, 500, 2000])),
    build: networks::ladder,
    t_end: |_| 1.0,
    method: Method::Bdf,
    record: |n| vec!["c0.v".to_owned(), format!("c{}.v", n - 1)],
    error: |run, n| networks::ladder_error(run, n),
    allowed: 1e-4,
    definition: "largest error at the first node against the modes of the ladder",
    assembled: (2_350_000, 25_800),
    ..EXPLICIT
};

pub(super) const RLC: Dae = Dae {
    name: "dae/rlc",
    build: networks::rlc,
    t_end: |_| 3.0,
    record: |_| names(&["l.i", "c.v"]),
    error: |run, _| networks::rlc_error(run),
    ..EXPLICIT
};

pub(super) const RECTIFIER: Dae = Dae {
    name: "dae/rectifier",
    build: networks::bridge,
    t_end: |_| 0.04,
    record: |_| names(&["load.v"]),
    error: |run, _| {
        deviation(run, "load.v", |t| {
            10.0 * (std::f64::consts::TAU * 50.0 * t).sin().abs()
        })
    },
    definition: "largest error against |sin| of ideal diodes",
    events: 16,
    assembled: (2_100_000, 0),
    ..EXPLICIT
};

pub(super) const DC_MOTOR: Dae = Dae {
    name: "dae/dc-motor",
    build: networks::motor,
    t_end: |_| 3.0,
    record: |_| names(&["motor.i", "load.w"]),
    error: |run, _| networks::motor_error(run),
    ..EXPLICIT
};

pub(super) const CHAIN: Dae = Dae {
    name: "dae/chain",
    sizes: Some((1000, &[10, 100, 1000])),
    build: networks::chain,
    t_end: |_| 5.0,
    record: |n| vec![format!("mass{}.s", n - 1), format!("mass{}.v", n - 1)],
    error: |run, n| networks::chain_error(run, n),
    definition: "largest error of the last mass against the first mode",
    assembled: (1_750_000, 22_700),
    ..EXPLICIT
};

pub(super) const PENDULUM: Dae = Dae {
    name: "dae/pendulum-index3",
    sizes: Some((10, &[10, 100])),
    build: networks::pendulum,
    t_end: |periods| periods as f64 * networks::PERIOD,
    tolerance: (1e-10, 1e-12),
    record: |_| names(&["mass.x", "mass.y", "mass.vx", "mass.vy"]),
    error: |run, _| networks::energy_error(run),
    definition: "largest deviation of the energy from the first over full swings, per m g length",
    ..EXPLICIT
};

pub(super) const PENDULUM_BDF: Dae = Dae {
    name: "dae/pendulum-index3-bdf",
    method: Method::Bdf,
    assembled: (2_400_000, 0),
    ..PENDULUM
};

pub(super) const PENDULUM_RADAU: Dae = Dae {
    name: "dae/pendulum-index3-radau",
    method: Method::Radau,
    assembled: (2_400_000, 0),
    ..PENDULUM
};

pub(super) const DOUBLE_PENDULUM: Dae = Dae {
    name: "dae/double-pendulum",
    build: networks::double_pendulum,
    t_end: |_| 5.0,
    tolerance: (1e-8, 1e-10),
    record: |_| names(&["first.x", "first.y", "second.x", "second.y"]),
    error: |run, _| networks::double_pendulum_error(run),
    definition: "largest error at the end against a solution in angles",
    assembled: (4_300_000, 0),
    ..EXPLICIT
};

pub(super) const TWO_TANK: Dae = Dae {
    name: "dae/two-tank",
    build: networks::two_tanks,
    t_end: |_| 2.0,
    record: |_| names(&["a.a.p", "b.a.p"]),
    error: |run, _| deviation(run, "a.a.p", |t| 2.0 + (-4.0 * t).exp()),
    ..EXPLICIT
};

pub(super) const THERMAL: Dae = Dae {
    name: "dae/thermal",
    build: networks::thermal,
    t_end: |_| 100.0,
    record: |_| names(&["c1.a.t", "c2.a.t"]),
    error: |run, _| networks::thermal_error(run),
    allowed: 1e-3,
    definition: "largest error at the end against the matrix exponential",
    ..EXPLICIT
};
