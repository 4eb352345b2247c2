//! The policy `Slide`: motion along the surface on which right-hand sides jump.

use bifrons_expr::Expr;
use bifrons_hybrid::{
    Direction, EquationSystem, EquationSystemBuilder, Guard, HybridSystem, SensitivityError, Slide,
    SlideError, TapeSystem, Trigger,
};
use bifrons_sim::{
    Advance, Outcome, Recording, Run, RunMethod, Simulation, SimulationBuilder, Sweep,
    uniform_times,
};

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

fn slide(builder: EquationSystemBuilder, slide: Slide) -> TapeSystem {
    let system = builder.build().expect("equations");
    let sliding = system.with_sliding(&[slide]).expect("slides");
    sliding.compile().expect("tape")
}

fn on_surface() -> Slide {
    Slide::new("surface", "side")
}

/// `x' = force - side` with the surface `x = 0`.
fn relay(force: Expr, start: f64) -> EquationSystemBuilder {
    EquationSystem::builder("relay")
        .parameter("c", 0.25)
        .state("x", force - s("side"), start)
        .discrete("side", 1.0)
        .guard(Guard::new("surface", Direction::Either), s("x"))
        .output("x", s("x"))
        .output("u", s("side"))
}

fn run(system: &TapeSystem, span: (f64, f64), rtol: f64) -> Run {
    settings(system, span, rtol)
        .build()
        .expect("valid")
        .run()
        .expect("run")
}

fn settings(
    system: &TapeSystem,
    (t0, tf): (f64, f64),
    rtol: f64,
) -> SimulationBuilder<'_, TapeSystem> {
    Simulation::builder(system)
        .span(t0, tf)
        .tolerance(rtol, rtol * 1e-3)
        .record(Recording::times(uniform_times(t0, tf, 301)))
        .log_events(1000)
}

/// What happened, by the names of the guards.
fn fired(system: &TapeSystem, run: &Run) -> Vec<(String, f64)> {
    let guards = system.events().guards();
    let events = run.events().iter();
    let named = events.filter_map(|event| match event.trigger {
        Trigger::Guard(guard) => Some((guards[guard].name.to_string(), event.t)),
        Trigger::Clock(_) => None,
    });
    named.collect()
}

fn names(fired: &[(String, f64)]) -> Vec<&str> {
    fired.iter().map(|(name, _)| &**name).collect()
}

#[test]
fn a_relay_reaches_its_surface_and_stays() {
    for (start, c) in [(1.0, 0.25), (-2.0, 0.25), (1.0, -0.5), (0.0, 0.9)] {
        let system = slide(relay(s("c"), start), on_surface());
        let simulation = settings(&system, (0.0, 10.0), 1e-7).parameter("c", c);
        let run = simulation.build().expect("valid").run().expect("run");
        assert_eq!(run.outcome(), &Outcome::Reached);
        let reached = start.abs() / (1.0 - c * start.signum());
        let events = fired(&system, &run);
        let (last, t) = events.last().expect("slides");
        assert_eq!(last, "surface", "{events:?}");
        assert!(
            (t - reached).abs() <= 4.0 * f64::EPSILON * reached,
            "{t} for {reached}"
        );
        assert!(events.len() <= 3, "{events:?}");
        let rows = run.times().iter().zip(run.signal("x").expect("x"));
        for ((&t, &x), &u) in rows.zip(run.signal("u").expect("u")) {
            let exact = start + (c - start.signum()) * t;
            if t < reached {
                assert!((x - exact).abs() < 1e-14, "{x} for {exact} at {t}");
            } else {
                // Rounding alone moves it, and the side is the equivalent control.
                assert!(x.abs() < 1e-14, "{x} at {t}");
                assert!(t == reached || (u - c).abs() < 1e-15, "{u} at {t}");
            }
        }
    }
}

