//! Algebraic loops: false ones, solvable ones, and errors that print the loop port by port.

use crate::blocks::{constant, derivatives, function, gain, integrator, outputs, s, sum};
use bifrons_hybrid::{
    AlgebraicLoop, BlockSpec, Diagram, DiagramBuilder, EquationError, EquationSystem, LoopKind,
    TapeSystem,
};

fn compiled(diagram: &Diagram) -> TapeSystem {
    diagram.flatten().unwrap().compile().unwrap()
}

fn failure(diagram: &Diagram) -> AlgebraicLoop {
    match diagram.flatten().unwrap_err() {
        EquationError::AlgebraicLoop(algebraic) => algebraic,
        other => panic!("variant: {other}"),
    }
}

/// y1 = -2 u1, y2 = x, x' = u2 - x: no path from u2 to an output, none from u1 to y2.
fn multiport() -> BlockSpec {
    BlockSpec::builder("M")
        .input("u1")
        .input("u2")
        .parameter("x0", 1.0)
        .state("x", s("u2") - s("x"), s("x0"))
        .output("y1", -2.0 * s("u1"))
        .output("y2", s("x"))
        .build()
        .unwrap()
}

#[test]
fn a_block_with_two_ports_closes_no_false_loop() {
    let mut builder = DiagramBuilder::new("false_loop");
    let m = builder.add("m", multiport()).unwrap();
    builder.connect(m.output("y2"), m.input("u1")).unwrap();
    builder.connect(m.output("y1"), m.input("u2")).unwrap();
    builder.export_output("y1", m.output("y1")).unwrap();
    let system = compiled(&builder.build().unwrap());
    assert_eq!(derivatives(&system, 0.0, &[1.0]), [-3.0], "x' = -3 x");
    assert_eq!(outputs(&system, 0.0, &[1.0]), [-2.0], "y1 = -2 x");
}

/// A diamond behind a block is evaluated once, and the order of adding blocks changes no bit.
#[test]
fn a_diamond_is_evaluated_once_in_any_order() {
    let build = |order: [usize; 5]| {
        let mut builder = DiagramBuilder::new("diamond");
        for block in order {
            match block {
                0 => builder.add("m", multiport()),
                1 => builder.add("plus", gain(1.0)),
                2 => builder.add("minus", gain(-1.0)),
                3 => builder.add("add", sum('+')),
                _ => builder.add("z", integrator(0.0)),
            }
            .unwrap();
        }
        for (from, to) in [
            ("m.y2", "m.u1"),
            ("m.y1", "m.u2"),
            ("m.y1", "plus.u"),
            ("m.y1", "minus.u"),
            ("plus.y", "add.u1"),
            ("minus.y", "add.u2"),
            ("add.y", "z.u"),
        ] {
            builder.connect(from, to).unwrap();
        }
        builder.export_output("y", "add.y").unwrap();
        compiled(&builder.build().unwrap())
    };
    let forward = build([0, 1, 2, 3, 4]);
    let backward = build([4, 3, 2, 1, 0]);
    assert_eq!(
        derivatives(&forward, 0.0, &[1.0, 0.0]),
        [-3.0, 0.0],
        "x and z"
    );
    assert_eq!(
        derivatives(&backward, 0.0, &[0.0, 1.0]),
        [0.0, -3.0],
        "z and x"
    );
    assert_eq!(
        forward.instruction_counts(),
        backward.instruction_counts(),
        "the same work"
    );
    // -2 x, k y, k y, their sum, -2 x - x: five results however they are fused.
    assert!(
        forward.instruction_counts().0 <= 7,
        "{:?}",
        forward.instruction_counts()
    );
}

/// Summing block e = r - y, gain block y = 2 e + x, integrator x' = y - x.
fn solvable(r: f64) -> Diagram {
    let mut builder = DiagramBuilder::new("solvable");
    let r = builder.add("r", constant(r)).unwrap();
    let e = builder.add("e", sum('-')).unwrap();
    let amplifier = BlockSpec::builder("Amplifier")
        .input("e")
        .input("x")
        .parameter("k", 2.0);
    let amplifier = amplifier
        .output("y", s("k") * s("e") + s("x"))
        .build()
        .unwrap();
    let amplifier = builder.add("amplifier", amplifier).unwrap();
    let x = builder.add("x", integrator(0.0)).unwrap();
    let rate = builder.add("rate", sum('-')).unwrap();
    builder.connect(r.output("y"), e.input("u1")).unwrap();
    builder
        .connect(amplifier.output("y"), e.input("u2"))
        .unwrap();
    builder
        .connect(e.output("y"), amplifier.input("e"))
        .unwrap();
    builder
        .connect(x.output("y"), amplifier.input("x"))
        .unwrap();
    builder
        .connect(amplifier.output("y"), rate.input("u1"))
        .unwrap();
    builder.connect(x.output("y"), rate.input("u2")).unwrap();
    builder.connect(rate.output("y"), x.input("u")).unwrap();
    builder.export_output("y", amplifier.output("y")).unwrap();
    builder.export_output("e", e.output("y")).unwrap();
    builder.build().unwrap()
}

