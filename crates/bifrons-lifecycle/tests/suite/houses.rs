//! Houses that are kept or adjusted: slow searches, batches, subjects.

use bifrons_grids::{Categorical, Irregular, Linear};
use bifrons_lifecycle::{
    Ages, Domain, Edge, Joint, Liquid, Model, NNbEgm, Negm, Outer, OuterSearch, Parameters,
    Population, Regime, SimulateOptions, Solution, SolveOptions, Solver,
};
use bifrons_parallel::Threads;

use crate::retirement::dense;

/// Which features a house has.
#[derive(Debug, Clone, Copy, Default)]
struct House {
    /// Utility reads the investment, so rows differ between stocks before the choice.
    effort: bool,
    /// A fixed cost in units of utility.
    fixed: bool,
    /// A tax with a kink and a subsidy that ends at a cliff.
    kinked: bool,
    /// Outer choices in flight and threads.
    batch: usize,
}

const HOUSES: [f64; 6] = [0.5, 1.0, 1.6, 2.4, 3.5, 5.0];

fn house_model(house: House) -> Model {
    let inner = if house.effort {
        "ln(c) + 0.5*ln(stock) - 0.3*work - 0.05*abs(investment)"
    } else {
        "ln(c) + 0.5*ln(stock) - 0.3*work"
    };
    let cash = if house.kinked {
        "gross - 0.2*max(gross - 4, 0) + (if m < 2.5 then 0.4 else 0)"
    } else {
        "gross"
    };
    let grid = OuterSearch::grid(Irregular::new(HOUSES).expect("nodes"));
    let solver = if house.kinked {
        Solver::NNbEgm(NNbEgm::new(grid).outer_batch_size(house.batch))
    } else {
        Solver::Negm(Negm::new(grid).outer_batch_size(house.batch))
    };
    let outer = house_margin(house);
    let shock = Joint::new(["luck"], [vec![0.8], vec![1.2]], [0.5, 0.5]);
    let owner = Regime::new("owner")
        .ages(0.0, 2.0)
        .state("m", Linear::new(0.4, 8.0, 16).expect("nodes"))
        .state("house", Irregular::new(HOUSES).expect("nodes"))
        .state(
            "kind",
            Categorical::unordered(["low", "high"]).expect("labels"),
        )
        .action("c", Domain::free())
        .action("investment", Domain::free())
        .action("work", Categorical::ordered(["no", "yes"]).expect("labels"))
        .function("left", "0.9*house")
        .function("stock", "left + investment")
        .function("cost", "adjusts*(investment + 0.08*stock)")
        .function("bother", "0.3*(1 + kind)")
        .function("gross", "m + (0.5 + kind)*work")
        .function("cash", cash)
        .function("moves", "adjusts")
        .function("resources", "cash - cost")
        .function("savings", "resources - c")
        .utility(inner)
        .constraint("borrowing", "savings >= 0")
        .constraint("size", "kind == 1 or stock < 4")
        .joint(shock)
        .law("m", "1.02*savings + luck")
        .law("house", "0.98*stock")
        .fixed("kind")
        .liquid(Liquid::new("m", "c", "savings", dense(12.0, 150, 2)).resources("resources"))
        .outer(outer)
        .solver(solver)
        .edge(Edge::to("owner"))
        .edge(Edge::to("over"));
    Model::builder(Ages::periods(4).expect("ages"))
        .regime(owner)
        .regime(estate())
        .build()
        .expect("model")
}

fn house_margin(house: House) -> Outer {
    let outer = Outer::new("house", "investment", "stock")
        .keep("left")
        .cost("cost");
    if house.fixed {
        outer.uniform_fixed_cost("bother", 0.0, 1.0)
    } else {
        outer
    }
}

/// What is left at the end.
fn estate() -> Regime {
    Regime::new("over")
        .ages(3.0, 3.0)
        .state("m", Linear::new(0.0, 8.0, 9).expect("nodes"))
        .state("house", Linear::new(0.4, 6.0, 9).expect("nodes"))
        .utility("2*ln(m + 0.7*house)")
}

