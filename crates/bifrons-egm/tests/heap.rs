//! After a warm-up, steps allocate nothing, and workspaces keep to their footprints.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::missing_assert_message,
    clippy::print_stdout,
    clippy::excessive_precision,
    dead_code,
    reason = "tests print their worst errors, and compare bits where they are meant to agree"
)]

#[path = "support/retirement.rs"]
mod retirement;

use bifrons_egm::{
    CandidateBuffer, Crra, Descending, EnvelopeMethod, EnvelopeWorkspace, Expectation,
    MarginalRead, OuterCandidate, OuterFold, ReadOptions, Record, Row, RowReader, UniformFixedCost,
    upper_envelope,
};
use bifrons_memory::profiler::{CountingAllocator, Scope};
use retirement::{Solver, quadratic_grid, timing_model};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static WORK: Scope = Scope::new("work");

#[test]
fn a_second_solution_allocates_nothing() {
    let model = timing_model();
    let mut sharp = model.clone();
    sharp.shocks = bifrons_egm::TasteShocks::NONE;
    for model in [model, sharp] {
        let expectation = Expectation::new().with_stochastic_node_batch_size(2);
        let mut solver = Solver::new(quadratic_grid(50.0, 200), 20, expectation);
        solver.solve(&model).unwrap();
        let guard = WORK.enter();
        solver.solve(&model).unwrap();
        assert_eq!(guard.so_far().blocks, 0, "{} folds", solver.folds);
        drop(guard);
        if model.shocks.scale() > 0.0 {
            continue;
        }
        solver.solve_aligned(&model).unwrap();
        let guard = WORK.enter();
        solver.solve_aligned(&model).unwrap();
        assert_eq!(guard.so_far().blocks, 0, "aligned");
    }
}

fn row(count: u32) -> Row {
    let mut row = Row::new();
    for i in 1..=count {
        let x = f64::from(i);
        row.push(Record {
            x,
            value: x.ln(),
            policy: 0.5 * x,
            marginal: 1.0 / x,
            owner: 0,
        });
    }
    row
}

/// Bytes that an action allocates.
fn allocated(action: impl FnOnce()) -> u64 {
    let guard = WORK.enter();
    action();
    guard.so_far().bytes
}

#[test]
fn footprints_are_kept() {
    let table = row(300);
    let mut reader = RowReader::new(ReadOptions::default());
    let bytes = allocated(|| reader.reserve(300));
    assert_eq!(bytes, RowReader::footprint(300).peak());
    assert_eq!(allocated(|| reader.prepare(table.view()).unwrap()), 0);
    for marginal in [MarginalRead::ViaPolicy, MarginalRead::Linear] {
        let mut plain = RowReader::new(ReadOptions::default().with_marginal(marginal));
        let bytes = allocated(|| plain.prepare(table.view()).unwrap());
        assert_eq!(bytes, RowReader::plain_footprint(300, marginal).peak());
    }

    let mut reserved = Row::new();
    assert_eq!(
        allocated(|| reserved.reserve(300)),
        Row::footprint(300).peak()
    );
    let mut candidates = CandidateBuffer::new();
    assert_eq!(
        allocated(|| candidates.reset(300)),
        CandidateBuffer::footprint(300).peak()
    );
    for batch in [0, 4] {
        let mut expectation = Expectation::new().with_stochastic_node_batch_size(batch);
        let bytes = allocated(|| {
            expectation.reset(300);
            for _ in 0..6 {
                let (value, marginal) = (&[1.0; 300], &[0.5; 300]);
                expectation.add_values(0.25, value, marginal).unwrap();
            }
            expectation.finish();
        });
        assert_eq!(bytes, Expectation::footprint(300, 0, batch).peak());
    }
    let mut envelope = EnvelopeWorkspace::new();
    assert_eq!(
        allocated(|| envelope.reserve(300, 8)),
        EnvelopeWorkspace::footprint(300, 8).peak()
    );
}

