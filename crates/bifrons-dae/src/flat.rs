//! Flat models: all equations of a network with the origin of each.

mod display;

use std::sync::Arc;

use bifrons_expr::{Expr, Symbol};

use crate::component::Direction;
use crate::range::Range;

/// Where an equation comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// An equation of a component.
    Component {
        /// Path of the component.
        path: Arc<str>,
        /// Kind of the component, such as `Resistor`.
        kind: Arc<str>,
    },
    /// Potentials of connected pins are equal.
    Potential {
        /// The two pins.
        pins: [Arc<str>; 2],
    },
    /// Flows of connected pins sum to zero.
    Node {
        /// The pins.
        pins: Vec<Arc<str>>,
    },
    /// A pin that is not connected carries no flow.
    Unconnected {
        /// The pin.
        pin: Arc<str>,
    },
    /// A signal is fed from a variable, or has its default.
    Signal {
        /// The input.
        target: Arc<str>,
    },
}

impl Origin {
    /// The components that the equation belongs to.
    #[must_use]
    pub fn components(&self) -> Vec<&str> {
        let owner = |pin: &'_ Arc<str>| -> usize { pin.rfind('.').unwrap_or(0) };
        match self {
            Self::Component { path, .. } => vec![path],
            Self::Potential { pins } => pins.iter().map(|p| &p[..owner(p)]).collect(),
            Self::Node { pins } => pins.iter().map(|p| &p[..owner(p)]).collect(),
            Self::Unconnected { pin } => vec![&pin[..owner(pin)]],
            Self::Signal { target } => vec![&target[..owner(target)]],
        }
    }
}

/// A parameter of a flat model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FlatParameter {
    /// Its path, such as `plant.r1.r`.
    pub symbol: Symbol,
    /// The value unless a run says otherwise.
    pub default: f64,
    /// The values that it may have.
    pub range: Range,
    /// Its unit as it is written, if it has one.
    pub unit: Option<Arc<str>>,
}

/// An unknown of a flat model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FlatVariable {
    /// Its path, such as `plant.r1.p.v`.
    pub symbol: Symbol,
    /// Path of the component that it belongs to.
    pub component: Arc<str>,
    /// Whether it is a flow of a connector.
    pub(crate) is_flow: bool,
}

/// An equation `left = right` of a flat model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FlatEquation {
    /// Left side.
    pub left: Expr,
    /// Right side.
    pub right: Expr,
    /// Where it comes from.
    pub origin: Origin,
}

/// A statement about the start.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StartCondition {
    /// The quantity, over variables and derivatives.
    pub quantity: Expr,
    /// Its value, over parameters and the start time.
    pub value: Expr,
    /// Whether it must hold, or is a first guess.
    pub fixed: bool,
}

/// A discrete quantity that says on which side of a surface a component is.
#[derive(Debug, Clone)]
pub(crate) struct FlatSwitch {
    pub(crate) symbol: Symbol,
    pub(crate) surface: Expr,
}

#[derive(Debug, Clone)]
pub(crate) struct FlatEvent {
    pub(crate) name: Arc<str>,
    pub(crate) surface: Expr,
    pub(crate) crossing: Direction,
    pub(crate) resets: Vec<(Symbol, Expr)>,
    pub(crate) limit: Option<u32>,
}

/// All equations of a network with their origins; made by
/// [`Network::flatten`](crate::Network::flatten).
///
/// `Display` prints one equation per line with its origin.
#[derive(Debug, Clone)]
pub struct FlatModel {
    pub(crate) name: Arc<str>,
    pub(crate) parameters: Vec<FlatParameter>,
    pub(crate) inputs: Vec<Symbol>,
    pub(crate) variables: Vec<FlatVariable>,
    pub(crate) equations: Vec<FlatEquation>,
    pub(crate) starts: Vec<StartCondition>,
    pub(crate) switches: Vec<FlatSwitch>,
    pub(crate) events: Vec<FlatEvent>,
    /// Exported signals: name and variable.
    pub(crate) outputs: Vec<(Symbol, Symbol)>,
    /// For domains that need a reference: pins by node, with the domain's hint.
    pub(crate) nodes: Vec<FlatNode>,
}

/// The pins that are connected to each other.
#[derive(Debug, Clone)]
pub(crate) struct FlatNode {
    pub(crate) domain: crate::domain::Domain,
    pub(crate) pins: Vec<Arc<str>>,
    /// Position in `variables` of the first potential of each pin.
    pub(crate) potentials: Vec<usize>,
}

impl FlatModel {
    /// Name of the network.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &[FlatParameter] {
        &self.parameters
    }

    /// Inputs of the model that have no value.
    #[must_use]
    pub fn inputs(&self) -> &[Symbol] {
        &self.inputs
    }

    /// The unknowns.
    #[must_use]
    pub fn variables(&self) -> &[FlatVariable] {
        &self.variables
    }

    /// The equations.
    #[must_use]
    pub fn equations(&self) -> &[FlatEquation] {
        &self.equations
    }

    /// Statements about the start, those of outer networks last.
    #[must_use]
    pub fn starts(&self) -> &[StartCondition] {
        &self.starts
    }
}
