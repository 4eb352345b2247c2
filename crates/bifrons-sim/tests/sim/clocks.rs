//! Clocks, samples and registers: cases hyb-03 and hyb-05, multirate systems, exact ticks.

use bifrons_expr::Expr;
use bifrons_hybrid::{Clock, EquationSystem, EquationSystemBuilder, Rational, TapeSystem};
use bifrons_sim::{BuildError, EventOptions, Recording, Run, Simulation, Sweep};

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

fn clock(name: &str, period: &str, offset: &str) -> Clock {
    let read = |text: &str| text.parse::<Rational>().expect("a number");
    Clock::new(name, read(period), read(offset))
}

fn compile(builder: EquationSystemBuilder) -> TapeSystem {
    builder.build().expect("equations").compile().expect("tape")
}

/// n+ = n + 1 and the time of the last tick.
fn counter(period: &str, offset: &str, with_state: bool) -> TapeSystem {
    let mut builder = EquationSystem::builder("counter")
        .clock(clock("tick", period, offset))
        .discrete("n", 0.0)
        .discrete("last", -1.0)
        .update("tick", "n", s("n") + 1.0)
        .update("tick", "last", s("time"))
        .output("n", s("n"))
        .output("last", s("last"));
    if with_state {
        builder = builder.state("x", -s("x"), 1.0);
    }
    compile(builder)
}

fn run(system: &TapeSystem, t_end: f64, recording: Recording) -> Run {
    // Every tick ends a step, so a million of them need more than the default budget.
    let mut options = bifrons_ode::Options::default();
    options.max_steps = 4_000_000;
    let simulation = Simulation::builder(system)
        .span(0.0, t_end)
        .options(options)
        .record(recording);
    simulation.build().expect("valid").run().expect("runs")
}

fn final_of(run: &Run, name: &str) -> f64 {
    *run.signal(name).expect("recorded").last().expect("one row")
}

#[test]
fn ticks_neither_drift_nor_stall() {
    let cases = [
        ("0.015", "0", 1.5, 101.0, 1.5),
        ("0.001", "0", 1.0, 1001.0, 1.0),
        ("0.1", "0", 1.0, 11.0, 1.0),
        ("0.1", "0.05", 1.0, 10.0, 0.95),
        ("1/3", "0", 1e4, 30_001.0, 1e4),
    ];
    for (period, offset, t_end, count, last) in cases {
        for with_state in [false, true] {
            let system = counter(period, offset, with_state);
            let run = run(&system, t_end, Recording::final_values());
            assert_eq!(final_of(&run, "n"), count, "count of {period}");
            assert_eq!(final_of(&run, "last"), last, "last tick of {period}");
            assert_eq!(f64::from(run.report().events), count);
        }
    }
}

#[test]
fn a_hundred_thousand_ticks_of_a_tenth_are_exact() {
    let run = run(&counter("0.1", "0", false), 1e4, Recording::final_values());
    assert_eq!(final_of(&run, "n"), 100_001.0);
    assert_eq!(final_of(&run, "last"), 1e4);
}

/// Case hyb-03 C; seconds without optimisation.
#[test]
#[cfg_attr(debug_assertions, ignore = "a million ticks, run with optimisation")]
fn a_million_ticks_of_a_tenth_are_exact() {
    for with_state in [false, true] {
        let system = counter("0.1", "0", with_state);
        let run = run(&system, 1e5, Recording::final_values());
        assert_eq!(final_of(&run, "n"), 1_000_001.0);
        assert_eq!(final_of(&run, "last"), 1e5);
    }
}

/// The value of the only output at these times.
fn values(system: &TapeSystem, t_end: f64, times: &[f64]) -> Vec<f64> {
    let run = run(system, t_end, Recording::times(times.to_vec()));
    assert_eq!(run.times(), times, "times of the rows");
    run.signal("y").expect("recorded").to_vec()
}

#[test]
fn a_hold_shows_the_sample_of_the_start() {
    let hold = compile(
        EquationSystem::builder("hold")
            .clock(clock("tick", "0.1", "0"))
            .definition("u", s("time").cos())
            .sample("h", "tick", s("u"), 99.0)
            .output("y", s("h")),
    );
    let y = values(&hold, 1.0, &[0.0, 0.05, 0.149, 0.951]);
    assert_eq!(y[..2], [1.0, 1.0]);
    assert!((y[2] - 0.1_f64.cos()).abs() < 1e-12);
    assert!((y[3] - 0.9_f64.cos()).abs() < 1e-12);
}

