//! Adjoints of steps.

use super::Esdirk;
use crate::implicit::reverse::{Pull, Reverse, add, solve_transposed};

/// A step: the states and times of its stages, and by what the slope that it took was multiplied.
#[derive(Debug)]
pub(crate) struct Record {
    t_old: f64,
    t: f64,
    h: f64,
    ratio: f64,
    times: Vec<f64>,
    states: Vec<f64>,
}

/// Derivatives by the state, and by the increment that the next step starts with.
#[derive(Debug)]
pub(crate) struct Adjoint {
    state: Vec<f64>,
    end: Vec<f64>,
}

impl Esdirk {
    /// Derivatives by the increments, by the state at the end and by that at the start, from those
    /// by the state at `θ` of the step.
    fn spread(&self, theta: f64, lambda: &[f64], (k, new, old): Spread<'_>) {
        let rest = 1.0 - theta;
        let change = theta * (1.0 + rest * (2.0 * theta - 1.0));
        add(1.0 - change, lambda, old);
        add(change, lambda, new);
        let last = self.tableau.stages - 1;
        let square = theta * theta * rest * rest;
        for (j, row) in k.chunks_exact_mut(self.n).enumerate() {
            let mut weight = square * self.tableau.quartic[j];
            if j == 0 {
                weight += theta * rest * rest;
            }
            if j == last {
                weight -= theta * theta * rest;
            }
            add(weight, lambda, row);
        }
    }
}

type Spread<'s> = (&'s mut [f64], &'s mut [f64], &'s mut [f64]);

impl Reverse for Esdirk {
    type Record = Record;
    type Adjoint = Adjoint;

    fn record(&self) -> Record {
        let (n, stages) = (self.n, self.tableau.stages);
        let mut states = vec![0.0; stages * n];
        for (i, row) in states.chunks_exact_mut(n).enumerate().skip(1) {
            self.stage_state(i, row);
        }
        Record {
            t_old: self.t_old,
            t: self.t,
            h: self.done,
            ratio: self.first_ratio,
            times: (0..stages).map(|i| self.stage_time(i)).collect(),
            states,
        }
    }

    fn zero(&self) -> Adjoint {
        Adjoint {
            state: vec![0.0; self.n],
            end: vec![0.0; self.n],
        }
    }

    /// Stage after stage from the last: `(M − c J)ᵀ μ = d̄`, then through the sum of increments.
    fn pull(
        &self,
        adjoint: &mut Adjoint,
        record: &Record,
        lambda: Option<(f64, &[f64])>,
        link: &mut Pull<'_, '_>,
    ) {
        let (n, tableau) = (self.n, self.tableau);
        let (c, stages) = (record.h * tableau.gamma, tableau.stages);
        let mut k = vec![0.0; stages * n];
        k[(stages - 1) * n..].copy_from_slice(&adjoint.end);
        let mut base = adjoint.state.clone();
        let mut old = vec![0.0; n];
        match lambda {
            Some((t, lambda)) if t.to_bits() != record.t.to_bits() => {
                let theta = (t - record.t_old) / record.h;
                self.spread(theta, lambda, (&mut k, &mut base, &mut old));
            }
            Some((_, lambda)) => add(1.0, lambda, &mut base),
            None => {}
        }
        let (mut lu, mut mu) = (None, vec![0.0; n]);
        for i in (1..stages).rev() {
            let (before, rest) = k.split_at_mut(i * n);
            mu.copy_from_slice(&base);
            add(1.0 / tableau.gamma, &rest[..n], &mut mu);
            link.load(record.times[i], &record.states[i * n..(i + 1) * n]);
            solve_transposed(&self.matrices, c, link, &mut lu, &mut mu);
            link.add(c, &mu, &mut base);
            add(1.0, &base, &mut old);
            for (j, row) in before.chunks_exact_mut(n).enumerate() {
                add(tableau.a[i][j], &base, row);
            }
            base.fill(0.0);
        }
        adjoint.state.copy_from_slice(&old);
        adjoint.end.fill(0.0);
        add(record.ratio, &k[..n], &mut adjoint.end);
    }

    fn lift(&self, adjoint: &Adjoint, link: &mut Pull<'_, '_>, lambda: &mut [f64]) {
        lambda.copy_from_slice(&adjoint.state);
        link.load_slopes(self.t, &self.y);
        link.add(1.0, &adjoint.end, lambda);
    }
}
