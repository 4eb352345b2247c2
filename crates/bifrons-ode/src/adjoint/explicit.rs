//! The sweep over the steps of explicit methods.
#![expect(
    clippy::float_cmp,
    reason = "rows of events and observations are found by their own bits"
)]

use super::events::{Events, units};
use super::{Covector, Gradient, Remembering};
use crate::error::SolveError;
use crate::explicit::tableau::{Kind, Tableau};
use crate::model::Model;
use crate::options::Options;
use crate::problem::{Erased, Whole};
use crate::recorder::Recorder;
use crate::solution::Solution;
use crate::solve::{check, explicit_into, pace};
use crate::tangent::{Directions, Passage};

pub(super) fn run<K: Kind, M: Model + Clone>(
    model: M,
    parameters: &[f64],
    (t0, y0, t_end): (f64, &[f64], f64),
    options: &Options,
    every: usize,
    observe: impl FnMut(f64, &[f64], &mut [f64]),
) -> Result<Gradient, SolveError> {
    let mut problem = Remembering::new(model, parameters);
    check(&problem, t0, y0, t_end, options)?;
    let direction = if t_end < t0 { -1.0 } else { 1.0 };
    let mut whole = Whole(&mut problem);
    let recorder = explicit_into::<K, _>(
        Erased::new(&mut whole, direction),
        (t0, t_end),
        y0,
        (options, pace(options.method)),
        |_| Recorder::with_checkpoints((t0, t_end), y0, every),
    )?;
    let marks = recorder.marks.clone();
    let solution = recorder.finish()?;
    let (n, m) = (y0.len(), parameters.len());
    let tableau = Tableau::read::<K>();
    let stages = tableau.stage_count();
    let Remembering { inner, before } = problem;
    let backward = Backward {
        passage: Passage::new(&inner.model, m, n + m, t0, None),
        model: inner.model,
        events: Events::new(before, &solution, (n, parameters), direction),
        parameters,
        units: units(n, m),
        covector: Covector::new(n, m),
        times: vec![0.0; stages],
        arguments: vec![0.0; stages * n],
        slopes: vec![0.0; stages * n],
        pulled: vec![0.0; stages * n],
        columns: vec![0.0; (n + m) * n],
        tableau,
    };
    Ok(backward.sweep(solution, &marks, options, observe))
}

/// The sweep from the end to the start.
struct Backward<'p, M> {
    passage: Passage,
    /// The model in the mode of the current part.
    model: M,
    events: Events<'p, M>,
    parameters: &'p [f64],
    units: Vec<f64>,
    covector: Covector,
    /// Times, arguments and slopes of the stages of a step, and what is pulled back through them.
    times: Vec<f64>,
    arguments: Vec<f64>,
    slopes: Vec<f64>,
    pulled: Vec<f64>,
    columns: Vec<f64>,
    tableau: Tableau,
}

