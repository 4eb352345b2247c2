//! Crossings of guards that depend on time alone: every one is found.

use bifrons_hybrid::{Course, HybridSystem};
use bifrons_ode::Step;

use super::EventLanes;
use super::scan::Stretch;

/// Most spans that are looked at within one stretch, so that every search ends. Behind them only
/// the end of the stretch is looked at.
const LOOKS: u32 = 65_536;
/// Most spans of the length of rounding within a step, without a long one about which something is
/// proved in between: more of them are no turns or jumps, but a guard that is zero up to rounding.
const UNPROVED: u32 = 64;
/// Lengths of rounding that are long.
const LONG: f64 = 1024.0;

/// What was found in a stretch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Firing {
    /// The guard depends on more than time, or nothing is known of it.
    NotOfTime,
    /// It does not fire.
    Never,
    /// It fires first at this time.
    At(f64),
}

impl<S: HybridSystem, const W: usize> EventLanes<'_, S, W> {
    /// Where a guard of time alone fires first in a stretch.
    ///
    /// Walks along the stretch in spans over which the guard stays away from zero or runs one way,
    /// by proof. A span that does neither is halved, and the next one after a span that does is
    /// twice as long. A span no longer than the rounding of time, around a jump or a point at
    /// which the guard turns, is decided by its end.
    pub(super) fn first_firing(
        &mut self,
        step: &Step<'_, W>,
        guard: usize,
        Stretch { from, to }: Stretch,
    ) -> Firing {
        let (system, lane) = (self.system, step.lane());
        let own = &system.events().guards()[guard];
        let least = f64::EPSILON * from.abs().max(to.abs());
        let mut side = self.lanes[lane].signs[guard];
        let (mut start, mut width) = (from, to - from);
        for _ in 0..LOOKS {
            let last = (to - start).abs() <= width.abs();
            let end = if last { to } else { start + width };
            let workspace = &mut self.lanes[lane].workspace;
            let Some(course) = system.guard_course(workspace, guard, start, end) else {
                return Firing::NotOfTime;
            };
            let length = (end - start).abs();
            if course == Course::Unknown {
                if length > least {
                    width = 0.5 * (end - start);
                    continue;
                }
                self.buffers.unproved[guard] += 1;
                if self.buffers.unproved[guard] > UNPROVED {
                    break;
                }
            } else if length > LONG * least {
                self.buffers.unproved[guard] = 0;
            }
            let value = self.value(step, guard, end);
            if course != Course::Away && own.direction.fires(side, value) {
                let span = Stretch {
                    from: start,
                    to: end,
                };
                return Firing::At(self.locate(step, guard, span));
            }
            if last {
                return Firing::Never;
            }
            side = own.side(value);
            start = end;
            width *= 2.0;
        }
        // Nothing is known of what is left: only its end is looked at.
        let value = self.value(step, guard, to);
        if own.direction.fires(side, value) {
            let span = Stretch { from: start, to };
            return Firing::At(self.locate(step, guard, span));
        }
        Firing::Never
    }
}
