//! The sweep over the steps of implicit methods: checkpoints, steps taken again, their adjoints.

use super::events::{Events, units};
use super::{Covector, Gradient, Remembering};
use crate::drive::Run;
use crate::error::{Failure, SolveError};
use crate::event::EventLog;
use crate::implicit::{Algebra, Base, Pull, Reverse, Setup, Visitor, with_method};
use crate::model::{Model, Modelled};
use crate::options::Options;
use crate::pool::Pool;
use crate::problem::{Erased, Problem as _, Whole};
use crate::recorder::Recorder;
use crate::solution::Solution;
use crate::solve::check;
use crate::statistics::Statistics;
use crate::stepper::{Attempt, Restart, Start, Stepper};
use crate::tangent::{Augmented, Passage};

/// A part of a run, between two checkpoints.
struct Segment<S> {
    /// The method at the start.
    at: S,
    /// Whether it has started there, with no memory of steps before.
    restarted: bool,
    /// Accepted steps of the part.
    steps: usize,
    /// What these steps were not to pass, and the last time at which derivatives were evaluated.
    limit: f64,
    latest: f64,
}

/// Checkpoints of a run.
struct Tape<S> {
    segments: Vec<Segment<S>>,
    every: usize,
    /// The state at the very start, made consistent.
    initial: Vec<f64>,
}

impl<S: Clone> Tape<S> {
    fn keep(&mut self, method: &S, restarted: bool) {
        self.segments.push(Segment {
            at: method.clone(),
            restarted,
            steps: 0,
            limit: f64::NAN,
            latest: f64::NAN,
        });
    }
}

/// A method that keeps checkpoints.
struct Taped<'t, S> {
    inner: S,
    tape: &'t mut Tape<S>,
}

/// What does not depend on the problem.
macro_rules! base {
    ($self:ident . $name:ident ( $($argument:expr),* )) => {
        Stepper::<Base<'_, '_>>::$name(&$self.inner $(, $argument)*)
    };
}

impl<'p, S: Reverse> Stepper<Erased<'p>> for Taped<'_, S> {
    fn start(&mut self, problem: &mut Erased<'p>, start: &Start<'_>) -> Result<(), Failure> {
        self.inner.start(&mut Base(problem), start)?;
        self.tape.keep(&self.inner, true);
        Ok(())
    }

    fn make_consistent(
        &mut self,
        problem: &mut Erased<'p>,
        t: f64,
        y: &mut [f64],
        first: bool,
    ) -> Result<(), Failure> {
        self.inner
            .make_consistent(&mut Base(problem), t, y, first)?;
        if first {
            self.tape.initial.extend_from_slice(y);
        }
        Ok(())
    }

    fn attempt(&mut self, problem: &mut Erased<'p>, limit: f64) -> Result<Attempt, Failure> {
        let every = self.tape.every;
        if self.tape.segments.last().is_some_and(|s| s.steps >= every) {
            self.tape.keep(&self.inner, false);
        }
        let attempt = self.inner.attempt(&mut Base(problem), limit)?;
        if let Some(segment) = self.tape.segments.last_mut() {
            segment.steps += usize::from(attempt == Attempt::Accepted);
            segment.limit = limit;
            segment.latest = problem.latest();
        }
        Ok(attempt)
    }

    fn t_old(&self) -> f64 {
        base!(self.t_old())
    }

    fn t(&self) -> f64 {
        base!(self.t())
    }

    fn length(&self) -> f64 {
        base!(self.length())
    }

    fn state(&self) -> &[f64] {
        base!(self.state())
    }

    fn prepare_dense(&mut self, problem: &mut Erased<'p>) -> Result<(), Failure> {
        self.inner.prepare_dense(&mut Base(problem))
    }

    fn interpolate(&self, t: f64, state: &mut [f64]) {
        base!(self.interpolate(t, state));
    }

    fn coefficient_count(&self) -> usize {
        base!(self.coefficient_count())
    }

    fn coefficients(&self, i: usize, out: &mut [f64]) {
        base!(self.coefficients(i, out));
    }

    fn restart(
        &mut self,
        problem: &mut Erased<'p>,
        t: f64,
        y: &[f64],
        limit: f64,
        restart: Restart,
    ) -> Result<(), Failure> {
        self.inner
            .restart(&mut Base(problem), t, y, limit, restart)?;
        self.tape.keep(&self.inner, true);
        Ok(())
    }

    fn statistics(&self) -> Statistics {
        base!(self.statistics())
    }
}

