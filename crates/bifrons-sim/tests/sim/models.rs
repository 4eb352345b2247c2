//! Diagrams that several tests use.

use bifrons_blocks::{Gain, Integrator};
use bifrons_hybrid::{DiagramBuilder, TapeSystem};

/// `x' = k x`, `x(0) = 1`, recorded as `x`, and its slope `k x` as `slope`.
pub(crate) fn decay() -> TapeSystem {
    let mut diagram = DiagramBuilder::new("decay");
    let gain = diagram.add("gain", Gain::new(-1.0)).expect("block");
    let x = diagram.add("x", Integrator::new(1.0)).expect("block");
    diagram
        .connect(gain.output("y"), x.input("u"))
        .expect("connection");
    diagram
        .connect(x.output("y"), gain.input("u"))
        .expect("connection");
    diagram.export_output("x", x.output("y")).expect("output");
    diagram
        .export_output("slope", gain.output("y"))
        .expect("output");
    diagram
        .build()
        .expect("diagram")
        .flatten()
        .expect("equations")
        .compile()
        .expect("system")
}

/// `x'' = -ω² x` with `ω² = k`.
pub(crate) fn oscillator() -> TapeSystem {
    let mut diagram = DiagramBuilder::new("oscillator");
    let spring = diagram.add("spring", Gain::new(-4.0)).expect("block");
    let v = diagram.add("v", Integrator::new(0.0)).expect("block");
    let x = diagram.add("x", Integrator::new(1.0)).expect("block");
    diagram
        .connect(spring.output("y"), v.input("u"))
        .expect("connection");
    diagram
        .connect(v.output("y"), x.input("u"))
        .expect("connection");
    diagram
        .connect(x.output("y"), spring.input("u"))
        .expect("connection");
    diagram.export_output("x", x.output("y")).expect("output");
    diagram
        .build()
        .expect("diagram")
        .flatten()
        .expect("equations")
        .compile()
        .expect("system")
}
