//! Published systems of differential and algebraic equations, from networks and from equations.
#![allow(clippy::print_stdout, reason = "tests show their errors")]

mod support;

use bifrons_dae::library::electrical::{Capacitor, Ground, Resistor, SineVoltage, VoltageSource};
use bifrons_dae::{ComponentSpec, Domain, NetworkBuilder, Pin, Range, ReducedModel, der};
use bifrons_expr::Expr;
use bifrons_ode::{Method, Tolerance};
use support::Result;

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

/// `g = β (exp((b.v - e.v)/U) - 1)`, of which `1 - α` enters the base and `α` the collector.
fn transistor() -> Result<ComponentSpec> {
    let g = || s("beta") * (((s("b.v") - s("e.v")) / s("u")).exp() - 1.0);
    Ok(ComponentSpec::builder("Transistor")
        .pin("b", Domain::Electrical)
        .pin("c", Domain::Electrical)
        .pin("e", Domain::Electrical)
        .parameter("alpha", 0.99, Range::between(0.0, 1.0))
        .parameter("beta", 1e-6, Range::POSITIVE)
        .parameter("u", 0.026, Range::POSITIVE)
        .variable("g")
        .equation(s("g"), g())
        .equation(s("b.i"), (1.0 - s("alpha")) * s("g"))
        .equation(s("c.i"), s("alpha") * s("g"))
        .equation(s("e.i"), -s("g"))
        .build()?)
}

/// Number, node, and whether the other end is the supply.
const RESISTORS: [(u32, usize, bool); 9] = [
    (1, 2, true),
    (2, 2, false),
    (3, 3, false),
    (4, 4, true),
    (5, 5, true),
    (6, 5, false),
    (7, 6, false),
    (8, 7, true),
    (9, 8, false),
];

/// Number, nodes (0 is ground), capacity in F, voltage at the start.
const CAPACITORS: [(u32, usize, usize, f64, f64); 5] = [
    (1, 1, 2, 1e-6, -3.0),
    (2, 3, 0, 2e-6, 3.0),
    (3, 4, 5, 3e-6, 3.0),
    (4, 6, 0, 4e-6, 3.0),
    (5, 7, 8, 5e-6, 6.0),
];

/// The two-stage amplifier of Rentrop, Roche and Steinebach (1989) as a circuit.
fn amplifier() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("amplifier");
    let ground = net.add("ground", Ground::new())?;
    let supply = net.add("supply", VoltageSource::new(6.0))?;
    let input = net.add("input", SineVoltage::new(0.1, 100.0, 0.0, 0.0))?;
    net.join([ground.pin("p"), supply.pin("n"), input.pin("n")])?;
    // Pins at the nodes 1 to 8.
    let mut nodes: Vec<Vec<Pin>> = vec![Vec::new(); 9];
    let r0 = net.add("r0", Resistor::new(1000.0))?;
    net.connect(input.pin("p"), r0.pin("p"))?;
    nodes[1].push(r0.pin("n"));
    for (k, node, to_supply) in RESISTORS {
        let r = net.add(format!("r{k}"), Resistor::new(9000.0))?;
        nodes[node].push(r.pin("p"));
        let end = if to_supply {
            supply.pin("p")
        } else {
            ground.pin("p")
        };
        net.connect(end, r.pin("n"))?;
    }
    for (k, from, to, c, v) in CAPACITORS {
        let c = net.add(format!("c{k}"), Capacitor::new(c).voltage(v))?;
        nodes[from].push(c.pin("p"));
        if to == 0 {
            net.connect(ground.pin("p"), c.pin("n"))?;
        } else {
            nodes[to].push(c.pin("n"));
        }
    }
    for (name, [b, e, c]) in [("t1", [2, 3, 4]), ("t2", [5, 6, 7])] {
        let t = net.add(name, transistor()?)?;
        nodes[b].push(t.pin("b"));
        nodes[e].push(t.pin("e"));
        nodes[c].push(t.pin("c"));
    }
    for pins in nodes {
        net.join(pins)?;
    }
    for (path, v) in [
        ("t1.b.v", 3.0),
        ("t2.b.v", 3.0),
        ("t1.c.v", 6.0),
        ("t2.c.v", 6.0),
    ] {
        net.guess(path, v);
    }
    Ok(net.build().flatten()?.reduce()?)
}

#[test]
fn transistor_amplifier() -> Result<()> {
    let model = amplifier()?;
    assert_eq!(model.freedom(), 5, "the capacitors");
    let names = [
        "r0.n.v", "t1.b.v", "t1.e.v", "t1.c.v", "t2.b.v", "t2.e.v", "t2.c.v", "r9.p.v",
    ];
    let expected: [f64; 8] = [
        "-0.00556214501226227444451482",
        "3.006522471903042667335966",
        "2.849958788608128507392502",
        "2.926422536206241508993783",
        "2.704617865010554590699564",
        "2.761837778393144054481843",
        "4.770927631616772155803185",
        "1.236995868091547549693691",
    ]
    .map(|text| text.parse().unwrap_or(f64::NAN));
    for (method, rtol, allowed) in [(Method::Radau, 1e-7, 1e-5), (Method::Dopri5, 1e-8, 1e-6)] {
        let run = model
            .simulation()
            .span(0.0, 0.2)
            .record(names)
            .method(method)
            .tolerance(Tolerance::new(rtol, 1e-9)?)
            .run()?;
        let pairs = run.last.iter().zip(expected);
        let error = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!(
            "amplifier, {}: worst error {error:e}, {:?}",
            method.name(),
            run.statistics
        );
        assert!(error < allowed, "{}: worst error {error:e}", method.name());
    }
    Ok(())
}

