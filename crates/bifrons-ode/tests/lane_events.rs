//! Members with events on lanes: the bits of the single runs, for every number of lanes.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_ode::{Bs32, Dopri5, EnsembleWorkspace, Event, EventLog, Failure, Flow, InputError};
use bifrons_ode::{Crossing, Outcome, Problem, Response, RootRule, Save, Solution, SolveError};
use bifrons_ode::{LaneMethod, LaneProblem, MemberEnd, MemberEvent, MemberSink, Method, Options};
use bifrons_ode::{Rodas4, Rodas5P, Step, Tolerance, Tsit5};
use bifrons_ode::{closure, solve, solve_members_with};

const GRAVITY: f64 = 9.81;
const DRAG: f64 = 0.1;
const T_END: f64 = 5.0;
const MEMBERS: usize = 37;

/// Restitution and start height of a member; some members end early in different ways.
fn parameters(member: usize) -> (f64, f64) {
    (
        0.3 + 0.02 * (member % 33) as f64,
        1.0 + 0.1 * (member * 7 % 11) as f64,
    )
}

fn initial(member: usize) -> [f64; 2] {
    match member {
        5 => [0.0, 4.0],
        6 => [0.0, -1.0],
        _ => [parameters(member).1, 0.0],
    }
}

fn slope(v: f64) -> f64 {
    -GRAVITY - DRAG * v * v.abs()
}

/// The floor, an upward motion through a height, and a slow speed after the start.
fn functions(t: f64, x: f64, v: f64) -> [f64; 3] {
    [x, x - 0.4, v * v - 0.01 - 4.0 * (1.0 - t).max(0.0)]
}

fn rule(root: usize) -> RootRule {
    match root {
        0 => RootRule::new(Crossing::Falling),
        1 => RootRule::new(Crossing::Either),
        _ => RootRule::new(Crossing::Falling).terminal_after(9),
    }
}

fn handle(member: usize, event: &Event<'_>, y: &mut [f64]) -> Response {
    if event.roots.iter().any(|fired| fired.index == 0) {
        y[1] *= -parameters(member).0;
        return Response::Reset;
    }
    if member % 9 == 4 {
        Response::Kink
    } else {
        Response::Continue
    }
}

struct Balls<const W: usize> {
    member: [usize; W],
}

impl<const W: usize> LaneProblem<W> for Balls<W> {
    fn dimension(&self) -> usize {
        2
    }
    fn load(&mut self, lane: usize, member: usize, state: &mut [f64]) {
        self.member[lane] = member;
        state.copy_from_slice(&initial(member));
    }
    fn rhs(&mut self, _t: &[f64; W], y: &[[f64; W]], dy: &mut [[f64; W]]) {
        for l in 0..W {
            dy[0][l] = y[1][l];
            dy[1][l] = slope(y[1][l]);
        }
    }
    fn rhs_one(&mut self, _lane: usize, _t: f64, y: &[f64], dy: &mut [f64]) {
        dy[0] = y[1];
        dy[1] = slope(y[1]);
    }
    fn root_count(&self) -> usize {
        3
    }
    fn root_rule(&self, root: usize) -> RootRule {
        rule(root)
    }
    fn roots(&mut self, t: &[f64; W], y: &[[f64; W]], g: &mut [[f64; W]]) {
        for l in 0..W {
            let values = functions(t[l], y[0][l], y[1][l]);
            for (g, value) in g.iter_mut().zip(values) {
                g[l] = value;
            }
        }
    }
    fn roots_one(&mut self, _lane: usize, t: f64, y: &[f64], g: &mut [f64]) {
        g.copy_from_slice(&functions(t, y[0], y[1]));
    }
    fn event(&mut self, lane: usize, event: &Event<'_>, y: &mut [f64]) -> Response {
        handle(self.member[lane], event, y)
    }
}

/// Time, functions, states before and after.
type Happened = (u64, Vec<(usize, Crossing)>, Vec<u64>);

