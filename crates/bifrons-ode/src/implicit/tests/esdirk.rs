//! Diagonally implicit methods.

use super::case::run;
use super::problems;
use crate::implicit::{ESDIRK4, ESDIRK5, Esdirk, Setup, TR_BDF2};

/// The error of TR-BDF2, of order 2 with an estimate of order 3, falls behind the tolerance.
#[test]
fn follow_the_tolerance_on_stiff_problems() {
    for (tableau, bound) in [(&TR_BDF2, 1e3), (&ESDIRK4, 100.0), (&ESDIRK5, 30.0)] {
        for make in problems::ALL {
            for rtol in [1e-3, 1e-5] {
                let mut case = make();
                let tolerance = case.tolerance(rtol);
                let setup = Setup::new(&case, &tolerance);
                let mut esdirk = Esdirk::new(&setup, tableau).unwrap();
                let found = run(&mut case, &mut esdirk).unwrap();
                let error = case.error(&found.y);
                assert!(error < bound * rtol, "{} {rtol:e}: {error:e}", case.name);
            }
        }
    }
}
