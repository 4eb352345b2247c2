//! Precautionary savings: an income process, one liquid asset.

use bifrons_lifecycle::{
    Ages, DcEgm, Domain, Edge, Liquid, Model, Parameters, Problem, Regime, Solver,
};
use bifrons_shocks::Ar1;

use super::dense;

/// Nodes of the income process.
pub const INCOMES: usize = 5;
/// Largest wealth.
const HIGH: f64 = 100.0;

/// Five periods, log income an autoregression on five nodes (Rouwenhorst), log utility.
///
/// By rows with `points` savings nodes, or by grid search with `points` nodes of wealth and of
/// consumption. All is consumed at the last age.
///
/// # Errors
///
/// Those of building the model.
pub fn precautionary(points: usize, rows: bool) -> anyhow::Result<Problem> {
    let chain = Ar1::gaussian(0.9, 0.2)?.rouwenhorst(INCOMES)?;
    // The lowest income is 0.4.
    let wealth = || dense(0.4, HIGH, points, 2);
    let life = Regime::new("life")
        .ages(0.0, 3.0)
        .state("m", wealth()?)
        .state("income", chain)
        .function("savings", "m - c")
        .utility("ln(c)")
        .constraint("borrowing", "savings >= 0")
        .law("m", "1.03 * savings + exp(income)")
        .edge(Edge::to("life"))
        .edge(Edge::to("last"));
    let life = if rows {
        let savings = dense(0.0, 1.2 * HIGH, points, 3)?;
        life.action("c", Domain::free())
            .liquid(Liquid::new("m", "c", "savings", savings))
            .solver(Solver::DcEgm(DcEgm::new()))
    } else {
        life.action("c", dense(0.02, HIGH, points, 2)?)
    };
    let last = Regime::new("last")
        .ages(4.0, 4.0)
        .state("m", wealth()?)
        .utility("ln(m)");
    let model = Model::builder(Ages::periods(5)?)
        .regime(life)
        .regime(last)
        .build()?;
    Ok(model.with_parameters(&Parameters::new().set("discount_factor", 0.95))?)
}
