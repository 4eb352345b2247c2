//! Published vectors of the generator, and numbers of NumPy and of long arithmetic.
#![expect(clippy::float_cmp, reason = "bits are compared")]
#![expect(clippy::unwrap_used, reason = "the reference files are ours")]

use bifrons_random::{
    Address, Draws, Philox, Stream, gumbel_quantile, normal_quantile, normal_upper_quantile,
    philox4x64, uniform,
};
use rand_core::{Rng, SeedableRng};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<u64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_u64().unwrap())
        .collect()
}

fn words<const N: usize>(value: &Value) -> [u64; N] {
    numbers(value).try_into().unwrap()
}

fn numpy() -> Value {
    serde_json::from_str(include_str!("reference/numpy_philox.json")).unwrap()
}

#[test]
fn random123_vectors() {
    let ones = u64::MAX;
    let cases = [
        (
            [0, 0],
            [0; 4],
            [
                0x1655_4d9e_ca36_314c,
                0xdb20_fe9d_672d_0fdc,
                0xd7e7_72ce_e186_176b,
                0x7e68_b68a_ec7b_a23b,
            ],
        ),
        (
            [ones; 2],
            [ones; 4],
            [
                0x87b0_92c3_013f_e90b,
                0x438c_3c67_be8d_0224,
                0x9cc7_d7c6_9cd7_77b6,
                0xa09c_aebf_594f_0ba0,
            ],
        ),
        (
            [0x4528_21e6_38d0_1377, 0xbe54_66cf_34e9_0c6c],
            [
                0x243f_6a88_85a3_08d3,
                0x1319_8a2e_0370_7344,
                0xa409_3822_299f_31d0,
                0x082e_fa98_ec4e_6c89,
            ],
            [
                0xa528_f454_03e6_1d95,
                0x38c7_2dbd_566e_9788,
                0xa5a1_610e_72fd_18b5,
                0x57bd_43b5_e52b_7fe6,
            ],
        ),
    ];
    for (key, counter, block) in cases {
        assert_eq!(
            philox4x64(key, counter),
            block,
            "key {key:x?}, counter {counter:x?}"
        );
    }
}

#[test]
fn draws_are_those_of_numpy() {
    for case in numpy()["addresses"].as_array().unwrap() {
        let number = |name: &str| case[name].as_u64().unwrap();
        // Any stream number is reachable through its serialised form; here through the sequence.
        let key = [number("seed"), number("stream")];
        let at = [0, number("step"), number("element"), 0];
        let mut sequence = Philox::new(key, at);
        let raw = numbers(&case["raw"]);
        for (i, &expected) in raw.iter().enumerate() {
            assert_eq!(sequence.next_u64(), expected, "number {i} of {case}");
        }
        if let Ok(small) = u32::try_from(number("stream")) {
            let draws = Draws::new(number("seed"), Stream::numbered(small));
            let at = Address::new(number("element"), number("step"));
            for (component, &expected) in (0..).zip(&raw) {
                assert_eq!(
                    draws.bits(at.component(component)),
                    expected,
                    "{component} of {case}"
                );
            }
            let mut block = vec![0; raw.len()];
            draws.fill_bits(at, &mut block);
            assert_eq!(block, raw, "block of {case}");
        }
    }
}

#[test]
fn sequences_are_those_of_numpy() {
    for case in numpy()["sequences"].as_array().unwrap() {
        let start = || Philox::new(words(&case["key"]), words(&case["counter"]));
        let mut generator = start();
        for (i, expected) in numbers(&case["raw"]).into_iter().enumerate() {
            assert_eq!(generator.next_u64(), expected, "number {i} of {case}");
        }
        let mut generator = start();
        for expected in numbers(&case["words32"]) {
            assert_eq!(
                u64::from(generator.next_u32()),
                expected,
                "32 bits of {case}"
            );
        }
        assert_eq!(
            generator.next_u64(),
            case["then64"].as_u64().unwrap(),
            "64 after 32: {case}"
        );
        let mut far = start().jumped();
        for expected in numbers(&case["jumped"]) {
            assert_eq!(far.next_u64(), expected, "jumped: {case}");
        }
    }
    let mut generator = Philox::seed_from_u64(42);
    for expected in numbers(&numpy()["random_key_42_bits"]) {
        let theirs = f64::from_bits(expected);
        let ours = uniform(generator.next_u64());
        assert!(
            (ours - theirs).abs() <= f64::EPSILON / 2.0,
            "{ours} and {theirs}"
        );
    }
}

