//! Invariants for random parameters.
#![expect(clippy::float_cmp, reason = "symmetry is compared in bits")]
#![expect(clippy::expect_used, reason = "helpers of tests")]

use bifrons_random::{Address, Categorical, Draws, Stream};
use bifrons_shocks::{
    Ar1, Component, Discretisation, Law, LogNormal, MarkovChain, Normal, NormalMixture,
    TransitionMatrix, Uniform,
};
use proptest::prelude::*;

/// The stationary distribution the slow way: many steps from the middle, averaged over two.
fn iterate(matrix: &TransitionMatrix) -> Vec<f64> {
    let n = matrix.row_count();
    let mut now = vec![1.0 / n as f64; n];
    let mut next = vec![0.0; n];
    for _ in 0..20_000 {
        matrix.step_into(&now, &mut next).expect("square");
        for (now, next) in now.iter_mut().zip(&next) {
            *now = 0.5 * (*now + next);
        }
    }
    now
}

fn check_rows(matrix: &TransitionMatrix) -> Result<(), TestCaseError> {
    for row in matrix.rows() {
        let sum: f64 = row.iter().sum();
        prop_assert!((sum - 1.0).abs() <= 1e-12, "row sum {sum}");
        prop_assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
    }
    Ok(())
}

fn check_symmetric(chain: &MarkovChain) -> Result<(), TestCaseError> {
    let n = chain.node_count();
    for i in 0..n {
        prop_assert_eq!(
            chain.nodes()[i].to_bits(),
            (0.0 - chain.nodes()[n - 1 - i]).to_bits()
        );
        for j in 0..n {
            prop_assert_eq!(
                chain.row(i)[j].to_bits(),
                chain.row(n - 1 - i)[n - 1 - j].to_bits()
            );
        }
    }
    Ok(())
}

fn check_weights(shock: &Discretisation) -> Result<(), TestCaseError> {
    let sum: f64 = shock.weights().iter().sum();
    prop_assert!((sum - 1.0).abs() <= 1e-12, "sum {sum}");
    prop_assert!(shock.nodes().windows(2).all(|pair| pair[0] < pair[1]));
    Ok(())
}

