//! Members of stiff problems on lanes: the bits of the single runs, whatever shares their lanes.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_lanes::Level;
use bifrons_ode::{EnsembleWorkspace, Failure, Flow, InputError, LaneMethod, LaneProblem};
use bifrons_ode::{Fault, MatrixMut, Options, Problem, Save, SolveError, Statistics, Tolerance};
use bifrons_ode::{MemberEnd, MemberSink, Method, Rodas4, Rodas5P, Step};
use bifrons_ode::{solve, solve_members_with};

const MEMBERS: usize = 23;
const ROWS: [f64; 4] = [0.1, 0.35, 0.7, 0.95];

/// Of time, state and parameter.
type Rhs = fn(f64, &[f64], f64, &mut [f64]);
/// Of state and parameter.
type Jacobian = fn(&[f64], f64, &mut [f64]);
/// The parameter and the state that a member starts with.
type Start = fn(usize) -> (f64, Vec<f64>);

/// A problem with one parameter, written for one member.
#[derive(Clone, Copy)]
struct Family {
    name: &'static str,
    n: usize,
    t_end: f64,
    relative: f64,
    rhs: Rhs,
    /// `out[j n + i] = ∂f_i/∂y_j`.
    jacobian: Option<Jacobian>,
    initial: Start,
}

/// Rows are exchanged while the state jumps.
const VAN_DER_POL: Family = Family {
    name: "van der Pol",
    n: 2,
    t_end: 150.0,
    relative: 1e-5,
    rhs: |_t, y, mu, dy| {
        dy[0] = y[1];
        dy[1] = mu * (1.0 - y[0] * y[0]) * y[1] - y[0];
    },
    jacobian: None,
    initial: |member| (20.0 + 4.0 * member as f64, vec![2.0, 0.0]),
};

const ROBERTSON: Family = Family {
    name: "Robertson",
    n: 3,
    t_end: 1e4,
    relative: 1e-6,
    rhs: |_t, y, k, dy| {
        dy[0] = -k * y[0] + 1e4 * y[1] * y[2];
        dy[2] = 3e7 * y[1] * y[1];
        dy[1] = -dy[0] - dy[2];
    },
    jacobian: Some(|y, k, out| {
        out.copy_from_slice(&[
            -k,
            k,
            0.0,
            1e4 * y[2],
            -1e4 * y[2] - 6e7 * y[1],
            6e7 * y[1],
            1e4 * y[1],
            -1e4 * y[1],
            0.0,
        ]);
    }),
    initial: |member| (0.02 + 0.002 * member as f64, vec![1.0, 0.0, 0.0]),
};

/// More components than are unrolled, a right-hand side that depends on time, and one that does
/// not exist for negative arguments: differences have to go down.
const CHAIN: Family = Family {
    name: "driven chain",
    n: 11,
    t_end: 3.0,
    relative: 1e-5,
    rhs: |t, y, k, dy| {
        let n = y.len();
        for i in 0..n {
            let left = if i > 0 {
                y[i - 1]
            } else {
                0.5 * (2.0 * t).sin()
            };
            let right = if i + 1 < n { y[i + 1] } else { 0.0 };
            dy[i] = k * (left - 2.0 * y[i] + right) - y[i] * y[i] * y[i];
        }
        dy[0] -= (1.0 - y[n - 1]).sqrt();
    },
    jacobian: None,
    initial: |member| {
        let mut y = vec![0.5; 11];
        y[10] = 1.0;
        (100.0 + 30.0 * member as f64, y)
    },
};

#[derive(Debug, Clone, Default, PartialEq)]
struct Run {
    rows: Vec<u64>,
    end: Vec<u64>,
    failure: Option<Failure>,
    counts: [u64; 5],
}

