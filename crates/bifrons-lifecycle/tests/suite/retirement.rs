//! The retirement model of Iskhakov, Jørgensen, Rust and Schjerning (2017) by DC-EGM.
#![expect(
    clippy::float_cmp,
    reason = "logarithmic utility is written as 1 in the data"
)]

use bifrons_grids::{Categorical, Irregular, Linear};
use bifrons_lifecycle::{
    Ages, DcEgm, Decisions, Domain, Edge, Liquid, Model, Panel, Parameters, Population, Regime,
    SimulateOptions, Solution, SolveOptions, Solver,
};
use bifrons_parallel::Threads;
use bifrons_shocks::Discretisation;

use crate::json::Json;

/// Nodes denser at the bottom: `high (i / (n - 1))^power`.
pub(crate) fn dense(high: f64, count: usize, power: i32) -> Irregular {
    let last = (count - 1) as f64;
    let node = |i: usize| {
        if i + 1 == count {
            high
        } else {
            high * (i as f64 / last).powi(power)
        }
    };
    Irregular::new((0..count).map(node).collect::<Vec<f64>>()).expect("nodes")
}

/// What distinguishes the cases.
#[derive(Debug, Clone)]
pub(crate) struct Retirement {
    pub(crate) periods: usize,
    pub(crate) interest: f64,
    pub(crate) beta: f64,
    pub(crate) delta: f64,
    pub(crate) income: f64,
    pub(crate) rho: f64,
    pub(crate) scale: f64,
    pub(crate) shock: Option<Discretisation>,
    pub(crate) nodes: usize,
    pub(crate) settings: DcEgm,
}

impl Retirement {
    pub(crate) fn of(case: &Json, nodes: usize) -> Self {
        let number = |key: &str| case.get(key).number();
        Self {
            periods: case.get("T").count(),
            interest: number("R"),
            beta: number("beta"),
            delta: number("delta"),
            income: number("income"),
            rho: number("rho"),
            scale: 0.0,
            shock: None,
            nodes,
            settings: DcEgm::new(),
        }
    }

    pub(crate) fn model(&self) -> Model {
        let last = self.periods as f64 - 1.0;
        let utility = if self.rho == 1.0 {
            "ln(c)"
        } else {
            "c^(1 - rho) / (1 - rho)"
        };
        let margin = || Liquid::new("m", "c", "savings", dense(600.0, self.nodes, 3));
        let regime = |name: &str| {
            Regime::new(name)
                .ages(0.0, last)
                .state("m", Linear::new(1.0, 400.0, 5).expect("nodes"))
                .function("savings", "m - c")
                .constraint("borrowing", "savings >= 0")
                .solver(Solver::DcEgm(self.settings))
                .liquid(margin())
        };
        let mut working = regime("working")
            .action("work", Categorical::ordered(["no", "yes"]).expect("labels"))
            .action("c", Domain::free())
            .utility(format!("{utility} - delta*work"))
            .edge(Edge::to("working").probability("if age < last then work else 0"))
            .edge(Edge::to("retired").probability("if age < last then 1 - work else 0"))
            .edge(Edge::to("over"));
        working = match &self.shock {
            None => working.law("m", "r*savings + y*work"),
            Some(shock) => working.shock("xi", shock).law("m", "r*savings + y*work*xi"),
        };
        if self.scale > 0.0 {
            working = working.taste_shocks(self.scale);
        }
        let retired = regime("retired")
            .action("c", Domain::free())
            .utility(utility)
            .law("m", "r*savings")
            .edge(Edge::to("retired"))
            .edge(Edge::to("over"));
        Model::builder(Ages::periods(self.periods + 1).expect("ages"))
            .regime(working)
            .regime(retired)
            .regime(
                Regime::new("over")
                    .ages(last + 1.0, last + 1.0)
                    .utility("0"),
            )
            .fix("last", last)
            .build()
            .expect("model")
    }

    pub(crate) fn parameters(&self) -> Parameters {
        let mut all = Parameters::new()
            .set("r", self.interest)
            .set("discount_factor", self.beta)
            .set("delta", self.delta)
            .set("y", self.income);
        if self.rho != 1.0 {
            all = all.set("rho", self.rho);
        }
        all
    }

    pub(crate) fn solve(&self, options: &SolveOptions) -> Solution {
        let problem = self.model().with_parameters(&self.parameters());
        problem
            .expect("complete")
            .solve_with(options)
            .expect("solved")
    }
}

/// Largest distance of what was found from what is expected.
#[derive(Debug, Default)]
struct Worst(f64);

