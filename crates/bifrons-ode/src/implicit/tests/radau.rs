//! Radau IIA.

use super::case::run;
use super::problems;
use crate::implicit::{Radau, Setup};
use crate::problem::Problem;

/// Errors are a few hundredths of the bound at loose tolerances; see the table of the example.
#[test]
fn follows_the_tolerance_on_stiff_problems() {
    for make in problems::ALL {
        for rtol in [1e-4, 1e-7] {
            let mut case = make();
            let tolerance = case.tolerance(rtol);
            let setup = Setup::new(&case, &tolerance);
            let mut radau = Radau::new(&setup, |i| case.index(i)).unwrap();
            let found = run(&mut case, &mut radau).unwrap();
            let error = case.error(&found.y);
            assert!(error < 10.0 * rtol, "{} {rtol:e}: {error:e}", case.name);
        }
    }
}
