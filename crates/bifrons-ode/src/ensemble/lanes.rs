//! What every lane carries between attempts.

use super::progress::Progress;
use crate::explicit::control::{Control, Trend};
use crate::explicit::stages::Stages;
use crate::explicit::stiffness::Stiffness;

/// The state of the lanes, one array per quantity.
#[derive(Debug)]
pub(crate) struct Lanes<const W: usize> {
    pub(crate) t: [f64; W],
    /// Step that is wanted next, positive.
    pub(crate) wanted: [f64; W],
    /// Time that no step may pass.
    pub(crate) limit: [f64; W],
    pub(crate) control: Control<W>,
    /// Of implicit methods.
    pub(crate) trend: Trend<W>,
    /// Along the direction of integration: the time at which the sink wants to see a step next.
    pub(crate) next_output: [f64; W],
    pub(crate) accepted: [u64; W],
    pub(crate) attempts: [u64; W],
    /// Events of the member, and what they cost beyond the attempts.
    pub(crate) events: [u64; W],
    pub(crate) restart_rhs: [u64; W],
    /// Looks at root functions on all lanes at once.
    pub(crate) looks: [u64; W],
    /// Count of accepted steps at which a look at stiffness is due, and what was seen.
    pub(crate) stiffness_due: [u64; W],
    pub(crate) stiffness: [Stiffness; W],
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
            trend: Trend::new(),
            next_output: [f64::INFINITY; W],
            accepted: [0; W],
            attempts: [0; W],
            events: [0; W],
            restart_rhs: [0; W],
            looks: [0; W],
            stiffness_due: [u64::MAX; W],
            stiffness: [Stiffness::new(); W],
            active: [false; W],
            member: [0; W],
        }
    }

    pub(crate) fn start(&mut self, lane: usize, member: usize, t0: f64, step: f64, output: f64) {
        self.t[lane] = t0;
        self.wanted[lane] = step;
        self.forget(lane);
        self.next_output[lane] = output;
        self.accepted[lane] = 0;
        self.attempts[lane] = 0;
        self.restart_rhs[lane] = 0;
        self.looks[lane] = 0;
        self.active[lane] = true;
        self.member[lane] = member;
    }

    /// Forgets what step control knows of a lane.
    pub(crate) fn forget(&mut self, lane: usize) {
        self.control.start(lane);
        self.trend.start(lane);
    }

    /// Signs of stiffness are looked for from here on.
    pub(crate) fn watch_stiffness(&mut self, lane: usize) {
        self.stiffness[lane].restart(self.accepted[lane]);
        self.stiffness_due[lane] = self.stiffness[lane].due();
    }

    /// Accepts or rejects the attempt of every lane, and chooses its next step.
    #[inline(always)]
    pub(crate) fn decide<'w, S: Stages<'w, W>>(&mut self, square: &[f64; W], h: &[f64; W]) {
        if S::IMPLICIT {
            self.control.foretell(&mut self.trend, square, h, S::LAW);
        } else {
            self.control.decide(square, S::LAW);
        }
    }

    /// Where the member of a lane stands at the end of an accepted step.
    pub(crate) fn progress(&self, lane: usize) -> Progress {
        Progress {
            t: self.t[lane],
            step: self.wanted[lane],
            memory: self.control.memory(lane),
            accepted: self.accepted[lane],
            attempts: self.attempts[lane],
            restart_rhs: self.restart_rhs[lane],
            trend: self.trend.memory(lane),
            counted: (0, 0),
            stiffness: self.stiffness[lane].to_words(),
            anew: false,
            stiff: false,
        }
    }

    /// Goes on where a member stood.
    pub(crate) fn resume(&mut self, lane: usize, progress: &Progress) {
        self.control.resume(lane, progress.memory);
        self.trend.resume(lane, progress.trend);
        self.stiffness[lane] = Stiffness::of_words(progress.stiffness);
        self.stiffness_due[lane] = self.stiffness[lane].due();
        self.accepted[lane] = progress.accepted;
        self.attempts[lane] = progress.attempts;
        self.restart_rhs[lane] = progress.restart_rhs;
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
            (h[l], t_new[l]) = propose(self.t[l], self.wanted[l], self.limit[l], direction, most);
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

/// The step that is tried from `t`, signed, and where it ends: bit for bit at `limit` if it comes
/// near, see `Options`.
#[inline(always)]
pub(crate) fn propose(t: f64, wanted: f64, limit: f64, direction: f64, most: f64) -> (f64, f64) {
    let wanted = if wanted < most { wanted } else { most };
    let remaining = (limit - t) * direction;
    let last = remaining <= 1.0001 * wanted;
    let split = if remaining < 2.0 * wanted {
        0.5 * remaining
    } else {
        wanted
    };
    let step = if last { remaining } else { split };
    let h = direction * step;
    (h, if last { limit } else { t + h })
}
