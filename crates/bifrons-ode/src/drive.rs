//! The driver of general runs: outputs, stops, root functions and budgets around any stepper.
#![expect(
    clippy::float_cmp,
    reason = "ends of spans and instants are met bit for bit"
)]

mod stops;

use core::marker::PhantomData;

use crate::dense::Interpolant;
use crate::error::{Failure, InputError};
use crate::event::{Event, EventLog, Response, RootRule};
use crate::method::Method;
use crate::options::Options;
use crate::pool::Pool;
use crate::problem::{Bounded, Carries, Fault, Problem};
use crate::recorder::Recorder;
use crate::solution::Outcome;
use crate::stepper::{Attempt, Restart, Start, Stepper};
use crate::tolerance::check_round_off;
use crate::watch::{Change, Found, Rate, Track, Watch, happen, same_bits};
use stops::Stops;

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

/// A stepper's last step with the functions and the handler of its problem.
struct Followed<'f, P, S> {
    problem: &'f mut P,
    stepper: &'f mut S,
    log: &'f mut EventLog,
    /// State before the handler was called.
    before: &'f mut [f64],
    /// Why a state that the handler left could not be made consistent.
    failure: &'f mut Option<Failure>,
}

impl<'p, P, S> Track for Followed<'_, Bounded<'p, P>, S>
where
    P: Carries + ?Sized,
    S: Stepper<Bounded<'p, P>>,
{
    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        self.problem.roots(t, y, g)
    }
    fn state_at(&self, t: f64, y: &mut [f64]) {
        self.stepper.interpolate(t, y);
    }
    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
        self.before.copy_from_slice(y);
        let response = self.problem.event(event, y);
        // A state that is not finite is named elsewhere. Functions and logs see a consistent one.
        let own = self.own(y.len());
        if !same_bits(&self.before[..own], &y[..own]) && y.iter().all(|v| v.is_finite()) {
            let found = self
                .stepper
                .make_consistent(self.problem, event.t, y, false);
            if let Err(failure) = found {
                *self.failure = Some(failure);
                return Response::Terminate;
            }
        }
        response
    }
    fn note(&mut self, event: &Event<'_>, before: &[f64], after: &[f64]) {
        self.log.push(event, before, after);
    }
    fn own(&self, _count: usize) -> usize {
        self.problem.own_dimension()
    }
}

/// A general run of one problem.
pub(crate) struct Run<'r, 's, 'p, P: ?Sized, S> {
    problem: Bounded<'p, P>,
    stepper: S,
    recorder: &'r mut Recorder<'s>,
    watch: Watch,
    stops: Stops,
    failure: Option<Failure>,
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
    scratch: Vec<f64>,
    /// State before the handler of an event.
    handled: Vec<f64>,
}

