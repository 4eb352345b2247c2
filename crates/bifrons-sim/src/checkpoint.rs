//! Runs that are paused, kept as bytes and resumed.

mod bytes;
mod fingerprint;

use bifrons_ode::{Progress, Statistics};

use crate::error::RunError;
use crate::simulation::{Phases, Run};

pub(crate) use bytes::{Reader, Writer};
pub(crate) use fingerprint::{Fingerprint, Taken};

/// First bytes of every checkpoint.
const MAGIC: &[u8; 8] = b"bifronsC";
/// Version of the format; a checkpoint of another version is refused.
const VERSION: u64 = 2;

/// A run that was paused between two steps: everything that it needs to go on as if nothing had
/// happened, bit for bit.
///
/// Integrator, discrete states, clocks, guards, event log and rows are all in it. It belongs to
/// one system and one [`Simulation`](crate::Simulation) with the same settings; another one is
/// refused. Bytes are the same on every machine: numbers of 64 bits, the lowest byte first, with
/// a version and a checksum.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Which run it belongs to.
    pub(crate) fingerprint: Fingerprint,
    pub(crate) progress: Progress,
    /// When the recorder wants to see the next step.
    pub(crate) next: f64,
    pub(crate) state: Vec<f64>,
    /// Derivatives at the state, which tell a system whose equations have changed.
    pub(crate) slopes: Vec<f64>,
    /// What methods before the present one have done.
    pub(crate) phases: Box<Phases>,
    /// What the present one has cost.
    pub(crate) spent: Box<Statistics>,
    /// Events, then the record.
    pub(crate) rest: Vec<u8>,
}

/// What became of a run that may be paused.
#[derive(Debug, Clone, PartialEq)]
pub enum Advance {
    /// It ended, see [`Run::outcome`].
    Ended(Run),
    /// It was paused and can go on from here.
    Paused(Checkpoint),
}

/// A checkpoint that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The bytes do not begin like a checkpoint.
    #[error("these {bytes} bytes are no checkpoint")]
    Foreign {
        /// Bytes given.
        bytes: usize,
    },
    /// The bytes were written by another version.
    #[error("checkpoint has version {found}, this library reads version {supported}")]
    Version {
        /// Version found.
        found: u64,
        /// Version that is read.
        supported: u64,
    },
    /// Bytes are missing or changed.
    #[error(
        "checkpoint is damaged: checksum {found:016x} of its bytes is not {expected:016x}; write \
         it anew"
    )]
    Damaged {
        /// Checksum of the bytes.
        found: u64,
        /// Checksum that was written.
        expected: u64,
    },
    /// The checkpoint belongs to another run.
    #[error("checkpoint belongs to a run with other {what}; resume it with the same settings")]
    OtherRun {
        /// What differs: `system`, `equations`, `parameters`, `span`, `options`, `recording`,
        /// `events` or `members`.
        what: &'static str,
    },
}

/// A run that was not resumed, or did not reach its end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The checkpoint cannot be used; nothing was computed.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The run failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl Checkpoint {
    /// Time at which the run was paused.
    #[must_use]
    pub fn time(&self) -> f64 {
        f64::from_bits(self.progress.to_bits()[0])
    }

    /// The continuous states at that time.
    #[must_use]
    pub fn state(&self) -> &[f64] {
        &self.state
    }

    /// The checkpoint as bytes; the same for the same checkpoint.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC, VERSION);
        self.fingerprint.write(&mut writer);
        for word in self.progress.to_bits() {
            writer.word(word);
        }
        writer.number(self.next);
        writer.numbers(&self.state);
        writer.numbers(&self.slopes);
        self.phases.write(&mut writer);
        let spent = Phases {
            before: *self.spent,
            ..Phases::default()
        };
        spent.write(&mut writer);
        writer.bytes(&self.rest);
        writer.seal()
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] for bytes that are none, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let mut reader = Reader::open(bytes, MAGIC, VERSION)?;
        Self::read(&mut reader).ok_or(CheckpointError::Foreign { bytes: bytes.len() })
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let fingerprint = Fingerprint::read(reader)?;
        let mut words = [0; Progress::WORDS];
        for word in &mut words {
            *word = reader.word()?;
        }
        Some(Self {
            fingerprint,
            progress: Progress::from_bits(words),
            next: reader.number()?,
            state: reader.numbers()?,
            slopes: reader.numbers()?,
            phases: Box::new(Phases::read(reader)?),
            spent: Box::new(Phases::read(reader)?.before),
            rest: reader.bytes()?.to_vec(),
        })
    }
}
