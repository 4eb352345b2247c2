//! Exact numbers of the counting allocator, in a process of its own with one thread at the start.
#![expect(clippy::print_stdout, reason = "this binary is its own test harness")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::panic::catch_unwind;

use bifrons_memory::process;
use bifrons_memory::profiler::{self, CountingAllocator, Scope};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

fn main() {
    let checks: [(&str, fn()); 11] = [
        ("installed", installed),
        ("one block", one_block),
        ("realloc", realloc),
        ("zeroed", zeroed),
        ("peak and reset", peak_and_reset),
        ("scopes nest", scopes_nest),
        ("guards in any order", guards_in_any_order),
        ("frees of older blocks", frees_of_older_blocks),
        ("too many guards", too_many_guards),
        ("threads", threads),
        ("readers stay off the heap", readers_stay_off_the_heap),
    ];
    let mut failed = 0;
    for (name, check) in checks {
        let passed = catch_unwind(check).is_ok();
        println!(
            "heap check {name}: {}",
            if passed { "ok" } else { "FAILED" }
        );
        failed += usize::from(!passed);
    }
    assert_eq!(failed, 0, "all heap checks pass");
}

fn installed() {
    assert!(
        profiler::is_installed(),
        "the runtime has allocated before main"
    );
}

fn one_block() {
    let before = profiler::counts();
    let block = black_box(Vec::<u8>::with_capacity(1_000));
    let during = profiler::counts();
    drop(block);
    let after = profiler::counts();
    assert_eq!(during.live_bytes - before.live_bytes, 1_000, "live bytes");
    assert_eq!(
        during.total_bytes - before.total_bytes,
        1_000,
        "gross bytes"
    );
    assert_eq!(during.live_blocks - before.live_blocks, 1, "live blocks");
    assert_eq!(during.total_blocks - before.total_blocks, 1, "gross blocks");
    assert_eq!(after.live_bytes, before.live_bytes, "bytes are freed");
    assert_eq!(after.live_blocks, before.live_blocks, "blocks are freed");
    assert_eq!(
        after.total_bytes, during.total_bytes,
        "gross bytes only grow"
    );
}

fn realloc() {
    static GROW: Scope = Scope::new("grow");
    let before = profiler::counts();
    let guard = GROW.enter();
    let mut block = black_box(Vec::<u8>::with_capacity(100));
    block.reserve_exact(400);
    let grown = guard.so_far();
    block.shrink_to(50);
    let shrunk = profiler::counts();
    drop(guard);
    assert_eq!(
        (grown.bytes, grown.blocks, grown.peak),
        (400, 2, 400),
        "alloc 100, realloc to 400"
    );
    assert_eq!(
        shrunk.live_bytes - before.live_bytes,
        50,
        "shrinking gives bytes back"
    );
    assert_eq!(
        shrunk.live_blocks - before.live_blocks,
        1,
        "still one block"
    );
    let counts = GROW.counts();
    assert_eq!(
        (counts.bytes, counts.blocks, counts.peak),
        (400, 3, 400),
        "shrinking adds no bytes"
    );
    drop(block);
    assert_eq!(
        profiler::counts().live_bytes,
        before.live_bytes,
        "all is freed"
    );
}

fn zeroed() {
    let before = profiler::counts();
    let block = black_box(vec![0_u64; 1_000]);
    let during = profiler::counts();
    assert_eq!(
        during.total_bytes - before.total_bytes,
        8_000,
        "alloc_zeroed counts"
    );
    assert!(block.iter().all(|word| *word == 0), "and gives zeros");
}

fn peak_and_reset() {
    profiler::reset_peak();
    let base = profiler::counts();
    assert_eq!(base.peak_bytes, base.live_bytes, "reset");
    drop(black_box(Vec::<u8>::with_capacity(5_000)));
    let first = black_box(Vec::<u8>::with_capacity(3_000));
    let second = black_box(Vec::<u8>::with_capacity(4_000));
    assert_eq!(
        profiler::counts().peak_bytes - base.live_bytes,
        7_000,
        "both at the same time"
    );
    drop((first, second));
    assert_eq!(
        profiler::counts().peak_bytes - base.live_bytes,
        7_000,
        "a peak stays"
    );
    profiler::reset_peak();
    assert_eq!(
        profiler::counts().peak_bytes,
        base.live_bytes,
        "and is reset"
    );
}

