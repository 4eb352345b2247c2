//! Exact envelopes of hand-made and random candidate sets against rational arithmetic.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::missing_assert_message,
    clippy::print_stdout,
    dead_code,
    reason = "tests print their worst errors"
)]

#[path = "support/table.rs"]
mod table;

use bifrons_egm::{
    Candidates, Crra, Descending, EnvelopeMethod, EnvelopeWorkspace, ReadOptions, Row, RowReader,
    ValueRead, upper_envelope,
};
use table::Block;

/// The chains of a case, one label per branch.
fn chains(case: &Block) -> ([Vec<f64>; 3], Vec<u32>) {
    let [m, c, v] = ["m", "c", "v"].map(|key| {
        let before = case
            .lines
            .iter()
            .take_while(|line| line.key != "convention");
        let rows = before.filter(|line| line.key == key);
        rows.map(table::Line::numbers).collect::<Vec<_>>()
    });
    let label = m
        .iter()
        .zip(0_u32..)
        .flat_map(|(m, branch)| vec![branch; m.len()])
        .collect();
    ([m.concat(), v.concat(), c.concat()], label)
}

#[test]
fn candidate_sets() {
    let (mut work, mut row, mut worst) = (EnvelopeWorkspace::new(), Row::new(), 0.0_f64);
    let mut reader = RowReader::new(ReadOptions::default().with_value(ValueRead::Linear));
    for case in Block::all(include_str!("data/upper_envelopes.txt"), "case") {
        let ([m, v, c], label) = chains(&case);
        let candidates = Candidates::new(&m, &v, &c).with_label(&label);
        for part in case.parts("convention") {
            let all = part.words("convention")[0] == "all_links";
            let descending = if all {
                Descending::Keep
            } else {
                Descending::Drop
            };
            let method = EnvelopeMethod::EXACT_CHORDS;
            upper_envelope(method, candidates, descending, &mut work, &mut row).unwrap();
            reader.prepare(row.view()).unwrap();
            let [q, with_points, links] = ["q", "v", "v_links_only"].map(|key| part.list(key));
            for (i, &x) in q.iter().enumerate() {
                let found = reader.read(&Crra::log(), x).unwrap().value;
                // A candidate inside of a dropped stretch may count as a point or not.
                let error = |expected: f64| {
                    let agree = found.is_nan() && expected.is_nan();
                    let size = (found - expected).abs() / expected.abs().max(1.0);
                    if agree {
                        0.0
                    } else if size.is_nan() {
                        f64::INFINITY
                    } else {
                        size
                    }
                };
                let least = error(with_points[i]).min(error(links[i]));
                let name = &case.words("case")[0];
                assert!(
                    least <= 1e-12,
                    "{name} at {x}: {found} is not {}",
                    with_points[i]
                );
                worst = worst.max(least);
            }
        }
    }
    println!("envelopes: worst error {worst:.1e}");
}
