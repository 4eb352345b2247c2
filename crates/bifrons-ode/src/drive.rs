//! The driver of general runs: outputs, stops, root functions and budgets around any stepper.
#![expect(
    clippy::float_cmp,
    reason = "ends of spans and instants are met bit for bit"
)]

mod rate;
mod stops;
mod watch;

use core::marker::PhantomData;

use crate::dense::Interpolant;
use crate::error::{Failure, InputError};
use crate::event::{Event, Response};
use crate::options::Options;
use crate::problem::{Erased, Problem};
use crate::recorder::Recorder;
use crate::solution::Outcome;
use crate::stepper::{Attempt, Restart, Start, Stepper};
use rate::Rate;
use stops::Stops;
use watch::{Found, Watch};

/// Part of the span in which firings of one root function are counted.
const WINDOW: f64 = 1e-4;

/// A stepper's last step, as a recorder sees it.
struct LastStep<'s, S, P> {
    stepper: &'s S,
    problem: PhantomData<fn(&P)>,
}

impl<P: Problem, S: Stepper<P>> Interpolant for LastStep<'_, S, P> {
    fn t_old(&self) -> f64 {
        self.stepper.t_old()
    }
    fn length(&self) -> f64 {
        self.stepper.length()
    }
    fn write_coefficients(&self, i: usize, out: &mut [f64]) {
        self.stepper.coefficients(i, out);
    }
    fn state_within(&self, t: f64, state: &mut [f64]) {
        self.stepper.interpolate(t, state);
    }
}

/// What an event leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Nothing,
    Restart(Restart),
    Terminate,
}

/// A general run of one problem.
pub(crate) struct Run<'r, 's, 'p, S> {
    problem: Erased<'p>,
    stepper: S,
    recorder: &'r mut Recorder<'s>,
    watch: Watch,
    stops: Stops,
    t_end: f64,
    direction: f64,
    max_steps: u64,
    attempts: u64,
    events: u64,
    /// Whether the interpolant of the last step is ready.
    ready: bool,
    /// The solution is valid up to here.
    t: f64,
    y: Vec<f64>,
    before: Vec<f64>,
}

