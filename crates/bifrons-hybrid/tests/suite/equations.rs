//! Systems of equations that are written by hand.

use crate::blocks::{derivatives, outputs, s};
use bifrons_hybrid::{EquationError, EquationSystem, HybridSystem, NameProblem};

#[test]
fn definitions_come_in_any_order() {
    let system = EquationSystem::builder("chain")
        .parameter("p", 2.0)
        .definition("c", s("b") + 1.0)
        .definition("b", s("a") * s("p"))
        .definition("a", s("x") + s("time"))
        .definition("unused", s("c") / 0.0)
        .state("x", s("c"), 1.0)
        .output("c", s("c"))
        .build()
        .unwrap();
    let order: Vec<&str> = system
        .definitions()
        .iter()
        .map(|d| d.symbol.name())
        .collect();
    assert_eq!(order, ["a", "b", "c", "unused"], "each after what it uses");
    assert_eq!(
        system.definition("b").unwrap().symbol.name(),
        "b",
        "look-up"
    );
    assert!(system.definition("x").is_err(), "a state is no definition");
    let compiled = system.compile().unwrap();
    assert_eq!(derivatives(&compiled, 3.0, &[1.0]), [9.0], "2 (1 + 3) + 1");
    assert_eq!(outputs(&compiled, 3.0, &[1.0]), [9.0], "the same");
}

#[test]
fn tapes_leave_out_what_they_do_not_need() {
    let build = |with_outputs: bool| {
        let mut builder = EquationSystem::builder("s").state("x", -s("x"), 1.0);
        for index in 0..50 {
            let name = format!("v{index}");
            builder = builder.definition(&name, (s("x") + f64::from(index)).sin());
            if with_outputs {
                builder = builder.output(&name, s(&name));
            }
        }
        builder.build().unwrap().compile().unwrap()
    };
    let (without, with) = (
        build(false).instruction_counts(),
        build(true).instruction_counts(),
    );
    assert_eq!(without.0, with.0, "outputs cost the derivatives nothing");
    assert!(
        without.1 == 0 && with.1 >= 50,
        "outputs: {} and {}",
        without.1,
        with.1
    );
}

#[test]
fn names_and_symbols_are_checked() {
    let x = || EquationSystem::builder("s").state("x", 1.0, 0.0);
    let name = |error: EquationError| match error {
        EquationError::Name { name, problem, .. } => (name, problem),
        other => panic!("variant: {other}"),
    };
    let duplicate = x().parameter("x", 1.0).build().unwrap_err();
    assert_eq!(
        name(duplicate),
        ("x".to_owned(), NameProblem::Duplicate),
        "twice"
    );
    let reserved = x().definition("time", 1.0).build().unwrap_err();
    assert_eq!(
        name(reserved),
        ("time".to_owned(), NameProblem::Reserved),
        "time"
    );
    let malformed = x().parameter("a..b", 1.0).build().unwrap_err();
    assert_eq!(
        name(malformed),
        ("a..b".to_owned(), NameProblem::Malformed),
        "empty part"
    );
    let outputs = x()
        .output("y", s("x"))
        .output("y", s("x"))
        .build()
        .unwrap_err();
    assert_eq!(
        name(outputs),
        ("y".to_owned(), NameProblem::Duplicate),
        "two outputs"
    );
    let unknown = x()
        .definition("plant.speed", s("plant.torqe"))
        .parameter("plant.torque", 1.0);
    let unknown = unknown.build().unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "equation of `plant.speed` in system `s` uses the undeclared name `plant.torqe`; \
         did you mean `plant.torque`?",
        "unknown symbol"
    );
    for unknown in [
        EquationSystem::builder("s").state("x", s("y"), 0.0),
        EquationSystem::builder("s").state("x", 0.0, s("y")),
        EquationSystem::builder("s").output("o", s("y")),
    ] {
        let error = unknown.build().unwrap_err();
        assert!(
            matches!(error, EquationError::UnknownSymbol { .. }),
            "{error}"
        );
    }
    let nan = x().parameter("p", f64::NAN).build().unwrap_err();
    assert!(
        matches!(nan, EquationError::Value { ref parameter, .. } if parameter == "p"),
        "{nan}"
    );
    let start = x().state("y", 0.0, s("x")).build().unwrap_err();
    assert!(
        matches!(start, EquationError::Start { ref symbol, .. } if symbol == "x"),
        "{start}"
    );
}

#[test]
fn empty_systems_are_valid() {
    let system = EquationSystem::builder("empty")
        .build()
        .unwrap()
        .compile()
        .unwrap();
    assert_eq!(system.schema().state_count(), 0, "no states");
    assert!(derivatives(&system, 0.0, &[]).is_empty(), "no derivatives");
}
