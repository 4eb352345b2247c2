//! Kalman filters with a covariance of their own, linear and extended.

use bifrons_expr::{Expr, Symbol};
use bifrons_hybrid::{Block, BlockError, BlockSpec, Component};

use crate::check::{finite, shape, symbol};
use crate::maths::numbered;
use crate::rate::Rate;

/// Most states: the covariance has `n²/2` discrete states, and each tick updates all.
const MOST_STATES: usize = 40;

/// A Kalman filter in discrete time; with equations that are not linear, an extended one.
///
/// At each tick, from the prediction `z`, `P` of the tick before:
///
/// ```text
/// for each measurement j:   H = ∂h_j/∂x(z)   s = H P Hᵀ + r_j   g = P Hᵀ / s
///                           x = x + g (y_j - h_j(z) - H (x - z))   P = P - g H P
/// outputs                   x (held until the next tick)
/// prediction                z = f(x, u)   F = ∂f/∂x(x)   P = F P Fᵀ + diag(q)
/// ```
///
/// The noise of different measurements is independent, so that they are taken one after the other
/// and nothing is inverted. Derivatives are exact, from the expressions. Inputs: those declared
/// (`u…`), then `y1` … `yp`; outputs `x1` … `xn`, named like the states, and `p1` … `pn`, the variances after the
/// measurement; parameters `r1` … `rp` and `q1` … `qn` (variances), and the start values `x_0` and
/// variances `x_p0` of each state `x`.
///
/// Symbols of the equations are the names of states and inputs. Memory: `n + n (n + 1)/2 + 2 n`
/// discrete states, `n` at most 40.
///
/// Kalman, R. E. (1960): A new approach to linear filtering and prediction problems. Journal of
/// Basic Engineering 82, 35–45. Extended form and sequential measurements: Simon, D. (2006):
/// Optimal state estimation, sections 6.1 and 13.2.
///
/// # Examples
///
/// ```
/// use bifrons_blocks::{Rate, control::KalmanFilter};
/// use bifrons_expr::Expr;
///
/// // A constant, measured with noise of variance 4.
/// let filter = KalmanFilter::new(Rate::every(1.0))
///     .state("level", Expr::symbol("level"), 0.0)
///     .start("level", 0.0, 100.0)
///     .measurement(Expr::symbol("level"), 4.0);
/// ```
#[derive(Debug, Clone)]
pub struct KalmanFilter {
    rate: Rate,
    inputs: Vec<String>,
    states: Vec<State>,
    measurements: Vec<(Expr, f64)>,
}

#[derive(Debug, Clone)]
struct State {
    name: String,
    next: Expr,
    noise: f64,
    start: (f64, f64),
}

impl KalmanFilter {
    /// A filter without states.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self {
            rate,
            inputs: vec![],
            states: vec![],
            measurements: vec![],
        }
    }

    /// Declares a known input.
    #[must_use]
    pub fn input(mut self, name: impl Into<String>) -> Self {
        self.inputs.push(name.into());
        self
    }

    /// Declares a state with its value at the next tick and the variance of its noise; it starts
    /// at 0 with variance 1.
    #[must_use]
    pub fn state(mut self, name: impl Into<String>, next: impl Into<Expr>, noise: f64) -> Self {
        self.states.push(State {
            name: name.into(),
            next: next.into(),
            noise,
            start: (0.0, 1.0),
        });
        self
    }

    /// Sets the value at the start of a state and its variance; unknown names are ignored.
    #[must_use]
    pub fn start(mut self, name: &str, value: f64, variance: f64) -> Self {
        for state in self.states.iter_mut().filter(|state| state.name == name) {
            state.start = (value, variance);
        }
        self
    }

    /// Declares a measurement with the variance of its noise.
    #[must_use]
    pub fn measurement(mut self, value: impl Into<Expr>, noise: f64) -> Self {
        self.measurements.push((value.into(), noise));
        self
    }
}

impl Block for KalmanFilter {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "KalmanFilter";
        let n = self.states.len();
        if n == 0 || n > MOST_STATES {
            return Err(shape(KIND, "states", "from 1 to 40 states", n.to_string()));
        }
        let mut block = BlockSpec::builder(KIND).clock(self.rate.clock(KIND)?);
        for input in &self.inputs {
            block = block.input(input);
        }
        for (j, (_, noise)) in self.measurements.iter().enumerate() {
            block = block.input(numbered("y", j));
            block = block.parameter(numbered("r", j), finite(KIND, "r", *noise)?);
        }
        for (i, state) in self.states.iter().enumerate() {
            let (name, (value, variance)) = (&state.name, state.start);
            block = block
                .parameter(numbered("q", i), finite(KIND, "q", state.noise)?)
                .parameter(format!("{name}_0"), finite(KIND, "start", value)?)
                .parameter(format!("{name}_p0"), finite(KIND, "start", variance)?);
        }
        let corrected = Correction::new(&self);
        let (next, covariance) = corrected.predict(&self);
        for (i, state) in self.states.iter().enumerate() {
            let (prior, held) = (prior(&state.name), format!("held_{}", state.name));
            let start = symbol(&format!("{}_0", state.name));
            block = block
                .discrete(&prior, start.clone())
                .update("tick", &prior, next[i].clone())
                .sample(&held, "tick", corrected.x[i].clone(), start);
            let variance = format!("variance_{}", i + 1);
            let initial = symbol(&format!("{}_p0", state.name));
            let now = corrected.covariance(i, i).clone();
            block = block.sample(&variance, "tick", now, initial.clone());
            for j in i..n {
                let start = if i == j { initial.clone() } else { 0.0.into() };
                let value = covariance[i * n + j].clone();
                let name = entry(i, j);
                block = block.discrete(&name, start).update("tick", name, value);
            }
        }
        for state in &self.states {
            block = block.output(&state.name, symbol(&format!("held_{}", state.name)));
        }
        for i in 0..n {
            block = block.output(numbered("p", i), symbol(&format!("variance_{}", i + 1)));
        }
        Ok(block.build()?.into())
    }
}

