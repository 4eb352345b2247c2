//! Andrews' squeezing mechanism, seven bodies and six constraints, index 3.
//!
//! Equations and parameters as in Hairer and Wanner (1996, *Solving Ordinary Differential
//! Equations II*, section VII.7); reference values from a solution in quadruple precision.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "tests show their errors"
)]

mod support;

use bifrons_dae::{ComponentSpec, NetworkBuilder, Range, ReducedModel, der};
use bifrons_expr::{Expr, Symbol};
use bifrons_ode::{Method, Tolerance};
use support::Result;

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

const ANGLES: [&str; 7] = ["be", "th", "ga", "ph", "de", "om", "ep"];
const SPEEDS: [&str; 7] = ["vbe", "vth", "vga", "vph", "vde", "vom", "vep"];
const START: [&str; 7] = [
    "-0.0617138900142764496358948458001",
    "0",
    "0.455279819163070380255912382449",
    "0.222668390165885884674473185609",
    "0.487364979543842550225598953530",
    "-0.222668390165885884674473185609",
    "1.23054744454982119249735015568",
];
/// Angles at 0.01 s.
const AT_001: [&str; 7] = [
    "2.160113131531526506184739",
    "-1.88336423110704431930339",
    "0.1585167580012266932547966",
    "-0.3286410751746703065828222",
    "0.5251547747977294611021106",
    "0.3286410751746703065828222",
    "1.068427204632401148733883",
];
/// Angles at 0.03 s.
const AT_003: [&str; 7] = [
    "15.81077119515370709711939",
    "-15.75637105841183946972775",
    "0.04082224011964580485828232",
    "-0.534730116342079593770185",
    "0.5244099658799540693716558",
    "0.534730116342079593770185",
    "1.048080741041937873068515",
];

const PARAMETERS: [(&str, f64); 42] = [
    ("m1", 0.04325),
    ("m2", 0.00365),
    ("m3", 0.02373),
    ("m4", 0.00706),
    ("m5", 0.0705),
    ("m6", 0.00706),
    ("m7", 0.05498),
    ("i1", 2.194e-6),
    ("i2", 4.41e-7),
    ("i3", 5.255e-6),
    ("i4", 5.667e-7),
    ("i5", 1.169e-5),
    ("i6", 5.667e-7),
    ("i7", 1.912e-5),
    ("xa", -0.06934),
    ("ya", -0.00227),
    ("xb", -0.03635),
    ("yb", 0.03273),
    ("xc", 0.014),
    ("yc", 0.072),
    ("c0", 4530.0),
    ("d", 0.028),
    ("da", 0.0115),
    ("e", 0.02),
    ("ea", 0.01421),
    ("rr", 0.007),
    ("ra", 0.00092),
    ("l0", 0.07785),
    ("ss", 0.035),
    ("sa", 0.01874),
    ("sb", 0.01043),
    ("sc", 0.018),
    ("sd", 0.02),
    ("ta", 0.02308),
    ("tb", 0.00916),
    ("u", 0.04),
    ("ua", 0.01228),
    ("ub", 0.00449),
    ("zf", 0.02),
    ("zt", 0.04),
    ("fa", 0.01421),
    ("mom", 0.033),
];

/// Upper triangle of the mass matrix: row, column, entry.
fn masses() -> Vec<(usize, usize, Expr)> {
    let (sq, arm) = (|n: &str| s(n).powi(2), || s("da") * s("rr") * s("th").cos());
    let ea = || s("e") - s("ea");
    let fa = || s("zf") - s("fa");
    let zph = || s("zt") * ea() * s("ph").sin();
    let uom = || s("u") * fa() * s("om").sin();
    let m22 = s("m2") * sq("da") + s("i2");
    let m33 = s("m3") * (sq("sa") + sq("sb")) + s("i3");
    let m77 = s("m6") * (fa().powi(2) - 2.0 * uom() + sq("u"));
    vec![
        (
            0,
            0,
            s("m1") * sq("ra") + s("m2") * (sq("rr") - 2.0 * arm() + sq("da")) + s("i1") + s("i2"),
        ),
        (0, 1, s("m2") * (sq("da") - arm()) + s("i2")),
        (1, 1, m22),
        (2, 2, m33),
        (3, 3, s("m4") * ea().powi(2) + s("i4")),
        (3, 4, s("m4") * (ea().powi(2) + zph()) + s("i4")),
        (
            4,
            4,
            s("m4") * (sq("zt") + 2.0 * zph() + ea().powi(2))
                + s("m5") * (sq("ta") + sq("tb"))
                + s("i4")
                + s("i5"),
        ),
        (5, 5, s("m6") * fa().powi(2) + s("i6")),
        (5, 6, s("m6") * (fa().powi(2) - uom()) + s("i6")),
        (
            6,
            6,
            m77 + s("m7") * (sq("ua") + sq("ub")) + s("i6") + s("i7"),
        ),
    ]
}

