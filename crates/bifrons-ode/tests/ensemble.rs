//! Members in lanes: the bits of a run alone, refilled lanes, failures that disturb nobody.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_lanes::Level;
use bifrons_ode::{
    EnsembleWorkspace, Failure, Flow, LaneProblem, MemberEnd, MemberSink, Options, Save,
    SolveError, Statistics, Step, Tolerance, closure, solve, solve_members,
};
use proptest::prelude::*;

/// Lorenz with one ρ per member.
struct Lorenz<'p, const W: usize> {
    rho: &'p [f64],
    lanes: [f64; W],
}

impl<'p, const W: usize> Lorenz<'p, W> {
    fn new(rho: &'p [f64]) -> Self {
        Self {
            rho,
            lanes: [0.0; W],
        }
    }
}

fn scalar(rho: f64, y: [f64; 3]) -> [f64; 3] {
    [
        10.0 * (y[1] - y[0]),
        y[0] * (rho - y[2]) - y[1],
        y[0] * y[1] - 8.0 / 3.0 * y[2],
    ]
}

impl<const W: usize> LaneProblem<W> for Lorenz<'_, W> {
    fn dimension(&self) -> usize {
        3
    }
    fn load(&mut self, lane: usize, member: usize, state: &mut [f64]) {
        self.lanes[lane] = self.rho[member];
        state.copy_from_slice(&[1.0, 0.0, 0.0]);
    }
    #[inline(always)]
    fn rhs(&mut self, _t: &[f64; W], y: &[[f64; W]], dy: &mut [[f64; W]]) {
        for l in 0..W {
            let d = scalar(self.lanes[l], [y[0][l], y[1][l], y[2][l]]);
            for i in 0..3 {
                dy[i][l] = d[i];
            }
        }
    }
    fn rhs_one(&mut self, lane: usize, _t: f64, y: &[f64], dy: &mut [f64]) {
        dy.copy_from_slice(&scalar(self.lanes[lane], [y[0], y[1], y[2]]));
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Member {
    rows: Vec<u64>,
    end: Vec<u64>,
    t: u64,
    failure: Option<Failure>,
    statistics: Statistics,
}

struct Collect<'t, const W: usize> {
    times: &'t [f64],
    next: [usize; W],
    rows: Vec<Vec<u64>>,
    members: Vec<Option<Member>>,
    most_members_of_a_lane: [usize; W],
}

impl<const W: usize> MemberSink<W> for Collect<'_, W> {
    fn begin(&mut self, lane: usize, member: usize, _t0: f64, _state: &[f64]) -> f64 {
        self.next[lane] = 0;
        self.rows[member].clear();
        self.most_members_of_a_lane[lane] += 1;
        self.times.first().copied().unwrap_or(f64::INFINITY)
    }
    fn step(&mut self, step: &Step<'_, W>) -> Flow {
        let next = &mut self.next[step.lane()];
        let mut state = [0.0; 3];
        while let Some(&t) = self.times.get(*next)
            && t <= step.t_new()
        {
            step.state_at(t, &mut state);
            self.rows[step.member()].extend(state.map(f64::to_bits));
            *next += 1;
        }
        Flow::Until(self.times.get(*next).copied().unwrap_or(f64::INFINITY))
    }
    fn end(&mut self, end: &MemberEnd<'_>) {
        self.members[end.member] = Some(Member {
            rows: self.rows[end.member].clone(),
            end: end.state.iter().map(|y| y.to_bits()).collect(),
            t: end.t.to_bits(),
            failure: end.failure,
            statistics: end.statistics,
        });
    }
}

fn options() -> Options {
    Options::with_tolerance(Tolerance::new(1e-6, 1e-8).expect("valid"))
}

fn run<const W: usize>(rho: &[f64], times: &[f64], options: &Options, chunk: usize) -> Vec<Member> {
    let mut problem = Lorenz::<W>::new(rho);
    let mut workspace = EnsembleWorkspace::<W>::new(3);
    let mut sink = Collect {
        times,
        next: [0; W],
        rows: vec![Vec::new(); rho.len()],
        members: vec![None; rho.len()],
        most_members_of_a_lane: [0; W],
    };
    let mut start = 0;
    while start < rho.len() {
        let end = (start + chunk).min(rho.len());
        solve_members(
            &mut problem,
            start..end,
            0.0,
            3.0,
            options,
            &mut workspace,
            &mut sink,
        )
        .expect("valid input");
        start = end;
    }
    let loads: usize = sink.most_members_of_a_lane.iter().sum();
    assert_eq!(loads, rho.len(), "every member is loaded once");
    sink.members
        .into_iter()
        .map(|m| m.expect("every member ends"))
        .collect()
}

