//! Strong components and cycles against reachability.

use bifrons_hybrid::Digraph;
use proptest::prelude::*;

/// `reachable[i][j]`: a path of at least one edge leads from `i` to `j` (Floyd–Warshall).
fn reachable(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
    let mut table = vec![vec![false; count]; count];
    for &(from, to) in edges {
        table[from][to] = true;
    }
    for middle in 0..count {
        for from in 0..count {
            for to in 0..count {
                table[from][to] |= table[from][middle] && table[middle][to];
            }
        }
    }
    table
}

fn graphs() -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
    (1_usize..14).prop_flat_map(|count| {
        (
            Just(count),
            prop::collection::vec((0..count, 0..count), 0..2 * count),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn components_are_the_classes_of_mutual_reachability((count, edges) in graphs()) {
        let table = reachable(count, &edges);
        let components = Digraph::from_edges(count, &edges).strong_components();
        let mut class = vec![usize::MAX; count];
        for (index, component) in components.iter().enumerate() {
            prop_assert!(component.is_sorted(), "sorted nodes");
            for &node in component {
                prop_assert_eq!(class[node], usize::MAX, "each node once");
                class[node] = index;
            }
        }
        for from in 0..count {
            for to in 0..count {
                let mutual = from == to || table[from][to] && table[to][from];
                prop_assert_eq!(class[from] == class[to], mutual, "{} and {}", from, to);
                prop_assert!(!table[from][to] || class[to] <= class[from], "dependencies first");
            }
        }
    }

    #[test]
    fn a_cycle_is_found_where_there_is_one((count, edges) in graphs(), start in 0_usize..14) {
        let start = start % count;
        let graph = Digraph::from_edges(count, &edges);
        let cycle = graph.cycle_through(start, |_| true);
        prop_assert_eq!(cycle.is_some(), reachable(count, &edges)[start][start], "existence");
        if let Some(cycle) = cycle {
            prop_assert_eq!(cycle[0], start, "starts where asked");
            let closed = cycle.iter().zip(cycle.iter().cycle().skip(1));
            for (from, to) in closed {
                prop_assert!(edges.contains(&(*from, *to)), "edge {} to {}", from, to);
            }
        }
    }
}

#[test]
fn edges_outside_are_left_out_and_order_is_kept() {
    let graph = Digraph::from_edges(3, &[(2, 0), (0, 5), (0, 2), (7, 1), (0, 1)]);
    assert_eq!((graph.node_count(), graph.edge_count()), (3, 3), "counts");
    assert_eq!(graph.successors(0), [2, 1], "order of the edges");
    assert!(
        graph.successors(1).is_empty() && graph.successors(9).is_empty(),
        "no successors"
    );
    assert!(
        Digraph::from_edges(0, &[]).strong_components().is_empty(),
        "nothing"
    );
}

#[test]
fn a_cycle_stays_where_it_is_asked_to_stay() {
    let graph = Digraph::from_edges(4, &[(0, 1), (1, 0), (0, 2), (2, 3), (3, 0)]);
    assert_eq!(
        graph.cycle_through(0, |node| node != 1),
        Some(vec![0, 2, 3]),
        "around node 1"
    );
    assert_eq!(
        graph.cycle_through(1, |node| node != 0),
        None,
        "no way round"
    );
}
