//! Envelopes by blocks of links have the bits of the sweep.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::missing_assert_message,
    dead_code,
    reason = "a failed test helper is a failed test"
)]

#[path = "support/random.rs"]
mod random;

use bifrons_egm::{
    Candidates, Crra, Descending, EnvelopeMethod, EnvelopeReport, EnvelopeWorkspace, NbEgmOptions,
    NbEgmWorkspace, Row, SavingsNodes, SavingsProblem, nbegm_step, upper_envelope,
};
use random::Random;

/// Number of links of a block: the sweep first, then all links and more.
const WIDTHS: [usize; 7] = [0, 1, 2, 3, 7, 61, usize::MAX];

#[derive(Debug, Clone, Default)]
struct Chains {
    x: Vec<f64>,
    value: Vec<f64>,
    policy: Vec<f64>,
    marginal: Vec<f64>,
    label: Vec<u32>,
}

impl Chains {
    fn push(&mut self, [x, value, policy, marginal]: [f64; 4], label: u32) {
        self.x.push(x);
        self.value.push(value);
        self.policy.push(policy);
        self.marginal.push(marginal);
        self.label.push(label);
    }

    fn view(&self, marginals: bool) -> Candidates<'_> {
        let all = Candidates::new(&self.x, &self.value, &self.policy).with_label(&self.label);
        if marginals {
            all.with_marginal(&self.marginal)
        } else {
            all
        }
    }
}

/// A number with few digits or with all of them.
fn number(random: &mut Random, coarse: bool, scale: f64) -> f64 {
    if coarse {
        random.below(8) as f64 * (0.125 * scale)
    } else {
        random.uniform() * scale
    }
}

/// Chains that fold, jump, stand still, are dead in places, repeat others, or are one point.
fn chains(random: &mut Random) -> Chains {
    let mut all = Chains::default();
    let coarse = random.below(3) > 0;
    for label in 0..1 + random.below(5) as u32 {
        let mut x = number(random, coarse, 4.0);
        let (slope, mut value) = (number(random, coarse, 1.0), number(random, coarse, 2.0));
        let points = [1, 2, 3, 6, 14][random.below(5) as usize];
        let from = all.x.len();
        for _ in 0..points {
            let step = number(random, coarse, 1.0);
            let (turns, jumps) = (random.below(8) == 0, random.below(6) == 0);
            x += if turns { -step } else { step };
            value += if jumps {
                number(random, coarse, 2.0) - 1.0
            } else {
                slope * step
            };
            let dead = random.below(40) == 0;
            let own = if dead { f64::NEG_INFINITY } else { value };
            let marginal = if random.below(2) == 0 {
                slope
            } else {
                number(random, coarse, 2.0)
            };
            all.push([x, own, number(random, coarse, 1.0), marginal], label);
        }
        if random.below(5) == 0 {
            // The same chain again: ties all along.
            for i in from..all.x.len() {
                let own = [all.x[i], all.value[i], all.policy[i], all.marginal[i]];
                all.push(own, 100 + label);
            }
        }
    }
    all
}

fn bits(row: &Row) -> Vec<([u64; 4], u32)> {
    row.records()
        .map(|own| {
            let channels = [own.x, own.value, own.policy, own.marginal];
            (channels.map(f64::to_bits), own.owner)
        })
        .collect()
}

/// Number of changes and of gaps of all envelopes, which no width changes.
fn check(own: &Chains, works: &mut [EnvelopeWorkspace], row: &mut Row) -> [usize; 2] {
    let mut met = [0; 2];
    for method in [EnvelopeMethod::EXACT, EnvelopeMethod::EXACT_CHORDS] {
        for descending in [Descending::Drop, Descending::Keep] {
            for marginals in [false, true] {
                let view = own.view(marginals);
                let mut expected: Option<(EnvelopeReport, Vec<_>)> = None;
                for (width, work) in WIDTHS.iter().zip(&mut *works) {
                    let report = upper_envelope(method, view, descending, work, row).unwrap();
                    let found = (report, bits(row));
                    let expected = expected.get_or_insert_with(|| found.clone());
                    assert_eq!(
                        found, *expected,
                        "width {width}, {method:?}, {descending:?}, {marginals}: {own:?}"
                    );
                }
                let report = expected.unwrap().0;
                met[0] += report.changes;
                met[1] += report.gaps;
            }
        }
    }
    met
}