#[test]
fn a_linear_loop_through_a_sum_is_solved() {
    let system = compiled(&solvable(1.0));
    for x in [0.0, 0.25, -3.0] {
        let y = (2.0 + x) / 3.0;
        let found = outputs(&system, 0.0, &[x]);
        assert!(
            (found[0] - y).abs() < 1e-15,
            "y at x = {x}: {} for {y}",
            found[0]
        );
        assert!(
            (found[1] - (1.0 - y)).abs() < 1e-15,
            "e at x = {x}: {}",
            found[1]
        );
        let rate = derivatives(&system, 0.0, &[x])[0];
        assert!((rate - (y - x)).abs() < 1e-15, "x' at x = {x}: {rate}");
    }
}

#[test]
fn a_loop_of_two_blocks_is_solved_at_every_time() {
    let mut builder = DiagramBuilder::new("two");
    let a = builder.add("a", function(0.5 * s("u") + 1.0)).unwrap();
    let b = builder
        .add("b", function(-0.5 * s("u") + s("time")))
        .unwrap();
    builder.connect(a.output("y"), b.input("u")).unwrap();
    builder.connect(b.output("y"), a.input("u")).unwrap();
    builder.export_output("y1", a.output("y")).unwrap();
    builder.export_output("y2", b.output("y")).unwrap();
    let system = compiled(&builder.build().unwrap());
    for (t, y1, y2) in [(0.0, 0.8, -0.4), (2.0, 1.6, 1.2)] {
        let found = outputs(&system, t, &[]);
        assert!((found[0] - y1).abs() < 1e-15, "y1 at {t}: {}", found[0]);
        assert!((found[1] - y2).abs() < 1e-15, "y2 at {t}: {}", found[1]);
    }
}

/// y = r + k y
fn direct(r: f64, k: f64) -> Diagram {
    let mut builder = DiagramBuilder::new("direct");
    let r = builder.add("r", constant(r)).unwrap();
    let gain = builder.add("gain", gain(k)).unwrap();
    let sum = builder.add("sum", sum('+')).unwrap();
    builder.connect(r.output("y"), sum.input("u1")).unwrap();
    builder.connect(gain.output("y"), sum.input("u2")).unwrap();
    builder.connect(sum.output("y"), gain.input("u")).unwrap();
    builder.export_output("y", sum.output("y")).unwrap();
    builder.build().unwrap()
}

#[test]
fn a_singular_loop_is_an_error_that_prints_it_port_by_port() {
    for r in [0.0, 1.0] {
        let error = failure(&direct(r, 1.0));
        assert!(
            matches!(error.kind, LoopKind::Singular { .. }),
            "kind: {:?}",
            error.kind
        );
        assert_eq!(
            error.ports,
            ["gain.y", "sum.u2", "sum.y", "gain.u"],
            "ports in the direction of the signal"
        );
        assert_eq!(error.port_count, 4, "nothing else");
    }
    let text = direct(1.0, 1.0).flatten().unwrap_err().to_string();
    assert_eq!(
        text,
        "singular algebraic loop of `gain.y`: `gain.y -> sum.u2 -> sum.y -> gain.u` in `direct`; \
         its equations have no single solution, change a gain",
        "text"
    );
}

#[test]
fn a_nearly_singular_loop_is_solved() {
    let system = compiled(&direct(1.0, 1.0 - 1e-12));
    let y = outputs(&system, 0.0, &[])[0];
    assert!((y / 1e12 - 1.0).abs() < 1e-3, "y = {y}");
}

fn nonlinear(name: &str, y: bifrons_expr::Expr) -> Diagram {
    let mut builder = DiagramBuilder::new("nonlinear");
    let block = builder.add(name, function(y)).unwrap();
    builder
        .connect(block.output("y"), block.input("u"))
        .unwrap();
    builder.export_output("y", block.output("y")).unwrap();
    builder.build().unwrap()
}

