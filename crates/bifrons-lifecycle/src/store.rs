//! Solutions in files: versioned, checksummed, and bound to a model and its parameters.

mod bytes;
mod fingerprint;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bytes::{Reader, Writer};

use crate::endogenous;
use crate::problem::Problem;
use crate::solution::{Report, Slot, Solution};

/// First bytes of a file.
const MAGIC: &[u8; 8] = b"bifronsL";
/// Version of the format; another one is refused.
const VERSION: u32 = 3;

/// A solution cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system refused.
    #[error("`{}` cannot be accessed", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The bytes are no solution of this version.
    #[error("`{}` is no solution in format {VERSION}: {message}; solve again and save", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// The solution belongs to another model or other parameters.
    #[error(
        "`{}` is a solution of another model or other parameters (fingerprint {found:016x}, expected {expected:016x}); solve again and save", path.display()
    )]
    Fingerprint {
        /// The file.
        path: PathBuf,
        /// Fingerprint in the file.
        found: u64,
        /// Fingerprint of the problem.
        expected: u64,
    },
}

impl Problem {
    /// A number that changes with anything that a solution depends on: ages, grids, formulas,
    /// solvers, parameters.
    ///
    /// Closures are known by their arguments only: give one another argument or name when its body
    /// changes, or do not rely on it.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        fingerprint::of(self)
    }

    /// Reads a solution that [`Solution::save`] wrote.
    ///
    /// # Errors
    ///
    /// [`StoreError`]: a file that is cut, changed, of another version, or of another model or
    /// other parameters is refused.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Solution, StoreError> {
        let path = path.as_ref();
        let format = |message: &str| StoreError::Format {
            path: path.to_owned(),
            message: message.to_owned(),
        };
        let all = fs::read(path).map_err(|source| StoreError::File {
            path: path.to_owned(),
            source,
        })?;
        let mut reader = Reader::new(&all);
        if reader.take(MAGIC.len()) != Some(MAGIC) {
            return Err(format("it does not begin like one"));
        }
        if reader.u32() != Some(VERSION) {
            return Err(format("it has another version"));
        }
        let (found, checksum) = reader
            .u64()
            .zip(reader.u64())
            .ok_or_else(|| format("it is cut"))?;
        if fingerprint::hash(reader.rest()) != checksum {
            return Err(format("its checksum is wrong"));
        }
        let expected = self.fingerprint();
        if found != expected {
            return Err(StoreError::Fingerprint {
                path: path.to_owned(),
                found,
                expected,
            });
        }
        let slots = self.read_slots(&mut reader);
        let slots = slots.filter(|_| reader.rest().is_empty());
        Ok(Solution {
            problem: self.clone(),
            slots: slots.ok_or_else(|| format("its contents do not fit the model"))?,
            report: Report::default(),
        })
    }

    fn read_slots(&self, reader: &mut Reader<'_>) -> Option<Vec<Vec<Slot>>> {
        let model = &self.model.inner;
        let mut all = Vec::with_capacity(model.ages.count());
        for period in 0..model.ages.count() {
            let mut here = Vec::with_capacity(model.regimes.len());
            for (regime, plan) in model.regimes.iter().enumerate() {
                let cells = plan.periods[period]
                    .as_ref()
                    .map_or(0, |own| own.space.len());
                let values = if reader.flag()? {
                    Some(reader.numbers(cells)?)
                } else {
                    None
                };
                let policy = if reader.flag()? {
                    Some(reader.codes(cells)?)
                } else {
                    None
                };
                let bank = if reader.flag()? {
                    Some(endogenous::read_bank(self, period, regime, reader)?)
                } else {
                    None
                };
                here.push(Slot {
                    values,
                    policy,
                    bank,
                });
            }
            all.push(here);
        }
        Some(all)
    }
}

impl Solution {
    /// Writes what was kept, whole or not at all; the report is not kept.
    ///
    /// # Errors
    ///
    /// [`StoreError::File`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), StoreError> {
        let path = path.as_ref();
        let mut body = Writer::default();
        for slot in self.slots.iter().flatten() {
            body.flag(slot.values.is_some());
            body.numbers(slot.values.as_deref().unwrap_or_default());
            body.flag(slot.policy.is_some());
            body.codes(slot.policy.as_deref().unwrap_or_default());
            body.flag(slot.bank.is_some());
            if let Some(bank) = &slot.bank {
                endogenous::write_bank(bank, &mut body);
            }
        }
        let mut all = Writer::default();
        all.bytes.extend_from_slice(MAGIC);
        all.u32(VERSION);
        all.u64(self.problem.fingerprint());
        all.u64(fingerprint::hash(&body.bytes));
        all.bytes.extend_from_slice(&body.bytes);
        let beside = path.with_extension("partial");
        let written = fs::write(&beside, &all.bytes).and_then(|()| fs::rename(&beside, path));
        written.map_err(|source| StoreError::File {
            path: path.to_owned(),
            source,
        })
    }
}

pub(crate) use bytes::{Reader as ByteReader, Writer as ByteWriter};
