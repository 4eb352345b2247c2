//! Root functions: three-state bookkeeping of their signs, location of crossings.
//!
//! A function is *armed* on the side it was last seen on, or *at zero*. Seeing an armed function
//! at zero or on the other side is a crossing. A function at zero is armed, without a crossing,
//! when it is seen away from zero.

mod happen;
mod rate;

use bifrons_memory::Footprint;
use bifrons_roots::{Bracket, RootOptions, RootSearch, Sample, Tolerance};

use crate::error::Failure;
use crate::event::{AtStart, Crossing, Event, Fired, Response, RootRule};
use crate::problem::Fault;
pub(crate) use happen::{Change, happen, same_bits};
pub(crate) use rate::Rate;

/// Distance of two roots that count as one, in the accepted width of a located root: a state has
/// some units in the last place of round-off.
const SIMULTANEOUS: f64 = 8.0;
/// A value this many times larger than what it was at the event is away from zero.
const AWAY: f64 = 4.0;
/// First look after an event, in units in the last place of the time; later ones are farther by
/// `LADDER` each, up to the first part of the step.
const FIRST_LOOK_ULP: f64 = 16.0;
const LADDER: f64 = 64.0;
/// Part of a step that takes the place of a time near zero in those units.
const NEAR_ZERO: f64 = 1e-6;
/// Halvings that locate where a function stops being a number.
const HALVINGS: u32 = 64;

/// A trajectory whose root functions are watched.
pub(crate) trait Track {
    /// Evaluates all functions.
    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault>;
    /// State within the last accepted step.
    fn state_at(&self, t: f64, y: &mut [f64]);
    /// Calls the handler.
    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response;
    /// Notes what the handler did.
    fn note(&mut self, event: &Event<'_>, before: &[f64], after: &[f64]);
    /// Of `count` components those that are the state; what follows is carried along.
    fn own(&self, count: usize) -> usize {
        count
    }
}

/// What was found in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Found {
    /// No crossing up to the end.
    Nothing,
    /// A crossing at this time; `Watch::fired` tells of which functions.
    Crossing(f64),
    /// The solution cannot be used beyond `last`.
    Broken { last: f64, failure: Failure },
}

/// The root functions of a run.
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    rules: Vec<RootRule>,
    /// -1, 0 or 1.
    side: Vec<i8>,
    /// Size at which a function at zero counts as away from it.
    away: Vec<f64>,
    /// Values at the left end of what is looked at, and at its right end.
    left: Vec<f64>,
    right: Vec<f64>,
    /// Value past the crossing of each function that crosses, NaN for the others.
    past: Vec<f64>,
    /// Where it crosses, and the size of its values around there.
    root: Vec<(f64, f64)>,
    crossings: Vec<u32>,
    pub(crate) rate: Rate,
    pub(crate) fired: Vec<Fired>,
    state: Vec<f64>,
    parts: u32,
    direction: f64,
    pub(crate) evaluations: u64,
    pub(crate) disarmed: u64,
}

fn sign(value: f64) -> i8 {
    if value > 0.0 {
        1
    } else if value < 0.0 {
        -1
    } else {
        0
    }
}

fn counts(rule: RootRule, from: i8) -> bool {
    match rule.crossing {
        Crossing::Either => true,
        Crossing::Rising => from < 0,
        Crossing::Falling => from > 0,
    }
}

impl Watch {
    /// Functions with these rules, of a system of `dimension` components.
    pub(crate) fn new(
        rules: Vec<RootRule>,
        dimension: usize,
        parts: u32,
        direction: f64,
        rate: Rate,
    ) -> Self {
        let count = rules.len();
        Self {
            rules,
            side: vec![0; count],
            away: vec![0.0; count],
            left: vec![0.0; count],
            right: vec![0.0; count],
            past: vec![f64::NAN; count],
            root: vec![(0.0, 0.0); count],
            crossings: vec![0; count],
            rate,
            fired: Vec::with_capacity(count),
            state: vec![0.0; dimension],
            parts: parts.max(1),
            direction,
            evaluations: 0,
            disarmed: 0,
        }
    }

    /// Whether the buffers are for this many components and functions.
    pub(crate) fn suits(&self, dimension: usize, count: usize) -> bool {
        self.state.len() == dimension && self.rules.len() == count
    }

    /// Bytes of the buffers of one watch.
    pub(crate) fn footprint(dimension: usize, count: usize) -> Footprint {
        Footprint::of::<RootRule>(count)
            .beside(Footprint::of::<i8>(count))
            .beside(Footprint::of::<f64>(6 * count + dimension))
            .beside(Footprint::of::<u32>(count))
            .beside(Footprint::of::<Fired>(count))
            .beside(Rate::footprint(count))
    }

    /// Takes over the rules and settings of another run.
    pub(crate) fn configure(
        &mut self,
        rule: impl Fn(usize) -> RootRule,
        parts: u32,
        direction: f64,
    ) {
        for (i, own) in self.rules.iter_mut().enumerate() {
            *own = rule(i);
        }
        self.parts = parts;
        self.direction = direction;
    }

