//! What discrete shocks keep is what their footprints say; using them allocates nothing.

use bifrons_memory::profiler::{self, CountingAllocator, Scope};
use bifrons_shocks::{Ar1, Discretisation, MarkovChain, Normal, ShockError, TransitionMatrix};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static USE: Scope = Scope::new("use");

/// One thread, without the test harness: the counters belong to the process.
fn main() -> Result<(), ShockError> {
    footprints_are_exact()?;
    expectations_and_steps_do_not_allocate()
}

/// Bytes that are still held after building.
fn kept<T>(build: impl FnOnce() -> Result<T, ShockError>) -> Result<(T, u64), ShockError> {
    let before = profiler::counts().live_bytes;
    let value = build()?;
    Ok((value, profiler::counts().live_bytes - before))
}

fn footprints_are_exact() -> Result<(), ShockError> {
    let process = Ar1::gaussian(0.9, 0.1)?;
    for n in [1, 5, 40] {
        let (chain, bytes) = kept(|| process.tauchen(n, 3.0))?;
        assert_eq!(
            bytes,
            MarkovChain::footprint(n).persistent_bytes(),
            "Tauchen, {n} nodes"
        );
        let (_, bytes) = kept(|| process.rouwenhorst(n))?;
        assert_eq!(
            bytes,
            MarkovChain::footprint(n).persistent_bytes(),
            "Rouwenhorst, {n} nodes"
        );
        let (_, bytes) = kept(|| Ok(chain.matrix().then(chain.matrix())?))?;
        assert_eq!(
            bytes,
            TransitionMatrix::footprint(n, n).persistent_bytes(),
            "product, {n}"
        );
        let normal = Normal::new(1.0, 2.0)?;
        let (_, bytes) = kept(|| normal.gauss_hermite(n))?;
        assert_eq!(
            bytes,
            Discretisation::footprint(n).persistent_bytes(),
            "Gauss, {n} nodes"
        );
    }
    Ok(())
}

fn expectations_and_steps_do_not_allocate() -> Result<(), ShockError> {
    let chain = Ar1::gaussian(0.9, 0.1)?.rouwenhorst(9)?;
    let shock = Normal::new(0.0, 1.0)?.gauss_hermite(9)?;
    let (values, mut out) = ([1.0; 9], [0.0; 9]);
    let guard = USE.enter();
    chain.matrix().expect_into(&values, &mut out)?;
    chain.matrix().step_into(&values, &mut out)?;
    let second = shock.expectation(|z| z * z);
    let counts = guard.so_far();
    drop(guard);
    assert_eq!((counts.blocks, counts.bytes), (0, 0), "allocated in use");
    assert!((second - 1.0).abs() < 1e-14, "second moment {second}");
    Ok(())
}
