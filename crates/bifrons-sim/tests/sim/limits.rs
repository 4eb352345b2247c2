//! Parameters that may be infinite, as columns of a sweep.

use bifrons_blocks::{Gain, Integrator, Saturation};
use bifrons_hybrid::{DiagramBuilder, ParameterRange, TapeSystem};
use bifrons_parallel::Threads;
use bifrons_sim::{MemberFailure, Recording, Simulation, Sweep, uniform_times};

/// `x' = clamp(k x, lower, upper)`, `x(0) = 1`.
fn limited_growth() -> TapeSystem {
    let mut diagram = DiagramBuilder::new("limited");
    let gain = diagram.add("gain", Gain::new(1.0)).expect("block");
    let limit = Saturation::new(-2.0, 2.0);
    let limit = diagram.add("limit", limit).expect("block");
    let x = diagram.add("x", Integrator::new(1.0)).expect("block");
    for (from, to) in [
        (gain.output("y"), limit.input("u")),
        (limit.output("y"), x.input("u")),
        (x.output("y"), gain.input("u")),
    ] {
        diagram.connect(from, to).expect("connection");
    }
    diagram.export_output("x", x.output("y")).expect("output");
    diagram
        .export_output("slope", limit.output("y"))
        .expect("output");
    let flat = diagram.build().expect("diagram").flatten();
    flat.expect("equations").compile().expect("system")
}

/// Upper and lower limits, some of them infinite, and gains.
fn columns(count: usize) -> [Vec<f64>; 3] {
    let upper = |i: usize| match i % 3 {
        0 => f64::INFINITY,
        _ => 1.5 + 0.1 * i as f64,
    };
    let lower = |i: usize| match i % 4 {
        0 => f64::NEG_INFINITY,
        _ => -0.5,
    };
    let gain = |i: usize| 1.0 - 0.1 * (i % 7) as f64;
    [
        (0..count).map(upper).collect(),
        (0..count).map(lower).collect(),
        (0..count).map(gain).collect(),
    ]
}

#[test]
fn members_without_a_limit_have_the_bits_of_the_run_alone() {
    let system = limited_growth();
    let count = 40_usize;
    let [upper, lower, gains] = columns(count);
    for recording in [
        Recording::times(uniform_times(0.0, 3.0, 31)),
        Recording::final_values(),
    ] {
        for (lanes, threads, chunk) in [(16, 1, 40), (16, 2, 7), (1, 2, 16)] {
            let sweep = Sweep::builder(&system)
                .span(0.0, 3.0)
                .tolerance(1e-9, 1e-12)
                .column("limit.upper", upper.clone())
                .column("limit.lower", lower.clone())
                .column("gain.k", gains.clone())
                .record(recording.clone())
                .lanes(lanes)
                .threads(Threads::new(threads).expect("threads"))
                .chunk(chunk)
                .build()
                .expect("valid sweep");
            let result = sweep.run().expect("fits");
            assert!(result.failures().is_empty(), "infinite limits are limits");
            for member in 0..count {
                let run = Simulation::builder(&system)
                    .span(0.0, 3.0)
                    .tolerance(1e-9, 1e-12)
                    .parameter("limit.upper", upper[member])
                    .parameter("limit.lower", lower[member])
                    .parameter("gain.k", gains[member])
                    .record(recording.clone())
                    .build()
                    .expect("valid run")
                    .run()
                    .expect("limited growth");
                for name in ["x", "slope"] {
                    let bits = |rows: &[f64]| rows.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                    let own = bits(run.signal(name).expect("recorded"));
                    let rows = bits(result.rows(name, member).expect("recorded"));
                    assert_eq!(rows, own, "{name} of member {member}");
                }
                if upper[member].is_infinite() {
                    let t_end: f64 = 3.0;
                    let exact = (gains[member] * t_end).exp();
                    let found = result.rows("x", member).expect("recorded");
                    let error = found[found.len() - 1] / exact - 1.0;
                    assert!(error.abs() < 1e-6, "free growth, error {error:e}");
                }
            }
        }
    }
}

#[test]
fn an_infinity_on_the_wrong_side_fails_its_member_only() {
    let system = limited_growth();
    let upper = vec![2.0, f64::NEG_INFINITY, f64::INFINITY, f64::NAN];
    let sweep = Sweep::builder(&system).column("limit.upper", upper).build();
    let result = sweep.expect("valid sweep").run().expect("fits");
    let failed: Vec<usize> = result.failures().iter().map(|own| own.0).collect();
    assert_eq!(failed, [1, 3], "members out of range");
    let expected = MemberFailure::Parameter {
        name: "limit.upper".into(),
        value: f64::NEG_INFINITY,
        range: ParameterRange::new(f64::MIN, f64::INFINITY),
    };
    assert_eq!(result.failures()[0].1, expected, "typed failure");
}