fn mixture() -> impl Strategy<Value = NormalMixture> {
    (
        0.01_f64..0.99,
        -1.0_f64..1.0,
        0.05_f64..1.0,
        -1.0_f64..1.0,
        0.05_f64..1.0,
    )
        .prop_map(|(p, m1, s1, m2, s2)| {
            let parts = [Component::new(p, m1, s1), Component::new(1.0 - p, m2, s2)];
            NormalMixture::new(&parts).expect("valid")
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn chains_of_normal_processes(
        persistence in -0.999_f64..0.999, log_sd in -12.0_f64..6.0, n in 1_usize..16,
        width in 0.5_f64..5.0,
    ) {
        let process = Ar1::gaussian(persistence, log_sd.exp()).unwrap();
        let chains = [
            process.tauchen(n, width).unwrap(),
            process.tauchen_gauss_hermite(n).unwrap(),
            process.rouwenhorst(n).unwrap(),
        ];
        for chain in &chains {
            check_rows(chain.matrix())?;
            check_symmetric(chain)?;
        }
        if n > 1 {
            // Rouwenhorst: mean, spread, autocorrelation are exact, the long run is binomial.
            let moments = chains[2].stationary_moments().unwrap();
            let sd = process.stationary_sd().unwrap();
            prop_assert!(moments.mean.abs() < 1e-13 * sd);
            prop_assert!((moments.standard_deviation / sd - 1.0).abs() < 1e-12, "{moments:?}");
            prop_assert!((moments.autocorrelation - persistence).abs() < 1e-12, "{moments:?}");
            let mut mass = 0.5_f64.powi(i32::try_from(n).unwrap() - 1);
            for (k, found) in chains[2].stationary().unwrap().iter().enumerate() {
                prop_assert!((found / mass - 1.0).abs() < 1e-11, "{found} {mass}");
                mass *= (n - 1 - k) as f64 / (k + 1) as f64;
            }
        }
    }

    #[test]
    fn the_mean_moves_nodes_but_not_the_kernel(
        persistence in -0.9_f64..0.9, intercept in -5.0_f64..5.0, n in 2_usize..9,
    ) {
        let centred = Ar1::gaussian(persistence, 0.3).unwrap();
        let moved = centred.with_intercept(intercept).unwrap();
        let mean = moved.stationary_mean().unwrap();
        for (a, b) in [
            (centred.tauchen(n, 3.0).unwrap(), moved.tauchen(n, 3.0).unwrap()),
            (centred.rouwenhorst(n).unwrap(), moved.rouwenhorst(n).unwrap()),
        ] {
            prop_assert_eq!(a.matrix(), b.matrix());
            for (a, b) in a.nodes().iter().zip(b.nodes()) {
                prop_assert_eq!(mean + a, *b);
            }
        }
        // A mean of the innovations is an intercept.
        let shifted = Ar1::new(persistence, Normal::new(intercept, 0.3).unwrap()).unwrap();
        let chain = shifted.tauchen(n, 3.0).unwrap();
        let plain = moved.tauchen(n, 3.0).unwrap();
        for (a, b) in chain.matrix().probabilities().iter().zip(plain.matrix().probabilities()) {
            prop_assert!((a - b).abs() < 1e-14 * (1.0 + intercept.abs()));
        }
    }

    #[test]
    fn chains_with_mixtures(law in mixture(), persistence in -0.95_f64..0.95, n in 1_usize..12) {
        let process = Ar1::new(persistence, law).unwrap();
        let chain = process.tauchen(n, 3.0).unwrap();
        check_rows(chain.matrix())?;
    }

    #[test]
    fn stationary_distributions_stay(
        n in 1_usize..9, weights in prop::collection::vec(0.0_f64..1.0, 81),
    ) {
        let rows: Vec<Vec<f64>> = weights.chunks(9).take(n).enumerate().map(|(i, row)| {
            // A positive step to the next state makes the chain irreducible.
            let mut row = row[..n].to_vec();
            row[(i + 1) % n] += 0.1;
            let sum: f64 = row.iter().sum();
            row.iter().map(|w| w / sum).collect()
        }).collect();
        let matrix = TransitionMatrix::from_rows(&rows).unwrap();
        let masses = matrix.stationary().unwrap();
        let mut next = vec![0.0; n];
        matrix.step_into(&masses, &mut next).unwrap();
        let slow = iterate(&matrix);
        for i in 0..n {
            prop_assert!((masses[i] - next[i]).abs() < 1e-15, "{masses:?} {next:?}");
            prop_assert!((masses[i] - slow[i]).abs() < 1e-12, "{masses:?} {slow:?}");
        }
        prop_assert!((masses.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn independent_shocks_are_laws(
        mean in -2.0_f64..2.0, sd in 1e-3_f64..2.0, n in 1_usize..30, width in 0.5_f64..6.0,
        law in mixture(),
    ) {
        let normal = Normal::new(mean, sd).unwrap();
        let log = LogNormal::new(mean, sd).unwrap();
        let uniform = Uniform::new(mean - sd, mean + sd).unwrap();
        for shock in [
            normal.gauss_hermite(n), normal.cdf_midpoint(n, width), normal.equal_probability(n),
            log.gauss_hermite(n), log.cdf_midpoint(n, width), log.equal_probability(n),
            uniform.equal_spacing(n), uniform.gauss_legendre(n), uniform.equal_probability(n),
            law.cdf_midpoint(n, width), law.equal_probability(n),
        ] {
            check_weights(&shock.unwrap())?;
        }
        // Where the discrete form has the exact mean.
        for (found, exact) in [
            (normal.equal_probability(n).unwrap().mean(), normal.mean()),
            (normal.cdf_midpoint(n, width).unwrap().mean(), normal.mean()),
            (uniform.gauss_legendre(n).unwrap().mean(), uniform.mean()),
            (log.equal_probability(n).unwrap().mean(), log.mean()),
            (law.equal_probability(n).unwrap().mean(), law.mean()),
        ] {
            prop_assert!((found - exact).abs() < 1e-13 * (1.0 + exact.abs()), "{found} {exact}");
        }
        if n > 1 {
            let variance = normal.gauss_hermite(n).unwrap().variance();
            prop_assert!((variance / (sd * sd) - 1.0).abs() < 1e-10, "{variance}");
        }
    }

    #[test]
    fn quantiles_invert_cdfs(law in mixture(), p in 1e-6_f64..0.999_999) {
        let normal = Normal::new(0.3, 0.7).unwrap();
        let log = LogNormal::new(0.3, 0.7).unwrap();
        let uniform = Uniform::new(-1.0, 4.0).unwrap();
        let laws: [&dyn Law; 4] = [&law, &normal, &log, &uniform];
        for law in laws {
            let x = law.quantile(p);
            prop_assert!((law.cdf(x) - p).abs() < 2e-15, "{p}: {x}");
            prop_assert!((law.upper(x) - (1.0 - p)).abs() < 2e-15, "{p}: {x}");
            prop_assert!((law.between(x, f64::INFINITY) + law.cdf(x) - 1.0).abs() < 1e-15);
        }
    }
}

#[test]
fn a_simulated_chain_spends_its_time_as_the_stationary_distribution() {
    let chain = Ar1::gaussian(0.6, 0.2)
        .expect("valid")
        .tauchen(5, 2.5)
        .expect("valid");
    let laws: Vec<Categorical> = chain
        .matrix()
        .rows()
        .map(|row| Categorical::new(row).expect("valid"))
        .collect();
    let draws = Draws::new(5, Stream::named("chain"));
    let steps = 100_000;
    let (mut state, mut counts) = (2, [0.0_f64; 5]);
    for step in 0..steps {
        state = laws[state].pick(draws.uniform(Address::new(0, step)));
        counts[state] += 1.0;
    }
    for (count, mass) in counts.iter().zip(chain.stationary().expect("irreducible")) {
        let share = count / steps as f64;
        // Five standard errors, doubled for the autocorrelation 0.6.
        let band = 10.0 * (mass * (1.0 - mass) / steps as f64).sqrt();
        assert!((share - mass).abs() < band, "{share} instead of {mass}");
    }
}
