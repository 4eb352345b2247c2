//! Reference values computed elsewhere, within their stated tolerance; the worst errors are printed.

use bifrons_grids::{Categorical, Linear};
use bifrons_lifecycle::{Ages, Edge, Formula, Model, Parameters, Preferences, Regime};

use crate::json::Json;

/// Largest error so far, with the tolerance beside it.
#[derive(Debug, Default)]
pub(crate) struct Worst {
    pub(crate) error: f64,
}

impl Worst {
    pub(crate) fn relative(&mut self, found: f64, expected: f64, tolerance: f64) {
        let error = (found - expected).abs() / expected.abs().max(f64::MIN_POSITIVE);
        assert!(
            error <= tolerance,
            "{found} is not {expected} within {tolerance}"
        );
        self.error = self.error.max(error);
    }
}

fn epstein_zin_model(case: &Json) -> Model {
    let survival = case.get("survival").numbers();
    let wealth = Linear::new(0.5, 12.0, case.get("n_wealth").count()).expect("nodes");
    let dead_wealth = Linear::new(0.0, 12.0, case.get("n_dead_wealth").count()).expect("nodes");
    let consumption = Linear::new(0.5, 5.0, case.get("n_consumption").count()).expect("nodes");
    let alive = |rate: f64| format!("{rate:e} * (if health == health.good then 1 else 0.9)");
    let dead = |rate: f64| format!("1 - {}", alive(rate));
    let matrix = bifrons_shocks::TransitionMatrix::from_rows(&[[0.8, 0.2], [0.1, 0.9]]);
    Model::builder(Ages::periods(case.get("n_periods").count()).expect("ages"))
        .regime(
            Regime::new("alive")
                .ages(0.0, 2.0)
                .state("wealth", wealth)
                .state("health", Categorical::ordered(["bad", "good"]).expect("labels"))
                .action("c", consumption)
                .utility("c")
                .constraint("budget", "c <= wealth")
                .law(
                    "wealth",
                    "clamp(wealth - c + income - (if health == health.bad then cost else 0), 0.5, 12)",
                )
                .markov("health", matrix.expect("rows"))
                .preferences(Preferences::epstein_zin("beta", "gamma", "ies"))
                .edge(
                    Edge::to("alive")
                        .probability(Formula::by_period(survival.iter().map(|&s| alive(s)))),
                )
                .edge(
                    Edge::to("dead")
                        .probability(Formula::by_period(survival.iter().map(|&s| dead(s)))),
                ),
        )
        .regime(
            Regime::new("dead")
                .state("wealth", dead_wealth)
                .utility("bequest * sqrt(wealth)"),
        )
        .build()
        .expect("model")
}

#[test]
fn epstein_zin() {
    let data = Json::read(include_str!("../data/epstein_zin_lifecycle.json"));
    let mut worst = Worst::default();
    for case in data.get("cases").list() {
        let model = epstein_zin_model(case);
        let parameters = [
            ("beta", "discount_factor"),
            ("gamma", "risk_aversion"),
            ("ies", "ies"),
            ("income", "income"),
            ("cost", "health_cost"),
            ("bequest", "bequest_scale"),
        ]
        .iter()
        .fold(Parameters::new(), |all, (name, key)| {
            all.set(*name, case.get(key).number())
        });
        let problem = model.with_parameters(&parameters).expect("complete");
        let solution = problem.solve().expect("solved");
        let (values, actions) = (case.get("V").list(), case.get("c").list());
        let wealth_count = case.get("n_wealth").count();
        for (period, (values, actions)) in values.iter().zip(actions).enumerate() {
            let found = solution.values(period, "alive").expect("kept");
            let indices = case.get("wealth_index").list();
            for (row, wealth) in indices.iter().map(Json::count).enumerate() {
                for health in 0..2 {
                    let cell = health * wealth_count + wealth;
                    let expected = values.list()[row].list()[health].number();
                    worst.relative(found[cell], expected, 1e-12);
                    let policy = solution.policy(period, "alive", cell).expect("feasible");
                    let expected = actions.list()[row].list()[health].number();
                    worst.relative(policy[0], expected, 1e-12);
                }
            }
        }
    }
    println!(
        "epstein_zin_lifecycle: worst relative error {:e}",
        worst.error
    );
}
