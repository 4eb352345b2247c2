//! What every lane carries between attempts.

use crate::dopri5::control::Control;

/// The state of the lanes, one array per quantity.
#[derive(Debug)]
pub(crate) struct Lanes<const W: usize> {
    pub(crate) t: [f64; W],
    /// Step that is wanted next, positive.
    pub(crate) wanted: [f64; W],
    /// Time that no step may pass.
    pub(crate) limit: [f64; W],
    pub(crate) control: Control<W>,
    /// Along the direction of integration: the time at which the sink wants to see a step next.
    pub(crate) next_output: [f64; W],
    pub(crate) accepted: [u64; W],
    pub(crate) attempts: [u64; W],
    /// Evaluations of the right-hand side for restarts.
    pub(crate) restart_rhs: [u64; W],
    pub(crate) active: [bool; W],
    pub(crate) member: [usize; W],
}

/// The step that every lane tries.
#[derive(Debug)]
pub(crate) struct Proposal<const W: usize> {
    /// Signed step.
    pub(crate) h: [f64; W],
    pub(crate) t_new: [f64; W],
}

impl<const W: usize> Lanes<W> {
    pub(crate) const fn idle() -> Self {
        Self {
            t: [0.0; W],
            wanted: [0.0; W],
            limit: [0.0; W],
            control: Control::new(),
            next_output: [f64::INFINITY; W],
            accepted: [0; W],
            attempts: [0; W],
            restart_rhs: [0; W],
            active: [false; W],
            member: [0; W],
        }
    }

    pub(crate) fn start(&mut self, lane: usize, member: usize, t0: f64, step: f64, output: f64) {
        self.t[lane] = t0;
        self.wanted[lane] = step;
        self.control.start(lane);
        self.next_output[lane] = output;
        self.accepted[lane] = 0;
        self.attempts[lane] = 0;
        self.restart_rhs[lane] = 0;
        self.active[lane] = true;
        self.member[lane] = member;
    }

    /// Frees a lane.
    pub(crate) fn stop(&mut self, lane: usize) {
        self.active[lane] = false;
        self.wanted[lane] = 0.0;
    }

    /// Clips the wanted steps to the limits, see `Options`.
    #[inline(always)]
    pub(crate) fn propose(&self, direction: f64, most: f64) -> Proposal<W> {
        let mut h = [0.0; W];
        let mut t_new = [0.0; W];
        for l in 0..W {
            let wanted = if self.wanted[l] < most {
                self.wanted[l]
            } else {
                most
            };
            let limit = self.limit[l];
            let remaining = (limit - self.t[l]) * direction;
            let last = remaining <= 1.0001 * wanted;
            let split = if remaining < 2.0 * wanted {
                0.5 * remaining
            } else {
                wanted
            };
            let step = if last { remaining } else { split };
            h[l] = direction * step;
            t_new[l] = if last { limit } else { self.t[l] + h[l] };
        }
        Proposal { h, t_new }
    }

    /// Takes over the decision: time, next step, counts. A free lane keeps its zero step.
    #[inline(always)]
    pub(crate) fn advance(&mut self, proposal: &Proposal<W>, direction: f64) {
        let (mut t, mut wanted) = (self.t, self.wanted);
        let mut accepted = self.accepted;
        for l in 0..W {
            let accept = self.control.accepts(l);
            t[l] = if accept { proposal.t_new[l] } else { t[l] };
            wanted[l] = proposal.h[l] * direction * self.control.scale[l];
            accepted[l] += if accept { 1 } else { 0 };
        }
        self.t = t;
        self.wanted = wanted;
        self.accepted = accepted;
        for attempts in &mut self.attempts {
            *attempts += 1;
        }
    }
}
