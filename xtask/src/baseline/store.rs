//! Where baselines are kept, and how they are replaced without ever being half there.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize as _};
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};

use super::schema::{Baseline, MAJOR, MINOR, NAME, Schema};
use crate::report::{Exit, Failure};

/// A problem with a baseline file; the command ends with exit code 4.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The file is there and is no baseline.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Position and reason.
        reason: String,
    },
    /// The file has another major version.
    Unsupported {
        /// The file.
        path: PathBuf,
        /// Format and version found.
        found: Schema,
    },
    /// The file has a newer minor version, whose members would be lost.
    Newer {
        /// The file.
        path: PathBuf,
        /// Format and version found.
        found: Schema,
    },
    /// Another process is writing.
    Locked {
        /// The lock file.
        path: PathBuf,
    },
    /// The directory or the new file cannot be written; the old file is as it was.
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, reason } => write!(
                f,
                "baseline unreadable: {}: {reason}; restore or remove the file",
                path.display()
            ),
            Self::Unsupported { path, found } => write!(
                f,
                "baseline unreadable: {}: schema `{}` {}.{} is not `{NAME}` {MAJOR}.x; \
                 remove the file and bless anew",
                path.display(),
                found.name,
                found.major,
                found.minor
            ),
            Self::Newer { path, found } => write!(
                f,
                "{} has minor version {}.{}, newer than {MAJOR}.{MINOR}; update xtask",
                path.display(),
                found.major,
                found.minor
            ),
            Self::Locked { path } => write!(
                f,
                "another process is writing baselines (lock {}); wait until it ends",
                path.display()
            ),
            Self::Write { path, source } => {
                write!(
                    f,
                    "cannot write {}: {source}; the old file is untouched",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for StoreError {}

impl StoreError {
    /// The same as a failure of a command.
    #[must_use]
    pub fn into_failure(self) -> Failure {
        Failure::new(Exit::Baseline, self.to_string())
    }
}

/// A directory of baseline files.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
}

/// The right to write, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    // Closing the file gives the lock back, also when the process is killed.
    _file: File,
}

impl Store {
    /// The baselines in `directory`, which need not exist yet.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
        }
    }

    /// The path of a file.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Reads a file; `None` when it does not exist.
    ///
    /// # Errors
    ///
    /// When something is there that is no baseline of a supported version. An empty or cut off
    /// file is never taken for "no baseline yet".
    pub fn load(&self, name: &str) -> Result<Option<Baseline>, StoreError> {
        let path = self.path(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(StoreError::Unreadable {
                    path,
                    reason: error.to_string(),
                });
            }
        };
        parse(&path, &bytes).map(Some)
    }

    /// Takes the right to write.
    ///
    /// # Errors
    ///
    /// [`StoreError::Locked`] when another process has it; this does not wait.
    pub fn lock(&self) -> Result<Lock, StoreError> {
        let path = self.path(".lock");
        let write = |source| StoreError::Write {
            path: path.clone(),
            source,
        };
        fs::create_dir_all(&self.directory).map_err(write)?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(write)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path }),
            Err(TryLockError::Error(source)) => Err(StoreError::Write { path, source }),
        }
    }

    /// Replaces a file as a whole: whoever reads sees the old or the new one, never a part.
    ///
    /// # Errors
    ///
    /// When the file that is there cannot be read or is newer: it would be lost. When writing
    /// fails: then the old file is as it was.
    pub fn save(&self, _lock: &Lock, name: &str, baseline: &Baseline) -> Result<(), StoreError> {
        let path = self.path(name);
        if let Some(old) = self.load(name)?
            && old.schema.minor > MINOR
        {
            return Err(StoreError::Newer {
                path,
                found: old.schema,
            });
        }
        replace(&path, &to_text(baseline)).map_err(|source| StoreError::Write { path, source })
    }
}

/// The text of a baseline: one member a line, arrays of numbers on one line.
#[must_use]
pub fn to_text(baseline: &Baseline) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Readable::default());
    // Maps with text keys and whole numbers always have a JSON form, and a vector takes it.
    drop(baseline.serialize(&mut serializer));
    bytes.push(b'\n');
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Pretty, but for arrays.
#[derive(Default)]
struct Readable {
    pretty: PrettyFormatter<'static>,
}

impl Formatter for Readable {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.pretty.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.end_object_value(out)
    }
}

#[derive(Deserialize)]
struct Header {
    schema: Schema,
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Baseline, StoreError> {
    let unreadable = |reason: String| StoreError::Unreadable {
        path: path.to_owned(),
        reason,
    };
    // Some editors put a byte order mark in front; it carries no meaning in UTF-8.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(unreadable("the file is empty".to_owned()));
    }
    // The version is read first, since another major version may look quite different.
    let header: Header =
        serde_json::from_slice(bytes).map_err(|error| unreadable(error.to_string()))?;
    if header.schema.name != NAME || header.schema.major != MAJOR {
        return Err(StoreError::Unsupported {
            path: path.to_owned(),
            found: header.schema,
        });
    }
    let baseline: Baseline =
        serde_json::from_slice(bytes).map_err(|error| unreadable(error.to_string()))?;
    for (case, record) in &baseline.cases {
        for (metric, entry) in &record.metrics {
            if !entry.is_consistent() {
                let reason = "median, min and max are not those of the samples";
                return Err(unreadable(format!(
                    "case `{case}`, metric `{metric}`: {reason}"
                )));
            }
        }
    }
    Ok(baseline)
}

/// Writes a new file beside the old one, makes sure that it is on the disk, and renames it.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".baseline-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut file = builder.tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The rename itself reaches the disk with the directory; not every system can sync one.
    #[cfg(unix)]
    File::open(directory)?.sync_all()?;
    Ok(())
}
