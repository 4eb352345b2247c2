//! Published reference values: equations, times and values are read from `tests/data/jx`, whose
//! files name the method that made them.

use bifrons_expr::Expr;
use bifrons_hybrid::{
    Clock, Direction, EquationSystem, EquationSystemBuilder, Guard, Rational, TapeSystem,
};
use bifrons_sim::{Outcome, Recording, Run, Simulation};

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

fn e(text: &str) -> Expr {
    Expr::parse(text).expect("an expression")
}

fn compile(builder: EquationSystemBuilder) -> TapeSystem {
    builder.build().expect("equations").compile().expect("tape")
}

/// All numbers of the list behind the last of the keys, each looked for behind the one before.
pub(crate) fn numbers(text: &str, keys: &[&str]) -> Vec<f64> {
    let mut rest = text;
    for key in keys {
        let quoted = format!("\"{key}\":");
        let start = rest.find(&quoted).expect("the key is there") + quoted.len();
        rest = &rest[start..];
    }
    let mut depth = 0;
    let mut numbers = Vec::new();
    let mut word = String::new();
    for letter in rest.chars() {
        match letter {
            '[' => depth += 1,
            ']' | ',' => {
                if let Ok(number) = word.trim().parse() {
                    numbers.push(number);
                }
                word.clear();
                depth -= i32::from(letter == ']');
                if depth == 0 {
                    return numbers;
                }
            }
            letter => word.push(letter),
        }
    }
    numbers
}

macro_rules! data {
    ($name:literal) => {
        include_str!(concat!("../data/jx/", $name, ".json"))
    };
}

fn run(system: &TapeSystem, times: Vec<f64>, tolerance: (f64, f64)) -> Run {
    let (t0, t_end) = (times[0], *times.last().expect("a time"));
    Simulation::builder(system)
        .span(t0, t_end)
        .tolerance(tolerance.0, tolerance.1)
        .record(Recording::times(times))
        .log_events(1000)
        .build()
        .expect("valid")
        .run()
        .expect("runs")
}

/// Compares rows of all signals, time by time, with a flat list; returns the worst difference.
fn compare(run: &Run, names: &[&str], expected: &[f64], tolerance: f64) {
    assert_eq!(run.times().len() * names.len(), expected.len(), "values");
    for (row, expected) in expected.chunks_exact(names.len()).enumerate() {
        for (name, expected) in names.iter().zip(expected) {
            let found = run.signal(name).expect("recorded")[row];
            let error = (found - expected).abs();
            assert!(
                error <= tolerance,
                "{name} at row {row}: {found} for {expected}, {error:e}"
            );
        }
    }
}

/// States with equations given as text, all of them outputs.
fn smooth(states: &[(&str, &str, f64)]) -> TapeSystem {
    let mut builder = EquationSystem::builder("smooth");
    for (name, derivative, start) in states {
        builder = builder
            .state(name, e(derivative), *start)
            .output(name, s(name));
    }
    compile(builder)
}

/// Runs a smooth problem at tight tolerances and compares every value.
fn check_smooth(text: &str, states: &[(&str, &str, f64)], tolerance: f64) {
    let names: Vec<&str> = states.iter().map(|state| state.0).collect();
    let times = numbers(text, &["sample_times"]);
    let found = run(&smooth(states), times, (1e-10, 1e-12));
    let expected = numbers(text, &["reference", "values"]);
    compare(&found, &names, &expected, tolerance);
}

#[test]
fn smooth_problems_match_to_1e_6() {
    let lotka = [
        ("x", "1.1*x - 0.4*x*y", 10.0),
        ("y", "0.1*x*y - 0.4*y", 10.0),
    ];
    check_smooth(data!("lotka_volterra"), &lotka, 1e-6);
    let van_der_pol = [("x", "y", 2.0), ("y", "5*(1 - x^2)*y - x", 0.0)];
    check_smooth(data!("van_der_pol_mu5"), &van_der_pol, 1e-6);
    let oscillator = [("x", "v", 1.0), ("v", "-4*x", 0.0)];
    check_smooth(data!("harmonic_oscillator"), &oscillator, 1e-7);
    let brusselator = [("x", "1 + x^2*y - 4*x", 1.5), ("y", "3*x - x^2*y", 3.0)];
    check_smooth(data!("brusselator_ode"), &brusselator, 1e-6);
    check_smooth(data!("scalar_exponential_decay"), &[("y", "-y", 1.0)], 1e-8);
}

