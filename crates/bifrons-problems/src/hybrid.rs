//! Models with events, and models for sweeps, as equations.

use bifrons_blocks::{Constant, Gain, Rate, StateMachine};
use bifrons_expr::Expr;
use bifrons_hybrid::{
    Clock, DiagramBuilder, Direction, EquationSystem, EquationSystemBuilder, Guard, Rational,
    TapeSystem,
};

use crate::diagrams::{DiagramFailure, broken, compile};

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

fn read(text: &str) -> Result<Expr, DiagramFailure> {
    Expr::parse(text).map_err(broken)
}

fn finish(builder: EquationSystemBuilder) -> Result<TapeSystem, DiagramFailure> {
    builder.build().map_err(broken)?.compile().map_err(broken)
}

/// A ball that falls from `y0` and bounces: `v⁺ = -e v⁻` where `y` falls through 0. Parameters
/// `g` (9.8), `e` (0.5) and `y0` (1); outputs `y`, `v`.
///
/// Impact `k` (from 0) is at `t1 (1 + 2 e (1 - e^k) / (1 - e))`, `t1 = sqrt(2 y0 / g)`.
///
/// # Errors
///
/// Never, unless the crate is broken.
pub fn bouncing_ball() -> Result<TapeSystem, DiagramFailure> {
    finish(
        EquationSystem::builder("ball")
            .parameter("g", 9.8)
            .parameter("e", 0.5)
            .parameter("y0", 1.0)
            .state("y", s("v"), s("y0"))
            .state("v", -s("g"), 0.0)
            .guard(Guard::new("floor", Direction::Falling), s("y"))
            .update("floor", "v", -(s("e") * s("v")))
            .output("y", s("y"))
            .output("v", s("v")),
    )
}

/// A room that is heated between 19.5 and 20.5: `T' = (10 - T)/10 + 2 on`, from 15 with the
/// heating on. Output `T`.
///
/// # Errors
///
/// Never, unless the crate is broken.
pub fn thermostat() -> Result<TapeSystem, DiagramFailure> {
    finish(
        EquationSystem::builder("thermostat")
            .discrete("on", 1.0)
            .state("T", (10.0 - s("T")) / 10.0 + 2.0 * s("on"), 15.0)
            .guard(Guard::new("warm", Direction::Rising), s("T") - 20.5)
            .guard(Guard::new("cold", Direction::Falling), s("T") - 19.5)
            .update("warm", "on", 0.0)
            .update("cold", "on", 1.0)
            .output("T", s("T")),
    )
}

/// A plant `y' = u - y` behind a hold of 0.05 and a PI controller of period 0.1. Output `y`.
///
/// # Errors
///
/// Never, unless the crate is broken.
pub fn multirate() -> Result<TapeSystem, DiagramFailure> {
    let clock = |name, above, below| {
        let period = Rational::new(above, below).map_err(broken)?;
        Ok::<_, DiagramFailure>(Clock::new(name, period, Rational::ZERO))
    };
    finish(
        EquationSystem::builder("multirate")
            .clock(clock("slow", 1, 10)?)
            .clock(clock("fast", 1, 20)?)
            .state("y", s("u") - s("y"), 0.0)
            .sample("u", "slow", 2.0 * s("e") + s("i"), 0.0)
            .sample("yz", "fast", s("y"), 0.0)
            .definition("e", 1.0 - s("yz"))
            .discrete("i", 0.0)
            .update("slow", "i", s("i") + 0.1 * s("e"))
            .output("y", s("y")),
    )
}

/// An integrator under a PID controller with a filtered derivative: `kp = 1`, `ki = 0.5`,
/// `kd = 0.1`, `n = 50`, set point 1. Output `y`.
///
/// # Errors
///
/// Never, unless the crate is broken.
pub fn pid_plant() -> Result<TapeSystem, DiagramFailure> {
    finish(
        EquationSystem::builder("pid_plant")
            .state("x1", s("x2"), 0.0)
            .state("x2", read("-50*x2 + (1 - y)")?, 0.0)
            .state("y", s("u"), 0.0)
            .definition("u", read("25*x1 + (50.5 - 6*50)*x2 + 6*(1 - y)")?)
            .output("y", s("y")),
    )
}

