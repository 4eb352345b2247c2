//! The exact envelope equals rational arithmetic bit for bit.
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

#[path = "support/fraction.rs"]
mod fraction;
#[path = "support/random.rs"]
mod random;
#[path = "support/rational.rs"]
mod rational;

use bifrons_egm::{
    Candidates, Descending, EnvelopeMethod, EnvelopeWorkspace, Record, Row, upper_envelope,
};
use random::Random;
use rational::Case;

/// Candidates on a coarse lattice: many ties, shared abscissae, coincident lines.
fn lattice(random: &mut Random) -> Case {
    let mut case = Case::default();
    let (n, span) = (1 + random.below(9), 2 + random.below(8));
    let scale = [1.0, 0.5, 0.25, 0.125][random.below(4) as usize];
    for _ in 0..n {
        case.x.push(random.below(span) as f64 * scale);
        case.v.push((random.below(12) as f64 - 4.0) * 0.25);
        case.c.push(random.below(8) as f64 * 0.5);
        case.label.push(random.below(3) as u32);
    }
    if random.below(3) > 0 {
        case.label.sort_unstable();
    }
    if random.below(8) == 0 {
        let dead = random.below(n) as usize;
        case.v[dead] = [f64::NEG_INFINITY, f64::NAN][random.below(2) as usize];
    }
    case
}

/// Candidates with all 53 bits and different magnitudes.
fn wide(random: &mut Random) -> Case {
    let mut case = Case::default();
    let n = 2 + random.below(7);
    let shift = 2.0_f64.powi(random.below(40) as i32 - 20);
    for i in 0..n {
        let magnitude = 2.0_f64.powi(random.below(12) as i32 - 6);
        case.x.push(random.uniform() * shift * magnitude);
        case.v.push((random.uniform() - 0.5) * magnitude);
        case.c.push(random.uniform());
        case.label.push((i / 3) as u32);
    }
    case
}

/// Nearly parallel lines through nearly one point.
fn adversarial(random: &mut Random) -> Case {
    let mut case = Case::default();
    let near = |random: &mut Random, x: f64| {
        let mut x = x;
        for _ in 0..random.below(4) {
            x = x.next_up();
        }
        x
    };
    let (a, b) = (random.uniform(), 1.0 + random.uniform());
    let (v, w) = (random.uniform(), random.uniform() + 1.0);
    for label in 0..2 + random.below(3) as u32 {
        for (x, value) in [(a, v), (b, w)] {
            case.x.push(near(random, x));
            case.v.push(near(random, value));
            case.c.push(f64::from(label) + x);
            case.label.push(label);
        }
    }
    case
}

fn check(case: &Case, keep: bool, work: &mut EnvelopeWorkspace, row: &mut Row) {
    let candidates = Candidates::new(&case.x, &case.v, &case.c).with_label(&case.label);
    let descending = if keep {
        Descending::Keep
    } else {
        Descending::Drop
    };
    upper_envelope(
        EnvelopeMethod::EXACT_CHORDS,
        candidates,
        descending,
        work,
        row,
    )
    .unwrap();
    let expected = rational::envelope(case, keep);
    let bits = |r: &Record| {
        (
            [r.x, r.value, r.policy].map(|n| (n + 0.0).to_bits()),
            r.owner,
        )
    };
    let found: Vec<Record> = row.records().collect();
    let mut merged: Vec<Record> = Vec::new();
    for record in expected {
        // One record where both sides agree.
        let place = merged.len();
        let last = merged.last().map(|last| bits(last).0);
        if last == Some(bits(&record).0) && record_marginals_agree(&found, place) {
            merged.pop();
        }
        merged.push(record);
    }
    let same = found.len() == merged.len()
        && found.iter().zip(&merged).all(|(a, b)| {
            // The owner of the last record is not a bracket.
            bits(a) == bits(b)
        });
    assert!(
        same,
        "{case:?} keep {keep}\nfound    {found:#?}\nexpected {merged:#?}"
    );
}

/// Whether the row has no second record at the place: both sides have one slope.
fn record_marginals_agree(found: &[Record], place: usize) -> bool {
    found.get(place).is_none_or(|record| {
        let before = &found[place - 1];
        [record.x, record.value, record.policy] != [before.x, before.value, before.policy]
    })
}

fn cases(default: u64) -> u64 {
    std::env::var("BIFRONS_EGM_ORACLE")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

#[test]
fn equals_rational_arithmetic_on_lattices() {
    let (mut work, mut row) = (EnvelopeWorkspace::new(), Row::new());
    for seed in 0..cases(400) {
        let case = lattice(&mut Random(seed));
        check(&case, seed % 2 == 0, &mut work, &mut row);
    }
}

#[test]
fn equals_rational_arithmetic_on_full_mantissas() {
    let (mut work, mut row) = (EnvelopeWorkspace::new(), Row::new());
    for seed in 0..cases(150) {
        let case = wide(&mut Random(1 << 40 | seed));
        check(&case, seed % 2 == 0, &mut work, &mut row);
    }
}

#[test]
fn equals_rational_arithmetic_on_nearly_coincident_lines() {
    let (mut work, mut row) = (EnvelopeWorkspace::new(), Row::new());
    for seed in 0..cases(150) {
        let case = adversarial(&mut Random(1 << 41 | seed));
        check(&case, seed % 2 == 0, &mut work, &mut row);
    }
}
