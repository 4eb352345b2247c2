//! Published reference values of systems that are stiff or large: batches, Robertson's reactions,
//! the stiff oscillator of van der Pol, and the Brusselator on a grid.

use bifrons_expr::Expr;
use bifrons_hybrid::{
    Direction, EquationSystem, EquationSystemBuilder, Guard, HybridSystem, TapeSystem,
};
use bifrons_lanes::Level;
use bifrons_ode::{Method, Options, Save, Tolerance, closure, solve};
use bifrons_sim::{Recording, Simulation, Sweep};

use crate::reference::numbers;

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

fn compile(builder: EquationSystemBuilder) -> TapeSystem {
    builder.build().expect("equations").compile().expect("tape")
}

macro_rules! data {
    ($name:literal) => {
        include_str!(concat!("../data/jx/", $name, ".json"))
    };
}

#[test]
fn a_batch_of_decays_follows_the_closed_form_on_every_grid() {
    let text = data!("batch_decay");
    let system = compile(
        EquationSystem::builder("decay")
            .parameter("a", 1.0)
            .state("y", -(s("a") * s("y")), 1.0)
            .output("y", s("y")),
    );
    for members in [10, 100, 1000] {
        let a: Vec<f64> = (0..members)
            .map(|k| 0.5 + 2.0 * f64::from(k) / f64::from(members - 1))
            .collect();
        // The grid of the peer is that of its first run; here it disturbs nobody.
        for times in [
            numbers(text, &["sample_times"]),
            numbers(text, &["jaxonomy", "grid"]),
        ] {
            let sweep = Sweep::builder(&system)
                .span(0.0, 5.0)
                .column("a", a.clone())
                .record(Recording::times(times.clone()))
                .build()
                .expect("valid")
                .run()
                .expect("sweep");
            for (member, &a) in a.iter().enumerate() {
                let rows = sweep.rows("y", member).expect("rows");
                for (&t, &y) in times.iter().zip(rows) {
                    let expected = (-a * t).exp();
                    let error = (y - expected).abs();
                    assert!(error < 2e-6, "a = {a}, t = {t}: {y} for {expected}");
                }
            }
        }
    }
}

/// Integrates the equations of a system with an implicit method; rows at `times`.
fn implicit(system: &TapeSystem, times: &[f64], method: Method, absolute: f64) -> Vec<f64> {
    let mut workspace = system.workspace::<1>(Level::detect());
    let states = system.schema().state_count();
    let mut y0 = vec![0.0; states];
    let defaults = system.schema().defaults();
    system.initial_state(&mut workspace, times[0], defaults, &mut y0);
    let mut problem = closure(states, |t, y: &[f64], dy: &mut [f64]| {
        let (y, dy) = (y.as_chunks::<1>().0, dy.as_chunks_mut::<1>().0);
        system.derivatives(&mut workspace, &[t], y, dy);
    });
    let mut options = Options::default();
    options.method = method;
    options.tolerance = Tolerance::new(1e-9, absolute).expect("tolerance");
    let save = Save::Times(times.to_vec());
    let end = *times.last().expect("times");
    let solution = solve(&mut problem, times[0], &y0, end, &save, &options).expect("solution");
    (0..times.len())
        .flat_map(|row| solution.state(row).to_vec())
        .collect()
}

fn close(found: &[f64], expected: &[f64], (relative, absolute): (f64, f64)) {
    assert_eq!(found.len(), expected.len(), "values");
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        let bound = relative * expected.abs() + absolute;
        assert!(
            error <= bound,
            "value {k}: {found} for {expected}, {error:e}"
        );
    }
}