impl<'r, 's, 'p, S: Stepper<Erased<'p>>> Run<'r, 's, 'p, S> {
    /// A run that has not started.
    ///
    /// # Errors
    ///
    /// [`InputError::StopTime`].
    pub(crate) fn new(
        problem: Erased<'p>,
        stepper: S,
        recorder: &'r mut Recorder<'s>,
        (t0, t_end): (f64, f64),
        options: &Options,
    ) -> Result<Self, InputError> {
        let direction = if t_end < t0 { -1.0 } else { 1.0 };
        let span = (t_end - t0).abs();
        let window = if span.is_finite() { WINDOW * span } else { 0.0 };
        let rate = Rate::new(problem.root_count(), window, options.max_events_per_window);
        let watch = Watch::new(&problem, options.root_parts, direction, rate);
        let n = problem.dimension();
        Ok(Self {
            problem,
            stepper,
            recorder,
            watch,
            stops: Stops::new(&options.stops, t0, t_end)?,
            t_end,
            direction,
            max_steps: options.max_steps,
            attempts: 0,
            events: 0,
            ready: false,
            t: t0,
            y: vec![0.0; n],
            before: vec![0.0; n],
        })
    }

    /// Runs to the end; the recorder has the result.
    pub(crate) fn run(mut self, y0: &[f64], options: &Options) {
        self.y.copy_from_slice(y0);
        let outcome = self.integrate(options);
        let solution = &mut self.recorder.solution;
        match outcome {
            Ok(outcome) => solution.outcome = outcome,
            Err(failure) => self.recorder.failure = Some(failure),
        }
        solution.last_time = self.t;
        solution.last_state.copy_from_slice(&self.y);
        solution.statistics = self.stepper.statistics();
        solution.statistics.root_evaluations = self.watch.evaluations;
        solution.statistics.disarmed = self.watch.disarmed;
        solution.statistics.events = self.events;
    }

    fn integrate(&mut self, options: &Options) -> Result<Outcome, Failure> {
        let t0 = self.t;
        self.recorder.start(t0, &self.y);
        let fired = !self.watch.is_empty() && self.watch.start(&mut self.problem, t0, &self.y)?;
        let stop = self.stops.take(t0);
        if fired || stop.is_some() {
            let change = self.happen(t0, stop)?;
            self.settle(t0);
            if change == Change::Terminate {
                return Ok(Outcome::Terminated);
            }
        }
        if t0 == self.t_end {
            return Ok(Outcome::Reached);
        }
        let limit = self.limit();
        let span = (self.t_end - t0).abs();
        let start = Start {
            t: t0,
            y: &self.y,
            direction: self.direction,
            limit,
            initial_step: options.initial_step,
            max_step: options.max_step.map_or(span, |most| most.min(span)),
        };
        self.stepper.start(&mut self.problem, &start)?;
        loop {
            let limit = self.limit();
            let attempt = self.stepper.attempt(&mut self.problem, limit)?;
            self.attempts += 1;
            if attempt == Attempt::Accepted {
                self.ready = false;
                if self.accept()? == Change::Terminate {
                    return Ok(Outcome::Terminated);
                }
                if self.t == self.t_end {
                    return Ok(Outcome::Reached);
                }
            }
            if self.attempts >= self.max_steps {
                return Err(Failure::StepBudget {
                    t: self.t,
                    budget: self.max_steps,
                });
            }
        }
    }

    /// The next time that a step may not pass; derivatives stay before it if it is a stop.
    fn limit(&mut self) -> f64 {
        let stop = self.stops.next_time();
        self.problem.stay_before(stop);
        stop.unwrap_or(self.t_end)
    }

    /// An accepted step: its events, its outputs, the stop at its end.
    fn accept(&mut self) -> Result<Change, Failure> {
        let (start, end) = (self.stepper.t_old(), self.stepper.t());
        let mut from = start;
        while !self.watch.is_empty() {
            self.make_ready()?;
            let step = (start, from, end);
            match self.watch.search(&mut self.problem, &self.stepper, step) {
                Found::Nothing => break,
                Found::Broken { last, failure } => {
                    self.y_at(last);
                    self.show(last);
                    return Err(failure);
                }
                Found::Crossing(t) => {
                    self.y_at(t);
                    let stop = self.stops.take(t);
                    self.before.copy_from_slice(&self.y);
                    let change = self.happen(t, stop);
                    if change != Ok(Change::Nothing) || stop.is_some() {
                        return self.cut(t, change);
                    }
                    from = t;
                    if t == end {
                        break;
                    }
                }
            }
        }
        self.y.copy_from_slice(self.stepper.state());
        if self.recorder.reads_inside(end) {
            self.make_ready()?;
        }
        self.show(end);
        match self.stops.take(end) {
            None => Ok(Change::Nothing),
            Some(stop) => {
                let change = self.happen(end, Some(stop));
                self.settle(end);
                self.go_on(end, change?)
            }
        }
    }

    /// Ends the last step at `t`, where the state was `before` and is now `y`.
    fn cut(&mut self, t: f64, change: Result<Change, Failure>) -> Result<Change, Failure> {
        core::mem::swap(&mut self.y, &mut self.before);
        self.show(t);
        core::mem::swap(&mut self.y, &mut self.before);
        self.settle(t);
        self.go_on(t, change?)
    }

    /// Starts anew at `t`; a stop is a kink at least.
    fn go_on(&mut self, t: f64, change: Change) -> Result<Change, Failure> {
        let restart = match change {
            Change::Terminate => return Ok(change),
            Change::Nothing => Restart::Kink,
            Change::Restart(restart) => restart,
        };
        if t == self.t_end {
            return Ok(change);
        }
        let limit = self.limit();
        self.stepper
            .restart(&mut self.problem, t, &self.y, limit, restart)?;
        Ok(change)
    }

    fn make_ready(&mut self) -> Result<(), Failure> {
        if !self.ready {
            self.stepper.prepare_dense(&mut self.problem)?;
            self.ready = true;
        }
        Ok(())
    }

    fn y_at(&mut self, t: f64) {
        self.stepper.interpolate(t, &mut self.y);
    }

    /// The solution is valid to `t`, where the state is `y`.
    fn show(&mut self, t: f64) {
        self.t = t;
        if self.recorder.is_due(t) {
            let step = LastStep {
                stepper: &self.stepper,
                problem: PhantomData,
            };
            self.recorder.advance(&step, t, &self.y);
        }
    }

    /// Notes the state after the events at `t`.
    fn settle(&mut self, t: f64) {
        self.t = t;
        if !same_bits(&self.before, &self.y) {
            self.recorder.jump(t, &self.y);
        }
    }

    /// Calls the handler until no further function crosses by what it does; `y` is the state, and
    /// `before` afterwards the one that was found.
    fn happen(&mut self, t: f64, stop: Option<usize>) -> Result<Change, Failure> {
        let mut stop = stop;
        let mut change = Change::Nothing;
        self.before.copy_from_slice(&self.y);
        let mut last = self.y.clone();
        loop {
            for fired in &self.watch.fired {
                self.watch.rate.note(fired.index, t)?;
            }
            if let Some(first) = self.watch.fired.first() {
                self.watch.rate.note_call(first.index, t)?;
            }
            let event = Event {
                t,
                roots: &self.watch.fired,
                stop,
            };
            let response = self.problem.event(&event, &mut self.y);
            self.recorder.solution.events.push(&event, &last, &self.y);
            self.events += 1;
            if response == Response::Terminate || self.watch.is_terminal() {
                return Ok(Change::Terminate);
            }
            if let Some(component) = self.y.iter().position(|y| !y.is_finite()) {
                let value = self.y[component];
                self.y.copy_from_slice(&last);
                return Err(Failure::EventState {
                    component,
                    value,
                    t,
                });
            }
            if same_bits(&last, &self.y) {
                match response {
                    Response::Continue | Response::Terminate => return Ok(change),
                    Response::Kink => self.watch.kink(),
                    Response::Reset => {
                        self.watch.kink();
                        return Ok(Change::Restart(Restart::Reset));
                    }
                }
                return Ok(if change == Change::Nothing {
                    Change::Restart(Restart::Kink)
                } else {
                    change
                });
            }
            change = Change::Restart(Restart::Reset);
            last.copy_from_slice(&self.y);
            stop = None;
            let again = !self.watch.is_empty() && self.watch.jump(&mut self.problem, t, &self.y)?;
            if !again {
                return Ok(change);
            }
        }
    }
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}
