//! What a component is: connectors, parameters and equations over local names.

mod builder;
mod units;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use bifrons_expr::{Expr, Symbol};

pub use builder::ComponentSpecBuilder;

use crate::domain::Domain;
use crate::error::ComponentError;
use crate::network::Network;
use crate::range::Range;

/// Something that a [`NetworkBuilder`](crate::NetworkBuilder) can add: a component of the
/// library, a [`ComponentSpec`] or a whole [`Network`].
///
/// A component of a library is a small struct of settings that writes its equations here.
pub trait Component {
    /// Writes the equations.
    ///
    /// # Errors
    ///
    /// A setting or an equation that is not valid.
    fn into_part(self) -> Result<Part, ComponentError>;
}

/// A component with equations or a sub-network, ready to be added to a network.
#[derive(Clone)]
pub struct Part(pub(crate) Kind);

#[derive(Clone)]
pub(crate) enum Kind {
    Spec(Arc<ComponentSpec>),
    Network(Network),
}

impl Part {
    /// What it is, for messages.
    #[must_use]
    pub fn kind(&self) -> &str {
        match &self.0 {
            Kind::Spec(spec) => &spec.kind,
            Kind::Network(network) => network.name(),
        }
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Part({})", self.kind())
    }
}

/// Equations of one kind of component over local names.
///
/// ```text
/// 0 = left(time, p, u, x, der(x)) - right(…)
/// ```
///
/// A local name is a parameter `p`, an input signal, a variable `x` of the component's own, or a
/// potential or flow of a connector (`p.v`, `p.i` of connector `p`). [`der`](crate::der) writes the
/// derivative of a variable; `time` is the independent variable. There must be as many equations
/// as own variables and flows together.
///
/// ```
/// use bifrons_dae::{ComponentSpec, Domain, Range};
/// use bifrons_expr::Expr;
///
/// let s = |name: &str| Expr::symbol(name);
/// let resistor = ComponentSpec::builder("Resistor")
///     .pin("p", Domain::Electrical)
///     .pin("n", Domain::Electrical)
///     .parameter("r", 100.0, Range::POSITIVE)
///     .equation(s("p.v") - s("n.v"), s("r") * s("p.i"))
///     .equation(s("p.i") + s("n.i"), 0.0)
///     .build()?;
/// assert_eq!(resistor.kind(), "Resistor");
/// # Ok::<(), bifrons_dae::ComponentError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ComponentSpec {
    pub(crate) kind: Arc<str>,
    pub(crate) connectors: Vec<Connector>,
    pub(crate) locals: Vec<Local>,
    /// Positions in `locals`, sorted by name.
    by_name: Vec<usize>,
    pub(crate) equations: Vec<(Expr, Expr)>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) events: Vec<EventSpec>,
    /// Units of locals beside those of connectors.
    pub(crate) units: Vec<(usize, Cow<'static, str>)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Connector {
    pub(crate) name: Arc<str>,
    pub(crate) domain: Domain,
    /// Position in `locals` of the first potential; pairs of potential and flow follow.
    pub(crate) first: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct Local {
    pub(crate) symbol: Symbol,
    pub(crate) role: Role,
}

#[derive(Debug, Clone)]
pub(crate) enum Role {
    Parameter {
        default: f64,
        range: Range,
    },
    Variable,
    Input {
        default: Option<f64>,
    },
    Potential,
    Flow,
    /// Enthalpy of what would flow out of a connector; the component has an equation for it.
    Outflow,
    /// Enthalpy of what would flow into it; the node has one.
    Inflow,
    Switch {
        surface: Expr,
    },
}

/// A statement about the start: `expression = value`.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    pub(crate) quantity: Expr,
    pub(crate) value: Expr,
    pub(crate) fixed: bool,
}

/// Something that happens when a surface is crossed.
#[derive(Debug, Clone)]
pub(crate) struct EventSpec {
    pub(crate) name: Arc<str>,
    pub(crate) surface: Expr,
    pub(crate) crossing: Direction,
    pub(crate) resets: Vec<(Symbol, Expr)>,
    pub(crate) limit: Option<u32>,
}

/// Direction in which a surface is crossed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Both.
    #[default]
    Either,
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
}

impl ComponentSpec {
    /// Starts the description; `kind` is its name in messages, such as `Resistor`.
    pub fn builder(kind: impl Into<Arc<str>>) -> ComponentSpecBuilder {
        ComponentSpecBuilder::new(kind.into())
    }

    /// The kind, such as `Resistor`.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Names and domains of the connectors.
    pub fn pins(&self) -> impl Iterator<Item = (&str, Domain)> {
        self.connectors.iter().map(|c| (&*c.name, c.domain))
    }

    /// Names and defaults of the parameters.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, f64)> {
        self.locals.iter().filter_map(|local| match local.role {
            Role::Parameter { default, .. } => Some((local.symbol.name(), default)),
            _ => None,
        })
    }

    /// The equations as `left = right`, in the order of declaration.
    pub fn equations(&self) -> impl Iterator<Item = (&Expr, &Expr)> {
        self.equations.iter().map(|(left, right)| (left, right))
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        find(&self.locals, &self.by_name, name)
    }
}

pub(crate) fn find(locals: &[Local], by_name: &[usize], name: &str) -> Option<usize> {
    by_name
        .binary_search_by(|&local| locals[local].symbol.name().cmp(name))
        .ok()
        .map(|position| by_name[position])
}

impl From<ComponentSpec> for Part {
    fn from(spec: ComponentSpec) -> Self {
        Self(Kind::Spec(Arc::new(spec)))
    }
}

impl From<Arc<ComponentSpec>> for Part {
    fn from(spec: Arc<ComponentSpec>) -> Self {
        Self(Kind::Spec(spec))
    }
}

impl From<Network> for Part {
    fn from(network: Network) -> Self {
        Self(Kind::Network(network))
    }
}

impl Component for Part {
    fn into_part(self) -> Result<Part, ComponentError> {
        Ok(self)
    }
}

impl Component for ComponentSpec {
    fn into_part(self) -> Result<Part, ComponentError> {
        Ok(self.into())
    }
}

impl Component for Arc<ComponentSpec> {
    fn into_part(self) -> Result<Part, ComponentError> {
        Ok(self.into())
    }
}

impl Component for Network {
    fn into_part(self) -> Result<Part, ComponentError> {
        Ok(self.into())
    }
}
