//! Weighted sums over slices, compiled for the instruction set of the machine.

use bifrons_lanes::{Kernel, Level};

use super::Gradient;

/// Multiplies marginals by the derivative of resources.
pub(crate) fn scale(marginal: &mut [f64], gradient: Gradient<'_>) {
    match gradient {
        Gradient::Constant(1.0) => {}
        _ => Level::detect().dispatch(Scale { marginal, gradient }),
    }
}

struct Scale<'a> {
    marginal: &'a mut [f64],
    gradient: Gradient<'a>,
}

impl Kernel for Scale<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        match self.gradient {
            Gradient::Constant(factor) => {
                for slot in self.marginal {
                    *slot *= factor;
                }
            }
            Gradient::PerNode(factors) => {
                for (slot, &factor) in self.marginal.iter_mut().zip(factors) {
                    *slot *= factor;
                }
            }
        }
    }
}

/// Marginal of the aggregate: probabilities times marginals, into the first slice.
pub(super) fn mix(probabilities: &[f64], marginals: &mut [f64], n: usize, choices: usize) {
    Level::detect().dispatch(Mix {
        probabilities,
        marginals,
        n,
        choices,
    });
}

struct Mix<'a> {
    probabilities: &'a [f64],
    marginals: &'a mut [f64],
    n: usize,
    choices: usize,
}

/// A choice that is not taken may have no marginal.
#[inline(always)]
fn share(probability: f64, marginal: f64) -> f64 {
    if probability == 0.0 {
        0.0
    } else {
        probability * marginal
    }
}

impl Kernel for Mix<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (first, others) = self.marginals.split_at_mut(self.n);
        let (own, rest) = self.probabilities.split_at(self.n);
        for (slot, &p) in first.iter_mut().zip(own) {
            // Adding to zero, as every other term: a negative zero becomes zero.
            *slot = 0.0 + share(p, *slot);
        }
        for k in 1..self.choices {
            let from = (k - 1) * self.n;
            let terms = rest[from..from + self.n]
                .iter()
                .zip(&others[from..from + self.n]);
            for (slot, (&p, &marginal)) in first.iter_mut().zip(terms) {
                *slot += share(p, marginal);
            }
        }
    }
}

/// Adds `weight · terms`.
pub(super) fn fold(sum: &mut [f64], weight: f64, terms: &[f64]) {
    Level::detect().dispatch(Fold { sum, weight, terms });
}

struct Fold<'a> {
    sum: &'a mut [f64],
    weight: f64,
    terms: &'a [f64],
}

impl Kernel for Fold<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (slot, &term) in self.sum.iter_mut().zip(self.terms) {
            *slot += self.weight * term;
        }
    }
}