#[test]
fn skipping_is_calling() {
    for before in 0..9 {
        for count in 0..30 {
            let mut called = Philox::new([1, 2], [u64::MAX - 1, u64::MAX, 3, 4]);
            for _ in 0..before {
                called.next_u64();
            }
            let mut skipped = called.clone();
            skipped.skip(count);
            for _ in 0..count {
                called.next_u64();
            }
            for _ in 0..6 {
                assert_eq!(
                    skipped.next_u64(),
                    called.next_u64(),
                    "{before} then {count}"
                );
            }
        }
    }
}

#[test]
fn bytes_are_little_endian_words() {
    let mut generator = Philox::from_seed([7; 32]);
    let (first, second) = (generator.next_u64(), generator.next_u64());
    let mut bytes = [0; 11];
    Philox::from_seed([7; 32]).fill_bytes(&mut bytes);
    assert_eq!(bytes[..8], first.to_le_bytes(), "first word");
    assert_eq!(
        bytes[8..],
        second.to_le_bytes()[..3],
        "part of the second word"
    );
    let seven = 0x0707_0707_0707_0707;
    let mut same = Philox::new([seven; 2], [0, 0, seven, seven]);
    assert_eq!(same.next_u64(), first, "the seed is key and upper counter");
}

#[test]
fn names_are_hashed_as_published() {
    // FNV-1a of "a" and "foobar", with the top bit set.
    assert_eq!(Stream::named("").id(), 0xcbf2_9ce4_8422_2325, "empty name");
    assert_eq!(Stream::named("a").id(), 0xaf63_dc4c_8601_ec8c, "a");
    assert_eq!(
        Stream::named("foobar").id(),
        0x8594_4171_f739_67e8,
        "foobar"
    );
}

fn relative(found: f64, exact: f64) -> f64 {
    if found == exact {
        0.0
    } else {
        ((found - exact) / exact).abs()
    }
}

#[test]
fn quantiles_agree_with_long_arithmetic() {
    let reference: Value = serde_json::from_str(include_str!("reference/quantiles.json")).unwrap();
    let mut worst = [0.0_f64; 2];
    for pair in reference["normal"].as_array().unwrap() {
        let [p, exact] = words(pair).map(f64::from_bits);
        let error = relative(normal_quantile(p), exact);
        assert!(error < 1e-15, "normal quantile of {p:e}: error {error:e}");
        assert_eq!(
            normal_upper_quantile(p),
            -normal_quantile(p),
            "upper quantile of {p}"
        );
        worst[0] = worst[0].max(error);
    }
    for pair in reference["gumbel"].as_array().unwrap() {
        let [p, exact] = words(pair).map(f64::from_bits);
        let error = (gumbel_quantile(p) - exact).abs() / exact.abs().max(1.0);
        assert!(error < 4e-16, "Gumbel quantile of {p:e}: error {error:e}");
        worst[1] = worst[1].max(error);
    }
    println!(
        "worst errors: normal {:e} (relative), Gumbel {:e}",
        worst[0], worst[1]
    );
}

#[test]
fn edges_of_the_quantiles() {
    assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY, "no mass below");
    assert_eq!(normal_quantile(1.0), f64::INFINITY, "all mass below");
    assert_eq!(gumbel_quantile(0.0), f64::NEG_INFINITY, "no mass below");
    assert_eq!(gumbel_quantile(1.0), f64::INFINITY, "all mass below");
    for p in [-0.1, 1.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(normal_quantile(p).is_nan(), "normal quantile of {p}");
        assert!(gumbel_quantile(p).is_nan(), "Gumbel quantile of {p}");
    }
    // The extreme uniform numbers give finite variates.
    for bits in [0, u64::MAX] {
        let u = uniform(bits);
        assert!(u > 0.0 && u < 1.0, "{u}");
        assert!(normal_quantile(u).abs() < 8.3, "{u}");
        assert!(gumbel_quantile(u).abs() < 36.8, "{u}");
    }
}