/// The gradient by the implicit method of the options.
pub(super) fn run<M: Model + Clone>(
    model: M,
    parameters: &[f64],
    (t0, y0, t_end): (f64, &[f64], f64),
    options: &Options,
    every: usize,
    observe: impl FnMut(f64, &[f64], &mut [f64]),
) -> Result<Gradient, SolveError> {
    let modelled = Modelled::new(model.clone(), parameters);
    check(&modelled, t0, y0, t_end, options)?;
    let setup =
        Setup::new(&modelled, &options.tolerance).with_initialisation(options.initialisation);
    let task = Task {
        model,
        parameters,
        span: (t0, t_end),
        y0,
        options,
        every: every.max(1),
        observe,
    };
    with_method(options.method, &setup, |i| modelled.index(i), task)
}

/// What a gradient is asked for.
struct Task<'r, M, O> {
    model: M,
    parameters: &'r [f64],
    span: (f64, f64),
    y0: &'r [f64],
    options: &'r Options,
    every: usize,
    observe: O,
}

impl<M: Model + Clone, O: FnMut(f64, &[f64], &mut [f64])> Visitor for Task<'_, M, O> {
    type Output = Gradient;

    fn visit<S: Reverse>(mut self, stepper: S) -> Result<Gradient, SolveError> {
        let (n, m) = (self.y0.len(), self.parameters.len());
        let direction = if self.span.1 < self.span.0 { -1.0 } else { 1.0 };
        let mut remembering = Remembering::new(self.model.clone(), self.parameters);
        let mut tape = Tape {
            segments: Vec::new(),
            every: self.every,
            initial: Vec::new(),
        };
        let mut recorder = Recorder::with_checkpoints(self.span, self.y0, self.every);
        let mut whole = Whole(&mut remembering);
        let problem = Erased::new(&mut whole, direction);
        let taped = Taped {
            inner: stepper,
            tape: &mut tape,
        };
        let pool = &mut Pool::once();
        let run = Run::new(problem, taped, &mut recorder, self.span, self.options, pool)?;
        run.run(self.y0, self.options, pool);
        let solution = recorder.finish()?;
        let Remembering { inner, before } = remembering;
        let algebra = Algebra::new(&inner.model, n + m, &self.options.tolerance)?;
        let passage = Passage::new(&inner.model, m, n + m, self.span.0, algebra);
        let mut sweep = Sweep {
            events: Events::new(before, &solution, (n, self.parameters), direction),
            augmented: Augmented::new(inner.model, self.parameters, n, passage),
            direction,
            units: units(n, m),
            block: vec![0.0; n * (n + m)],
            covector: Covector::new(n, m),
        };
        match sweep.run(&tape, &solution, &mut self.observe) {
            Ok(()) => Ok(Gradient {
                initial: sweep.covector.state,
                parameters: sweep.covector.parameters,
                solution,
            }),
            Err(failure) => Err(SolveError::Failed {
                failure,
                partial: Box::new(solution),
            }),
        }
    }
}

/// The sweep from the end to the start.
struct Sweep<'p, M> {
    events: Events<'p, M>,
    /// The model in the mode of the current part.
    augmented: Augmented<M>,
    direction: f64,
    units: Vec<f64>,
    block: Vec<f64>,
    covector: Covector,
}

