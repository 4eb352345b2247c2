//! Panics are passed on, nesting ends, and the handle is usable afterwards.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use bifrons_parallel::{Threads, ThreadsError};

/// The message with which `work` panics.
fn message(work: impl FnOnce()) -> Option<String> {
    let payload = catch_unwind(AssertUnwindSafe(work)).err()?;
    Some(
        payload
            .downcast_ref::<String>()
            .cloned()
            .unwrap_or_default(),
    )
}

#[test]
fn a_panic_of_work_is_passed_on_and_the_pool_lives() {
    for count in [1, 2, 4] {
        let threads = Threads::new(count).unwrap();
        for bad in [0, 3, 99] {
            let expected = Some(format!("at {bad}"));
            let work = |i: usize| {
                if i == bad {
                    std::panic::panic_any(format!("at {i}"));
                }
                i
            };
            let each = || {
                threads.for_each_with(
                    0..100,
                    || (),
                    |(), i, _| {
                        work(i);
                    },
                );
            };
            assert_eq!(message(each), expected, "for_each_with, {count} threads");
            let map = || drop(threads.map_ordered(100, work));
            assert_eq!(message(map), expected, "map_ordered, {count} threads");
            let mut last = None;
            let stream = || {
                let _: ControlFlow<()> = threads.stream_ordered(
                    100,
                    3,
                    || (),
                    |(), i| work(i),
                    |i, _| {
                        last = Some(i);
                        ControlFlow::Continue(())
                    },
                );
            };
            assert_eq!(message(stream), expected, "stream_ordered, {count} threads");
            assert!(
                last.is_none_or(|last| last < bad),
                "nothing behind {bad} is consumed: {last:?}"
            );
            assert_eq!(
                threads.map_ordered(3, |i| i),
                [0, 1, 2],
                "usable afterwards"
            );
        }
    }
}

#[test]
fn a_panic_of_the_consumer_or_of_init_is_passed_on() {
    for count in [1, 2, 4] {
        let threads = Threads::new(count).unwrap();
        let begun = AtomicUsize::new(0);
        let consumer = || {
            let _: ControlFlow<()> = threads.stream_ordered(
                10_000,
                4,
                || (),
                |(), _| begun.fetch_add(1, SeqCst),
                |i, _| {
                    if i == 7 {
                        std::panic::panic_any("consumer".to_owned());
                    }
                    ControlFlow::Continue(())
                },
            );
        };
        assert_eq!(
            message(consumer).as_deref(),
            Some("consumer"),
            "{count} threads"
        );
        assert!(
            begun.load(SeqCst) <= 7 + 4,
            "nothing is begun behind the window"
        );
        let init = || {
            threads.for_each_with(
                0..9,
                || std::panic::panic_any("init".to_owned()),
                |(), _, _| {},
            );
        };
        assert_eq!(message(init).as_deref(), Some("init"), "{count} threads");
    }
}

#[test]
fn calls_nest_without_deadlock() {
    for count in [1, 2, 4] {
        let threads = Threads::new(count).unwrap();
        let inner = |i: usize| -> usize {
            let mut sum = 0;
            let _: ControlFlow<()> = threads.stream_ordered(
                20,
                2,
                || (),
                |(), j| threads.map_ordered(5, |k| i + j + k).iter().sum::<usize>(),
                |_, value| {
                    sum += value;
                    ControlFlow::Continue(())
                },
            );
            sum
        };
        let mut total = 0;
        let _: ControlFlow<()> = threads.stream_ordered(
            30,
            2,
            || (),
            |(), i| inner(i),
            |_, value| {
                // The consumer itself uses the threads, too.
                total += threads.reduce_fixed(3, 1, |_| value, |a, b| a + b).unwrap() / 3;
                ControlFlow::Continue(())
            },
        );
        let expected: usize = (0..30)
            .flat_map(|i| (0..20).flat_map(move |j| (0..5).map(move |k| i + j + k)))
            .sum();
        assert_eq!(total, expected, "{count} threads");
    }
}

#[test]
fn handles_are_checked_and_cheap() {
    let Err(ThreadsError::Count { count, most }) = Threads::new(0) else {
        panic!("zero threads")
    };
    assert_eq!((count, most), (0, 4_096), "named");
    let error = Threads::new(5_000).unwrap_err();
    let text = "number of threads must be at least 1 and at most 4096, got 5000";
    assert_eq!(error.to_string(), text, "too many");
    let threads = Threads::new(3).unwrap();
    assert_eq!(threads.clone().count(), 3, "a clone shares the pool");
    assert_eq!(format!("{threads:?}"), "Threads { count: 3 }", "debug");
    assert_eq!(Threads::one().footprint().peak(), 0, "no pool");
    assert_eq!(
        threads.footprint().peak(),
        3 * bifrons_parallel::TOUCHED_BYTES,
        "per thread"
    );
    assert!(Threads::available().count() >= 1, "at least one");
}
