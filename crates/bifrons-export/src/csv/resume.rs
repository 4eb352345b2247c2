//! Going on with the file of an interrupted run.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::output::{Partial, PendingFile, lock, partial_path};

/// A file of an earlier run, locked, and how much of it is whole.
#[derive(Debug)]
pub(super) struct Resumed {
    file: File,
    working: PathBuf,
    /// Whole lines, the line of names included.
    lines: u64,
    /// Bytes of those lines.
    bytes: u64,
}

impl Resumed {
    /// Opens `NAME.partial`; `None` if there is none.
    pub(super) fn open(target: &Path) -> io::Result<Option<Self>> {
        let working = partial_path(target)?;
        let file = match OpenOptions::new().read(true).write(true).open(&working) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        lock(&file)?;
        if !is_still(&file, &working)? {
            // Its run has finished between opening and locking: it is the target now.
            return Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                "another run has just finished this file",
            ));
        }
        let (lines, bytes) = whole_lines(&file, u64::MAX)?;
        Ok(Some(Self {
            file,
            working,
            lines,
            bytes,
        }))
    }

    pub(super) fn rows(&self) -> u64 {
        self.lines.saturating_sub(1)
    }

    /// Whether not even the line of names is whole.
    pub(super) fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// Keeps the names and at most `rows` rows.
    pub(super) fn keep(&mut self, rows: u64) -> io::Result<()> {
        (self.lines, self.bytes) = whole_lines(&self.file, rows.saturating_add(1))?;
        Ok(())
    }

    /// Cuts what is not kept, compares the names and goes on behind the last row.
    pub(super) fn into_pending(self, target: &Path, names: &[u8]) -> io::Result<PendingFile> {
        let Self {
            mut file,
            working,
            bytes,
            ..
        } = self;
        if bytes > 0 {
            let mut found = vec![0; names.len()];
            file.seek(SeekFrom::Start(0))?;
            let same = bytes >= names.len() as u64
                && file.read_exact(&mut found).is_ok()
                && found == names;
            if !same {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!(
                        "`{}` has other columns than {}",
                        working.display(),
                        String::from_utf8_lossy(names).trim_end()
                    ),
                ));
            }
        }
        file.set_len(bytes)?;
        file.seek(SeekFrom::Start(bytes))?;
        Ok(PendingFile::over(
            file,
            working,
            target,
            Partial::Keep,
            bytes,
        ))
    }
}

/// Number and bytes of the first whole lines, `most` at most. A line ends with a newline outside
/// quotes; a quote within quotes is doubled, so counting quotes is enough.
fn whole_lines(file: &File, most: u64) -> io::Result<(u64, u64)> {
    let mut file = file;
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::with_capacity(super::BUFFER, file);
    let (mut lines, mut bytes, mut position, mut quoted) = (0, 0, 0, false);
    while lines < most {
        let block = reader.fill_buf()?;
        if block.is_empty() {
            break;
        }
        for byte in block {
            position += 1;
            match byte {
                b'"' => quoted = !quoted,
                b'\n' if !quoted => {
                    (lines, bytes) = (lines + 1, position);
                    if lines == most {
                        break;
                    }
                }
                _ => {}
            }
        }
        let length = block.len();
        reader.consume(length);
    }
    Ok((lines, bytes))
}

/// Whether the path still names the opened file.
#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let opened = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (opened.dev(), opened.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Where an open file cannot be renamed by another process, it is still that file.
#[cfg(not(unix))]
fn is_still(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}
