//! Networks: components, sub-networks and the connections between them.

mod builder;

use std::fmt;
use std::sync::Arc;

use bifrons_expr::Expr;

pub use builder::{NetworkBuilder, PartId, Pin, Signal};

use crate::component::Kind;
use crate::domain::Domain;

/// Components and sub-networks with connected pins and signals; made by [`NetworkBuilder`].
///
/// Immutable and cheap to clone. A network can be part of another one, by its exported pins and
/// signals.
#[derive(Clone)]
pub struct Network(pub(crate) Arc<Inner>);

#[derive(Default)]
pub(crate) struct Inner {
    pub(crate) name: Arc<str>,
    pub(crate) parts: Vec<Member>,
    pub(crate) connections: Vec<[PinRef; 2]>,
    /// Source, target.
    pub(crate) signals: Vec<[SignalRef; 2]>,
    pub(crate) pins: Vec<ExportedPin>,
    pub(crate) exported: Vec<ExportedSignal>,
    pub(crate) conditions: Vec<PathCondition>,
    /// Path, value and its unit.
    pub(crate) parameters: Vec<(String, f64, Option<String>)>,
}

pub(crate) struct Member {
    pub(crate) name: Arc<str>,
    pub(crate) kind: Kind,
}

/// A connector of a part, or an exported pin of a sub-network.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PinRef {
    pub(crate) part: usize,
    pub(crate) index: usize,
}

/// A local quantity of a part, or an exported signal of a sub-network.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct SignalRef {
    pub(crate) part: usize,
    pub(crate) index: usize,
}

pub(crate) struct ExportedPin {
    pub(crate) name: Arc<str>,
    pub(crate) domain: Domain,
    pub(crate) inner: PinRef,
}

pub(crate) struct ExportedSignal {
    pub(crate) name: Arc<str>,
    pub(crate) is_input: bool,
    pub(crate) inner: SignalRef,
}

/// A condition at the start, over paths within the network.
pub(crate) struct PathCondition {
    pub(crate) quantity: Expr,
    pub(crate) value: f64,
    pub(crate) fixed: bool,
}

impl Network {
    /// Name of the network.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Number of parts, sub-networks counted once.
    #[must_use]
    pub fn part_count(&self) -> usize {
        self.0.parts.len()
    }

    /// Names and domains of the exported pins.
    pub fn pins(&self) -> impl Iterator<Item = (&str, Domain)> {
        self.0.pins.iter().map(|pin| (&*pin.name, pin.domain))
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, count) = (self.name(), self.part_count());
        write!(f, "Network({name}, {count} parts)")
    }
}

/// Takes nested networks apart one by one, whatever their depth.
impl Drop for Inner {
    fn drop(&mut self) {
        let mut open: Vec<Member> = std::mem::take(&mut self.parts);
        while let Some(member) = open.pop() {
            if let Kind::Network(Network(inner)) = member.kind
                && let Some(mut inner) = Arc::into_inner(inner)
            {
                open.append(&mut inner.parts);
            }
        }
    }
}
