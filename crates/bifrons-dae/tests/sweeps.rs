//! Networks with iterations, switches, events and changing states in sweeps.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "tests show their errors"
)]

#[path = "support/networks.rs"]
mod networks;
mod support;

use bifrons_dae::{BridgeError, NetworkSystem, ReducedModel};
use bifrons_hybrid::HybridSystem as _;
use bifrons_ode::Options;
use bifrons_parallel::Threads;
use bifrons_sim::{Recording, Sweep, SweepResult, uniform_times};
use support::Result;

struct Case {
    model: ReducedModel,
    outputs: &'static [&'static str],
    column: &'static str,
    values: Vec<f64>,
    t_end: f64,
    /// Against runs of the network itself.
    allowed: f64,
}

type Row = (
    ReducedModel,
    &'static [&'static str],
    &'static str,
    (f64, f64),
    f64,
    f64,
);

/// Networks, outputs, parameter and its bounds, end, allowed difference from runs of the network.
#[rustfmt::skip]
fn cases() -> Result<Vec<Case>> {
    use networks::*;
    let pendulum_outputs = &["mass.x", "mass.y", "mass.vx", "rod.lambda"];
    let rows: [Row; 7] = [
        (rectifier()?, &["load.v", "diode.i"], "load.r", (50.0, 200.0), 0.015, 2e-6),
        (bridge()?, &["load.v", "d1.i", "c.v"], "load.r", (50.0, 200.0), 0.015, 2e-6),
        (pendulum()?, pendulum_outputs, "mass.g", (5.0, 15.0), 1.0, 1e-4),
        (ball()?, &["ball.h", "ball.v"], "ball.e", (0.7, 0.9), 1.0, 1e-6),
        (stick_slip()?, &["mass.s", "mass.v"], "mass.m", (0.8, 1.2), 3.0, 1e-5),
        (double_pendulum()?, &["second.x", "second.y"], "second.m", (0.8, 1.2), 0.2, 1e-5),
        (thorough()?, &["mass.s", "spring.a.f"], "force.f0", (-1.0, 1.0), 0.5, 1e-6),
    ];
    let case = |(model, outputs, column, (low, high), t_end, allowed): Row| Case {
        model, outputs, column, values: uniform_times(low, high, 18), t_end, allowed,
    };
    Ok(rows.into_iter().map(case).collect())
}

fn sweep<'s>(
    system: &'s NetworkSystem,
    case: &Case,
    values: Vec<f64>,
) -> bifrons_sim::SweepBuilder<'s, NetworkSystem> {
    let mut options = Options::default();
    // Pulses of a diode that blocks most of the time must not be stepped over.
    options.max_step = Some(case.t_end / 50.0);
    Sweep::builder(system)
        .span(0.0, case.t_end)
        .options(options)
        .column(case.column, values)
        .tolerance(1e-8, 1e-10)
        .record(Recording::times(uniform_times(0.0, case.t_end, 11)))
}

fn bits(result: &SweepResult, outputs: &[&str], members: usize) -> Result<Vec<Vec<u64>>> {
    let mut all = Vec::new();
    for member in 0..members {
        let mut own = Vec::new();
        for output in outputs {
            own.extend(result.rows(output, member)?.iter().map(|v| v.to_bits()));
        }
        all.push(own);
    }
    Ok(all)
}

#[test]
fn members_have_the_same_bits_for_lanes_chunks_threads_and_order() -> Result<()> {
    for case in cases()? {
        let system = case.model.compile(case.outputs)?;
        let members = case.values.len();
        let alone = sweep(&system, &case, case.values.clone())
            .lanes(1)
            .build()?;
        let alone = alone.run()?;
        assert_eq!(alone.failures(), &[], "{}", case.model);
        let expected = bits(&alone, case.outputs, members)?;
        let run = sweep(&system, &case, case.values.clone())
            .chunk(5)
            .threads(Threads::new(2)?)
            .build()?
            .run()?;
        let found = bits(&run, case.outputs, members)?;
        assert_eq!(found, expected, "{}, chunks of 5", case.column);
        let turned: Vec<f64> = case.values.iter().rev().copied().collect();
        let mut found = bits(
            &sweep(&system, &case, turned).build()?.run()?,
            case.outputs,
            members,
        )?;
        found.reverse();
        assert_eq!(found, expected, "{}, turned", case.column);
    }
    Ok(())
}