#[test]
fn a_discrete_derivative_is_right_from_the_second_sample() {
    let derivative = compile(
        EquationSystem::builder("derivative")
            .clock(clock("tick", "0.1", "0"))
            .discrete("x0", 0.0)
            .discrete("x1", 0.0)
            .definition("u", 4.2 + 2.0 * s("time"))
            .update("tick", "x0", s("u"))
            .update("tick", "x1", s("x0"))
            .output("y", (s("x0") - s("x1")) / 0.1),
    );
    let y = values(&derivative, 1.0, &[0.15, 0.95]);
    assert!(y.iter().all(|y| (y - 2.0).abs() < 1e-9), "{y:?}");
}

#[test]
fn a_unit_delay_shows_the_input_one_sample_late() {
    let delay = compile(
        EquationSystem::builder("delay")
            .clock(clock("tick", "1", "0"))
            .definition("u", Expr::select(s("time").lt(1.0), 1.0, 0.0))
            .sample("d", "tick", s("stored"), 0.0)
            .discrete("stored", 0.0)
            .update("tick", "stored", s("u"))
            .output("y", s("d")),
    );
    let y = values(&delay, 4.0, &[0.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(y, [0.0, 1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_diagram_without_any_state_runs() {
    let gain = compile(
        EquationSystem::builder("gain")
            .definition("u", Expr::select(s("time").lt(1.0), 1.0, 0.0))
            .output("y", 3.0 * s("u")),
    );
    let y = values(&gain, 4.0, &[0.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(y, [3.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_low_pass_tends_to_its_input() {
    let filter = compile(
        EquationSystem::builder("filter")
            .clock(clock("tick", "1", "0"))
            .discrete("x", 0.0)
            .update("tick", "x", 0.5 * s("x") + 0.5)
            .output("y", s("x")),
    );
    // The value after 50 updates is held between tick 49 and tick 50.
    let y = values(&filter, 60.0, &[49.5]);
    assert!((y[0] - 0.999_999_999_999_999_1).abs() <= 1e-14);
}

#[test]
fn fibonacci_needs_no_integrator() {
    // Both registers read the values before the tick.
    let system = compile(
        EquationSystem::builder("fibonacci")
            .clock(clock("tick", "1", "0"))
            .discrete("a", 0.0)
            .discrete("b", 1.0)
            .update("tick", "a", s("b"))
            .update("tick", "b", s("a") + s("b"))
            .output("y", s("a")),
    );
    // a is F(1) = 1 after the tick at 0, F(30) after that at 29.
    assert_eq!(values(&system, 30.0, &[29.0]), [832_040.0]);
}

#[test]
fn chains_of_holds_pass_a_value_within_one_instant() {
    let chain = compile(
        EquationSystem::builder("chain")
            .clock(clock("fast", "0.1", "0"))
            .clock(clock("slow", "0.3", "0"))
            .sample("second", "slow", s("middle"), -1.0)
            .definition("middle", 2.0 * s("first"))
            .sample("first", "fast", s("time"), -1.0)
            .output("y", s("second")),
    );
    // At 0.3 both tick: the second sees the first one's new value; at 0.4 it keeps it.
    let y = values(&chain, 1.0, &[0.0, 0.25, 0.3, 0.45, 0.6]);
    let third = 3.0 * 0.1;
    assert_eq!(y[..2], [0.0, 0.0]);
    assert!((y[2] - 2.0 * third).abs() < 1e-15);
    assert_eq!(y[2], y[3]);
    assert!((y[4] - 1.2).abs() < 1e-15);
}

#[test]
fn pre_reads_a_sample_before_the_instant() {
    let system = compile(
        EquationSystem::builder("edge")
            .clock(clock("tick", "1", "0"))
            .sample("h", "tick", s("time"), 10.0)
            .discrete("jump", 0.0)
            .update("tick", "jump", s("h") - s("pre(h)"))
            .output("y", s("jump")),
    );
    assert_eq!(values(&system, 3.0, &[0.0, 1.0, 2.5]), [-10.0, 1.0, 1.0]);
}

#[test]
fn samples_that_read_each_other_are_a_loop() {
    let error = EquationSystem::builder("loop")
        .clock(clock("tick", "1", "0"))
        .sample("a", "tick", s("b"), 0.0)
        .sample("b", "tick", s("a"), 0.0)
        .build()
        .expect_err("a loop");
    let text = error.to_string();
    assert!(
        text.contains('a') && text.contains('b') && text.contains("samples"),
        "{text}"
    );
}

#[test]
fn a_sampled_controller_holds_its_output_between_ticks() {
    // x' = u held, u = -x sampled: x[k+1] = x[k] (1 - h) exactly.
    let system = compile(
        EquationSystem::builder("loop")
            .clock(clock("tick", "0.1", "0"))
            .state("x", s("u"), 1.0)
            .sample("u", "tick", -s("x"), 0.0)
            .output("y", s("x")),
    );
    let times: Vec<f64> = (0..=10).map(|k| f64::from(k) / 10.0).collect();
    for (k, y) in values(&system, 1.0, &times).into_iter().enumerate() {
        let exact = 0.9_f64.powi(i32::try_from(k).expect("small"));
        assert!((y - exact).abs() < 1e-13, "step {k}: {y} for {exact}");
    }
}

#[test]
fn recording_changes_no_step() {
    let system = counter("0.1", "0", true);
    let reports: Vec<_> = [
        Recording::final_values(),
        Recording::times((0..1000).map(|k| f64::from(k) * 1e-3).collect()),
        Recording::every_step(),
        Recording::events(),
    ]
    .into_iter()
    .map(|recording| run(&system, 1.0, recording))
    .map(|run| {
        (
            run.report().accepted,
            run.report().rejected,
            run.last_state()[0].to_bits(),
        )
    })
    .collect();
    assert!(
        reports.iter().all(|report| *report == reports[0]),
        "{reports:?}"
    );
}

#[test]
fn an_update_of_an_unknown_clock_names_the_nearest() {
    let error = EquationSystem::builder("typo")
        .clock(clock("tick", "1", "0"))
        .discrete("n", 0.0)
        .update("tock", "n", 1.0)
        .build()
        .expect_err("no such clock");
    let source = std::error::Error::source(&error)
        .expect("a source")
        .to_string();
    assert!(
        source.contains("tock") && source.contains("tick"),
        "{source}"
    );
}

#[test]
fn two_unordered_updates_at_one_instant_are_an_error() {
    let builder = |priority| {
        EquationSystem::builder("rivals")
            .clock(clock("a", "1", "0"))
            .clock(clock("b", "2", "0"))
            .discrete("n", 0.0)
            .update("a", "n", 1.0)
            .update_with_priority("b", "n", 2.0, priority)
            .output("y", s("n"))
    };
    let unordered = compile(builder(0));
    let simulation = Simulation::builder(&unordered)
        .span(0.0, 3.0)
        .build()
        .expect("valid");
    let error = simulation.run().expect_err("a and b both tick at 0");
    assert!(
        error.failure.to_string().contains("`n`"),
        "{}",
        error.failure
    );
    let ordered = compile(builder(1));
    assert_eq!(values(&ordered, 3.0, &[0.0, 1.5, 2.5]), [2.0, 1.0, 2.0]);
}

#[test]
fn clocks_do_not_run_backwards() {
    let system = counter("0.1", "0", true);
    let refused = Simulation::builder(&system).backward_span(1.0, 0.0).build();
    assert!(matches!(refused, Err(BuildError::BackwardClocks { .. })));
    let zero = Simulation::builder(&system).events({
        let mut options = EventOptions::default();
        options.parts = 0;
        options
    });
    assert!(matches!(zero.build(), Err(BuildError::ZeroLimit { .. })));
}

#[test]
fn an_empty_span_makes_the_updates_of_the_start() {
    let run = run(&counter("0.1", "0", true), 0.0, Recording::final_values());
    assert_eq!(final_of(&run, "n"), 1.0);
}

#[test]
fn a_member_with_clocks_has_the_bits_of_the_run_alone() {
    let system = compile(
        EquationSystem::builder("loop")
            .parameter("k", 1.0)
            .clock(clock("tick", "0.1", "0"))
            .clock(clock("slow", "0.25", "0.1"))
            .state("x", s("u") + s("d") * s("x"), 1.0)
            .discrete("d", 0.0)
            .sample("u", "tick", -(s("k") * s("x")), 0.0)
            .update("slow", "d", -s("d") - 0.1)
            .output("y", s("x")),
    );
    let gains: Vec<f64> = (0..37).map(|k| 0.2 + f64::from(k) / 10.0).collect();
    let times: Vec<f64> = (0..=40).map(|k| f64::from(k) / 20.0).collect();
    for lanes in [1, 16] {
        let sweep = Sweep::builder(&system)
            .span(0.0, 2.0)
            .column("k", gains.clone())
            .record(Recording::times(times.clone()))
            .lanes(lanes)
            .chunk(10)
            .build()
            .expect("valid");
        let result = sweep.run().expect("runs");
        for (member, gain) in gains.iter().enumerate() {
            let alone = Simulation::builder(&system)
                .span(0.0, 2.0)
                .parameter("k", *gain)
                .record(Recording::times(times.clone()))
                .build()
                .expect("valid")
                .run()
                .expect("runs");
            let (a, b) = (
                result.rows("y", member).expect("y"),
                alone.signal("y").expect("y"),
            );
            assert_eq!(a.len(), b.len());
            assert!(
                a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits()),
                "member {member}"
            );
            assert_eq!(result.reports()[member], *alone.report());
        }
    }
}
