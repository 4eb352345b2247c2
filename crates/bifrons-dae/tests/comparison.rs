//! Errors of the systems that networks are judged by, beside those of Jaxonomy; the table is
//! `docs/NETWORKS.md`, written with `BLESS=1`.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "tests show their errors"
)]

mod support;
#[path = "comparison/systems.rs"]
mod systems;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use bifrons_dae::ReducedModel;
use bifrons_ode::{Method, Tolerance};
use support::Result;

const DATA: &str = include_str!("data/jaxonomy.txt");
const TOLERANCES: [(f64, f64); 2] = [(1e-6, 1e-8), (1e-10, 1e-12)];
const METHODS: [Method; 2] = [Method::Dopri5, Method::Bdf];

/// Reference values and the errors of Jaxonomy at both tolerances.
struct Column {
    name: String,
    theirs: [String; 2],
    values: Vec<f64>,
}

#[derive(Default)]
struct Reference {
    times: Vec<f64>,
    columns: Vec<Column>,
}

struct System {
    title: &'static str,
    build: fn() -> Result<ReducedModel>,
    reference: Reference,
    /// Our variables, in the order of the columns.
    variables: &'static [&'static str],
    max_step: Option<f64>,
}

fn numbers(text: &str) -> Vec<f64> {
    let number = |word: &str| word.parse().expect("a number");
    text.split_whitespace().map(number).collect()
}

fn references() -> BTreeMap<String, Reference> {
    let mut all: BTreeMap<String, Reference> = BTreeMap::new();
    let mut name = String::new();
    for line in DATA.lines() {
        let (head, rest) = line.split_once(' ').unwrap_or((line, ""));
        let own = all.entry(name.clone()).or_default();
        match head {
            "system" => name = rest.to_owned(),
            "times" => own.times = numbers(rest),
            "column" => {
                let words: Vec<&str> = rest.splitn(4, ' ').collect();
                own.columns.push(Column {
                    name: words[0].to_owned(),
                    theirs: [words[1].to_owned(), words[2].to_owned()],
                    values: numbers(words[3]),
                });
            }
            _ => {}
        }
    }
    all
}

/// Closed forms of the two systems of Jaxonomy's own comparison with other tools.
fn closed(name: &str) -> Reference {
    let times = support::grid(0.0, if name == "ladder" { 5.0 } else { 60.0 }, 11);
    let column = |name: &str, theirs: &str, value: &dyn Fn(f64) -> f64| Column {
        name: name.to_owned(),
        theirs: ["-".to_owned(), theirs.to_owned()],
        values: times.iter().map(|t| value(*t)).collect(),
    };
    if name == "ladder" {
        // v' = A v + b with two real modes.
        let (a, b, c, d) = (-3.0, 1.0, 1.0 / 3.0, -1.0 / 3.0);
        let (half, product): (f64, f64) = ((a + d) / 2.0, a * d - b * c);
        let root = (half * half - product).sqrt();
        let (fast, slow) = (half - root, half + root);
        // v(0) = 0, v'(0) = (10, 0), v(∞) = (5, 5).
        let mode = |start: f64, rate: f64, t: f64| {
            let left = -start;
            let p = (rate - slow * left) / (fast - slow);
            start + p * (fast * t).exp() + (left - p) * (slow * t).exp()
        };
        let columns = vec![
            column("v1", "1.2e-9", &|t| mode(5.0, 10.0, t)),
            column("v2", "1.5e-10", &|t| mode(5.0, 0.0, t)),
        ];
        return Reference {
            times: times.clone(),
            columns,
        };
    }
    let columns = vec![
        column("soc", "1.0e-15", &|t| 1.0 - 10.0 * t / 7200.0),
        column("u1", "1.4e-10", &|t| 0.1 * (-t / 10.0).exp_m1()),
    ];
    Reference {
        times: times.clone(),
        columns,
    }
}

type Entry = (
    &'static str,
    &'static str,
    fn() -> Result<ReducedModel>,
    &'static [&'static str],
);

/// Title, key of the reference, network, our variables.
#[rustfmt::skip]
const SYSTEMS: [Entry; 15] = [
    ("RC", "rc_acausal_dae", systems::rc, &["c.v", "r.i"]),
    ("RLC", "rlc_series", systems::rlc, &["l.i", "c.v"]),
    ("RC ladder of two", "ladder", systems::ladder, &["c1.v", "c2.v"]),
    ("DC motor with load", "dc_motor", systems::motor, &["motor.i", "load.w", "load.phi"]),
    ("gear between inertias", "gear_train", systems::gears, &["first.w", "second.w"]),
    ("chain of masses", "mass_spring_damper_chain", systems::chain,
        &["mass0.s", "mass1.s", "mass2.s", "mass0.v", "mass1.v", "mass2.v"]),
    ("thermal network", "thermal_rc_network", systems::heat, &["c1.a.t", "c2.a.t"]),
    ("two tanks", "two_tank_fluid", systems::tanks, &["a.a.p", "b.a.p"]),
    ("battery cell", "cell", systems::cell, &["cell.soc", "cell.u1"]),
    ("rectifier", "diode_half_wave_rectifier", systems::rectifier, &["c.v", "diode.i"]),
    ("stick-slip, smooth", "stribeck_stick_slip", systems::stribeck, &["mass.s", "mass.v"]),
    ("stick-slip, events", "coulomb_stick_slip_event", systems::dry, &["mass.s", "mass.v"]),
    ("pendulum, small swing", "pendulum_index3", systems::small_swing, &["mass.x", "mass.y"]),
    ("pendulum, large swing", "pendulum_index3_large_swing", systems::large_swing,
        &["mass.x", "mass.y"]),
    ("double pendulum", "constrained_double_pendulum", systems::double_pendulum,
        &["first.x", "first.y", "second.x", "second.y"]),
];