#[test]
fn a_nonlinear_loop_without_solution_names_the_block() {
    let error = failure(&nonlinear("square", s("u") * s("u") + 1.0));
    let LoopKind::NoConvergence { variable, residual } = &error.kind else {
        panic!("kind: {error}")
    };
    assert_eq!(variable, "square.y", "variable");
    // y² - y + 1 is nowhere smaller than this.
    assert!(*residual >= 0.75 - 1e-12, "residual {residual}");
    assert_eq!(error.ports, ["square.y", "square.u"], "ports");
    assert!(error.to_string().contains("no convergence"), "{error}");
}

#[test]
fn nonlinear_loops_of_one_variable_are_solved() {
    // The last one is `nonlinear_y` of the published case of a loop.
    let cases = [
        (s("u").cos(), 0.739_085_133_215_160_7),
        ((-s("u")).exp(), 0.567_143_290_409_783_8),
        (1.0 - (2.0 * s("u")).tanh(), 0.370_387_196_531_154_26),
    ];
    for (y, expected) in cases {
        let system = compiled(&nonlinear("block", y));
        let found = outputs(&system, 0.0, &[])[0];
        assert!((found - expected).abs() < 1e-14, "{found} for {expected}");
    }
}

#[test]
fn an_output_that_is_its_own_input_has_no_value() {
    let mut builder = DiagramBuilder::new("through");
    let a = builder.add("a", function(s("u"))).unwrap();
    let b = builder.add("b", function(s("u"))).unwrap();
    builder.connect(a.output("y"), b.input("u")).unwrap();
    builder.connect(b.output("y"), a.input("u")).unwrap();
    let error = failure(&builder.build().unwrap());
    assert!(
        matches!(error.kind, LoopKind::Singular { .. }),
        "kind: {:?}",
        error.kind
    );
    assert_eq!(error.port_count, 4, "all ports: {:?}", error.ports);
}

#[test]
fn a_loop_through_nested_diagrams_prints_full_paths() {
    let inner = |y| {
        let mut builder = DiagramBuilder::new("inner");
        let f = builder.add("f", function(y)).unwrap();
        builder.export_input("in", f.input("u")).unwrap();
        builder.export_output("out", f.output("y")).unwrap();
        builder.build().unwrap()
    };
    let mut builder = DiagramBuilder::new("outer");
    // a = exp(a + 1) has no solution.
    let a = builder.add("a", inner(s("u").exp())).unwrap();
    let b = builder.add("b", inner(s("u") + 1.0)).unwrap();
    builder.connect(a.output("out"), b.input("in")).unwrap();
    builder.connect(b.output("out"), a.input("in")).unwrap();
    let error = failure(&builder.build().unwrap());
    assert_eq!(
        error.ports,
        [
            "a.f.y", "a.out", "b.in", "b.f.u", "b.f.y", "b.out", "a.in", "a.f.u"
        ],
        "every port on the way"
    );
}

#[test]
fn two_coupled_linear_loops_are_eliminated_in_any_order_of_blocks() {
    // a = 1 + 0.5 b + 0.25 c, b = 2 - a + c, c = 0.5 a - b
    let equation = |name: &str| match name {
        "a" => 1.0 + 0.5 * s("u1") + 0.25 * s("u2"),
        "b" => 2.0 - s("u1") + s("u2"),
        _ => 0.5 * s("u1") - s("u2"),
    };
    let build = |order: [&str; 3]| {
        let mut builder = DiagramBuilder::new("coupled");
        for name in order {
            let block = BlockSpec::builder("F").input("u1").input("u2");
            builder
                .add(name, block.output("y", equation(name)).build().unwrap())
                .unwrap();
        }
        let wires = [
            ("b", "a.u1"),
            ("c", "a.u2"),
            ("a", "b.u1"),
            ("c", "b.u2"),
            ("a", "c.u1"),
            ("b", "c.u2"),
        ];
        for (from, to) in wires {
            builder.connect(format!("{from}.y").as_str(), to).unwrap();
        }
        for name in ["a", "b", "c"] {
            builder
                .export_output(name, format!("{name}.y").as_str())
                .unwrap();
        }
        outputs(&compiled(&builder.build().unwrap()), 0.0, &[])
    };
    let found = build(["a", "b", "c"]);
    // By Cramer's rule: a = 8/5 · …; checked by insertion instead of by digits.
    let [a, b, c] = found[..] else {
        panic!("three outputs")
    };
    assert!(
        (a - (1.0 + 0.5 * b + 0.25 * c)).abs() < 1e-14,
        "first equation"
    );
    assert!((b - (2.0 - a + c)).abs() < 1e-14, "second equation");
    assert!((c - (0.5 * a - b)).abs() < 1e-14, "third equation");
    for order in [["c", "b", "a"], ["b", "a", "c"]] {
        let again = build(order);
        let same = found
            .iter()
            .zip(&again)
            .all(|(x, y)| x.to_bits() == y.to_bits());
        assert!(same, "{again:?} for {order:?}, {found:?} before");
    }
}