    /// Forgets everything, for another run.
    pub(crate) fn reset(&mut self) {
        self.crossings.fill(0);
        self.rate.reset();
        self.evaluations = 0;
        self.disarmed = 0;
    }

    /// Side of each function: -1, 0 (at zero), 1.
    pub(crate) fn sides(&self) -> &[i8] {
        &self.side
    }

    /// Takes the functions at the left end of the next step from its state.
    pub(crate) fn look_back(&mut self, track: &mut impl Track, t: f64, y: &[f64]) {
        // They were evaluated there before, so that they are numbers.
        let _ = self.evaluate(track, t, y);
        self.evaluations -= 1;
        core::mem::swap(&mut self.left, &mut self.right);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Evaluates all functions at `(t, y)` into `right`.
    fn evaluate(&mut self, track: &mut impl Track, t: f64, y: &[f64]) -> Result<(), Failure> {
        self.evaluations += 1;
        match track.roots(t, y, &mut self.right) {
            Err(Fault::Fatal(message)) => return Err(Failure::Fatal { t, message }),
            Err(Fault::Recoverable) => self.right.fill(f64::NAN),
            Ok(()) => {}
        }
        match self.right.iter().position(|g| g.is_nan()) {
            Some(root) => Err(Failure::RootNotANumber { root, t }),
            None => Ok(()),
        }
    }

    /// The same on the interpolant.
    fn evaluate_within(&mut self, track: &mut impl Track, t: f64) -> Result<(), Failure> {
        let mut state = core::mem::take(&mut self.state);
        track.state_at(t, &mut state);
        let result = self.evaluate(track, t, &state);
        self.state = state;
        result
    }

    /// Looks at the functions at the start; true if one of them fires there.
    pub(crate) fn start(
        &mut self,
        track: &mut impl Track,
        t: f64,
        y: &[f64],
    ) -> Result<bool, Failure> {
        self.evaluate(track, t, y)?;
        core::mem::swap(&mut self.left, &mut self.right);
        self.fired.clear();
        for index in 0..self.rules.len() {
            let (rule, value) = (self.rules[index], sign(self.left[index]));
            self.side[index] = value;
            self.away[index] = 0.0;
            let there = match rule.crossing {
                Crossing::Either => value == 0,
                Crossing::Rising => value >= 0,
                Crossing::Falling => value <= 0,
            };
            if there && rule.at_start == AtStart::Fire {
                self.fire(index, Crossing::Either);
            }
        }
        Ok(!self.fired.is_empty())
    }

    fn fire(&mut self, index: usize, crossing: Crossing) {
        self.crossings[index] += 1;
        self.fired.push(Fired { index, crossing });
    }

    /// Whether a function that fired ends the run.
    pub(crate) fn is_terminal(&self) -> bool {
        self.fired.iter().any(|fired| {
            let index = fired.index;
            self.rules[index]
                .terminal
                .is_some_and(|count| self.crossings[index] >= count)
        })
    }

    /// Finds the first crossing in `(from, end]` of the step from `start` to `end`.
    pub(crate) fn search(
        &mut self,
        track: &mut impl Track,
        (start, from, end): (f64, f64, f64),
    ) -> Found {
        self.fired.clear();
        let mut left = from;
        let scale = from.abs().max(NEAR_ZERO * (end - start).abs());
        let mut ladder = FIRST_LOOK_ULP * f64::EPSILON * scale;
        let mut part = 1;
        loop {
            let regular = if part >= self.parts {
                end
            } else {
                start + (end - start) * (f64::from(part) / f64::from(self.parts))
            };
            if (regular - left) * self.direction <= 0.0 && part < self.parts {
                part += 1;
                continue;
            }
            let look = from + self.direction * ladder;
            let is_look = self.side.contains(&0)
                && (regular - look) * self.direction > 0.0
                && (look - left) * self.direction > 0.0;
            let point = if is_look { look } else { regular };
            ladder *= LADDER;
            if let Err(failure) = self.evaluate_within(track, point) {
                return self.broken(track, (left, point), failure);
            }
            if self.look(!is_look) {
                return self.locate(track, left, point);
            }
            core::mem::swap(&mut self.left, &mut self.right);
            left = point;
            if left.to_bits() == end.to_bits() {
                self.disarmed += u64::from(self.side.contains(&0));
                return Found::Nothing;
            }
        }
    }

    /// Compares sides with the values at the right end; true if a function crosses.
    fn look(&mut self, regular: bool) -> bool {
        let mut crosses = false;
        for i in 0..self.rules.len() {
            let (side, now) = (self.side[i], sign(self.right[i]));
            self.past[i] = f64::NAN;
            if now == side {
                continue;
            }
            if side == 0 {
                let away = self.right[i].abs() > AWAY * self.away[i];
                if regular || away || now != sign(self.left[i]) {
                    self.side[i] = now;
                }
            } else if now == 0 && sign(self.left[i]) == 0 {
                // At zero since an event, and still there.
            } else if counts(self.rules[i], side) {
                self.past[i] = self.right[i];
                crosses = true;
            } else if now != 0 {
                self.side[i] = now;
            }
        }
        crosses
    }

    /// Locates every crossing between `left` and `right` and takes the earliest.
    fn locate(&mut self, track: &mut impl Track, left: f64, right: f64) -> Found {
        let resolution = 0.5 * f64::EPSILON * (right - left).abs();
        let ulps = Tolerance::ulps(4);
        let tolerance = Tolerance::new(resolution, ulps.relative()).unwrap_or(ulps);
        let options = RootOptions::default().with_tolerance(tolerance);
        let mut earliest = right;
        for i in 0..self.rules.len() {
            if self.past[i].is_nan() {
                continue;
            }
            // A left end that is not on the armed side is at the root already.
            let armed = sign(self.left[i]) == self.side[i];
            let value = if armed { self.left[i] } else { 0.0 };
            let ends = (Sample::new(left, value), Sample::new(right, self.past[i]));
            let Ok(bracket) = Bracket::new(ends.0, ends.1) else {
                continue;
            };
            let mut search = RootSearch::new(bracket, &options);
            while let Some(t) = search.next_point() {
                if let Err(failure) = self.evaluate_within(track, t) {
                    return self.broken(track, (left, t), failure);
                }
                if search.observe(self.right[i]).is_err() {
                    break;
                }
            }
            let (before, after) = (search.bracket().left(), search.bracket().right());
            self.root[i] = (after.x, before.value.abs().max(after.value.abs()));
            if (earliest - after.x) * self.direction > 0.0 {
                earliest = after.x;
            }
        }
        let near = SIMULTANEOUS * tolerance.width(left, right);
        let mut instant = earliest;
        for i in 0..self.rules.len() {
            let t = self.root[i].0;
            let together = !self.past[i].is_nan() && (t - earliest).abs() <= near;
            if together && (t - instant) * self.direction > 0.0 {
                instant = t;
            }
        }
        self.settle(track, left, instant)
    }

    /// Fires every armed function that is past its crossing at `instant`.
    fn settle(&mut self, track: &mut impl Track, left: f64, instant: f64) -> Found {
        if let Err(failure) = self.evaluate_within(track, instant) {
            return self.broken(track, (left, instant), failure);
        }
        for i in 0..self.rules.len() {
            let (side, now) = (self.side[i], sign(self.right[i]));
            if side == 0 || side == now || !counts(self.rules[i], side) {
                continue;
            }
            let located = !self.past[i].is_nan();
            let size = if located { self.root[i].1 } else { 0.0 };
            self.away[i] = self.right[i].abs().max(size);
            self.side[i] = now;
            let crossing = if side < 0 {
                Crossing::Rising
            } else {
                Crossing::Falling
            };
            self.fire(i, crossing);
        }
        core::mem::swap(&mut self.left, &mut self.right);
        Found::Crossing(instant)
    }

    /// The right-hand side became another one at the instant of the functions that fired.
    ///
    /// A function that is exactly zero counts as past its crossing: coming back is a crossing.
    pub(crate) fn kink(&mut self) {
        for fired in &self.fired {
            if self.side[fired.index] == 0 {
                self.side[fired.index] = match fired.crossing {
                    Crossing::Rising => 1,
                    Crossing::Falling => -1,
                    Crossing::Either => 0,
                };
            }
        }
    }

    /// The state became another one at `t`; true if that carried further functions across zero.
    pub(crate) fn jump(
        &mut self,
        track: &mut impl Track,
        t: f64,
        y: &[f64],
    ) -> Result<bool, Failure> {
        self.evaluate(track, t, y)?;
        core::mem::swap(&mut self.left, &mut self.right);
        let mut again = false;
        for i in 0..self.rules.len() {
            let (side, value) = (self.side[i], self.left[i]);
            let now = sign(value);
            self.past[i] = f64::NAN;
            if self.fired.iter().any(|fired| fired.index == i) {
                let away = value.abs() > AWAY * self.away[i];
                self.side[i] = if away { now } else { 0 };
                self.away[i] = value.abs();
            } else if side != 0 && now != 0 && now != side && counts(self.rules[i], side) {
                self.past[i] = value;
                self.side[i] = now;
                self.away[i] = 0.0;
                again = true;
            } else {
                self.side[i] = now;
                self.away[i] = 0.0;
            }
        }
        self.fired.clear();
        for i in 0..self.rules.len() {
            if self.past[i] > 0.0 {
                self.fire(i, Crossing::Rising);
            } else if self.past[i] < 0.0 {
                self.fire(i, Crossing::Falling);
            }
        }
        Ok(again)
    }

    /// Where between two times the functions stop being numbers.
    fn broken(
        &mut self,
        track: &mut impl Track,
        (mut good, mut bad): (f64, f64),
        mut failure: Failure,
    ) -> Found {
        for _ in 0..HALVINGS {
            let middle = good.midpoint(bad);
            if middle.to_bits() == good.to_bits() || middle.to_bits() == bad.to_bits() {
                break;
            }
            match self.evaluate_within(track, middle) {
                Ok(()) => good = middle,
                Err(other) => {
                    bad = middle;
                    failure = other;
                }
            }
        }
        Found::Broken {
            last: good,
            failure,
        }
    }
}
