//! A diagram of two blocks: its equations, and one evaluation for two members.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use bifrons_expr::Expr;
use bifrons_hybrid::{BlockSpec, DiagramBuilder, HybridSystem};
use bifrons_lanes::Level;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let s = |name: &str| Expr::symbol(name);
    let gain = BlockSpec::builder("Gain")
        .input("u")
        .parameter("k", -1.5)
        .output("y", s("k") * s("u"))
        .build()?;
    let integrator = BlockSpec::builder("Integrator")
        .input("u")
        .parameter("x0", 1.0)
        .state("x", s("u"), s("x0"))
        .output("y", s("x"))
        .build()?;

    let mut builder = DiagramBuilder::new("decay");
    let gain = builder.add("gain", gain)?;
    let x = builder.add("integrator", integrator)?;
    builder.connect(x.output("y"), gain.input("u"))?;
    builder.connect(gain.output("y"), x.input("u"))?;
    builder.export_output("x", x.output("y"))?;
    let equations = builder.build()?.flatten()?;
    println!("{equations}");

    let system = equations.compile()?;
    let mut workspace = system.workspace::<2>(Level::detect());
    let fast = system.schema().parameters_with([("gain.k", -10.0)])?;
    system.set_parameters(&mut workspace, 1, &fast);
    let mut derivatives = [[0.0; 2]];
    system.derivatives(&mut workspace, &[0.0; 2], &[[1.0; 2]], &mut derivatives);
    println!("derivatives of both members at x = 1: {:?}", derivatives[0]);
    println!("workspace: {}", system.workspace_footprint(2));
    Ok(())
}
