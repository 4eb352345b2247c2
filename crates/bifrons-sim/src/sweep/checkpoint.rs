//! The finished members of a sweep as bytes, and the sweep that goes on from them.

use bifrons_hybrid::HybridSystem;

use super::{Sweep, SweepResult};
use crate::checkpoint::{CheckpointError, Fingerprint, Reader, Taken, Writer};
use crate::error::SweepError;

/// First bytes of every checkpoint of a sweep.
const MAGIC: &[u8; 8] = b"bifronsS";
/// Version of the format.
const VERSION: u64 = 2;

impl<S: HybridSystem> Sweep<'_, S> {
    /// The rows and reports of the members that are finished, as bytes: those of a sweep that was
    /// stopped by its [`progress`](crate::SweepBuilder::progress), or of a whole one.
    ///
    /// Failed members are left out; they are run again and fail again in the same way. The bytes
    /// have a version and a checksum and are the same on every machine.
    #[must_use]
    pub fn checkpoint(&self, result: &SweepResult) -> Vec<u8> {
        let mut writer = Writer::new(MAGIC, VERSION);
        self.fingerprint().write(&mut writer);
        writer.word(self.members as u64);
        result.save(&mut writer);
        writer.seal()
    }

    /// Runs the members that a [`checkpoint`](Self::checkpoint) of the same sweep lacks; the
    /// result is that of the sweep in one piece, bit for bit.
    ///
    /// A chunk of members that is finished in part is run as a whole.
    ///
    /// # Errors
    ///
    /// [`SweepError::Checkpoint`] for bytes that are no checkpoint, damaged, or of another sweep;
    /// otherwise as [`run`](Self::run).
    pub fn resume(&self, checkpoint: &[u8]) -> Result<SweepResult, SweepError> {
        let mut reader = Reader::open(checkpoint, MAGIC, VERSION)?;
        let foreign = CheckpointError::Foreign {
            bytes: checkpoint.len(),
        };
        let fingerprint = Fingerprint::read(&mut reader).ok_or(foreign.clone())?;
        fingerprint.check(&self.fingerprint())?;
        let width = self.plan()?.chunk_width();
        let mut result = SweepResult::allocate(self);
        if reader.word() != Some(self.members as u64) {
            return Err(CheckpointError::OtherRun { what: "members" }.into());
        }
        result.restore(&mut reader).ok_or(foreign)?;
        self.run_into(width, result)
    }

    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&Taken {
            system: self.system,
            parameters: &self.parameters,
            span: &self.span,
            options: &self.options,
            method: self.method,
            recording: &(&self.policy, &self.signals),
            events: &self.events,
        })
    }
}