fn solve_house(house: House, threads: usize) -> Solution {
    let parameters = Parameters::new().set("discount_factor", 0.95);
    let problem = house_model(house).with_parameters(&parameters);
    let threads = Threads::new(threads).expect("threads");
    let options = SolveOptions::new().threads(threads);
    problem
        .expect("complete")
        .solve_with(&options)
        .expect("solved")
}

/// Value of keeping and of adjusting by a search over all choices and dense consumption.
fn slow(solution: &Solution, house: House, [kind, stock, m]: [f64; 3]) -> [f64; 2] {
    let (left, mut best) = (0.9 * stock, [f64::NEG_INFINITY; 2]);
    let next = |post: f64, savings: f64| -> f64 {
        [0.8, 1.2]
            .iter()
            .map(|luck| {
                let state = [kind, 0.98 * post, 1.02 * savings + luck];
                0.5 * solution.value_at(1, "owner", &state).expect("kept")
            })
            .sum()
    };
    for work in [0.0, 1.0] {
        let gross = m + (0.5 + kind) * work;
        let cash = if house.kinked {
            let subsidy = if m < 2.5 { 0.4 } else { 0.0 };
            gross - 0.2 * (gross - 4.0).max(0.0) + subsidy
        } else {
            gross
        };
        let choices = HOUSES.iter().map(|&post| (post, 1)).chain([(left, 0)]);
        for (post, adjusts) in choices.filter(|(post, _)| kind > 0.5 || *post < 4.0) {
            let investment = post - left;
            let cost = if adjusts == 1 {
                investment + 0.08 * post
            } else {
                0.0
            };
            let x = cash - cost;
            // Savings that end at a kink or just below the cliff are the best of some intervals.
            let ends = [2.5, 3.5, 4.0]
                .into_iter()
                .flat_map(|end| [0.8, 1.2].map(|luck| x - ((end - luck) / 1.02 - 1e-13)));
            let even = (1..=120).map(|i| (x * f64::from(i) / 120.0).min(x));
            for c in even.chain(ends).filter(|&c| c > 0.0 && c <= x) {
                let effort = if house.effort {
                    0.05 * investment.abs()
                } else {
                    0.0
                };
                let value =
                    c.ln() + 0.5 * post.ln() - 0.3 * work - effort + 0.95 * next(post, x - c);
                if value > best[adjusts] {
                    best[adjusts] = value;
                }
            }
        }
    }
    best
}

/// Expected larger of keeping and adjusting at a cost that is uniform up to `scale`.
fn mean(house: House, kind: f64, [keep, adjust]: [f64; 2]) -> f64 {
    if !house.fixed {
        return keep.max(adjust);
    }
    let scale = 0.3 * (1.0 + kind);
    let gain = (adjust - keep) / scale;
    if gain <= 0.0 {
        keep
    } else if gain >= 1.0 {
        adjust - 0.5 * scale
    } else {
        keep + 0.5 * scale * gain * gain
    }
}

#[test]
fn houses_are_worth_what_a_slow_search_finds() {
    let all = [
        House::default(),
        House {
            effort: true,
            ..House::default()
        },
        House {
            fixed: true,
            ..House::default()
        },
        House {
            kinked: true,
            ..House::default()
        },
        House {
            effort: true,
            fixed: true,
            kinked: true,
            batch: 2,
        },
    ];
    for house in all {
        let solution = solve_house(house, 2);
        let mut worst = [0.0_f64; 2];
        for state in [
            [0.0, 0.5, 0.5],
            [0.0, 3.5, 5.0],
            [1.0, 0.5, 0.5],
            [1.0, 3.5, 2.45],
            [1.0, 1.6, 2.6],
        ] {
            let slow = slow(&solution, house, state);
            let found = solution.adjustment_at(0, "owner", &state).expect("kept");
            for (found, slow) in [
                (found.keep, slow[0]),
                (found.adjust, slow[1]),
                (found.value, mean(house, state[0], slow)),
            ] {
                if slow == f64::NEG_INFINITY {
                    assert!(found < -1e300, "{found}");
                    continue;
                }
                worst[0] = worst[0].max(slow - found);
                worst[1] = worst[1].max(found - slow);
            }
        }
        println!("{house:?}: below {:.1e}, above {:.1e}", worst[0], worst[1]);
        assert!(worst[0] < 5e-5 && worst[1] < 2e-4, "{house:?} {worst:?}");
    }
}

