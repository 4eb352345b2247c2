//! The retirement model against dense reference solutions.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_problems::Retirement;

fn error(points: usize, shocks: bool) -> f64 {
    let mut model = Retirement::with_points(8, points).expect("a model");
    if shocks {
        model = model.with_income_shocks();
    }
    let mut workspace = model.workspace();
    model.solve_into(&mut workspace).expect("solved");
    model.error(&workspace).expect("readable")
}

#[test]
fn values_meet_the_reference_and_more_nodes_help() {
    let [coarse, fine] = [500, 2_000].map(|points| error(points, false));
    println!("500 nodes {coarse:.1e}, 2 000 nodes {fine:.1e}");
    assert!(coarse < 5e-6, "{coarse:e} with 500 nodes");
    assert!(fine < 0.2 * coarse, "{fine:e} with 2 000 nodes");
}

#[test]
fn values_with_income_shocks_meet_the_reference() {
    let error = error(500, true);
    println!("500 nodes {error:.1e}");
    assert!(error < 5e-6, "{error:e}");
}

#[test]
fn a_second_solution_has_the_same_bits() {
    let model = Retirement::with_points(8, 200).expect("a model");
    let mut workspace = model.workspace();
    model.solve_into(&mut workspace).expect("solved");
    let first = workspace.rows().to_vec();
    model.solve_into(&mut workspace).expect("solved again");
    assert_eq!(first, workspace.rows(), "no state is left behind");
}
