//! The diagonally implicit methods.

use super::case::run;
use super::problems;
use crate::implicit::esdirk::tables::{ESDIRK4, ESDIRK5, TR_BDF2};
use crate::implicit::{Esdirk, Setup};

#[test]
fn print_table() {
    for tableau in [&ESDIRK5, &ESDIRK4, &TR_BDF2] {
    if std::env::var("M").is_ok_and(|m| m != tableau.name) { continue; } println!("{}", tableau.name);
    for make in [
        problems::vdp, problems::robertson, problems::hires, problems::orego, problems::pollu,
        problems::e5, problems::robertson_dae, problems::akzo, problems::transistor,
        problems::brusselator, problems::heat,
    ] {
        for rtol in [1e-4, 1e-7, 1e-10] {
            if tableau.order == 2 && rtol < 1e-7 { continue; }
            let mut case = make();
            let tolerance = case.tolerance(rtol);
            let mut method = Esdirk::new(tableau, &Setup::new(&case, &tolerance)).unwrap();
            let clock = std::time::Instant::now();
            match run(&mut case, &mut method) {
                Ok(found) => {
                    let s = found.statistics;
                    println!(
                        "{:16} {rtol:.0e} steps {:6} rej {:5} (n {:4} nf {}) rhs {:6} lu {:5} J {:4} it/stage {:.2} err/rtol {:9.2} us {:.0}",
                        case.name, s.accepted, s.rejected, s.newton_failures, s.not_finite, s.rhs,
                        s.factorisations, s.jacobians,
                        s.newton_iterations as f64 / ((s.accepted + s.rejected) as f64 * (tableau.stages - 1) as f64),
                        case.error(&found.y) / rtol,
                        clock.elapsed().as_secs_f64() * 1e6,
                    );
                }
                Err(e) => println!("{:16} {rtol:.0e} {e} {:?}", case.name, crate::stepper::Stepper::<super::case::Case>::statistics(&method)),
            }
        }
    }
    }
}