/// Bits of all values of a solution.
fn bits(solution: &Solution) -> Vec<u64> {
    let values = (0..3).flat_map(|t| solution.values(t, "owner").expect("kept").to_vec());
    values.map(f64::to_bits).collect()
}

#[test]
fn batches_threads_and_files_change_no_bit() {
    let house = House {
        effort: true,
        fixed: true,
        kinked: true,
        batch: 0,
    };
    let first = solve_house(house, 1);
    for batch in [1, 4] {
        assert_eq!(
            bits(&first),
            bits(&solve_house(House { batch, ..house }, 2)),
            "{batch}"
        );
    }
    let place = tempfile::tempdir().expect("a place");
    let path = place.path().join("houses");
    first.save(&path).expect("saved");
    let problem = first.problem().clone();
    let again = problem.load(&path).expect("read");
    assert_eq!(bits(&first), bits(&again));
    for state in [[0.0, 1.3, 2.0], [1.0, 3.5, 6.1]] {
        let both = [&first, &again].map(|own| own.policy_at(1, "owner", &state).expect("feasible"));
        assert_eq!(both[0], both[1]);
        let both = [&first, &again].map(|own| own.adjustment_at(0, "owner", &state));
        assert_eq!(both[0], both[1]);
    }
}

/// Owners of all sorts.
fn crowd() -> (usize, Population) {
    let count = 400;
    let ramp = |low: f64, high: f64| -> Vec<f64> {
        (0..count)
            .map(|i| low + (high - low) * (i % 20) as f64 / 19.0)
            .collect()
    };
    let population = Population::new(count, "owner")
        .state("m", ramp(1.0, 7.0))
        .state(
            "house",
            (0..count)
                .map(|i| 0.6 + (i / 20) as f64 * 0.2)
                .collect::<Vec<f64>>(),
        )
        .state_of_all("kind", 1.0);
    (count, population)
}

/// Subjects do what the policies say, and what they own follows from what they do.
#[test]
fn subjects_keep_and_adjust() {
    let house = House {
        fixed: true,
        ..House::default()
    };
    let solution = solve_house(house, 1);
    let (count, population) = crowd();
    let options = SimulateOptions::new()
        .column("moves")
        .column("savings")
        .column("stock");
    let panel = solution.simulate(&population, &options).expect("simulated");
    let column = |name: &str| panel.table.f64(name).expect("column").to_vec();
    let [adjusts, savings, stock, house_now, investment, c] =
        ["moves", "savings", "stock", "house", "investment", "c"].map(column);
    let periods = panel.table.u32("period").expect("column").to_vec();
    let (mut kept, mut moved) = (0, 0);
    for row in (0..periods.len()).filter(|&row| periods[row] < 3) {
        assert!(c[row] > 0.0 && savings[row] >= -1e-12, "{row}");
        if adjusts[row] == 0.0 {
            kept += 1;
            assert!(investment[row].abs() < 1e-300);
        } else {
            moved += 1;
            assert!(HOUSES.iter().any(|own| (own - stock[row]).abs() < 1e-12));
        }
        if periods[row + 1] == periods[row] + 1 {
            assert!(
                (house_now[row + 1] - 0.98 * stock[row]).abs() < 1e-12,
                "{row}"
            );
        }
    }
    println!("{kept} kept, {moved} moved");
    assert!(kept > 100 && moved > 100, "{kept} {moved}");
    // Before the cost is known the share that adjusts is the probability.
    let (mut share, mut odds) = (0.0, 0.0);
    for row in (0..periods.len()).filter(|&row| periods[row] == 0) {
        let state = [1.0, house_now[row], column("m")[row]];
        share += adjusts[row];
        odds += solution
            .adjustment_at(0, "owner", &state)
            .expect("kept")
            .probability;
    }
    println!("adjusting {share}, expected {odds:.1}");
    assert!(
        (share - odds).abs() < 4.0 * (count as f64).sqrt() / 2.0,
        "{share} {odds}"
    );
}
