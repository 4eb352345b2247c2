//! Events on the way back: which lie at a time, and what they make of derivatives.
#![expect(
    clippy::float_cmp,
    reason = "events of one instant are found by its own bits"
)]

use core::ops::RangeInclusive;

use super::Covector;
use crate::event::{Event, EventLog};
use crate::model::Model;
use crate::solution::{Outcome, Solution};
use crate::tangent::{Passage, Track};

/// Events that the sweep has not passed yet.
pub(super) struct Events<'p, M> {
    parameters: &'p [f64],
    /// The model before each event, and whether its handler asked for anything.
    before: Vec<(M, bool)>,
    left: usize,
    terminated: bool,
    direction: f64,
    units: Vec<f64>,
    columns: Vec<f64>,
}

/// All unit directions of the state, then zeros for the parameters.
pub(super) fn units(n: usize, m: usize) -> Vec<f64> {
    let mut units = vec![0.0; (n + m) * n];
    for i in 0..n {
        units[i * n + i] = 1.0;
    }
    units
}

impl<'p, M: Model + Clone> Events<'p, M> {
    pub(super) fn new(
        before: Vec<(M, bool)>,
        solution: &Solution,
        (n, parameters): (usize, &'p [f64]),
        direction: f64,
    ) -> Self {
        let units = units(n, parameters.len());
        Self {
            parameters,
            before,
            left: solution.events.len(),
            terminated: solution.outcome == Outcome::Terminated,
            direction,
            columns: units.clone(),
            units,
        }
    }

    /// Takes derivatives back through every event at `t`, and `model` to what it was before them
    /// and before those after `t`.
    pub(super) fn pass(
        &mut self,
        t: f64,
        log: &EventLog,
        (passage, model): (&mut Passage, &mut M),
        covector: &mut Covector,
    ) {
        while let Some(last) = self.left.checked_sub(1)
            && let Some(event) = log.get(last)
            && (event.t - t) * self.direction >= 0.0
        {
            // What fires by what a handler does, at the same instant, moves with it.
            let same = |k: &usize| log.get(*k).is_some_and(|e| e.t == event.t);
            let first = (0..=last).rev().take_while(same).last().unwrap_or(last);
            self.left = first;
            let terminal = self.terminated && last + 1 == log.len();
            let changes = (first..=last).any(|k| {
                let logged = log.get(k);
                self.before[k].1 || logged.is_some_and(|e| e.before != e.after)
            });
            if event.t == t && (changes || terminal) {
                self.one_instant(first..=last, log, (passage, terminal), covector);
            }
            *model = self.before[first].0.clone();
        }
    }

    fn one_instant(
        &mut self,
        group: RangeInclusive<usize>,
        log: &EventLog,
        (passage, terminal): (&mut Passage, bool),
        covector: &mut Covector,
    ) {
        let (n, m) = (covector.state.len(), covector.parameters.len());
        self.columns.copy_from_slice(&self.units);
        passage.forget();
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
            passage.event(&mut model, &event, at, &mut track);
            if terminal {
                // What is observed moves with the instant.
                passage.slope(&model, (event.t, logged.after, self.parameters), &mut slope);
            }
        }
        let lambda = covector.state.clone();
        let moved: f64 = lambda.iter().zip(&slope).map(|(a, b)| a * b).sum();
        for (d, column) in self.columns.chunks_exact(n).enumerate() {
            let pulled: f64 = column.iter().zip(&lambda).map(|(a, b)| a * b).sum();
            let pulled = pulled + moved * passage.shift[d];
            if d < n {
                covector.state[d] = pulled;
            } else {
                covector.parameters[d - n] += pulled;
            }
        }
    }
}
