//! Every form of every problem against its reference.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_ode::{EnsembleWorkspace, Flow, MemberEnd, MemberSink, Options, Save, Step, Tolerance};
use bifrons_ode::{solve, solve_members};
use bifrons_problems::{LorenzLanes, Reference};
use bifrons_sim::{Recording, Simulation, Sweep};

fn options(tolerance: f64) -> Options {
    Options::with_tolerance(Tolerance::new(tolerance, tolerance).expect("valid"))
}

#[test]
fn closures_reach_every_reference_point() {
    for problem in Reference::all() {
        for point in problem.points {
            for (tolerance, factor) in [(1e-4, 300.0), (1e-7, 300.0), (1e-10, 300.0)] {
                let run = solve(
                    &mut problem.problem(),
                    0.0,
                    problem.initial,
                    point.t,
                    &Save::Final,
                    &options(tolerance),
                );
                let error = problem.error(&run.expect("smooth").last_state, point);
                // Lorenz amplifies errors by exp(0.9 t), the oscillator adds them up over t.
                let growth = if problem.name == "lorenz" {
                    (0.9 * point.t).exp()
                } else {
                    point.t
                };
                let allowed = factor * tolerance * growth.max(1.0);
                assert!(
                    error <= allowed,
                    "{} at {}: error {error:e} for tolerance {tolerance:e}",
                    problem.name,
                    point.t
                );
            }
        }
    }
}

#[test]
fn diagrams_reach_the_references() {
    let decay = bifrons_problems::decay().expect("diagram");
    let oscillator = bifrons_problems::oscillator(1.0).expect("diagram");
    let lorenz = bifrons_problems::lorenz().expect("diagram");
    let cases = [
        (Reference::decay(), decay),
        (Reference::oscillator(), oscillator),
        (Reference::lorenz(), lorenz),
    ];
    for (problem, system) in cases {
        let point = &problem.points[1];
        let run = Simulation::builder(&system)
            .span(0.0, point.t)
            .tolerance(1e-10, 1e-10)
            .record(Recording::final_values())
            .build()
            .expect("valid run")
            .run()
            .expect("smooth");
        let state: Vec<f64> = run
            .names()
            .map(|name| run.signal(name).expect("recorded")[0])
            .collect();
        let error = problem.error(&state, point);
        assert!(error < 1e-6, "{}: error {error:e}", problem.name);
    }
}

struct Ends(Vec<[u64; 3]>);

impl<const W: usize> MemberSink<W> for Ends {
    fn begin(&mut self, _lane: usize, _member: usize, _t0: f64, _state: &[f64]) -> f64 {
        f64::INFINITY
    }
    fn step(&mut self, _step: &Step<'_, W>) -> Flow {
        Flow::Until(f64::INFINITY)
    }
    fn end(&mut self, end: &MemberEnd<'_>) {
        self.0[end.member] = [0, 1, 2].map(|i| end.state[i].to_bits());
    }
}

#[test]
fn diagram_lanes_and_closure_of_lorenz_agree_bit_for_bit() {
    let rho: Vec<f64> = (0..37).map(|i| 20.0 + 0.5 * f64::from(i)).collect();
    let mut ends = Ends(vec![[0; 3]; rho.len()]);
    let mut workspace = EnsembleWorkspace::<16>::new(3);
    let mut lanes = LorenzLanes::<16>::new(&rho);
    solve_members(
        &mut lanes,
        0..37,
        0.0,
        2.0,
        &options(1e-6),
        &mut workspace,
        &mut ends,
    )
    .expect("valid");
    let system = bifrons_problems::lorenz().expect("diagram");
    let sweep = Sweep::builder(&system)
        .span(0.0, 2.0)
        .column("fy.rho", rho.clone())
        .tolerance(1e-6, 1e-6)
        .build()
        .expect("valid sweep")
        .run()
        .expect("fits");
    for (member, &rho) in rho.iter().enumerate() {
        let mut alone = LorenzLanes::<1>::alone(rho);
        let run = solve(
            &mut alone,
            0.0,
            &[1.0, 0.0, 0.0],
            2.0,
            &Save::Final,
            &options(1e-6),
        );
        let state = run.expect("smooth").last_state;
        let alone = [0, 1, 2].map(|i| state[i].to_bits());
        assert_eq!(ends.0[member], alone, "lanes, member {member}");
        let diagram =
            ["x", "y", "z"].map(|name| sweep.rows(name, member).expect("recorded")[0].to_bits());
        assert_eq!(diagram, alone, "diagram, member {member}");
    }
}