fn prior(name: &str) -> String {
    format!("prior_{name}")
}

/// Name of an entry of the symmetric covariance.
fn entry(i: usize, j: usize) -> String {
    format!("cov{}_{}", i.min(j) + 1, i.max(j) + 1)
}

/// State and covariance after the measurements of a tick.
struct Correction {
    x: Vec<Expr>,
    p: Vec<Expr>,
}

impl Correction {
    fn new(filter: &KalmanFilter) -> Self {
        let n = filter.states.len();
        let priors: Vec<Expr> = filter
            .states
            .iter()
            .map(|s| symbol(&prior(&s.name)))
            .collect();
        let at_prior = |e: &Expr| replace(e, filter, &priors);
        let mut corrected = Self {
            x: priors.clone(),
            p: (0..n * n).map(|k| symbol(&entry(k / n, k % n))).collect(),
        };
        for (j, (measured, _)) in filter.measurements.iter().enumerate() {
            let row: Vec<Expr> = filter
                .states
                .iter()
                .map(|state| at_prior(&measured.derivative(&Symbol::new(&state.name))))
                .collect();
            let moved: Expr = (0..n)
                .map(|i| &row[i] * (&corrected.x[i] - &priors[i]))
                .sum();
            let surprise = symbol(&numbered("y", j)) - at_prior(measured) - moved;
            corrected.take(&row, &surprise, &symbol(&numbered("r", j)));
        }
        corrected
    }

    fn covariance(&self, i: usize, j: usize) -> &Expr {
        &self.p[i * self.x.len() + j]
    }

    /// One scalar measurement.
    fn take(&mut self, row: &[Expr], surprise: &Expr, noise: &Expr) {
        let n = row.len();
        let ph: Vec<Expr> = (0..n)
            .map(|i| dot(row, |k| self.covariance(i, k)))
            .collect();
        let s = dot(row, |k| &ph[k]) + noise;
        let gain: Vec<Expr> = ph.iter().map(|value| value / &s).collect();
        for (x, gain) in self.x.iter_mut().zip(&gain) {
            *x = &*x + gain * surprise;
        }
        let mut p = self.p.clone();
        for i in 0..n {
            for j in i..n {
                let value = self.covariance(i, j) - &gain[i] * &ph[j];
                (p[i * n + j], p[j * n + i]) = (value.clone(), value);
            }
        }
        self.p = p;
    }

    /// Prediction of the next tick.
    fn predict(&self, filter: &KalmanFilter) -> (Vec<Expr>, Vec<Expr>) {
        let n = self.x.len();
        let here = |e: &Expr| replace(e, filter, &self.x);
        let next = filter
            .states
            .iter()
            .map(|state| here(&state.next))
            .collect();
        let slope = |i: usize, j: usize| {
            let by = Symbol::new(&filter.states[j].name);
            here(&filter.states[i].next.derivative(&by))
        };
        let f: Vec<Expr> = (0..n * n).map(|k| slope(k / n, k % n)).collect();
        let fp: Vec<Expr> = (0..n * n)
            .map(|k| dot(&f[k / n * n..][..n], |l| self.covariance(l, k % n)))
            .collect();
        let mut p: Vec<Expr> = Vec::with_capacity(n * n);
        for i in 0..n {
            for j in 0..n {
                let value = dot(&f[j * n..][..n], |l| &fp[i * n + l]);
                p.push(if i == j {
                    value + symbol(&numbered("q", i))
                } else {
                    value
                });
            }
        }
        (next, p)
    }
}

/// `Σ row_k value_k` over the entries of the row that are not zero.
fn dot<'a>(row: &[Expr], value: impl Fn(usize) -> &'a Expr) -> Expr {
    let present = |factor: &Expr| factor.as_constant().is_none_or(|c| c.abs() > 0.0);
    let terms = row.iter().enumerate().filter(|(_, factor)| present(factor));
    terms.map(|(k, factor)| factor * value(k)).sum()
}

fn replace(e: &Expr, filter: &KalmanFilter, values: &[Expr]) -> Expr {
    e.substitute(&mut |s| {
        let found = filter
            .states
            .iter()
            .position(|state| state.name == s.name());
        found.map(|i| values[i].clone())
    })
}
