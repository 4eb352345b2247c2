//! Models as block diagrams.

use bifrons_blocks::{Expression, Gain, Integrator};
use bifrons_hybrid::{DiagramBuilder, TapeSystem};

/// A diagram of this crate that cannot be built: a defect of the crate, told by its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("reference diagram is broken: {0}")]
pub struct DiagramFailure(String);

pub(crate) fn broken(error: impl core::error::Error) -> DiagramFailure {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        text.push_str(": ");
        text.push_str(&source.to_string());
        cause = source.source();
    }
    DiagramFailure(text)
}

pub(crate) fn compile(builder: DiagramBuilder) -> Result<TapeSystem, DiagramFailure> {
    let equations = builder.build().map_err(broken)?.flatten().map_err(broken)?;
    equations.compile().map_err(broken)
}

/// `x' = k x`, `x(0) = 1`: an integrator fed back through a gain. Parameters `gain.k` (default
/// -1) and `x.x0`; output `x`.
///
/// # Errors
///
/// Never, unless the crate is broken.
pub fn decay() -> Result<TapeSystem, DiagramFailure> {
    let mut diagram = DiagramBuilder::new("decay");
    let gain = diagram.add("gain", Gain::new(-1.0)).map_err(broken)?;
    let x = diagram.add("x", Integrator::new(1.0)).map_err(broken)?;
    diagram
        .connect(x.output("y"), gain.input("u"))
        .map_err(broken)?;
    diagram
        .connect(gain.output("y"), x.input("u"))
        .map_err(broken)?;
    diagram.export_output("x", x.output("y")).map_err(broken)?;
    compile(diagram)
}

/// `x' = v`, `v' = -ω² x`, `x(0) = 1`, `v(0) = 0`: two integrators and a gain. Parameter
/// `spring.k = -ω²`; outputs `x` and `v`.
///
/// # Errors
///
/// Never, unless the crate is broken.
pub fn oscillator(omega: f64) -> Result<TapeSystem, DiagramFailure> {
    let mut diagram = DiagramBuilder::new("oscillator");
    let spring = diagram
        .add("spring", Gain::new(-omega * omega))
        .map_err(broken)?;
    let x = diagram.add("x", Integrator::new(1.0)).map_err(broken)?;
    let v = diagram.add("v", Integrator::new(0.0)).map_err(broken)?;
    diagram
        .connect(x.output("y"), spring.input("u"))
        .map_err(broken)?;
    diagram
        .connect(spring.output("y"), v.input("u"))
        .map_err(broken)?;
    diagram
        .connect(v.output("y"), x.input("u"))
        .map_err(broken)?;
    diagram.export_output("x", x.output("y")).map_err(broken)?;
    diagram.export_output("v", v.output("y")).map_err(broken)?;
    compile(diagram)
}

/// Lorenz's system: three integrators, three expression blocks with the states as inputs `u`, `v`,
/// `w`. Parameters `fx.sigma`, `fy.rho`,
/// `fz.beta`; outputs `x`, `y`, `z`; starts at (1, 0, 0).
///
/// # Errors
///
/// Never, unless the crate is broken.
pub fn lorenz() -> Result<TapeSystem, DiagramFailure> {
    let mut diagram = DiagramBuilder::new("lorenz");
    let mut add = |name: &str, text: &str, inputs: &[&str], parameter: (&str, f64)| {
        let block = Expression::new(text).parameter(parameter.0, parameter.1);
        let block = inputs
            .iter()
            .fold(block, |block, input| block.input(*input));
        diagram.add(name, block).map_err(broken)
    };
    let fx = add("fx", "sigma*(v - u)", &["u", "v"], ("sigma", 10.0))?;
    let fy = add("fy", "u*(rho - w) - v", &["u", "v", "w"], ("rho", 28.0))?;
    let fz = add("fz", "u*v - beta*w", &["u", "v", "w"], ("beta", 8.0 / 3.0))?;
    let mut states = Vec::with_capacity(3);
    for (name, start, slope) in [("x", 1.0, &fx), ("y", 0.0, &fy), ("z", 0.0, &fz)] {
        let state = diagram.add(name, Integrator::new(start)).map_err(broken)?;
        diagram
            .connect(slope.output("y"), state.input("u"))
            .map_err(broken)?;
        diagram
            .export_output(name, state.output("y"))
            .map_err(broken)?;
        states.push((name, state));
    }
    let reads: [(_, &[&str]); 3] = [
        (&fx, &["u", "v"]),
        (&fy, &["u", "v", "w"]),
        (&fz, &["u", "v", "w"]),
    ];
    for (block, inputs) in reads {
        for (input, (_, state)) in inputs.iter().zip(&states) {
            diagram
                .connect(state.output("y"), block.input(*input))
                .map_err(broken)?;
        }
    }
    compile(diagram)
}