const fn counts(s: &Statistics) -> [u64; 5] {
    [s.accepted, s.rejected, s.rhs, s.jacobians, s.factorisations]
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

struct Lanes<const W: usize> {
    family: Family,
    parameter: [f64; W],
    broken: Option<usize>,
    is_broken: [bool; W],
}

impl<const W: usize> LaneProblem<W> for Lanes<W> {
    fn dimension(&self) -> usize {
        self.family.n
    }
    fn load(&mut self, lane: usize, member: usize, state: &mut [f64]) {
        let (parameter, y0) = (self.family.initial)(member);
        self.parameter[lane] = parameter;
        self.is_broken[lane] = self.broken == Some(member);
        state.copy_from_slice(&y0);
    }
    fn rhs(&mut self, t: &[f64; W], y: &[[f64; W]], dy: &mut [[f64; W]]) {
        let (mut one, mut out) = (vec![0.0; y.len()], vec![0.0; y.len()]);
        for l in 0..W {
            for (one, y) in one.iter_mut().zip(y) {
                *one = y[l];
            }
            self.rhs_one(l, t[l], &one, &mut out);
            for (dy, out) in dy.iter_mut().zip(&out) {
                dy[l] = *out;
            }
        }
    }
    fn rhs_one(&mut self, lane: usize, t: f64, y: &[f64], dy: &mut [f64]) {
        (self.family.rhs)(t, y, self.parameter[lane], dy);
        if self.is_broken[lane] && t > 0.5 * self.family.t_end {
            dy[0] = f64::NAN;
        }
    }
    fn jacobian(&mut self, _t: &[f64; W], y: &[[f64; W]], out: &mut [[f64; W]]) -> bool {
        let Some(jacobian) = self.family.jacobian else {
            return false;
        };
        let (mut one, mut values) = (vec![0.0; y.len()], vec![0.0; y.len() * y.len()]);
        for l in 0..W {
            for (one, y) in one.iter_mut().zip(y) {
                *one = y[l];
            }
            jacobian(&one, self.parameter[l], &mut values);
            for (out, value) in out.iter_mut().zip(&values) {
                out[l] = *value;
            }
        }
        true
    }
}

struct Collect {
    t_end: f64,
    next: Vec<usize>,
    runs: Vec<Run>,
}

impl Collect {
    fn due(&self, member: usize) -> f64 {
        let share = ROWS.get(self.next[member]);
        share.map_or(f64::INFINITY, |share| share * self.t_end)
    }
}

impl<const W: usize> MemberSink<W> for Collect {
    fn begin(&mut self, _lane: usize, member: usize, _t0: f64, _state: &[f64]) -> f64 {
        self.due(member)
    }
    fn step(&mut self, step: &Step<'_, W>) -> Flow {
        let member = step.member();
        let mut state = vec![0.0; step.dimension()];
        while self.due(member) <= step.t_new() {
            step.state_at(self.due(member), &mut state);
            self.runs[member].rows.extend(bits(&state));
            self.next[member] += 1;
        }
        Flow::Until(self.due(member))
    }
    fn end(&mut self, end: &MemberEnd<'_>) {
        let run = &mut self.runs[end.member];
        run.end = bits(end.state);
        run.end.push(end.t.to_bits());
        run.failure = end.failure;
        run.counts = counts(&end.statistics);
    }
}

fn options(family: &Family, method: Method) -> Options {
    let tolerance = Tolerance::new(family.relative, 1e-4 * family.relative).expect("valid");
    let mut options = Options::with_tolerance(tolerance);
    options.method = method;
    options
}

/// `order` are the ranges of members, one after another.
fn ensemble<M: LaneMethod, const W: usize>(
    family: Family,
    broken: Option<usize>,
    order: &[core::ops::Range<usize>],
    level: Level,
) -> Vec<Run> {
    let mut problem = Lanes::<W> {
        family,
        parameter: [0.0; W],
        broken,
        is_broken: [false; W],
    };
    let mut workspace = EnsembleWorkspace::<W>::for_method::<M>(family.n, 0);
    let mut sink = Collect {
        t_end: family.t_end,
        next: vec![0; MEMBERS],
        runs: vec![Run::default(); MEMBERS],
    };
    let mut settings = options(&family, Method::Dopri5);
    settings.level = Some(level);
    for members in order {
        let (span, members) = ((0.0, family.t_end), members.clone());
        let (workspace, sink) = (&mut workspace, &mut sink);
        solve_members_with::<M, W, _, _>(&mut problem, members, span, &settings, workspace, sink)
            .expect("valid input");
    }
    sink.runs
}

/// One member as a problem of its own.
struct Single {
    family: Family,
    parameter: f64,
    broken: bool,
}

impl Problem for Single {
    fn dimension(&self) -> usize {
        self.family.n
    }
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        (self.family.rhs)(t, y, self.parameter, dy);
        let missing = self.broken && t > 0.5 * self.family.t_end;
        if missing || dy.iter().any(|v| !v.is_finite()) {
            return Err(Fault::Recoverable);
        }
        Ok(())
    }
    fn has_jacobian(&self) -> bool {
        self.family.jacobian.is_some()
    }
    fn jacobian(&mut self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        let n = self.family.n;
        let mut values = vec![0.0; n * n];
        if let Some(jacobian) = self.family.jacobian {
            jacobian(y, self.parameter, &mut values);
        }
        for (k, value) in values.into_iter().enumerate() {
            out.set(k % n, k / n, value);
        }
        Ok(())
    }
}

fn alone(family: &Family, method: Method, member: usize, broken: bool) -> Run {
    let (parameter, y0) = (family.initial)(member);
    let save = Save::Times(ROWS.iter().map(|share| share * family.t_end).collect());
    let mut problem = Single {
        family: *family,
        parameter,
        broken,
    };
    let settings = options(family, method);
    let run = solve(&mut problem, 0.0, &y0, family.t_end, &save, &settings);
    let (solution, failure) = match run {
        Ok(solution) => (solution, None),
        Err(SolveError::Failed { failure, partial }) => (*partial, Some(failure)),
        Err(other) => unreachable!("input is valid: {other:?}"),
    };
    let mut end = bits(&solution.last_state);
    end.push(solution.last_time.to_bits());
    Run {
        rows: bits(&solution.states),
        end,
        failure,
        counts: counts(&solution.statistics),
    }
}

