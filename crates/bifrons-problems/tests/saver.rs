//! Savers against references.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_problems::Saver;

fn error(saver: &Saver) -> f64 {
    let mut workspace = saver.workspace();
    saver.solve_into(&mut workspace).expect("solved");
    saver.error(&workspace).expect("readable")
}

#[test]
fn the_buffer_stock_meets_the_dense_solution() {
    let [coarse, fine] = [100, 1_000].map(|points| error(&Saver::buffer_stock(points)));
    println!("100 nodes {coarse:.1e}, 1 000 nodes {fine:.1e}");
    assert!(coarse < 1e-3, "{coarse:e} with 100 nodes");
    assert!(fine < 1e-5, "{fine:e} with 1 000 nodes");
}

#[test]
fn the_deterministic_saver_meets_the_closed_form() {
    let [coarse, fine] = [100, 1_000].map(|points| error(&Saver::deterministic(points)));
    println!("100 nodes {coarse:.1e}, 1 000 nodes {fine:.1e}");
    assert!(coarse < 5e-4, "{coarse:e} with 100 nodes");
    assert!(fine < 1e-9, "{fine:e} with 1 000 nodes");
}
