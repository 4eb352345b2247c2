//! The diagonally implicit methods on the reference problems.

use super::case::{Case, run};
use super::problems;
use crate::implicit::esdirk::Tableau;
use crate::implicit::{ESDIRK4, ESDIRK5, Esdirk, Setup, TR_BDF2};

const SMALL: [fn() -> Case; 9] = [
    problems::vdp,
    problems::robertson,
    problems::hires,
    problems::orego,
    problems::pollu,
    problems::e5,
    problems::robertson_dae,
    problems::akzo,
    problems::transistor,
];

/// Error of a run in units of the relative tolerance.
fn error(tableau: &'static Tableau, mut case: Case, rtol: f64) -> f64 {
    let tolerance = case.tolerance(rtol);
    let mut method = Esdirk::new(&Setup::new(&case, &tolerance), tableau).unwrap();
    let found = run(&mut case, &mut method);
    let found = found.unwrap_or_else(|e| panic!("{} {rtol:e}: {e}", case.name));
    let s = found.statistics;
    let error = case.error(&found.y) / rtol;
    println!(
        "{:16} {rtol:.0e} steps {:6} rejected {:5} (Newton {:4}) rhs {:6} lu {:5} J {:4} error/rtol {error:9.2}",
        case.name, s.accepted, s.rejected, s.newton_failures, s.rhs, s.factorisations, s.jacobians,
    );
    error
}

/// Measured at most 2 rtol; the bound is that of the project.
#[test]
fn orders_four_and_five_follow_the_tolerance() {
    for tableau in [&ESDIRK4, &ESDIRK5] {
        for make in SMALL
            .into_iter()
            .chain([problems::brusselator as fn() -> Case])
        {
            for rtol in [1e-4, 1e-7] {
                let error = error(tableau, make(), rtol);
                assert!(error < 30.0, "{}: {error}", make().name);
            }
        }
        for rtol in [1e-4, 1e-6] {
            let error = error(tableau, problems::heat(), rtol);
            assert!(error < 30.0, "heat: {error}");
        }
    }
}

/// The sharpest tolerance, where the number of steps is small enough for every day.
#[test]
fn orders_four_and_five_at_a_sharp_tolerance() {
    for (tableau, makes) in [
        (&ESDIRK5, [problems::hires as fn() -> Case, problems::akzo]),
        (&ESDIRK4, [problems::robertson_dae, problems::e5]),
    ] {
        for make in makes {
            let error = error(tableau, make(), 1e-10);
            assert!(error < 30.0, "{}: {error}", make().name);
        }
    }
}

/// The rest of the table; minutes without optimisation.
#[test]
#[ignore = "long: run by name with optimisation"]
fn all_at_a_sharp_tolerance() {
    for tableau in [&ESDIRK4, &ESDIRK5] {
        for make in SMALL
            .into_iter()
            .chain([problems::brusselator as fn() -> Case, problems::heat])
        {
            let error = error(tableau, make(), 1e-10);
            assert!(error < 30.0, "{}: {error}", make().name);
        }
    }
}

/// The estimate of TR-BDF2 is one order above its error, so the error falls with the power 2/3 of
/// the tolerance: factor 50 at 1e-4 grows to at most 500 at 1e-7 instead of staying.
#[test]
fn order_two_follows_the_power_two_thirds_of_the_tolerance() {
    for make in SMALL {
        let coarse = error(&TR_BDF2, make(), 1e-4);
        assert!(coarse < 60.0, "{}: {coarse}", make().name);
    }
    for make in [
        problems::robertson as fn() -> Case,
        problems::hires,
        problems::akzo,
    ] {
        let fine = error(&TR_BDF2, make(), 1e-7);
        assert!(fine < 200.0, "{}: {fine}", make().name);
    }
}
