//! The planner's edges and messages, and printed trees.

use bifrons_memory::{Budget, Bytes, ChunkRequest, Footprint, Part, PlanError};

fn request(items: usize) -> ChunkRequest {
    ChunkRequest::new(items)
        .shared(Part::new("table", Footprint::persistent(1_000)))
        .item(Part::beside(
            "member",
            [
                Part::new("state", Footprint::of::<f64>(4)),
                Part::new("stages", Footprint::scratch(7 * 32)),
            ],
        ))
        .in_flight(2)
}

#[test]
fn too_small_names_needed_allowed_and_the_largest_part() {
    let error = request(10).plan_within(1_500).unwrap_err();
    let PlanError::TooSmall {
        needed,
        allowed,
        ref part,
    } = error
    else {
        panic!("{error}")
    };
    assert_eq!(
        (needed, allowed),
        (1_000 + 2 * 256, 1_500),
        "one member in each of two chunks"
    );
    assert_eq!(part, "plan/table", "the largest");
    assert_eq!(
        error.to_string(),
        "plan needs 1.5 KiB (1512 bytes) but 1.5 KiB (1500 bytes) are allowed; the largest part is \
         `plan/table`: raise the budget or shrink it",
        "message"
    );
    assert_eq!(
        request(10).plan_within(1_512).unwrap().width(),
        1,
        "exactly enough"
    );
}

#[test]
fn zero_items_need_the_shared_part_only() {
    let plan = request(0).plan_within(1_000).unwrap();
    assert_eq!(
        (plan.width(), plan.chunk_count(), plan.item_count()),
        (1, 0, 0),
        "no chunks"
    );
    assert_eq!(plan.footprint().peak(), 1_000, "shared");
    assert_eq!(plan.ranges().next(), None, "no ranges");
    assert!(
        request(0).plan_within(999).is_err(),
        "the shared part must fit"
    );
}

#[test]
fn zero_width_and_zero_in_flight_are_errors() {
    assert_eq!(
        request(3).preferred(0).plan_within(9_999).unwrap_err(),
        PlanError::ZeroWidth,
        "width"
    );
    assert_eq!(
        request(3).in_flight(0).plan_within(9_999).unwrap_err(),
        PlanError::ZeroInFlight,
        "in flight"
    );
}

#[test]
fn no_bound_gives_the_preferred_width_and_saturation_never_fits() {
    let plan = request(100)
        .preferred(30)
        .plan(&Budget::unlimited())
        .unwrap();
    assert_eq!(
        (plan.width(), plan.chunk_count(), plan.allowed()),
        (30, 4, u64::MAX),
        "preferred"
    );
    let huge = request(2).item(Part::new("huge", Footprint::persistent(u64::MAX / 2)));
    let error = huge.in_flight(3).plan(&Budget::unlimited()).unwrap_err();
    let expected = PlanError::TooSmall {
        needed: u64::MAX,
        allowed: u64::MAX,
        part: "plan/in flight/huge".into(),
    };
    assert_eq!(error, expected, "more than 64 bits hold");
}

#[test]
fn very_many_items_are_planned_without_overflow() {
    let plan = ChunkRequest::new(usize::MAX)
        .item(Part::new("item", Footprint::persistent(8)))
        .in_flight(64)
        .plan_within(1 << 30)
        .unwrap();
    assert_eq!(plan.width(), (1 << 30) / 8 / 64, "64 chunks share 1 GiB");
    let mut ranges = plan.ranges();
    assert_eq!(ranges.next(), Some(0..plan.width()), "first");
    assert_eq!(ranges.len(), plan.chunk_count() - 1, "the others");
}

#[test]
fn a_tree_prints_one_aligned_line_per_part() {
    let plan = request(10).preferred(4).plan_within(1 << 20).unwrap();
    let expected = "\
plan             1.2 KiB + 1.8 KiB scratch
  table          1000 B
  in flight × 2  256 B + 1.8 KiB scratch
    chunk        0 B
    member × 4   256 B + 1.8 KiB scratch
      state      256 B
      stages     1.8 KiB scratch";
    assert_eq!(plan.tree().to_string(), expected, "{}", plan.tree());
}

#[test]
fn parts_in_turn_need_the_largest_scratch() {
    let tree = Part::then(
        "run",
        [
            Part::new(
                "a",
                Footprint::persistent(10).beside(Footprint::scratch(100)),
            ),
            Part::new(
                "b",
                Footprint::persistent(20).beside(Footprint::scratch(50)),
            ),
        ],
    )
    .with(Part::new("c", Footprint::scratch(70)))
    .with_own(Footprint::persistent(5));
    assert_eq!(tree.total().persistent_bytes(), 35, "all that stays");
    assert_eq!(tree.total().scratch_bytes(), 100, "the largest");
    assert_eq!(tree.largest().0, "run/a", "largest own part");
    let depths: Vec<usize> = tree.entries().map(|entry| entry.depth()).collect();
    assert_eq!(depths, [0, 1, 1, 1], "parents first");
}

#[test]
fn bytes_print_and_parse() {
    for (bytes, text) in [
        (0, "0 B"),
        (1_023, "1023 B"),
        (1_024, "1 KiB"),
        (1_048_524, "1023.9 KiB"),
        (1_048_575, "1 MiB"),
        (13_001 << 10, "12.7 MiB"),
        (u64::MAX, "16 EiB"),
    ] {
        assert_eq!(Bytes::new(bytes).to_string(), text, "{bytes}");
    }
    for (text, bytes) in [
        ("4096", 4_096),
        (" 64 MiB ", 64 << 20),
        ("64mib", 64 << 20),
        ("1.5GiB", 3 << 29),
        ("0.001 kB", 1),
        ("15 EiB", 15 << 60),
        ("18446744073709551615 B", u64::MAX),
    ] {
        assert_eq!(text.parse(), Ok(Bytes::new(bytes)), "{text}");
    }
    for (text, message) in [
        (
            "",
            "number of bytes must start with a digit such as `64 MiB`, got ``",
        ),
        (
            "-1 B",
            "number of bytes must start with a digit such as `64 MiB`, got `-1 B`",
        ),
        (
            "1.2.3 B",
            "number of bytes must start with a digit such as `64 MiB`, got `1.2.3 B`",
        ),
        (
            "3 MiBs",
            "unit `MiBs` is unknown; use B, KiB, MiB, GiB, TiB, PiB, EiB or kB, MB, GB, TB, PB, EB",
        ),
        (
            "0.1 KiB",
            "`0.1 KiB` is not a whole number of bytes; use a smaller unit",
        ),
        ("16 EiB", "`16 EiB` is more than 2^64 - 1 bytes"),
        (
            "99999999999999999999",
            "`99999999999999999999` is more than 2^64 - 1 bytes",
        ),
    ] {
        assert_eq!(
            text.parse::<Bytes>().unwrap_err().to_string(),
            message,
            "{text}"
        );
    }
}
