//! Steps, evaluations, factorisations and errors of all methods on all problems, as a table.
//!
//! One problem at one tolerance, all of them if the variable `STIFF_TABLE` is set:
//! `STIFF_TABLE=1 cargo test --release -p bifrons-ode --lib -- --nocapture table`
#![expect(clippy::float_cmp, reason = "tolerances are looked up")]

use super::case::{Case, run_plainly};
use super::problems;
use crate::implicit::{
    Bdf, ESDIRK4, ESDIRK5, Esdirk, RODAS4, RODAS5P, Radau, Rosenbrock, Setup, TR_BDF2,
};
use crate::problem::Problem;
use crate::stepper::Stepper;

/// Makes a method for a problem.
type Make = fn(&Setup<'_>, &Case) -> Box<dyn Stepper<Case>>;

const METHODS: [(&str, Make); 7] = [
    ("Bdf", |s, _| Box::new(Bdf::new(s).unwrap())),
    ("Radau", |s, c| {
        Box::new(Radau::new(s, |i| c.index(i)).unwrap())
    }),
    ("Rodas4", |s, _| {
        Box::new(Rosenbrock::new(s, &RODAS4).unwrap())
    }),
    ("Rodas5P", |s, _| {
        Box::new(Rosenbrock::new(s, &RODAS5P).unwrap())
    }),
    ("TrBdf2", |s, _| Box::new(Esdirk::new(s, &TR_BDF2).unwrap())),
    ("Esdirk4", |s, _| {
        Box::new(Esdirk::new(s, &ESDIRK4).unwrap())
    }),
    ("Esdirk5", |s, _| {
        Box::new(Esdirk::new(s, &ESDIRK5).unwrap())
    }),
];

/// Steps, evaluations and factorisations of CVODE 6.4.1 (dense), or IDA for algebraic systems.
const PEERS: [(&str, f64, [u32; 3]); 18] = [
    ("vdp1000", 1e-5, [995, 1645, 238]),
    ("vdp1000", 1e-7, [2188, 3207, 344]),
    ("robertson", 1e-5, [548, 802, 90]),
    ("robertson", 1e-7, [1119, 1638, 199]),
    ("hires", 1e-5, [415, 730, 94]),
    ("hires", 1e-7, [717, 1195, 136]),
    ("orego", 1e-5, [1540, 2569, 290]),
    ("orego", 1e-7, [2865, 4594, 489]),
    ("pollu", 1e-5, [255, 428, 40]),
    ("pollu", 1e-7, [438, 713, 61]),
    ("robertson_dae", 1e-5, [494, 841, 56]),
    ("robertson_dae", 1e-7, [982, 1562, 83]),
    ("akzo_nobel", 1e-5, [206, 436, 28]),
    ("akzo_nobel", 1e-7, [385, 670, 36]),
    ("transistor", 1e-5, [10_506, 117_979, 11_067]),
    ("transistor", 1e-7, [19_071, 243_358, 23_315]),
    ("heat2d_32", 1e-5, [71, 107, 22]),
    ("heat2d_32", 1e-7, [135, 165, 24]),
];

#[test]
fn table_has_a_row_for_every_method() {
    let whole = std::env::var_os("STIFF_TABLE").is_some();
    let (makes, rates) = if whole {
        (&problems::ALL[..], &[1e-4, 1e-5, 1e-7, 1e-10][..])
    } else {
        (&problems::ALL[1..2], &[1e-4][..])
    };
    println!("| problem | rtol | method | steps | rejected | rhs | J | LU | error/rtol | µs |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for make in makes {
        for &rtol in rates {
            let mut case = make();
            for (name, rate, [steps, rhs, lu]) in PEERS {
                if name == case.name && rate == rtol {
                    println!("| {name} | {rtol:.0e} | SUNDIALS | {steps} | | {rhs} | | {lu} | | |");
                }
            }
            for (method, build) in METHODS {
                let steps = row(&mut case, rtol, method, build);
                assert!(steps > 0 || whole, "{method} takes steps");
            }
        }
    }
}

fn row(case: &mut Case, rtol: f64, method: &str, build: Make) -> u64 {
    if method == "TrBdf2" && rtol < 1e-7 {
        return 0;
    }
    let tolerance = case.tolerance(rtol);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let clock = std::time::Instant::now();
        let mut stepper = build(&Setup::new(case, &tolerance), case);
        let found = run_plainly(case, stepper.as_mut());
        best = best.min(clock.elapsed().as_secs_f64() * 1e6);
        match found {
            Ok(found) if best < 3e3 => drop(found),
            Ok(_) => break,
            Err(failure) => {
                println!("| {} | {rtol:.0e} | {method} | {failure} |", case.name);
                return 0;
            }
        }
    }
    let mut stepper = build(&Setup::new(case, &tolerance), case);
    let Ok(found) = run_plainly(case, stepper.as_mut()) else {
        return 0;
    };
    let s = found.statistics;
    println!(
        "| {} | {rtol:.0e} | {method} | {} | {} | {} | {} | {} | {:.2} | {best:.0} |",
        case.name,
        s.accepted,
        s.rejected,
        s.rhs,
        s.jacobians,
        s.factorisations,
        case.error(&found.y) / rtol,
    );
    s.accepted
}
