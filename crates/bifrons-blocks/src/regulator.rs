//! Controllers, derivative filters and delays in continuous time.

use bifrons_hybrid::{Block, BlockError, BlockSpec, Component};

use crate::check::{finite, limited, shape, symbol};
use crate::linear::TransferFunction;
use crate::mechanism::positive;

/// A derivative behind a filter.
///
/// ```text
/// dx/dtime = (u - x) / tf      x(t0) = initial      y = (u - x) / tf
/// ```
///
/// The transfer function is `s / (tf s + 1)`. Input `u`; output `y`, with feedthrough; state `x`;
/// parameters `tf` (time constant) and `initial` (input before the start).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Derivative {
    filter: f64,
    initial: f64,
}

impl Derivative {
    /// The time constant of the filter, which is positive; the input before the start is 0.
    #[must_use]
    pub fn new(filter: f64) -> Self {
        Self {
            filter,
            initial: 0.0,
        }
    }

    /// Sets the input before the start.
    #[must_use]
    pub fn initial(mut self, initial: f64) -> Self {
        self.initial = initial;
        self
    }
}

impl Block for Derivative {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Derivative";
        let slope = (symbol("u") - symbol("x")) / symbol("tf");
        Ok(BlockSpec::builder(KIND)
            .input("u")
            .parameter("tf", positive(KIND, "tf", self.filter)?)
            .parameter("initial", finite(KIND, "initial", self.initial)?)
            .state("x", &slope, symbol("initial"))
            .output("y", slope)
            .build()?
            .into())
    }
}

/// A PID controller with two degrees of freedom, filtered derivative, limits and anti-windup.
///
/// ```text
/// v = kp (b r - y) + i + kd (c r - y - z) / tf      u = min(max(v, lower), upper)
/// di/dtime = ki (r - y) + kt (u - v)                i(t0) = 0      back-calculation
/// dz/dtime = (c r - y - z) / tf                     z(t0) = 0
/// ```
///
/// Inputs `r` (set point) and `y` (measurement); output `u`, with feedthrough; states `i`, `z`;
/// parameters `kp`, `ki`, `kd`, `tf` (filter time), `b` (1) and `c` (0) weights of the set point, `kt`
/// (tracking gain), `lower`, `upper` (where finite). Without limits the transfer function from `r - y` is
/// `kp + ki/s + kd s/(tf s + 1)` for `b = c = 1`.
///
/// Åström, K. J., Hägglund, T. (2006): Advanced PID control, sections 3.4 and 3.5.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pid {
    gains: [f64; 3],
    filter: f64,
    weights: (f64, f64),
    tracking: f64,
    limits: (f64, f64),
}

