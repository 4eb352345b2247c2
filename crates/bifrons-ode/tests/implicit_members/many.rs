//! Members over threads: each has the outcome of its single run.

use bifrons_ode::{
    Failure, Fault, InputError, Mass, MemberProblem, Method, Problem, RootRule, Save, Solution,
    SolveError, Structure, closure, solve, solve_many,
};
use bifrons_parallel::Threads;

use super::{METHODS, Ring, SPAN, options, ring};

/// One problem that becomes the members of the family, with functions that are looked at.
#[derive(Clone)]
struct Family {
    ring: Ring,
    kind: usize,
    /// Member `i` is number `order[i]` of the family.
    order: Vec<usize>,
    roots: usize,
}

impl Problem for Family {
    fn dimension(&self) -> usize {
        self.ring.dimension()
    }
    fn rhs(&mut self, t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Fault> {
        self.ring.rhs(t, y, f)
    }
    fn structure(&self) -> &Structure {
        self.ring.structure()
    }
    fn mass(&self) -> &Mass {
        self.ring.mass()
    }
    fn root_count(&self) -> usize {
        self.roots
    }
    fn root_rule(&self, _root: usize) -> RootRule {
        RootRule::default()
    }
    fn roots(&mut self, _t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        for (g, y) in g.iter_mut().zip(y) {
            *g = y - 0.3;
        }
        Ok(())
    }
}

impl MemberProblem for Family {
    fn load(&mut self, member: usize, state: &mut [f64]) {
        let (ring, y0) = ring(self.order[member], self.kind);
        self.ring = ring;
        state.copy_from_slice(&y0);
    }
}

fn family(kind: usize, order: &[usize], roots: usize) -> Family {
    Family {
        ring: ring(0, kind).0,
        kind,
        order: order.to_vec(),
        roots,
    }
}

fn text(outcome: Result<&Solution, &SolveError>) -> String {
    format!("{outcome:?}")
}

fn alone(family: &Family, member: usize, method: Method, save: &Save) -> String {
    let mut problem = family.clone();
    let mut y0 = vec![0.0; problem.dimension()];
    problem.load(member, &mut y0);
    let how = options(method, 0);
    text(solve(&mut problem, SPAN.0, &y0, SPAN.1, save, &how).as_ref())
}

/// Every number of every member, statistics, events and failures included.
#[test]
fn outcomes_are_those_of_single_runs_for_any_threads_and_order() {
    let pools: Vec<Threads> = [1, 2, 4].map(|k| Threads::new(k).unwrap()).into();
    let save = Save::Times(vec![0.0, 0.11, 0.35, 0.8]);
    let order: Vec<usize> = (0..9).collect();
    let reversed: Vec<usize> = (0..9).rev().collect();
    for (number, method) in METHODS.into_iter().enumerate() {
        for kind in [2 + number % 2] {
            let roots = if kind == 3 { 2 } else { 0 };
            let forward = family(kind, &order, roots);
            let backward = family(kind, &reversed, roots);
            let wanted: Vec<String> = (0..9).map(|i| alone(&forward, i, method, &save)).collect();
            for threads in &pools {
                let how = options(method, 0);
                let run = |family: &Family, members| {
                    let read = |_, outcome: Result<&Solution, &SolveError>| text(outcome);
                    solve_many(threads, family, members, SPAN, &save, &how, read).unwrap()
                };
                let what = format!("{method:?} {kind} {threads:?}");
                assert_eq!(run(&forward, 0..9), wanted, "{what}");
                let mut found = run(&backward, 0..9);
                found.reverse();
                assert_eq!(found, wanted, "{what}: reversed");
            }
        }
    }
}

/// Rows, dense solutions and events of a member do not stay for the next one.
#[test]
fn memory_of_solutions_shows_no_member_before() {
    let order = [3, 7, 1, 5, 0, 7, 2];
    for method in [Method::Bdf, Method::Radau, Method::Auto] {
        for save in [
            Save::Final,
            Save::EveryStep,
            Save::Dense,
            Save::Times(vec![0.2, 0.2, 0.79]),
        ] {
            let family = family(1, &order, 3);
            let how = options(method, 0);
            let found = solve_many(
                &Threads::one(),
                &family,
                0..order.len(),
                SPAN,
                &save,
                &how,
                |_, run| text(run),
            );
            let wanted: Vec<String> = (0..order.len())
                .map(|i| alone(&family, i, method, &save))
                .collect();
            assert_eq!(found.unwrap(), wanted, "{method:?} {save:?}");
        }
    }
}

#[test]
fn failures_stay_with_their_members() {
    let order: Vec<usize> = (0..9).collect();
    let family = family(0, &order, 0);
    let how = options(Method::Bdf, 0);
    let threads = Threads::new(2).unwrap();
    let read = |member: usize, run: Result<&Solution, &SolveError>| {
        (member, run.cloned().map_err(Clone::clone))
    };
    let found = solve_many(&threads, &family, 1..9, SPAN, &Save::EveryStep, &how, read).unwrap();
    for (at, (member, outcome)) in found.into_iter().enumerate() {
        assert_eq!(at + 1, member, "the members are 1 to 8");
        match outcome {
            Err(SolveError::Failed { failure, partial }) if member == 7 => {
                assert!(
                    matches!(failure, Failure::Fatal { message: "member seven", t } if t <= 0.7)
                );
                assert!(partial.times.len() > 3, "rows are kept");
            }
            Err(SolveError::Failed { .. }) => assert_eq!(member, 5),
            other => assert!(other.is_ok() && member != 5 && member != 7, "{member}"),
        }
    }
}

/// A member's own initial state is refused alone; what is wrong for all is refused before them.
#[test]
fn input_is_refused_where_it_belongs() {
    #[derive(Clone)]
    struct Decay;
    impl Problem for Decay {
        fn dimension(&self) -> usize {
            1
        }
        fn rhs(&mut self, _t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Fault> {
            f[0] = -1e3 * y[0];
            Ok(())
        }
    }
    impl MemberProblem for Decay {
        fn load(&mut self, member: usize, state: &mut [f64]) {
            state[0] = if member == 1 { f64::NAN } else { 1.0 };
        }
    }
    let mut how = options(Method::Radau, 0);
    let threads = Threads::one();
    let run = |how: &bifrons_ode::Options, members| {
        let read = |_, run: Result<&Solution, &SolveError>| run.cloned().map_err(Clone::clone);
        solve_many(&threads, &Decay, members, SPAN, &Save::Final, how, read)
    };
    let found = run(&how, 0..3).unwrap();
    assert!(found[0].is_ok() && found[0] == found[2], "{found:?}");
    let Err(SolveError::Input(InputError::StateNotFinite { component, value })) = &found[1] else {
        panic!("{:?}", found[1]);
    };
    assert!(*component == 0 && value.is_nan());
    assert_eq!(run(&how, 4..4), Ok(Vec::new()), "no members");
    how.max_step = Some(-1.0);
    assert!(matches!(
        run(&how, 0..3),
        Err(InputError::StepOption {
            which: "maximal",
            ..
        })
    ));
    let mut decay = closure(1, |_t, y: &[f64], f: &mut [f64]| f[0] = -1e3 * y[0]);
    how.max_step = None;
    let single = solve(&mut decay, SPAN.0, &[1.0], SPAN.1, &Save::Final, &how);
    assert_eq!(found[0], single);
}
