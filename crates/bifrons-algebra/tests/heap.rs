//! Refactoring, solving and differences allocate nothing; footprints hold.

use bifrons_algebra::differences::Differences;
use bifrons_algebra::{Complex, FactorError, Lu, Scalar, Sparsity, Structure};
use bifrons_memory::profiler::{self, CountingAllocator, Scope};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static WORK: Scope = Scope::new("work");

/// One thread, without the test harness: the counters belong to the process.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    // What faer keeps per thread once it has multiplied matrices.
    let identity: Vec<f64> = (0..100 * 100)
        .map(|k| f64::from(u8::from(k % 101 == 0)))
        .collect();
    Lu::analyse(&Structure::dense(100)).refactor(&identity)?;
    let m = 15;
    let neighbours = |k: usize| [k.wrapping_sub(m), k.wrapping_sub(1), k, k + 1, k + m];
    let places = (0..m * m).flat_map(|k| neighbours(k).map(|i| (i, k)));
    let grid = Sparsity::from_places(m * m, places.filter(|&(i, _)| i < m * m))?;
    for structure in [
        Structure::dense(3),
        Structure::dense(20),
        Structure::dense(100),
        Structure::diagonal(50),
        Structure::banded(60, 3, 2),
        Structure::Sparse(grid),
    ] {
        check::<f64>(&structure)?;
        check::<Complex>(&structure)?;
        check_differences(&structure);
    }
    Ok(())
}

fn check<S: Scalar>(structure: &Structure) -> Result<(), FactorError> {
    let n = structure.dimension();
    let mut values = vec![S::from(-0.1); structure.value_count()];
    for k in 0..n {
        if let Some(at) = structure.position(k, k) {
            values[at] = S::from(5.0 + k as f64);
        }
    }
    let mut x = vec![S::from(1.0); n];
    let before = profiler::counts();
    profiler::reset_peak();
    let mut lu = Lu::<S>::analyse(structure);
    lu.refactor(&values)?;
    lu.solve(&mut x);
    let kept = profiler::counts().live_bytes - before.live_bytes;
    let planned = Lu::<S>::footprint(structure, lu.fill()).peak();
    // Factors that grew have an eighth of spare room, which is counted; a header is not for some.
    assert!(
        planned <= kept + kept / 8 + 1_024,
        "{n}: planned {planned}, kept {kept}"
    );
    assert!(kept <= planned + 64, "{n}: planned {planned}, kept {kept}");
    let guard = WORK.enter();
    for factor in [1.0, 3.0, 3.0] {
        if factor > 2.0 {
            lu.forget_pivots();
        }
        lu.refactor_with(|k| values[k] * S::from(factor))?;
        lu.solve(&mut x);
        lu.solve_transposed(&mut x);
    }
    assert_eq!(guard.so_far().blocks, 0, "dimension {n}");
    Ok(())
}

fn check_differences(structure: &Structure) {
    let n = structure.dimension();
    let mut differences = Differences::new(structure);
    let mut values = vec![0.0; structure.value_count()];
    let (y, here, scale) = (vec![1.0; n], vec![2.0; n], vec![1.0; n]);
    let guard = WORK.enter();
    let count = differences.fill(&y, &here, &scale, &mut values, |y, f| {
        f.iter_mut().zip(y).for_each(|(f, y)| *f = 2.0 * y);
        Ok::<(), ()>(())
    });
    assert_eq!(
        count,
        Ok(differences.evaluation_count() as u64),
        "one evaluation per group"
    );
    assert_eq!(guard.so_far().blocks, 0, "dimension {n}");
}
