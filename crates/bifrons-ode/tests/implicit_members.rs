//! Runs in a workspace have the bits of runs alone, whatever ran in it before.
#![expect(clippy::unwrap_used, reason = "a failed test helper is a failed test")]

use bifrons_ode::{
    Failure, Fault, ImplicitWorkspace, InputError, Mass, Method, Options, Pattern, Problem, Save,
    Solution, SolveError, Structure, Tolerance, closure, solve, solve_in,
};
use proptest::prelude::*;

#[path = "implicit_members/many.rs"]
mod many;

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
const SPAN: (f64, f64) = (0.0, 0.8);

/// Member `i` of a family: reaction in a ring with flow, whose strength and direction change the
/// pivots from one member to the next. Member 5 grows without bound, member 7 asks to stop.
#[derive(Clone)]
struct Ring {
    member: usize,
    structure: Structure,
    mass: Mass,
    algebraic: bool,
}

impl Problem for Ring {
    fn dimension(&self) -> usize {
        ring_size(&self.mass)
    }

    fn rhs(&mut self, t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Fault> {
        let n = y.len();
        let x = self.member as f64;
        let flow = 300.0 * (1.3 * x).sin();
        if self.member == 7 && t > 0.7 {
            return Err(Fault::Fatal("member seven"));
        }
        for i in 0..n {
            let (left, right) = (y[(i + n - 1) % n], y[(i + 1) % n]);
            let decay = if i % 3 == self.member % 3 { 0.01 } else { 20.0 };
            f[i] = flow * (left - right) + 3.0 * (left + right) - decay * y[i];
            f[i] -= y[i].powi(3) - (2.0 * t + x).sin();
        }
        if self.member == 5 {
            f[0] += 40.0 * y[0].powi(4) + 40.0;
        }
        if self.algebraic {
            f[n - 1] = y[n - 1] - 0.5 * y[n - 2];
        }
        Ok(())
    }

    fn structure(&self) -> &Structure {
        &self.structure
    }

    fn mass(&self) -> &Mass {
        &self.mass
    }
}

const N: usize = 12;

fn ring_size(mass: &Mass) -> usize {
    match mass {
        Mass::Diagonal(values) => values.len(),
        _ => N,
    }
}

fn pattern(n: usize) -> Structure {
    let near = |j: usize| [(j + n - 1) % n, j, (j + 1) % n].map(|i| (i, j));
    let entries: Vec<_> = (0..n).flat_map(near).collect();
    Structure::Sparse(Pattern::from_entries(n, &entries).unwrap())
}

fn ring(member: usize, kind: usize) -> (Ring, Vec<f64>) {
    let mut values = vec![2.0; N];
    let mass = match kind % 3 {
        0 => Mass::Identity,
        1 => Mass::Diagonal(values),
        _ => {
            values[N - 1] = 0.0;
            Mass::Diagonal(values)
        }
    };
    let structure = if kind < 3 {
        pattern(N)
    } else {
        Structure::Dense
    };
    let algebraic = kind % 3 == 2;
    let mut y0: Vec<f64> = (0..N)
        .map(|i| (0.7 * (i + member) as f64).cos() + 0.2)
        .collect();
    if algebraic {
        y0[N - 1] = 0.5 * y0[N - 2];
    }
    let problem = Ring {
        member,
        structure,
        mass,
        algebraic,
    };
    (problem, y0)
}

fn options(method: Method, member: usize) -> Options {
    let relative = [1e-3, 1e-5, 1e-4][member % 3];
    let mut options = Options::with_tolerance(Tolerance::new(relative, 1e-8).unwrap());
    options.method = method;
    options.max_steps = 2_000;
    options
}

type Outcome = Result<Solution, SolveError>;

fn alone(method: Method, kind: usize, member: usize) -> Outcome {
    let (mut problem, y0) = ring(member, kind);
    let how = options(method, member);
    solve(&mut problem, SPAN.0, &y0, SPAN.1, &Save::EveryStep, &how)
}

fn within(
    workspace: &mut ImplicitWorkspace,
    method: Method,
    kind: usize,
    member: usize,
) -> Outcome {
    let (mut problem, y0) = ring(member, kind);
    let how = options(method, member);
    let save = Save::EveryStep;
    solve_in(workspace, &mut problem, SPAN.0, &y0, SPAN.1, &save, &how)
}

/// Every number with all of its digits, statistics and failures included.
fn text(outcome: &Outcome) -> String {
    format!("{outcome:?}")
}

#[test]
fn members_have_the_bits_of_single_runs_in_any_order() {
    for method in METHODS {
        for kind in 0..4 {
            let wanted: Vec<String> = (0..9)
                .map(|member| text(&alone(method, kind, member)))
                .collect();
            let mut workspace = ImplicitWorkspace::new();
            for member in [0, 5, 1, 7, 8, 6, 2, 2, 4, 3, 0] {
                let found = text(&within(&mut workspace, method, kind, member));
                assert_eq!(found, wanted[member], "{method:?} {kind} {member}");
            }
            assert_eq!(workspace.analyses(), 1, "{method:?} {kind}");
        }
    }
}

#[test]
fn failing_members_keep_their_own_outcome() {
    let mut workspace = ImplicitWorkspace::new();
    // The method of order two uses its budget up in both members.
    for method in METHODS.into_iter().filter(|m| *m != Method::TrBdf2) {
        let blown = within(&mut workspace, method, 0, 5);
        let Err(SolveError::Failed { failure, partial }) = blown else {
            panic!("{method:?}: {blown:?}");
        };
        assert!(
            matches!(
                failure,
                Failure::StepUnderflow { component: 0, .. }
                    | Failure::StepBudget { budget: 2_000, .. }
            ),
            "{method:?}: {failure:?}"
        );
        assert!(partial.times.len() > 3, "{method:?}: rows are kept");
        let stopped = within(&mut workspace, method, 0, 7);
        let Err(SolveError::Failed { failure, partial }) = stopped else {
            panic!("{method:?}: {stopped:?}");
        };
        assert!(
            matches!(failure, Failure::Fatal { message: "member seven", t } if t <= 0.7),
            "{method:?}: {failure:?}"
        );
        assert!(partial.last_time > 0.2, "{method:?}: {}", partial.last_time);
    }
}

/// Threads take members from their own ends of a list, so workspaces see different orders.
#[test]
fn thread_counts_change_no_bit() {
    const MEMBERS: usize = 12;
    for method in [Method::Bdf, Method::Radau, Method::Rodas5P] {
        let wanted: Vec<String> = (0..MEMBERS).map(|i| text(&alone(method, 0, i))).collect();
        let first = ring(0, 0).0;
        let analysed = ImplicitWorkspace::for_problem(&first, &options(method, 0)).unwrap();
        for count in [1, 2, 4] {
            for backwards in [false, true] {
                let mut found = vec![String::new(); MEMBERS];
                std::thread::scope(|scope| {
                    let mut parts: Vec<Vec<(usize, &mut String)>> = Vec::new();
                    parts.resize_with(count, Vec::new);
                    for (member, slot) in found.iter_mut().enumerate() {
                        parts[member % count].push((member, slot));
                    }
                    for mut part in parts {
                        if backwards {
                            part.reverse();
                        }
                        let mut workspace = analysed.clone();
                        scope.spawn(move || {
                            for (member, slot) in part {
                                *slot = text(&within(&mut workspace, method, 0, member));
                            }
                            assert_eq!(workspace.analyses(), 1, "the clone saves the analysis");
                        });
                    }
                });
                assert_eq!(found, wanted, "{method:?} {count} {backwards}");
            }
        }
    }
}

#[test]
fn another_shape_is_analysed_anew() {
    let mut workspace = ImplicitWorkspace::new();
    let kinds = [0, 1, 2, 3, 3, 5, 4, 0, 0];
    for (step, (kind, method)) in kinds
        .into_iter()
        .zip(METHODS.into_iter().cycle())
        .enumerate()
    {
        let found = within(&mut workspace, method, kind, step % 5);
        let wanted = alone(method, kind, step % 5);
        assert_eq!(text(&found), text(&wanted), "{method:?} {kind}");
    }
    // Two pairs of neighbours in the list are of one kind.
    assert_eq!(workspace.analyses(), 7);
    let mut other = closure(2, |_t, y: &[f64], f: &mut [f64]| {
        f[0] = -1e3 * y[0];
        f[1] = -y[1];
    });
    let how = options(Method::Bdf, 0);
    let run = solve_in(
        &mut workspace,
        &mut other,
        0.0,
        &[1.0; 2],
        1.0,
        &Save::Final,
        &how,
    );
    assert_eq!(
        run,
        solve(&mut other, 0.0, &[1.0; 2], 1.0, &Save::Final, &how)
    );
    assert_eq!(workspace.analyses(), 8);
}

#[test]
fn refused_input_leaves_the_workspace_usable() {
    let mut workspace = ImplicitWorkspace::new();
    let wanted = alone(Method::Bdf, 0, 1);
    let (mut problem, y0) = ring(1, 0);
    let mut how = options(Method::Bdf, 1);
    let first = within(&mut workspace, Method::Bdf, 0, 1);
    assert_eq!(text(&first), text(&wanted));
    let short = solve_in(
        &mut workspace,
        &mut problem,
        0.0,
        &y0[1..],
        1.0,
        &Save::Final,
        &how,
    );
    assert_eq!(
        short,
        Err(InputError::StateLength {
            found: N - 1,
            required: N
        }
        .into())
    );
    how.stops = vec![9.0];
    let late = solve_in(
        &mut workspace,
        &mut problem,
        0.0,
        &y0,
        1.0,
        &Save::Final,
        &how,
    );
    assert!(
        matches!(
            late,
            Err(SolveError::Input(InputError::StopTime { index: 0, .. }))
        ),
        "{late:?}"
    );
    let again = within(&mut workspace, Method::Bdf, 0, 1);
    assert_eq!(text(&again), text(&wanted));
}

/// Explicit methods run as ever, and nothing is analysed for them.
#[test]
fn explicit_methods_do_not_use_the_workspace() {
    let mut workspace = ImplicitWorkspace::new();
    let mut problem = closure(1, |_t, y: &[f64], f: &mut [f64]| f[0] = -y[0]);
    for method in [Method::Dopri5, Method::Tsit5, Method::Dop853] {
        let how = options(method, 0);
        let found = solve_in(
            &mut workspace,
            &mut problem,
            0.0,
            &[1.0],
            1.0,
            &Save::Final,
            &how,
        );
        assert_eq!(
            found,
            solve(&mut problem, 0.0, &[1.0], 1.0, &Save::Final, &how),
            "{method:?}"
        );
        let made = ImplicitWorkspace::for_problem(&problem, &how).unwrap();
        assert_eq!(
            (made.analyses(), workspace.analyses()),
            (0, 0),
            "{method:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Random sequences of members, methods and kinds in one workspace.
    #[test]
    fn any_history_leaves_no_trace(
        runs in prop::collection::vec((0_usize..8, 0_usize..6, 0_usize..9), 2..6),
    ) {
        let mut workspace = ImplicitWorkspace::new();
        for (method, kind, member) in runs {
            let found = within(&mut workspace, METHODS[method], kind, member);
            prop_assert_eq!(text(&found), text(&alone(METHODS[method], kind, member)));
        }
    }
}
