//! The differentiation formulas.

use super::case::run;
use super::problems;
use crate::implicit::{Bdf, Setup};

#[test]
fn print_table() {
    for make in [
        problems::vdp, problems::robertson, problems::hires, problems::orego, problems::pollu,
        problems::e5, problems::robertson_dae, problems::akzo, problems::transistor,
        problems::brusselator, problems::heat,
    ] {
        for rtol in [1e-3, 1e-4, 1e-5, 1e-7, 1e-9, 1e-10] {
            let mut case = make();
            let tolerance = case.tolerance(rtol);
            let mut bdf = Bdf::new(&Setup::new(&case, &tolerance)).unwrap();
            let clock = std::time::Instant::now();
            match run(&mut case, &mut bdf) {
                Ok(found) => {
                    let s = found.statistics;
                    println!(
                        "{:16} {rtol:.0e} steps {:6} rej {:5} (n {:4} nf {}) rhs {:6} lu {:5} J {:4} err/rtol {:9.2} us {:.0}",
                        case.name, s.accepted, s.rejected, s.newton_failures, s.not_finite, s.rhs,
                        s.factorisations, s.jacobians, case.error(&found.y) / rtol,
                        clock.elapsed().as_secs_f64() * 1e6,
                    );
                }
                Err(e) => println!("{:16} {rtol:.0e} {e} {:?}", case.name, crate::stepper::Stepper::<super::case::Case>::statistics(&bdf)),
            }
        }
    }
}