/// A block on a belt with Stribeck friction: sticks and slips. Outputs `x`, `v`.
///
/// # Errors
///
/// Never, unless the crate is broken.
pub fn stribeck() -> Result<TapeSystem, DiagramFailure> {
    let ratio = "(0.1 - v)/(0.01*sqrt(2))";
    let force =
        format!("-10*x + tanh(10*(0.1 - v)/0.01) + sqrt(2*exp(1))*0.5*exp(-({ratio})^2)*{ratio}");
    finish(
        EquationSystem::builder("stribeck")
            .state("x", s("v"), 0.0)
            .state("v", read(&force)?, 0.0)
            .output("x", s("x"))
            .output("v", s("v")),
    )
}

/// A state machine of three states that looks at `time` every 0.05: `y` is 1 from 0.55 and 2 from
/// 1.55 on. Outputs `mode`, `y`.
///
/// # Errors
///
/// Never, unless the crate is broken.
pub fn state_machine() -> Result<TapeSystem, DiagramFailure> {
    let machine = StateMachine::clocked(Rate::with_offset(0.05, 0.05))
        .variable("y", 0.0)
        .state("idle")
        .state("running")
        .state("done")
        .transition("idle", "running", s("time") - 0.5)
        .transition("running", "done", s("time") - 1.5)
        .on_entry("running", "y", Expr::constant(1.0))
        .on_entry("done", "y", Expr::constant(2.0));
    let mut diagram = DiagramBuilder::new("state_machine");
    let machine = diagram.add("machine", machine).map_err(broken)?;
    for output in ["mode", "y"] {
        diagram
            .export_output(output, machine.output(output))
            .map_err(broken)?;
    }
    compile(diagram)
}

/// A constant 1 and `blocks` gains of `1 + 2^-20` in a row. Output `y = (1 + 2^-20)^blocks`.
///
/// # Errors
///
/// Never, unless the crate is broken.
pub fn chain(blocks: usize) -> Result<TapeSystem, DiagramFailure> {
    let mut diagram = DiagramBuilder::new("chain");
    let mut last = diagram.add("source", Constant::new(1.0)).map_err(broken)?;
    for index in 0..blocks {
        let gain = diagram
            .add(format!("gain{index}"), Gain::new(1.0 + 2.0_f64.powi(-20)))
            .map_err(broken)?;
        diagram
            .connect(last.output("y"), gain.input("u"))
            .map_err(broken)?;
        last = gain;
    }
    diagram
        .export_output("y", last.output("y"))
        .map_err(broken)?;
    compile(diagram)
}

/// Four independent damped pendulums, 8 states: `q'' = -9.81 sin(q) - c q'`. Parameters `c` (0.2)
/// and `q0` (1, the angle at the start of the first; the others start at 0.9, 0.8, 0.7 of it);
/// outputs `q1` … `q4`.
///
/// # Errors
///
/// Never, unless the crate is broken.
pub fn quadruped() -> Result<TapeSystem, DiagramFailure> {
    let mut builder = EquationSystem::builder("quadruped")
        .parameter("c", 0.2)
        .parameter("q0", 1.0);
    for (leg, share) in [(1, 1.0), (2, 0.9), (3, 0.8), (4, 0.7)] {
        let (q, w) = (format!("q{leg}"), format!("w{leg}"));
        builder = builder
            .state(&q, s(&w), share * s("q0"))
            .state(&w, -9.81 * s(&q).sin() - s("c") * s(&w), 0.0)
            .output(&q, s(&q));
    }
    finish(builder)
}

/// A pendulum on a cart, hanging, without force. Parameter `th0` (0.1); outputs `x`, `th`.
///
/// # Errors
///
/// Never, unless the crate is broken.
pub fn cart_pole() -> Result<TapeSystem, DiagramFailure> {
    finish(
        EquationSystem::builder("cart_pole")
            .parameter("th0", 0.1)
            .definition("share", read("1/(1 + 0.1*sin(th)^2)")?)
            .state("x", s("dx"), 0.0)
            .state("th", s("dth"), s("th0"))
            .state(
                "dx",
                read("share*(0.1*sin(th)*(0.5*dth^2 + 9.81*cos(th)))")?,
                0.0,
            )
            .state(
                "dth",
                read("share/0.5*(-0.05*dth^2*cos(th)*sin(th) - 1.1*9.81*sin(th))")?,
                0.0,
            )
            .output("x", s("x"))
            .output("th", s("th")),
    )
}
