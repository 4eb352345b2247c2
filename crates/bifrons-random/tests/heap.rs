//! Drawing allocates nothing.

use bifrons_memory::profiler::{CountingAllocator, Scope};
use bifrons_random::{Address, Categorical, Draws, Stream, categorical};
use rand_core::Rng;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static DRAW: Scope = Scope::new("draw");

#[test]
fn draws_do_not_allocate() {
    let draws = Draws::new(7, Stream::named("income"));
    let law = Categorical::new(&[0.2, 0.3, 0.5]).unwrap();
    let mut out = vec![0.0; 1000];
    let mut words = vec![0; 1000];
    let guard = DRAW.enter();
    let at = Address::new(3, 4);
    draws.fill_bits(at, &mut words);
    draws.fill_uniform(at, &mut out);
    draws.fill_normal(at, &mut out);
    draws.fill_gumbel(at, &mut out);
    draws.fill_normal_elements(at, &mut out);
    let mut sequence = draws.sequence(at);
    let mut total = 0;
    for _ in 0..100 {
        let u = bifrons_random::uniform(sequence.next_u64());
        total += law.pick(u) + categorical(&[0.5, 0.5], u).unwrap_or(0);
    }
    let counts = guard.so_far();
    drop(guard);
    assert_eq!(
        (counts.blocks, counts.bytes),
        (0, 0),
        "allocated while drawing"
    );
    assert!(total > 0, "something was drawn");
}
