//! A mass on a spring under proportional control with a limited actuator: its equations, and its
//! derivatives for four gains at once.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use bifrons_blocks::{Gain, Saturation, SecondOrder, Step, Sum};
use bifrons_hybrid::{DiagramBuilder, HybridSystem};
use bifrons_lanes::Level;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = DiagramBuilder::new("control_loop");
    let target = builder.add("target", Step::new(1.0))?;
    let error = builder.add("error", Sum::new("+-"))?;
    let controller = builder.add("controller", Gain::new(8.0))?;
    let actuator = builder.add("actuator", Saturation::new(-2.0, 2.0))?;
    let plant = builder.add("plant", SecondOrder::new(3.0, 0.1))?;
    builder.connect(target.output("y"), error.input("u1"))?;
    builder.connect(plant.output("y"), error.input("u2"))?;
    builder.connect(error.output("y"), controller.input("u"))?;
    builder.connect(controller.output("y"), actuator.input("u"))?;
    builder.connect(actuator.output("y"), plant.input("u"))?;
    builder.export_output("position", plant.output("y"))?;
    builder.export_output("force", actuator.output("y"))?;

    let equations = builder.build()?.flatten()?;
    println!("{equations}");
    let system = equations.compile()?;
    let mut workspace = system.workspace::<4>(Level::detect());
    for (lane, gain) in [0.5, 1.0, 2.0, 4.0].into_iter().enumerate() {
        let parameters = system.schema().parameters_with([("controller.k", gain)])?;
        system.set_parameters(&mut workspace, lane, &parameters);
    }
    let mut derivatives = [[0.0; 4]; 2];
    system.derivatives(
        &mut workspace,
        &[2.0; 4],
        &[[0.25; 4], [0.0; 4]],
        &mut derivatives,
    );
    println!(
        "acceleration at t = 2, x = 0.25, v = 0: {:?}",
        derivatives[1]
    );
    Ok(())
}
