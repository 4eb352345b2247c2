//! Discrete linear systems and the discrete PID controller.

use bifrons_expr::Expr;
use bifrons_hybrid::{Block, BlockError, BlockSpec, Component};

use crate::check::{finite, limited, refuse, shape, symbol};
use crate::maths::numbered;
use crate::rate::Rate;

/// A rational transfer function in `z`: a filter of any order.
///
/// ```text
/// Y/U = (b0 + b1 z⁻¹ + … + bm z⁻ᵐ) / (a0 + a1 z⁻¹ + … + an z⁻ⁿ)
/// a0 y[k] = Σ b_i u[k-i] - Σ a_j y[k-j]
/// ```
///
/// Realised in transposed direct form II with zero start. Input `u`; output `y`, held between
/// ticks; parameters `b0` … and `a1` …, divided by `a0`. Only `a0` makes it a filter of finite
/// response.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscreteTransferFunction {
    rate: Rate,
    numerator: Vec<f64>,
    denominator: Vec<f64>,
}

impl DiscreteTransferFunction {
    /// Coefficients of ascending powers of `z⁻¹`; the first of the denominator must not be zero.
    #[must_use]
    pub fn new(
        rate: Rate,
        numerator: impl Into<Vec<f64>>,
        denominator: impl Into<Vec<f64>>,
    ) -> Self {
        Self {
            rate,
            numerator: numerator.into(),
            denominator: denominator.into(),
        }
    }
}

impl Block for DiscreteTransferFunction {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "DiscreteTransferFunction";
        let Some(&lead) = self.denominator.first() else {
            return Err(shape(
                KIND,
                "denominator",
                "at least 1 coefficient",
                "0".to_owned(),
            ));
        };
        if self.numerator.is_empty() {
            return Err(shape(
                KIND,
                "numerator",
                "at least 1 coefficient",
                "0".to_owned(),
            ));
        }
        if lead == 0.0 || !lead.is_finite() {
            return Err(refuse(
                KIND,
                "denominator",
                lead,
                "must not be zero at the front",
            ));
        }
        let order = self.numerator.len().max(self.denominator.len()) - 1;
        let mut block = BlockSpec::builder(KIND)
            .clock(self.rate.clock(KIND)?)
            .input("u");
        for (i, b) in self.numerator.iter().enumerate() {
            block = block.parameter(format!("b{i}"), finite(KIND, "numerator", b / lead)?);
        }
        for (j, a) in self.denominator.iter().enumerate().skip(1) {
            block = block.parameter(format!("a{j}"), finite(KIND, "denominator", a / lead)?);
        }
        let register = |i: usize| {
            if i < order {
                symbol(&format!("s{i}"))
            } else {
                Expr::constant(0.0)
            }
        };
        for i in 0..order {
            let mut next = register(i + 1);
            if i + 1 < self.numerator.len() {
                next += symbol(&format!("b{}", i + 1)) * symbol("u");
            }
            if i + 1 < self.denominator.len() {
                next -= symbol(&format!("a{}", i + 1)) * symbol("held");
            }
            let name = format!("s{i}");
            block = block.discrete(&name, 0.0).update("tick", name, next);
        }
        let now = symbol("b0") * symbol("u") + register(0);
        let block = block.sample("held", "tick", now, 0.0);
        Ok(block.output("y", symbol("held")).build()?.into())
    }
}

/// A linear system in discrete time.
///
/// ```text
/// x[k+1] = A x[k] + B u[k]      x[0] = x0      A: n × n   B: n × m
/// y[k]   = C x[k] + D u[k]                     C: p × n   D: p × m
/// ```
///
/// Inputs `u1` …, outputs `y1` …, held between ticks. The matrices are fixed; see
/// [`zoh`](crate::zoh) for those of a sampled continuous system.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscreteStateSpace {
    rate: Rate,
    /// States, inputs, outputs.
    sizes: [usize; 3],
    matrices: [Vec<f64>; 4],
    start: Option<Vec<f64>>,
}

impl DiscreteStateSpace {
    /// Matrices `[A, B, C, D]` row by row for `[n, m, p]` states, inputs and outputs; zero start.
    #[must_use]
    pub fn from_rows(rate: Rate, sizes: [usize; 3], matrices: [&[f64]; 4]) -> Self {
        Self {
            rate,
            sizes,
            matrices: matrices.map(<[f64]>::to_vec),
            start: None,
        }
    }

    /// Sets the start values of the states.
    #[must_use]
    pub fn start(mut self, start: impl Into<Vec<f64>>) -> Self {
        self.start = Some(start.into());
        self
    }
}

