//! The same bits for any number of threads, and nothing done twice or not at all.
#![expect(clippy::unwrap_used, reason = "a test machine can start four threads")]

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use bifrons_parallel::Threads;
use proptest::prelude::*;

const COUNTS: [usize; 4] = [1, 2, 3, 4];

fn each(mut test: impl FnMut(&Threads)) {
    for count in COUNTS {
        test(&Threads::new(count).unwrap());
    }
}

/// A sum that depends on the order of its terms in every digit.
fn rough(i: usize) -> f64 {
    let x = i as f64;
    (x * 1.618).sin() * 10_f64.powi(i32::try_from(i % 31).unwrap() - 15)
}

#[test]
fn reductions_have_the_same_bits_and_the_stated_shape() {
    let n = 100_003;
    let naive = (0..n)
        .collect::<Vec<_>>()
        .chunks(1_000)
        .map(|chunk| chunk.iter().map(|i| rough(*i)).sum::<f64>())
        .reduce(|a, b| a + b)
        .unwrap();
    each(|threads| {
        let sum = threads.reduce_fixed(n, 1_000, |r| r.map(rough).sum::<f64>(), |a, b| a + b);
        assert_eq!(sum.unwrap().to_bits(), naive.to_bits(), "{threads:?}");
        let one = threads.reduce_fixed(5, usize::MAX, |r| r.len(), |a, b| a + b);
        assert_eq!(one, Some(5), "a chunk wider than everything");
        let zero = threads.reduce_fixed(3, 0, |r| r.len(), |a, b| a + b);
        assert_eq!(zero, Some(3), "a chunk of zero counts as one");
        assert_eq!(
            threads.reduce_fixed(0, 7, |r| r.len(), |a, b| a + b),
            None,
            "nothing"
        );
    });
}

#[test]
fn mapped_results_are_in_index_order() {
    each(|threads| {
        for n in [0, 1, 2, 3, 100, 1_000] {
            let mapped = threads.map_ordered(n, rough);
            let same = (0..n)
                .map(rough)
                .zip(&mapped)
                .all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same && mapped.len() == n, "{threads:?}, {n} items");
        }
        let texts = threads.map_ordered_with(50, String::new, |text, i| {
            text.clear();
            text.push_str(&i.to_string());
            text.clone()
        });
        assert_eq!(texts[49], "49", "workspaces are reused");
    });
}

#[test]
fn each_item_is_handed_out_once_and_in_index_order() {
    each(|threads| {
        for n in [0, 1, 2, 31, 64, 5_000] {
            let done: Vec<AtomicUsize> = (0..n).map(|_| AtomicUsize::new(0)).collect();
            let orders = Mutex::new(Vec::new());
            let states = AtomicUsize::new(0);
            let init = || {
                states.fetch_add(1, SeqCst);
                Order {
                    seen: Vec::new(),
                    all: &orders,
                }
            };
            threads.for_each_with(done.iter(), init, |order, index, item| {
                assert!(
                    std::ptr::eq(item, &raw const done[index]),
                    "index belongs to item"
                );
                item.fetch_add(1, SeqCst);
                order.seen.push(index);
            });
            assert!(
                done.iter().all(|count| count.load(SeqCst) == 1),
                "{threads:?}, {n} items"
            );
            assert!(
                states.load(SeqCst) <= threads.count().min(n),
                "one state per worker at most"
            );
            let orders = orders.into_inner().unwrap();
            assert!(
                orders.iter().all(|seen| seen.is_sorted()),
                "index order for each worker"
            );
        }
    });
}

struct Order<'a> {
    seen: Vec<usize>,
    all: &'a Mutex<Vec<Vec<usize>>>,
}

impl Drop for Order<'_> {
    fn drop(&mut self) {
        self.all
            .lock()
            .unwrap()
            .push(std::mem::take(&mut self.seen));
    }
}

#[test]
fn items_own_the_places_that_they_write_to() {
    let (mut left, mut right) = (vec![0.0; 1_001], vec![0_usize; 1_001]);
    each(|threads| {
        left.fill(-1.0);
        let items = left.chunks_mut(10).zip(right.chunks_mut(10));
        threads.for_each_with(
            items,
            || (),
            |(), chunk, (left, right)| {
                for (at, (x, i)) in left.iter_mut().zip(right).enumerate() {
                    *i = chunk * 10 + at;
                    *x = rough(*i);
                }
            },
        );
        let wrong =
            (0..1_001).find(|i| left[*i].to_bits() != rough(*i).to_bits() || right[*i] != *i);
        assert_eq!(wrong, None, "{threads:?}");
    });
}

#[test]
fn the_lowest_failure_wins() {
    each(|threads| {
        for round in 0..200 {
            let bad = [round, round + 1, 311, 499];
            let done: Vec<AtomicUsize> = (0..500).map(|_| AtomicUsize::new(0)).collect();
            let result = threads.try_for_each_with(
                0..500,
                || (),
                |(), index, item| {
                    done[index].fetch_add(1, SeqCst);
                    if bad.contains(&item) {
                        Err(format!("item {item}"))
                    } else {
                        Ok(())
                    }
                },
            );
            assert_eq!(result, Err((round, format!("item {round}"))), "{threads:?}");
            let before = done[..round].iter().all(|count| count.load(SeqCst) == 1);
            assert!(
                before,
                "all before the failure is done, {threads:?}, round {round}"
            );
        }
        let fine: Result<(), (usize, ())> =
            threads.try_for_each_with(0..9, || (), |(), _, _| Ok(()));
        assert_eq!(fine, Ok(()), "no failure");
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn streams_are_ordered_and_bounded(
        n in 0..80_usize, in_flight in 0..9_usize, count in 1..5_usize, stop in 0..120_usize,
        uneven in 0..40_u32
    ) {
        let threads = Threads::new(count).unwrap();
        let alive = AtomicUsize::new(0);
        let most = AtomicUsize::new(0);
        let states = AtomicUsize::new(0);
        let mut seen = Vec::new();
        let flow = threads.stream_ordered(
            n,
            in_flight,
            || states.fetch_add(1, SeqCst),
            |_, index| {
                let token = Token::new(&alive, &most, index);
                // Some results take much longer than others.
                let turns = if index % 7 == 0 { uneven * 50 } else { 1 };
                for _ in 0..turns { std::hint::black_box(rough(index)); }
                token
            },
            |index, token| {
                assert_eq!(index, token.index, "the result belongs to the index");
                seen.push(index);
                if index == stop { ControlFlow::Break(index * 2) } else { ControlFlow::Continue(()) }
            },
        );
        let expected = if stop < n { ControlFlow::Break(stop * 2) } else { ControlFlow::Continue(()) };
        prop_assert_eq!(flow, expected);
        prop_assert_eq!(seen, (0..n.min(stop + 1)).collect::<Vec<_>>());
        prop_assert!(most.load(SeqCst) <= in_flight.max(1), "{} alive", most.load(SeqCst));
        prop_assert_eq!(alive.load(SeqCst), 0, "all results are dropped");
        prop_assert!(states.load(SeqCst) <= count.min(in_flight.max(1)));
    }
}

/// Counts how many results exist.
struct Token<'a> {
    alive: &'a AtomicUsize,
    index: usize,
}

impl<'a> Token<'a> {
    fn new(alive: &'a AtomicUsize, most: &AtomicUsize, index: usize) -> Self {
        most.fetch_max(alive.fetch_add(1, SeqCst) + 1, SeqCst);
        Self { alive, index }
    }
}

impl Drop for Token<'_> {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, SeqCst);
    }
}
