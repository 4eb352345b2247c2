//! The pool beside its footprint, in a process of its own.

use bifrons_parallel::Threads;

#[test]
fn a_pool_holds_less_than_its_footprint_says() {
    let Some(before) = bifrons_memory::process::resident_bytes() else {
        return;
    };
    let pools: Vec<Threads> = (0..8).map(|_| Threads::new(8).unwrap()).collect();
    for threads in &pools {
        let sum = threads.reduce_fixed(10_000, 10, |r| r.sum::<usize>(), |a, b| a + b);
        assert_eq!(sum, Some(49_995_000), "the threads have run");
    }
    let after = bifrons_memory::process::resident_bytes().unwrap();
    let planned: u64 = pools.iter().map(|threads| threads.footprint().peak()).sum();
    let held = after.saturating_sub(before);
    assert!(
        held <= planned,
        "{held} bytes held by 64 threads, {planned} planned"
    );
}