impl Worst {
    fn take(&mut self, found: f64, expected: f64, tolerance: f64, what: &str) {
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(
            error <= tolerance,
            "{what}: {found} is not {expected}, error {error:e}"
        );
        self.0 = self.0.max(error);
    }
}

/// Whether a switch of plans is within a distance, where consumption jumps.
fn near_switch(period: &Json, m: f64, distance: f64) -> bool {
    let switches = period.get("plan_switches").list();
    switches
        .iter()
        .any(|own| (own.get("m").number() - m).abs() < distance)
}

#[test]
fn without_shocks_it_is_exact_up_to_interpolation() {
    let data = Json::read(include_str!("../data/iskhakov_et_al_2017_exact.json"));
    for case in data.get("cases").list() {
        let solution = Retirement::of(case, 1000).solve(&SolveOptions::new());
        let (mut values, mut policies) = (Worst::default(), Worst::default());
        let wealth = case.get("wealth").numbers();
        let name = case.get("name").text();
        for period in case.get("periods").list() {
            let t = period.get("t").count();
            let what = |m: f64| format!("{name}, t = {t}, m = {m}");
            for (i, &m) in wealth.iter().enumerate() {
                let at = |key: &str| period.get(key).list()[i].number();
                let value = |regime: &str| solution.value_at(t, regime, &[m]).expect("kept");
                values.take(value("working"), at("V_worker"), 5e-7, &what(m));
                values.take(value("retired"), at("V_retiree"), 5e-7, &what(m));
                let (work, _) = solution.branch_at(t, "working", &[m], 1).expect("feasible");
                values.take(work, at("V_work_now"), 5e-7, &what(m));
                let action = |regime: &str| {
                    let all = solution.policy_at(t, regime, &[m]).expect("feasible");
                    *all.last().expect("consumption")
                };
                policies.take(action("retired"), at("c_retiree"), 1e-9, &what(m));
                if !near_switch(period, m, 1e-3) {
                    policies.take(action("working"), at("c_worker"), 2e-5, &what(m));
                }
            }
        }
        println!(
            "iskhakov_et_al_2017_exact, {name}: V {:e}, c {:e}",
            values.0, policies.0
        );
    }
}

#[test]
fn with_taste_and_income_shocks_it_has_the_reference_values() {
    let text = include_str!("../data/iskhakov_et_al_2017_taste_income_shocks.json");
    for case in Json::read(text).get("cases").list() {
        let mut own = Retirement::of(case, 800);
        own.scale = case.get("taste_shock_scale").number();
        if case.get("income_nodes").list().len() > 1 {
            let weights = case.get("income_weights").numbers();
            let shock = Discretisation::new(case.get("income_nodes").numbers(), weights);
            own.shock = Some(shock.expect("law"));
        }
        let solution = own.solve(&SolveOptions::new());
        let (mut values, mut policies) = (Worst::default(), Worst::default());
        let wealth = case.get("wealth").numbers();
        for period in case.get("periods").list() {
            let t = period.get("t").count();
            for (i, &m) in wealth.iter().enumerate() {
                let at = |key: &str| period.get(key).list()[i].number();
                let what = format!(
                    "{case_name}, t = {t}, m = {m}",
                    case_name = case.get("name").text()
                );
                let value = solution.value_at(t, "working", &[m]).expect("kept");
                values.take(value, at("V"), 1e-6, &what);
                for (branch, v, c) in [(0, "v_retire", "c_retire"), (1, "v_work", "c_work")] {
                    let found = solution.branch_at(t, "working", &[m], branch);
                    let (value, policy) = found.expect("feasible");
                    values.take(value, at(v), 1e-6, &what);
                    policies.take(policy, at(c), 1e-3, &what);
                }
            }
        }
        println!(
            "iskhakov_et_al_2017_taste_income_shocks, {} (scale {}, sd {}): V {:e}, c {:e}; reference error {}",
            case.get("name").text(),
            own.scale,
            case.get("income_shock_sd").number(),
            values.0,
            policies.0,
            case.get("error").get("V_abs_between_refinements").number()
        );
    }
}

/// A population of the retirement model with both kinds of shocks.
fn panel(options: SimulateOptions) -> (Solution, Panel) {
    let own = Retirement {
        periods: 6,
        interest: 1.02,
        beta: 0.97,
        delta: 0.7,
        income: 15.0,
        rho: 2.0,
        scale: 0.1,
        shock: Some(Discretisation::new(vec![0.7, 1.0, 1.3], vec![0.25, 0.5, 0.25]).expect("law")),
        nodes: 120,
        settings: DcEgm::new(),
    };
    let solution = own.solve(&SolveOptions::new());
    let wealth: Vec<f64> = (0..400).map(|i| 5.0 + 0.3 * f64::from(i)).collect();
    let population = Population::new(400, "working").state("m", wealth);
    let panel = solution.simulate(&population, &options).expect("simulated");
    (solution, panel)
}