/// What is compared, all numbers as bits.
#[derive(Debug, Clone, Default, PartialEq)]
struct Run {
    rows: Vec<u64>,
    events: Vec<Happened>,
    end: Vec<u64>,
    terminated: bool,
    failure: Option<Failure>,
    counts: [u64; 6],
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

struct Collect {
    runs: Vec<Run>,
}

impl<const W: usize> MemberSink<W> for Collect {
    fn begin(&mut self, _lane: usize, member: usize, t0: f64, state: &[f64]) -> f64 {
        self.runs[member].rows = bits(&[t0, state[0], state[1]]);
        f64::NEG_INFINITY
    }
    fn step(&mut self, step: &Step<'_, W>) -> Flow {
        let run = &mut self.runs[step.member()];
        run.rows
            .extend(bits(&[step.t_new(), step.at_end(0), step.at_end(1)]));
        Flow::Until(f64::NEG_INFINITY)
    }
    fn event(&mut self, event: &MemberEvent<'_>) {
        let roots = event.event.roots.iter().map(|r| (r.index, r.crossing));
        let entry = (
            event.event.t.to_bits(),
            roots.collect(),
            bits(&[
                event.before[0],
                event.before[1],
                event.after[0],
                event.after[1],
            ]),
        );
        self.runs[event.member].events.push(entry);
    }
    fn end(&mut self, end: &MemberEnd<'_>) {
        let run = &mut self.runs[end.member];
        run.end = bits(&[end.t, end.state[0], end.state[1]]);
        run.terminated = end.terminated;
        run.failure = end.failure;
        let s = end.statistics;
        run.counts = [
            s.accepted,
            s.rejected,
            s.rhs,
            s.root_evaluations,
            s.events,
            s.disarmed,
        ];
    }
}

fn options(method: Method) -> Options {
    let tolerance = Tolerance::new(1e-6, 1e-9).expect("valid");
    let mut options = Options::with_tolerance(tolerance);
    options.method = method;
    options
}

fn log(events: &EventLog) -> Vec<Happened> {
    events
        .iter()
        .map(|event| {
            let roots = event.roots.iter().map(|r| (r.index, r.crossing));
            let states = [
                event.before[0],
                event.before[1],
                event.after[0],
                event.after[1],
            ];
            (event.t.to_bits(), roots.collect(), bits(&states))
        })
        .collect()
}

fn single(method: Method, member: usize) -> Run {
    let mut problem = closure(2, |_t, y, dy: &mut [f64]| {
        dy[0] = y[1];
        dy[1] = slope(y[1]);
    })
    .with_roots(3, |t, y, g| g.copy_from_slice(&functions(t, y[0], y[1])))
    .with_rules(&[rule(0), rule(1), rule(2)])
    .with_events(move |event, y| handle(member, event, y));
    let run = solve(
        &mut problem,
        0.0,
        &initial(member),
        T_END,
        &Save::EveryStep,
        &options(method),
    );
    let (solution, failure): (Solution, _) = match run {
        Ok(solution) => (solution, None),
        Err(SolveError::Failed { failure, partial }) => (*partial, Some(failure)),
        Err(other) => unreachable!("input is valid: {other:?}"),
    };
    let mut rows = Vec::new();
    let mut last = f64::NAN;
    for (row, &t) in solution.times.iter().enumerate() {
        // The row after a jump is not a step of a sink.
        if t.to_bits() != last.to_bits() {
            rows.extend(bits(&[t, solution.state(row)[0], solution.state(row)[1]]));
        }
        last = t;
    }
    let s = solution.statistics;
    Run {
        rows,
        events: log(&solution.events),
        end: bits(&[
            solution.last_time,
            solution.last_state[0],
            solution.last_state[1],
        ]),
        terminated: solution.outcome == Outcome::Terminated,
        failure,
        counts: [
            s.accepted,
            s.rejected,
            s.rhs,
            s.root_evaluations,
            s.events,
            s.disarmed,
        ],
    }
}

fn ensemble<M: LaneMethod, const W: usize>(chunk: usize) -> Vec<Run> {
    let mut problem = Balls::<W> { member: [0; W] };
    let mut workspace = EnsembleWorkspace::<W>::for_method::<M>(2, 3);
    let mut sink = Collect {
        runs: vec![Run::default(); MEMBERS],
    };
    let settings = options(Method::Dopri5);
    let mut first = 0;
    while first < MEMBERS {
        let members = first..(first + chunk).min(MEMBERS);
        first = members.end;
        solve_members_with::<M, W, _, _>(
            &mut problem,
            members,
            (0.0, T_END),
            &settings,
            &mut workspace,
            &mut sink,
        )
        .expect("valid input");
    }
    sink.runs
}

fn compare<M: LaneMethod>(method: Method) {
    let alone: Vec<Run> = (0..MEMBERS).map(|member| single(method, member)).collect();
    let terminated = alone.iter().filter(|run| run.terminated).count();
    let failed = alone.iter().filter(|run| run.failure.is_some()).count();
    let events: usize = alone.iter().map(|run| run.events.len()).sum();
    assert!(
        terminated > 2 && failed > 2,
        "{terminated} {failed}: all ends occur"
    );
    assert!(
        terminated + failed < MEMBERS && events > 300,
        "{events} events"
    );
    let widths = [
        ensemble::<M, 1>(MEMBERS),
        ensemble::<M, 4>(MEMBERS),
        ensemble::<M, 16>(MEMBERS),
        ensemble::<M, 16>(5),
    ];
    for (k, lanes) in widths.iter().enumerate() {
        for (member, (lane, single)) in lanes.iter().zip(&alone).enumerate() {
            assert_eq!(lane, single, "{method:?}, width {k}, member {member}");
        }
    }
}

#[test]
fn members_with_events_have_the_bits_of_single_runs_dopri5() {
    compare::<Dopri5>(Method::Dopri5);
}

#[test]
fn members_with_events_have_the_bits_of_single_runs_tsit5() {
    compare::<Tsit5>(Method::Tsit5);
}

#[test]
fn members_with_events_have_the_bits_of_single_runs_bs32() {
    compare::<Bs32>(Method::Bs32);
}

#[test]
fn members_with_events_have_the_bits_of_single_runs_rodas4() {
    compare::<Rodas4>(Method::Rodas4);
}

#[test]
fn members_with_events_have_the_bits_of_single_runs_rodas5p() {
    compare::<Rodas5P>(Method::Rodas5P);
}

struct Free<const W: usize>;
impl<const W: usize> LaneProblem<W> for Free<W> {
    fn dimension(&self) -> usize {
        2
    }
    fn load(&mut self, _lane: usize, member: usize, state: &mut [f64]) {
        state.copy_from_slice(&initial(member));
    }
    fn rhs(&mut self, _t: &[f64; W], y: &[[f64; W]], dy: &mut [[f64; W]]) {
        for l in 0..W {
            dy[0][l] = y[1][l];
            dy[1][l] = slope(y[1][l]);
        }
    }
    fn rhs_one(&mut self, _lane: usize, _t: f64, y: &[f64], dy: &mut [f64]) {
        dy[0] = y[1];
        dy[1] = slope(y[1]);
    }
}

/// Without events: members on lanes and single runs on the other driver have the same bits.
#[test]
fn members_without_events_have_the_bits_of_single_runs() {
    fn run<M: LaneMethod>() -> Vec<Run> {
        let mut workspace = EnsembleWorkspace::<16>::for_method::<M>(2, 0);
        let mut sink = Collect {
            runs: vec![Run::default(); MEMBERS],
        };
        let settings = options(Method::Dopri5);
        let span = (0.0, T_END);
        solve_members_with::<M, 16, _, _>(
            &mut Free,
            0..MEMBERS,
            span,
            &settings,
            &mut workspace,
            &mut sink,
        )
        .expect("valid input");
        sink.runs
    }
    let methods = [
        (Method::Tsit5, run::<Tsit5>()),
        (Method::Bs32, run::<Bs32>()),
        (Method::Dopri5, run::<Dopri5>()),
    ];
    for (method, runs) in methods {
        for (member, lane) in runs.iter().enumerate() {
            let mut problem = closure(2, |_t, y, dy: &mut [f64]| {
                dy[0] = y[1];
                dy[1] = slope(y[1]);
            });
            let settings = options(method);
            let solution = solve(
                &mut problem,
                0.0,
                &initial(member),
                T_END,
                &Save::Final,
                &settings,
            )
            .expect("smooth");
            let y = &solution.last_state;
            assert_eq!(
                lane.end,
                bits(&[T_END, y[0], y[1]]),
                "{method:?}, member {member}"
            );
            assert_eq!(
                lane.counts[2], solution.statistics.rhs,
                "{method:?}, member {member}"
            );
        }
    }
}

#[test]
fn a_workspace_without_room_is_refused() {
    let settings = options(Method::Dopri5);
    let mut sink = Collect { runs: Vec::new() };
    let mut problem = Balls::<4> { member: [0; 4] };
    let mut workspace = EnsembleWorkspace::<4>::new(2);
    let run = solve_members_with::<Dopri5, 4, _, _>(
        &mut problem,
        0..1,
        (0.0, 1.0),
        &settings,
        &mut workspace,
        &mut sink,
    );
    assert_eq!(
        run,
        Err(InputError::Roots {
            found: 0,
            required: 3
        })
    );
    let mut workspace = EnsembleWorkspace::<4>::for_method::<Bs32>(2, 3);
    let run = solve_members_with::<Dopri5, 4, _, _>(
        &mut problem,
        0..1,
        (0.0, 1.0),
        &settings,
        &mut workspace,
        &mut sink,
    );
    assert_eq!(
        run,
        Err(InputError::Arrays {
            found: 7,
            required: 10
        })
    );
}
