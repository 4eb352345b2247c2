//! Keeping and adjusting a durable: references, closed forms, the search.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::missing_assert_message,
    clippy::print_stdout,
    clippy::excessive_precision,
    dead_code,
    reason = "tests print their worst errors, and compare bits where they are meant to agree"
)]

#[path = "support/table.rs"]
mod table;

use bifrons_egm::{
    AdaptiveOptions, Corner, Crra, DcEgmOptions, Expectation, OuterCandidate, OuterError,
    OuterFold, OuterProblem, ReadOptions, Row, RowReader, SavingsProblem, Scaled, StepWorkspace,
    UniformFixedCost, dcegm_step, search_adaptive,
};
use table::Block;

/// Utility of consumption given a durable.
fn utility(case: &Block, durable: f64) -> Scaled<Crra> {
    let [rho, alpha, d0, nu] = ["rho", "alpha", "d0", "nu"].map(|key| case.number(key));
    let service = durable + d0;
    if case.words("case")[1] == "separable" {
        let shift = nu * service.powf(1.0 - rho) / (1.0 - rho);
        return Scaled::new(Crra::new(rho).unwrap(), 1.0, shift).unwrap();
    }
    // (c^α s^(1-α))^(1-ρ) / (1-ρ) is CRRA with ρ' = 1 - α (1-ρ).
    let inner = Crra::new(1.0 - alpha * (1.0 - rho)).unwrap();
    let weight = service.powf((1.0 - alpha) * (1.0 - rho));
    Scaled::new(inner, alpha * weight, 0.0).unwrap()
}

struct Durable {
    levels: Vec<f64>,
    after: Vec<usize>,
    utilities: Vec<Scaled<Crra>>,
    tau: f64,
}

impl Durable {
    fn candidates<'a>(
        &'a self,
        readers: &'a [RowReader],
        owned: usize,
    ) -> (OuterCandidate<'a>, Vec<OuterCandidate<'a>>) {
        let back = (1.0 - self.tau) * self.levels[owned];
        let candidate = |d: usize, cost: f64| OuterCandidate {
            reader: &readers[d],
            utility: &self.utilities[d],
            cost,
        };
        let adjusters = (0..self.levels.len())
            .map(|d| candidate(d, self.levels[d] - back))
            .collect();
        (candidate(owned, 0.0), adjusters)
    }
}

impl Durable {
    fn of(case: &Block) -> Self {
        let levels = case.list("durable_levels");
        let after = case.list("index_after_depreciation");
        Self {
            after: after.iter().map(|&i| i as usize).collect(),
            utilities: levels.iter().map(|&d| utility(case, d)).collect(),
            tau: case.number("tau"),
            levels,
        }
    }

    /// Rows of one period from the readers of the next one.
    fn step(&self, case: &Block, savings: &[f64], readers: &[RowReader], rows: &mut [Row]) {
        let (incomes, weights) = (case.list("income_nodes"), case.list("income_weights"));
        let (r, beta) = (case.number("R"), case.number("beta"));
        let (mut fold, mut expectation) = (OuterFold::new(), Expectation::new());
        let mut work = StepWorkspace::new();
        for (d, row) in rows.iter_mut().enumerate() {
            expectation.reset(savings.len());
            for (&income, &weight) in incomes.iter().zip(&weights) {
                let resources: Vec<f64> = savings.iter().map(|s| r * s + income).collect();
                let (keeper, adjusters) = self.candidates(readers, self.after[d]);
                let cost = UniformFixedCost::NONE;
                fold.solve(&resources, Some(keeper), &adjusters, cost, 0)
                    .unwrap();
                let marginal: Vec<f64> = fold.marginal().iter().map(|g| r * g).collect();
                expectation
                    .add_values(weight, fold.value(), &marginal)
                    .unwrap();
            }
            let (value, marginal) = (expectation.value(), expectation.marginal());
            let utility = &self.utilities[d];
            let problem = SavingsProblem::new(savings, value, marginal, utility, beta).unwrap();
            dcegm_step(&problem, &DcEgmOptions::default(), &mut work, row).unwrap();
        }
    }