#[test]
fn subjects_follow_their_rows_off_the_grid() {
    let (solution, all) = panel(SimulateOptions::new().seed(3).column("savings"));
    let table = &all.table;
    let (m, c) = (table.f64("m").expect("m"), table.f64("c").expect("c"));
    let (savings, value) = (
        table.f64("savings").expect("savings"),
        table.f64("value").expect("value"),
    );
    let periods = table.u32("period").expect("period");
    let regimes: Vec<&str> = table.category("regime").expect("regime").labels().collect();
    let work: Vec<&str> = table.category("work").expect("work").labels().collect();
    let mut shares = [0_usize; 2];
    for row in 0..table.row_count() {
        if regimes[row] == "over" {
            continue;
        }
        let t = periods[row] as usize;
        let branch = usize::from(work[row] == "yes");
        shares[branch] += usize::from(t == 0);
        let branch = if regimes[row] == "working" { branch } else { 0 };
        let read = solution.branch_at(t, regimes[row], &[m[row]], branch);
        assert_eq!(
            read.map(|(v, c)| (v.to_bits(), c.to_bits())),
            Some((value[row].to_bits(), c[row].to_bits()))
        );
        assert_eq!(savings[row].to_bits(), (m[row] - c[row]).to_bits());
        // What comes next follows from savings, work and one of the three shocks.
        let paid = if work[row] == "yes" && regimes[row] == "working" {
            15.0
        } else {
            0.0
        };
        if regimes[row + 1] != "over" {
            let mut paths = [0.7, 1.0, 1.3]
                .map(|xi| 1.02 * savings[row] + paid * xi)
                .into_iter();
            assert!(
                paths.any(|next| (next - m[row + 1]).abs() < 1e-12 * next),
                "{row}"
            );
            let retires = regimes[row] == "working" && work[row] == "no";
            assert!(!retires || regimes[row + 1] == "retired");
        }
    }
    assert!(shares[0] > 20 && shares[1] > 20, "{shares:?}");
    let bits = |panel: &Panel| -> Vec<u64> {
        let columns = ["m", "c", "value"].map(|name| panel.table.f64(name).expect("column"));
        columns
            .iter()
            .flat_map(|column| column.iter().map(|x| x.to_bits()))
            .collect()
    };
    for (threads, width) in [(1, 1), (2, 37), (4, 1000)] {
        let options = SimulateOptions::new()
            .seed(3)
            .threads(Threads::new(threads).expect("threads"))
            .subject_batch_size(width);
        assert!(bits(&panel(options).1) == bits(&all), "{threads} {width}");
    }
}

#[test]
fn maximising_anew_agrees_with_the_rows() {
    let own = Retirement {
        periods: 5,
        interest: 1.02,
        beta: 0.97,
        delta: 0.7,
        income: 15.0,
        rho: 1.95,
        scale: 0.1,
        shock: Some(Discretisation::new(vec![0.7, 1.3], vec![0.5, 0.5]).expect("law")),
        nodes: 1000,
        settings: DcEgm::new(),
    };
    let solution = own.solve(&SolveOptions::new());
    let wealth: Vec<f64> = (0..12).map(|i| 2.0 + 9.7 * f64::from(i)).collect();
    let population = Population::new(12, "working").state("m", wealth);
    let panel = |decisions: Decisions| {
        let options = SimulateOptions::new().seed(5).decisions(decisions);
        solution
            .simulate(&population, &options)
            .expect("simulated")
            .table
    };
    let (policy, anew) = (panel(Decisions::Policy), panel(Decisions::Reoptimise));
    assert_eq!(policy.row_count(), anew.row_count());
    let same = |name: &str, tolerance: f64| {
        let (a, b) = (
            policy.f64(name).expect("column"),
            anew.f64(name).expect("column"),
        );
        let mut worst = 0.0_f64;
        for (a, b) in a.iter().zip(b).filter(|(a, _)| !a.is_nan()) {
            worst = worst.max((a - b).abs() / b.abs().max(1.0));
        }
        println!("maximising anew, {name}: {worst:e}");
        assert!(worst <= tolerance, "{name}: {worst:e}");
    };
    // Values agree to the interpolation of rows, policies to its first order.
    same("value", 1e-6);
    same("c", 1e-3);
    let work =
        |table: &bifrons_table::Table| table.category("work").expect("work").codes().to_vec();
    assert_eq!(work(&policy), work(&anew));
}
