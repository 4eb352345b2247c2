//! Builder of a [`Network`].

use std::collections::BTreeSet;
use std::sync::Arc;

use bifrons_expr::Expr;
use bifrons_hybrid::{NameProblem, UnknownName};

use super::{
    ExportedPin, ExportedSignal, Inner, Member, Network, PathCondition, PinRef, SignalRef,
};
use crate::component::{Component, Kind, Role};
use crate::domain::Domain;
use crate::error::NetworkError;
use crate::name::{check_name, nearest};

/// A part that was added to a network; gives its pins and signals by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartId(usize);

/// A pin of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    part: PartId,
    name: String,
}

/// A signal of a part: an input or any other variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    part: PartId,
    name: String,
}

impl PartId {
    /// The pin of this name; whether it exists is checked where it is used.
    #[must_use]
    pub fn pin(self, name: impl Into<String>) -> Pin {
        let name = name.into();
        Pin { part: self, name }
    }

    /// The signal of this name; whether it exists is checked where it is used.
    #[must_use]
    pub fn signal(self, name: impl Into<String>) -> Signal {
        let name = name.into();
        Signal { part: self, name }
    }
}

/// Collects parts and connections.
///
/// ```
/// use bifrons_dae::NetworkBuilder;
/// use bifrons_dae::library::electrical::{Capacitor, Ground, Resistor, VoltageSource};
///
/// let mut net = NetworkBuilder::new("rc");
/// let source = net.add("source", VoltageSource::new(1.0))?;
/// let r = net.add("r", Resistor::new(1.0))?;
/// let c = net.add("c", Capacitor::new(1.0).voltage(0.0))?;
/// let ground = net.add("ground", Ground::new())?;
/// net.connect(source.pin("p"), r.pin("p"))?;
/// net.connect(r.pin("n"), c.pin("p"))?;
/// net.connect(c.pin("n"), source.pin("n"))?;
/// net.connect(source.pin("n"), ground.pin("p"))?;
/// let model = net.build().flatten()?;
/// assert!(model.to_string().contains("c.i = c.c * der(c.v)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct NetworkBuilder {
    inner: Inner,
    names: BTreeSet<Arc<str>>,
}

impl std::fmt::Debug for NetworkBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NetworkBuilder({})", self.inner.name)
    }
}

