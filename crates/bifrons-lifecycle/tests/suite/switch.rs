//! Case dp-04: two periods, work or retirement; the policy jumps where the choice changes.

use bifrons_grids::{Categorical, Linear};
use bifrons_lifecycle::{
    Ages, DcEgm, Domain, Edge, Liquid, Model, Parameters, Regime, Solution, Solver,
};

fn work_or_retire() -> Solution {
    let now = Regime::new("now")
        .ages(0.0, 0.0)
        .state("m", Linear::new(0.5, 5.0, 10).expect("nodes"))
        .action("c", Domain::free())
        .action("work", Categorical::ordered(["yes", "no"]).expect("labels"))
        .function("savings", "m - c")
        .utility("ln(c) - 0.9*(1 - work)")
        .law("m", "1.02*savings + 1.5*(1 - work)")
        .liquid(Liquid::new(
            "m",
            "c",
            "savings",
            Linear::new(0.0, 20.0, 2001).expect("nodes"),
        ))
        .solver(Solver::DcEgm(DcEgm::new()))
        .edge(Edge::to("then"));
    let then = Regime::new("then")
        .ages(1.0, 1.0)
        .state("m", Linear::new(0.0, 25.0, 6).expect("nodes"))
        .utility("ln(m)");
    let model = Model::builder(Ages::periods(2).expect("ages"))
        .regime(now)
        .regime(then)
        .build()
        .expect("model");
    let all = Parameters::new().set("discount_factor", 0.95);
    model
        .with_parameters(&all)
        .expect("complete")
        .solve()
        .expect("solved")
}

#[test]
fn consumption_jumps_where_work_ends() {
    let solution = work_or_retire();
    let (b, r, y, switch) = (0.95, 1.02, 1.5, 2.507_341_682_616_958_3_f64);
    let kink = y / (b * r);
    let mut worst = [0.0_f64; 2];
    for m in [0.5, kink, 2.0, switch - 1e-3, switch + 1e-3, 4.0] {
        let works = m < switch;
        let c = match (works, m <= kink) {
            (true, true) => m,
            (true, false) => (m + y / r) / (1.0 + b),
            (false, _) => m / (1.0 + b),
        };
        let (income, effort) = if works { (y, 0.9) } else { (0.0, 0.0) };
        let value = c.ln() - effort + b * (r * (m - c) + income).ln();
        let action = solution.policy_at(0, "now", &[m]).expect("feasible");
        assert!((action[0] < 0.5) == works, "{m}: {action:?}");
        let found = solution.value_at(0, "now", &[m]).expect("kept");
        worst[0] = worst[0].max((found - value).abs());
        worst[1] = worst[1].max((action[1] - c).abs());
    }
    // One-sided policies at the switch, read in the rows of the two choices.
    let sides = [0, 1].map(|d| {
        solution
            .branch_at(0, "now", &[switch], d)
            .expect("feasible")
    });
    assert!(
        (sides[0].1 - 2.039_964_060_467_218_2).abs() < 1e-9,
        "{sides:?}"
    );
    assert!(
        (sides[1].1 - 1.285_816_247_495_875_9).abs() < 1e-9,
        "{sides:?}"
    );
    assert!((sides[0].0 - sides[1].0).abs() < 1e-8, "{sides:?}");
    println!("value {:.1e}, consumption {:.1e}", worst[0], worst[1]);
    assert!(worst[0] < 1e-8 && worst[1] < 1e-9, "{worst:?}");
}