#[test]
fn members_agree_with_runs_of_the_network() -> Result<()> {
    for case in cases()? {
        let system = case.model.compile(case.outputs)?;
        let result = sweep(&system, &case, case.values.clone()).build()?.run()?;
        let mut worst = 0.0_f64;
        for (member, value) in case.values.iter().enumerate().step_by(6) {
            let run = case
                .model
                .simulation()
                .span(0.0, case.t_end)
                .times(uniform_times(0.0, case.t_end, 11))
                .record(case.outputs.iter().copied())
                .parameter(case.column, *value)
                .max_step(case.t_end / 50.0)
                .tolerance(support::tight())
                .run()?;
            for output in case.outputs {
                let column = run.column(output).expect("recorded");
                let size = column.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
                let pairs = result.rows(output, member)?.iter().zip(&column);
                let error = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                worst = worst.max(error / size);
            }
        }
        println!("{} in a sweep: worst difference {worst:e}", case.column);
        assert!(worst < case.allowed, "{}: {worst:e}", case.column);
    }
    Ok(())
}

#[test]
fn a_pendulum_has_two_sets_of_states_and_keeps_its_energy() -> Result<()> {
    let system = networks::pendulum()?.compile(&["mass.x", "mass.y", "mass.vx", "mass.vy"])?;
    assert!(system.set_count() > 1, "along x or along y");
    assert_eq!(
        system.schema().state_names().next(),
        Some("state1"),
        "they change"
    );
    let result = Sweep::builder(&system)
        .span(0.0, 6.0)
        .members(1)
        .tolerance(1e-10, 1e-12)
        .record(Recording::times(uniform_times(0.0, 6.0, 61)))
        .build()?
        .run()?;
    let column = |name| result.rows(name, 0);
    let (x, y) = (column("mass.x")?, column("mass.y")?);
    let (vx, vy) = (column("mass.vx")?, column("mass.vy")?);
    let (mut energy, mut rod) = (0.0_f64, 0.0_f64);
    for k in 0..x.len() {
        energy = energy.max((0.5 * (vx[k] * vx[k] + vy[k] * vy[k]) + networks::G * y[k]).abs());
        rod = rod.max((x[k] * x[k] + y[k] * y[k] - 1.0).abs());
    }
    println!("pendulum in a sweep: energy {energy:e}, rod {rod:e}");
    assert!(energy / networks::G < 1e-7, "energy {energy:e}");
    assert!(rod < 1e-12, "rod {rod:e}");
    Ok(())
}

#[test]
fn a_member_outside_of_a_range_fails_alone() -> Result<()> {
    let system = networks::rectifier()?.compile(&["load.v"])?;
    let result = Sweep::builder(&system)
        .span(0.0, 0.01)
        .column("load.r", vec![100.0, -1.0, 100.0])
        .record(Recording::final_values())
        .build()?
        .run()?;
    let failed: Vec<usize> = result
        .failures()
        .iter()
        .map(|(member, _)| *member)
        .collect();
    assert_eq!(failed, [1], "only the one with a negative resistance");
    let ends = [result.rows("load.v", 0)?, result.rows("load.v", 2)?];
    assert_eq!(ends[0][0].to_bits(), ends[1][0].to_bits(), "undisturbed");
    Ok(())
}

#[test]
fn what_cannot_be_compiled_is_named() -> Result<()> {
    let error = networks::ball()?
        .compile(&["ball.w"])
        .expect_err("no such variable");
    assert!(
        matches!(&error, BridgeError::UnknownName { name } if name == "ball.w"),
        "{error}"
    );
    Ok(())
}
