//! Start values given to a run or to the members of a sweep.

use bifrons_expr::Expr;
use bifrons_hybrid::{Clock, EquationSystem, TapeSystem};
use bifrons_sim::{BuildError, MemberFailure, Recording, Simulation, Sweep, uniform_times};

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

/// A decay that counts from `n` at each second.
fn system() -> TapeSystem {
    EquationSystem::builder("start")
        .parameter("rate", 0.7)
        .state("box.x", -(s("rate") * s("box.x")), 3.0)
        .state("y", 1.0, s("rate"))
        .discrete("n", 10.0)
        .clock(Clock::new(
            "c",
            "1".parse().expect("period"),
            "0".parse().expect("offset"),
        ))
        .update("c", "n", s("n") + 1.0)
        .output("x", s("box.x"))
        .output("y", s("y"))
        .output("n", s("n"))
        .build()
        .expect("equations")
        .compile()
        .expect("tape")
}

#[test]
fn members_start_from_columns_of_states_beside_parameters() {
    let system = system();
    let members = 33;
    let column = |a: f64, b: f64| -> Vec<f64> { (0..members).map(|k| a + b * k as f64).collect() };
    let (rate, x, n) = (column(0.1, 0.05), column(-2.0, 0.125), column(0.0, 3.0));
    let recording = Recording::times(uniform_times(0.0, 2.5, 6));
    for lanes in [1, 16] {
        let sweep = Sweep::builder(&system)
            .span(0.0, 2.5)
            .initial_column("box.x", x.clone())
            .column("rate", rate.clone())
            .initial_column("n", n.clone())
            .initial("y", 5.0)
            .lanes(lanes)
            .chunk(7)
            .record(recording.clone())
            .build()
            .expect("valid")
            .run()
            .expect("sweep");
        for member in 0..members {
            let alone = Simulation::builder(&system)
                .span(0.0, 2.5)
                .parameter("rate", rate[member])
                .initial("n", n[member])
                .initial("box.x", x[member])
                .initial("y", 5.0)
                .record(recording.clone())
                .build()
                .expect("valid")
                .run()
                .expect("run");
            for name in ["x", "y", "n"] {
                let bits = |v: &[f64]| v.iter().map(|y| y.to_bits()).collect::<Vec<_>>();
                let one = alone.signal(name).expect("signal");
                let own = sweep.rows(name, member).expect("rows");
                assert_eq!(bits(one), bits(own), "{name} of member {member}");
            }
            let rows = |name| sweep.rows(name, member).expect("rows");
            for (row, &t) in sweep.times(member).iter().enumerate() {
                let expected = x[member] * (-rate[member] * t).exp();
                assert!((rows("x")[row] - expected).abs() < 2e-6, "x({t})");
                assert!((rows("y")[row] - 5.0 - t).abs() < 1e-12, "y({t})");
                assert_eq!(rows("n")[row], n[member] + t.floor() + 1.0, "n({t})");
            }
        }
    }
}

#[test]
fn a_start_that_is_no_number_fails_its_member_by_name() {
    let system = system();
    let sweep = Sweep::builder(&system)
        .initial_column("n", vec![0.0, f64::NAN, 2.0])
        .build()
        .expect("valid")
        .run()
        .expect("sweep");
    let [(1, MemberFailure::Start { name, value })] = sweep.failures() else {
        panic!("{:?}", sweep.failures())
    };
    assert!(name == "n" && value.is_nan(), "{name} {value}");
    assert_eq!(sweep.rows("n", 2).expect("n"), [4.0], "others go on");
}

#[test]
fn starts_that_make_no_sense_are_refused() {
    let system = system();
    let build = |name: &str, value| Simulation::builder(&system).initial(name, value).build();
    let error = build("box.z", 1.0).expect_err("unknown");
    assert!(error.to_string().contains("box.x"), "{error}");
    let error = build("y", f64::INFINITY).expect_err("infinite");
    assert!(matches!(error, BuildError::Start { .. }), "{error}");
    let twice = Sweep::builder(&system).initial("y", 1.0);
    let error = twice.initial_column("y", vec![1.0]).build();
    let error = error.expect_err("twice");
    assert!(matches!(error, BuildError::GivenTwice { .. }), "{error}");
    let columns = Sweep::builder(&system).initial_column("y", vec![1.0]);
    let error = columns
        .initial_column("n", vec![])
        .build()
        .expect_err("length");
    assert!(matches!(error, BuildError::ColumnLength { .. }), "{error}");
}
