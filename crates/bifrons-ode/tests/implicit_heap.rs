//! Implicit methods allocate in their constructors only, as many bytes as they say.

use bifrons_memory::profiler::{CountingAllocator, Scope};
use bifrons_ode::{
    Mass, Method, Options, Pattern, Problem, Save, Structure, closure, implicit_footprint, solve,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static RUN: Scope = Scope::new("run");

const METHODS: [Method; 8] = [
    Method::Bdf,
    Method::Radau,
    Method::Rodas4,
    Method::Rodas5P,
    Method::TrBdf2,
    Method::Esdirk4,
    Method::Esdirk5,
    Method::Auto,
];

/// One thread, without the test harness: the counters belong to the process.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Loops are unrolled for six components.
    for n in [6, 40] {
        let places: Vec<_> = (0..n)
            .flat_map(|i: usize| [(i, i), (i, (i + 1) % n), ((i + 1) % n, i)])
            .collect();
        let mut singular = vec![2.0; n];
        singular[n - 1] = 0.0;
        for structure in [
            Structure::Dense,
            Structure::Banded { lower: 1, upper: 1 },
            Structure::Sparse(Pattern::from_entries(n, &places)?),
        ] {
            for mass in [
                Mass::Identity,
                Mass::Diagonal(vec![2.0; n]),
                Mass::Diagonal(singular.clone()),
            ] {
                for method in METHODS {
                    check(n, &structure, &mass, method)?;
                }
            }
        }
    }
    Ok(())
}

/// Diffusion in a ring or a row with a driven source, and its initial state; the last equation may
/// be algebraic.
fn diffusion(n: usize, structure: &Structure, mass: &Mass) -> (impl Problem, Vec<f64>) {
    let ring = !matches!(structure, Structure::Banded { .. });
    let algebraic = matches!(mass, Mass::Diagonal(values) if values[n - 1] == 0.0);
    let problem = closure(n, move |t: f64, y: &[f64], f: &mut [f64]| {
        let n = y.len();
        for i in 0..n {
            let right = if i + 1 < n || ring {
                y[(i + 1) % n]
            } else {
                0.0
            };
            let left = if i > 0 || ring {
                y[(i + n - 1) % n]
            } else {
                0.0
            };
            f[i] = 50.0 * (left + right - 2.0 * y[i]) - y[i].powi(3) + (3.0 * t).sin();
        }
        if algebraic {
            f[n - 1] = y[n - 1] - 0.5 * y[n - 2];
        }
    })
    .with_structure(structure.clone())
    .with_mass(mass.clone());
    let mut y0: Vec<f64> = (0..n).map(|i| (0.7 * i as f64).cos()).collect();
    if algebraic {
        y0[n - 1] = 0.5 * y0[n - 2];
    }
    (problem, y0)
}

fn check(
    n: usize,
    structure: &Structure,
    mass: &Mass,
    method: Method,
) -> Result<(), Box<dyn std::error::Error>> {
    let (mut problem, y0) = diffusion(n, structure, mass);
    let mut options = Options::default();
    options.method = method;
    let mut run = |t_end: f64| {
        let guard = RUN.enter();
        let found = solve(&mut problem, 0.0, &y0, t_end, &Save::Final, &options)?;
        let counts = guard.so_far();
        Ok::<_, bifrons_ode::SolveError>((counts.blocks, counts.peak, found.statistics.accepted))
    };
    // The automatic choice must have come to its implicit method in both runs.
    let (short, long) = if method == Method::Auto {
        (4.0, 12.0)
    } else {
        (0.5, 4.0)
    };
    let (blocks, peak, few) = run(short)?;
    let (more_blocks, _, many) = run(long)?;
    assert!(many > few + 10, "{method:?}: {few} and {many} steps");
    assert_eq!(
        blocks, more_blocks,
        "{method:?} {structure:?}: blocks per step"
    );
    // Factors of a ring are about four entries per row.
    let planned = implicit_footprint(&problem, method, 5 * n).map_or(0, |f| f.peak());
    let slack = 65_536;
    assert!(
        planned <= peak + slack,
        "{method:?}: planned {planned}, peak {peak}"
    );
    assert!(
        peak <= planned + slack,
        "{method:?}: planned {planned}, peak {peak}"
    );
    Ok(())
}
