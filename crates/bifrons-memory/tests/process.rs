//! Facts of this process; where the system has none the readers say so.

use bifrons_memory::{Budget, Surroundings, process};

#[test]
fn facts_are_consistent_or_absent() {
    let ballast = vec![1_u8; 32 << 20];
    let facts = (process::resident_bytes(), process::peak_resident_bytes());
    if !cfg!(target_os = "linux") {
        assert_eq!(facts, (None, None), "no /proc");
        assert!(!process::reset_peak(), "nothing to reset");
        return;
    }
    let (Some(now), Some(peak)) = facts else {
        panic!("/proc/self/status is readable: {facts:?}")
    };
    assert!(now >= 32 << 20, "the ballast is resident: {now}");
    assert!(
        peak + (1 << 20) >= now,
        "peak {peak} is at least {now} up to batching"
    );
    assert!(
        process::page_faults().is_some_and(|faults| faults.minor > 1_000),
        "32 MiB in pages"
    );
    assert!(process::context_switches().is_some(), "switches");
    let total = ballast.iter().map(|byte| u64::from(*byte)).sum::<u64>();
    assert_eq!(total, 32 << 20, "the ballast was not optimised away");
    drop(ballast);
    if process::reset_peak() {
        let after = process::peak_resident_bytes().unwrap();
        assert!(after + (16 << 20) < peak, "reset from {peak} to {after}");
    }
}

#[test]
fn the_default_budget_resolves_where_the_machine_tells() {
    let seen = Surroundings::read();
    let budget = Budget::default();
    match seen.left() {
        Some(left) => assert!(
            budget.resolve().unwrap() <= left.saturating_mul(2),
            "about 80 %"
        ),
        None => assert!(budget.resolve().is_err(), "nothing is known"),
    }
}