#[test]
fn a_pendulum_swings_under_a_cart() {
    let share = "1/(1 + 0.1*sin(th)^2)";
    let dx = format!("{share}*(0.1*sin(th)*(0.5*dth^2 + 9.81*cos(th)))");
    let dth = format!("{share}/0.5*(-0.05*dth^2*cos(th)*sin(th) - 1.1*9.81*sin(th))");
    let states = [
        ("x", "dx", 0.0),
        ("th", "dth", 0.1),
        ("dx", &dx, 0.0),
        ("dth", &dth, 0.0),
    ];
    check_smooth(data!("cart_pole"), &states, 1e-6);
}

#[test]
fn a_satellite_returns_on_its_orbit() {
    let mu = 0.012_277_471;
    let rest = 1.0 - mu;
    let near = format!("((x + {mu})^2 + y^2)^1.5");
    let far = format!("((x - {rest})^2 + y^2)^1.5");
    let du = format!("x + 2*v - {rest}*(x + {mu})/{near} - {mu}*(x - {rest})/{far}");
    let dv = format!("y - 2*u - {rest}*y/{near} - {mu}*y/{far}");
    let start = -2.001_585_106_379_082_4;
    let states = [
        ("x", "u", 0.994),
        ("y", "v", 0.0),
        ("u", &du, 0.0),
        ("v", &dv, start),
    ];
    check_smooth(data!("arenstorf"), &states, 1e-4);
}

#[test]
fn a_filtered_pid_controls_an_integrator() {
    let text = data!("pid_first_order_plant");
    let builder = EquationSystem::builder("pid")
        .state("x1", s("x2"), 0.0)
        .state("x2", e("-50*x2 + (1 - y)"), 0.0)
        .state("y", s("u"), 0.0)
        .definition(
            "u",
            e("0.5*50*x1 + (50 + 0.5 - (1 + 0.1*50)*50)*x2 + (1 + 0.1*50)*(1 - y)"),
        )
        .output("y", s("y"))
        .output("u", s("u"));
    let found = run(
        &compile(builder),
        numbers(text, &["sample_times"]),
        (1e-9, 1e-12),
    );
    compare_signal(&found, "y", &numbers(text, &["reference", "y"]), 1e-7);
    compare_signal(&found, "u", &numbers(text, &["reference", "u"]), 1e-6);
}

fn compare_signal(run: &Run, name: &str, expected: &[f64], tolerance: f64) {
    let found = run.signal(name).expect("recorded");
    assert_eq!(found.len(), expected.len(), "rows of {name}");
    for (row, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!(
            (a - b).abs() <= tolerance,
            "{name} at row {row}: {a} for {b}"
        );
    }
}

#[test]
fn stribeck_friction_sticks_and_slips() {
    let text = data!("stribeck_stick_slip");
    let ratio = "(0.1 - v)/(0.01*sqrt(2))";
    let friction =
        format!("tanh(10*(0.1 - v)/0.01) + sqrt(2*exp(1))*0.5*exp(-({ratio})^2)*{ratio}");
    let builder = EquationSystem::builder("stribeck")
        .state("x", s("v"), 0.0)
        .state("v", e(&format!("-10*x + {friction}")), 0.0)
        .output("x", s("x"))
        .output("v", s("v"));
    let found = run(
        &compile(builder),
        numbers(text, &["sample_times"]),
        (1e-9, 1e-12),
    );
    compare_signal(&found, "x", &numbers(text, &["reference", "x"]), 1e-6);
    compare_signal(&found, "v", &numbers(text, &["reference", "v"]), 1e-6);
}

#[test]
fn a_ball_bounces_between_the_samples() {
    let text = data!("bouncing_ball_zc");
    let builder = EquationSystem::builder("ball")
        .state("x", s("v"), 5.0)
        .state("v", -9.81, 0.0)
        .guard(Guard::new("floor", Direction::Falling), s("x"))
        .update("floor", "v", -0.8 * s("v"))
        .output("x", s("x"))
        .output("v", s("v"));
    let found = run(
        &compile(builder),
        numbers(text, &["sample_times"]),
        (1e-9, 1e-12),
    );
    compare(
        &found,
        &["x", "v"],
        &numbers(text, &["reference", "values"]),
        1e-10,
    );
    let times: Vec<f64> = found.events().iter().map(|event| event.t).collect();
    let expected = numbers(text, &["closed_form_times"]);
    assert_eq!(times.len(), expected.len());
    assert!(
        times
            .iter()
            .zip(&expected)
            .all(|(a, b)| (a - b).abs() < 1e-12)
    );
}

