//! 100 000 members on 16 lanes beside one member at a time: nanoseconds per member-step.
//!
//! `cargo bench -p benchmarks --bench lanes [-- MEMBERS ROUNDS]`. Each round runs every candidate
//! once, single members on a thousandth of the members; medians are printed. Steps and states of
//! single runs are compared with those of the lanes, bit for bit.
#![expect(
    clippy::print_stdout,
    reason = "the ratios are the point of this program"
)]
#![expect(
    clippy::expect_used,
    reason = "a benchmark of a broken model has no result"
)]

use std::time::Instant;

use bifrons_lanes::LANES;
use bifrons_ode::{
    Closure, Dopri5, EnsembleWorkspace, Flow, LaneMethod, LaneProblem, MemberEnd, MemberSink,
    Method, Options, Problem, Rodas4, Rodas5P, Save, Step, Tolerance, solve, solve_members_with,
};
use bifrons_problems::LorenzLanes;

const TOLERANCE: f64 = 1e-6;

/// `x' = k x` with one `k` per member, from 1.
struct Decay<'p, const W: usize> {
    rates: &'p [f64],
    lanes: [f64; W],
}

impl<const W: usize> LaneProblem<W> for Decay<'_, W> {
    const DIMENSION: usize = 1;

    fn dimension(&self) -> usize {
        1
    }

    fn load(&mut self, lane: usize, member: usize, state: &mut [f64]) {
        self.lanes[lane] = self.rates[member];
        state[0] = 1.0;
    }

    #[inline(always)]
    fn rhs(&mut self, _t: &[f64; W], y: &[[f64; W]], dy: &mut [[f64; W]]) {
        for lane in 0..W {
            dy[0][lane] = self.lanes[lane] * y[0][lane];
        }
    }

    fn rhs_one(&mut self, lane: usize, _t: f64, y: &[f64], dy: &mut [f64]) {
        dy[0] = self.lanes[lane] * y[0];
    }
}

/// Robertson's reactions with one rate of the first per member, from the state (1, 0, 0).
struct Robertson<'p, const W: usize> {
    rates: &'p [f64],
    lanes: [f64; W],
}

impl<const W: usize> LaneProblem<W> for Robertson<'_, W> {
    const DIMENSION: usize = 3;

    fn dimension(&self) -> usize {
        3
    }

    fn load(&mut self, lane: usize, member: usize, state: &mut [f64]) {
        self.lanes[lane] = self.rates[member];
        state.copy_from_slice(&[1.0, 0.0, 0.0]);
    }

    #[inline(always)]
    fn rhs(&mut self, _t: &[f64; W], y: &[[f64; W]], dy: &mut [[f64; W]]) {
        let mut d = [[0.0; W]; 3];
        for lane in 0..W {
            let one = robertson(self.lanes[lane], [y[0][lane], y[1][lane], y[2][lane]]);
            for (d, one) in d.iter_mut().zip(one) {
                d[lane] = one;
            }
        }
        dy[..3].copy_from_slice(&d);
    }

    fn rhs_one(&mut self, lane: usize, _t: f64, y: &[f64], dy: &mut [f64]) {
        dy.copy_from_slice(&robertson(self.lanes[lane], [y[0], y[1], y[2]]));
    }
}

#[inline(always)]
fn robertson(rate: f64, y: [f64; 3]) -> [f64; 3] {
    let first = -rate * y[0] + 1e4 * y[1] * y[2];
    let last = 3e7 * y[1] * y[1];
    [first, -first - last, last]
}

/// Steps and final first components.
struct Total {
    steps: u64,
    last: Vec<f64>,
}

impl Total {
    fn new(members: usize) -> Self {
        Self {
            steps: 0,
            last: vec![f64::NAN; members],
        }
    }
}

impl<const W: usize> MemberSink<W> for Total {
    fn begin(&mut self, _lane: usize, _member: usize, _t0: f64, _state: &[f64]) -> f64 {
        f64::INFINITY
    }
    fn step(&mut self, _step: &Step<'_, W>) -> Flow {
        Flow::Until(f64::INFINITY)
    }
    fn end(&mut self, end: &MemberEnd<'_>) {
        self.steps += end.statistics.accepted + end.statistics.rejected;
        self.last[end.member] = end.state[0];
    }
}

/// How a candidate is solved.
#[derive(Clone, Copy)]
struct Task<'t> {
    method: Method,
    absolute: f64,
    y0: &'t [f64],
    t_end: f64,
}

impl Task<'_> {
    fn options(&self) -> Options {
        let tolerance = Tolerance::new(TOLERANCE, self.absolute).expect("valid");
        let mut options = Options::with_tolerance(tolerance);
        options.method = self.method;
        options
    }
}

fn on_lanes<M: LaneMethod, P: LaneProblem<LANES>>(
    mut problem: P,
    members: usize,
    task: Task<'_>,
) -> Total {
    let mut total = Total::new(members);
    let mut workspace = EnsembleWorkspace::<LANES>::for_method::<M>(problem.dimension(), 0);
    solve_members_with::<M, LANES, P, Total>(
        &mut problem,
        0..members,
        (0.0, task.t_end),
        &task.options(),
        &mut workspace,
        &mut total,
    )
    .expect("valid input");
    total
}

