//! Members of implicit methods in one workspace beside members that are solved afresh, and two
//! threads beside one.
//!
//! `cargo bench -p benchmarks --bench members [-- ROUNDS]`. Each round runs every candidate once;
//! medians are printed, with the ratios of the medians. Results are compared bit for bit.
#![expect(
    clippy::print_stdout,
    reason = "the ratios are the point of this program"
)]
#![expect(
    clippy::expect_used,
    reason = "a benchmark of a broken model has no result"
)]

use std::time::Instant;

use bifrons_ode::{
    Fault, ImplicitWorkspace, MatrixMut, MemberProblem, Method, Options, Pattern, Problem, Save,
    Structure, Tolerance, solve, solve_many,
};
use bifrons_parallel::Threads;

/// Heat in a square of 32 × 32 nodes with a conductivity per member: a source in a corner, cold
/// edges, the five-point pattern.
#[derive(Clone)]
struct Heat {
    structure: Structure,
    conductivity: f64,
}

const SIDE: usize = 32;

impl Heat {
    fn new() -> Self {
        let mut places = Vec::new();
        for node in 0..SIDE * SIDE {
            places.push((node, node));
            for other in neighbours(node).into_iter().flatten() {
                places.push((node, other));
            }
        }
        let pattern = Pattern::from_entries(SIDE * SIDE, &places).expect("inside");
        Self {
            structure: Structure::Sparse(pattern),
            conductivity: 1.0,
        }
    }
}

fn neighbours(node: usize) -> [Option<usize>; 4] {
    let (row, column) = (node / SIDE, node % SIDE);
    [
        (row > 0).then(|| node - SIDE),
        (row + 1 < SIDE).then(|| node + SIDE),
        (column > 0).then(|| node - 1),
        (column + 1 < SIDE).then(|| node + 1),
    ]
}

impl Problem for Heat {
    fn dimension(&self) -> usize {
        SIDE * SIDE
    }
    fn rhs(&mut self, t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Fault> {
        let scale = self.conductivity * (SIDE * SIDE) as f64;
        for (node, f) in f.iter_mut().enumerate() {
            let near = neighbours(node).into_iter().flatten();
            let sum: f64 = near.map(|other| y[other]).sum();
            *f = scale * (sum - 4.0 * y[node]);
        }
        f[SIDE + 1] += 100.0 * t.cos();
        Ok(())
    }
    fn structure(&self) -> &Structure {
        &self.structure
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, _t: f64, _y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        let scale = self.conductivity * (SIDE * SIDE) as f64;
        for node in 0..SIDE * SIDE {
            out.set(node, node, -4.0 * scale);
            for other in neighbours(node).into_iter().flatten() {
                out.set(node, other, scale);
            }
        }
        Ok(())
    }
}

impl MemberProblem for Heat {
    fn load(&mut self, member: usize, state: &mut [f64]) {
        self.conductivity = 0.5 + 0.05 * member as f64;
        for (node, y) in state.iter_mut().enumerate() {
            *y = (0.3 * (node % SIDE) as f64).sin() * (0.2 * (node / SIDE) as f64).cos();
        }
    }
}

/// Robertson's reactions with one rate of the first per member.
#[derive(Clone)]
struct Robertson(f64);

impl Problem for Robertson {
    const DIMENSION: usize = 3;

    fn dimension(&self) -> usize {
        3
    }
    fn rhs(&mut self, _t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Fault> {
        f[0] = -self.0 * y[0] + 1e4 * y[1] * y[2];
        f[2] = 3e7 * y[1] * y[1];
        f[1] = -f[0] - f[2];
        Ok(())
    }
}

impl MemberProblem for Robertson {
    fn load(&mut self, member: usize, state: &mut [f64]) {
        self.0 = 0.02 + 1e-4 * member as f64;
        state.copy_from_slice(&[1.0, 0.0, 0.0]);
    }
}

/// One member after the other, each with matrices of its own.
fn fresh<P: MemberProblem + Clone>(problem: &P, members: usize, how: &Options, t: f64) -> Vec<f64> {
    let (mut problem, mut y0) = (problem.clone(), vec![0.0; problem.dimension()]);
    let run = |member| {
        problem.load(member, &mut y0);
        let run = solve(&mut problem, 0.0, &y0, t, &Save::Final, how).expect("smooth");
        run.last_state[0]
    };
    (0..members).map(run).collect()
}

fn together<P: MemberProblem + Clone + Sync>(
    threads: &Threads,
    problem: &P,
    members: usize,
    how: &Options,
    t: f64,
) -> Vec<f64> {
    let (save, members) = (Save::Final, 0..members);
    solve_many(threads, problem, members, (0.0, t), &save, how, |_, run| {
        run.expect("smooth").last_state[0]
    })
    .expect("valid input")
}

fn compare<P: MemberProblem + Clone + Sync>(
    name: &str,
    problem: &P,
    members: usize,
    (method, t_end): (Method, f64),
    rounds: usize,
) {
    let tolerance = Tolerance::new(1e-5, 1e-8).expect("valid");
    let mut how = Options::with_tolerance(tolerance);
    how.method = method;
    let (one, two) = (Threads::one(), Threads::new(2).expect("two threads"));
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..rounds {
        let mut results = Vec::new();
        for (candidate, times) in times.iter_mut().enumerate() {
            let start = Instant::now();
            let ends = match candidate {
                0 => fresh(problem, members, &how, t_end),
                1 => together(&one, problem, members, &how, t_end),
                _ => together(&two, problem, members, &how, t_end),
            };
            times.push(start.elapsed().as_secs_f64() * 1e6 / members as f64);
            results.push(ends);
        }
        for other in &results[1..] {
            let same = results[0].iter().zip(other);
            assert!(
                same.clone().all(|(a, b)| a.to_bits() == b.to_bits()) && other.len() == members,
                "{name}: bits of single runs"
            );
        }
    }
    let [fresh, one, two] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    let workspace = ImplicitWorkspace::for_problem(problem, &how).expect("valid");
    println!(
        "{name}, {}: {fresh:.1} us per member afresh, {one:.1} in a workspace ({:.2} times), {two:.1} \
         on two threads ({:.2} times); {} analysis for all",
        method.name(),
        fresh / one,
        one / two,
        workspace.analyses()
    );
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let rounds = numbers.first().copied().unwrap_or(7).max(1);
    println!("rtol 1e-5, atol 1e-8, medians of {rounds} rounds");
    let (heat, robertson) = (Heat::new(), Robertson(0.0));
    for method in [Method::Bdf, Method::Radau] {
        compare("heat 32 x 32, t = 0.1", &heat, 12, (method, 0.1), rounds);
    }
    for method in [Method::Bdf, Method::Radau, Method::Rodas5P] {
        compare("Robertson, t = 1e4", &robertson, 400, (method, 1e4), rounds);
        compare(
            "Robertson, t = 1e-2",
            &robertson,
            2_000,
            (method, 1e-2),
            rounds,
        );
    }
}
