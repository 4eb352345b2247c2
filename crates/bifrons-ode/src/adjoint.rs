//! Discrete adjoints of explicit methods: gradients of numbers that depend on a solution.
#![expect(
    clippy::float_cmp,
    reason = "rows of events and observations are found by their own bits"
)]

use core::ops::RangeInclusive;

use crate::error::{InputError, SolveError};
use crate::event::{Event, EventLog, Response, RootRule};
use crate::explicit::tableau::{Kind, Tableau};
use crate::explicit::{bs32, dop853, dopri5, rk4, tsit5};
use crate::method::Method;
use crate::model::Model;
use crate::options::Options;
use crate::problem::{Erased, Fault, Problem, Whole};
use crate::recorder::Recorder;
use crate::solution::{Outcome, Solution};
use crate::solve::{check, explicit_into};
use crate::tangent::{Directions, Passage, Track};

/// Gradient of a number that depends on a solution.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Gradient {
    /// Derivatives by the components of the initial state.
    pub initial: Vec<f64>,
    /// Derivatives by the parameters.
    pub parameters: Vec<f64>,
    /// The run: last state, events, counts; `times` are the ends of all steps, `states` those of
    /// the checkpoints.
    pub solution: Solution,
}

/// A model whose events are remembered with the model before each of them.
struct Remembering<'m, M> {
    model: M,
    parameters: &'m [f64],
    before: Vec<(M, bool)>,
}

impl<M: Model + Clone> Problem for Remembering<'_, M> {
    fn dimension(&self) -> usize {
        self.model.dimension()
    }
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        self.model.rhs(t, y, self.parameters, dy);
        Ok(())
    }
    fn root_count(&self) -> usize {
        self.model.root_count()
    }
    fn root_rule(&self, root: usize) -> RootRule {
        self.model.root_rule(root)
    }
    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        self.model.roots(t, y, self.parameters, g);
        Ok(())
    }
    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
        let before = self.model.clone();
        let response = self.model.event(event, event.t, y, self.parameters);
        let acts = response != Response::Continue;
        self.before.push((before, acts));
        response
    }
}

/// Gradient of `Σ_k φ_k(y(t_k))` by the initial state and the parameters, by the adjoint of the
/// steps that were taken.
///
/// The times `t_k` are the declared stops [`Options::stops`] and the end; `observe(t, y, slope)`
/// adds `∂φ_k/∂y` to `slope`, called from the last time to the first. At a stop whose handler
/// changes the state, `y` is the state before. If an event ends the run, the observation at the
/// end is the one at that instant, which moves with the parameters.
///
/// The gradient is that of the numerical solution with its steps held fixed, exact to round-off
/// where no event lies: the reverse of each step's stages with derivatives by dual numbers. Across
/// an event the state there is that of the interpolant, so the gradient is as accurate as the
/// solution.
///
/// States are kept every `every` steps, at events and at stops, and those in between are computed
/// again: memory `8 n (steps / every + every)` bytes and 16 bytes per step; one more evaluation of
/// the model per stage, and `(n + m) / 4` in dual numbers.
///
/// # Errors
///
/// As [`solve`](crate::solve); [`InputError::NoAdjoint`](crate::InputError::NoAdjoint) for an implicit method.
pub fn adjoint<M: Model + Clone>(
    model: M,
    parameters: &[f64],
    (t0, y0, t_end): (f64, &[f64], f64),
    options: &Options,
    every: usize,
    observe: impl FnMut(f64, &[f64], &mut [f64]),
) -> Result<Gradient, SolveError> {
    match options.method {
        Method::Dopri5 => {
            run::<dopri5::Kind, M>(model, parameters, (t0, y0, t_end), options, every, observe)
        }
        Method::Tsit5 => {
            run::<tsit5::Kind, M>(model, parameters, (t0, y0, t_end), options, every, observe)
        }
        Method::Bs32 => {
            run::<bs32::Kind, M>(model, parameters, (t0, y0, t_end), options, every, observe)
        }
        Method::Dop853 => {
            run::<dop853::Kind, M>(model, parameters, (t0, y0, t_end), options, every, observe)
        }
        Method::Rk4 { .. } => {
            run::<rk4::Kind, M>(model, parameters, (t0, y0, t_end), options, every, observe)
        }
        method => Err(InputError::NoAdjoint {
            method: method.name(),
        }
        .into()),
    }
}

fn run<K: Kind, M: Model + Clone>(
    model: M,
    parameters: &[f64],
    (t0, y0, t_end): (f64, &[f64], f64),
    options: &Options,
    every: usize,
    observe: impl FnMut(f64, &[f64], &mut [f64]),
) -> Result<Gradient, SolveError> {
    let mut problem = Remembering {
        model,
        parameters,
        before: Vec::new(),
    };
    check(&problem, t0, y0, t_end, options)?;
    let direction = if t_end < t0 { -1.0 } else { 1.0 };
    let mut whole = Whole(&mut problem);
    let recorder = explicit_into::<K>(
        Erased::new(&mut whole, direction),
        (t0, t_end),
        y0,
        options,
        |_| Recorder::with_checkpoints((t0, t_end), y0, every),
    )?;
    let marks = recorder.marks.clone();
    let solution = recorder.finish()?;
    let (n, m) = (y0.len(), parameters.len());
    let tableau = Tableau::read::<K>();
    let stages = tableau.stage_count();
    let backward = Backward {
        passage: Passage::new(&problem.model, m, n + m, t0, None),
        model: problem.model,
        before: problem.before,
        parameters,
        units: units(n, m),
        lambda: vec![0.0; n],
        gradient: vec![0.0; m],
        times: vec![0.0; stages],
        arguments: vec![0.0; stages * n],
        slopes: vec![0.0; stages * n],
        pulled: vec![0.0; stages * n],
        columns: vec![0.0; (n + m) * n],
        tableau,
    };
    Ok(backward.sweep(solution, &marks, options, observe))
}

