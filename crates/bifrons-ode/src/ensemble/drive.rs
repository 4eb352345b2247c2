//! The loop: refill, attempt, decide, show, commit.
#![expect(
    clippy::float_cmp,
    reason = "the end of the span is reached bit for bit"
)]

mod attend;
mod events;
mod start;

use core::ops::Range;

use bifrons_lanes::Kernel;

use super::MemberSink;
use super::events::EventLanes;
use super::lanes::{Lanes, Proposal};
use super::workspace::MemberArrays;
use crate::error::Failure;
use crate::problem::LaneProblem;
use crate::step::View;

/// Lanes from which on a loop over them is worth wide registers.
pub(super) const WIDE: usize = 4;
/// Steps below this many units in the last place of `t` are an underflow.
pub(crate) const LEAST_STEP_ULP: f64 = 4.0;

/// What is the same for all members.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) t0: f64,
    pub(crate) t_end: f64,
    pub(crate) direction: f64,
    pub(crate) relative: f64,
    pub(crate) max_steps: u64,
    pub(crate) initial_step: Option<f64>,
    pub(crate) max_step: f64,
}

/// The attempted step of one lane.
#[derive(Debug)]
struct OneLane {
    lane: usize,
    t_old: f64,
    h: f64,
    t_new: f64,
    norm: f64,
    /// Step that was wanted before the attempt.
    wanted_old: f64,
}

/// Why a member ended before the end of the span, if it did.
#[derive(Debug)]
struct Ended {
    stopped: bool,
    terminated: bool,
    /// Whether signs of stiffness ask for another method.
    stiff: bool,
    failure: Option<Failure>,
}

/// One run of the ensemble.
#[derive(Debug)]
pub(crate) struct Drive<'d, const W: usize, P, S, A> {
    pub(crate) problem: &'d mut P,
    pub(crate) sink: &'d mut S,
    pub(crate) members: Range<usize>,
    pub(crate) settings: Settings,
    pub(crate) stages: A,
    pub(crate) member: MemberArrays<'d>,
    /// Buffers for root functions, if the problem has any.
    pub(crate) events: Option<&'d mut EventLanes<W>>,
}

impl<'d, const W: usize, P, S, A> Kernel for Drive<'d, W, P, S, A>
where
    P: LaneProblem<W>,
    S: MemberSink<W>,
    A: View<'d, W>,
{
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let n = if P::DIMENSION > 0 {
            P::DIMENSION
        } else {
            self.problem.dimension()
        };
        if P::DIMENSION > 0 {
            return self.drive(n);
        }
        // A literal dimension unrolls the loops over components, which are short on few lanes.
        match n {
            1 => self.drive(1),
            2 => self.drive(2),
            3 => self.drive(3),
            4 => self.drive(4),
            n => self.drive(n),
        }
    }
}

impl<'d, const W: usize, P, S, A> Drive<'d, W, P, S, A>
where
    P: LaneProblem<W>,
    S: MemberSink<W>,
    A: View<'d, W>,
{
    #[inline(always)]
    fn drive(mut self, n: usize) {
        let Settings {
            direction,
            relative,
            max_step,
            ..
        } = self.settings;
        let mut lanes = Lanes::<W>::idle();
        self.stages
            .prepare_run(relative, self.member.absolute, direction);
        self.refill(&mut lanes);
        while lanes.active.iter().any(|&active| active) {
            let proposal = lanes.propose(direction, max_step);
            self.stages
                .attempt(n, self.problem, &lanes.t, &proposal.h, &proposal.t_new);
            let square = self
                .stages
                .error_square(n, &proposal.h, relative, self.member.absolute);
            lanes.decide::<A>(&square, &proposal.h);
            let (t_old, wanted_old) = (lanes.t, lanes.wanted);
            lanes.advance(&proposal, direction);
            let mut attention = self.attention(&lanes, &proposal, &square);
            let mut look = [false; W];
            if let Some(events) = self.events.as_deref_mut() {
                let step = (&t_old, &proposal.h, &proposal.t_new);
                look = events.scan(n, self.problem, &self.stages, step);
                let looks = events.looks();
                for l in 0..W {
                    let accepted = lanes.active[l] & lanes.control.accepts(l);
                    look[l] &= accepted;
                    attention[l] |= look[l];
                    lanes.looks[l] += if accepted & !look[l] { looks } else { 0 };
                }
            }
            let mut freed = false;
            if attention.iter().any(|&a| a) {
                for lane in 0..W {
                    if attention[lane] {
                        let one = OneLane {
                            lane,
                            t_old: t_old[lane],
                            h: proposal.h[lane],
                            t_new: proposal.t_new[lane],
                            norm: square[lane].sqrt(),
                            wanted_old: wanted_old[lane],
                        };
                        freed |= self.attend(&mut lanes, &one, look[lane]);
                    }
                }
            }
            self.stages.commit(n, &lanes.control);
            if freed {
                self.refill(&mut lanes);
            }
        }
    }

    /// Lanes about which something must be done one by one.
    #[inline(always)]
    fn attention(&self, lanes: &Lanes<W>, proposal: &Proposal<W>, square: &[f64; W]) -> [bool; W] {
        let Settings {
            direction,
            max_steps,
            ..
        } = self.settings;
        let mut attention = [false; W];
        for l in 0..W {
            let t_new = proposal.t_new[l];
            let due = (t_new * direction >= lanes.next_output[l]) | (t_new == lanes.limit[l]);
            let least = LEAST_STEP_ULP * f64::EPSILON * lanes.t[l].abs();
            let tiny = !(lanes.wanted[l] > least);
            let spent = lanes.attempts[l] >= max_steps;
            let look = lanes.accepted[l] == lanes.stiffness_due[l];
            let strict = self.settings.relative == 0.0;
            let unusual = tiny | spent | look | strict | !(square[l] < f64::INFINITY);
            attention[l] = lanes.active[l] & ((lanes.control.accepts(l) & due) | unusual);
        }
        attention
    }
}

/// A time along the direction of integration; infinities keep their meaning.
fn signed(t: f64, direction: f64) -> f64 {
    if t.is_infinite() { t } else { t * direction }
}

fn not_finite(values: &[f64]) -> Option<(usize, &f64)> {
    values.iter().enumerate().find(|(_, v)| !v.is_finite())
}