    /// Worst absolute error, and worst relative error of values below -50.
    fn compare(&self, case: &Block, part: &Block, readers: &[RowReader], worst: &mut [f64; 2]) {
        let (m, mut fold) = (case.list("m"), OuterFold::new());
        let expected = ["V", "V_keep", "V_adjust"].map(|key| part.rows(key));
        for (k, &owned) in part.list("durable_index").iter().enumerate() {
            let (keeper, adjusters) = self.candidates(readers, owned as usize);
            let cost = UniformFixedCost::NONE;
            fold.solve(&m, Some(keeper), &adjusters, cost, 2).unwrap();
            let found = [fold.value(), fold.keep_value(), fold.adjust_value()];
            for (found, expected) in found.iter().zip(&expected) {
                for (&found, &expected) in found.iter().zip(&expected[k]) {
                    if expected < -1e11 {
                        assert_eq!(found, f64::NEG_INFINITY);
                    } else if expected < -50.0 {
                        worst[1] = worst[1].max((found / expected - 1.0).abs());
                    } else {
                        worst[0] = worst[0].max((found - expected).abs());
                    }
                }
            }
        }
    }
}

#[test]
fn durable_reference() {
    for case in Block::all(include_str!("data/durable.txt"), "case") {
        let durable = Durable::of(&case);
        let node = |i: u32| 22.0 * (f64::from(i) / 899.0).powi(2);
        let savings: Vec<f64> = (0..900).map(node).collect();
        let mut last = Row::new();
        last.corner = Some(Corner {
            savings: 0.0,
            continuation: 0.0,
        });
        let mut rows = vec![last; durable.levels.len()];
        let mut readers = vec![RowReader::new(ReadOptions::default()); rows.len()];
        let (periods, parts, mut worst) = (case.count("T"), case.parts("t"), [0.0; 2]);
        for t in (0..periods).rev() {
            if t + 1 < periods {
                durable.step(&case, &savings, &readers, &mut rows);
            }
            for (reader, row) in readers.iter_mut().zip(&rows) {
                reader.prepare(row.view()).unwrap();
            }
            if let Some(part) = parts.iter().find(|part| part.count("t") == t) {
                durable.compare(&case, part, &readers, &mut worst);
            }
        }
        let tolerance = (5.0 * case.number("error")).max(1e-5);
        println!(
            "{:?} T {periods}: value {:.1e} (tolerance {tolerance:.1e}), near zero {:.1e}",
            case.words("case"),
            worst[0],
            worst[1]
        );
        assert!(worst[0] <= tolerance && worst[1] <= 1e-4, "{worst:?}");
    }
}

/// Closed form 18.
#[test]
fn uniform_fixed_cost() {
    let cases = [
        (1.0, 1.3, 1.0, [0.0, 1.0], 1.045, 0.3),
        (-2.0, -1.9, 0.5, [0.1, 0.9], -1.996_875, 0.125),
        (0.0, 2.0, 1.0, [0.0, 1.0], 1.5, 1.0),
        (0.0, -1.0, 1.0, [0.0, 1.0], 0.0, 0.0),
        (0.0, 0.5, 0.0, [0.0, 1.0], 0.5, 1.0),
        (0.0, 0.0, 0.0, [0.0, 1.0], 0.0, 0.0),
    ];
    for (keep, adjust, scale, [low, high], value, probability) in cases {
        let found = UniformFixedCost::new(scale, low, high)
            .unwrap()
            .aggregate(keep, adjust);
        assert!(
            (found.value - value).abs() < 1e-15 && (found.probability - probability).abs() < 1e-14,
            "{found:?}"
        );
    }
    let cost = UniformFixedCost::new(0.5, 0.0, 1.0).unwrap();
    assert_eq!(cost.aggregate(f64::NEG_INFINITY, 1.0).value, 0.75);
    assert_eq!(cost.aggregate(1.0, f64::NEG_INFINITY).value, 1.0);
    assert_eq!(
        cost.aggregate(f64::NEG_INFINITY, f64::NEG_INFINITY)
            .probability,
        0.0
    );
    let error = UniformFixedCost::new(-1.0, 0.0, 1.0).unwrap_err();
    assert!(
        matches!(error, OuterError::Parameter { value, .. } if value == -1.0),
        "{error}"
    );
}