impl Block for DiscreteStateSpace {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "DiscreteStateSpace";
        let [n, m, p] = self.sizes;
        let [a, b, c, d] = &self.matrices;
        let start = self.start.unwrap_or_else(|| vec![0.0; n]);
        for (setting, found, required) in [
            ("A", a.len(), n * n),
            ("B", b.len(), n * m),
            ("C", c.len(), p * n),
            ("D", d.len(), p * m),
            ("start", start.len(), n),
        ] {
            if found != required {
                let required = format!("{required} entries");
                return Err(shape(KIND, setting, &required, format!("{found} entries")));
            }
        }
        for value in self.matrices.iter().flatten().chain(&start) {
            finite(KIND, "entry", *value)?;
        }
        let mut block = BlockSpec::builder(KIND).clock(self.rate.clock(KIND)?);
        for i in 0..m {
            block = block.input(numbered("u", i));
        }
        let row = |x: &[f64], u: &[f64]| {
            let states = x.iter().enumerate().map(|(i, v)| (numbered("x", i), *v));
            let inputs = u.iter().enumerate().map(|(i, v)| (numbered("u", i), *v));
            let terms = states.chain(inputs).filter(|(_, value)| *value != 0.0);
            terms
                .map(|(name, value)| value * symbol(&name))
                .reduce(|sum, term| sum + term)
                .unwrap_or_else(|| Expr::constant(0.0))
        };
        for i in 0..n {
            let next = row(&a[i * n..][..n], &b[i * m..][..m]);
            let name = numbered("x", i);
            block = block.discrete(&name, start[i]).update("tick", name, next);
        }
        for i in 0..p {
            let now = row(&c[i * n..][..n], &d[i * m..][..m]);
            block = block.sample(numbered("held", i), "tick", now, 0.0);
        }
        for i in 0..p {
            block = block.output(numbered("y", i), symbol(&numbered("held", i)));
        }
        Ok(block.build()?.into())
    }
}

/// A PID controller in discrete time with period `h`, limits and anti-windup.
///
/// ```text
/// P = kp (b r[k] - y[k])
/// D[k] = (tf D[k-1] - kd (y[k] - y[k-1])) / (tf + h)        derivative of the measurement, filtered
/// v = P + I[k] + D[k]      u[k] = min(max(v, lower), upper)
/// I[k+1] = I[k] + h (ki (r[k] - y[k]) + kt (u[k] - v))      back-calculation
/// ```
///
/// Inputs `r` (set point) and `y` (measurement); output `u`, held between ticks; parameters `kp`,
/// `ki`, `kd`, `tf` (filter time, 0 for none), `b` (set-point weight, 1), `kt` (tracking gain, 0),
/// `lower`, `upper` (where finite). The measurement before the first tick counts as that at it.
///
/// Åström, K. J., Hägglund, T. (2006): Advanced PID control, chapter 13.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiscretePid {
    rate: Rate,
    gains: [f64; 3],
    filter: f64,
    weight: f64,
    tracking: f64,
    limits: (f64, f64),
}

impl DiscretePid {
    /// Proportional, integral and derivative gain; no filter, no limits.
    #[must_use]
    pub fn new(rate: Rate, kp: f64, ki: f64, kd: f64) -> Self {
        Self {
            rate,
            gains: [kp, ki, kd],
            filter: 0.0,
            weight: 1.0,
            tracking: 0.0,
            limits: (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Sets the time constant of the derivative's filter.
    #[must_use]
    pub fn filter(mut self, time: f64) -> Self {
        self.filter = time;
        self
    }

    /// Sets the weight of the set point in the proportional part.
    #[must_use]
    pub fn set_point_weight(mut self, weight: f64) -> Self {
        self.weight = weight;
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

impl Block for DiscretePid {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "DiscretePid";
        let [kp, ki, kd] = self.gains;
        let h = self.rate.period();
        if self.filter.is_nan() || self.filter < 0.0 {
            return Err(refuse(KIND, "tf", self.filter, "must not be negative"));
        }
        let mut block = BlockSpec::builder(KIND)
            .clock(self.rate.clock(KIND)?)
            .input("r")
            .input("y");
        let settings = [
            ("kp", kp),
            ("ki", ki),
            ("kd", kd),
            ("tf", self.filter),
            ("b", self.weight),
            ("kt", self.tracking),
        ];
        for (name, value) in settings {
            block = block.parameter(name, finite(KIND, name, value)?);
        }
        let (r, y) = (symbol("r"), symbol("y"));
        let before = Expr::select(symbol("ticks").gt(0.5), symbol("last"), &y);
        let slope = symbol("tf") * symbol("d") - symbol("kd") * (&y - before);
        let raw = symbol("kp") * (symbol("b") * &r - &y) + symbol("i") + symbol("d_now");
        let excess = symbol("held") - symbol("v");
        let sum = symbol("ki") * (r - &y) + symbol("kt") * excess;
        let (block, shown) = limited(block, KIND, &symbol("v"), self.limits)?;
        let block = block
            .discrete("i", 0.0)
            .discrete("d", 0.0)
            .discrete("last", 0.0)
            .discrete("ticks", 0.0)
            .definition("d_now", slope / (symbol("tf") + h))
            .definition("v", raw)
            .sample("held", "tick", shown, 0.0)
            .update("tick", "i", symbol("i") + h * sum)
            .update("tick", "d", symbol("d_now"))
            .update("tick", "last", y)
            .update("tick", "ticks", Expr::constant(1.0));
        Ok(block.output("u", symbol("held")).build()?.into())
    }
}