fn alone<P: Problem>(problem: impl Fn(f64) -> P, values: &[f64], task: Task<'_>) -> Total {
    let mut total = Total::new(values.len());
    let (options, y0, t_end) = (task.options(), task.y0, task.t_end);
    for (last, &value) in total.last.iter_mut().zip(values) {
        let mut problem = problem(value);
        let run = solve(&mut problem, 0.0, y0, t_end, &Save::Final, &options).expect("smooth");
        total.steps += run.statistics.accepted + run.statistics.rejected;
        *last = run.last_state[0];
    }
    total
}

/// Nanoseconds per step of both candidates in turn, medians of the rounds.
fn compare(
    name: &str,
    (target, ratio): (f64, f64),
    rounds: usize,
    lanes: impl Fn() -> Total,
    single: impl Fn() -> (Total, usize),
) {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        let start = Instant::now();
        let many = lanes();
        times[0].push(start.elapsed().as_nanos() as f64 / many.steps as f64);
        let start = Instant::now();
        let (few, stride) = single();
        times[1].push(start.elapsed().as_nanos() as f64 / few.steps as f64);
        for (i, last) in few.last.iter().enumerate() {
            assert_eq!(
                last.to_bits(),
                many.last[i * stride].to_bits(),
                "{name}: member {} alone and on lanes",
                i * stride
            );
        }
    }
    let [lanes, single] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    println!(
        "{name}: {lanes:.1} ns per member-step on lanes (target <= {target}), {single:.1} alone: \
         {:.1} times (target >= {ratio})",
        single / lanes
    );
}

fn spread(start: f64, stop: f64, count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count)
        .map(|i| start + (stop - start) * i as f64 / last)
        .collect()
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let members = numbers.first().copied().unwrap_or(100_000);
    let rounds = numbers.get(1).copied().unwrap_or(5).max(1);
    let stride = (members / 100).max(1);
    println!(
        "{members} members, 16 lanes, rtol = atol = {TOLERANCE:e}, medians of {rounds} rounds"
    );

    decay(members, rounds, stride);
    lorenz(members, rounds, stride);
    stiff::<Rodas4>("Robertson, Rodas4", Method::Rodas4, members, rounds);
    stiff::<Rodas5P>("Robertson, Rodas5P", Method::Rodas5P, members, rounds);
}

fn decay(members: usize, rounds: usize, stride: usize) {
    let rates = spread(-0.5, -2.5, members);
    let few: Vec<f64> = rates.iter().step_by(stride).copied().collect();
    let task = Task {
        method: Method::Dopri5,
        absolute: TOLERANCE,
        y0: &[1.0],
        t_end: 5.0,
    };
    compare(
        "decay",
        (12.0, 5.0),
        rounds,
        || {
            let problem = Decay::<LANES> {
                rates: &rates,
                lanes: [0.0; LANES],
            };
            on_lanes::<Dopri5, _>(problem, members, task)
        },
        || {
            let decay = |k: f64| Closure::<_, 1>::fixed(move |_t, y, dy| dy[0] = k * y[0]);
            (alone(decay, &few, task), stride)
        },
    );
}

fn lorenz(members: usize, rounds: usize, stride: usize) {
    let rho = spread(27.0, 29.0, members);
    let few: Vec<f64> = rho.iter().step_by(stride).copied().collect();
    let task = Task {
        method: Method::Dopri5,
        absolute: TOLERANCE,
        y0: &[1.0, 0.0, 0.0],
        t_end: 2.0,
    };
    compare(
        "Lorenz",
        (25.0, 5.0),
        rounds,
        || on_lanes::<Dopri5, _>(LorenzLanes::<LANES>::new(&rho), members, task),
        || (alone(LorenzLanes::<1>::alone, &few, task), stride),
    );
}

/// Robertson's reactions up to 1e4: implicit steps, a twentieth of the members.
fn stiff<M: LaneMethod>(name: &str, method: Method, members: usize, rounds: usize) {
    let members = (members / 20).max(1);
    let stride = (members / 100).max(1);
    let rates = spread(0.02, 0.06, members);
    let few: Vec<f64> = rates.iter().step_by(stride).copied().collect();
    let task = Task {
        method,
        absolute: 1e-4 * TOLERANCE,
        y0: &[1.0, 0.0, 0.0],
        t_end: 1e4,
    };
    compare(
        name,
        (80.0, 4.0),
        rounds,
        || {
            let problem = Robertson::<LANES> {
                rates: &rates,
                lanes: [0.0; LANES],
            };
            on_lanes::<M, _>(problem, members, task)
        },
        || {
            let single = |rate: f64| {
                Closure::<_, 3>::fixed(move |_t, y: &[f64], dy: &mut [f64]| {
                    dy.copy_from_slice(&robertson(rate, [y[0], y[1], y[2]]));
                })
            };
            (alone(single, &few, task), stride)
        },
    );
}
