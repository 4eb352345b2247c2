//! All numbers of the reference file, family by family.
#![expect(clippy::unwrap_used, reason = "the reference files are ours")]

use std::collections::BTreeMap;

use bifrons_shocks::{
    Ar1, Component, Discretisation, LogNormal, MarkovChain, Normal, NormalMixture, ShockError,
    Uniform,
};
use serde_json::Value;

/// Worst error of nodes (relative to the largest node) and of probabilities (absolute).
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    cases: usize,
    nodes: f64,
    probabilities: f64,
}

struct Case<'a>(&'a Value);

impl Case<'_> {
    fn number(&self, name: &str) -> f64 {
        self.0[name].as_f64().unwrap()
    }

    fn count(&self) -> usize {
        usize::try_from(self.0["n"].as_u64().unwrap()).unwrap()
    }

    fn kind(&self) -> &str {
        self.0["kind"].as_str().unwrap()
    }

    fn list(&self, name: &str) -> Vec<f64> {
        numbers(&self.0[name])
    }

    /// Probabilities row by row.
    fn table(&self) -> Vec<f64> {
        self.0["P"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(numbers)
            .collect()
    }

    fn gaussian(&self) -> Result<Ar1, ShockError> {
        Ar1::gaussian(self.number("rho"), self.number("sigma"))?.with_intercept(self.number("mu"))
    }

    fn mixture(&self) -> Result<NormalMixture, ShockError> {
        let p = self.number("p1");
        NormalMixture::new(&[
            Component::new(p, self.number("mu1"), self.number("sigma1")),
            Component::new(1.0 - p, self.number("mu2"), self.number("sigma2")),
        ])
    }

    fn chain(&self) -> Result<MarkovChain, ShockError> {
        match self.kind() {
            "tauchen" => self.gaussian()?.tauchen(self.count(), self.number("n_std")),
            "tauchen_gauss_hermite" => self.gaussian()?.tauchen_gauss_hermite(self.count()),
            "rouwenhorst" => self.gaussian()?.rouwenhorst(self.count()),
            _ => Ar1::new(self.number("rho"), self.mixture()?)?
                .with_intercept(self.number("mu"))?
                .tauchen(self.count(), self.number("n_std")),
        }
    }

    fn shock(&self) -> Result<Discretisation, ShockError> {
        let n = self.count();
        let two = |a, b| (self.number(a), self.number(b));
        match self.kind() {
            "gauss_hermite_normal" => {
                let (mu, sigma) = two("mu", "sigma");
                Normal::new(mu, sigma)?.gauss_hermite(n)
            }
            "gauss_hermite_lognormal" => {
                let (mu, sigma) = two("mu", "sigma");
                LogNormal::new(mu, sigma)?.gauss_hermite(n)
            }
            "normal_cdf_bins" => {
                let (mu, sigma) = two("mu", "sigma");
                Normal::new(mu, sigma)?.cdf_midpoint(n, self.number("n_std"))
            }
            "lognormal_cdf_bins" => {
                let (mu, sigma) = two("mu", "sigma");
                LogNormal::new(mu, sigma)?.cdf_midpoint(n, self.number("n_std"))
            }
            "normal_mixture_iid_cdf_bins" => self.mixture()?.cdf_midpoint(n, self.number("n_std")),
            _ => {
                let (start, stop) = two("start", "stop");
                Uniform::new(start, stop)?.equal_spacing(n)
            }
        }
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

fn distance(found: &[f64], exact: &[f64]) -> f64 {
    assert_eq!(found.len(), exact.len(), "number of values");
    found
        .iter()
        .zip(exact)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

/// Nodes, probabilities and the exact probabilities of a case.
fn solve(case: &Case<'_>) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    if case.0.get("P").is_none() {
        let shock = case.shock().unwrap();
        return (
            shock.nodes().to_vec(),
            shock.weights().to_vec(),
            case.list("weights"),
        );
    }
    let chain = case.chain().unwrap();
    if case.0.get("stationary").is_some() {
        let error = distance(&chain.stationary().unwrap(), &case.list("stationary"));
        assert!(error <= 1e-14, "{}: stationary off by {error:e}", case.0);
    }
    (
        chain.nodes().to_vec(),
        chain.matrix().probabilities().to_vec(),
        case.table(),
    )
}

#[test]
fn every_reference_number_is_reproduced() {
    let file: Value =
        serde_json::from_str(include_str!("reference/process_discretisations.json")).unwrap();
    let mut worst: BTreeMap<String, Worst> = BTreeMap::new();
    for case in file["cases"].as_array().unwrap().iter().map(Case) {
        let exact_nodes = case.list("nodes");
        let (nodes, probabilities, exact) = solve(&case);
        let largest = exact_nodes
            .iter()
            .fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
        let family = worst.entry(case.kind().to_owned()).or_default();
        family.cases += 1;
        family.nodes = family.nodes.max(distance(&nodes, &exact_nodes) / largest);
        family.probabilities = family.probabilities.max(distance(&probabilities, &exact));
        // Every node to a relative 1e-14 of itself, too, unless it is a cancelled middle.
        for (found, exact) in nodes.iter().zip(&exact_nodes) {
            let slack = 1e-14 * exact.abs() + 1e-15 * largest;
            assert!(
                (found - exact).abs() <= slack,
                "{}: node {found}, not {exact}",
                case.0
            );
        }
    }
    let mut cases = 0;
    for (family, worst) in &worst {
        println!("{family}: {worst:?}");
        assert!(
            worst.nodes <= 2e-15,
            "{family}: nodes off by {:e}",
            worst.nodes
        );
        assert!(
            worst.probabilities <= 1e-15,
            "{family}: {:e}",
            worst.probabilities
        );
        cases += worst.cases;
    }
    assert_eq!((worst.len(), cases), (10, 40), "families and cases");
}

#[test]
fn small_probabilities_keep_their_relative_accuracy() {
    // dp-10 A: the corner of Tauchen's matrix, where 1 - cdf has no digit left.
    let chain = Ar1::gaussian(0.9, 0.1).unwrap().tauchen(3, 3.0).unwrap();
    let corner = chain.row(0)[2];
    assert!(
        (corner / 2.831_864_936_040_53e-22 - 1.0).abs() < 1e-12,
        "{corner:e}"
    );
}
