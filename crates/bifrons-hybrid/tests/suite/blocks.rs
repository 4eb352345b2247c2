//! Small blocks and one-member evaluation for the tests.
use bifrons_expr::Expr;
use bifrons_hybrid::{BlockSpec, HybridSystem, TapeSystem};
use bifrons_lanes::Level;

pub(crate) fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

pub(crate) fn constant(value: f64) -> BlockSpec {
    BlockSpec::builder("Constant")
        .parameter("value", value)
        .output("y", s("value"))
        .build()
        .unwrap()
}

pub(crate) fn gain(k: f64) -> BlockSpec {
    let block = BlockSpec::builder("Gain").input("u").parameter("k", k);
    block.output("y", s("k") * s("u")).build().unwrap()
}

pub(crate) fn increment() -> BlockSpec {
    BlockSpec::builder("Increment")
        .input("u")
        .output("y", s("u") + 1.0)
        .build()
        .unwrap()
}

/// y = u1 ± u2
pub(crate) fn sum(sign: char) -> BlockSpec {
    let y = if sign == '-' {
        s("u1") - s("u2")
    } else {
        s("u1") + s("u2")
    };
    BlockSpec::builder("Sum")
        .input("u1")
        .input("u2")
        .output("y", y)
        .build()
        .unwrap()
}

pub(crate) fn integrator(x0: f64) -> BlockSpec {
    BlockSpec::builder("Integrator")
        .input("u")
        .parameter("x0", x0)
        .state("x", s("u"), s("x0"))
        .output("y", s("x"))
        .build()
        .unwrap()
}

/// One input, one output, any equation of `u` and `time`.
pub(crate) fn function(y: impl Into<Expr>) -> BlockSpec {
    BlockSpec::builder("Function")
        .input("u")
        .output("y", y)
        .build()
        .unwrap()
}

/// Start values of one member with default parameters.
pub(crate) fn start(system: &TapeSystem, t0: f64) -> Vec<f64> {
    let mut workspace = system.workspace::<1>(Level::Baseline);
    let mut state = vec![f64::NAN; system.schema().state_count()];
    system.initial_state(&mut workspace, t0, system.schema().defaults(), &mut state);
    state
}

/// Derivatives of one member with default parameters.
pub(crate) fn derivatives(system: &TapeSystem, t: f64, state: &[f64]) -> Vec<f64> {
    let mut workspace = system.workspace::<1>(Level::Baseline);
    let x: Vec<[f64; 1]> = state.iter().map(|x| [*x]).collect();
    let mut dx = vec![[f64::NAN]; state.len()];
    system.derivatives(&mut workspace, &[t], &x, &mut dx);
    dx.into_iter().map(|[dx]| dx).collect()
}

/// Outputs of one member with default parameters.
pub(crate) fn outputs(system: &TapeSystem, t: f64, state: &[f64]) -> Vec<f64> {
    let mut workspace = system.workspace::<1>(Level::Baseline);
    let x: Vec<[f64; 1]> = state.iter().map(|x| [*x]).collect();
    let mut y = vec![[f64::NAN]; system.schema().output_count()];
    system.outputs(&mut workspace, &[t], &x, &mut y);
    y.into_iter().map(|[y]| y).collect()
}