/// All unit directions of the state, then zeros for the parameters.
fn units(n: usize, m: usize) -> Vec<f64> {
    let mut units = vec![0.0; (n + m) * n];
    for i in 0..n {
        units[i * n + i] = 1.0;
    }
    units
}

/// The sweep from the end to the start.
struct Backward<'p, M> {
    passage: Passage,
    /// The model in the mode of the current part.
    model: M,
    /// The model before each event, and whether its handler asked for anything.
    before: Vec<(M, bool)>,
    parameters: &'p [f64],
    units: Vec<f64>,
    lambda: Vec<f64>,
    gradient: Vec<f64>,
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
        let n = self.lambda.len();
        let times = &solution.times;
        let last = times.len() - 1;
        let end = solution.last_time;
        observe(end, &solution.last_state, &mut self.lambda);
        let mut events = Events {
            log: &solution.events,
            left: solution.events.len(),
            terminated: solution.outcome == Outcome::Terminated,
            direction: if end < times[0] { -1.0 } else { 1.0 },
        };
        let mut states = Vec::new();
        for (k, &from) in marks.iter().enumerate().rev() {
            let upto = marks.get(k + 1).copied().unwrap_or(last);
            // Events lie at checkpoints; before them the model may be in another mode.
            if upto == last || times[upto + 1] != times[upto] {
                self.events_at(times[upto], &mut events);
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
                    observe(t, saved, &mut self.lambda);
                }
                let at = (row - 1 - from) * n;
                self.step(t_old, t - t_old, &states[at..at + n], stop);
            }
        }
        self.events_at(times[0], &mut events);
        Gradient {
            initial: self.lambda,
            parameters: self.gradient,
            solution,
        }
    }

    /// States at all times but the first, which is there, by the steps between them.
    fn replay(&mut self, times: &[f64], states: &mut Vec<f64>) {
        let n = self.lambda.len();
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
        let (n, m) = (y.len(), self.gradient.len());
        self.stages(t, h, y, stop);
        let stages = self.arguments.len() / n;
        let mut weight = vec![0.0; n];
        let mut ignored = vec![0.0; n];
        for j in (0..stages).rev() {
            for i in 0..n {
                let later: f64 = (j + 1..stages)
                    .map(|l| self.tableau.a[l][j] * self.pulled[l * n + i])
                    .sum();
                weight[i] = h * (self.tableau.b[j] * self.lambda[i] + later);
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
                    self.gradient[d - n] += pulled;
                }
            }
        }
        for i in 0..n {
            let sum: f64 = (0..stages).map(|j| self.pulled[j * n + i]).sum();
            self.lambda[i] += sum;
        }
    }

    /// Takes the adjoint back through every event at `t` and the ones after it.
    fn events_at(&mut self, t: f64, events: &mut Events<'_>) {
        while let Some(last) = events.left.checked_sub(1)
            && let Some(event) = events.log.get(last)
            && (event.t - t) * events.direction >= 0.0
        {
            // What fires by what a handler does, at the same instant, moves with it.
            let same = |k: &usize| events.log.get(*k).is_some_and(|e| e.t == event.t);
            let first = (0..=last).rev().take_while(same).last().unwrap_or(last);
            events.left = first;
            let terminal = events.terminated && last + 1 == events.log.len();
            let changes = (first..=last).any(|k| {
                let logged = events.log.get(k);
                self.before[k].1 || logged.is_some_and(|e| e.before != e.after)
            });
            if event.t == t && (changes || terminal) {
                self.event(first..=last, events.log, terminal);
            }
            self.model = self.before[first].0.clone();
        }
    }

    fn event(&mut self, group: RangeInclusive<usize>, log: &EventLog, terminal: bool) {
        let (n, m) = (self.lambda.len(), self.gradient.len());
        self.columns.copy_from_slice(&self.units);
        self.passage.forget();
        let mut slope = vec![0.0; n];
        for k in group {
            let Some(logged) = log.get(k) else {
                continue;
            };
            let event = Event {
                t: logged.t,
                roots: logged.roots,
                stop: logged.stop,
            };
            let mut y = logged.before.to_vec();
            let mut model = self.before[k].0.clone();
            let mut track = Track {
                states: &mut self.columns,
                first: n,
                count: n + m,
            };
            let at = (y.as_mut_slice(), self.parameters);
            self.passage.event(&mut model, &event, at, &mut track);
            if terminal {
                // What is observed moves with the instant.
                model.rhs(event.t, &y, self.parameters, &mut slope);
            }
        }
        let lambda = self.lambda.clone();
        let moved: f64 = lambda.iter().zip(&slope).map(|(a, b)| a * b).sum();
        for (d, column) in self.columns.chunks_exact(n).enumerate() {
            let pulled: f64 = column.iter().zip(&lambda).map(|(a, b)| a * b).sum();
            let pulled = pulled + moved * self.passage.shift[d];
            if d < n {
                self.lambda[d] = pulled;
            } else {
                self.gradient[d - n] += pulled;
            }
        }
    }
}

/// Events that the sweep has not passed yet.
struct Events<'e> {
    log: &'e EventLog,
    left: usize,
    terminated: bool,
    direction: f64,
}

/// Whether a row's time is a declared stop, up to the round-off within which stops are merged.
fn is_stop(options: &Options, t: f64) -> bool {
    options
        .stops
        .iter()
        .any(|stop| (stop - t).abs() <= 8.0 * f64::EPSILON * t.abs())
}