#[test]
fn every_width_has_the_bits_of_the_sweep() {
    let mut works = WIDTHS.map(|width| EnvelopeWorkspace::new().with_segment_block_size(width));
    let (mut row, mut met) = (Row::new(), [0; 2]);
    for seed in 0..600 {
        let own = chains(&mut Random(seed << 20));
        let counts = check(&own, &mut works, &mut row);
        met = [met[0] + counts[0], met[1] + counts[1]];
    }
    assert!(met[0] > 4000 && met[1] > 400, "{met:?}");
}

#[test]
fn points_above_a_chain_own_one_number() {
    // Spikes on nodes, between nodes, next to nodes one number away, and at both ends.
    let mut own = Chains::default();
    let near = [1.0, 1.0_f64.next_up(), 2.0, 3.0_f64.next_down(), 3.0];
    for x in near {
        own.push([x, x, 0.5, 1.0], 0);
    }
    for (label, x) in [
        1.0,
        1.0_f64.next_up(),
        1.5,
        2.0,
        3.0_f64.next_down(),
        3.0,
        4.0,
    ]
    .into_iter()
    .enumerate()
    {
        own.push([x, 9.0, 0.25, 0.0], 1 + label as u32);
    }
    let mut works = WIDTHS.map(|width| EnvelopeWorkspace::new().with_segment_block_size(width));
    let met = check(&own, &mut works, &mut Row::new());
    assert!(met[0] > 0 && met[1] > 0, "{met:?}");
    // Nothing, and nothing alive.
    let nothing = Chains::default();
    check(&nothing, &mut works, &mut Row::new());
    let mut dead = Chains::default();
    dead.push([1.0, f64::NAN, 0.5, 1.0], 0);
    check(&dead, &mut works, &mut Row::new());
}

#[test]
fn steps_beside_cliffs_and_kinks_have_the_same_bits() {
    let utility = Crra::log();
    let grid: Vec<f64> = (0..60).map(|i| 0.1 * f64::from(i)).collect();
    let mut nodes = SavingsNodes::new();
    nodes.add(1.05, true);
    nodes.add(2.55, false);
    nodes.add(4.05, true);
    nodes.merge(&grid);
    // A fall at the first cliff, less of every unit above the kink, a rise at the second cliff.
    let mut side = 0;
    let (mut value, mut marginal) = (Vec::new(), Vec::new());
    for (i, &s) in nodes.nodes().iter().enumerate() {
        side += usize::from(nodes.breaks().iter().any(|at| at.node == i));
        let [level, slope] = [[0.0, 1.0], [-0.08, 1.0], [0.428, 0.8], [0.7, 0.8]][side];
        let resources = 1.0 + s * slope;
        value.push(2.0 * (resources + level).ln());
        marginal.push(2.0 * slope / (resources + level));
    }
    assert_eq!(side, 3);
    let problem = SavingsProblem::new(nodes.nodes(), &value, &marginal, &utility, 0.95).unwrap();
    let step = |width: usize| {
        let options = NbEgmOptions::default()
            .with_curves(1.05, 64)
            .with_envelope_segment_block_size(width);
        let (mut work, mut row) = (NbEgmWorkspace::new(), Row::new());
        work.reserve(grid.len() + 6, (3, 4 * 64), &options, 8);
        let report = nbegm_step(&problem, nodes.breaks(), &options, &mut work, &mut row).unwrap();
        let ends = row
            .corner
            .map(|own| [own.savings, own.continuation].map(f64::to_bits));
        (report, ends, bits(&row))
    };
    let expected = step(0);
    assert!(expected.0.envelope.changes > 2, "{:?}", expected.0);
    for width in WIDTHS {
        assert_eq!(step(width), expected, "width {width}");
    }
}
