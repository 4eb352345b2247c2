//! Control groups for memory: the peak of a tree of processes, and a hard limit for it.
//!
//! Version 2 (`memory.peak`, `memory.max`) and version 1 (`memory.max_usage_in_bytes`,
//! `memory.limit_in_bytes`) are used where they are mounted and writable; nowhere is that an
//! error. A child joins by writing its own id first thing, so nothing has to run between fork
//! and exec.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Context as _;

/// Which files a group has.
///
/// Deliberately closed: there are two versions of control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// One hierarchy for each controller.
    One,
    /// One hierarchy for all.
    Two,
}

impl Version {
    /// `v1` or `v2`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "v1",
            Self::Two => "v2",
        }
    }

    fn files(self) -> (&'static str, &'static str) {
        match self {
            Self::One => ("memory.max_usage_in_bytes", "memory.limit_in_bytes"),
            Self::Two => ("memory.peak", "memory.max"),
        }
    }
}

/// A directory below which groups can be made.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    version: Version,
    parent: PathBuf,
}

/// A group of our own; removed when dropped.
#[derive(Debug)]
pub struct Group {
    version: Version,
    path: PathBuf,
}

impl Hierarchy {
    /// The memory hierarchy of this machine, if groups can be made in it; else why not.
    ///
    /// # Errors
    ///
    /// A sentence for the "skipped" line.
    pub fn find() -> Result<Self, String> {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let candidates = candidates(&mounts);
        if candidates.is_empty() {
            return Err("no memory control group is mounted".to_owned());
        }
        let mut reasons = Vec::new();
        for hierarchy in candidates {
            match hierarchy.group().and_then(|group| group.peak().map(drop)) {
                Ok(()) => return Ok(hierarchy),
                Err(error) => reasons.push(format!("{}: {error:#}", hierarchy.parent.display())),
            }
        }
        Err(format!(
            "no writable memory control group ({})",
            reasons.join("; ")
        ))
    }

    /// The version of control groups.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// Makes a new group.
    ///
    /// # Errors
    ///
    /// When the directory cannot be made, usually for lack of permission.
    pub fn group(&self) -> anyhow::Result<Group> {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = self
            .parent
            .join(format!("bifrons-{}-{number}", std::process::id()));
        fs::create_dir(&path).context("cannot make a group")?;
        Ok(Group {
            version: self.version,
            path,
        })
    }
}

/// Mount points with a memory controller; version 1 first, since where it is mounted the other
/// hierarchy has no memory controller.
fn candidates(mounts: &str) -> Vec<Hierarchy> {
    let mut found = Vec::new();
    for line in mounts.lines() {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, mount, kind, options, ..] = fields[..] else {
            continue;
        };
        let version = match kind {
            "cgroup" if options.split(',').any(|option| option == "memory") => Version::One,
            "cgroup2" => Version::Two,
            _ => continue,
        };
        found.push(Hierarchy {
            version,
            parent: PathBuf::from(mount),
        });
    }
    found.sort_by_key(|hierarchy| hierarchy.version == Version::Two);
    found
}

impl Group {
    /// The file into which a process writes its own id to join.
    #[must_use]
    pub fn join_file(&self) -> PathBuf {
        self.path.join("cgroup.procs")
    }

    /// Limits the memory of the group; beyond it the kernel kills.
    ///
    /// # Errors
    ///
    /// When the kernel does not accept it.
    pub fn limit(&self, bytes: u64) -> anyhow::Result<()> {
        let file = self.path.join(self.version.files().1);
        fs::write(&file, bytes.to_string())
            .with_context(|| format!("cannot limit {} to {bytes} bytes", self.path.display()))
    }

    /// Largest number of bytes that the group has used at one time.
    ///
    /// # Errors
    ///
    /// When the kernel does not say: version 2 does since Linux 5.19.
    pub fn peak(&self) -> anyhow::Result<u64> {
        read_number(&self.path.join(self.version.files().0))
    }
}

fn read_number(file: &Path) -> anyhow::Result<u64> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    text.trim()
        .parse()
        .with_context(|| format!("{} holds no number", file.display()))
}

impl Drop for Group {
    fn drop(&mut self) {
        // A process that has just been waited for may still be listed for a moment.
        for _ in 0..50 {
            match fs::remove_dir(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    std::thread::sleep(std::time::Duration::from_millis(2));
                }
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_hierarchies_are_found_in_mounts() {
        let mounts = "proc /proc proc rw 0 0\n\
            cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n\
            cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu 0 0\n\
            cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0\n";
        let found = candidates(mounts);
        let parents: Vec<(&str, &Path)> = found
            .iter()
            .map(|h| (h.version.name(), h.parent.as_path()))
            .collect();
        let expected = [
            ("v1", Path::new("/sys/fs/cgroup/memory")),
            ("v2", Path::new("/sys/fs/cgroup/unified")),
        ];
        assert_eq!(parents, expected, "version 1 first");
        assert!(candidates("cgroup").is_empty(), "a line that is cut off");
    }

    #[test]
    fn group_is_removed_when_dropped() {
        // Without permission there is a reason, and that is all that can be tested.
        match Hierarchy::find() {
            Err(reason) => assert!(!reason.is_empty(), "a reason for the skipped line"),
            Ok(hierarchy) => {
                let group = hierarchy.group().expect("find has just made one");
                let path = group.path.clone();
                group.limit(64 << 20).expect("a limit on an empty group");
                assert!(path.is_dir(), "{}", path.display());
                drop(group);
                assert!(!path.exists(), "{}", path.display());
            }
        }
    }
}
