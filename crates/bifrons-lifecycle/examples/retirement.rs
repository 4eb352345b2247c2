//! The retirement model of Iskhakov et al. (2017) with income risk and taste shocks, timed.
//!
//! `cargo run --release -p bifrons-lifecycle --example retirement [savings nodes] [periods]`
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::time::Instant;

use bifrons_grids::{Categorical, Irregular, Linear};
use bifrons_lifecycle::{
    Ages, DcEgm, Domain, Edge, Liquid, Model, Parameters, Population, Regime, SimulateOptions,
    Solver,
};
use bifrons_shocks::LogNormal;

fn model(nodes: usize, periods: usize) -> Result<Model, Box<dyn Error>> {
    let last = periods as f64 - 1.0;
    let node = |i: usize| 200.0 * (i as f64 / (nodes - 1) as f64).powi(2);
    let savings = Irregular::new((0..nodes).map(node).collect::<Vec<f64>>())?;
    let regime = |name: &str| -> Result<Regime, Box<dyn Error>> {
        Ok(Regime::new(name)
            .ages(0.0, last)
            .state("m", Linear::new(1.0, 150.0, 30)?)
            .function("savings", "m - c")
            .constraint("borrowing", "savings >= 0")
            .solver(Solver::DcEgm(DcEgm::new()))
            .liquid(Liquid::new("m", "c", "savings", savings.clone())))
    };
    let utility = "c^(1 - rho) / (1 - rho)";
    let working = regime("working")?
        .action("work", Categorical::ordered(["no", "yes"])?)
        .action("c", Domain::free())
        .utility(format!("{utility} - delta*work"))
        .shock("xi", &LogNormal::mean_one(0.35)?.gauss_hermite(5)?)
        .law("m", "r*savings + y*work*xi")
        .taste_shocks("scale")
        .edge(Edge::to("working").probability("if age < last then work else 0"))
        .edge(
            Edge::to("retired")
                .law("m", "r*savings")
                .probability("if age < last then 1 - work else 0"),
        )
        .edge(Edge::to("over"));
    let retired = regime("retired")?
        .action("c", Domain::free())
        .utility(utility)
        .law("m", "r*savings")
        .edge(Edge::to("retired"))
        .edge(Edge::to("over"));
    Ok(Model::builder(Ages::periods(periods + 1)?)
        .regime(working)
        .regime(retired)
        .regime(
            Regime::new("over")
                .ages(last + 1.0, last + 1.0)
                .utility("0"),
        )
        .fix("last", last)
        .build()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let nodes = arguments.next().map_or(Ok(500), |text| text.parse())?;
    let periods = arguments.next().map_or(Ok(20), |text| text.parse())?;
    let begin = Instant::now();
    let model = model(nodes, periods)?;
    println!("built in {:.3} ms", begin.elapsed().as_secs_f64() * 1e3);
    let parameters = Parameters::new()
        .set("r", 1.05)
        .set("discount_factor", 1.0 / 1.05)
        .set("rho", 1.95)
        .set("delta", 0.35)
        .set("scale", 0.2)
        .set("y", 8.35);
    let mut best = f64::INFINITY;
    let mut solution = None;
    for _ in 0..30 {
        let problem = model.with_parameters(&parameters)?;
        let begin = Instant::now();
        solution = Some(problem.solve()?);
        best = best.min(begin.elapsed().as_secs_f64());
    }
    println!(
        "{nodes} nodes, {periods} periods: solved in {:.3} ms",
        best * 1e3
    );
    let solution = solution.ok_or("no repetition")?;
    let value = solution.value_at(0, "working", &[20.0]).unwrap_or(f64::NAN);
    println!("value of 20 at age 0: {value}");
    let subjects = 100_000;
    let population = Population::new(subjects, "working").state_of_all("m", 20.0);
    let begin = Instant::now();
    let panel = solution.simulate(&population, &SimulateOptions::new())?;
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{subjects} subjects, {} rows in {:.1} ms: {:.0} ns per row",
        panel.report.rows,
        seconds * 1e3,
        seconds * 1e9 / panel.report.rows as f64
    );
    Ok(())
}
