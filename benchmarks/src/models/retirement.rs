//! The retirement model of Iskhakov, Jørgensen, Rust and Schjerning (2017) as a model of regimes.

use bifrons_grids::{Categorical, Linear};
use bifrons_lifecycle::{
    Ages, DcEgm, Domain, Edge, Liquid, Model, NbEgm, Parameters, Problem, Regime, Solver,
};
use bifrons_shocks::Discretisation;

use super::dense;

/// The calibration of `bifrons_problems::Retirement`: interest 0.05, discount factor 0.95, wage 10,
/// disutility 0.5, taste shocks of scale 0.1; income factors with their probabilities.
///
/// By rows with `points` savings nodes, or by grid search with `points` nodes of wealth and as many
/// of consumption as given.
///
/// # Errors
///
/// Those of building the model.
pub fn retirement(
    decisions: usize,
    points: usize,
    consumption: Option<usize>,
    income: &[(f64, f64)],
) -> anyhow::Result<Problem> {
    let last = decisions as f64 - 1.0;
    let (nodes, weights) = income.iter().copied().unzip();
    let shock = Discretisation::new(nodes, weights)?;
    let size = (points, consumption);
    let working = regime("working", last, size, Some("work"))?
        .utility("ln(c) - delta * work")
        .taste_shocks(0.1)
        .shock("xi", &shock)
        .law("m", "r * savings + y * work * xi")
        .edge(Edge::to("working").probability("if age < last then work else 0"))
        .edge(
            Edge::to("retired")
                .law("m", "r * savings")
                .probability("if age < last then 1 - work else 0"),
        )
        .edge(Edge::to("over"));
    let retired = regime("retired", last, size, None)?
        .utility("ln(c)")
        .law("m", "r * savings")
        .edge(Edge::to("retired"))
        .edge(Edge::to("over"));
    let over = Regime::new("over")
        .ages(last + 1.0, last + 1.0)
        .utility("0");
    let model = Model::builder(Ages::periods(decisions + 1)?)
        .regime(working)
        .regime(retired)
        .regime(over)
        .fix("last", last)
        .build()?;
    let parameters = Parameters::new()
        .set("r", 1.05)
        .set("discount_factor", 0.95)
        .set("delta", 0.5)
        .set("y", 10.0);
    Ok(model.with_parameters(&parameters)?)
}

/// States, actions and the solver of a regime, by rows or with a grid of consumption.
fn regime(
    name: &str,
    last: f64,
    (points, consumption): (usize, Option<usize>),
    choice: Option<&str>,
) -> anyhow::Result<Regime> {
    let regime = Regime::new(name)
        .ages(0.0, last)
        .function("savings", "m - c")
        .constraint("borrowing", "savings >= 0");
    let regime = match choice {
        Some(choice) => regime.action(choice, Categorical::ordered(["no", "yes"])?),
        None => regime,
    };
    Ok(match consumption {
        None => regime
            .state("m", Linear::new(1.0, 150.0, 5)?)
            .action("c", Domain::free())
            .liquid(Liquid::new(
                "m",
                "c",
                "savings",
                dense(0.0, 400.0, points, 3)?,
            ))
            .solver(Solver::DcEgm(DcEgm::new())),
        // A worker has at least a wage, a retired person may have next to nothing.
        Some(count) => regime
            .state("m", dense(0.05, 400.0, points, 3)?)
            .action("c", dense(0.05, 400.0, count, 2)?),
    })
}

/// Five periods with a tax that bends at an allowance and a transfer that a means test takes away,
/// as in the guide.
///
/// # Errors
///
/// Those of building the model.
pub fn kinked(points: usize) -> anyhow::Result<Problem> {
    let life = Regime::new("life")
        .ages(0.0, 4.0)
        .state("assets", Linear::new(0.0, 20.0, 21)?)
        .action("c", Domain::free())
        .function("income", "1 + r * assets")
        .function("tax", "0.1 * income + 0.3 * max(0, income - allowance)")
        .function("transfer", "if assets <= test then 0.4 else 0")
        .function("cash", "assets + income - tax + transfer")
        .function("savings", "cash - c")
        .utility("ln(c)")
        .constraint("borrowing", "savings >= 0")
        .law("assets", "savings")
        .liquid(
            Liquid::new("assets", "c", "savings", dense(0.0, 30.0, points, 2)?).resources("cash"),
        )
        .solver(Solver::NbEgm(NbEgm::new()))
        .edge(Edge::to("life"))
        .edge(Edge::to("end"));
    let model = Model::builder(Ages::periods(6)?)
        .regime(life)
        .regime(Regime::new("end").ages(5.0, 5.0).utility("0"))
        .build()?;
    let parameters = Parameters::new()
        .set("discount_factor", 0.96)
        .set("r", 0.04)
        .set("allowance", 1.2)
        .set("test", 2.0);
    Ok(model.with_parameters(&parameters)?)
}