const AL: f64 = 0.7;
const B: f64 = 0.95;
const R: f64 = 1.02;
const TH: f64 = 0.6;

/// Inner problem of closed form 19: value and consumption given resources and durable.
fn inner(x: f64, d: f64) -> (f64, f64) {
    if !(x > 0.0) {
        return (f64::NEG_INFINITY, f64::NAN);
    }
    let c = x.min(AL * (R * x + TH * d) / (R * (AL + B)));
    (
        AL * c.ln() + (1.0 - AL) * d.ln() + B * (R * (x - c) + TH * d).ln(),
        c,
    )
}

struct TwoPeriods(Vec<(f64, f64)>);

impl OuterProblem for TwoPeriods {
    fn query_count(&self) -> usize {
        self.0.len()
    }
    fn solve(&mut self, d: f64, values: &mut [f64]) {
        for (value, &(m, n)) in values.iter_mut().zip(&self.0) {
            *value = inner(m - (d - 0.9 * n) - 0.3, d).0;
        }
    }
    fn polish(&mut self, query: usize, d: f64) -> Option<f64> {
        let (m, n) = self.0[query];
        Some(inner(m - (d - 0.9 * n) - 0.3, d).0)
    }
}

/// Closed form 19: exact given the candidate, continuous optimum by the search.
#[test]
fn durable_in_two_periods() {
    let queries = vec![(3.0, 2.0), (5.0, 0.5), (1.0, 6.0)];
    let expected = [
        (
            1.381_941_894_813_835,
            1.255_804_743_367_641,
            1.75,
            1.681_318_681_318_681,
            1.256_094_169_899_781,
        ),
        (
            1.395_271_585_605_726,
            1.518_917_304_553_992,
            2.0,
            1.924_175_824_175_824,
            1.519_186_839_803_554,
        ),
        (
            1.622_714_349_385_095,
            1.849_277_205_075_506,
            2.25,
            2.279_120_879_120_879,
            1.849_306_349_985_615,
        ),
    ];
    let grid: Vec<f64> = (1..=40).map(|i| 0.25 * f64::from(i)).collect();
    let options = AdaptiveOptions::new(grid).with_budgets(400, 12);
    let found = search_adaptive(&mut TwoPeriods(queries.clone()), &options).unwrap();
    for ((&(m, n), best), (keep, on_grid, d_grid, d, v)) in
        queries.iter().zip(&found.best).zip(expected)
    {
        assert!((inner(m, 0.9 * n).0 - keep).abs() < 1e-14, "keeper");
        assert!(
            (inner(m - (d_grid - 0.9 * n) - 0.3, d_grid).0 - on_grid).abs() < 1e-14,
            "grid"
        );
        println!(
            "durable {:.1e} value {:.1e}",
            best.choice - d,
            best.value - v
        );
        assert!(
            (best.choice - d).abs() < 1e-5 && (best.value - v).abs() < 1e-11 && best.is_exact,
            "{best:?}"
        );
    }
}

/// A wide hill and a narrow peak.
struct Peaks;

impl OuterProblem for Peaks {
    fn query_count(&self) -> usize {
        1
    }
    fn solve(&mut self, z: f64, values: &mut [f64]) {
        let hill = 1.0 - (z - 0.3) * (z - 0.3);
        let peak = 1.2 - 200.0 * (z - 0.7777).abs();
        values[0] = hill.max(peak);
    }
}

