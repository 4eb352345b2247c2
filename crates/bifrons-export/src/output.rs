//! Files that appear under their name when they are whole, and plain writers.

use std::ffi::OsString;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bifrons_table::SinkError;

/// What becomes of the rows of a run that ends before `finish`: by an error, by dropping the sink,
/// or by the death of the process.
///
/// In every case the target itself is as it was before: absent, or the older file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Partial {
    /// Nothing is left. Only a killed process leaves its working file, named
    /// `.NAME.PROCESS-NUMBER.tmp`, which may be deleted.
    #[default]
    Discard,
    /// The working file is named `NAME.partial` and stays: after an error or a drop it is a valid
    /// file with the rows of all appended batches. If `NAME.partial` exists already, `begin`
    /// fails rather than destroying it.
    ///
    /// After a kill a CSV file may end within a row, and `CsvSink::resume` cuts it to its last
    /// whole row; Arrow and Parquet files have no footer then, and cannot be read. After a failed
    /// write (such as a full disk) CSV keeps the batches before it, Arrow and Parquet nothing.
    Keep,
}

/// Where a sink writes to.
pub(crate) enum Destination {
    Path(PathBuf),
    /// `None` after the writer was opened.
    Writer(Option<Box<dyn Write + Send + Sync>>),
}

impl Destination {
    /// The name for error messages.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Writer(_) => "writer".to_owned(),
        }
    }

    /// An error of this destination.
    pub(crate) fn refused(&self, source: io::Error) -> SinkError {
        SinkError::Write {
            target: self.label(),
            source,
        }
    }

    pub(crate) fn open(&mut self, partial: Partial) -> io::Result<Output> {
        match self {
            Self::Path(path) => PendingFile::create(path, partial).map(Output::File),
            Self::Writer(writer) => match writer.take() {
                Some(writer) => Ok(Output::Writer(writer)),
                None => Err(io::Error::other("writer was opened before")),
            },
        }
    }
}

/// An open destination.
pub(crate) enum Output {
    File(PendingFile),
    Writer(Box<dyn Write + Send + Sync>),
}

impl Output {
    /// Everything written up to now belongs to whole batches.
    pub(crate) fn mark(&self) {
        if let Self::File(file) = self {
            file.marked.store(file.written, Relaxed);
        }
    }

    /// What was written is of no use without its end, and there will be no end.
    #[cfg(any(feature = "arrow", feature = "parquet"))]
    pub(crate) fn spoil(&mut self) {
        if let Self::File(file) = self {
            file.partial = Partial::Discard;
        }
    }

    /// Everything is written: gives a file its name.
    pub(crate) fn commit(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.commit(),
            Self::Writer(writer) => writer.flush(),
        }
    }
}

impl fmt::Debug for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label())
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => f.write_str(&file.working.display().to_string()),
            Self::Writer(_) => f.write_str("writer"),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => {
                let count = file.file.write(bytes)?;
                file.written += count as u64;
                Ok(count)
            }
            Self::Writer(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.file.flush(),
            Self::Writer(writer) => writer.flush(),
        }
    }
}

/// A working file beside its target.
pub(crate) struct PendingFile {
    file: File,
    working: PathBuf,
    target: PathBuf,
    partial: Partial,
    written: u64,
    /// Bytes that belong to whole batches.
    marked: AtomicU64,
    committed: bool,
}

/// Working files of one process for one target at a time.
const MOST_NAMES: u32 = 1_000;

impl PendingFile {
    fn create(target: &Path, partial: Partial) -> io::Result<Self> {
        let (file, working) = match partial {
            Partial::Discard => Self::create_hidden(target)?,
            Partial::Keep => {
                let working = partial_path(target)?;
                let file = OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .open(&working);
                let file = file.map_err(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => io::Error::new(
                        io::ErrorKind::AlreadyExists,
                        format!(
                            "`{}` of an earlier run exists: resume it or move it away",
                            working.display()
                        ),
                    ),
                    _ => error,
                })?;
                lock(&file)?;
                (file, working)
            }
        };
        Ok(Self::over(file, working, target, partial, 0))
    }

    /// An opened working file that has `written` bytes, positioned behind them.
    pub(crate) fn over(
        file: File,
        working: PathBuf,
        target: &Path,
        partial: Partial,
        written: u64,
    ) -> Self {
        let target = target.to_owned();
        Self {
            file,
            working,
            target,
            partial,
            written,
            marked: written.into(),
            committed: false,
        }
    }

    fn create_hidden(target: &Path) -> io::Result<(File, PathBuf)> {
        let name = file_name(target)?;
        for number in 0..MOST_NAMES {
            let mut hidden = OsString::from(".");
            hidden.push(&name);
            hidden.push(format!(".{}-{number}.tmp", std::process::id()));
            let working = target.with_file_name(hidden);
            match OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&working)
            {
                Ok(file) => return Ok((file, working)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other(
            "no free name for a working file; delete files `.NAME.*.tmp`",
        ))
    }

    /// Data to the disk, then the name, then the name to the disk.
    fn commit(&mut self) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(&self.working, &self.target)?;
        self.committed = true;
        // The rename is done; some file systems cannot sync a directory, which loses nothing
        // unless the machine itself stops now.
        if cfg!(unix)
            && let Ok(directory) = File::open(directory_of(&self.target))
        {
            let _ = directory.sync_all();
        }
        Ok(())
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if self.committed {
            return;
        }
        // Nobody is left to hear of a failure; the target is untouched in any case.
        let _ = match self.partial {
            Partial::Discard => std::fs::remove_file(&self.working),
            Partial::Keep => self.file.set_len(*self.marked.get_mut()),
        };
    }
}

/// `NAME.partial` beside the target.
pub(crate) fn partial_path(target: &Path) -> io::Result<PathBuf> {
    let mut name = file_name(target)?;
    name.push(".partial");
    Ok(target.with_file_name(name))
}

/// Fails if another process or sink writes the file.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(std::fs::TryLockError::WouldBlock) => Err(io::Error::new(
            io::ErrorKind::ResourceBusy,
            "another run writes this file",
        )),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}

fn file_name(target: &Path) -> io::Result<OsString> {
    target.file_name().map(ToOwned::to_owned).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "path must end with the name of a file",
        )
    })
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
