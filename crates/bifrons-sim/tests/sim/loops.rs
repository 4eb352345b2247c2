//! Algebraic loops that are solved during a run: closed forms, events, failures, sweeps.

use bifrons_expr::Expr;
use bifrons_hybrid::{
    BlockSpec, Clock, DiagramBuilder, Direction, Enabled, EquationSystem, Guard, TapeSystem,
};
use bifrons_sim::{MemberFailure, Outcome, Recording, Simulation, Sweep, uniform_times};

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

/// `a = 2 x + 0.1 (b³ + a b)` and `b = -x + 0.1 (a² - b)`, with `x' = -rate x + 0 (a + b)`.
///
/// `a` and `b` are polynomials of nothing simple, so they are checked by their equations.
fn cubic() -> TapeSystem {
    let (a, b, x) = (s("a"), s("b"), s("x"));
    EquationSystem::builder("cubic")
        .parameter("rate", 1.0)
        .definition("a", 2.0 * &x + 0.1 * (&b * &b * &b + &a * &b))
        .definition("b", 0.1 * (&a * &a - &b) - &x)
        .state("x", -(s("rate") * &x), 1.0)
        .output("x", x)
        .output("a", a)
        .output("b", b)
        .build()
        .expect("equations")
        .compile()
        .expect("tape")
}

#[test]
fn outputs_satisfy_the_equations_of_the_loop_on_every_row_of_a_sweep() {
    let system = cubic();
    let members = 37;
    let rates: Vec<f64> = (0..members).map(|k| 0.2 + 0.1 * k as f64).collect();
    let recording = Recording::times(uniform_times(0.0, 2.0, 21));
    let run = Sweep::builder(&system)
        .span(0.0, 2.0)
        .column("rate", rates.clone())
        .record(recording.clone())
        .build()
        .expect("valid")
        .run()
        .expect("sweep");
    for (member, &rate) in rates.iter().enumerate() {
        let row = |name| run.rows(name, member).expect("column");
        let alone = Simulation::builder(&system)
            .span(0.0, 2.0)
            .parameter("rate", rate)
            .record(recording.clone())
            .build()
            .expect("valid")
            .run()
            .expect("run");
        for name in ["x", "a", "b"] {
            let bits = |values: &[f64]| values.iter().map(|y| y.to_bits()).collect::<Vec<_>>();
            let one = alone.signal(name).expect("signal");
            assert_eq!(bits(one), bits(row(name)), "{name} of member {member}");
        }
        for (k, &t) in run.times(member).iter().enumerate() {
            let (x, a, b) = (row("x")[k], row("a")[k], row("b")[k]);
            assert!((x - (-rate * t).exp()).abs() < 1e-6, "x({t}) = {x}");
            let first = 2.0 * x + 0.1 * (b * b * b + a * b) - a;
            let second = 0.1 * (a * a - b) - x - b;
            assert!(
                first.abs().max(second.abs()) < 1e-14,
                "{first} {second} at {t}"
            );
        }
    }
}

#[test]
fn a_loop_within_derivatives_follows_the_closed_form() {
    // v + v³ = x with x' = -v (1 + 3 v²): then v' = -v, so v = e^(-t) with x(0) = 2.
    let v = s("v");
    let system = EquationSystem::builder("implicit")
        .definition("v", s("x") - &v * &v * &v)
        .state("x", -(&v * (1.0 + 3.0 * &v * &v)), 2.0)
        .output("v", v)
        .build()
        .expect("equations")
        .compile()
        .expect("tape");
    let run = Simulation::builder(&system)
        .span(0.0, 3.0)
        .tolerance(1e-10, 1e-12)
        .record(Recording::times(uniform_times(0.0, 3.0, 31)))
        .build()
        .expect("valid")
        .run()
        .expect("run");
    for (&t, &v) in run.times().iter().zip(run.signal("v").expect("v")) {
        assert!((v - (-t).exp()).abs() < 1e-9, "v({t}) = {v}");
    }
}

