//! Names of the unknowns of an expression.

use std::fmt;
use std::sync::Arc;

/// Name of a quantity that an expression reads, for instance `plant.motor.current`.
///
/// Identity is the name: two symbols with the same text are the same symbol, wherever they were
/// made. Any text is a valid name; one that is not a plain identifier is printed in quotes.
///
/// Cost: cloning copies a counted pointer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(Arc<str>);

impl Symbol {
    /// The symbol of this name.
    #[must_use]
    pub fn new(name: impl AsRef<str>) -> Self {
        Self(Arc::from(name.as_ref()))
    }

    /// Whether both are clones of one symbol; then their names are equal.
    pub(crate) fn shares_text(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Symbol {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for Symbol {
    fn from(name: String) -> Self {
        Self(Arc::from(name))
    }
}

impl From<Arc<str>> for Symbol {
    /// Shares the text.
    fn from(name: Arc<str>) -> Self {
        Self(name)
    }
}

impl From<Symbol> for Arc<str> {
    /// Shares the text.
    fn from(symbol: Symbol) -> Self {
        symbol.0
    }
}

impl From<&Self> for Symbol {
    fn from(symbol: &Self) -> Self {
        symbol.clone()
    }
}
