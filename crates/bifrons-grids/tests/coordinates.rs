//! Nodes and coordinates against reference numbers of 50 digits.
#![expect(clippy::unwrap_used, reason = "a test may stop at a broken file")]

#[path = "reference/reader.rs"]
mod reference;

use bifrons_grids::Grid;

/// Relative, absolute below one.
const TOLERANCE: f64 = 1e-12;

#[test]
fn nodes_and_coordinates_agree_with_the_reference() {
    let (mut worst_node, mut worst_coordinate) = (0.0_f64, 0.0_f64);
    let cases = reference::axes();
    assert_eq!(cases.len(), 15, "axes in the file");
    for case in cases {
        let axis = case.axis;
        if !case.nodes.is_empty() {
            assert_eq!(axis.len(), case.nodes.len(), "count of nodes of {axis:?}");
        }
        for (found, expected) in axis.nodes().iter().zip(&case.nodes) {
            let scale = if *expected == 0.0 {
                1.0
            } else {
                expected.abs()
            };
            worst_node = worst_node.max((found - expected).abs() / scale);
        }
        let mut found = vec![0.0; case.queries.len()];
        axis.coordinates_into(&case.queries, &mut found).unwrap();
        for ((&x, found), expected) in case.queries.iter().zip(found).zip(&case.coordinates) {
            assert_eq!(
                found.to_bits(),
                axis.coordinate(x).to_bits(),
                "slice and scalar at {x}"
            );
            let error = (found - expected).abs() / expected.abs().max(1.0);
            worst_coordinate = worst_coordinate.max(error);
        }
    }
    println!("worst node {worst_node:.1e}, worst coordinate {worst_coordinate:.1e}");
    assert!(worst_node < TOLERANCE, "worst node error {worst_node:e}");
    assert!(
        worst_coordinate < TOLERANCE,
        "worst coordinate error {worst_coordinate:e}"
    );
}
