//! The default method on problems of one to three states, beside the same method written by hand
//! for arrays of that size: microseconds per run and their ratio.
//!
//! `cargo bench -p benchmarks --bench by-hand [-- ROUNDS]`. The one by hand knows nothing but its
//! problem: no events, no outputs, no errors, no statistics. Both take the same steps up to the
//! rounding of their controllers, which the program checks. Candidates take turns; medians.
#![expect(
    clippy::print_stdout,
    reason = "the ratios are the point of this program"
)]
#![expect(
    clippy::expect_used,
    reason = "a benchmark of a broken model has no result"
)]

use std::hint::black_box;
use std::time::Instant;

use bifrons_ode::{Closure, Options, Save, Tolerance, solve};

/// Rows of Dormand and Prince (1980), the last one of them the weights of order 5.
const ROWS: [&[f64]; 6] = [
    &[0.2],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[
        19372.0 / 6561.0,
        -25360.0 / 2187.0,
        64448.0 / 6561.0,
        -212.0 / 729.0,
    ],
    &[
        9017.0 / 3168.0,
        -355.0 / 33.0,
        46732.0 / 5247.0,
        49.0 / 176.0,
        -5103.0 / 18656.0,
    ],
    &[
        35.0 / 384.0,
        0.0,
        500.0 / 1113.0,
        125.0 / 192.0,
        -2187.0 / 6784.0,
        11.0 / 84.0,
    ],
];
const NODES: [f64; 6] = [0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
/// Difference of the weights of orders 5 and 4.
const ERROR: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339_200.0,
    22.0 / 525.0,
    -0.025,
];

/// What a run found.
#[derive(Debug, Clone, Copy)]
struct Found<const N: usize> {
    state: [f64; N],
    steps: u64,
}

/// Mean square in the weights of the tolerances.
#[inline(always)]
fn mean_square<const N: usize>(v: [f64; N], weight: [f64; N]) -> f64 {
    let mut sum = 0.0;
    for i in 0..N {
        sum += (v[i] / weight[i]) * (v[i] / weight[i]);
    }
    sum / N as f64
}

/// Length of the first step, from the slope `k` and its change over an Euler step.
#[inline(always)]
fn first_step<const N: usize>(
    rhs: impl Fn(f64, &[f64; N]) -> [f64; N],
    y: &[f64; N],
    k: &[f64; N],
    tolerance: f64,
) -> f64 {
    let weight = y.map(|v| tolerance + tolerance * v.abs());
    let (d0, d1) = (mean_square(*y, weight), mean_square(*k, weight));
    let h0 = if d0 > 1e-10 && d1 > 1e-10 {
        0.01 * (d0 / d1).sqrt()
    } else {
        1e-6
    };
    let mut probe = *y;
    for i in 0..N {
        probe[i] += h0 * k[i];
    }
    let mut change = rhs(h0, &probe);
    for i in 0..N {
        change[i] -= k[i];
    }
    let steepest = d1.sqrt().max(mean_square(change, weight).sqrt() / h0);
    (100.0 * h0).min((0.01 / steepest).powf(0.2))
}

/// Fills the slopes after the first one and returns the new state.
#[inline(always)]
fn stages<const N: usize>(
    rhs: impl Fn(f64, &[f64; N]) -> [f64; N],
    t: f64,
    h: f64,
    y: &[f64; N],
    k: &mut [[f64; N]; 7],
) -> [f64; N] {
    let mut new = *y;
    for (s, row) in ROWS.iter().enumerate() {
        for i in 0..N {
            let mut sum = row[0] * k[0][i];
            for j in 1..row.len() {
                sum += row[j] * k[j][i];
            }
            new[i] = y[i] + h * sum;
        }
        k[s + 1] = rhs(t + NODES[s] * h, &new);
    }
    new
}

/// Norm of the local error between two states.
#[inline(always)]
fn error_norm<const N: usize>(
    h: f64,
    k: &[[f64; N]; 7],
    (old, new): (&[f64; N], &[f64; N]),
    tolerance: f64,
) -> f64 {
    let (mut error, mut weight) = ([0.0; N], [0.0; N]);
    for i in 0..N {
        let mut sum = 0.0;
        for j in 0..7 {
            sum += ERROR[j] * k[j][i];
        }
        error[i] = h * sum;
        weight[i] = tolerance + tolerance * old[i].abs().max(new[i].abs());
    }
    mean_square(error, weight).sqrt()
}