#[test]
fn a_zero_pivot_is_avoided() {
    // a = a + b - 1 and b = 2 a - 3: solvable although the first has no slope of its own.
    let system = EquationSystem::builder("pivot")
        .definition("a", s("a") + s("b") - 1.0)
        .definition("b", 2.0 * s("a") - 3.0)
        .output("a", s("a"))
        .output("b", s("b"))
        .build()
        .unwrap();
    assert_eq!(
        outputs(&system.compile().unwrap(), 0.0, &[]),
        [2.0, 1.0],
        "b = 1, a = 2"
    );
    let singular = EquationSystem::builder("pivot")
        .definition("a", s("b") + 1.0)
        .definition("b", s("a") - 1.0)
        .build()
        .unwrap_err();
    let EquationError::AlgebraicLoop(error) = singular else {
        panic!("variant: {singular}")
    };
    assert!(
        matches!(error.kind, LoopKind::Singular { .. }),
        "kind: {:?}",
        error.kind
    );
    assert_eq!(error.ports, ["a", "b"], "names of the equations");
}

/// Every definition depends on every other one: `v_i = 0.5 / n Σ v_j + i`.
fn web(count: usize) -> Result<EquationSystem, EquationError> {
    let mut builder = EquationSystem::builder("web");
    for i in 0..count {
        let others = (0..count)
            .filter(|j| *j != i)
            .map(|j| s(&format!("v{j}")) * (0.5 / count as f64));
        let sum = others.reduce(|a, b| a + b).unwrap();
        builder = builder
            .definition(format!("v{i}"), sum + i as f64)
            .output(format!("v{i}"), s(&format!("v{i}")));
    }
    builder.build()
}

#[test]
fn a_web_of_loops_is_solved_by_lu() {
    let count = 8;
    let v = outputs(&web(count).unwrap().compile().unwrap(), 0.0, &[]);
    for (i, own) in v.iter().enumerate() {
        let others: f64 = v.iter().sum::<f64>() - own;
        let expected = others * 0.5 / count as f64 + i as f64;
        assert!((own - expected).abs() < 1e-13, "v{i}: {own} for {expected}");
    }
}

#[test]
fn a_web_of_too_many_loops_is_refused_with_its_size() {
    let error = web(103).unwrap_err();
    let EquationError::AlgebraicLoop(error) = error else {
        panic!("variant: {error}")
    };
    assert_eq!(
        error.kind,
        LoopKind::TooManyVariables { count: 101 },
        "kind"
    );
    assert_eq!(error.port_count, 103, "size of the loop");
    assert!(
        error
            .to_string()
            .contains("one cycle of a loop of 103 ports"),
        "{error}"
    );
}

/// `a = r cos b`, `b = r sin a + x`, solved by iteration at each point.
fn coupled() -> EquationSystem {
    EquationSystem::builder("coupled")
        .parameter("r", 0.9)
        .definition("a", s("r") * s("b").cos())
        .definition("b", s("r") * s("a").sin() + s("x"))
        .definition("c", s("a") * s("b") + s("time"))
        .state("x", s("c") - s("x"), 0.2)
        .output("a", s("a"))
        .output("b", s("b"))
        .output("c", s("c"))
        .build()
        .unwrap()
}

/// Fixed-point iteration, which contracts by 0.81.
fn coupled_slowly(r: f64, x: f64) -> (f64, f64) {
    let (mut a, mut b) = (0.0_f64, 0.0_f64);
    for _ in 0..400 {
        (a, b) = (r * b.cos(), r * a.sin() + x);
    }
    (a, b)
}

#[test]
fn a_nonlinear_loop_of_two_blocks_is_solved_at_every_point() {
    let system = coupled().compile().unwrap();
    for x in [-3.0, -0.5, 0.0, 0.7, 2.0, 40.0] {
        let (a, b) = coupled_slowly(0.9, x);
        let found = outputs(&system, 1.5, &[x]);
        assert!(
            (found[0] - a).abs() < 1e-13,
            "a({x}) = {} for {a}",
            found[0]
        );
        assert!(
            (found[1] - b).abs() < 1e-13,
            "b({x}) = {} for {b}",
            found[1]
        );
        let rate = derivatives(&system, 1.5, &[x])[0];
        assert!((rate - (a * b + 1.5 - x)).abs() < 1e-11, "x' at {x}");
    }
}