/// Chains that fold and overlap: four runs of 75 candidates.
fn overlapping() -> CandidateBuffer {
    let mut candidates = CandidateBuffer::new();
    candidates.reset(300);
    for label in 0..4_u32 {
        for i in 0..75_u32 {
            let x = 1.0 + f64::from(i) + 0.125 * f64::from(label);
            let value = f64::from(label + 1) * (x - 30.0);
            candidates.push(x, value, 0.5 * x, f64::from(label + 1), label);
        }
    }
    candidates
}

#[test]
fn a_block_of_links_has_the_bytes_of_its_footprint() {
    let candidates = overlapping();
    for (width, block) in [(0, 0), (1, 1), (7, 7), (299, 299), (usize::MAX, 299)] {
        let mut work = EnvelopeWorkspace::new().with_segment_block_size(width);
        let extra = EnvelopeWorkspace::matrix_footprint(300, 4, width);
        let wanted = 24 * 300 * block + 36 * 300 + 4 * 4;
        assert_eq!(extra.peak(), if width == 0 { 0 } else { wanted });
        let planned = EnvelopeWorkspace::footprint(300, 4).beside(extra);
        assert_eq!(allocated(|| work.reserve(300, 4)), planned.peak());
        let mut row = Row::new();
        row.reserve(400);
        let method = EnvelopeMethod::EXACT;
        let bytes = allocated(|| {
            let candidates = candidates.view();
            upper_envelope(method, candidates, Descending::Drop, &mut work, &mut row).unwrap();
        });
        assert_eq!(bytes, 0, "width {width}");
        assert!(row.len() > 75);
    }
    // Without room made before, blocks are as long as there are links: three fewer than pairs.
    let bytes = |width: usize| {
        let mut work = EnvelopeWorkspace::new().with_segment_block_size(width);
        let mut row = Row::new();
        row.reserve(400);
        allocated(|| {
            let candidates = candidates.view();
            let method = EnvelopeMethod::EXACT;
            upper_envelope(method, candidates, Descending::Drop, &mut work, &mut row).unwrap();
        })
    };
    assert_eq!(bytes(7) - bytes(1), 24 * 300 * 6);
    assert_eq!(bytes(1000) - bytes(1), 24 * 300 * 295);
}

#[test]
fn folds_and_expectations_keep_their_footprints() {
    let table = row(300);
    let mut reader = RowReader::new(ReadOptions::default());
    reader.prepare(table.view()).unwrap();
    let resources: Vec<f64> = (1..=300).map(f64::from).collect();
    let utility = Crra::log();
    let candidate = OuterCandidate {
        reader: &reader,
        utility: &utility,
        cost: 0.5,
    };
    let adjusters = [candidate; 5];
    for (width, in_flight) in [(0, 5), (1, 1), (2, 2), (7, 5)] {
        let mut fold = OuterFold::new();
        let solve = |fold: &mut OuterFold| {
            fold.solve(
                &resources,
                Some(candidate),
                &adjusters,
                UniformFixedCost::NONE,
                width,
            )
            .unwrap();
        };
        let bytes = allocated(|| solve(&mut fold));
        let planned = OuterFold::footprint(300, 5, width);
        // Growing the batch copies it: what was asked for in all is at most twice the peak.
        assert!(
            bytes <= planned.peak() * in_flight.max(2),
            "{bytes} {planned}"
        );
        assert_eq!(allocated(|| solve(&mut fold)), 0);
    }
    let mut expectation = Expectation::new().with_stochastic_node_batch_size(3);
    let next = bifrons_egm::NextChoice {
        reader: &reader,
        utility: &utility,
        resources: &resources,
        gradient: bifrons_egm::Gradient::Constant(1.0),
    };
    let bytes = allocated(|| {
        expectation.reset(300);
        expectation
            .add(0.5, &[next, next], bifrons_egm::TasteShocks::NONE)
            .unwrap();
    });
    assert_eq!(bytes, Expectation::footprint(300, 2, 3).peak());
}
