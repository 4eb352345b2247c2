//! Signals that pass from one clock to another without a hold.

use std::fmt;

use bifrons_expr::{Expr, Symbol};

use super::{EquationSystem, Meaning, base_name};
use crate::event::{Clock, Rational, Trigger};

/// A signal of one clock that is read by an update of another clock; made by
/// [`EquationSystem::check_rates`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateTransition {
    /// The discrete state that the first clock writes, by its path.
    pub signal: Symbol,
    /// The clock that writes it. Equal clocks of several blocks are one, which has the name of
    /// the first.
    pub from: Clock,
    /// The state that the second clock writes, by its path.
    pub reader: Symbol,
    /// The clock that reads the signal.
    pub to: Clock,
    /// What the update reads in its own equation: the signal itself, or the definition through
    /// which it reaches it.
    pub through: Symbol,
}

impl fmt::Display for RateTransition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`, written {}", self.signal, Ticks(&self.from))?;
        write!(f, ", is read by `{}`, {}", self.reader, Ticks(&self.to))?;
        if self.through != self.signal {
            write!(f, ", through `{}`", self.through)?;
        }
        write!(f, "; put a hold at the clock of the reader between")
    }
}

/// `every 1/10 from 0`.
struct Ticks<'a>(&'a Clock);

impl fmt::Display for Ticks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "every {}", self.0.period)?;
        if self.0.offset != Rational::ZERO {
            write!(f, " from {}", self.0.offset)?;
        }
        write!(f, " by the clock `{}`", self.0.name)
    }
}

impl EquationSystem {
    /// Signals that updates read across clocks without an explicit rate transition.
    ///
    /// A signal of a clock is a discrete state that an update at this clock writes. It is reported
    /// where an update at another clock (another period or another offset) reads it, directly or
    /// through definitions and algebraic loops. An update that copies one signal and computes
    /// nothing is a hold or a delay, that is, an explicit transition, and is not reported;
    /// neither is a state that reads itself. Guards have no rate.
    ///
    /// What is reported is well defined: the reader sees the last value, at a common tick the new
    /// one of a sample. It is listed because a change of one of the periods changes the delay
    /// between both, which a hold makes visible in the diagram.
    ///
    /// The list is in the order of the updates, for each sorted by the names of the signals.
    /// Cost: the sum over the updates at clocks of the definitions below each.
    ///
    /// # Examples
    ///
    /// ```
    /// use bifrons_expr::Expr;
    /// use bifrons_hybrid::{Clock, EquationSystem, Rational};
    ///
    /// let zero = Rational::ZERO;
    /// let system = EquationSystem::builder("rates")
    ///     .clock(Clock::new("fast", Rational::new(1, 10)?, zero))
    ///     .clock(Clock::new("slow", Rational::new(1, 1)?, zero))
    ///     .discrete("count", 0.0)
    ///     .discrete("total", 0.0)
    ///     .update("fast", "count", Expr::symbol("count") + 1.0)
    ///     .update("slow", "total", Expr::symbol("total") + Expr::symbol("count"))
    ///     .build()?;
    /// let found = system.check_rates();
    /// assert_eq!(found.len(), 1);
    /// assert_eq!((found[0].signal.name(), found[0].reader.name()), ("count", "total"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn check_rates(&self) -> Vec<RateTransition> {
        let writers = self.clocks_of_discretes();
        let mut search = Search::new(self);
        let mut found = Vec::new();
        for update in self.updates() {
            let Trigger::Clock(to) = update.trigger else {
                continue;
            };
            if update.expression.as_symbol().is_some() {
                continue;
            }
            for (discrete, through) in search.reads(&update.expression) {
                let signal = &self.discretes()[discrete].symbol;
                let others = writers[discrete].iter();
                let others = others.filter(|&&from| !self.same_ticks(from, to));
                if *signal == update.target {
                    continue;
                }
                found.extend(others.map(|&from| RateTransition {
                    signal: signal.clone(),
                    from: self.clocks()[from].clone(),
                    reader: update.target.clone(),
                    to: self.clocks()[to].clone(),
                    through: through.clone(),
                }));
            }
        }
        found
    }

    fn same_ticks(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.clocks()[a], &self.clocks()[b]);
        a.period == b.period && a.offset == b.offset
    }

    /// The clocks that write each discrete state, ascending.
    fn clocks_of_discretes(&self) -> Vec<Vec<usize>> {
        let mut writers = vec![Vec::new(); self.discretes().len()];
        for update in self.updates() {
            if let (Trigger::Clock(clock), Some(Meaning::Discrete(index))) =
                (update.trigger, self.meaning(&update.target))
            {
                writers[index].push(clock);
            }
        }
        for own in &mut writers {
            own.sort_unstable();
            own.dedup();
        }
        writers
    }
}

/// What has been met below an update.
struct Search<'s> {
    system: &'s EquationSystem,
    /// The last round in which each definition, then each loop, was met.
    met: Vec<usize>,
    round: usize,
}

impl<'s> Search<'s> {
    fn new(system: &'s EquationSystem) -> Self {
        Self {
            system,
            met: vec![0; system.definitions().len() + system.loops().len()],
            round: 0,
        }
    }

    /// Discrete states below an expression, each with the symbol of the expression that leads to
    /// it, sorted by name; of several such symbols the first by name.
    fn reads(&mut self, expression: &Expr) -> Vec<(usize, Symbol)> {
        let definitions = self.system.definitions().len();
        let mut found: Vec<(usize, Symbol)> = Vec::new();
        for through in expression.dependencies() {
            self.round += 1;
            let mut open = vec![through.clone()];
            while let Some(symbol) = open.pop() {
                let base = Symbol::new(base_name(symbol.name()));
                match self.system.meaning(&base) {
                    Some(Meaning::Discrete(index)) if found.iter().all(|own| own.0 != index) => {
                        found.push((index, Symbol::new(base_name(through.name()))));
                    }
                    Some(Meaning::Definition(index)) if self.enter(index) => {
                        let definition = &self.system.definitions()[index];
                        open.extend(definition.expression.dependencies());
                    }
                    Some(Meaning::Unknown { of, .. }) if self.enter(definitions + of) => {
                        open.extend(self.system.loops()[of].dependencies());
                    }
                    _ => {}
                }
            }
        }
        let name = |own: &(usize, Symbol)| self.system.discretes()[own.0].symbol.clone();
        found.sort_by_key(name);
        found
    }

    fn enter(&mut self, place: usize) -> bool {
        std::mem::replace(&mut self.met[place], self.round) != self.round
    }
}