#[test]
fn impacts_accumulate() {
    let text = data!("zeno_bouncing_ball");
    let builder = EquationSystem::builder("ball")
        .state("x", s("v"), 1.0)
        .state("v", -9.81, 0.0)
        .guard(Guard::new("floor", Direction::Falling), s("x"))
        .update("floor", "v", -0.5 * s("v"))
        .output("x", s("x"));
    let found = run(&compile(builder), vec![0.0, 2.5], (1e-6, 1e-9));
    assert!(matches!(found.outcome(), Outcome::Chattering { guard, .. } if guard == "floor"));
    let expected = numbers(text, &["impact_times_first_40"]);
    assert!(found.events().len() >= 30);
    for (event, expected) in found.events().iter().zip(&expected) {
        assert!(
            (event.t - expected).abs() < 1e-12,
            "{} for {expected}",
            event.t
        );
    }
}

#[test]
fn a_block_on_a_belt_sticks_and_slips() {
    let text = data!("coulomb_stick_slip_event");
    let slips = || s("slip").gt(0.5);
    let builder = EquationSystem::builder("belt")
        .discrete("slip", 0.0)
        .state("x", s("v"), 0.0)
        .state("v", Expr::select(slips(), 1.0 - 10.0 * s("x"), 0.0), 0.1)
        .guard(
            Guard::new("breaks_away", Direction::Rising),
            Expr::select(slips(), -1.0, 10.0 * s("x") - 1.5),
        )
        .guard(
            Guard::new("sticks", Direction::Rising),
            // Positive while it sticks: slipping starts on the surface, which is no crossing.
            Expr::select(slips(), s("v") - 0.1, 1.0),
        )
        .update("breaks_away", "slip", 1.0)
        .update("sticks", "slip", 0.0)
        .update("sticks", "v", 0.1)
        .output("x", s("x"))
        .output("v", s("v"));
    let found = run(
        &compile(builder),
        numbers(text, &["sample_times"]),
        (1e-9, 1e-12),
    );
    compare(
        &found,
        &["x", "v"],
        &numbers(text, &["reference", "values"]),
        1e-7,
    );
    let expected = [
        1.5,
        2.850_127_469_857_823,
        3.850_127_469_857_822_5,
        5.200_254_939_715_646,
    ];
    for (event, expected) in found.events().iter().zip(expected) {
        assert!(
            (event.t - expected).abs() < 1e-8,
            "{} for {expected}",
            event.t
        );
    }
}

#[test]
fn a_thermostat_switches_on_time() {
    let text = data!("thermostat_hysteresis");
    let builder = EquationSystem::builder("thermostat")
        .discrete("on", 1.0)
        .state("T", (10.0 - s("T")) / 10.0 + 2.0 * s("on"), 15.0)
        .guard(Guard::new("warm", Direction::Rising), s("T") - 20.5)
        .guard(Guard::new("cold", Direction::Falling), s("T") - 19.5)
        .update("warm", "on", 0.0)
        .update("cold", "on", 1.0)
        .output("T", s("T"));
    let found = run(
        &compile(builder),
        numbers(text, &["sample_times"]),
        (1e-9, 1e-12),
    );
    compare(
        &found,
        &["T"],
        &numbers(text, &["reference", "values"]),
        1e-7,
    );
    let expected = numbers(text, &["closed_form_times"]);
    assert_eq!(found.events().len(), expected.len());
    for (event, expected) in found.events().iter().zip(&expected) {
        assert!(
            (event.t - expected).abs() < 1e-6,
            "{} for {expected}",
            event.t
        );
    }
}

#[test]
fn two_rates_see_fresh_values_at_common_ticks() {
    let text = data!("multirate_sampled_data");
    let clock = |name, period: &str| {
        Clock::new(
            name,
            period.parse::<Rational>().expect("a number"),
            Rational::ZERO,
        )
    };
    let builder = EquationSystem::builder("multirate")
        .clock(clock("slow", "0.1"))
        .clock(clock("fast", "0.05"))
        .state("y", s("u") - s("y"), 0.0)
        .sample("u", "slow", 2.0 * s("e") + s("i"), 0.0)
        .sample("yz", "fast", s("y"), 0.0)
        .definition("e", 1.0 - s("yz"))
        .discrete("i", 0.0)
        .update("slow", "i", s("i") + 0.1 * s("e"))
        .output("y", s("y"))
        .output("yz", s("yz"))
        .output("u", s("u"));
    let found = run(
        &compile(builder),
        numbers(text, &["sample_times"]),
        (1e-11, 1e-13),
    );
    for name in ["y", "yz", "u"] {
        compare_signal(
            &found,
            name,
            &numbers(text, &["reference", "values", name]),
            1e-9,
        );
    }
}
