//! Allocations of workspaces and evaluations, counted in a process with one thread.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use std::hint::black_box;

use bifrons_expr::Expr;
use bifrons_hybrid::{EquationSystem, HybridSystem, TapeSystem};
use bifrons_lanes::Level;
use bifrons_memory::profiler::{CountingAllocator, counts};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

const STATES: usize = 40;

/// A ring of states with parameters and a shared definition.
fn ring() -> TapeSystem {
    let s = |name: &str, index: usize| Expr::symbol(format!("{name}{}", index % STATES));
    let mut builder = EquationSystem::builder("ring");
    for i in 0..STATES {
        let flow = (s("k", i) * (s("x", i + 1) - s("x", i))).sin();
        builder = builder
            .parameter(format!("k{i}"), 0.5)
            .parameter(format!("start{i}"), 1.0)
            .definition(format!("flow{i}"), flow)
            .state(
                format!("x{i}"),
                s("flow", i) - s("flow", i + STATES - 1),
                s("start", i),
            )
            .output(format!("flow{i}"), s("flow", i));
    }
    builder
        .build()
        .expect("valid equations")
        .compile()
        .expect("compiles")
}

/// Three definitions that are solved by iteration for each of the states.
fn looped() -> TapeSystem {
    let s = |name: &str| Expr::symbol(name);
    let mut builder = EquationSystem::builder("looped")
        .definition("a", 0.5 * (s("b") * s("c")).cos() + s("x0"))
        .definition(
            "b",
            0.5 * s("a").sin() - s("k") * s("x1") + s("b") * s("a") * 0.1,
        )
        .definition("c", (0.3 * s("a") + 0.2 * s("b") + 0.1 * s("c")).tanh())
        .parameter("k", 0.5);
    for i in 0..STATES {
        let name = format!("x{i}");
        let slope = s("a") + s("b") * s("c") - s(&name);
        builder = builder
            .state(&name, slope, 0.1 * i as f64)
            .output(&name, s("a") + s(&name));
    }
    builder
        .build()
        .expect("valid equations")
        .compile()
        .expect("compiles")
}

fn main() {
    check(&ring());
    let looped = looped();
    assert_eq!(looped.loops().len(), 1, "one loop");
    check(&looped);
}

fn check(system: &TapeSystem) {
    const W: usize = 16;
    let level = Level::detect();

    let before = counts();
    let mut workspace = black_box(system.workspace::<W>(level));
    let allocated = counts().live_bytes - before.live_bytes;
    let allowed = system.workspace_footprint(W).peak();
    assert!(
        allocated <= allowed,
        "{allocated} bytes, {allowed} were announced"
    );
    assert!(
        4 * allowed <= 5 * allocated,
        "{allowed} bytes were announced for {allocated}"
    );

    let parameters = system.schema().defaults().to_vec();
    let mut state = vec![0.0; STATES];
    let (mut x, mut dx) = (vec![[1.0; W]; STATES], vec![[0.0; W]; STATES]);
    let mut y = vec![[0.0; W]; STATES];
    let before = counts().total_blocks;
    for round in 0..10 {
        for lane in 0..W {
            system.set_parameters(&mut workspace, lane, &parameters);
            system.initial_state(&mut workspace, 0.0, &parameters, &mut state);
        }
        system.derivatives(&mut workspace, &[f64::from(round); W], &x, &mut dx);
        system.outputs(&mut workspace, &[f64::from(round); W], &x, &mut y);
        for (x, dx) in x.iter_mut().zip(&dx) {
            x[0] += 0.1 * dx[0];
        }
    }
    let blocks = counts().total_blocks - before;
    assert_eq!(blocks, 0, "evaluation allocates nothing");
}
