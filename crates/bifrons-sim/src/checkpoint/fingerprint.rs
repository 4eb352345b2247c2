//! Which run a checkpoint belongs to.

use std::fmt::{Debug, Write as _};

use bifrons_hybrid::HybridSystem;
use bifrons_ode::Options;

use crate::method::RunMethod;

use super::{CheckpointError, Reader, Writer};

/// What must be the same, by name.
const PARTS: [&str; 6] = [
    "system",
    "parameters",
    "span",
    "options",
    "recording",
    "events",
];

/// One hash for each of the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint([u64; PARTS.len()]);

/// What a fingerprint is taken of.
pub(crate) struct Taken<'t, S> {
    pub(crate) system: &'t S,
    pub(crate) parameters: &'t dyn Debug,
    pub(crate) span: &'t dyn Debug,
    pub(crate) options: &'t Options,
    pub(crate) method: RunMethod,
    pub(crate) recording: &'t dyn Debug,
    pub(crate) events: &'t dyn Debug,
}

impl Fingerprint {
    pub(crate) fn of<S: HybridSystem>(taken: &Taken<'_, S>) -> Self {
        let schema = taken.system.schema();
        let mut system = String::from(schema.name());
        let names = schema.state_names().chain(schema.parameter_names());
        for name in names.chain(schema.output_names()) {
            system.push('\n');
            system.push_str(name);
        }
        // Writing to a string does not fail.
        let _ = write!(system, "\n{:?}", taken.system.events());
        // The instruction set changes no bit.
        let mut options = taken.options.clone();
        options.level = None;
        let text = |part: &dyn Debug| hash(format!("{part:?}").as_bytes());
        Self([
            hash(system.as_bytes()),
            text(taken.parameters),
            text(taken.span),
            text(&(taken.method, &options)),
            text(taken.recording),
            text(taken.events),
        ])
    }

    /// The first part that differs is the error.
    pub(crate) fn check(&self, own: &Self) -> Result<(), CheckpointError> {
        let mut pairs = PARTS.iter().zip(self.0.iter().zip(&own.0));
        match pairs.find(|(_, (a, b))| a != b) {
            Some((&what, _)) => Err(CheckpointError::OtherRun { what }),
            None => Ok(()),
        }
    }

    pub(crate) fn write(&self, writer: &mut Writer) {
        for &part in &self.0 {
            writer.word(part);
        }
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let mut parts = [0; PARTS.len()];
        for part in &mut parts {
            *part = reader.word()?;
        }
        Some(Self(parts))
    }
}

/// The 64-bit FNV-1a hash: detects damage, not forgery.
///
/// # References
///
/// G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake (2019), *The FNV Non-Cryptographic Hash
/// Algorithm*, IETF draft.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
