//! State machines: clocked and event-driven, hierarchy, history, and what is refused.

use bifrons_blocks::{Expression, Rate, StateMachine};
use bifrons_expr::Expr;
use bifrons_hybrid::{Block, BlockError, DiagramBuilder, TapeSystem};
use bifrons_sim::{Recording, Run, Simulation};

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

/// The machine driven by `x(time)`.
fn driven(machine: StateMachine, x: &str) -> TapeSystem {
    let mut builder = DiagramBuilder::new("bench");
    let source = builder.add("source", Expression::new(x)).expect("added");
    let machine = builder.add("machine", machine).expect("added");
    builder
        .connect(source.output("y"), machine.input("x"))
        .expect("connected");
    builder
        .export_output("mode", machine.output("mode"))
        .expect("exported");
    builder
        .export_output("y", machine.output("y"))
        .expect("exported");
    let diagram = builder.build().expect("complete");
    diagram
        .flatten()
        .expect("causal")
        .compile()
        .expect("compiled")
}

fn run(system: &TapeSystem, times: Vec<f64>) -> Run {
    let t_end = *times.last().expect("a time");
    Simulation::builder(system)
        .span(0.0, t_end)
        .record(Recording::times(times))
        .log_events(99)
        .build()
        .expect("valid")
        .run()
        .expect("runs")
}

fn three_states(machine: StateMachine) -> StateMachine {
    machine
        .input("x")
        .variable("y", 0.0)
        .state("idle")
        .state("running")
        .state("done")
        .transition("idle", "running", s("x") - 0.5)
        .transition("running", "done", s("x") - 1.5)
        .on_entry("running", "y", Expr::constant(1.0))
        .on_entry("done", "y", Expr::constant(2.0))
}

#[test]
fn a_clocked_machine_looks_at_its_ticks() {
    // Strictly more than the threshold, at ticks k · 0.05 from 0.05 on: k = 11 and k = 31.
    let rate = Rate::with_offset(0.05, 0.05);
    let system = driven(three_states(StateMachine::clocked(rate)), "time");
    let times: Vec<f64> = (0..=60).map(|k| f64::from(k) / 20.0).collect();
    let found = run(&system, times);
    for (k, y) in found.signal("y").expect("y").iter().enumerate() {
        let expected = if k >= 31 {
            2.0
        } else {
            f64::from(u8::from(k >= 11))
        };
        assert_eq!(*y, expected, "tick {k}");
    }
}

#[test]
fn an_event_driven_machine_changes_at_the_crossing() {
    let system = driven(three_states(StateMachine::event_driven()), "time^2");
    let found = run(&system, vec![0.0, 0.7, 0.71, 1.22, 1.23, 2.0]);
    assert_eq!(
        found.signal("mode").expect("mode"),
        [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    );
    let times: Vec<f64> = found.events().iter().map(|event| event.t).collect();
    assert_eq!(times.len(), 2);
    assert!((times[0] - 0.5_f64.sqrt()).abs() < 1e-14);
    assert!((times[1] - 1.5_f64.sqrt()).abs() < 1e-14);
}

#[test]
fn composite_states_have_history_and_ordered_actions() {
    // At ticks 0, 1, 2, …: x = 1 advances within `on`, x = -1 leaves or re-enters it.
    let machine = StateMachine::clocked(Rate::every(1.0))
        .input("x")
        .variable("y", 0.0)
        .state("on")
        .history()
        .substate("on", "slow")
        .substate("on", "fast")
        .state("off")
        .transition("slow", "fast", s("x"))
        .transition("on", "off", -s("x"))
        .transition("off", "on", -s("x"))
        .on_entry("on", "y", s("y") + 10.0)
        .on_exit("on", "y", s("y") + 100.0)
        .during("off", "y", s("y") + 1.0);
    let input = "if time < 0.5 then 0 else if time < 1.5 then 1 else if time < 2.5 then -1 \
                 else if time < 4.5 then 0 else -1";
    let found = run(&driven(machine, input), (0..=5).map(f64::from).collect());
    // slow, fast, off, off, off, back to fast.
    assert_eq!(
        found.signal("mode").expect("mode"),
        [0.0, 1.0, 2.0, 2.0, 2.0, 1.0]
    );
    assert_eq!(
        found.signal("y").expect("y"),
        [0.0, 0.0, 100.0, 101.0, 102.0, 112.0]
    );
}

#[test]
fn charts_that_make_no_sense_are_refused_by_name() {
    let refused = |machine: StateMachine| match machine.into_component() {
        Err(BlockError::Machine { problem, .. }) => problem,
        other => panic!("{other:?}"),
    };
    let two = || StateMachine::event_driven().state("a").state("b");
    assert!(refused(two()).contains("`b` is never reached"));
    assert!(refused(two().transition("a", "c", 1.0)).contains("`c`"));
    let tie = two()
        .transition_with_priority("a", "b", s("time"), 1)
        .transition_with_priority("a", "a", s("time"), 1);
    assert!(refused(tie).contains("same priority 1"));
    assert!(refused(StateMachine::event_driven()).contains("at least one state"));
    let unknown = two().transition("a", "b", 1.0).on_entry("b", "z", 1.0);
    assert!(refused(unknown).contains("`z`"));
}