#[test]
fn lanes_with_loops_have_the_bits_of_one_member() {
    use bifrons_hybrid::HybridSystem;
    use bifrons_lanes::{LANES, Level};
    let system = coupled().compile().unwrap();
    for level in [Level::Baseline, Level::detect()] {
        let mut wide = system.workspace::<LANES>(level);
        let t: [f64; LANES] = std::array::from_fn(|k| 0.1 * k as f64);
        let x: [f64; LANES] = std::array::from_fn(|k| 3.0 - 0.7 * k as f64);
        for lane in 0..LANES {
            system.set_parameters(&mut wide, lane, &[0.1 + 0.05 * lane as f64]);
        }
        let mut found = [[0.0; LANES]; 3];
        system.outputs(&mut wide, &t, &[x], &mut found);
        for lane in 0..LANES {
            let mut one = system.workspace::<1>(Level::Baseline);
            system.set_parameters(&mut one, 0, &[0.1 + 0.05 * lane as f64]);
            let mut alone = [[0.0]; 3];
            system.outputs(&mut one, &[t[lane]], &[[x[lane]]], &mut alone);
            for (wide, [alone]) in found.iter().zip(alone) {
                assert_eq!(wide[lane].to_bits(), alone.to_bits(), "lane {lane}");
            }
        }
    }
}

#[test]
fn a_loop_without_solution_at_some_points_tells_its_residual() {
    use bifrons_hybrid::HybridSystem;
    use bifrons_lanes::Level;
    // y² = 1 - x has a solution for x ≤ 1 only; the guess chooses the branch.
    let system = |guess: f64| {
        EquationSystem::builder("circle")
            .definition("y", s("y") + s("y") * s("y") - 1.0 + s("x"))
            .guess("y", guess)
            .state("x", s("y"), 0.0)
            .output("y", s("y"))
            .build()
            .unwrap()
            .compile()
            .unwrap()
    };
    for (guess, sign) in [(1.0, 1.0), (-1.0, -1.0)] {
        let y = outputs(&system(guess), 0.0, &[0.75])[0];
        assert!((y - 0.5 * sign).abs() < 1e-14, "y = {y} from {guess}");
    }
    let system = system(1.0);
    let mut workspace = system.workspace::<1>(Level::Baseline);
    let mut y = [[0.0]];
    system.outputs(&mut workspace, &[2.5], &[[1.5]], &mut y);
    assert!(y[0][0].is_nan(), "{y:?}");
    let failure = system.loop_failure(&workspace, 0).unwrap();
    assert_eq!(system.loops()[failure.index], "y", "unknowns");
    assert!(
        failure.residual >= 0.5 && (failure.t - 2.5).abs() < 1e-15,
        "{failure:?}"
    );
    system.set_parameters(&mut workspace, 0, &[]);
    assert!(system.loop_failure(&workspace, 0).is_none(), "a new member");
}

#[test]
fn linear_models_go_through_loops() {
    let system = coupled();
    let (x, h) = (0.7, 1e-5);
    let model = system.linearise([("x", x), ("time", 1.5)]).unwrap();
    let (right, left) = (coupled_slowly(0.9, x + h), coupled_slowly(0.9, x - h));
    let slope = (right.0 * right.1 - left.0 * left.1) / (2.0 * h);
    assert!((model.a[0] - (slope - 1.0)).abs() < 1e-8, "{model:?}");
    assert!(
        (model.c[0] - (right.0 - left.0) / (2.0 * h)).abs() < 1e-8,
        "{model:?}"
    );
}

#[test]
fn guesses_that_make_no_sense_are_refused_by_name() {
    let base = || EquationSystem::builder("g").definition("y", s("y").cos());
    for (target, guess) in [("z", s("time")), ("y", s("y")), ("y", s("w"))] {
        let error = base().guess(target, guess).build().unwrap_err();
        assert!(matches!(error, EquationError::Guess { .. }), "{error}");
    }
    let block = BlockSpec::builder("B").input("u").output("y", s("u").cos());
    let error = block.guess("y", s("u")).build().unwrap_err();
    assert!(error.to_string().contains("guess of `y`"), "{error}");
}