/// A block on a rough floor, pulled by the force `t`: it stops, sticks, and breaks away at `t = μ`.
fn block() -> TapeSystem {
    let builder = EquationSystem::builder("block")
        .parameter("mu", 2.0)
        .state("v", s("time") - s("mu") * s("side"), 1.0)
        .state("x", s("v"), 0.0)
        .discrete("side", 1.0)
        .guard(Guard::new("surface", Direction::Either), s("v"))
        .output("v", s("v"))
        .output("x", s("x"))
        .output("friction", -(s("mu") * s("side")));
    slide(builder, on_surface())
}

#[test]
fn a_block_sticks_until_the_force_exceeds_friction() {
    let system = block();
    for method in [RunMethod::Automatic, RunMethod::Rodas5P] {
        let simulation = settings(&system, (0.0, 4.0), 1e-9).method(method);
        let run = simulation.build().expect("valid").run().expect("run");
        let events = fired(&system, &run);
        let expected = [
            "surface.begins",
            "surface.falls",
            "surface",
            "surface.leaves",
        ];
        assert_eq!(names(&events)[..4], expected);
        let stops = 2.0 - 2.0_f64.sqrt();
        assert!((events[2].1 - stops).abs() < 1e-9, "{events:?}");
        // The rates do not depend on the state: located to rounding.
        assert!(
            (events[3].1 - 2.0).abs() <= 8.0 * f64::EPSILON,
            "{events:?}"
        );
        let far = |t: f64| t - t * t + t * t * t / 6.0;
        let rows = run.times().iter().zip(run.signal("v").expect("v"));
        let rows = rows.zip(run.signal("x").expect("x"));
        for ((row, friction), ((&t, &v), &x)) in (0..)
            .zip(run.signal("friction").expect("friction"))
            .zip(rows)
        {
            let (exact, place, force) = if t < stops {
                (1.0 - 2.0 * t + 0.5 * t * t, far(t), -2.0)
            } else if t <= 2.0 {
                (0.0, far(stops), -t)
            } else {
                (
                    0.5 * (t - 2.0).powi(2),
                    far(stops) + (t - 2.0).powi(3) / 6.0,
                    -2.0,
                )
            };
            // At rest rounding alone moves explicit steps, and the noise of a Jacobian implicit ones.
            let rests = t > stops && t <= 2.0 && method == RunMethod::Automatic;
            let bound = if rests { 1e-14 } else { 1e-9 };
            assert!(
                (v - exact).abs() < bound,
                "{method:?}, row {row}: {v} for {exact} at {t}"
            );
            assert!(
                (x - place).abs() < 1e-8,
                "{method:?}: {x} for {place} at {t}"
            );
            assert!(
                (friction - force).abs() < bound,
                "{method:?}: {friction} at {t}"
            );
        }
    }
}

/// `x'' = -k sign(x' + λ x)`: on the surface `x` decays like `exp(-λ t)`.
#[test]
fn a_sliding_mode_controller_keeps_to_its_surface() {
    let (k, l) = (4.0, 1.0);
    for rtol in [1e-4, 1e-7, 1e-10] {
        let builder = EquationSystem::builder("controlled")
            .parameter("k", k)
            .parameter("l", l)
            .state("x", s("v"), 1.0)
            .state("v", s("u"), 0.0)
            .discrete("side", 1.0)
            .definition("s", s("v") + s("l") * s("x"))
            .definition("u", -(s("k") * s("side")))
            .guard(Guard::new("surface", Direction::Either), s("s"))
            .output("x", s("x"))
            .output("s", s("s"))
            .output("u", s("u"))
            .output("v", s("v"));
        let system = slide(builder, on_surface());
        let run = run(&system, (0.0, 6.0), rtol);
        let events = fired(&system, &run);
        assert_eq!(
            names(&events),
            ["surface.begins", "surface.falls", "surface"]
        );
        let entered = 0.5 * (6.0_f64.sqrt() - 2.0);
        assert!((events[2].1 - entered).abs() < rtol);
        let x_then = 1.0 - 0.5 * k * entered * entered;
        let rows = run.times().iter().enumerate();
        let column = |name: &str| run.signal(name).expect("recorded");
        for (row, &t) in rows {
            let (x, on) = (column("x")[row], column("s")[row]);
            if t > entered {
                let exact = x_then * (-l * (t - entered)).exp();
                assert!((x - exact).abs() < 30.0 * rtol, "{x} for {exact} at {t}");
                // Linear in the states: no step leaves it.
                assert!(on.abs() < 1e-14, "{on} at {t}");
                let (u, v) = (column("u")[row], column("v")[row]);
                assert!((u + l * v).abs() < 1e-14, "{u} at {t}");
            }
        }
    }
}