fn all() -> Vec<System> {
    let mut references = references();
    let system = |(title, key, build, variables): Entry| System {
        title,
        build,
        reference: references.remove(key).unwrap_or_else(|| closed(key)),
        variables,
        // As they need it: pulses must not be stepped over.
        max_step: (title == "rectifier").then_some(6e-5),
    };
    SYSTEMS.into_iter().map(system).collect()
}

/// Largest absolute errors per column.
fn errors(system: &System, method: Method, tolerance: (f64, f64)) -> Result<Vec<f64>> {
    let model = (system.build)()?;
    let reference = &system.reference;
    let end = *reference.times.last().expect("times");
    let mut simulation = model
        .simulation()
        .span(0.0, end)
        .times(reference.times.clone())
        .record(system.variables.iter().copied())
        .method(method)
        .tolerance(Tolerance::new(tolerance.0, tolerance.1)?);
    if let Some(step) = system.max_step {
        simulation = simulation.max_step(step);
    }
    let run = simulation.run()?;
    let mut found = Vec::new();
    for (variable, column) in system.variables.iter().zip(&reference.columns) {
        let ours = run.column(variable).expect("recorded");
        let pairs = ours.iter().zip(&column.values);
        found.push(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max));
    }
    Ok(found)
}

/// One line of the table: title and quantity, then per tolerance theirs and ours by both methods.
type Line = (String, Vec<(String, [f64; 2])>);

fn lines() -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for system in all() {
        assert_eq!(
            system.variables.len(),
            system.reference.columns.len(),
            "{}",
            system.title
        );
        let mut by = Vec::new();
        for tolerance in TOLERANCES {
            for method in METHODS {
                by.push(errors(&system, method, tolerance)?);
            }
        }
        for (k, column) in system.reference.columns.iter().enumerate() {
            let cells =
                (0..2).map(|t| (column.theirs[t].clone(), [by[2 * t][k], by[2 * t + 1][k]]));
            lines.push((
                format!("{} | `{}`", system.title, column.name),
                cells.collect(),
            ));
        }
    }
    Ok(lines)
}

const TITLE: &str = "# Networks: errors beside Jaxonomy's

The systems that networks are judged by, with the largest absolute error over the sample times against the closed form or the reference value.
Reference values and the errors of Jaxonomy 3.4.1 are in `crates/bifrons-dae/tests/data/jaxonomy.txt`; it runs its implicit method there.
`n/k` says that n of k of its values were not finite, a dash that it has no number for the system.
Ours are one explicit and one implicit method at the same tolerances, with the same cap of the step for the rectifier.
The page is written by `BLESS=1 cargo test -p bifrons-dae --test comparison`; the same test without it fails where an error has grown.

| system | quantity | Jaxonomy, 1e-6 | `Dopri5` | `Bdf` | Jaxonomy, 1e-10 | `Dopri5` | `Bdf` |
|---|---|---|---|---|---|---|---|
";

#[test]
fn errors_are_those_of_the_page() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/NETWORKS.md");
    let mut page = TITLE.to_owned();
    let lines = lines()?;
    for (name, cells) in &lines {
        write!(page, "| {name}")?;
        for (theirs, [explicit, implicit]) in cells {
            write!(page, " | {theirs} | {explicit:.1e} | {implicit:.1e}")?;
        }
        page.push_str(" |\n");
    }
    println!("{page}");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &page)?;
        return Ok(());
    }
    let written = std::fs::read_to_string(&path)?;
    for (name, cells) in &lines {
        let start = format!("| {name} | ");
        let line = written.lines().find(|line| line.starts_with(&start));
        let line = line.unwrap_or_else(|| panic!("`{start}` is not in docs/NETWORKS.md"));
        let words: Vec<&str> = line[start.len()..]
            .trim_end_matches(" |")
            .split(" | ")
            .collect();
        for (k, (theirs, ours)) in cells.iter().enumerate() {
            assert_eq!(words[3 * k], theirs, "{name}");
            for (own, word) in ours.iter().zip(&words[3 * k + 1..]) {
                let said: f64 = word.parse()?;
                // Round-off differs from machine to machine.
                assert!(
                    *own <= 2.0 * said + 1e-14,
                    "{name}: {own:e}, the page says {said:e}"
                );
            }
        }
    }
    Ok(())
}
