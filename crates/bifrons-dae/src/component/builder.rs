//! Builder and validation of a [`ComponentSpec`].

use std::borrow::Cow;
use std::sync::Arc;

use bifrons_expr::{Expr, Symbol};
use bifrons_hybrid::{NameProblem, TIME};

use super::{ComponentSpec, Condition, Connector, Direction, EventSpec, Local, Role, find};
use crate::domain::Domain;
use crate::error::ComponentError;
use crate::name::{check_name, differentiated, nearest};
use crate::range::Range;

/// Collects the description of a component; made by [`ComponentSpec::builder`].
///
/// Nothing is checked before [`build`](Self::build).
#[derive(Debug, Clone)]
#[must_use]
pub struct ComponentSpecBuilder {
    kind: Arc<str>,
    connectors: Vec<Connector>,
    locals: Vec<Local>,
    equations: Vec<(Expr, Expr)>,
    conditions: Vec<Condition>,
    events: Vec<EventSpec>,
    units: Vec<(Text, Text)>,
    /// Whether the units of the equations are known to fit.
    is_trusted: bool,
}

/// A text that is known at compile time, or not.
type Text = Cow<'static, str>;

impl ComponentSpecBuilder {
    pub(super) fn new(kind: Arc<str>) -> Self {
        Self {
            kind,
            connectors: Vec::new(),
            locals: Vec::new(),
            equations: Vec::new(),
            conditions: Vec::new(),
            events: Vec::new(),
            units: Vec::new(),
            is_trusted: false,
        }
    }

    /// Says in which unit a parameter, variable or input is, such as `Ohm` or `kg.m^2`.
    ///
    /// Where a component has units, those of all its equations are checked: connectors have the SI
    /// units of their [`Domain`], `time` is in s, a derivative in the unit of its variable per s.
    /// A name without a unit fits everything. See [`bifrons_expr::Unit`] for what can be written.
    pub fn unit(
        mut self,
        name: impl Into<Cow<'static, str>>,
        unit: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.units.push((name.into(), unit.into()));
        self
    }

    /// Leaves the check of the units to a test.
    pub(crate) fn trusted(mut self) -> Self {
        self.is_trusted = true;
        self
    }

    /// Declares a connector; its variables are `name.v`, `name.i` and so on, see [`Domain`].
    pub fn pin(mut self, name: impl AsRef<str>, domain: Domain) -> Self {
        let name: Arc<str> = Arc::from(name.as_ref());
        let first = self.locals.len();
        for pair in domain.pairs() {
            for (part, role) in [(pair.potential, Role::Potential), (pair.flow, Role::Flow)] {
                let symbol = Symbol::from(format!("{name}.{part}"));
                self.locals.push(Local { symbol, role });
            }
        }
        if domain.has_stream() {
            for (part, role) in [("h", Role::Outflow), ("h_in", Role::Inflow)] {
                let symbol = Symbol::from(format!("{name}.{part}"));
                self.locals.push(Local { symbol, role });
            }
        }
        self.connectors.push(Connector {
            name,
            domain,
            first,
        });
        self
    }

    /// Declares a parameter with its default value and its range.
    pub fn parameter(self, name: impl AsRef<str>, default: f64, range: Range) -> Self {
        self.push(name.as_ref(), Role::Parameter { default, range })
    }

    /// Declares a variable of the component's own.
    pub fn variable(self, name: impl AsRef<str>) -> Self {
        self.push(name.as_ref(), Role::Variable)
    }

    /// Declares an input signal that must be connected.
    pub fn input(self, name: impl AsRef<str>) -> Self {
        self.push(name.as_ref(), Role::Input { default: None })
    }

    /// Declares an input signal that has this value where it is not connected.
    pub fn input_or(self, name: impl AsRef<str>, default: f64) -> Self {
        let default = Some(default);
        self.push(name.as_ref(), Role::Input { default })
    }

    /// Declares a discrete quantity that is 1 where the surface is positive, else 0.
    ///
    /// It is constant between events: a run locates the crossing, changes the quantity, solves
    /// again and repeats that until all such quantities agree with their surfaces.
    pub fn switch(self, name: impl AsRef<str>, surface: impl Into<Expr>) -> Self {
        let surface = surface.into();
        self.push(name.as_ref(), Role::Switch { surface })
    }

    /// States an equation `left = right`.
    pub fn equation(mut self, left: impl Into<Expr>, right: impl Into<Expr>) -> Self {
        self.equations.push((left.into(), right.into()));
        self
    }

    /// States that a quantity must have this value at the start.
    ///
    /// Quantity and value are expressions of the component: a variable, a derivative, or more.
    pub fn fixed(self, quantity: impl Into<Expr>, value: impl Into<Expr>) -> Self {
        self.condition(quantity.into(), value.into(), true)
    }

    /// Gives a first guess of a variable at the start, kept where nothing else decides it.
    pub fn guess(self, variable: impl AsRef<str>, value: impl Into<Expr>) -> Self {
        self.condition(Expr::symbol(variable.as_ref()), value.into(), false)
    }

    /// When the surface is crossed, the variables named in `resets` jump to these values.
    ///
    /// The values may read every variable just before the event. Variables that are not named keep
    /// their values if they are states, and are solved for again if they are not.
    pub fn when<S: AsRef<str>>(
        mut self,
        name: impl AsRef<str>,
        surface: impl Into<Expr>,
        crossing: Direction,
        resets: impl IntoIterator<Item = (S, Expr)>,
    ) -> Self {
        let resets = resets.into_iter();
        self.events.push(EventSpec {
            name: Arc::from(name.as_ref()),
            surface: surface.into(),
            crossing,
            resets: resets
                .map(|(name, value)| (Symbol::new(name), value))
                .collect(),
            limit: None,
        });
        self
    }