/// Dormand and Prince 5(4) with the PI controller and the first step of Hairer, Nørsett, Wanner
/// (1993), sections II.4 and IV.2, from time 0.
#[inline(always)]
fn by_hand<const N: usize>(
    rhs: impl Fn(f64, &[f64; N]) -> [f64; N],
    y0: [f64; N],
    t_end: f64,
    tolerance: f64,
) -> Found<N> {
    let (mut t, mut y) = (0.0_f64, y0);
    let mut k = [[0.0; N]; 7];
    k[0] = rhs(t, &y);
    let mut h = first_step(&rhs, &y, &k[0], tolerance).min(t_end);
    let (mut steps, mut past, mut growth) = (0, 1e-4_f64, 10.0_f64);
    while t < t_end {
        let last = t + 1.01 * h >= t_end;
        if last {
            h = t_end - t;
        }
        let new = stages(&rhs, t, h, &y, &mut k);
        let norm = error_norm(h, &k, (&y, &new), tolerance).max(1e-10);
        steps += 1;
        if norm <= 1.0 {
            t = if last { t_end } else { t + h };
            y = new;
            k[0] = k[6];
            h *= (0.9 * norm.powf(-0.17) * past.powf(0.04)).clamp(0.2, growth);
            past = norm.max(1e-4);
            growth = 10.0;
        } else {
            h *= (0.9 * norm.powf(-0.17)).clamp(0.2, 1.0);
            growth = 1.0;
        }
    }
    Found { state: y, steps }
}

fn ours<const N: usize>(
    rhs: impl Fn(f64, &[f64; N]) -> [f64; N],
    y0: [f64; N],
    t_end: f64,
    options: &Options,
) -> Found<N> {
    let mut problem = Closure::<_, N>::fixed(|t, y: &[f64], dy: &mut [f64]| {
        let y = y.first_chunk::<N>().expect("N states");
        dy.copy_from_slice(&rhs(t, y));
    });
    let run = solve(&mut problem, 0.0, &y0, t_end, &Save::Final, options).expect("smooth");
    Found {
        state: *run.last_state.first_chunk::<N>().expect("N states"),
        steps: run.statistics.accepted + run.statistics.rejected,
    }
}

/// Medians of both in turn, in microseconds per run, at three tolerances.
fn compare<const N: usize>(
    name: &str,
    rounds: usize,
    rhs: impl Fn(f64, &[f64; N]) -> [f64; N] + Copy,
    y0: [f64; N],
    t_end: f64,
) {
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let options = Options::with_tolerance(Tolerance::new(tolerance, tolerance).expect("valid"));
        let hand = || by_hand(rhs, black_box(y0), black_box(t_end), tolerance);
        let own = || ours(rhs, black_box(y0), black_box(t_end), &options);
        let (theirs, found) = (hand(), own());
        let apart = theirs.steps.abs_diff(found.steps);
        assert!(
            apart <= 2 + theirs.steps / 50,
            "{name} at {tolerance:e}: {} and {} attempts",
            theirs.steps,
            found.steps
        );
        let batch = 1 + 20_000 / found.steps;
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..rounds {
            let start = Instant::now();
            for _ in 0..batch {
                black_box(hand());
            }
            times[0].push(start.elapsed().as_nanos() as f64 / batch as f64);
            let start = Instant::now();
            for _ in 0..batch {
                black_box(own());
            }
            times[1].push(start.elapsed().as_nanos() as f64 / batch as f64);
        }
        let [hand, own] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2] / 1e3
        });
        let distance = (0..N)
            .map(|i| (theirs.state[i] - found.state[i]).abs())
            .fold(0.0, f64::max);
        println!(
            "{name}, {tolerance:e}: {own:.2} us, by hand {hand:.2}: {:.2} (target <= 1.15), \
             {} and {} attempts, {distance:.0e} apart",
            own / hand,
            found.steps,
            theirs.steps
        );
    }
}

fn main() {
    let rounds = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(31);
    println!("Dormand and Prince 5(4), final state, medians of {rounds} interleaved rounds");
    compare("decay", rounds, |_t, y: &[f64; 1]| [-y[0]], [1.0], 10.0);
    compare(
        "Lotka-Volterra",
        rounds,
        |_t, y: &[f64; 2]| [y[0] * (1.5 - y[1]), y[1] * (y[0] - 3.0)],
        [1.0, 1.0],
        10.0,
    );
    compare(
        "Lorenz",
        rounds,
        |_t, y: &[f64; 3]| {
            [
                10.0 * (y[1] - y[0]),
                y[0] * (28.0 - y[2]) - y[1],
                y[0] * y[1] - 8.0 / 3.0 * y[2],
            ]
        },
        [1.0, 0.0, 0.0],
        2.0,
    );
}
