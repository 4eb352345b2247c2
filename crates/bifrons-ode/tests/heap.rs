//! Predicted and measured bytes of the heap; no allocation per step. One thread, own process.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_memory::profiler::{CountingAllocator, Scope};
use bifrons_ode::{Bs32, Dopri5, EnsembleWorkspace, LaneMethod, Method, Options, Problem, RunSize};
use bifrons_ode::{Save, Solution, Tolerance, Tsit5, closure, solve};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static RUN: Scope = Scope::new("run");

const METHODS: [Method; 5] = [
    Method::Dopri5,
    Method::Tsit5,
    Method::Bs32,
    Method::Dop853,
    Method::Rk4 { step: 0.05 },
];

/// Peak above entry and number of blocks of `run`, with its result.
fn measured<T>(run: impl FnOnce() -> T) -> (u64, u64, T) {
    let guard = RUN.enter();
    let result = run();
    let counts = guard.so_far();
    drop(guard);
    (counts.peak, counts.blocks, result)
}

fn options(method: Method) -> Options {
    let tolerance = Tolerance::new(1e-6, 1e-9).expect("valid");
    let mut options = Options::with_tolerance(tolerance);
    options.method = method;
    options
}

/// A chain of oscillators: peak, blocks and solution of the run alone.
fn run(
    n: usize,
    roots: usize,
    t_end: f64,
    save: &Save,
    settings: &Options,
) -> (u64, u64, Solution) {
    let y0: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { 0.0 }).collect();
    let mut problem = closure(n, |_t, y, dy: &mut [f64]| {
        for i in 0..y.len() {
            dy[i] = if i % 2 == 0 {
                -y[(i + 1) % y.len()]
            } else {
                y[i - 1]
            };
        }
    })
    .with_roots(roots, |_t, y, g: &mut [f64]| g.fill(y[0] + 2.0));
    measured(|| solve(&mut problem, 0.0, &y0, t_end, save, settings).expect("smooth"))
}

fn check(planned: u64, measured: u64, what: &str) {
    assert!(
        planned >= measured,
        "{what}: planned {planned} < {measured}"
    );
    let ratio = planned as f64 / measured as f64;
    assert!(
        ratio <= 1.25,
        "{what}: planned {planned}, measured {measured}"
    );
}

#[test]
fn memory_is_known_before_and_steps_allocate_nothing() {
    for method in METHODS {
        runs(method);
        let settings = options(method);
        let blocks = |t_end: f64| {
            let (_, blocks, _) = run(3, 2, t_end, &Save::Final, &settings);
            blocks
        };
        assert_eq!(
            blocks(2.0),
            blocks(100.0),
            "{method:?}: steps allocate nothing"
        );
    }
    lanes::<Dopri5>("Dopri5");
    lanes::<Tsit5>("Tsit5");
    lanes::<Bs32>("Bs32");
}

fn runs(method: Method) {
    for (n, roots, stops) in [
        (1, 0, 0),
        (3, 0, 2_u32),
        (3, 2, 0),
        (64, 3, 0),
        (1000, 0, 0),
    ] {
        for save in [
            Save::Final,
            Save::EveryStep,
            Save::Dense,
            Save::Times((0..50).map(|k| 0.1 * f64::from(k)).collect()),
        ] {
            let mut settings = options(method);
            // Stops at which nothing is logged but the event: keep them beyond the first steps.
            settings.stops = (0..stops).map(|k| 5.0 - 1e-3 * f64::from(k)).collect();
            let (peak, _, solution) = run(n, roots, 5.0, &save, &settings);
            let size = RunSize {
                dimension: n,
                roots,
                stops: stops as usize,
                steps: usize::try_from(solution.statistics.accepted).expect("few"),
            };
            let mut planned = size.footprint(method, &save).expect("explicit").peak();
            planned += 2 * 8 * (2 * n as u64 + 5) * solution.statistics.events;
            check(
                planned,
                peak,
                &format!("{method:?}, n = {n}, {roots} roots, {save:?}"),
            );
        }
    }
}

fn lanes<M: LaneMethod>(name: &str) {
    for (n, roots) in [(1, 0), (3, 2), (20, 5)] {
        let (peak, _, workspace) = measured(|| EnsembleWorkspace::<16>::for_method::<M>(n, roots));
        let planned = EnsembleWorkspace::<16>::footprint_for_method::<M>(n, roots).peak();
        check(
            planned,
            peak,
            &format!("{name} on lanes, n = {n}, {roots} roots"),
        );
        assert_eq!(workspace.dimension(), n, "{name}");
    }
}
