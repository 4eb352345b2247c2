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
    pub fn input(&self, port: impl AsRef<str>) -> InputPort {
        InputPort(Port {
            block: BlockReference::Id(self.clone()),
            port: PortName::new(port.as_ref()),
        })
    }

    /// An output of the block; whether it exists is checked where it is used.
    #[must_use]
    pub fn output(&self, port: impl AsRef<str>) -> OutputPort {
        OutputPort(Port {
            block: BlockReference::Id(self.clone()),
            port: PortName::new(port.as_ref()),
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
    pub(crate) port: PortName,
}

/// Longest name that takes no memory of its own.
const SHORT: usize = 22;

/// Name of a port on its way into a diagram.
#[derive(Debug, Clone)]
pub(crate) enum PortName {
    Short { length: u8, bytes: [u8; SHORT] },
    Long(Box<str>),
}

impl PortName {
    fn new(name: &str) -> Self {
        let mut bytes = [0; SHORT];
        match (bytes.get_mut(..name.len()), u8::try_from(name.len())) {
            (Some(own), Ok(length)) => {
                own.copy_from_slice(name.as_bytes());
                Self::Short { length, bytes }
            }
            _ => Self::Long(name.into()),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Short { length, bytes } => {
                let own = bytes.get(..usize::from(*length)).unwrap_or_default();
                std::str::from_utf8(own).unwrap_or_default()
            }
            Self::Long(name) => name,
        }
    }
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
            port: PortName::new(port),
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

#[cfg(test)]
mod tests {
    use super::{PortName, SHORT};

    #[test]
    fn names_of_every_length_are_kept() {
        for length in [0, 1, SHORT - 1, SHORT, SHORT + 1, 300] {
            for letter in ["u", "α"] {
                let name = letter.repeat(length);
                assert_eq!(
                    PortName::new(&name).as_str(),
                    name,
                    "{length} times {letter}"
                );
            }
        }
    }
}
