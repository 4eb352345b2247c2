//! Properties of all axes: exact nodes, order, weights, slices equal to scalars.
#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "exact numbers; broken input stops"
)]

#[path = "support/strategies.rs"]
mod strategies;

use bifrons_grids::{Grid, Locator, ranks_sorted_into};
use proptest::prelude::*;
use strategies::{axis, config, is_inside, nodes, queries, seeds, sorted};

fn count_not_above(nodes: &[f64], x: f64) -> usize {
    if x.is_nan() {
        nodes.len()
    } else {
        nodes.iter().filter(|node| **node <= x).count()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_node_has_its_own_index(axis in axis()) {
        for (i, &node) in axis.nodes().iter().enumerate() {
            prop_assert_eq!(axis.coordinate(node), i as f64, "node {}", node);
        }
    }

    #[test]
    fn coordinates_keep_the_order(axis in axis(), seeds in seeds(10..60)) {
        let queries = sorted(queries(axis.nodes(), &seeds));
        let coordinates: Vec<f64> = queries.iter().map(|&x| axis.coordinate(x)).collect();
        for (i, pair) in coordinates.windows(2).enumerate() {
            let keeps = pair[0] <= pair[1] || pair[1].is_nan();
            prop_assert!(keeps, "{:?} at {:?}", pair, &queries[i..i + 2]);
        }
    }

    #[test]
    fn weights_are_a_partition_of_unity(axis in axis(), seeds in seeds(10..60)) {
        for x in queries(axis.nodes(), &seeds) {
            let bracket = axis.bracket(x);
            let weight = bracket.weight;
            if !is_inside(&axis, x) || axis.len() < 2 {
                continue;
            }
            prop_assert!((0.0..=1.0).contains(&weight), "weight {} at {}", weight, x);
            prop_assert!(((1.0 - weight) + weight - 1.0).abs() < 1e-15, "sum at {}", x);
            let (low, high) = (axis.nodes()[bracket.cell], axis.nodes()[bracket.cell + 1]);
            let again = (1.0 - weight) * low + weight * high;
            // With unit roundoff u and s = max(|low|, |high|): the weight has 3 roundings on
            // at most 2 s, the two products and the sum add 2 u s each at most, less than 8 u s.
            let bound = 4.0 * f64::EPSILON * low.abs().max(high.abs());
            prop_assert!((again - x).abs() <= bound, "{} again {}", x, again);
        }
    }

    #[test]
    fn slices_equal_scalars(axis in axis(), seeds in seeds(0..200)) {
        let queries = queries(axis.nodes(), &seeds);
        let (mut ranks, mut coordinates) = (vec![0; queries.len()], vec![0.0; queries.len()]);
        axis.ranks_into(&queries, &mut ranks).unwrap();
        axis.coordinates_into(&queries, &mut coordinates).unwrap();
        for ((&x, &rank), coordinate) in queries.iter().zip(&ranks).zip(coordinates) {
            prop_assert_eq!(rank as usize, axis.rank(x), "rank of {}", x);
            prop_assert_eq!(rank as usize, count_not_above(axis.nodes(), x), "count at {}", x);
            let alone = axis.coordinate(x);
            prop_assert_eq!(coordinate.to_bits(), alone.to_bits(), "coordinate of {}", x);
            prop_assert_eq!(coordinate.is_nan(), x.is_nan(), "NaN at {}", x);
        }
    }

    #[test]
    fn the_coordinate_finds_the_value_again(axis in axis(), seeds in seeds(10..60)) {
        for x in queries(axis.nodes(), &seeds) {
            if !is_inside(&axis, x) {
                continue;
            }
            let coordinate = axis.coordinate(x);
            let cell = strategies::index(coordinate / axis.len() as f64, axis.len());
            let cell = if cell as f64 > coordinate { cell - 1 } else { cell };
            let low = axis.nodes()[cell];
            let high = axis.nodes().get(cell + 1).copied().unwrap_or(low);
            let again = low + (coordinate - cell as f64) * (high - low);
            let scale = low.abs().max(high.abs()) + (high - low) * axis.len() as f64;
            prop_assert!((again - x).abs() <= 1e-15 * scale, "{} again {}", x, again);
        }
    }

    #[test]
    fn merge_search_and_memory_agree(nodes in nodes(0..120), seeds in seeds(0..700)) {
        // Some nodes twice, as at jumps.
        let nodes: Vec<f64> = nodes.iter().enumerate()
            .flat_map(|(i, &x)| core::iter::repeat_n(x, if i % 7 == 3 { 2 } else { 1 }))
            .collect();
        let from = if nodes.is_empty() { vec![1.0] } else { nodes.clone() };
        let unsorted = queries(&from, &seeds);
        let ascending = sorted(unsorted.clone());
        let mut ranks = vec![0; ascending.len()];
        ranks_sorted_into(&nodes, &ascending, &mut ranks).unwrap();
        for (&x, rank) in ascending.iter().zip(ranks) {
            prop_assert_eq!(rank as usize, count_not_above(&nodes, x), "merge at {}", x);
            prop_assert_eq!(rank as usize, bifrons_grids::rank(&nodes, x), "search at {}", x);
        }
        let mut locator = Locator::new();
        for x in unsorted {
            let found = locator.rank(&nodes, x);
            prop_assert_eq!(found, count_not_above(&nodes, x), "memory at {}", x);
        }
    }
}
