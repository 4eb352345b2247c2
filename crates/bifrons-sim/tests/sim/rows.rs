//! Rows of a sweep in a table.

use bifrons_sim::{Overflow, Recording, Sweep, uniform_times};
use bifrons_table::MemorySink;

use crate::models;

#[test]
fn rows_come_in_member_order_and_only_valid_ones() {
    let system = models::decay();
    let mut gains: Vec<f64> = (0..300).map(|i| -0.01 * f64::from(i)).collect();
    gains[7] = f64::NAN;
    for recording in [
        Recording::times(uniform_times(0.0, 1.0, 21)),
        Recording::final_values(),
        Recording::every_step().capacity(6, Overflow::Thin),
    ] {
        let result = Sweep::builder(&system)
            .column("gain.k", gains.clone())
            .record(recording.signals(["x"]))
            .build()
            .expect("valid sweep")
            .run()
            .expect("fits");
        let mut sink = MemorySink::new();
        result.write_to(&mut sink).expect("room");
        let table = sink.into_table().expect("finished");
        let rows: u32 = result.reports().iter().map(|report| report.rows).sum();
        assert_eq!(table.row_count(), rows as usize, "valid rows");
        let (times, x) = (
            table.f64("time").expect("column"),
            table.f64("x").expect("column"),
        );
        let mut row = 0;
        for member in 0..300 {
            let expected = result.rows("x", member).expect("recorded");
            assert_eq!(
                &x[row..row + expected.len()],
                expected,
                "values of member {member}"
            );
            assert_eq!(
                &times[row..row + expected.len()],
                result.times(member),
                "times"
            );
            row += expected.len();
        }
        assert_eq!(
            result.rows("x", 7).expect("recorded").len(),
            0,
            "the bad member has no rows"
        );
    }
}

#[test]
fn an_output_called_time_is_refused_by_name() {
    use bifrons_blocks::{Gain, Integrator};
    let mut diagram = bifrons_hybrid::DiagramBuilder::new("clash");
    let gain = diagram.add("gain", Gain::new(-1.0)).expect("block");
    let x = diagram.add("x", Integrator::new(1.0)).expect("block");
    diagram
        .connect(gain.output("y"), x.input("u"))
        .expect("connection");
    diagram
        .connect(x.output("y"), gain.input("u"))
        .expect("connection");
    diagram
        .export_output("member", x.output("y"))
        .expect("output");
    let system = diagram
        .build()
        .expect("diagram")
        .flatten()
        .expect("equations")
        .compile()
        .expect("system");
    let result = Sweep::builder(&system)
        .build()
        .expect("valid sweep")
        .run()
        .expect("fits");
    let error = result
        .write_to(&mut MemorySink::new())
        .expect_err("two columns `member`");
    assert!(
        matches!(error, bifrons_sim::WriteError::Schema(_)),
        "{error}"
    );
}
