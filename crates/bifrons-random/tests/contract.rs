//! Draws do not depend on who asks, when, and in which company (case dp-11).
#![expect(clippy::float_cmp, reason = "bits are compared")]

use bifrons_random::{Address, Draws, Stream};

const SHOCK: Stream = Stream::named("income");
const TASTE: Stream = Stream::named("taste");

/// Wealth and choice of one subject: `w' = w exp(0.1 e)`, the better of two noisy choices.
fn subject(seed: u64, id: u64, periods: u64) -> Vec<(f64, usize)> {
    let (income, taste) = (Draws::new(seed, SHOCK), Draws::new(seed, TASTE));
    let mut wealth = 1.0;
    (0..periods)
        .map(|period| {
            let at = Address::new(id, period);
            let mut noise = [0.0; 2];
            taste.fill_gumbel(at, &mut noise);
            let choice = usize::from(0.3 * wealth + noise[1] > noise[0]);
            wealth *= (0.1 * income.normal(at)).exp();
            (wealth, choice)
        })
        .collect()
}

/// The panel in chunks over threads; the same model as [`subject`], written for blocks.
fn panel(
    seed: u64,
    ids: &[u64],
    periods: u64,
    chunk: usize,
    threads: usize,
) -> Vec<Vec<(f64, usize)>> {
    let mut rows = vec![Vec::new(); ids.len()];
    let work = ids.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        for (ids, rows) in ids.chunks(work).zip(rows.chunks_mut(work)) {
            scope.spawn(move || {
                for (ids, rows) in ids.chunks(chunk).zip(rows.chunks_mut(chunk)) {
                    for (&id, row) in ids.iter().zip(rows) {
                        *row = subject(seed, id, periods);
                    }
                }
            });
        }
    });
    rows
}

fn ids(count: u64) -> Vec<u64> {
    (0..count).collect()
}

#[test]
fn panels_do_not_depend_on_batches_threads_or_order() {
    let all = ids(1000);
    let plain = panel(7, &all, 5, 1, 1);
    for chunk in [1, 7, 1000, 4096] {
        for threads in [1, 2] {
            assert!(
                panel(7, &all, 5, chunk, threads) == plain,
                "chunk {chunk}, threads {threads}"
            );
        }
    }
    let reversed: Vec<u64> = all.iter().rev().copied().collect();
    let mut back = panel(7, &reversed, 5, 13, 2);
    back.reverse();
    assert!(back == plain, "reversed and sorted again");
    assert!(
        panel(7, &[613], 5, 1, 1)[0] == plain[613],
        "one subject alone"
    );
    assert!(panel(7, &[], 5, 1, 1).is_empty(), "no subjects, no rows");
}

#[test]
fn far_apart_subjects_have_their_own_draws() {
    let draws = Draws::new(7, SHOCK);
    let ids = [0, 1, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, 1 << 63];
    let mut seen: Vec<u64> = ids
        .iter()
        .map(|&id| draws.uniform(Address::new(id, 3)).to_bits())
        .collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 6, "six pairwise different draws");
}

#[test]
fn horizon_and_further_shocks_change_nothing() {
    let five = panel(7, &ids(50), 5, 50, 1);
    let six = panel(7, &ids(50), 6, 50, 1);
    for (five, six) in five.iter().zip(&six) {
        assert!(
            six[..5] == five[..],
            "a longer horizon keeps the first periods"
        );
    }
    // A further stream is a further key; that of the taste shocks stays.
    let taste = Draws::new(7, TASTE);
    let before = taste.gumbel(Address::new(3, 4));
    let health = Draws::new(7, Stream::named("health"));
    assert_ne!(
        health.gumbel(Address::new(3, 4)),
        before,
        "an independent stream"
    );
    assert_eq!(
        taste.gumbel(Address::new(3, 4)),
        before,
        "the same draw again"
    );
}

#[test]
fn seed_zero_is_a_seed_like_any_other() {
    let at = Address::new(0, 0);
    let zero = Draws::new(0, Stream::numbered(0));
    assert!(
        zero.uniform(at) > 0.0 && zero.uniform(at) < 1.0,
        "not degenerate"
    );
    assert_ne!(
        zero.bits(at),
        Draws::new(1, Stream::numbered(0)).bits(at),
        "seed matters"
    );
    assert_ne!(
        zero.bits(at),
        Draws::new(0, Stream::numbered(1)).bits(at),
        "stream matters"
    );
}

#[test]
fn a_million_uniforms() {
    let draws = Draws::new(7, SHOCK);
    let mut u = vec![0.0; 1_000_000];
    draws.fill_uniform(Address::new(0, 0), &mut u);
    let n = 1e6;
    let mean = u.iter().sum::<f64>() / n;
    let variance = u.iter().map(|u| (u - mean) * (u - mean)).sum::<f64>() / n;
    let lag = u
        .windows(2)
        .map(|w| (w[0] - mean) * (w[1] - mean))
        .sum::<f64>()
        / n
        / variance;
    assert!((mean - 0.5).abs() < 0.0015, "mean {mean}");
    assert!(
        (variance - 1.0 / 12.0).abs() < 0.0005,
        "variance {variance}"
    );
    assert!(lag.abs() < 0.005, "autocorrelation {lag}");
    assert!(u.iter().all(|&u| u > 0.0 && u < 1.0), "open interval");
}

#[test]
fn the_corners_of_the_address_space_do_not_meet() {
    // The address is the counter, and the generator is a bijection of counters: blocks can only
    // be equal if addresses are. The corners of every word, and of the products that 32-bit keys
    // would confuse, are tried.
    let draws = Draws::new(7, SHOCK);
    let corners = [
        0,
        1,
        2,
        1 << 31,
        (1 << 32) - 1,
        1 << 32,
        1 << 53,
        1 << 63,
        u64::MAX,
    ];
    let mut blocks = Vec::new();
    for element in corners {
        for step in corners {
            for block in corners.map(|word| word / 4 * 4) {
                let at = Address {
                    element,
                    step,
                    component: block,
                };
                let mut words = [0; 4];
                draws.fill_bits(at, &mut words);
                blocks.push((words, at));
            }
        }
    }
    blocks.sort_unstable();
    blocks.dedup();
    let distinct = blocks.len();
    blocks.dedup_by_key(|(words, _)| *words);
    assert_eq!(blocks.len(), distinct, "two addresses share a block");
    assert_eq!(distinct, 9 * 9 * 7, "addresses tried");
}

#[test]
fn a_million_elements_times_a_million_steps_do_not_collide() {
    // A spread sample of the square; two of n 64-bit numbers are equal with chance n²/2⁶⁵.
    let draws = Draws::new(20_260_101, SHOCK);
    let mut bits: Vec<u64> = (0..200_000_u64)
        .map(|i| {
            let element = i.wrapping_mul(7_919) % 1_000_000;
            let step = i.wrapping_mul(104_729) % 1_000_000;
            draws.bits(Address::new(element, step))
        })
        .collect();
    bits.sort_unstable();
    bits.dedup();
    assert_eq!(bits.len(), 200_000, "a collision");
}

#[test]
fn addresses_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + std::fmt::Debug>() {}
    shared::<Draws>();
    shared::<Address>();
    shared::<bifrons_random::Philox>();
    shared::<bifrons_random::Categorical>();
}
