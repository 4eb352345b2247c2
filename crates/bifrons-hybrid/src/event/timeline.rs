//! The instants of several clocks, in integers.

use super::clock::Clock;
use super::rational::{gcd, quotient};

/// Clocks that cannot be used together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimelineError {
    /// A period is zero or negative.
    #[error("period of clock `{clock}` must be positive, got {period}")]
    Period {
        /// Name of the clock.
        clock: String,
        /// The period found.
        period: String,
    },
    /// The common denominator of all periods and offsets is too large.
    #[error(
        "periods and offsets up to clock `{clock}` have no common unit of at least 2^-96; use \
         decimal numbers with fewer digits"
    )]
    Unit {
        /// Clock at which the unit got too small.
        clock: String,
    },
}

/// Largest common denominator.
const LARGEST: i128 = 1 << 96;

/// All clocks of a system in one common unit `1 / denominator`, so that instants are integers.
///
/// Coincidence of instants of different clocks is equality of integers; an instant as a number is
/// one correctly rounded division, never a sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeGrid {
    denominator: i128,
    /// Offset and period of each clock, in units.
    clocks: Vec<(i128, i128)>,
}

impl TimeGrid {
    /// Finds the common unit.
    ///
    /// # Errors
    ///
    /// [`TimelineError`] that names the clock.
    pub fn new(clocks: &[Clock]) -> Result<Self, TimelineError> {
        let mut denominator: i128 = 1;
        for clock in clocks {
            if clock.period.numerator() <= 0 {
                return Err(TimelineError::Period {
                    clock: clock.name.to_string(),
                    period: clock.period.to_string(),
                });
            }
            for number in [clock.period, clock.offset] {
                denominator = least_common_multiple(denominator, number.denominator())
                    .filter(|&unit| unit < LARGEST)
                    .ok_or_else(|| too_fine(clock))?;
            }
        }
        let mut units = Vec::with_capacity(clocks.len());
        for clock in clocks {
            let unit = |number: super::Rational| {
                number
                    .numerator()
                    .checked_mul(denominator / number.denominator())
                    .ok_or_else(|| too_fine(clock))
            };
            units.push((unit(clock.offset)?, unit(clock.period)?));
        }
        Ok(Self {
            denominator,
            clocks: units,
        })
    }

    /// Number of clocks.
    #[must_use]
    pub fn clock_count(&self) -> usize {
        self.clocks.len()
    }

    /// Instant `k` of a clock in units; saturates far beyond any run.
    #[must_use]
    pub fn units(&self, clock: usize, k: u64) -> i128 {
        let (offset, period) = self.clocks[clock];
        period
            .checked_mul(i128::from(k))
            .and_then(|sum| sum.checked_add(offset))
            .unwrap_or(i128::MAX)
    }

    /// An instant in units as the nearest number.
    #[must_use]
    pub fn time(&self, units: i128) -> f64 {
        if units == i128::MAX {
            return f64::INFINITY;
        }
        quotient(units, self.denominator)
    }

    /// The first `k` of a clock whose instant, as a number, is at or after `t`.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates and its result is only a guess that is corrected"
    )]
    pub fn first_at(&self, clock: usize, t: f64) -> u64 {
        let (offset, period) = self.clocks[clock];
        let at = |k: u64| self.time(self.units(clock, k));
        let (offset, period) = (
            quotient(offset, self.denominator),
            quotient(period, self.denominator),
        );
        let mut k = ((t - offset) / period).floor().max(0.0) as u64;
        let mut step = 1_u64;
        // Below: never at or after t. Doubles where rounding made the guess far off.
        while k > 0 && at(k) >= t {
            k = k.saturating_sub(step);
            step = step.saturating_mul(2);
        }
        while at(k) < t {
            k += 1;
        }
        k
    }
}

fn too_fine(clock: &Clock) -> TimelineError {
    TimelineError::Unit {
        clock: clock.name.to_string(),
    }
}

fn least_common_multiple(a: i128, b: i128) -> Option<i128> {
    let divisor = i128::try_from(gcd(a.unsigned_abs(), b.unsigned_abs())).ok()?;
    (a / divisor.max(1)).checked_mul(b)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "exact instants are claimed")]
mod tests {
    use super::super::Rational;
    use super::*;

    fn grid(clocks: &[(&str, &str)]) -> TimeGrid {
        let clocks: Vec<Clock> = clocks
            .iter()
            .map(|(period, offset)| {
                Clock::new("c", period.parse().unwrap(), offset.parse().unwrap())
            })
            .collect();
        TimeGrid::new(&clocks).unwrap()
    }

    #[test]
    fn a_million_ticks_end_exactly() {
        let tenth = grid(&[("0.1", "0")]);
        assert_eq!(tenth.time(tenth.units(0, 1_000_000)), 100_000.0);
        assert_eq!(tenth.first_at(0, 100_000.0), 1_000_000);
        assert_eq!(tenth.first_at(0, 1e5_f64.next_up()), 1_000_001);
    }

    #[test]
    fn no_instant_is_skipped_or_repeated() {
        let clock = grid(&[("0.015", "0")]);
        for k in 0..100 {
            assert_eq!(clock.first_at(0, clock.time(clock.units(0, k))), k);
        }
    }

    #[test]
    fn coincidence_is_decided_in_integers() {
        let both = grid(&[("0.1", "0"), ("1/3", "0")]);
        assert_eq!(both.units(0, 10), both.units(1, 3));
        assert_ne!(both.units(0, 3), both.units(1, 1));
    }

    #[test]
    fn refuses_a_period_of_zero() {
        let clock = Clock::new("c", Rational::ZERO, Rational::ZERO);
        assert!(matches!(
            TimeGrid::new(&[clock]),
            Err(TimelineError::Period { .. })
        ));
    }

    #[test]
    fn picoseconds_and_centuries_share_a_grid() {
        let both = grid(&[("1e-12", "0"), ("3153600000", "0")]);
        assert_eq!(both.time(both.units(0, 7)), 7e-12);
        assert_eq!(both.time(both.units(1, 3)), 9_460_800_000.0);
    }
}
