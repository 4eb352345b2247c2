//! Predicted and measured bytes of the heap; no allocation per step. One thread, own process.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_memory::profiler::{CountingAllocator, Scope};
use bifrons_ode::{Bs32, Dopri5, EnsembleWorkspace, Flow, LaneMethod, LaneProblem, MemberEnd};
use bifrons_ode::{MemberSink, Method, Options, Problem, Rodas4, Rodas5P, RunSize, Save, Solution};
use bifrons_ode::{Step, Tolerance, Tsit5, closure, solve, solve_members_with};

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
    // Arrays of the stages and of the member, and the last state.
    let (_, blocks, _) = run(3, 0, 1.0, &Save::Final, &options(Method::Dopri5));
    assert_eq!(blocks, 2, "a plain run");
    lanes::<Dopri5>("Dopri5");
    lanes::<Tsit5>("Tsit5");
    lanes::<Bs32>("Bs32");
    lanes::<Rodas4>("Rodas4");
    lanes::<Rodas5P>("Rodas5P");
    members::<Dopri5>("Dopri5");
    members::<Rodas4>("Rodas4");
    members::<Rodas5P>("Rodas5P");
}

/// Decay to a driven state at a rate per member.
struct Decay([f64; 16]);

impl LaneProblem<16> for Decay {
    fn dimension(&self) -> usize {
        2
    }
    fn load(&mut self, lane: usize, member: usize, state: &mut [f64]) {
        self.0[lane] = 1.0 + member as f64;
        state.fill(1.0);
    }
    fn rhs(&mut self, t: &[f64; 16], y: &[[f64; 16]], dy: &mut [[f64; 16]]) {
        for l in 0..16 {
            dy[0][l] = self.0[l] * (t[l] - y[0][l]);
            dy[1][l] = y[0][l] - y[1][l];
        }
    }
    fn rhs_one(&mut self, lane: usize, t: f64, y: &[f64], dy: &mut [f64]) {
        dy[0] = self.0[lane] * (t - y[0]);
        dy[1] = y[0] - y[1];
    }
}

struct Count(usize);

impl MemberSink<16> for Count {
    fn begin(&mut self, _lane: usize, _member: usize, _t0: f64, _state: &[f64]) -> f64 {
        f64::NEG_INFINITY
    }
    fn step(&mut self, step: &Step<'_, 16>) -> Flow {
        self.0 += usize::from(step.coefficients(0)[0].is_finite());
        Flow::Until(f64::NEG_INFINITY)
    }
    fn end(&mut self, end: &MemberEnd<'_>) {
        assert!(end.failure.is_none(), "{:?}", end.failure);
    }
}

/// A run on lanes allocates nothing at all.
fn members<M: LaneMethod>(name: &str) {
    let mut workspace = EnsembleWorkspace::<16>::for_method::<M>(2, 0);
    let (mut problem, mut sink) = (Decay([0.0; 16]), Count(0));
    let settings = options(Method::Dopri5);
    let (_, blocks, found) = measured(|| {
        let (workspace, sink) = (&mut workspace, &mut sink);
        solve_members_with::<M, 16, _, _>(
            &mut problem,
            0..50,
            (0.0, 2.0),
            &settings,
            workspace,
            sink,
        )
    });
    assert_eq!(found, Ok(()), "{name}");
    assert!(sink.0 > 500, "{name}: {} steps", sink.0);
    assert_eq!(blocks, 0, "{name} on lanes");
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
