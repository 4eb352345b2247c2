//! The PI controller, on lanes.

use bifrons_lanes::math::{exp2_fast, log2_fast};

const SAFETY: f64 = 0.9;
const SHRINK_MOST: f64 = 0.2;
const GROW_MOST: f64 = 10.0;
/// Squares of error norms are kept within these bounds, NaN counts as the upper one.
const LEAST_SQUARE: f64 = 1e-20;
const MOST_SQUARE: f64 = 1e20;

/// Logarithm of the error norm that a run starts with: Hairer's 1e-4.
const LOG_ERROR_START: f64 = -13.287_712_379_549_449;

/// How step sizes follow errors: exponents of the error norm and of the one before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Law {
    /// Order of the error estimate plus one, the root that step control takes.
    pub(crate) order: f64,
    /// Exponent of the last error norm.
    alpha: f64,
    /// Exponent of the error norm before it.
    beta: f64,
    /// The factor on a step stays within these bounds.
    shrink_most: f64,
    grow_most: f64,
}

impl Law {
    /// `alpha = 1/order - 0.75 beta` (Hairer, Nørsett, Wanner 1993, section IV.2).
    pub(crate) const fn new(order: f64, beta: f64) -> Self {
        Self {
            order,
            alpha: 1.0 / order - 0.75 * beta,
            beta,
            shrink_most: SHRINK_MOST,
            grow_most: GROW_MOST,
        }
    }

    /// The same law with other bounds of the factor on a step, within the general ones.
    pub(crate) const fn within(self, shrink_most: f64, grow_most: f64) -> Self {
        Self {
            shrink_most,
            grow_most,
            ..self
        }
    }
}

/// What the controller knows of every lane, and decides.
#[derive(Debug)]
pub(crate) struct Control<const W: usize> {
    /// Binary logarithm of the error norm of the last accepted step.
    log_error_old: [f64; W],
    /// Most that the next step may grow: by one after a rejection.
    most_growth: [f64; W],
    /// Squared error norm of the attempt, finite; at most one means accepted.
    pub(crate) square: [f64; W],
    /// Factor on the step just tried.
    pub(crate) scale: [f64; W],
}

impl<const W: usize> Control<W> {
    pub(crate) const fn new() -> Self {
        Self {
            log_error_old: [LOG_ERROR_START; W],
            most_growth: [GROW_MOST; W],
            square: [0.0; W],
            scale: [1.0; W],
        }
    }

    /// Forgets the history of a lane.
    pub(crate) fn start(&mut self, lane: usize) {
        self.log_error_old[lane] = LOG_ERROR_START;
        self.most_growth[lane] = GROW_MOST;
    }

    /// What a lane remembers after an accepted step.
    pub(crate) fn memory(&self, lane: usize) -> f64 {
        self.log_error_old[lane]
    }

    /// Remembers what [`memory`](Self::memory) gave.
    pub(crate) fn resume(&mut self, lane: usize, memory: f64) {
        self.log_error_old[lane] = memory;
        self.most_growth[lane] = GROW_MOST;
    }

    /// Whether the attempt of a lane is accepted.
    #[inline(always)]
    pub(crate) fn accepts(&self, lane: usize) -> bool {
        self.square[lane] <= 1.0
    }

    /// Decides from the squared error norms and updates the memory of the PI controller.
    #[inline(always)]
    pub(crate) fn decide(&mut self, square: &[f64; W], law: Law) {
        let mut next = Self::new();
        for l in 0..W {
            let s = square[l];
            let s = if s < MOST_SQUARE { s } else { MOST_SQUARE };
            let s = if s > LEAST_SQUARE { s } else { LEAST_SQUARE };
            let ok = s <= 1.0;
            let log_error = 0.5 * log2_fast(s);
            let old = self.log_error_old[l];
            let memory = if ok { law.beta * old } else { 0.0 };
            let factor = SAFETY * exp2_fast(memory - law.alpha * log_error);
            // A rejected step shrinks anyway, so the bound on growth needs no case for it.
            let most = if self.most_growth[l] < law.grow_most {
                self.most_growth[l]
            } else {
                law.grow_most
            };
            let factor = if factor < most { factor } else { most };
            let kept = if log_error > LOG_ERROR_START {
                log_error
            } else {
                LOG_ERROR_START
            };
            next.square[l] = s;
            next.scale[l] = if factor > law.shrink_most {
                factor
            } else {
                law.shrink_most
            };
            next.log_error_old[l] = if ok { kept } else { old };
            next.most_growth[l] = if ok { GROW_MOST } else { 1.0 };
        }
        *self = next;
    }
}

/// What an implicit method knows of the last accepted steps of every lane.
#[derive(Debug)]
pub(crate) struct Trend<const W: usize> {
    /// Mean square error of the last accepted step; zero if there is none.
    error: [f64; W],
    /// Its length.
    done: [f64; W],
}

impl<const W: usize> Trend<W> {
    pub(crate) const fn new() -> Self {
        Self {
            error: [0.0; W],
            done: [1.0; W],
        }
    }

    /// Forgets the history of a lane.
    pub(crate) fn start(&mut self, lane: usize) {
        self.error[lane] = 0.0;
    }

    /// What a lane remembers after an accepted step.
    pub(crate) fn memory(&self, lane: usize) -> (f64, f64) {
        (self.error[lane], self.done[lane])
    }

    /// Remembers what [`memory`](Self::memory) gave.
    pub(crate) fn resume(&mut self, lane: usize, (error, done): (f64, f64)) {
        (self.error[lane], self.done[lane]) = (error, done);
    }
}

impl<const W: usize> Control<W> {
    /// Decides as the Rosenbrock methods of single runs do: the last two errors and steps foretell
    /// the next error (Gustafsson 1994), on all lanes and with the same bits.
    #[inline(always)]
    pub(crate) fn foretell(
        &mut self,
        trend: &mut Trend<W>,
        square: &[f64; W],
        h: &[f64; W],
        law: Law,
    ) {
        let mut next = Self::new();
        for l in 0..W {
            let s = square[l];
            let finite = s < f64::INFINITY;
            let ok = s <= 1.0;
            let bounded = within(s, 1e-30, 1e30);
            let plain = 0.9 * exp2_fast(log2_fast(bounded) * (-0.5 / law.order));
            let kept = if s > 1e-30 { s } else { 1e-30 };
            let ratio = within(trend.error[l] / kept, 1e-30, 1e30);
            let shape = exp2_fast(log2_fast(ratio) * (0.5 / law.order));
            let foretold = plain * shape * (h[l] / trend.done[l]).abs();
            let known = (trend.error[l] > 0.0) & (foretold < plain);
            let most = if self.most_growth[l] < 6.0 { 1.0 } else { 6.0 };
            let grown = within(if known { foretold } else { plain }, 0.2, most);
            let shrunk = if finite {
                within(plain, 0.1, 0.9)
            } else {
                0.25
            };
            next.scale[l] = if ok { grown } else { shrunk };
            next.square[l] = if finite { s } else { MOST_SQUARE };
            next.most_growth[l] = if ok { GROW_MOST } else { 1.0 };
            let error = if s > 1e-4 { s } else { 1e-4 };
            trend.error[l] = if ok { error } else { trend.error[l] };
            trend.done[l] = if ok { h[l] } else { trend.done[l] };
        }
        *self = next;
    }
}

/// `v` between two bounds; the upper one if it is not a number.
#[inline(always)]
fn within(v: f64, least: f64, most: f64) -> f64 {
    let v = if v < most { v } else { most };
    if v > least { v } else { least }
}
