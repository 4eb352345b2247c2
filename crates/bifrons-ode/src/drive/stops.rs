//! Declared stops, sorted along the direction of integration, near ones merged.

use crate::error::InputError;

/// Stops nearer than this many units in the last place are one.
const SAME_ULP: f64 = 8.0;

/// Times at which steps must end.
#[derive(Debug)]
pub(crate) struct Stops {
    /// Time and position in the caller's list.
    times: Vec<(f64, usize)>,
    next: usize,
}

/// Whether two times are the same stop.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME_ULP * f64::EPSILON * a.abs().max(b.abs())
}

impl Stops {
    /// Stops within the span, in the memory of `times`; those near one of its ends are at it.
    ///
    /// # Errors
    ///
    /// [`InputError::StopTime`] for a stop outside the span.
    pub(crate) fn new(
        stops: &[f64],
        (start, end): (f64, f64),
        mut times: Vec<(f64, usize)>,
    ) -> Result<Self, InputError> {
        let direction = if end < start { -1.0 } else { 1.0 };
        times.clear();
        times.reserve_exact(stops.len());
        for (index, &value) in stops.iter().enumerate() {
            let time = if same(value, start) {
                start
            } else if same(value, end) {
                end
            } else {
                value
            };
            let inside = (time - start) * direction >= 0.0 && (end - time) * direction >= 0.0;
            if !(inside && value.is_finite()) {
                return Err(InputError::StopTime {
                    index,
                    value,
                    start,
                    end,
                });
            }
            times.push((time, index));
        }
        times.sort_unstable_by(|a, b| {
            let order = (a.0 * direction).total_cmp(&(b.0 * direction));
            order.then(a.1.cmp(&b.1))
        });
        times.dedup_by(|later, kept| same(later.0, kept.0));
        Ok(Self { times, next: 0 })
    }

    /// The memory of the stops.
    pub(crate) fn into_times(self) -> Vec<(f64, usize)> {
        self.times
    }

    /// Time of the next stop.
    pub(crate) fn next_time(&self) -> Option<f64> {
        self.times.get(self.next).map(|stop| stop.0)
    }

    /// Takes the next stop if it is due at `t`: its position in the caller's list.
    pub(crate) fn take(&mut self, t: f64) -> Option<usize> {
        let &(time, index) = self.times.get(self.next)?;
        (time.to_bits() == t.to_bits()).then(|| {
            self.next += 1;
            index
        })
    }
}
