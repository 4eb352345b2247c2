//! The automatic choice, on the reference problems and on one that is never stiff.

use super::case::Case;
use super::problems;
use crate::method::Method;
use crate::options::{Options, Save};
use crate::problem::closure;
use crate::solution::Solution;
use crate::solve;
use crate::tolerance::Tolerance;

fn run(case: &mut Case, rtol: f64, save: &Save) -> Solution {
    let mut options = Options::with_tolerance(case.tolerance(rtol));
    options.method = Method::Auto;
    let (y0, t_end) = (case.y0.clone(), case.t_end);
    solve(case, 0.0, &y0, t_end, save, &options).unwrap()
}

/// The bound of the project, and few changes: the oscillators change in each of their jumps.
#[test]
fn follows_the_tolerance_with_few_changes() {
    for (make, most) in [
        (problems::vdp as fn() -> Case, 12),
        (problems::robertson, 2),
        (problems::hires, 8),
        (problems::orego, 12),
        (problems::pollu, 4),
        (problems::e5, 4),
        (problems::robertson_dae, 0),
        (problems::akzo, 0),
        (problems::brusselator, 6),
    ] {
        for rtol in [1e-4, 1e-7] {
            let mut case = make();
            let found = run(&mut case, rtol, &Save::Final);
            let error = case.error(&found.last_state) / rtol;
            let s = found.statistics;
            let of = if std::env::var_os("STIFF_TABLE").is_some() {
                let phases: Vec<_> = found
                    .phases
                    .iter()
                    .map(|p| (p.t, p.method.name()))
                    .collect();
                println!("{} {rtol:.0e}: {error:.2}, {s:?}, {phases:?}", case.name);
                f64::INFINITY
            } else {
                30.0
            };
            assert!(error < of, "{} {rtol:e}: {error}", case.name);
            assert!(
                s.switches <= most || of > 30.0,
                "{} {rtol:e}: {:?}",
                case.name,
                found.phases
            );
            assert!(s.implicit_steps > 0, "{} is stiff", case.name);
        }
    }
}

/// A system that is never stiff has the bits of the explicit method.
#[test]
fn never_changes_where_nothing_is_stiff() {
    for rtol in [1e-3, 1e-6, 1e-9] {
        let by = |method: Method| {
            let mut lorenz = closure(3, |_t, y, dy: &mut [f64]| {
                dy[0] = 10.0 * (y[1] - y[0]);
                dy[1] = y[0] * (28.0 - y[2]) - y[1];
                dy[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
            });
            let mut options = Options::with_tolerance(Tolerance::new(rtol, rtol).unwrap());
            options.method = method;
            solve(
                &mut lorenz,
                0.0,
                &[1.0, 0.0, 0.0],
                20.0,
                &Save::EveryStep,
                &options,
            )
            .unwrap()
        };
        let (auto, plain) = (by(Method::Auto), by(Method::Tsit5));
        let bits = |s: &Solution| s.states.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(auto.phases.len(), 1, "{rtol:e}: {:?}", auto.phases);
        assert_eq!(bits(&auto), bits(&plain), "{rtol:e}");
        assert_eq!(auto.statistics, plain.statistics, "{rtol:e}");
    }
}

/// Phases are in the order of time, alternate, and account for the counts.
#[test]
fn phases_say_which_method_ran_when() {
    let mut case = problems::vdp();
    let found = run(&mut case, 1e-6, &Save::EveryStep);
    let (s, phases) = (found.statistics, &found.phases);
    assert!(phases.len() > 3, "both methods: {phases:?}");
    assert_eq!(s.switches + 1, phases.len() as u64, "changes");
    assert_eq!(phases[0].t.to_bits(), 0.0_f64.to_bits(), "from the start");
    for pair in phases.windows(2) {
        assert!(pair[0].t <= pair[1].t, "{phases:?}");
        assert!(pair[0].method != pair[1].method, "{phases:?}");
    }
    let mut implicit = 0;
    for &t in &found.times[1..] {
        let phase = phases.iter().rev().find(|phase| phase.t < t).unwrap();
        implicit += u64::from(phase.method == Method::Rodas5P);
    }
    assert_eq!(implicit, s.implicit_steps, "steps by their ends");
    assert!(s.implicit_steps < s.accepted, "and explicit ones");
}

/// A dense solution goes through changes of the method: it is continuous and has the saved rows.
#[test]
fn dense_output_goes_through_changes() {
    let mut case = problems::orego();
    let rows = run(&mut case, 1e-6, &Save::EveryStep);
    let dense = run(&mut case, 1e-6, &Save::Dense).dense.unwrap();
    assert!(rows.phases.len() > 2, "{:?}", rows.phases);
    let mut state = [0.0; 3];
    for (row, &t) in rows.times.iter().enumerate() {
        dense.evaluate_into(t, &mut state).unwrap();
        for (value, wanted) in state.iter().zip(rows.state(row)) {
            assert!((value - wanted).abs() <= 1e-13 * wanted.abs(), "at {t}");
        }
    }
}
