//! Root functions of members: all lanes are looked at together, a lane that needs it alone.

use bifrons_memory::Footprint;

use super::{MemberEvent, MemberSink};
use crate::dense::polynomial;
use crate::event::{Event, Response};
use crate::options::Options;
use crate::problem::{Fault, LaneProblem};
use crate::step::{Step, View};
use crate::watch::{Rate, Track, Watch};

/// Most coefficients of an interpolant on lanes.
const COEFFICIENTS: usize = 5;

/// Buffers for the root functions of `W` lanes.
#[derive(Debug, Clone)]
pub(crate) struct EventLanes<const W: usize> {
    pub(crate) watches: Vec<Watch>,
    /// Per function and lane: the side that it is armed on, 0 if it is at zero.
    side: Vec<[f64; W]>,
    values: Vec<[f64; W]>,
    states: Vec<[f64; W]>,
    dense: Vec<[[f64; W]; COEFFICIENTS]>,
    pub(crate) before: Vec<f64>,
    pub(crate) scratch: Vec<f64>,
    parts: u32,
}

impl<const W: usize> EventLanes<W> {
    pub(crate) fn new(dimension: usize, roots: usize) -> Self {
        let rate = || Rate::new(roots, 0.0, 0);
        let rules = || vec![crate::event::RootRule::default(); roots];
        Self {
            watches: (0..W)
                .map(|_| Watch::new(rules(), dimension, 1, 1.0, rate()))
                .collect(),
            side: vec![[0.0; W]; roots],
            values: vec![[0.0; W]; roots],
            states: vec![[0.0; W]; dimension],
            dense: vec![[[0.0; W]; COEFFICIENTS]; dimension],
            before: vec![0.0; dimension],
            scratch: vec![0.0; dimension],
            parts: 1,
        }
    }

    /// Bytes of the buffers.
    pub(crate) fn footprint(dimension: usize, roots: usize) -> Footprint {
        let lanes = Footprint::of::<[f64; W]>(2 * roots + (1 + COEFFICIENTS) * dimension);
        let states = Footprint::of::<f64>(2 * dimension);
        let watches = Watch::footprint(dimension, roots).times(W as u64);
        lanes
            .beside(states)
            .beside(watches)
            .beside(Footprint::of::<Watch>(W))
    }

    /// Takes over the rules and settings of a run.
    pub(crate) fn configure<P: LaneProblem<W>>(
        &mut self,
        problem: &P,
        direction: f64,
        span: f64,
        options: &Options,
    ) {
        self.parts = options.root_parts.max(1);
        for watch in &mut self.watches {
            watch.configure(|i| problem.root_rule(i), self.parts, direction);
            watch.rate.configure(span, options.max_events_per_window);
        }
    }

    /// Keeps the sides of a lane where the loop over lanes reads them.
    pub(crate) fn mirror(&mut self, lane: usize) {
        for (side, &own) in self.side.iter_mut().zip(self.watches[lane].sides()) {
            side[lane] = f64::from(own);
        }
    }

    /// Lanes with a function that is not seen on the side that it is armed on, at any part of the
    /// step. The values have the bits that a look at one lane finds.
    #[inline(always)]
    pub(crate) fn scan<'w, P: LaneProblem<W>, A: View<'w, W>>(
        &mut self,
        n: usize,
        problem: &mut P,
        stages: &A,
        (t_old, h, t_new): (&[f64; W], &[f64; W], &[f64; W]),
    ) -> [bool; W] {
        for i in 0..n {
            for l in 0..W {
                let mut row = [0.0; COEFFICIENTS];
                stages.coefficients(i, l, h[l], &mut row);
                for (all, one) in self.dense[i].iter_mut().zip(row) {
                    all[l] = one;
                }
            }
        }
        let mut look = [false; W];
        for part in 1..=self.parts {
            let mut t = *t_new;
            if part < self.parts {
                let share = f64::from(part) / f64::from(self.parts);
                for l in 0..W {
                    t[l] = t_old[l] + (t_new[l] - t_old[l]) * share;
                }
                for i in 0..n {
                    for l in 0..W {
                        let row = &self.dense[i];
                        let row = [row[0][l], row[1][l], row[2][l], row[3][l], row[4][l]];
                        let theta = (t[l] - t_old[l]) / h[l];
                        self.states[i][l] = polynomial(&row, theta);
                    }
                }
                problem.roots(&t, &self.states[..n], &mut self.values);
            } else {
                problem.roots(&t, &stages.end().0[..n], &mut self.values);
            }
            for (side, value) in self.side.iter().zip(&self.values) {
                for l in 0..W {
                    look[l] |= !(side[l] * value[l] > 0.0);
                }
            }
        }
        look
    }

    /// Looks per step of a lane that needs no look alone.
    pub(crate) fn looks(&self) -> u64 {
        u64::from(self.parts)
    }
}

/// The last step of one lane, with its member's functions and handler.
pub(crate) struct LaneTrack<'t, const W: usize, P, S, A> {
    pub(crate) problem: &'t mut P,
    pub(crate) sink: &'t mut S,
    pub(crate) stages: &'t A,
    pub(crate) lane: usize,
    pub(crate) member: usize,
    /// Start, length and end of the step.
    pub(crate) step: (f64, f64, f64),
    pub(crate) events: &'t mut u64,
}

impl<'w, const W: usize, P, S, A> Track for LaneTrack<'_, W, P, S, A>
where
    P: LaneProblem<W>,
    S: MemberSink<W>,
    A: View<'w, W>,
{
    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        self.problem.roots_one(self.lane, t, y, g);
        Ok(())
    }
    fn state_at(&self, t: f64, y: &mut [f64]) {
        let (t_old, h, t_new) = self.step;
        let step = Step {
            stages: self.stages.view(),
            lane: self.lane,
            member: self.member,
            t_old,
            t_new,
            h,
            cut: None,
        };
        step.state_at(t, y);
    }
    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
        self.problem.event(self.lane, event, y)
    }
    fn note(&mut self, event: &Event<'_>, before: &[f64], after: &[f64]) {
        *self.events += 1;
        self.sink.event(&MemberEvent {
            member: self.member,
            lane: self.lane,
            event: *event,
            before,
            after,
        });
    }
}
