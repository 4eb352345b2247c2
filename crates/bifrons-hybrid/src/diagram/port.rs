//! References to blocks and ports of a diagram under construction.

use std::sync::Arc;

/// A block of a [`DiagramBuilder`](crate::DiagramBuilder).
///
/// Valid for the builder that gave it out and for clones of that builder.
#[derive(Debug, Clone)]
pub struct BlockId {
    pub(crate) index: usize,
    pub(crate) name: Arc<str>,
}

impl BlockId {
    /// The name under which the block was added.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// An input of the block; whether it exists is checked where it is used.
    #[must_use]
    pub fn input(&self, port: impl Into<String>) -> InputPort {
        InputPort(Port {
            block: BlockReference::Id(self.clone()),
            port: port.into(),
        })
    }

    /// An output of the block; whether it exists is checked where it is used.
    #[must_use]
    pub fn output(&self, port: impl Into<String>) -> OutputPort {
        OutputPort(Port {
            block: BlockReference::Id(self.clone()),
            port: port.into(),
        })
    }
}

/// An input of a block: [`BlockId::input`] or the text `block.port`.
#[derive(Debug, Clone)]
pub struct InputPort(pub(crate) Port);

/// An output of a block: [`BlockId::output`] or the text `block.port`.
#[derive(Debug, Clone)]
pub struct OutputPort(pub(crate) Port);

#[derive(Debug, Clone)]
pub(crate) struct Port {
    pub(crate) block: BlockReference,
    pub(crate) port: String,
}

#[derive(Debug, Clone)]
pub(crate) enum BlockReference {
    Id(BlockId),
    Name(String),
}

impl Port {
    /// Splits `block.port` at the last dot; a text without dot names no block.
    fn parse(text: &str) -> Self {
        let (block, port) = text.rsplit_once('.').unwrap_or(("", text));
        Self {
            block: BlockReference::Name(block.to_owned()),
            port: port.to_owned(),
        }
    }
}

impl From<&str> for InputPort {
    fn from(text: &str) -> Self {
        Self(Port::parse(text))
    }
}

impl From<&str> for OutputPort {
    fn from(text: &str) -> Self {
        Self(Port::parse(text))
    }
}

impl From<&Self> for InputPort {
    fn from(port: &Self) -> Self {
        port.clone()
    }
}

impl From<&Self> for OutputPort {
    fn from(port: &Self) -> Self {
        port.clone()
    }
}