impl Pid {
    /// Proportional, integral and derivative gain and the time constant of the derivative's
    /// filter, which is positive; no limits.
    #[must_use]
    pub fn new(kp: f64, ki: f64, kd: f64, filter: f64) -> Self {
        Self {
            gains: [kp, ki, kd],
            filter,
            weights: (1.0, 0.0),
            tracking: 0.0,
            limits: (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Sets the weights of the set point in the proportional and the derivative part.
    #[must_use]
    pub fn weights(mut self, b: f64, c: f64) -> Self {
        self.weights = (b, c);
        self
    }

    /// Sets limits of the output and the gain with which the integral follows them.
    #[must_use]
    pub fn limits(mut self, lower: f64, upper: f64, tracking: f64) -> Self {
        self.limits = (lower, upper);
        self.tracking = tracking;
        self
    }
}

impl Block for Pid {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Pid";
        let (r, y) = (symbol("r"), symbol("y"));
        let slope = (symbol("c") * &r - &y - symbol("z")) / symbol("tf");
        let raw = symbol("kp") * (symbol("b") * &r - &y) + symbol("i") + symbol("kd") * &slope;
        let mut block = BlockSpec::builder(KIND).input("r").input("y");
        for (name, value) in ["kp", "ki", "kd"].into_iter().zip(self.gains) {
            block = block.parameter(name, finite(KIND, name, value)?);
        }
        let (block, u) = limited(block, KIND, &symbol("v"), self.limits)?;
        let sum = symbol("ki") * (r - y) + symbol("kt") * (&u - symbol("v"));
        Ok(block
            .parameter("tf", positive(KIND, "tf", self.filter)?)
            .parameter("b", finite(KIND, "b", self.weights.0)?)
            .parameter("c", finite(KIND, "c", self.weights.1)?)
            .parameter("kt", finite(KIND, "kt", self.tracking)?)
            .definition("v", raw)
            .state("i", sum, 0.0)
            .state("z", slope, 0.0)
            .output("u", u)
            .build()?
            .into())
    }
}

/// A transfer function by its zeros and poles.
///
/// ```text
/// Y(s) = gain · Π (s - zeroᵢ) / Π (s - poleᵢ) · U(s)
/// ```
///
/// The products are multiplied out and become a [`TransferFunction`], whose ports, states and limits
/// on the order it has.
#[derive(Debug, Clone, PartialEq)]
pub struct ZeroPole {
    zeros: Vec<(f64, f64)>,
    poles: Vec<(f64, f64)>,
    gain: f64,
}

impl ZeroPole {
    /// Real and imaginary parts of zeros and poles: a number that is not real stands for itself and
    /// its conjugate, which is not listed.
    #[must_use]
    pub fn new(
        zeros: impl Into<Vec<(f64, f64)>>,
        poles: impl Into<Vec<(f64, f64)>>,
        gain: f64,
    ) -> Self {
        Self {
            zeros: zeros.into(),
            poles: poles.into(),
            gain,
        }
    }
}

impl Block for ZeroPole {
    fn into_component(self) -> Result<Component, BlockError> {
        let gain = finite("ZeroPole", "gain", self.gain)?;
        let mut numerator = from_roots(&self.zeros);
        numerator.iter_mut().for_each(|value| *value *= gain);
        TransferFunction::new(numerator, from_roots(&self.poles)).into_component()
    }
}

/// Coefficients by descending power of the polynomial with these roots.
pub(crate) fn from_roots(roots: &[(f64, f64)]) -> Vec<f64> {
    let mut polynomial = vec![1.0];
    for (re, im) in roots {
        polynomial = if im.abs() > 0.0 {
            multiply(&polynomial, &[1.0, -2.0 * re, re * re + im * im])
        } else {
            multiply(&polynomial, &[1.0, -re])
        };
    }
    polynomial
}

fn multiply(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; a.len() + b.len() - 1];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            product[i + j] += a * b;
        }
    }
    product
}

/// A delay by Padé's approximation.
///
/// ```text
/// exp(-τ s) ≈ Σ c_k (-τ s)^k / Σ c_k (τ s)^k      c_k = (2n-k)! n! / ((2n)! k! (n-k)!)
/// ```
///
/// An all-pass of order `n`: every sine keeps its amplitude, and its phase is right to
/// `O((ω τ)^(2n+1))`. Steps are answered with oscillations before the delay has passed; for an exact
/// delay of a sampled signal see [`SampledDelay`](crate::SampledDelay). Ports and states are
/// those of a [`TransferFunction`].
///
/// Golub, G. H., Van Loan, C. F. (2013): Matrix computations, 4th edition, section 9.3.1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PadeDelay {
    delay: f64,
    order: usize,
}

impl PadeDelay {
    /// A delay τ, positive, of order 1 to 6.
    #[must_use]
    pub fn new(delay: f64, order: usize) -> Self {
        Self { delay, order }
    }
}

impl Block for PadeDelay {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "PadeDelay";
        let n = self.order;
        if !(1..=6).contains(&n) {
            return Err(shape(KIND, "order", "a value from 1 to 6", n.to_string()));
        }
        let tau = positive(KIND, "delay", self.delay)?;
        // c_k τ^k from c_(k-1) τ^(k-1).
        let mut denominator = vec![1.0];
        let mut last = 1.0;
        for k in 1..=n {
            last *= tau * (n + 1 - k) as f64 / ((2 * n + 1 - k) * k) as f64;
            denominator.push(last);
        }
        let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        let terms = denominator.iter().enumerate();
        let mut numerator: Vec<f64> = terms.map(|(k, c)| sign(k) * c).collect();
        numerator.reverse();
        denominator.reverse();
        TransferFunction::new(numerator, denominator).into_component()
    }
}
