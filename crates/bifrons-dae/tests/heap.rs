//! Predicted and measured bytes of sweeps of networks; no allocation per step. One thread.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a failed test helper is a failed test; tests show their numbers"
)]

#[path = "support/networks.rs"]
mod networks;
mod support;

use bifrons_dae::ReducedModel;
use bifrons_memory::profiler::{CountingAllocator, Scope};
use bifrons_ode::Method;
use bifrons_sim::{Recording, Simulation, Sweep, uniform_times};
use support::Result;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static RUN: Scope = Scope::new("run");

/// Peak above entry and number of blocks of `run`, whose result is dropped after the scope.
fn measured<T>(run: impl FnOnce() -> T) -> (u64, u64) {
    let guard = RUN.enter();
    let result = run();
    let counts = guard.so_far();
    drop(result);
    drop(guard);
    (counts.peak, counts.blocks)
}

fn models() -> Result<[(&'static str, ReducedModel, &'static str, f64); 4]> {
    Ok([
        ("rectifier", networks::rectifier()?, "load.v", 0.02),
        ("bridge", networks::bridge()?, "load.v", 0.02),
        ("pendulum", networks::pendulum()?, "mass.x", 3.0),
        ("ball", networks::ball()?, "ball.h", 1.0),
    ])
}

#[test]
fn plans_bound_what_is_measured_and_steps_allocate_nothing() -> Result<()> {
    for (name, model, output, t_end) in models()? {
        let system = model.compile(&[output])?;
        for members in [1, 40] {
            let sweep = Sweep::builder(&system)
                .span(0.0, t_end)
                .members(members)
                .record(Recording::times(uniform_times(0.0, t_end, 50)))
                .build()?;
            let planned = sweep.plan()?.peak();
            let (peak, _) = measured(|| sweep.run().expect("fits"));
            assert!(
                planned + 512 >= peak && planned as f64 <= 1.25 * peak as f64,
                "{name}, {members} members: planned {planned}, measured {peak}"
            );
        }
        let blocks = |t_end: f64| -> Result<u64> {
            let simulation = Simulation::builder(&system)
                .span(0.0, t_end)
                .record(Recording::final_values())
                .build()?;
            Ok(measured(|| simulation.run().expect("runs")).1)
        };
        let (short, long) = (blocks(t_end)?, blocks(2.0 * t_end)?);
        assert_eq!(short, long, "{name}: a longer run allocates more blocks");
    }
    Ok(())
}

#[test]
fn prepared_runs_allocate_what_they_say() -> Result<()> {
    let ladder = networks::ladder(100)?;
    let models = [
        ("ladder", ladder, "c0.v", 1.0, Method::Bdf, 0),
        (
            "bridge",
            networks::bridge()?,
            "load.v",
            0.04,
            Method::Dopri5,
            16,
        ),
        (
            "swing",
            networks::small_swing()?,
            "mass.x",
            3.0,
            Method::Radau,
            0,
        ),
        (
            "pendulum",
            networks::pendulum()?,
            "mass.x",
            3.0,
            Method::Dopri5,
            0,
        ),
        ("ball", networks::ball()?, "ball.h", 1.0, Method::Dopri5, 4),
    ];
    for (name, model, output, t_end, method, events) in models {
        let mut prepared = model
            .simulation()
            .span(0.0, t_end)
            .times(uniform_times(0.0, t_end, 101))
            .record([output])
            .method(method)
            .prepare()?;
        // The first run may make sparse factors.
        let first = prepared.run()?;
        let planned = prepared.footprint(events).total().peak();
        let (peak, _) = measured(|| prepared.run().expect("runs"));
        println!(
            "{name}: planned {planned}, measured {peak}, {} events",
            first.events.len()
        );
        assert!(
            planned >= peak && planned as f64 <= 1.25 * peak as f64,
            "{name}: planned {planned}, measured {peak}"
        );
    }
    Ok(())
}

#[test]
fn explicit_steps_of_a_run_of_the_network_allocate_nothing() -> Result<()> {
    for (name, model, output, t_end) in models()?.into_iter().take(1) {
        let blocks = |t_end: f64| -> Result<u64> {
            let simulation = model.simulation().span(0.0, t_end).record([output]);
            Ok(measured(|| simulation.run().expect("runs")).1)
        };
        assert_eq!(blocks(t_end)?, blocks(3.0 * t_end)?, "{name}");
    }
    // The states of a rigid coupling are watched, and never change.
    let model = networks::small_swing()?;
    let blocks = |t_end: f64| -> Result<u64> {
        let simulation = model.simulation().span(0.0, t_end).record(["mass.x"]);
        let (_, blocks) = measured(|| simulation.run().expect("runs"));
        Ok(blocks)
    };
    assert_eq!(blocks(1.0)?, blocks(5.0)?, "small swing");
    Ok(())
}