#[test]
fn loops_are_solved_within_instants_and_guards() {
    // At each tick n samples v, where v + v³ = n + k is solved with the sample k of this instant.
    let v = s("v");
    let system = EquationSystem::builder("sampled")
        .discrete("n", 0.0)
        .clock(Clock::new(
            "c",
            "1".parse().expect("period"),
            "0".parse().expect("offset"),
        ))
        .sample("k", "c", s("pre(k)") + 2.0, 0.0)
        .definition("v", s("n") + s("k") - &v * &v * &v)
        .update("c", "n", v.clone())
        .state("x", v.clone(), 0.0)
        .guard(Guard::new("passes", Direction::Rising), &v * s("x") - 1.0)
        .output("n", s("n"))
        .output("v", v)
        .build()
        .expect("equations")
        .compile()
        .expect("tape");
    let run = Simulation::builder(&system)
        .span(0.0, 2.5)
        .record(Recording::times(vec![0.5, 1.5, 2.5]))
        .log_events(10)
        .build()
        .expect("valid")
        .run()
        .expect("run");
    let root = |right: f64| {
        // Bisection of v + v³ = right on [0, right].
        let (mut low, mut high) = (0.0, right);
        for _ in 0..100 {
            let middle: f64 = 0.5 * (low + high);
            if middle + middle * middle * middle < right {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    };
    let (mut n, mut x, mut passes) = (0.0, 0.0, None);
    for tick in 0..3_u8 {
        let k = 2.0 * f64::from(tick + 1);
        n = root(n + k);
        let v = root(n + k);
        let found = run.signal("n").expect("n")[usize::from(tick)];
        assert!((found - n).abs() < 1e-14, "n = {found} for {n}");
        let found = run.signal("v").expect("v")[usize::from(tick)];
        assert!((found - v).abs() < 1e-14, "v = {found} for {v}");
        if passes.is_none() && v * (x + v) > 1.0 {
            passes = Some(f64::from(tick) + (1.0 / v - x) / v);
        }
        x += v;
    }
    let guard = run.events().iter().find(|event| event.t.fract() != 0.0);
    let (found, expected) = (guard.expect("guard").t, passes.expect("passes"));
    assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
}

#[test]
fn a_loop_that_loses_its_solution_is_named_with_its_residual() {
    // y² = 1 - x has no solution from t = 1 on, and only member 1 gets there.
    let system = EquationSystem::builder("circle")
        .parameter("rate", 1.0)
        .definition("y", s("y") + s("y") * s("y") - 1.0 + s("x"))
        .guess("y", 1.0)
        .state("x", s("rate") + 0.0 * s("y"), 0.0)
        .output("y", s("y"))
        .build()
        .expect("equations")
        .compile()
        .expect("tape");
    let sweep = Sweep::builder(&system)
        .span(0.0, 1.5)
        .column("rate", vec![0.5, 1.0, 0.1])
        .build()
        .expect("valid")
        .run()
        .expect("sweep");
    let [(member, failure)] = sweep.failures() else {
        panic!("one failure: {:?}", sweep.failures())
    };
    let MemberFailure::AlgebraicLoop { variables, t, .. } = failure else {
        panic!("{failure}")
    };
    assert_eq!((*member, &**variables), (1, "y"), "{failure}");
    assert!((t - 1.0).abs() < 1e-6, "{failure}");
    assert!(
        failure.to_string().contains("algebraic loop of `y`"),
        "{failure}"
    );
    for (member, rate) in [(0, 0.5), (2, 0.1)] {
        let y = sweep.rows("y", member).expect("y")[0];
        let expected = (1.0_f64 - 1.5 * rate).sqrt();
        assert!((y - expected).abs() < 1e-12, "{y} for {expected}");
    }
}

#[test]
fn a_loop_may_lie_within_a_container_or_through_it() {
    // Inside: y = u - y³. Outside: u = 2 - y/2, so that y³ + 1.5 y = 2 while it is on.
    let block = BlockSpec::builder("Cubic").input("u");
    let y = s("u") - s("y") * s("y") * s("y");
    let mut inside = DiagramBuilder::new("inside");
    let id = inside
        .add(
            "core",
            block.output("y", y).guess("y", 0.5).build().expect("block"),
        )
        .expect("block");
    inside.export_input("u", id.input("u")).expect("input");
    inside.export_output("y", id.output("y")).expect("output");
    let container = Enabled::new(inside.build().expect("diagram")).output_off(0.0);
    let mut outside = DiagramBuilder::new("outside");
    let id = outside.add("box", container).expect("container");
    let back = BlockSpec::builder("Back")
        .input("u")
        .output("y", 2.0 - 0.5 * s("u"));
    let back = outside
        .add("back", back.build().expect("block"))
        .expect("block");
    let switch = BlockSpec::builder("Switch").output("y", 1.0 - s("time"));
    let switch = outside
        .add("switch", switch.build().expect("block"))
        .expect("block");
    for (from, to) in [
        ("box.y", "back.u"),
        ("back.y", "box.u"),
        ("switch.y", "box.enable"),
    ] {
        outside.connect(from, to).expect("connection");
    }
    outside.export_output("y", id.output("y")).expect("output");
    outside
        .export_output("u", back.output("y"))
        .expect("output");
    let _ = switch;
    let system = outside
        .build()
        .expect("diagram")
        .flatten()
        .expect("equations");
    let system = system.compile().expect("tape");
    let run = Simulation::builder(&system)
        .span(0.0, 2.0)
        .record(Recording::times(vec![0.5, 1.5]))
        .build()
        .expect("valid")
        .run()
        .expect("run");
    assert_eq!(run.outcome(), &Outcome::Reached);
    let (y, u) = (run.signal("y").expect("y"), run.signal("u").expect("u"));
    let rest = y[0] * y[0] * y[0] + 1.5 * y[0] - 2.0;
    assert!(
        rest.abs() < 1e-14 && (u[0] - 2.0 + 0.5 * y[0]).abs() < 1e-15,
        "{y:?}"
    );
    assert_eq!((y[1], u[1]), (0.0, 2.0), "off");
}
