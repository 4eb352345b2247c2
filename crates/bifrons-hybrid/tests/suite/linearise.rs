//! Linear models against derivatives by hand.

use crate::blocks::s;
use bifrons_hybrid::{BlockSpec, DiagramBuilder, EquationSystem, LinearisationError};

#[test]
fn matrices_are_those_by_hand_through_definitions_and_open_inputs() {
    // x1' = x2 u, x2' = -k v with v = x1³ + x2; y = v + 3 u.
    let block = BlockSpec::builder("Plant")
        .input("u")
        .parameter("k", 2.0)
        .state("x1", s("x2") * s("u"), 0.0)
        .state("x2", -(s("k") * s("v")), 0.0)
        .definition("v", s("x1").powi(3) + s("x2"))
        .output("y", s("v") + 3.0 * s("u"));
    let mut builder = DiagramBuilder::new("plant");
    let plant = builder.add("plant", block.build().unwrap()).unwrap();
    builder.export_input("u", plant.input("u")).unwrap();
    builder.export_output("y", plant.output("y")).unwrap();
    let equations = builder.build().unwrap().flatten().unwrap();
    let point = [("plant.x1", 2.0), ("plant.x2", 5.0), ("u", 7.0)];
    let model = equations.linearise(point).unwrap();
    assert_eq!(model.sizes, [2, 1, 1]);
    assert_eq!(model.a, [0.0, 7.0, -24.0, -2.0]);
    assert_eq!(model.b, [5.0, 0.0]);
    assert_eq!(model.c, [12.0, 1.0]);
    assert_eq!(model.d, [3.0]);
    let stiffer = equations
        .linearise([("plant.k", 3.0), ("plant.x1", 1.0)])
        .unwrap();
    assert_eq!(stiffer.a, [0.0, 0.0, -9.0, -3.0]);
}

#[test]
fn unknown_names_and_infinite_slopes_are_errors() {
    let root = EquationSystem::builder("root")
        .state("level", -s("level").sqrt(), 1.0)
        .output("y", s("level"))
        .build()
        .unwrap();
    let unknown = root.linearise([("levle", 1.0)]).unwrap_err();
    assert!(unknown.to_string().contains("level"), "{unknown}");
    let infinite = root.linearise([("level", 0.0)]).unwrap_err();
    assert!(matches!(
        infinite,
        LinearisationError::NotFinite { row: 0, ref by, .. } if by == "level"
    ));
}
