//! A sweep of a decay: plan, run, read, and one member that fails.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use bifrons_blocks::{Gain, Integrator};
use bifrons_hybrid::DiagramBuilder;
use bifrons_sim::{Recording, Sweep, uniform_times};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut diagram = DiagramBuilder::new("decay");
    let gain = diagram.add("gain", Gain::new(-1.0))?;
    let x = diagram.add("x", Integrator::new(1.0))?;
    diagram.connect(x.output("y"), gain.input("u"))?;
    diagram.connect(gain.output("y"), x.input("u"))?;
    diagram.export_output("x", x.output("y"))?;
    let equations = diagram.build()?.flatten()?;
    println!("{equations}");
    let system = equations.compile()?;

    let mut gains = uniform_times(-0.5, -2.5, 1000);
    gains[500] = f64::NAN;
    let sweep = Sweep::builder(&system)
        .span(0.0, 5.0)
        .column("gain.k", gains)
        .record(Recording::times(uniform_times(0.0, 5.0, 6)))
        .build()?;
    println!("plan: {}", sweep.plan()?);
    let result = sweep.run()?;
    for member in [0, 999] {
        let rows = result.rows("x", member)?;
        println!(
            "member {member}: {rows:.4?}, {} steps",
            result.reports()[member].accepted
        );
    }
    for (member, failure) in result.failures() {
        println!("member {member} failed: {failure}");
    }
    Ok(())
}