/// What happens and when, and where each piece starts with which side.
type Pieces = (Vec<(&'static str, f64)>, Vec<(f64, f64)>);

/// `x' = 2 sin t - sign(x)`, piece by piece: times at which it enters, leaves and crosses.
fn pieces(tf: f64) -> Pieces {
    let (mut happened, mut starts) = (vec![("surface", 0.0)], vec![(0.0, 0.0)]);
    let (mut t, mut side) = (0.0_f64, 0.0_f64);
    loop {
        let (from, own) = (t, side);
        let ends = move |t: f64| {
            if own == 0.0 {
                2.0 * (2.0 * t.sin()).abs() - 2.0
            } else {
                let x = 2.0 * (from.cos() - t.cos()) - own * (t - from);
                -own * x
            }
        };
        let mut low = from + 1e-3;
        while ends(low + 1e-3) < 0.0 {
            low += 1e-3;
        }
        let mut high = low + 1e-3;
        while high - low > 4.0 * f64::EPSILON * high {
            let middle = 0.5 * (low + high);
            if ends(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        t = high;
        if t > tf {
            return (happened, starts);
        }
        let force = 2.0 * t.sin();
        if own == 0.0 {
            side = force.signum();
            happened.push(("surface.leaves", t));
        } else {
            happened.push((
                if own > 0.0 {
                    "surface.falls"
                } else {
                    "surface.rises"
                },
                t,
            ));
            side = if force.abs() < 1.0 {
                0.0
            } else {
                force.signum()
            };
            if side == 0.0 {
                happened.push(("surface", t));
            }
        }
        starts.push((t, side));
    }
}

#[test]
fn a_forced_relay_slides_leaves_and_crosses_on_time() {
    let tf = 40.0;
    let (expected, starts) = pieces(tf);
    let count = |name| expected.iter().filter(|(own, _)| *own == name).count();
    assert!(count("surface.leaves") > 0 && count("surface.falls") + count("surface.rises") > 4);
    let system = slide(relay(2.0 * s("time").sin(), 0.0), on_surface());
    for rtol in [1e-5, 1e-8, 1e-11] {
        let run = run(&system, (0.0, tf), rtol);
        let events = fired(&system, &run);
        // One that leaves or crosses at an exact zero may look at its side once more.
        let mut events: Vec<_> = events[1..].to_vec();
        events.dedup_by(|later, first| later.1 == first.1 && later.0 != "surface");
        assert_eq!(
            names(&events),
            expected.iter().map(|own| own.0).collect::<Vec<_>>()
        );
        // The error of a step is at most what is allowed for it, nothing makes it grow (a crossing
        // turns it by the ratio of the rates behind and before, which is below one), and it moves
        // an event by its size over the rate. Leaving depends on time alone.
        let columns = run.signal("x").expect("x").iter();
        let largest = columns.fold(0.0_f64, |most, x| most.max(x.abs()));
        let allowed = f64::from(run.report().accepted) * rtol * (largest + 1e-3);
        let mut late = 0.0_f64;
        for ((_, t), (name, exact)) in events.iter().zip(&expected) {
            let force = 2.0 * exact.sin();
            let bound = match *name {
                "surface.leaves" => 1e-12,
                "surface.falls" => allowed / (force - 1.0).abs(),
                "surface.rises" => allowed / (force + 1.0).abs(),
                // At the instant at which the surface was reached.
                _ => late,
            };
            assert!((t - exact).abs() <= bound, "{name}: {t} for {exact}");
            late = late.max(bound);
        }
        for (&t, &x) in run.times().iter().zip(run.signal("x").expect("x")) {
            let piece = starts.iter().rev().find(|(start, _)| *start <= t);
            let &(from, side) = piece.expect("begins at 0");
            let exact = match side {
                0.0 => 0.0,
                side => 2.0 * (from.cos() - t.cos()) - side * (t - from),
            };
            // Both rates differ by two where only one of both solutions has crossed.
            let bound = allowed + 2.0 * late;
            assert!((x - exact).abs() <= bound, "{x} for {exact} at {t}");
        }
    }
}

/// Round the unit circle, to which both sides push.
fn circle(pull: f64) -> TapeSystem {
    let builder = EquationSystem::builder("circle")
        .state("x", -s("y") - s("side") * s("x"), 1.0)
        .state("y", s("x") - s("side") * s("y"), 0.0)
        .discrete("side", 0.0)
        .guard(
            Guard::new("surface", Direction::Either),
            s("x").powi(2) + s("y").powi(2) - 1.0,
        )
        .output("x", s("x"))
        .output("y", s("y"));
    slide(builder, on_surface().pull(pull))
}

#[test]
fn a_pull_bounds_the_drift_from_a_curved_surface() {
    for rtol in [1e-4, 1e-6, 1e-8] {
        let system = circle(5.0);
        let run = run(&system, (0.0, 300.0), rtol);
        let columns = ["x", "y"].map(|name| run.signal(name).expect("recorded"));
        let drift = |row: usize| (columns[0][row].hypot(columns[1][row]) - 1.0).abs();
        let largest = (0..301).map(drift).fold(0.0, f64::max);
        // The error of a step is at most `rtol` in both components, and fades at the rate of the
        // pull: a geometric sum over the steps, which are of one size here but for the first.
        let step = 300.0 / f64::from(run.report().accepted);
        let bound = 2.0_f64.sqrt() * rtol * 1.001 / (1.0 - (-5.0 * step).exp());
        assert!(largest <= bound, "{largest} of {bound} at {rtol}");
        assert_eq!(names(&fired(&system, &run)), ["surface.begins", "surface"]);
    }
}

#[test]
fn observers_pauses_and_lanes_do_not_change_a_slide() {
    let system = slide(relay(2.0 * s("time").sin() + s("c"), 1.0), on_surface());
    let simulation = settings(&system, (0.0, 20.0), 1e-7).build().expect("valid");
    let whole = simulation.run().expect("run");
    let mut advance = simulation.run_until(|_, _| true).expect("run");
    let parts = loop {
        match advance {
            Advance::Ended(run) => break run,
            Advance::Paused(checkpoint) => {
                let next = simulation.resume_until(&checkpoint, |_, _| true);
                advance = next.expect("run");
            }
        }
    };
    assert_eq!(parts, whole);
    let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let quiet = settings(&system, (0.0, 20.0), 1e-7).record(Recording::final_values());
    let quiet = quiet.build().expect("valid").run().expect("run");
    assert_eq!(bits(quiet.last_state()), bits(whole.last_state()));
    assert_eq!(quiet.rhs_count(), whole.rhs_count());
    let c: Vec<f64> = (0..20).map(|i| 0.07 * f64::from(i) - 0.7).collect();
    let sweep = Sweep::builder(&system)
        .span(0.0, 20.0)
        .column("c", c.clone())
        .tolerance(1e-7, 1e-10)
        .record(Recording::times(uniform_times(0.0, 20.0, 301)));
    let result = sweep.build().expect("valid").run().expect("sweep");
    for (member, &c) in c.iter().enumerate() {
        let alone = settings(&system, (0.0, 20.0), 1e-7).parameter("c", c);
        let alone = alone.build().expect("valid").run().expect("run");
        let rows = result.rows("x", member).expect("rows");
        assert_eq!(bits(rows), bits(alone.signal("x").expect("x")), "c = {c}");
    }
}

/// Two blocks with friction of their own, each with its surface.
#[test]
fn surfaces_that_do_not_meet_slide_side_by_side() {
    let mut builder = EquationSystem::builder("blocks");
    for (name, start) in [("a", 1.0), ("b", 3.0)] {
        let side = format!("{name}.side");
        builder = builder
            .state(format!("{name}.v"), 0.5 - s(&side), start)
            .discrete(&side, 1.0)
            .guard(
                Guard::new(format!("{name}.stops"), Direction::Either),
                s(&format!("{name}.v")),
            )
            .output(format!("{name}.v"), s(&format!("{name}.v")));
    }
    let system = builder.build().expect("equations");
    let slides = ["a", "b"].map(|name| Slide::new(format!("{name}.stops"), format!("{name}.side")));
    let system = system
        .with_sliding(&slides)
        .expect("slides")
        .compile()
        .expect("tape");
    let run = run(&system, (0.0, 10.0), 1e-8);
    let entered: Vec<_> = fired(&system, &run)
        .into_iter()
        .filter(|(name, _)| name.ends_with("stops"))
        .collect();
    assert_eq!(names(&entered), ["a.stops", "b.stops"]);
    for ((_, t), exact) in entered.iter().zip([2.0, 6.0]) {
        assert!((t - exact).abs() < 1e-14, "{t} for {exact}");
    }
    assert!(run.last_state().iter().all(|v| v.abs() < 1e-14));
}

#[test]
fn derivatives_of_a_slide_are_refused() {
    let system = relay(s("c"), 1.0).build().expect("equations");
    let sliding = system.with_sliding(&[on_surface()]).expect("slides");
    assert!(matches!(
        sliding.with_sensitivities(&["c"]).expect_err("refused"),
        SensitivityError::Slides { system, guard } if system == "relay" && guard == "surface"
    ));
    assert!(system.with_sensitivities(&["c"]).is_ok());
}

#[test]
fn what_cannot_slide_is_refused_by_name() {
    let refused = |builder: EquationSystemBuilder, slides: &[Slide]| {
        let system = builder.build().expect("equations");
        system.with_sliding(slides).map(drop).expect_err("refused")
    };
    let plain = || relay(s("c"), 1.0);
    assert!(matches!(
        refused(plain(), &[Slide::new("surfac", "side")]),
        SlideError::UnknownName(error) if error.nearest.as_deref() == Some("surface")
    ));
    assert!(matches!(
        refused(plain(), &[Slide::new("surface", "sid")]),
        SlideError::UnknownName(error) if error.nearest.as_deref() == Some("side")
    ));
    assert!(matches!(
        refused(plain(), &[on_surface().pull(-1.0)]),
        SlideError::Pull { value: -1.0, .. }
    ));
    let timed = plain().guard(Guard::new("late", Direction::Either), s("time") - 1.0);
    assert!(matches!(
        refused(timed, &[Slide::new("late", "side")]),
        SlideError::TimeOnly { guard } if guard == "late"
    ));
    let rising = plain().guard(Guard::new("up", Direction::Rising), s("x"));
    assert!(matches!(
        refused(rising, &[Slide::new("up", "side")]),
        SlideError::Kind { guard } if guard == "up"
    ));
    let sampled = plain().guard(Guard::new("own", Direction::Either), s("x") - s("side"));
    assert!(matches!(
        refused(sampled, &[Slide::new("own", "side")]),
        SlideError::Reads { symbol, .. } if symbol == "side"
    ));
    let reset = plain().update("surface", "x", Expr::constant(0.5));
    assert!(matches!(
        refused(reset, &[on_surface()]),
        SlideError::Update { variable, trigger, .. } if variable == "x" && trigger == "surface"
    ));
    let both = plain()
        .discrete("other", 1.0)
        .guard(Guard::new("second", Direction::Either), s("x") - 1.0);
    let slides = [on_surface(), Slide::new("second", "other")];
    assert!(matches!(refused(both, &slides), SlideError::Coupled { .. }));
    let system = plain().build().expect("equations");
    let once = system.with_sliding(&[on_surface()]).expect("slides");
    assert!(matches!(
        once.with_sliding(&[on_surface()]),
        Err(SlideError::Taken { name }) if name == "surface.rises"
    ));
}
