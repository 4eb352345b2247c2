//! Laws of the footprint algebra, of formatting and of the planner.

use bifrons_memory::{Bytes, ChunkRequest, Footprint, Part, PlanError};
use proptest::prelude::*;

fn footprint() -> impl Strategy<Value = Footprint> {
    let bytes = || prop_oneof![0..2_000_u64, any::<u64>(), Just(u64::MAX)];
    (bytes(), bytes())
        .prop_map(|(kept, scratch)| Footprint::persistent(kept).beside(Footprint::scratch(scratch)))
}

fn at_most(a: Footprint, b: Footprint) -> bool {
    a.persistent_bytes() <= b.persistent_bytes() && a.scratch_bytes() <= b.scratch_bytes()
}

proptest! {
    #[test]
    fn both_compositions_are_commutative_monoids(
        a in footprint(), b in footprint(), c in footprint()
    ) {
        for op in [Footprint::then, Footprint::beside, Footprint::either] {
            prop_assert_eq!(op(op(a, b), c), op(a, op(b, c)));
            prop_assert_eq!(op(a, b), op(b, a));
            prop_assert_eq!(op(a, Footprint::ZERO), a);
            prop_assert!(at_most(a, op(a, b)), "monotone");
            prop_assert!(at_most(op(a, c), op(a.beside(b), c)), "monotone in an argument");
        }
    }

    #[test]
    fn in_turn_is_at_most_at_once(a in footprint(), b in footprint(), n in 0..50_u64) {
        prop_assert!(at_most(a.then(b), a.beside(b)));
        prop_assert!(at_most(a.either(b), a.then(b)));
        prop_assert!(at_most(a.in_turn(n), a.times(n)));
    }

    #[test]
    fn times_is_repeated_composition(a in footprint(), n in 0..20_u64, m in 0..20_u64) {
        let copies = || std::iter::repeat_n(a, usize::try_from(n).unwrap());
        prop_assert_eq!(a.times(n), copies().fold(Footprint::ZERO, Footprint::beside));
        prop_assert_eq!(a.in_turn(n), copies().fold(Footprint::ZERO, Footprint::then));
        prop_assert_eq!(a.times(n + m), a.times(n).beside(a.times(m)));
        prop_assert_eq!(a.times(n).times(m), a.times(n * m));
    }

    #[test]
    fn peaks_bound_the_naive_timeline(
        a in (0..1_000_u64, 0..1_000_u64), b in (0..1_000_u64, 0..1_000_u64)
    ) {
        let part = |(p, s): (u64, u64)| Footprint::persistent(p).beside(Footprint::scratch(s));
        let timeline = (a.0 + a.1).max(a.0 + b.0 + b.1);
        let peak = part(a).then(part(b)).peak();
        prop_assert!(timeline <= peak && peak <= timeline + b.0);
        prop_assert_eq!(part(a).beside(part(b)).peak(), a.0 + a.1 + b.0 + b.1);
    }

    #[test]
    fn bytes_read_back_exactly(bytes in prop_oneof![any::<u64>(), 0..1_000_000_u64], shift in 0..50_u32) {
        let value = Bytes::new(bytes >> shift << (shift / 2));
        prop_assert_eq!(format!("{value:#}").parse::<Bytes>(), Ok(value));
    }

    #[test]
    fn rounded_bytes_are_within_half_a_tenth(bytes in prop_oneof![any::<u64>(), 0..10_000_000_u64]) {
        let text = Bytes::new(bytes).to_string();
        let (number, unit) = text.split_once(' ').unwrap();
        let number: f64 = number.parse().unwrap();
        let step = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"].iter().position(|u| *u == unit);
        let unit = 1024_f64.powi(i32::try_from(step.unwrap()).unwrap());
        prop_assert!((number * unit - bytes as f64).abs() <= 0.0501 * unit, "{}", text);
        prop_assert!(number < 1024.0, "{}", text);
    }

    #[test]
    fn total_of_a_tree_is_the_sum_of_own_parts_when_beside(
        parts in prop::collection::vec((footprint(), 0..5_u64), 0..8), copies in 0..4_u64
    ) {
        let children = parts.iter().map(|(own, n)| Part::new("child", *own).times(*n));
        let tree = Part::beside("tree", children).times(copies);
        let sum = tree.entries().fold(Footprint::ZERO, |sum, entry| sum.beside(entry.own()));
        prop_assert_eq!(tree.total(), sum);
        let largest = tree.entries().map(|entry| entry.own().peak()).max();
        prop_assert_eq!(Some(tree.largest().1.peak()), largest);
    }

    #[test]
    fn the_plan_is_the_widest_that_fits(
        items in 0..60_usize, in_flight in 1..9_usize, preferred in 1..70_usize,
        shared in 0..300_u64, chunk in 0..300_u64, item in 0..40_u64, allowed in 0..3_000_u64
    ) {
        let request = ChunkRequest::new(items)
            .shared(Part::new("shared", Footprint::persistent(shared)))
            .chunk(Part::new("chunk", Footprint::scratch(chunk)))
            .item(Part::new("item", Footprint::persistent(item)))
            .in_flight(in_flight)
            .preferred(preferred);
        // The slow and obvious way: try all widths.
        let needed = |width: usize| {
            let flying = in_flight.min(items.div_ceil(width)) as u64;
            shared + flying * (chunk + item * width as u64)
        };
        let widths = 1..=preferred.min(items).max(1);
        let best = widths.clone().rev().find(|width| needed(*width) <= allowed);
        match (request.plan_within(allowed), best) {
            (Ok(plan), Some(width)) => {
                prop_assert_eq!(plan.width(), width);
                prop_assert_eq!(plan.footprint().peak(), needed(width));
                let covered: Vec<usize> = plan.ranges().flatten().collect();
                prop_assert_eq!(covered, (0..items).collect::<Vec<_>>());
                prop_assert_eq!(plan.ranges().len(), plan.chunk_count());
            }
            (Err(PlanError::TooSmall { needed: least, allowed: given, .. }), None) => {
                prop_assert_eq!(least, widths.map(needed).min().unwrap());
                prop_assert_eq!(given, allowed);
            }
            (plan, best) => prop_assert!(false, "{:?} but {:?}", plan, best),
        }
    }
}