#[test]
fn a_narrow_peak_is_found_under_a_bound_only() {
    let grid: Vec<f64> = (0..9).map(|i| f64::from(i) / 8.0).collect();
    let plain = AdaptiveOptions::new(grid.clone())
        .with_budgets(129, 12)
        .with_bands(1e-6, 1e-6);
    let found = search_adaptive(&mut Peaks, &plain).unwrap();
    assert!(
        (found.best[0].choice - 0.3).abs() < 1e-4 && found.certified_gap.is_none(),
        "{found:?}"
    );
    let bounded = plain
        .clone()
        .with_lipschitz_bound(201.0)
        .with_budgets(4_000, 24)
        .with_bands(1e-4, 0.0);
    let found = search_adaptive(&mut Peaks, &bounded).unwrap();
    assert!(
        (found.best[0].choice - 0.7777).abs() < 1e-5,
        "{:?}",
        found.best
    );
    assert!(
        found.certified_gap.unwrap() <= 1.1e-4 && found.unresolved == 0,
        "{:?}",
        found.certified_gap
    );
    // A bound that is too small is contradicted, budgets that are too small are reported.
    let error = search_adaptive(&mut Peaks, &plain.clone().with_lipschitz_bound(0.01)).unwrap_err();
    assert!(matches!(error, OuterError::Lipschitz { .. }), "{error}");
    let error = search_adaptive(&mut Peaks, &bounded.clone().with_budgets(16, 3)).unwrap_err();
    assert!(
        matches!(error, OuterError::Convergence { marked, .. } if marked > 0),
        "{error}"
    );
    let open = search_adaptive(
        &mut Peaks,
        &bounded.with_budgets(16, 3).with_fail_closed(false),
    )
    .unwrap();
    assert!(open.unresolved > 0, "flagged");
}

#[test]
fn bad_grids_are_refused() {
    for grid in [vec![], vec![1.0], vec![1.0, 1.0], vec![0.0, f64::NAN]] {
        let count = grid.len();
        let error = search_adaptive(&mut Peaks, &AdaptiveOptions::new(grid)).unwrap_err();
        assert_eq!(error, OuterError::Grid { count });
    }
}

#[test]
fn outer_batches_change_no_bit() {
    let utility = Crra::log();
    let mut reader = RowReader::new(ReadOptions::default());
    let mut row = Row::new();
    row.corner = Some(Corner {
        savings: 0.0,
        continuation: 0.0,
    });
    reader.prepare(row.view()).unwrap();
    let resources: Vec<f64> = (1..50).map(|i| 0.1 * f64::from(i)).collect();
    let scaled: Vec<Scaled<Crra>> = (0..7)
        .map(|j| Scaled::new(utility, 1.0, 0.1 * f64::from(j)).unwrap())
        .collect();
    let adjusters: Vec<OuterCandidate<'_>> = scaled
        .iter()
        .zip(0..7)
        .map(|(utility, j)| OuterCandidate {
            reader: &reader,
            utility,
            cost: 0.15 * f64::from(j),
        })
        .collect();
    let keeper = OuterCandidate {
        reader: &reader,
        utility: &utility,
        cost: 0.0,
    };
    let cost = UniformFixedCost::new(0.2, 0.0, 1.0).unwrap();
    let bits = |width: usize| {
        let mut fold = OuterFold::new();
        fold.solve(&resources, Some(keeper), &adjusters, cost, width)
            .unwrap();
        let channels = [
            fold.value(),
            fold.marginal(),
            fold.policy(),
            fold.probability(),
        ];
        (
            channels.map(|c| c.iter().map(|x| x.to_bits()).collect::<Vec<_>>()),
            fold.choice().to_vec(),
        )
    };
    let expected = bits(0);
    for width in [1, 2, 3, 7, 50] {
        assert_eq!(bits(width), expected, "{width}");
    }
}