/// The chemical kinetics of Akzo Nobel with one algebraic equation, from the Bari test set.
fn kinetics() -> Result<ComponentSpec> {
    let root = || s("y2").abs().sqrt().no_event();
    let r1 = || 18.7 * s("y1").powi(4) * root();
    let r2 = || 0.58 * s("y3") * s("y4");
    let r3 = || 0.58 / 34.4 * s("y1") * s("y5");
    let r4 = || 0.09 * s("y1") * s("y4").powi(2);
    let r5 = || 0.42 * s("y6").powi(2) * root();
    let mut spec = ComponentSpec::builder("Akzo");
    for name in ["y1", "y2", "y3", "y4", "y5", "y6"] {
        spec = spec.variable(name);
    }
    Ok(spec
        .equation(der("y1"), -2.0 * r1() + r2() - r3() - r4())
        .equation(
            der("y2"),
            -0.5 * r1() - r4() - 0.5 * r5() + 3.3 * (0.9 / 737.0 - s("y2")),
        )
        .equation(der("y3"), r1() - r2() + r3())
        .equation(der("y4"), -r2() + r3() - 2.0 * r4())
        .equation(der("y5"), r2() - r3() + r5())
        .equation(s("y6"), 115.83 * s("y1") * s("y4"))
        .fixed(s("y1"), 0.444)
        .fixed(s("y2"), 0.00123)
        .fixed(s("y3"), 0.0)
        .fixed(s("y4"), 0.007)
        .fixed(s("y5"), 0.0)
        .fixed(s("y6"), 0.35999964)
        .build()?)
}

#[test]
fn akzo_nobel() -> Result<()> {
    let mut net = NetworkBuilder::new("akzo");
    net.add("m", kinetics()?)?;
    let model = net.build().flatten()?.reduce()?;
    let run = model
        .simulation()
        .span(0.0, 180.0)
        .record(["m.y1", "m.y2", "m.y3", "m.y4", "m.y5", "m.y6"])
        .method(Method::Radau)
        .tolerance(Tolerance::new(1e-9, 1e-12)?)
        .run()?;
    let expected: [f64; 6] = [
        "0.1150794920661702186171165",
        "0.001203831471567715092866992",
        "0.1611562887407974209641278",
        "0.0003656156421249283017145571",
        "0.01708010885264404071377682",
        "0.00487353131030745512937005",
    ]
    .map(|text| text.parse().unwrap_or(f64::NAN));
    let pairs = run.last.iter().zip(expected);
    let error = pairs.map(|(a, b)| ((a - b) / b).abs()).fold(0.0, f64::max);
    println!("akzo nobel: worst relative error {error:e}");
    assert!(
        error < 1e-6,
        "worst relative error {error:e}: {:?}",
        run.last
    );
    assert!(
        run.initial.redundant.is_empty() || run.initial.redundant.len() == 1,
        "{}",
        run.initial
    );
    Ok(())
}

#[test]
fn the_printed_equations_name_their_origins() -> Result<()> {
    let mut net = NetworkBuilder::new("rc");
    let source = net.add("source", VoltageSource::new(1.0))?;
    let r = net.add("r", Resistor::new(2.0))?;
    let c = net.add("c", Capacitor::new(3.0).voltage(0.5))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), r.pin("p"))?;
    net.connect(r.pin("n"), c.pin("p"))?;
    net.join([c.pin("n"), source.pin("n"), ground.pin("p")])?;
    let flat = net.build().flatten()?;
    let text = flat.to_string();
    for line in [
        "  parameter r.r = 2",
        "  start c.v = c.start_voltage",
        "  r.v = r.r * r.i  // r (Resistor)",
        "  c.i = c.c * der(c.v)  // c (Capacitor)",
        "  r.p.v = source.p.v  // connection of r.p and source.p",
        "  source.p.i + r.p.i = 0  // node of source.p, r.p",
    ] {
        assert!(
            text.lines().any(|found| found == line),
            "`{line}` in\n{text}"
        );
    }
    let reduced = flat.reduce()?;
    let text = reduced.to_string();
    assert!(text.contains("c.n.v := 0"), "eliminated names stay: {text}");
    assert!(reduced.unknown_count() <= 6, "{text}");
    Ok(())
}

#[test]
fn a_run_repeats_its_bits() -> Result<()> {
    let mut bits: Vec<Vec<u64>> = Vec::new();
    for _ in 0..2 {
        let mut net = NetworkBuilder::new("rc");
        let source = net.add("source", SineVoltage::new(1.0, 3.0, 0.2, 0.1))?;
        let r = net.add("r", Resistor::new(0.3))?;
        let c = net.add("c", Capacitor::new(0.7).voltage(0.1))?;
        let ground = net.add("ground", Ground::new())?;
        net.connect(source.pin("p"), r.pin("p"))?;
        net.connect(r.pin("n"), c.pin("p"))?;
        net.join([c.pin("n"), source.pin("n"), ground.pin("p")])?;
        let model = net.build().flatten()?.reduce()?;
        for method in [Method::Dopri5, Method::Bdf, Method::Radau] {
            let run = model
                .simulation()
                .times(support::grid(0.0, 1.0, 11))
                .record(["c.v", "r.i"])
                .method(method)
                .run()?;
            bits.push(run.rows.iter().map(|v| v.to_bits()).collect());
        }
    }
    assert_eq!(bits[..3], bits[3..], "the same bits");
    Ok(())
}
