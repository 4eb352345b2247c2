//! Rosenbrock methods.

use super::case::run;
use super::problems;
use crate::implicit::{RODAS4, RODAS5P, Rosenbrock, Setup};

#[test]
fn follow_the_tolerance_on_stiff_problems() {
    for tableau in [&RODAS4, &RODAS5P] {
        for make in problems::ALL {
            for rtol in [1e-3, 1e-5] {
                let mut case = make();
                let tolerance = case.tolerance(rtol);
                let setup = Setup::new(&case, &tolerance);
                let mut rosenbrock = Rosenbrock::new(&setup, tableau).unwrap();
                let found = run(&mut case, &mut rosenbrock).unwrap();
                let error = case.error(&found.y);
                assert!(error < 10.0 * rtol, "{} {rtol:e}: {error:e}", case.name);
            }
        }
    }
}
