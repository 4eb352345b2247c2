//! Recursive preferences with a risky return, whose solution is known.

use bifrons_grids::Linear;
use bifrons_lifecycle::{Ages, Edge, Model, Parameters, Preferences, Problem, Regime};
use bifrons_shocks::{Discretisation, Normal};

/// Numbers of the model.
const BETA: f64 = 0.96;
const AVERSION: f64 = 10.0;
const SUBSTITUTION: f64 = 1.5;
/// Mean and spread of the log return.
const RETURN: [f64; 2] = [0.03, 0.18];
/// Decisions.
const DECISIONS: usize = 10;

/// A problem with its solution.
#[derive(Debug)]
pub struct EpsteinZin {
    /// The problem; its action is the share of wealth that is consumed.
    pub problem: Problem,
    /// Value per unit of wealth at the first age.
    pub value: f64,
    /// Share of wealth that is consumed at the first age.
    pub share: f64,
}

/// Ten periods of consumption and a risky return on five Gauss-Hermite nodes, no income.
///
/// Value is proportional to wealth, so only the grid of shares makes an error:
/// `1/κ = 1 + (β/(1-β))^ψ (A' R̂)^(ψ-1)`, `A = (1-β)^(1/θ) κ^((θ-1)/θ)`, `θ = 1 - 1/ψ`,
/// `R̂ = (E R^(1-γ))^(1/(1-γ))`.
///
/// # Errors
///
/// Those of building the model.
pub fn epstein_zin(wealth: usize, shares: usize) -> anyhow::Result<EpsteinZin> {
    let [mean, spread] = RETURN;
    let law = Normal::new(mean, spread)?.gauss_hermite(5)?;
    let returns: Vec<f64> = law.nodes().iter().map(|x| x.exp()).collect();
    let (mut value, mut share) = (1.0, 1.0);
    let power = 1.0 - AVERSION;
    let moment: f64 = returns
        .iter()
        .zip(law.weights())
        .map(|(r, w)| w * r.powf(power))
        .sum();
    let certain = moment.powf(1.0 / power);
    let theta = 1.0 - 1.0 / SUBSTITUTION;
    for _ in 0..DECISIONS {
        let odds = (BETA / (1.0 - BETA)).powf(SUBSTITUTION);
        share = 1.0 / (1.0 + odds * (value * certain).powf(SUBSTITUTION - 1.0));
        value = (1.0 - BETA).powf(1.0 / theta) * share.powf((theta - 1.0) / theta);
    }
    let shock = Discretisation::new(returns, law.weights().to_vec())?;
    let wealth = || Linear::new(1.0, 100.0, wealth);
    let last = DECISIONS as f64;
    let life = Regime::new("life")
        .ages(0.0, last - 1.0)
        .state("m", wealth()?)
        .action("share", Linear::new(0.005, 0.995, shares)?)
        .utility("share * m")
        .shock("growth", &shock)
        .law("m", "growth * (m - share * m)")
        .preferences(Preferences::epstein_zin("beta", AVERSION, SUBSTITUTION))
        .edge(Edge::to("life"))
        .edge(Edge::to("last"));
    let end = Regime::new("last")
        .ages(last, last)
        .state("m", wealth()?)
        .utility("m");
    let model = Model::builder(Ages::periods(DECISIONS + 1)?)
        .regime(life)
        .regime(end)
        .build()?;
    let problem = model.with_parameters(&Parameters::new().set("beta", BETA))?;
    Ok(EpsteinZin {
        problem,
        value,
        share,
    })
}