    /// Lets the event that was declared last happen this often at most.
    pub fn at_most(mut self, times: u32) -> Self {
        if let Some(event) = self.events.last_mut() {
            event.limit = Some(times);
        }
        self
    }

    fn condition(mut self, quantity: Expr, value: Expr, fixed: bool) -> Self {
        self.conditions.push(Condition {
            quantity,
            value,
            fixed,
        });
        self
    }

    fn push(mut self, name: &str, role: Role) -> Self {
        let symbol = Symbol::new(name);
        self.locals.push(Local { symbol, role });
        self
    }

    /// Checks and finishes the description.
    ///
    /// # Errors
    ///
    /// [`ComponentError::Name`], [`ComponentError::UnknownSymbol`], [`ComponentError::Balance`]
    /// where equations and unknowns differ in number, [`ComponentError::Parameter`] for a default
    /// outside its range.
    pub fn build(self) -> Result<ComponentSpec, ComponentError> {
        let by_name = self.sort_names()?;
        for local in &self.locals {
            if let Role::Parameter { default, range } = local.role
                && !range.contains(default)
            {
                return Err(ComponentError::Parameter {
                    kind: self.kind.to_string(),
                    parameter: local.symbol.name().to_owned(),
                    range,
                    value: default,
                });
            }
        }
        self.check_symbols(&by_name)?;
        let unknown = |l: &&Local| matches!(l.role, Role::Variable | Role::Flow | Role::Outflow);
        let unknowns = self.locals.iter().filter(unknown).count();
        if unknowns != self.equations.len() {
            return Err(ComponentError::Balance {
                kind: self.kind.to_string(),
                equations: self.equations.len(),
                unknowns,
            });
        }
        let mut units = Vec::with_capacity(self.units.len());
        for (name, unit) in self.units {
            let Some(local) = find(&self.locals, &by_name, &name) else {
                let known = self.locals.iter().map(|local| local.symbol.name());
                return Err(ComponentError::UnknownSymbol {
                    kind: self.kind.to_string(),
                    place: format!("unit {unit}"),
                    symbol: name.to_string(),
                    nearest: nearest(&name, known).map(str::to_owned),
                });
            };
            units.push((local, unit));
        }
        let spec = ComponentSpec {
            kind: self.kind,
            connectors: self.connectors,
            locals: self.locals,
            by_name,
            equations: self.equations,
            conditions: self.conditions,
            events: self.events,
            units,
        };
        if !(self.is_trusted || spec.units.is_empty()) {
            spec.check_units()?;
        }
        Ok(spec)
    }

    fn sort_names(&self) -> Result<Vec<usize>, ComponentError> {
        let refuse = |name: &str, problem| ComponentError::Name {
            kind: self.kind.to_string(),
            name: name.to_owned(),
            problem,
        };
        let own = self.locals.iter().map(|local| local.symbol.name());
        let pins = self.connectors.iter().map(|c| &*c.name);
        for name in own.filter(|name| !name.contains('.')).chain(pins) {
            check_name(name).map_err(|problem| refuse(name, problem))?;
        }
        let name = |position: usize| self.locals[position].symbol.name();
        let mut by_name: Vec<usize> = (0..self.locals.len()).collect();
        by_name.sort_by(|&a, &b| name(a).cmp(name(b)));
        match by_name.windows(2).find(|w| name(w[0]) == name(w[1])) {
            Some(pair) => Err(refuse(name(pair[0]), NameProblem::Duplicate)),
            None => Ok(by_name),
        }
    }

    fn check_symbols(&self, by_name: &[usize]) -> Result<(), ComponentError> {
        let pairs = self.equations.iter().flat_map(|(l, r)| [l, r]);
        let conditions = self.conditions.iter().flat_map(|c| [&c.quantity, &c.value]);
        let surfaces = self.locals.iter().filter_map(|local| match &local.role {
            Role::Switch { surface } => Some(surface),
            _ => None,
        });
        let events = self.events.iter().map(|event| &event.surface);
        let resets = self
            .events
            .iter()
            .flat_map(|e| e.resets.iter().map(|(_, e)| e));
        let all = pairs.chain(conditions).chain(surfaces).chain(events);
        for expression in all.chain(resets) {
            for symbol in expression.dependencies() {
                self.check_symbol(by_name, symbol.name(), expression)?;
            }
        }
        for (symbol, value) in self.events.iter().flat_map(|e| &e.resets) {
            self.check_symbol(by_name, symbol.name(), value)?;
        }
        Ok(())
    }

    fn check_symbol(
        &self,
        by_name: &[usize],
        name: &str,
        place: &Expr,
    ) -> Result<(), ComponentError> {
        let base = differentiated(name).unwrap_or(name);
        if base == TIME || find(&self.locals, by_name, base).is_some() {
            return Ok(());
        }
        let known = self.locals.iter().map(|local| local.symbol.name());
        Err(ComponentError::UnknownSymbol {
            kind: self.kind.to_string(),
            place: crate::name::plain(place),
            symbol: name.to_owned(),
            nearest: nearest(base, known).map(str::to_owned),
        })
    }
}
