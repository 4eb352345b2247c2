//! Solutions in files: the same bits back, and nothing else accepted.

use bifrons_lifecycle::{
    Population, Retention, SimulateOptions, Solution, SolveOptions, StoreError,
};
use bifrons_shocks::Discretisation;

use crate::retirement::Retirement;
use crate::slow;

fn retirement() -> Retirement {
    Retirement {
        periods: 4,
        interest: 1.02,
        beta: 0.97,
        delta: 0.7,
        income: 15.0,
        rho: 1.95,
        scale: 0.05,
        shock: Some(Discretisation::new(vec![0.8, 1.2], vec![0.5, 0.5]).expect("law")),
        nodes: 60,
        settings: bifrons_lifecycle::DcEgm::new(),
    }
}

fn panel(solution: &Solution) -> Vec<u64> {
    let population = Population::new(50, "working").state_of_all("m", 30.0);
    let panel = solution
        .simulate(&population, &SimulateOptions::new())
        .expect("simulated");
    let columns = ["m", "c", "value"].map(|name| panel.table.f64(name).expect("column").to_vec());
    columns.concat().iter().map(|x| x.to_bits()).collect()
}

#[test]
fn what_is_loaded_has_the_bits_of_what_was_saved() {
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("rows.solution");
    let solution = retirement().solve(&SolveOptions::new());
    solution.save(&path).expect("saved");
    let loaded = solution.problem().load(&path).expect("loaded");
    assert_eq!(panel(&loaded), panel(&solution));
    for t in 0..4 {
        assert_eq!(loaded.values(t, "working"), solution.values(t, "working"));
    }
    // Grid search, and what was not kept is not there.
    let model = slow::model(slow::Shape {
        delta: 0.4,
        survival: 0.9,
        scale: None,
        closures: false,
        batch: 0,
    });
    for retention in [Retention::First, Retention::Values, Retention::Policies] {
        let solution = slow::solve(&model, &SolveOptions::new().retention(retention));
        solution.save(&path).expect("saved");
        let loaded = solution.problem().load(&path).expect("loaded");
        for t in 0..4 {
            assert_eq!(loaded.values(t, "alive"), solution.values(t, "alive"));
            assert_eq!(loaded.policy(t, "alive", 5), solution.policy(t, "alive", 5));
        }
    }
}

#[test]
fn files_that_are_changed_cut_or_of_another_model_are_refused() {
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("rows.solution");
    let solution = retirement().solve(&SolveOptions::new());
    let problem = solution.problem();
    assert!(matches!(problem.load(&path), Err(StoreError::File { .. })));
    solution.save(&path).expect("saved");
    let good = std::fs::read(&path).expect("bytes");
    let format = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("written");
        matches!(problem.load(&path), Err(StoreError::Format { .. }))
    };
    for cut in [0, 7, 20, good.len() / 2, good.len() - 1] {
        assert!(format(&good[..cut]), "cut at {cut}");
    }
    for place in [0, 9, 30, good.len() / 2, good.len() - 1] {
        let mut wrong = good.clone();
        wrong[place] ^= 1;
        assert!(format(&wrong), "changed at {place}");
    }
    std::fs::write(&path, &good).expect("written");
    let model = problem.model();
    let other = retirement().parameters().set("delta", 0.7000001);
    let other = model.with_parameters(&other).expect("complete");
    assert!(matches!(
        other.load(&path),
        Err(StoreError::Fingerprint { .. })
    ));
    let mut changed = retirement();
    changed.nodes += 1;
    let changed = changed.solve(&SolveOptions::new());
    assert!(matches!(
        changed.problem().load(&path),
        Err(StoreError::Fingerprint { .. })
    ));
    assert!(problem.load(&path).is_ok());
}
