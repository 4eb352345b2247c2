//! Health, effort and wealth with the structure and the sizes of Mahler and Yum (2024).

use bifrons_grids::{Categorical, Irregular};
use bifrons_lifecycle::{Ages, Edge, Model, Parameters, Problem, Regime};
use bifrons_shocks::{Ar1, TransitionMatrix};

/// Nodes and categories of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Periods of two years, the last of them only to die in.
    pub periods: usize,
    /// Nodes of wealth, and of savings.
    pub wealth: usize,
    /// Levels of effort, now and before.
    pub effort: usize,
    /// Nodes of the cost of changing effort.
    pub cost: usize,
    /// Nodes of productivity.
    pub productivity: usize,
    /// Of education, ability, health and patience, how many vary: 16 types for 4.
    pub types: usize,
}

impl Sizes {
    /// As published: 1.6 million states and 6000 actions in 38 periods.
    pub const PUBLISHED: Self = Self {
        periods: 38,
        wealth: 50,
        effort: 40,
        cost: 5,
        productivity: 5,
        types: 4,
    };

    /// States in one period.
    #[must_use]
    pub fn states(self) -> usize {
        let varying = self.wealth * self.productivity * self.effort * self.cost;
        (2 * varying) << self.types
    }

    /// Actions in one state: labour, savings, effort.
    #[must_use]
    pub fn actions(self) -> usize {
        3 * self.wealth * self.effort
    }
}

/// The permanent types, in the order in which they begin to vary.
const TYPES: [&str; 4] = ["education", "ability", "healthiness", "patience"];

/// Levels as labels `0`, `1`, ….
fn levels(count: usize) -> anyhow::Result<Categorical> {
    Ok(Categorical::ordered((0..count).map(|i| i.to_string()))?)
}

/// A model of health behaviour by grid search.
///
/// A person chooses labour (none, half, full), savings and effort for health. Changing effort
/// costs a drawn amount; effort now and before makes good health likelier; bad health costs utility,
/// wages and survival; four permanent types shift wages, ability, health and patience. Equations
/// have the form of the paper, numbers are near its estimates; profiles over age are simplified.
///
/// # Errors
///
/// Those of building the model.
///
/// # References
///
/// Mahler and Yum (2024), Lifestyle behaviors and wealth-health gaps in Germany, Econometrica 92.
pub fn mahler_yum(sizes: Sizes) -> anyhow::Result<Problem> {
    let last = sizes.periods as f64 - 1.0;
    let step = (sizes.wealth.max(2) - 1) as f64;
    let wealth: Vec<f64> = (0..sizes.wealth)
        .map(|i| 30.0 * (100.0_f64.powf(i as f64 / step) - 1.0) / 99.0)
        .collect();
    let wealth = Irregular::new(wealth)?;
    let even = vec![vec![1.0 / sizes.cost as f64; sizes.cost]; sizes.cost];
    let rows: Vec<&[f64]> = even.iter().map(Vec::as_slice).collect();
    let mut alive = Regime::new("alive")
        .ages(0.0, last - 1.0)
        .state("wealth", wealth.clone())
        .state("health", Categorical::ordered(["bad", "good"])?)
        .state(
            "z",
            Ar1::gaussian(0.975, 0.0289)?.rouwenhorst(sizes.productivity)?,
        )
        .state("before", levels(sizes.effort)?)
        .state("cost", levels(sizes.cost)?)
        .action("labour", Categorical::ordered(["none", "half", "full"])?)
        .action("effort", levels(sizes.effort)?)
        .action("saving", wealth)
        .markov("cost", TransitionMatrix::from_rows(&rows)?)
        .law("wealth", "saving")
        .law("before", "effort");
    for (place, name) in TYPES.into_iter().enumerate() {
        alive = if place < sizes.types {
            alive.state(name, levels(2)?).fixed(name)
        } else {
            alive.function(name, "0")
        };
    }
    let dead = Regime::new("dead").utility("0");
    let model = Model::builder(Ages::periods(sizes.periods)?)
        .regime(formulas(alive))
        .regime(dead)
        .fix("top", (sizes.effort.max(2) - 1) as f64)
        .fix("steps", sizes.cost as f64)
        .fix("final", last - 1.0)
        .build()?;
    Ok(model.with_parameters(&parameters())?)
}

/// Everything that is computed.
fn formulas(alive: Regime) -> Regime {
    alive
        .function("working", "if period < retirement then 1 else 0")
        .function("e", "effort / top")
        .function(
            "base",
            "(1 + 0.3 * education) * exp(0.08 * period - 0.002 * period^2)",
        )
        .function("sick", "if health == health.bad then 0.2 else 0")
        .function(
            "income",
            "base * (1 - sick) * (labour / 2) * exp(0.2898 * (2 * ability - 1)) * exp(z)",
        )
        .function("taxed", "if income > 0 then 0.87 * income^0.82 else 0")
        .function(
            "benefits",
            "if labour == 0 and health == health.bad then 0.3 * working else 0",
        )
        .function("pension", "(1 - working) * 0.5 * (1 + 0.3 * education)")
        .function("cash", "taxed + benefits + pension + 1.04^2 * wealth")
        .function("c", "max(cash - saving, least)")
        .function("mood", "if health == health.good then 1 else 0.88")
        .function("enjoyed", "mood * (bliss - 1 / c)")
        .function("toil", "(0.6 + 0.3 * sick) * (labour / 2)^2 / 2")
        .function("strain", "(0.4 + 0.01 * period) * e^2 / 2")
        .function(
            "change",
            "if effort == before then 0 else 0.1 * (cost + 0.5) / steps",
        )
        .utility("enjoyed - toil - strain - change")
        .function("discount", "(0.93 + 0.03 * patience)^2")
        .function(
            "index",
            "-0.906 - 0.04 * period + 0.238 * education + 2.311 * health + 0.632 * healthiness \
             + 0.693 * e + 0.734 * before / top",
        )
        .function("well", "1 / (1 + exp(-index))")
        .function(
            "survival",
            "exp(-0.002 * exp(0.12 * period) * (1 + 2 * sick))",
        )
        .constraint("retired", "labour <= 2 * working")
        .constraint("affordable", "saving <= cash")
        .markov("health", ["1 - well", "well"])
        .preferences(bifrons_lifecycle::Preferences::linear("discount"))
        .edge(Edge::to("alive").probability("survival"))
        .edge(Edge::to("dead").probability("if period < final then 1 - survival else 1"))
}

fn parameters() -> Parameters {
    Parameters::new()
        .set("retirement", 20.0)
        .set("least", 0.1)
        .set("bliss", 8.0)
}