fn alone(rho: f64, times: &[f64]) -> (Vec<u64>, Statistics) {
    let mut problem = closure(3, move |_t, y, dy| {
        dy.copy_from_slice(&scalar(rho, [y[0], y[1], y[2]]));
    });
    let save = Save::Times(times.to_vec());
    let solution =
        solve(&mut problem, 0.0, &[1.0, 0.0, 0.0], 3.0, &save, &options()).expect("smooth");
    (
        solution.states.iter().map(|y| y.to_bits()).collect(),
        solution.statistics,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_member_in_a_lane_has_the_bits_of_the_run_alone(
        rho in prop::collection::vec(0.5_f64..60.0, 1..40),
        chunk in 1_usize..50,
    ) {
        let times = [0.3, 1.0, 1.01, 2.9, 3.0];
        let reference = run::<1>(&rho, &times, &options(), rho.len());
        for level in Level::available() {
            let mut settings = options();
            settings.level = Some(level);
            prop_assert_eq!(&run::<4>(&rho, &times, &settings, chunk), &reference);
            prop_assert_eq!(&run::<16>(&rho, &times, &settings, chunk), &reference);
        }
        for (member, &rho) in reference.iter().zip(&rho) {
            let (rows, statistics) = alone(rho, &times);
            prop_assert_eq!(&member.rows, &rows);
            prop_assert_eq!(member.statistics, statistics);
        }
        let mut reversed = rho.clone();
        reversed.reverse();
        let mut backwards = run::<16>(&reversed, &times, &options(), chunk);
        backwards.reverse();
        prop_assert_eq!(&backwards, &reference);
    }
}

#[test]
fn a_bad_member_disturbs_nobody() {
    let good = [10.0, 28.0, 40.0];
    let bad = [10.0, f64::NAN, 28.0, f64::INFINITY, 40.0];
    let reference = run::<16>(&good, &[3.0], &options(), 16);
    let with_bad = run::<16>(&bad, &[3.0], &options(), 16);
    for (good, index) in reference.iter().zip([0, 2, 4]) {
        assert_eq!(good, &with_bad[index], "member {index}");
    }
    for index in [1, 3] {
        let failure = with_bad[index].failure;
        assert!(
            matches!(
                failure,
                Some(Failure::InitialDerivative { component: 1, .. })
            ),
            "member {index}: {failure:?}"
        );
    }
}

#[test]
fn every_member_has_its_own_step_budget() {
    let rho = [0.5, 60.0, 0.6, 55.0];
    let free = run::<4>(&rho, &[], &options(), 4);
    let attempts = |m: &Member| m.statistics.accepted + m.statistics.rejected;
    let mut settings = options();
    settings.max_steps = attempts(&free[0]).max(attempts(&free[2])) + 1;
    let limited = run::<4>(&rho, &[], &settings, 4);
    for index in [0, 2] {
        assert_eq!(
            limited[index], free[index],
            "member {index} needs fewer steps"
        );
    }
    for index in [1, 3] {
        let failure = limited[index].failure;
        assert!(
            matches!(failure, Some(Failure::StepBudget { .. })),
            "{index}: {failure:?}"
        );
        assert!(f64::from_bits(limited[index].t) < 3.0, "valid part only");
    }
}

#[test]
fn no_members_is_a_valid_run() {
    assert!(
        run::<16>(&[], &[1.0], &options(), 8).is_empty(),
        "empty result"
    );
}

#[test]
fn workspace_of_another_dimension_is_refused() {
    let mut problem = Lorenz::<4>::new(&[1.0]);
    let mut workspace = EnsembleWorkspace::<4>::new(2);
    let mut sink = Collect::<4> {
        times: &[],
        next: [0; 4],
        rows: vec![],
        members: vec![],
        most_members_of_a_lane: [0; 4],
    };
    let error = solve_members(
        &mut problem,
        0..1,
        0.0,
        1.0,
        &options(),
        &mut workspace,
        &mut sink,
    )
    .expect_err("dimension");
    let expected = bifrons_ode::InputError::Workspace {
        found: 2,
        required: 3,
    };
    assert_eq!(error, expected, "typed error");
}

#[test]
fn tolerances_below_round_off_end_a_member_as_alone() {
    let rho = [0.5, 28.0, 24.0, 0.7, 40.0];
    let options = Options::with_tolerance(Tolerance::new(0.0, 2e-15).expect("valid"));
    let members = run::<4>(&rho, &[], &options, 5);
    assert_eq!(members, run::<1>(&rho, &[], &options, 5));
    assert_eq!(members, run::<16>(&rho, &[], &options, 5));
    for (member, rho) in members.iter().zip(rho) {
        let mut problem = closure(3, |_t, y: &[f64], dy: &mut [f64]| {
            dy.copy_from_slice(&scalar(rho, [y[0], y[1], y[2]]));
        });
        let (y0, save) = ([1.0, 0.0, 0.0], Save::Final);
        let (alone, failure) = match solve(&mut problem, 0.0, &y0, 3.0, &save, &options) {
            Ok(solution) => (solution, None),
            Err(SolveError::Failed { failure, partial }) => (*partial, Some(failure)),
            Err(error) => unreachable!("{error:?}"),
        };
        assert_eq!(member.failure, failure, "{rho}");
        // States of the attractor are above ten, those of the decaying members below one.
        let small =
            matches!(failure, Some(Failure::ToleranceTooSmall { factor, .. }) if factor > 1.0);
        assert_eq!(small, rho > 1.0, "{rho}: {failure:?}");
        assert_eq!(member.t, alone.last_time.to_bits(), "{rho}");
        let end: Vec<u64> = alone.last_state.iter().map(|y| y.to_bits()).collect();
        assert_eq!(member.end, end, "{rho}");
    }
}