impl<M: Model + Clone> Backward<'_, M> {
    fn sweep(
        mut self,
        solution: Solution,
        marks: &[usize],
        options: &Options,
        mut observe: impl FnMut(f64, &[f64], &mut [f64]),
    ) -> Gradient {
        let n = self.covector.state.len();
        let times = &solution.times;
        let last = times.len() - 1;
        let end = solution.last_time;
        observe(end, &solution.last_state, &mut self.covector.state);
        let mut states = Vec::new();
        for (k, &from) in marks.iter().enumerate().rev() {
            let upto = marks.get(k + 1).copied().unwrap_or(last);
            // Events lie at checkpoints; before them the model may be in another mode.
            if upto == last || times[upto + 1] != times[upto] {
                self.events_at(times[upto], &solution);
            }
            states.clear();
            states.extend_from_slice(&solution.states[k * n..(k + 1) * n]);
            self.replay(&times[from..upto.max(from + 1)], &mut states);
            for row in (from + 1..=upto).rev() {
                let (t_old, t) = (times[row - 1], times[row]);
                if t_old == t {
                    continue;
                }
                let stop = (row == upto && is_stop(options, t)).then_some(t);
                if stop.is_some() && t != end {
                    let saved = &solution.states[(k + 1) * n..(k + 2) * n];
                    observe(t, saved, &mut self.covector.state);
                }
                let at = (row - 1 - from) * n;
                self.step(t_old, t - t_old, &states[at..at + n], stop);
            }
        }
        self.events_at(times[0], &solution);
        Gradient {
            initial: self.covector.state,
            parameters: self.covector.parameters,
            solution,
        }
    }

    /// States at all times but the first, which is there, by the steps between them.
    fn replay(&mut self, times: &[f64], states: &mut Vec<f64>) {
        let n = self.covector.state.len();
        for pair in times.windows(2) {
            let h = pair[1] - pair[0];
            let at = states.len() - n;
            let y = states[at..].to_vec();
            if h != 0.0 {
                self.stages(pair[0], h, &y, None);
            }
            for (i, y) in y.iter().enumerate() {
                let sum: f64 = (0..self.arguments.len() / n)
                    .map(|j| self.tableau.b[j] * self.slopes[j * n + i])
                    .sum();
                states.push(if h == 0.0 { *y } else { y + h * sum });
            }
        }
    }

    /// Arguments and slopes of all stages of the step from `(t, y)`.
    fn stages(&mut self, t: f64, h: f64, y: &[f64], stop: Option<f64>) {
        let n = y.len();
        for j in 0..self.arguments.len() / n {
            for (i, y) in y.iter().enumerate() {
                let sum: f64 = (0..j)
                    .map(|k| self.tableau.a[j][k] * self.slopes[k * n + i])
                    .sum();
                self.arguments[j * n + i] = y + h * sum;
            }
            let range = j * n..(j + 1) * n;
            let (argument, slope) = (&self.arguments[range.clone()], &mut self.slopes[range]);
            // As in the run: what lies beyond a stop is not seen.
            let time = t + self.tableau.c[j] * h;
            let late = stop.is_some_and(|stop| (time - stop) * h >= 0.0);
            self.times[j] = match stop {
                Some(stop) if late && h > 0.0 => stop.next_down(),
                Some(stop) if late => stop.next_up(),
                _ => time,
            };
            self.model
                .rhs(self.times[j], argument, self.parameters, slope);
        }
    }

    /// Takes the adjoint from the end of a step to its start `(t, y)`.
    ///
    /// With `k̄_j = h b_j λ + h Σ_{l > j} a_lj Ȳ_l` and `Ȳ_j = f_yᵀ k̄_j` it is `λ + Σ_j Ȳ_j`.
    fn step(&mut self, t: f64, h: f64, y: &[f64], stop: Option<f64>) {
        let (n, m) = (y.len(), self.covector.parameters.len());
        self.stages(t, h, y, stop);
        let stages = self.arguments.len() / n;
        let mut weight = vec![0.0; n];
        let mut ignored = vec![0.0; n];
        for j in (0..stages).rev() {
            for i in 0..n {
                let later: f64 = (j + 1..stages)
                    .map(|l| self.tableau.a[l][j] * self.pulled[l * n + i])
                    .sum();
                weight[i] = h * (self.tableau.b[j] * self.covector.state[i] + later);
            }
            let directions = Directions {
                states: &self.units,
                first: n,
                count: n + m,
            };
            let argument = &self.arguments[j * n..(j + 1) * n];
            let at = (self.times[j], argument, self.parameters);
            let out = (ignored.as_mut_slice(), self.columns.as_mut_slice());
            self.passage.tangents.rhs(&self.model, at, directions, out);
            for (d, column) in self.columns.chunks_exact(n).enumerate() {
                let pulled: f64 = column.iter().zip(&weight).map(|(a, b)| a * b).sum();
                if d < n {
                    self.pulled[j * n + d] = pulled;
                } else {
                    self.covector.parameters[d - n] += pulled;
                }
            }
        }
        for i in 0..n {
            let sum: f64 = (0..stages).map(|j| self.pulled[j * n + i]).sum();
            self.covector.state[i] += sum;
        }
    }

    fn events_at(&mut self, t: f64, solution: &Solution) {
        let at = (&mut self.passage, &mut self.model);
        let log = &solution.events;
        self.events.pass(t, log, at, &mut self.covector);
    }
}

/// Whether a row's time is a declared stop, up to the round-off within which stops are merged.
fn is_stop(options: &Options, t: f64) -> bool {
    options
        .stops
        .iter()
        .any(|stop| (stop - t).abs() <= 8.0 * f64::EPSILON * t.abs())
}