fn compare<M: LaneMethod>(method: Method) {
    let whole = 0..MEMBERS;
    for family in [VAN_DER_POL, ROBERTSON, CHAIN] {
        let single: Vec<Run> = (0..MEMBERS)
            .map(|member| alone(&family, method, member, false))
            .collect();
        let rejected: u64 = single.iter().map(|run| run.counts[1]).sum();
        assert!(rejected > 0, "{}: rejected steps occur", family.name);
        let level = Level::detect();
        let mut runs = vec![
            ensemble::<M, 1>(family, None, core::slice::from_ref(&whole), level),
            ensemble::<M, 4>(family, None, &[11..23, 3..11, 0..3], level),
        ];
        for level in Level::available() {
            runs.push(ensemble::<M, 16>(
                family,
                None,
                core::slice::from_ref(&whole),
                level,
            ));
        }
        for (k, lanes) in runs.iter().enumerate() {
            for (member, (lane, single)) in lanes.iter().zip(&single).enumerate() {
                assert_eq!(lane, single, "{} {method:?}, {k}, {member}", family.name);
            }
        }
    }
}

#[test]
fn members_have_the_bits_of_single_runs_rodas4() {
    compare::<Rodas4>(Method::Rodas4);
}

#[test]
fn members_have_the_bits_of_single_runs_rodas5p() {
    compare::<Rodas5P>(Method::Rodas5P);
}

/// Threads take ranges of members; who computes a member does not change it.
#[test]
fn bits_do_not_depend_on_threads() {
    let level = Level::detect();
    let whole = 0..MEMBERS;
    let one = ensemble::<Rodas5P, 16>(ROBERTSON, None, core::slice::from_ref(&whole), level);
    for count in [2, 3, 4] {
        let share = MEMBERS.div_ceil(count);
        let parts: Vec<Vec<Run>> = std::thread::scope(|scope| {
            let spawn = |k: usize| {
                let members = k * share..((k + 1) * share).min(MEMBERS);
                scope.spawn(move || ensemble::<Rodas5P, 16>(ROBERTSON, None, &[members], level))
            };
            let handles: Vec<_> = (0..count).map(spawn).collect();
            handles
                .into_iter()
                .map(|handle| handle.join().expect("no panic"))
                .collect()
        });
        for (member, expected) in one.iter().enumerate() {
            assert_eq!(&parts[member / share][member], expected, "{count} threads");
        }
    }
}

/// A member whose derivative ceases to exist fails alone, its neighbours keep their bits.
#[test]
fn a_failing_member_disturbs_nobody() {
    let level = Level::detect();
    let whole = 0..MEMBERS;
    let sound = ensemble::<Rodas4, 16>(ROBERTSON, None, core::slice::from_ref(&whole), level);
    let runs = ensemble::<Rodas4, 16>(ROBERTSON, Some(5), core::slice::from_ref(&whole), level);
    for (member, (run, sound)) in runs.iter().zip(&sound).enumerate() {
        if member == 5 {
            let single = alone(&ROBERTSON, Method::Rodas4, member, true);
            assert!(
                matches!(run.failure, Some(Failure::StepUnderflow { .. })),
                "{:?}",
                run.failure
            );
            assert!(single.failure.is_some(), "the single run fails, too");
            // How short the last steps get differs by the rule for underflow.
            assert_eq!(run.rows, single.rows, "rows before the failure");
        } else {
            assert_eq!(run, sound, "member {member}");
        }
    }
}

#[test]
fn too_many_components_are_refused() {
    let family = Family {
        n: 65,
        initial: |_| (1.0, vec![0.5; 65]),
        ..CHAIN
    };
    let mut problem = Lanes::<4> {
        family,
        parameter: [0.0; 4],
        broken: None,
        is_broken: [false; 4],
    };
    let mut workspace = EnsembleWorkspace::<4>::for_method::<Rodas4>(65, 0);
    let mut sink = Collect {
        t_end: 1.0,
        next: vec![0; 1],
        runs: vec![Run::default(); 1],
    };
    let (span, settings) = ((0.0, 1.0), Options::default());
    let (workspace, sink) = (&mut workspace, &mut sink);
    let found =
        solve_members_with::<Rodas4, 4, _, _>(&mut problem, 0..1, span, &settings, workspace, sink);
    let expected = InputError::LaneDimension {
        found: 65,
        most: 64,
    };
    assert_eq!(found, Err(expected));
}