#[test]
fn robertsons_reactions_are_followed_over_six_decades() {
    let text = data!("robertson");
    let slow = 0.04 * s("y1");
    let back = 1e4 * s("y2") * s("y3");
    let fast = 3e7 * s("y2") * s("y2");
    let system = compile(
        EquationSystem::builder("robertson")
            .state("y1", &back - &slow, 1.0)
            .state("y2", slow - back - &fast, 0.0)
            .state("y3", fast, 0.0),
    );
    let expected = numbers(text, &["reference", "values"]);
    for method in [Method::Radau, Method::Bdf] {
        let found = implicit(&system, &numbers(text, &["sample_times"]), method, 1e-14);
        close(&found, &expected, (2e-6, 1e-12));
    }
}

#[test]
fn the_stiff_oscillator_jumps_on_time() {
    let text = data!("van_der_pol_mu1000");
    let slope = s("mu") * (1.0 - s("x") * s("x")) * s("y") - s("x");
    let system = compile(
        EquationSystem::builder("van_der_pol")
            .parameter("mu", 1000.0)
            .state("x", s("y"), 2.0)
            .state("y", slope, 0.0),
    );
    let expected = numbers(text, &["reference", "values"]);
    for method in [Method::Radau, Method::Bdf] {
        let found = implicit(&system, &numbers(text, &["sample_times"]), method, 1e-11);
        close(&found, &expected, (2e-5, 1e-8));
    }
}

#[test]
fn the_brusselator_on_a_grid_is_lit_at_its_time() {
    const N: usize = 8;
    let text = data!("brusselator_2d_8x8");
    let name = |kind: &str, i: usize, j: usize| format!("{kind}_{i}_{j}");
    let at = |kind: &str, i: usize, j: usize| s(&name(kind, i % N, j % N));
    let side = (N - 1) as f64;
    let diffusion = 10.0 * side * side;
    let mut builder = EquationSystem::builder("brusselator")
        .discrete("lit", 0.0)
        .guard(Guard::new("lights", Direction::Rising), s("time") - 1.1)
        .update("lights", "lit", Expr::constant(1.0));
    for i in 0..N {
        for j in 0..N {
            let (x, y) = (i as f64 / side, j as f64 / side);
            let spread = |kind: &str| {
                let around = at(kind, i + 1, j)
                    + at(kind, i + N - 1, j)
                    + at(kind, i, j + 1)
                    + at(kind, i, j + N - 1);
                diffusion * (around - 4.0 * at(kind, i, j))
            };
            let (u, v) = (at("u", i, j), at("v", i, j));
            let reaction = &u * &u * v;
            let is_lit = (x - 0.3) * (x - 0.3) + (y - 0.6) * (y - 0.6) <= 0.01;
            let mut slope = spread("u") + 1.0 + &reaction - 4.4 * &u;
            if is_lit {
                slope += 5.0 * s("lit");
            }
            builder = builder
                .state(name("u", i, j), slope, 22.0 * (y * (1.0 - y)).powf(1.5))
                .state(
                    name("v", i, j),
                    spread("v") + 3.4 * u - reaction,
                    27.0 * (x * (1.0 - x)).powf(1.5),
                )
                .output(name("u", i, j), at("u", i, j))
                .output(name("v", i, j), at("v", i, j));
        }
    }
    let times = numbers(text, &["sample_times"]);
    let run = Simulation::builder(&compile(builder))
        .span(0.0, 1.2)
        .tolerance(1e-8, 1e-10)
        .record(Recording::times(times.clone()))
        .build()
        .expect("valid")
        .run()
        .expect("run");
    let row = |row: usize, count: usize| -> Vec<f64> {
        let names = run.names().take(count);
        let columns = names.map(|name| run.signal(name).expect("signal")[row]);
        columns.collect()
    };
    let first: Vec<f64> = (0..times.len()).flat_map(|k| row(k, 8)).collect();
    let expected = numbers(text, &["reference", "values_first8"]);
    close(&first, &expected, (0.0, 1e-7));
    let expected = numbers(text, &["reference", "values_full_at_end"]);
    close(&row(times.len() - 1, 2 * N * N), &expected, (0.0, 1e-7));
}
