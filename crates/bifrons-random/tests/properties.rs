//! Fills agree with single draws; laws have their moments and frequencies.
#![expect(clippy::float_cmp, reason = "bits are compared")]

use bifrons_random::{Address, Categorical, Draws, Stream, categorical, normal_quantile};
use proptest::prelude::*;
use rand_core::Rng;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_fill_is_many_draws(
        seed: u64, stream: u32, element: u64, step: u64, first in 0_u64..1 << 40, n in 0_usize..40,
    ) {
        let draws = Draws::new(seed, Stream::numbered(stream));
        let at = Address::new(element, step).component(first);
        let mut filled = [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        draws.fill_uniform(at, &mut filled[0]);
        draws.fill_normal(at, &mut filled[1]);
        draws.fill_gumbel(at, &mut filled[2]);
        let mut sequence = draws.sequence(at);
        for (i, component) in (first..).take(n).enumerate() {
            let at = at.component(component);
            prop_assert_eq!(filled[0][i].to_bits(), draws.uniform(at).to_bits());
            prop_assert_eq!(filled[1][i].to_bits(), draws.normal(at).to_bits());
            prop_assert_eq!(filled[2][i].to_bits(), draws.gumbel(at).to_bits());
            prop_assert_eq!(sequence.next_u64(), draws.bits(at));
        }
        let elements = [
            Draws::fill_uniform_elements as fn(&Draws, Address, &mut [f64]),
            Draws::fill_normal_elements,
            Draws::fill_gumbel_elements,
        ];
        for (fill, single) in elements.into_iter().zip([Draws::uniform, Draws::normal, Draws::gumbel]) {
            let mut filled = vec![0.0; n];
            fill(&draws, at, &mut filled);
            for (i, found) in (0_u64..).zip(&filled) {
                let at = Address { element: element.wrapping_add(i), ..at };
                prop_assert_eq!(found.to_bits(), single(&draws, at).to_bits());
            }
        }
    }

    #[test]
    fn the_normal_quantile_is_odd_and_rises(k in 1_u64..1 << 52, l in 1_u64..1 << 52) {
        let scale = 1.0 / 9_007_199_254_740_992.0;
        let (u, v) = (k as f64 * scale, l as f64 * scale);
        prop_assert_eq!(normal_quantile(u).to_bits(), (-normal_quantile(1.0 - u)).to_bits());
        if u < v {
            prop_assert!(normal_quantile(u) <= normal_quantile(v));
        }
    }

    #[test]
    fn bisection_and_scan_pick_the_same_possible_category(
        weights in prop::collection::vec(prop_oneof![Just(0.0), 1e-12_f64..1.0], 1..12), bits: u64,
    ) {
        let sum: f64 = weights.iter().sum();
        prop_assume!(sum > 0.0);
        let weights: Vec<f64> = weights.iter().map(|w| w / sum).collect();
        let law = Categorical::new(&weights).unwrap();
        prop_assert_eq!(law.category_count(), weights.len());
        for u in [0.0, bifrons_random::uniform(bits), 1.0 - f64::EPSILON / 2.0, 1.0, 2.0, f64::NAN, -1.0] {
            let picked = law.pick(u);
            prop_assert_eq!(Some(picked), categorical(&weights, u));
            prop_assert!(weights[picked] > 0.0);
            // By definition: the sums below are not above u, unless the law ended before.
            let below: f64 = weights[..picked].iter().sum();
            prop_assert!(u.is_nan() || u < 0.0 || below <= u);
        }
    }
}

/// Chi-squared statistic of counts against probabilities.
fn chi_squared(counts: &[f64], probabilities: &[f64]) -> f64 {
    let n: f64 = counts.iter().sum();
    counts
        .iter()
        .zip(probabilities)
        .map(|(c, p)| (c - n * p).powi(2) / (n * p))
        .sum()
}

#[test]
fn categorical_frequencies() {
    let weights = [0.05, 0.25, 0.0, 0.4, 0.3];
    let law = Categorical::new(&weights).unwrap();
    let draws = Draws::new(11, Stream::named("health"));
    let mut counts = [0.0; 5];
    for element in 0..50_000 {
        counts[law.pick(draws.uniform(Address::new(element, 9)))] += 1.0;
    }
    assert_eq!(counts[2], 0.0, "an impossible category was drawn");
    let positive = |x: [f64; 5]| [x[0], x[1], x[3], x[4]];
    let statistic = chi_squared(&positive(counts), &positive(weights));
    assert!(
        statistic < 16.3,
        "chi squared of 3 degrees is {statistic} (16.3 is 0.1 %)"
    );
}

#[test]
fn uniforms_fill_the_bins_along_every_axis() {
    let draws = Draws::new(3, Stream::named("axis"));
    let axes: [fn(u64) -> Address; 3] = [
        |i| Address::new(i, 17),
        |i| Address::new(17, i),
        |i| Address::new(17, 17).component(i),
    ];
    for (axis, address) in axes.into_iter().enumerate() {
        let mut bins = [0.0; 64];
        let mut pairs = [0.0; 64];
        let mut before = 0_usize;
        for i in 0..64_000 {
            let top = (draws.bits(address(i)) >> 58) as usize;
            bins[top] += 1.0;
            pairs[before * 8 + (top >> 3)] += 1.0;
            before = top >> 3;
        }
        // 63 degrees of freedom: 0.1 % lies above 103.4.
        let even = [1.0 / 64.0; 64];
        assert!(chi_squared(&bins, &even) < 103.4, "bins along axis {axis}");
        assert!(
            chi_squared(&pairs, &even) < 103.4,
            "pairs along axis {axis}"
        );
    }
}

#[test]
fn every_bit_is_fair() {
    let draws = Draws::new(5, Stream::named("bits"));
    let mut ones = [0_i64; 64];
    for element in 0..20_000 {
        let bits = draws.bits(Address::new(element, 0));
        for (bit, count) in ones.iter_mut().enumerate() {
            *count += i64::from(bits >> bit & 1 == 1);
        }
    }
    for (bit, count) in ones.iter().enumerate() {
        // Standard deviation 70.7; five of them.
        assert!(
            (count - 10_000).abs() < 354,
            "bit {bit} is one {count} times of 20000"
        );
    }
}

#[test]
fn moments_of_normal_and_gumbel() {
    let draws = Draws::new(2, Stream::named("moments"));
    let n = 200_000;
    let mut z = vec![0.0; n];
    draws.fill_normal_elements(Address::new(0, 1), &mut z);
    let moment = |z: &[f64], k| z.iter().map(|z: &f64| z.powi(k)).sum::<f64>() / z.len() as f64;
    // Five standard errors of each moment.
    let root = (n as f64).sqrt();
    for (k, exact, sd) in [(1, 0.0, 1.0), (2, 1.0, 1.42), (3, 0.0, 3.88), (4, 3.0, 9.8)] {
        let found = moment(&z, k);
        assert!(
            (found - exact).abs() < 5.0 * sd / root,
            "normal moment {k} is {found}"
        );
    }
    draws.fill_gumbel_elements(Address::new(0, 2), &mut z);
    let (mean, variance) = (moment(&z, 1), moment(&z, 2));
    let exact = std::f64::consts::PI.powi(2) / 6.0;
    assert!(mean.abs() < 5.0 * 1.283 / root, "Gumbel mean is {mean}");
    assert!(
        (variance - exact).abs() < 5.0 * 3.6 / root,
        "Gumbel variance is {variance}"
    );
}
