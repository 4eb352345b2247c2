//! Implicit methods allocate before the first step and not after: a run with many steps makes as
//! many allocations as a run with few.

use bifrons_memory::profiler::{self, CountingAllocator};
use bifrons_ode::{Mass, Method, Options, Pattern, Problem, Save, Structure, Tolerance};
use bifrons_ode::{closure, solve};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

/// Diffusion with a source that is switched by time, one algebraic equation at the end.
fn rhs(t: f64, y: &[f64], f: &mut [f64]) {
    let n = y.len();
    for i in 0..n - 1 {
        let left = if i > 0 { y[i - 1] } else { 0.0 };
        f[i] = 100.0 * (left - 2.0 * y[i] + y[i + 1]) + (3.0 * t).sin() * y[i] * y[i];
    }
    f[n - 1] = y[n - 1] - 0.5 * y[n - 2];
}

type Failed = Box<dyn std::error::Error>;

fn allocations(
    structure: &Structure,
    n: usize,
    method: Method,
    rtol: f64,
) -> Result<(u64, u64), Failed> {
    let mut mass = vec![1.0; n];
    mass[n - 1] = 0.0;
    let mut problem = closure(n, rhs)
        .with_structure(structure.clone())
        .with_mass(Mass::Diagonal(mass));
    let mut options = Options::with_tolerance(Tolerance::new(rtol, rtol)?);
    options.method = method;
    let mut y0 = vec![1.0; n];
    y0[n - 1] = 0.5;
    let before = profiler::counts();
    let solution = solve(&mut problem, 0.0, &y0, 1.0, &Save::Final, &options)?;
    let after = profiler::counts();
    let steps = solution.statistics.accepted;
    Ok((after.total_blocks - before.total_blocks, steps))
}

fn main() -> Result<(), Failed> {
    for n in [6, 20] {
        let band = (0..n)
            .flat_map(|i: usize| [(i, i), (i, i.saturating_sub(1)), (i.saturating_sub(1), i)]);
        let entries: Vec<(usize, usize)> = band.collect();
        let pattern = Pattern::from_entries(n, &entries)?;
        for structure in [
            Structure::Dense,
            Structure::Banded { lower: 1, upper: 1 },
            Structure::Sparse(pattern),
        ] {
            for method in [Method::TrBdf2, Method::Esdirk4, Method::Esdirk5] {
                let (few, short) = allocations(&structure, n, method, 1e-3)?;
                let (many, long) = allocations(&structure, n, method, 1e-7)?;
                assert!(long > 2 * short, "{method:?}: {short} and {long} steps");
                assert_eq!(few, many, "{method:?} {n} {structure:?}: allocations");
            }
        }
    }
    Ok(())
}
