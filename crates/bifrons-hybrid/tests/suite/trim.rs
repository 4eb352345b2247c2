//! Operating points against closed forms.

use crate::blocks::s;
use bifrons_hybrid::{EquationSystem, TrimError};

fn close(found: f64, expected: f64, what: &str) {
    let bound = 1e-10 * (1.0 + expected.abs());
    assert!(
        (found - expected).abs() <= bound,
        "{what}: {found} for {expected}"
    );
}

/// A stirred tank: `c` reacts at the rate `k e^(-e / T)`, heat is taken by the input `u`.
fn tank() -> EquationSystem {
    let rate = 7.2e10 * (-8750.0 / s("T")).exp() * s("c");
    EquationSystem::builder("tank")
        .parameter("feed", 1.0)
        .parameter("cooling", 300.0)
        .state("c", s("feed") - s("c") - &rate, 0.5)
        .state(
            "T",
            350.0 - s("T") + 209.2 * &rate + 2.092 * (s("cooling") - s("T")),
            350.0,
        )
        .output("T", s("T"))
        .output("heat", rate)
        .build()
        .unwrap()
}

#[test]
fn a_reactor_is_held_at_its_unstable_point() {
    // With T given, c and the cooling follow in closed form.
    let t: f64 = 350.0;
    let k = 7.2e10 * (-8750.0 / t).exp();
    let c = 1.0 / (1.0 + k);
    let cooling = t - (350.0 - t + 209.2 * k * c) / 2.092;
    let point = tank()
        .trim()
        .free("cooling", 290.0)
        .free("T", 340.0)
        .output("T", t)
        .solve()
        .unwrap();
    close(point.values["T"], t, "T");
    close(point.values["c"], c, "c");
    close(point.values["cooling"], cooling, "cooling");
    close(point.outputs["heat"], k * c, "heat");
    assert!(point.newton_steps > 0, "{point:?}");
    let model = tank().linearise(point.pairs()).unwrap();
    assert!(model.a.iter().all(|a| a.is_finite()), "linear model");
}

#[test]
fn steady_motion_leaves_positions_out() {
    // A cart with drag: position unsteady, speed 3 wanted, force free: force = 2 · 3 + 0.5 · 9.
    let cart = EquationSystem::builder("cart")
        .parameter("force", 0.0)
        .state("x", s("v"), 0.0)
        .state(
            "v",
            s("force") - 2.0 * s("v") - 0.5 * s("v") * s("v").abs(),
            1.0,
        )
        .output("v", s("v"))
        .build()
        .unwrap();
    let wanted = cart.trim().derivative("x", 3.0).free("force", 1.0);
    let point = wanted.solve().unwrap();
    close(point.values["force"], 10.5, "force");
    let wanted = cart.trim().unsteady("x").fix("v", 3.0).fix("x", 7.0);
    let point = wanted.free("force", 1.0).solve().unwrap();
    close(point.values["force"], 10.5, "force");
    assert!((point.values["x"] - 7.0).abs() < 1e-15, "held");
}

#[test]
fn with_more_unknowns_than_conditions_the_nearest_kind_of_point_is_found() {
    let system = EquationSystem::builder("line")
        .parameter("a", 0.0)
        .parameter("b", 0.0)
        .state("x", s("a") + 2.0 * s("b") - s("x") * s("x") - 5.0, 0.0)
        .build()
        .unwrap();
    let trim = system.trim().fix("x", 0.0).free("a", 0.0).free("b", 0.0);
    let point = trim.solve().unwrap();
    let (a, b) = (point.values["a"], point.values["b"]);
    close(a + 2.0 * b, 5.0, "the condition");
    // The least squares solution is (1, 2).
    assert!((a - 1.0).abs() < 0.1 && (b - 2.0).abs() < 0.1, "{a} {b}");
}

#[test]
fn newtons_method_gives_way_where_it_diverges() {
    // atan(x) = 0 from 20: plain steps diverge.
    let system = EquationSystem::builder("atan")
        .state("x", -s("x").atan(), 20.0)
        .build()
        .unwrap();
    let point = system.trim().solve().unwrap();
    assert!(point.values["x"].abs() < 1e-9, "{point:?}");
    assert!(point.damped_steps > 0, "{point:?}");
}

#[test]
fn loops_are_part_of_the_search() {
    // y = cos y + x with x' = y - 1: y = 1, x = 1 - cos 1.
    let system = EquationSystem::builder("loop")
        .definition("y", s("y").cos() + s("x"))
        .state("x", s("y") - 1.0, 0.3)
        .output("y", s("y"))
        .build()
        .unwrap();
    let point = system.trim().solve().unwrap();
    close(point.values["x"], 1.0 - 1.0_f64.cos(), "x");
    close(point.outputs["y"], 1.0, "y");
}

#[test]
fn what_cannot_hold_is_named_with_the_best_point() {
    let system = EquationSystem::builder("never")
        .state("x", s("x") * s("x") + 1.0, 2.0)
        .state("y", s("x") - s("y"), 0.0)
        .build()
        .unwrap();
    let error = system.trim().solve().unwrap_err();
    let TrimError::NoConvergence {
        condition,
        residual,
        best,
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(condition, "der(x)", "{error}");
    assert!((residual - 1.0).abs() < 1e-3, "{error}");
    assert!(best.values["x"].abs() < 0.05, "{best:?}");
    // Two conditions that contradict each other.
    let tank = tank();
    let trim = tank.trim().fix("T", 350.0).output("T", 351.0);
    assert!(
        matches!(trim.solve(), Err(TrimError::NoConvergence { .. })),
        "contradiction"
    );
}

#[test]
fn names_are_checked() {
    let tank = tank();
    let text = |error: TrimError| error.to_string();
    let unknown = text(tank.trim().fix("colling", 1.0).solve().unwrap_err());
    assert!(unknown.contains("cooling"), "{unknown}");
    let unknown = text(tank.trim().output("T2", 1.0).solve().unwrap_err());
    assert!(unknown.contains("no output `T2`"), "{unknown}");
    let unknown = text(tank.trim().unsteady("heat").solve().unwrap_err());
    assert!(unknown.contains("no state `heat`"), "{unknown}");
    let both = text(
        tank.trim()
            .fix("T", 1.0)
            .free("T", 2.0)
            .solve()
            .unwrap_err(),
    );
    assert!(both.contains("`T`"), "{both}");
}
