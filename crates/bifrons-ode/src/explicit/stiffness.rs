//! Signs of stiffness in the steps of an explicit method.
//!
//! `h |λ|` is estimated from the last two stages (Hairer and Wanner 1996, section IV.2). Every 25
//! accepted steps one is looked at, and every step while there are signs; 15 signs without 6 looks
//! in between that are clear make one suspicion.

use super::stages::Stages;

/// Accepted steps between two looks.
const INTERVAL: u64 = 25;
const SIGNS: u32 = 15;
const CLEAR: u32 = 6;

/// Estimate of `h |λ|` in the accepted step of a lane; zero if the last two stages are one.
pub(crate) fn measure<'w, S: Stages<'w, W>, const W: usize>(
    stages: &S,
    lane: usize,
    h: f64,
) -> f64 {
    let (argument, slope) = stages.last_stage();
    let (y, slope_new) = stages.end();
    let (mut slopes, mut states) = (0.0, 0.0);
    for i in 0..y.len() {
        let ds = slope_new[i][lane] - slope[i][lane];
        let dy = y[i][lane] - argument[i][lane];
        slopes += ds * ds;
        states += dy * dy;
    }
    if states > 0.0 {
        h.abs() * (slopes / states).sqrt()
    } else {
        0.0
    }
}

/// The detector of one run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stiffness {
    signs: u32,
    clear: u32,
    /// Count of accepted steps at which the next look is due.
    due: u64,
    /// Suspicions so far.
    pub(crate) suspected: u64,
}

impl Stiffness {
    pub(crate) const fn new() -> Self {
        Self {
            signs: 0,
            clear: 0,
            due: INTERVAL,
            suspected: 0,
        }
    }

    /// Everything that is known, as words.
    pub(crate) const fn to_words(self) -> [u64; 3] {
        let signs = (self.signs as u64) | ((self.clear as u64) << 32);
        [signs, self.due, self.suspected]
    }

    /// What [`to_words`](Self::to_words) has written.
    pub(crate) fn of_words([signs, due, suspected]: [u64; 3]) -> Self {
        let half = |word: u64| u32::try_from(word & u64::from(u32::MAX)).unwrap_or(0);
        Self {
            signs: half(signs),
            clear: half(signs >> 32),
            due,
            suspected,
        }
    }

    /// Count of accepted steps at which the next look is due.
    pub(crate) const fn due(&self) -> u64 {
        self.due
    }

    /// Looks at the accepted step of a lane, the `accepted`-th one.
    pub(crate) fn look<'w, S: Stages<'w, W>, const W: usize>(
        &mut self,
        stages: &S,
        lane: usize,
        h: f64,
        accepted: u64,
    ) {
        let at_bound = measure(stages, lane, h) > S::STABILITY;
        if at_bound {
            self.clear = 0;
            self.signs += 1;
            if self.signs == SIGNS {
                self.suspected += 1;
                self.signs = 0;
            }
        } else if self.signs > 0 {
            self.clear += 1;
            if self.clear == CLEAR {
                self.signs = 0;
                self.clear = 0;
            }
        }
        self.plan(accepted);
    }

    /// Forgets signs: the run goes on from another state after `accepted` steps.
    pub(crate) fn restart(&mut self, accepted: u64) {
        self.signs = 0;
        self.plan(accepted);
    }

    fn plan(&mut self, accepted: u64) {
        self.due = if self.signs > 0 {
            accepted + 1
        } else {
            (accepted / INTERVAL + 1) * INTERVAL
        };
    }
}
