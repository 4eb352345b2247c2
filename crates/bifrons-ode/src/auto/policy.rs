//! When to change, from one number per accepted step.

/// Share of the stability region from which on a step is a sign of stiffness. Lorenz's system has at
/// most 0.65 at a tolerance of 1e-3, and may change at 1e-2; runs that stability limits have 1.08,
/// and 0.5 to 0.9 on the way there at sharp tolerances.
const STIFF: f64 = 0.7;
/// Signs that make a run change, and steps without that clear them.
const STIFF_ROW: u32 = 10;
const CLEAR_ROW: u32 = 4;
/// Share of the stability region up to which an implicit step is one for the explicit method.
const CALM: f64 = 0.5;
/// Calm steps in a row that make a run change back, at first and at most.
const CALM_ROW: u32 = 5;
const MOST_CALM_ROW: u32 = 5 << 10;
/// Explicit steps below which a change back was a mistake.
const SHORT: u64 = 50;

/// What was seen since the last change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Policy {
    stiff: u32,
    clear: u32,
    calm: u32,
    /// Calm steps that are needed.
    needed: u32,
    /// Explicit steps since the last change; none before the first one.
    since: Option<u64>,
}

impl Policy {
    pub(super) const fn new() -> Self {
        Self {
            stiff: 0,
            clear: 0,
            calm: 0,
            needed: CALM_ROW,
            since: None,
        }
    }

    /// Forgets what was seen of the present solution, not what changes have taught.
    pub(super) fn forget(&mut self) {
        (self.stiff, self.clear, self.calm) = (0, 0, 0);
    }

    /// An explicit step with `h |λ|` in this share of the stability region; true: change.
    pub(super) fn explicit(&mut self, share: f64) -> bool {
        self.since = self.since.map(|since| since + 1);
        if share >= STIFF {
            self.clear = 0;
            self.stiff += 1;
        } else if self.stiff > 0 {
            self.clear += 1;
            if self.clear == CLEAR_ROW {
                self.forget();
            }
        }
        if self.stiff < STIFF_ROW {
            return false;
        }
        self.forget();
        self.needed = match self.since {
            Some(since) if since < SHORT => (2 * self.needed).min(MOST_CALM_ROW),
            _ => (self.needed / 2).max(CALM_ROW),
        };
        true
    }

    /// An implicit step after which `h |λ|` of the next one is at most this share of the stability
    /// region of the explicit method; true: change.
    pub(super) fn implicit(&mut self, share: f64) -> bool {
        self.calm = if share <= CALM { self.calm + 1 } else { 0 };
        if self.calm < self.needed {
            return false;
        }
        self.forget();
        self.since = Some(0);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{CLEAR_ROW, MOST_CALM_ROW, Policy};

    #[test]
    fn single_signs_are_forgotten() {
        let mut policy = Policy::new();
        for _ in 0..100 {
            assert!(!policy.explicit(1.0), "one sign");
            for _ in 0..CLEAR_ROW {
                assert!(!policy.explicit(0.1), "none");
            }
        }
    }

    #[test]
    fn a_missing_number_is_no_sign() {
        let mut policy = Policy::new();
        for _ in 0..100 {
            assert!(!policy.explicit(f64::NAN), "explicit");
            assert!(!policy.implicit(f64::NAN), "implicit");
        }
    }

    /// The worst solution that there is: always stiff for the explicit method, always calm for the
    /// implicit one. Waits double, so changes grow with the logarithm of the steps.
    #[test]
    fn thrashing_is_bounded() {
        let (mut policy, mut is_implicit, mut changes) = (Policy::new(), false, 0);
        for _ in 0..4000 {
            let change = if is_implicit {
                policy.implicit(0.0)
            } else {
                policy.explicit(1.0)
            };
            if change {
                is_implicit = !is_implicit;
                changes += 1;
            }
        }
        assert!(changes < 22, "{changes} changes");
        assert!(policy.needed <= MOST_CALM_ROW, "waits are bounded");
    }
}