fn forces() -> [Expr; 7] {
    let xd = || s("sd") * s("ga").cos() + s("sc") * s("ga").sin() + s("xb");
    let yd = || s("sd") * s("ga").sin() - s("sc") * s("ga").cos() + s("yb");
    let length = || ((xd() - s("xc")).powi(2) + (yd() - s("yc")).powi(2)).sqrt();
    let force = || -(s("c0") * (length() - s("l0")) / length());
    let (fx, fy) = (|| force() * (xd() - s("xc")), || force() * (yd() - s("yc")));
    let arm = || s("m2") * s("da") * s("rr") * s("th").sin();
    let zph = || s("m4") * s("zt") * (s("e") - s("ea")) * s("ph").cos();
    let uom = || s("m6") * s("u") * (s("zf") - s("fa")) * s("om").cos();
    [
        s("mom") - arm() * s("vth") * (s("vth") + 2.0 * s("vbe")),
        arm() * s("vbe").powi(2),
        fx() * (s("sc") * s("ga").cos() - s("sd") * s("ga").sin())
            + fy() * (s("sd") * s("ga").cos() + s("sc") * s("ga").sin()),
        zph() * s("vde").powi(2),
        -(zph() * s("vph") * (s("vph") + 2.0 * s("vde"))),
        -(uom() * s("vep").powi(2)),
        uom() * s("vom") * (s("vom") + 2.0 * s("vep")),
    ]
}

fn constraints() -> [Expr; 6] {
    let x = || s("rr") * s("be").cos() - s("d") * (s("be") + s("th")).cos();
    let y = || s("rr") * s("be").sin() - s("d") * (s("be") + s("th")).sin();
    let (phde, omep) = (|| s("ph") + s("de"), || s("om") + s("ep"));
    [
        x() - s("ss") * s("ga").sin() - s("xb"),
        y() + s("ss") * s("ga").cos() - s("yb"),
        x() - s("e") * phde().sin() - s("zt") * s("de").cos() - s("xa"),
        y() + s("e") * phde().cos() - s("zt") * s("de").sin() - s("ya"),
        x() - s("zf") * omep().cos() - s("u") * s("ep").sin() - s("xa"),
        y() - s("zf") * omep().sin() + s("u") * s("ep").cos() - s("ya"),
    ]
}

fn mechanism() -> Result<ReducedModel> {
    let mut spec = ComponentSpec::builder("Squeezer");
    for (name, value) in PARAMETERS {
        spec = spec.parameter(name, value, Range::ANY);
    }
    let constraints = constraints();
    for (k, (angle, speed)) in ANGLES.iter().zip(SPEEDS).enumerate() {
        spec = spec
            .variable(angle)
            .variable(speed)
            .equation(der(angle), s(speed));
        let start: f64 = START[k].parse()?;
        spec = if k == 0 {
            spec.fixed(s(angle), start).fixed(s(speed), 0.0)
        } else {
            spec.guess(angle, start).guess(speed, 0.0)
        };
    }
    for (k, constraint) in constraints.iter().enumerate() {
        spec = spec
            .variable(format!("lambda{k}"))
            .equation(constraint.clone(), 0.0);
    }
    let forces = forces();
    for (row, angle) in ANGLES.iter().enumerate() {
        let mut inertia = Expr::constant(0.0);
        for (i, j, mass) in masses() {
            if i == row {
                inertia += &mass * der(SPEEDS[j]);
            }
            if j == row && i != j {
                inertia += &mass * der(SPEEDS[i]);
            }
        }
        let mut force = forces[row].clone();
        for (k, constraint) in constraints.iter().enumerate() {
            let slope = constraint.derivative(&Symbol::new(*angle));
            force -= slope * s(&format!("lambda{k}"));
        }
        spec = spec.equation(inertia, force);
    }
    let mut net = NetworkBuilder::new("andrews");
    net.add("m", spec.build()?)?;
    Ok(net.build().flatten()?.reduce()?)
}

#[test]
fn the_squeezer_reaches_its_reference() -> Result<()> {
    let model = mechanism()?;
    assert_eq!(
        (model.structural_index(), model.freedom()),
        (3, 2),
        "one angle is free"
    );
    for (method, allowed) in [(Method::Dopri5, 1e-5), (Method::Radau, 1e-5)] {
        let run = model
            .simulation()
            .span(0.0, 0.03)
            .times(vec![0.01, 0.03])
            .record(ANGLES.map(|angle| format!("m.{angle}")))
            .method(method)
            .tolerance(Tolerance::new(1e-9, 1e-11)?)
            .run()?;
        for (row, expected) in run.rows.chunks_exact(7).zip([AT_001, AT_003]) {
            let mut worst = 0.0_f64;
            for (found, text) in row.iter().zip(expected) {
                worst = worst.max((found - text.parse::<f64>()?).abs());
            }
            println!("andrews with {}: worst error {worst:e}", method.name());
            assert!(worst < allowed, "{}: {worst:e}", method.name());
        }
        println!("{} choices of states, {:?}", run.selections, run.statistics);
        assert!(run.residual < 1e-9, "constraints {:e}", run.residual);
    }
    Ok(())
}