impl<'r, 's, 'p, P, S> Run<'r, 's, 'p, P, S>
where
    P: Carries + ?Sized,
    S: Stepper<Bounded<'p, P>>,
{
    /// A run that has not started.
    ///
    /// # Errors
    ///
    /// [`InputError::StopTime`].
    pub(crate) fn new(
        problem: Bounded<'p, P>,
        stepper: S,
        recorder: &'r mut Recorder<'s>,
        (t0, t_end): (f64, f64),
        options: &Options,
        pool: &mut Pool,
    ) -> Result<Self, InputError> {
        let direction = if t_end < t0 { -1.0 } else { 1.0 };
        let span = (t_end - t0).abs();
        let (n, count) = (problem.dimension(), problem.root_count());
        let stops = Stops::new(
            &options.stops,
            (t0, t_end),
            core::mem::take(&mut pool.stops),
        )?;
        let kept = pool.watch.take().filter(|watch| watch.suits(n, count));
        let mut watch = kept.unwrap_or_else(|| {
            let rules = vec![RootRule::default(); count];
            Watch::new(rules, n, 1, 1.0, Rate::new(count, span, 0))
        });
        let parts = options.root_parts.max(1);
        watch.configure(|i| problem.root_rule(i), parts, direction);
        watch.rate.configure(span, options.max_events_per_window);
        watch.reset();
        Ok(Self {
            problem,
            stepper,
            recorder,
            watch,
            stops,
            failure: None,
            t_end,
            direction,
            max_steps: options.max_steps,
            attempts: 0,
            events: 0,
            ready: false,
            t: t0,
            y: pool.zeros(n),
            before: pool.zeros(n),
            scratch: pool.zeros(n),
            handled: pool.zeros(n),
        })
    }

    /// Runs to the end; the recorder has the result, the caller the stepper, the pool the rest.
    pub(crate) fn run(mut self, y0: &[f64], options: &Options, pool: &mut Pool) -> S {
        self.y.copy_from_slice(y0);
        let outcome = self.integrate(options);
        let solution = &mut self.recorder.solution;
        match outcome {
            Ok(outcome) => solution.outcome = outcome,
            Err(failure) => self.recorder.failure = Some(failure),
        }
        solution.last_time = self.t;
        solution.last_state.copy_from_slice(&self.y);
        solution.phases.extend_from_slice(self.stepper.phases());
        solution.statistics = self.stepper.statistics();
        solution.statistics.root_evaluations = self.watch.evaluations;
        solution.statistics.disarmed = self.watch.disarmed;
        solution.statistics.events = self.events;
        pool.give([self.y, self.before, self.scratch, self.handled]);
        pool.give_driver(self.watch, self.stops.into_times());
        self.stepper
    }

    fn integrate(&mut self, options: &Options) -> Result<Outcome, Failure> {
        let t0 = self.t;
        self.stepper
            .make_consistent(&mut self.problem, t0, &mut self.y, true)?;
        self.recorder.start(t0, &self.y);
        let mut fired = false;
        if !self.watch.is_empty() {
            let y = core::mem::take(&mut self.y);
            let (watch, mut track) = self.track();
            let found = watch.start(&mut track, t0, &y);
            self.y = y;
            fired = found?;
        }
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
        self.check_round_off(options)?;
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
                self.check_round_off(options)?;
            }
            if self.attempts >= self.max_steps {
                return Err(Failure::StepBudget {
                    t: self.t,
                    budget: self.max_steps,
                });
            }
        }
    }

    /// The tolerances must be above the round-off of the state.
    fn check_round_off(&self, options: &Options) -> Result<(), Failure> {
        if matches!(options.method, Method::Rk4 { .. }) {
            // Steps of fixed size look at no tolerance.
            return Ok(());
        }
        let (relative, absolute) = (options.tolerance.relative(), options.tolerance.absolute());
        // Columns that are carried along have tolerances of their own or none.
        let count = if absolute.len() == self.y.len() {
            self.y.len()
        } else {
            self.problem.own_dimension()
        };
        check_round_off(self.t, &self.y[..count], (relative, absolute))
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
            let (watch, mut track) = self.track();
            match watch.search(&mut track, step) {
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
        if self.stops.next_time() == Some(end) {
            self.recorder.keep_next();
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
        self.recorder.keep_next();
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

    fn happen(&mut self, t: f64, stop: Option<usize>) -> Result<Change, Failure> {
        let mut track = Followed {
            problem: &mut self.problem,
            stepper: &mut self.stepper,
            log: &mut self.recorder.solution.events,
            before: &mut self.handled,
            failure: &mut self.failure,
        };
        let states = (
            self.y.as_mut_slice(),
            self.before.as_mut_slice(),
            self.scratch.as_mut_slice(),
        );
        let result = happen(&mut self.watch, &mut track, t, stop, states);
        self.events = self.recorder.solution.events.len() as u64;
        self.failure.take().map_or(result, Err)
    }

    fn track(&mut self) -> (&mut Watch, Followed<'_, Bounded<'p, P>, S>) {
        let track = Followed {
            problem: &mut self.problem,
            stepper: &mut self.stepper,
            log: &mut self.recorder.solution.events,
            before: &mut self.handled,
            failure: &mut self.failure,
        };
        (&mut self.watch, track)
    }
}