fn scopes_nest() {
    static OUTER: Scope = Scope::new("outer");
    static INNER: Scope = Scope::new("inner");
    for _ in 0..3 {
        let outer = OUTER.enter();
        let kept = black_box(vec![1_u8; 10]);
        {
            let _inner = INNER.enter();
            drop(black_box(vec![1_u8; 30]));
            drop(black_box(vec![1_u8; 20]));
        }
        drop(kept);
        assert_eq!(
            outer.so_far().bytes,
            60,
            "the outer scope includes the inner one"
        );
    }
    drop(black_box(vec![1_u8; 99]));
    let (outer, inner) = (OUTER.counts(), INNER.counts());
    assert_eq!(
        (outer.bytes, outer.blocks, outer.peak, outer.entries),
        (180, 9, 40, 3),
        "outer"
    );
    assert_eq!(
        (inner.bytes, inner.blocks, inner.peak, inner.entries),
        (150, 6, 30, 3),
        "inner"
    );
    let snapshot = profiler::snapshot();
    let listed = snapshot
        .scopes
        .iter()
        .filter(|scope| scope.name == "outer")
        .count();
    assert_eq!((listed, snapshot.unlisted_scopes), (1, 0), "listed once");
    OUTER.reset();
    assert_eq!(OUTER.counts().entries, 0, "reset forgets");
}

fn guards_in_any_order() {
    static FIRST: Scope = Scope::new("first");
    static SECOND: Scope = Scope::new("second");
    let first = FIRST.enter();
    let second = SECOND.enter();
    drop(black_box(vec![0_u8; 7]));
    drop(first);
    drop(black_box(vec![0_u8; 11]));
    drop(second);
    assert_eq!(FIRST.counts().bytes, 7, "ended first");
    assert_eq!(SECOND.counts().bytes, 18, "goes on");
}

fn frees_of_older_blocks() {
    static FREES: Scope = Scope::new("frees");
    let old = black_box(vec![1_u8; 1_000]);
    let guard = FREES.enter();
    drop(old);
    drop(black_box(vec![1_u8; 600]));
    drop(guard);
    let counts = FREES.counts();
    assert_eq!(
        (counts.bytes, counts.peak),
        (600, 0),
        "never above the level at entry"
    );
}

fn too_many_guards() {
    static DEEP: Scope = Scope::new("deep");
    let mut guards = Vec::with_capacity(40);
    for _ in 0..40 {
        guards.push(DEEP.enter());
    }
    drop(black_box(vec![1_u8; 3]));
    assert_eq!(guards[39].so_far().missed, 1, "no slot left");
    drop(guards);
    let counts = DEEP.counts();
    assert_eq!(
        (counts.entries, counts.missed, counts.bytes),
        (40, 8, 32 * 3),
        "32 are counted"
    );
}

fn threads() {
    static WORK: Scope = Scope::new("work");
    const THREADS: u64 = 4;
    const ROUNDS: u64 = 2_000;
    let before = profiler::counts();
    let handles: Vec<_> = (0..THREADS)
        .map(|_| {
            std::thread::spawn(|| {
                for round in 0..ROUNDS {
                    let _guard = WORK.enter();
                    let mut block = black_box(vec![1_u8; 16]);
                    if round % 2 == 0 {
                        block.reserve_exact(48);
                    }
                }
            })
        })
        .collect();
    for handle in handles {
        assert!(handle.join().is_ok(), "worker ends");
    }
    let counts = WORK.counts();
    assert_eq!(counts.entries, THREADS * ROUNDS, "entries");
    assert_eq!(counts.blocks, THREADS * ROUNDS * 3 / 2, "blocks");
    assert_eq!(
        counts.bytes,
        THREADS * (ROUNDS * 16 + ROUNDS / 2 * 48),
        "bytes"
    );
    assert_eq!(counts.peak, 64, "peak of one entry");
    let after = profiler::counts();
    assert!(
        after.total_bytes - before.total_bytes >= counts.bytes,
        "the process counts all"
    );
    assert!(
        after.live_bytes - before.live_bytes < 16_384,
        "nothing of the work stays"
    );
}

fn readers_stay_off_the_heap() {
    static READ: Scope = Scope::new("read");
    {
        let _guard = READ.enter();
        black_box((
            process::resident_bytes(),
            process::peak_resident_bytes(),
            process::page_faults(),
            process::context_switches(),
        ));
        process::reset_peak();
        black_box(profiler::counts());
    }
    assert_eq!(READ.counts().blocks, 0, "reading facts does not allocate");
    direct_calls();
}

/// The wrapper over another allocator, called directly.
fn direct_calls() {
    #[derive(Debug)]
    struct Refuses;
    #[expect(unsafe_code, reason = "a test allocator that has no memory")]
    // SAFETY: null is always a valid answer; no block is ever given.
    unsafe impl GlobalAlloc for Refuses {
        unsafe fn alloc(&self, _: Layout) -> *mut u8 {
            std::ptr::null_mut()
        }
        unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
    }
    let before = profiler::counts();
    let refusing = CountingAllocator::over(Refuses);
    let layout = Layout::new::<u64>();
    #[expect(unsafe_code, reason = "the methods of an allocator are unsafe to call")]
    // SAFETY: the layout has a size; the block is null and not used.
    let block = unsafe { refusing.alloc(layout) };
    assert!(block.is_null(), "no memory");
    assert_eq!(profiler::counts(), before, "a failed call counts nothing");
    let _: CountingAllocator<System> = CountingAllocator::default();
}
