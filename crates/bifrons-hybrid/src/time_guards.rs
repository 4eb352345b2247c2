//! Guards that depend on time alone, and where over a span of time they may pass zero.

use bifrons_expr::{Enclosure, EnclosureMemory, Expr, Interval, Symbol};
use bifrons_memory::Footprint;

use crate::equations::{EquationSystem, Meaning, base_name};
use crate::event::Course;
use crate::name::TIME;

/// The guards of a system that read nothing but time, parameters and discrete states.
#[derive(Debug, Clone)]
pub(crate) struct TimeGuards {
    /// One per guard; `None` for one that reads more, or calls functions.
    guards: Vec<Option<TimeGuard>>,
}

#[derive(Debug, Clone)]
struct TimeGuard {
    /// The guard and its time derivative over time, then what is held.
    bounds: Enclosure,
    /// Positions of what is held among the parameters, then the discrete states.
    held: Vec<usize>,
    initially_below: bool,
}

/// Working memory of [`TimeGuards`].
#[derive(Debug, Clone)]
pub(crate) struct TimeGuardMemory(Vec<Option<(Vec<Interval>, EnclosureMemory)>>);

impl TimeGuards {
    /// `inserted` are the guards with definitions inserted.
    pub(crate) fn new(system: &EquationSystem, inserted: &[Expr]) -> Self {
        let guards = system.guards().iter().zip(inserted);
        let guards = guards.map(|(own, expression)| {
            let mut guard = TimeGuard::new(system, expression)?;
            guard.initially_below = own.guard.initially_below;
            Some(guard)
        });
        Self {
            guards: guards.collect(),
        }
    }

    pub(crate) fn memory(&self) -> TimeGuardMemory {
        let memory = |own: &TimeGuard| {
            let ranges = vec![Interval::point(0.0); 1 + own.held.len()];
            (ranges, own.bounds.memory())
        };
        let guards = self.guards.iter();
        TimeGuardMemory(guards.map(|own| own.as_ref().map(memory)).collect())
    }

    pub(crate) fn footprint(&self) -> Footprint {
        let guards = Footprint::of::<Option<(Vec<Interval>, EnclosureMemory)>>(self.guards.len());
        self.guards.iter().flatten().fold(guards, |all, own| {
            all.beside(Footprint::of::<Interval>(1 + own.held.len()))
                .beside(own.bounds.footprint())
        })
    }

    pub(crate) fn set_values(
        &self,
        memory: &mut TimeGuardMemory,
        parameters: &[f64],
        discrete: &[f64],
    ) {
        for (own, memory) in self.guards.iter().zip(&mut memory.0) {
            if let (Some(own), Some((ranges, _))) = (own, memory) {
                for (range, &position) in ranges[1..].iter_mut().zip(&own.held) {
                    let value = match position.checked_sub(parameters.len()) {
                        None => parameters[position],
                        Some(position) => discrete[position],
                    };
                    *range = Interval::point(value);
                }
            }
        }
    }

    /// See [`HybridSystem::guard_course`](crate::HybridSystem::guard_course).
    pub(crate) fn course(
        &self,
        memory: &mut TimeGuardMemory,
        guard: usize,
        (from, to): (f64, f64),
    ) -> Option<Course> {
        let own = self.guards.get(guard)?.as_ref()?;
        let (ranges, memory) = memory.0.get_mut(guard)?.as_mut()?;
        ranges[0] = Interval::new(from, to);
        own.bounds.evaluate(ranges, memory);
        let [value, rate] = [0, 1].map(|root| own.bounds.bounds(root, memory));
        let range = value.range;
        if range.may_be_nan() {
            return Some(Course::Unknown);
        }
        let constant = range.low().to_bits() == range.high().to_bits();
        // Where watching begins within the span, a guard that comes from below may fire.
        let watched = range.high() < f64::INFINITY || !own.initially_below;
        if constant || (watched && (range.low() > 0.0 || range.high() < 0.0)) {
            return Some(Course::Away);
        }
        let rate = rate.range;
        let one_way = !rate.may_be_nan() && (rate.low() > 0.0 || rate.high() < 0.0);
        Some(if value.is_continuous && watched && one_way {
            Course::OneWay
        } else {
            Course::Unknown
        })
    }
}

impl TimeGuard {
    fn new(system: &EquationSystem, expression: &Expr) -> Option<Self> {
        let offset = system.parameters().len();
        let (mut symbols, mut held) = (vec![Symbol::new(TIME)], Vec::new());
        for symbol in expression.dependencies() {
            let position = match system.meaning(&Symbol::new(base_name(symbol.name())))? {
                Meaning::Time => continue,
                Meaning::Parameter(index) => index,
                Meaning::Discrete(index) => offset + index,
                _ => return None,
            };
            symbols.push(symbol);
            held.push(position);
        }
        let rate = expression.derivative(&symbols[0]);
        let bounds = Enclosure::new(&[expression.clone(), rate], &symbols).ok()?;
        (!bounds.has_calls()).then_some(Self {
            bounds,
            held,
            initially_below: false,
        })
    }
}