impl NetworkBuilder {
    /// An empty network.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        let mut builder = Self::default();
        builder.inner.name = name.into();
        builder
    }

    /// Adds a component or a sub-network under a name.
    ///
    /// # Errors
    ///
    /// [`NetworkError::Name`] if the name is malformed or taken, [`NetworkError::Component`] if
    /// the component is not valid.
    pub fn add(
        &mut self,
        name: impl AsRef<str>,
        component: impl Component,
    ) -> Result<PartId, NetworkError> {
        let name: Arc<str> = Arc::from(name.as_ref());
        let refuse = |problem| NetworkError::Name {
            network: self.inner.name.to_string(),
            name: name.to_string(),
            problem,
        };
        check_name(&name).map_err(refuse)?;
        if !self.names.insert(name.clone()) {
            return Err(refuse(NameProblem::Duplicate));
        }
        let part = component
            .into_part()
            .map_err(|source| NetworkError::Component {
                component: name.to_string(),
                source,
            })?;
        let kind = part.0;
        self.inner.parts.push(Member { name, kind });
        Ok(PartId(self.inner.parts.len() - 1))
    }

    /// Connects two pins; connecting the same pins again changes nothing.
    ///
    /// # Errors
    ///
    /// [`NetworkError::Unknown`] for a pin that does not exist, [`NetworkError::Domains`] if the
    /// pins carry different quantities.
    pub fn connect(&mut self, a: Pin, b: Pin) -> Result<(), NetworkError> {
        let (first, second) = (self.pin(&a)?, self.pin(&b)?);
        if first.1 != second.1 {
            return Err(NetworkError::Domains {
                pins: [self.describe(&a), self.describe(&b)],
                domains: [first.1, second.1],
            });
        }
        self.inner.connections.push([first.0, second.0]);
        Ok(())
    }

    /// Connects every pin of the list to the first one.
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect).
    pub fn join(&mut self, pins: impl IntoIterator<Item = Pin>) -> Result<(), NetworkError> {
        let mut pins = pins.into_iter();
        if let Some(first) = pins.next() {
            for pin in pins {
                self.connect(first.clone(), pin)?;
            }
        }
        Ok(())
    }

    /// Feeds an input signal from any variable of another part.
    ///
    /// # Errors
    ///
    /// [`NetworkError::Unknown`] for a signal that does not exist, [`NetworkError::NotAnInput`]
    /// if the target is no input.
    pub fn connect_signal(&mut self, source: Signal, target: Signal) -> Result<(), NetworkError> {
        let (from, _) = self.signal(&source)?;
        let (to, is_input) = self.signal(&target)?;
        if !is_input {
            return Err(NetworkError::NotAnInput {
                signal: self.describe_signal(&target),
            });
        }
        self.inner.signals.push([from, to]);
        Ok(())
    }

    /// Exports a pin under a name, so that a network around this one can connect it.
    ///
    /// # Errors
    ///
    /// [`NetworkError::Unknown`], [`NetworkError::Name`].
    pub fn export_pin(&mut self, name: impl AsRef<str>, pin: Pin) -> Result<(), NetworkError> {
        let (inner, domain) = self.pin(&pin)?;
        let name = self.export_name(name.as_ref())?;
        self.inner.pins.push(ExportedPin {
            name,
            domain,
            inner,
        });
        Ok(())
    }

    /// Exports a signal under a name; an input of the outermost network is an input of the model.
    ///
    /// # Errors
    ///
    /// [`NetworkError::Unknown`], [`NetworkError::Name`].
    pub fn export_signal(
        &mut self,
        name: impl AsRef<str>,
        signal: Signal,
    ) -> Result<(), NetworkError> {
        let (inner, is_input) = self.signal(&signal)?;
        let name = self.export_name(name.as_ref())?;
        self.inner.exported.push(ExportedSignal {
            name,
            is_input,
            inner,
        });
        Ok(())
    }

    /// States that a quantity has this value at the start; `quantity` is over paths within the
    /// network, such as `s("mass.s")` or [`der`](crate::der)`("mass.s")`.
    pub fn fix(&mut self, quantity: impl Into<Expr>, value: f64) {
        self.condition(quantity.into(), value, true);
    }

    /// Replaces the first guess of a variable at the start.
    pub fn guess(&mut self, path: impl AsRef<str>, value: f64) {
        self.condition(Expr::symbol(path.as_ref()), value, false);
    }

    /// Replaces the default value of a parameter, by its path within the network.
    pub fn set(&mut self, path: impl Into<String>, value: f64) {
        self.inner.parameters.push((path.into(), value, None));
    }

    /// Replaces the default value of a parameter by a value in any unit of the same quantity, such
    /// as `net.set_in("r.r", 4.7, "kOhm")`; checked and converted by [`Network::flatten`].
    pub fn set_in(&mut self, path: impl Into<String>, value: f64, unit: impl Into<String>) {
        let unit = Some(unit.into());
        self.inner.parameters.push((path.into(), value, unit));
    }

    /// The finished network.
    #[must_use]
    pub fn build(self) -> Network {
        Network(Arc::new(self.inner))
    }

    fn condition(&mut self, quantity: Expr, value: f64, fixed: bool) {
        self.inner.conditions.push(PathCondition {
            quantity,
            value,
            fixed,
        });
    }

    fn export_name(&self, name: &str) -> Result<Arc<str>, NetworkError> {
        let refuse = |problem| NetworkError::Name {
            network: self.inner.name.to_string(),
            name: name.to_owned(),
            problem,
        };
        check_name(name).map_err(refuse)?;
        let pins = self.inner.pins.iter().map(|pin| &*pin.name);
        let signals = self.inner.exported.iter().map(|signal| &*signal.name);
        if pins.chain(signals).any(|taken| taken == name) {
            return Err(refuse(NameProblem::Duplicate));
        }
        Ok(Arc::from(name))
    }

    fn member(&self, part: PartId, name: &str) -> Result<&Member, NetworkError> {
        self.inner.parts.get(part.0).ok_or_else(|| {
            NetworkError::Unknown(UnknownName {
                what: "part that belongs to",
                name: name.to_owned(),
                owner: self.inner.name.to_string(),
                nearest: None,
            })
        })
    }

    fn pin(&self, pin: &Pin) -> Result<(PinRef, Domain), NetworkError> {
        let member = self.member(pin.part, &pin.name)?;
        let known: Vec<(&str, Domain)> = match &member.kind {
            Kind::Spec(spec) => spec.pins().collect(),
            Kind::Network(network) => network.pins().collect(),
        };
        let found = known.iter().position(|(name, _)| *name == pin.name);
        let part = pin.part.0;
        match found {
            Some(index) => Ok((PinRef { part, index }, known[index].1)),
            None => {
                let names = known.iter().map(|(name, _)| *name);
                Err(unknown("pin", &pin.name, &member.name, names))
            }
        }
    }

    /// The signal and whether it is an input.
    fn signal(&self, signal: &Signal) -> Result<(SignalRef, bool), NetworkError> {
        let member = self.member(signal.part, &signal.name)?;
        let part = signal.part.0;
        let found = match &member.kind {
            Kind::Spec(spec) => spec.find(&signal.name).map(|index| {
                let is_input = matches!(spec.locals[index].role, Role::Input { .. });
                (index, is_input)
            }),
            Kind::Network(network) => {
                let exported = &network.0.exported;
                let found = exported.iter().position(|e| *e.name == *signal.name);
                found.map(|index| (index, exported[index].is_input))
            }
        };
        match found {
            Some((index, is_input)) => Ok((SignalRef { part, index }, is_input)),
            None => {
                let names: Vec<&str> = match &member.kind {
                    Kind::Spec(spec) => spec.locals.iter().map(|l| l.symbol.name()).collect(),
                    Kind::Network(net) => net.0.exported.iter().map(|e| &*e.name).collect(),
                };
                Err(unknown("signal", &signal.name, &member.name, names))
            }
        }
    }

    fn describe(&self, pin: &Pin) -> String {
        format!("{}.{}", self.inner.parts[pin.part.0].name, pin.name)
    }

    fn describe_signal(&self, signal: &Signal) -> String {
        format!("{}.{}", self.inner.parts[signal.part.0].name, signal.name)
    }
}

fn unknown<'a>(
    what: &'static str,
    name: &str,
    owner: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> NetworkError {
    NetworkError::Unknown(UnknownName {
        what,
        name: name.to_owned(),
        owner: owner.to_owned(),
        nearest: nearest(name, known).map(str::to_owned),
    })
}