impl<M: Model + Clone> Sweep<'_, M> {
    fn run<S: Reverse>(
        &mut self,
        tape: &Tape<S>,
        solution: &Solution,
        observe: &mut impl FnMut(f64, &[f64], &mut [f64]),
    ) -> Result<(), Failure> {
        let end = solution.last_time;
        observe(end, &solution.last_state, &mut self.covector.state);
        let mut adjoint: Option<S::Adjoint> = None;
        for (k, segment) in tape.segments.iter().enumerate().rev() {
            let next = tape.segments.get(k + 1);
            let upto = next.map_or(end, |next| Stepper::<Base<'_, '_>>::t(&next.at));
            let cut = next.is_none_or(|next| next.restarted);
            if cut {
                self.events_at(upto, &solution.events);
                if upto.to_bits() != end.to_bits() {
                    self.observe_stop(upto, &solution.events, observe);
                }
            }
            self.segment(segment, cut.then_some(upto), &mut adjoint)?;
        }
        let start = solution.times.first().copied().unwrap_or(end);
        self.events_at(start, &solution.events);
        self.consistent(start, &tape.initial);
        Ok(())
    }

    fn events_at(&mut self, t: f64, log: &EventLog) {
        let at = (&mut self.augmented.passage, &mut self.augmented.model);
        self.events.pass(t, log, at, &mut self.covector);
    }

    /// The observation at a declared stop, of the state before its handler.
    fn observe_stop(
        &mut self,
        t: f64,
        log: &EventLog,
        observe: &mut impl FnMut(f64, &[f64], &mut [f64]),
    ) {
        let stop = log
            .iter()
            .find(|event| event.stop.is_some() && event.t.to_bits() == t.to_bits());
        if let Some(event) = stop {
            observe(t, event.before, &mut self.covector.state);
        }
    }

    /// Takes the steps of a part again, then derivatives back through them. They are those by the
    /// state at `cut` if that is given, else by what the last step left behind.
    fn segment<S: Reverse>(
        &mut self,
        segment: &Segment<S>,
        cut: Option<f64>,
        adjoint: &mut Option<S::Adjoint>,
    ) -> Result<(), Failure> {
        let mut method = segment.at.clone();
        let mut problem = Erased::new(&mut self.augmented, self.direction);
        problem.set_latest(segment.latest);
        let mut records = Vec::with_capacity(segment.steps);
        while records.len() < segment.steps {
            if method.attempt(&mut Base(&mut problem), segment.limit)? == Attempt::Accepted {
                records.push(method.record());
            }
        }
        let Some(mut link) = problem.derivatives().filter(|_| !records.is_empty()) else {
            return Ok(());
        };
        let mut pull = Pull {
            link: &mut link,
            units: &self.units,
            block: &mut self.block,
            gradient: &mut self.covector.parameters,
        };
        let lambda = core::mem::take(&mut self.covector.state);
        let mut end = cut.map(|t| (t, lambda.as_slice()));
        let mut own = adjoint
            .take()
            .filter(|_| cut.is_none())
            .unwrap_or_else(|| method.zero());
        for record in records.iter().rev() {
            method.pull(&mut own, record, end.take(), &mut pull);
        }
        self.covector.state = lambda;
        if segment.restarted {
            segment.at.lift(&own, &mut pull, &mut self.covector.state);
        } else {
            *adjoint = Some(own);
        }
        Ok(())
    }

    /// From the consistent initial state to the one that was given.
    fn consistent(&mut self, t: f64, y: &[f64]) {
        let mut problem = Erased::new(&mut self.augmented, self.direction);
        let Some(mut link) = problem.derivatives() else {
            return;
        };
        let mut pull = Pull {
            link: &mut link,
            units: &self.units,
            block: &mut self.block,
            gradient: &mut self.covector.parameters,
        };
        pull.load_consistent(t, y);
        let mut given = vec![0.0; y.len()];
        pull.add(1.0, &self.covector.state, &mut given);
        self.covector.state = given;
    }
}
