//! Memory limits that control groups put on this process, versions 1 and 2, read as text.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::text;

/// Version 1 writes a number near `i64::MAX`, rounded to pages, for "no limit".
const NO_LIMIT: u64 = 1 << 62;

/// Which kind of control group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CgroupVersion {
    /// The memory controller has its own hierarchy.
    V1,
    /// One unified hierarchy.
    V2,
}

/// The group, among this process's group and its ancestors, that leaves the fewest bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CgroupMemory {
    /// Which kind of control group.
    pub version: CgroupVersion,
    /// The group's path below its hierarchy's mount point; empty for the mount point itself.
    pub path: PathBuf,
    /// Bytes that the group may use.
    pub limit: u64,
    /// Bytes that the group uses, including file pages.
    pub usage: u64,
    /// Of the usage, inactive file pages, which the kernel gives up before anything else.
    pub reclaimable: u64,
}

impl CgroupMemory {
    /// Bytes that the group leaves: `limit - (usage - reclaimable)`, zero when exceeded.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.limit
            .saturating_sub(self.usage.saturating_sub(self.reclaimable))
    }

    /// Reads the groups of this process below `root` (`/` on a real machine).
    pub(crate) fn read_at(root: &Path) -> Option<Self> {
        let hierarchies = [CgroupVersion::V1, CgroupVersion::V2];
        hierarchies
            .into_iter()
            .filter_map(|version| tightest(root, version))
            .min_by_key(Self::left)
    }
}

/// The tightest limit between this process's group and the mount point.
fn tightest(root: &Path, version: CgroupVersion) -> Option<CgroupMemory> {
    let mount = mount_of(root, version)?;
    let group = group_of(root, version)?;
    // In a container the hierarchy may be mounted from a group further down.
    let relative = group.strip_prefix(&mount.group).unwrap_or(Path::new(""));
    let top = root.join(mount.point.strip_prefix("/").ok()?);
    relative
        .ancestors()
        .filter_map(|path| level(&top.join(path), path, version))
        .min_by_key(CgroupMemory::left)
}

/// One group's numbers; `None` if it has no limit.
fn level(dir: &Path, path: &Path, version: CgroupVersion) -> Option<CgroupMemory> {
    let read = |name: &str| text::leading_number(&dir.join(name));
    let stat = |key: &str| text::number_after(&dir.join("memory.stat"), key);
    let (limit, usage, reclaimable) = match version {
        CgroupVersion::V1 => (
            read("memory.limit_in_bytes").filter(|limit| *limit < NO_LIMIT)?,
            read("memory.usage_in_bytes")?,
            stat("total_inactive_file ").or_else(|| stat("inactive_file ")),
        ),
        CgroupVersion::V2 => {
            // Above `memory.high` the group is throttled until it stands still.
            let limits = [read("memory.max"), read("memory.high")];
            let limit = limits.into_iter().flatten().min()?;
            (limit, read("memory.current")?, stat("inactive_file "))
        }
    };
    let reclaimable = reclaimable.unwrap_or(0);
    Some(CgroupMemory {
        version,
        path: path.to_owned(),
        limit,
        usage,
        reclaimable,
    })
}

struct Mount {
    /// The group that is mounted.
    group: PathBuf,
    /// Where it is mounted.
    point: PathBuf,
}

/// Where the hierarchy with the memory controller is mounted, from `mountinfo`.
fn mount_of(root: &Path, version: CgroupVersion) -> Option<Mount> {
    text::for_each_line(&root.join("proc/self/mountinfo"), |line| {
        match mount_in(line, version) {
            Some(mount) => ControlFlow::Break(mount),
            None => ControlFlow::Continue(()),
        }
    })?
}

/// `id parent device root point options… - type source superoptions`.
fn mount_in(line: &[u8], version: CgroupVersion) -> Option<Mount> {
    let line = std::str::from_utf8(line).ok()?;
    let (left, right) = line.split_once(" - ")?;
    let mut right = right.split(' ');
    let wanted = match version {
        CgroupVersion::V1 => "cgroup",
        CgroupVersion::V2 => "cgroup2",
    };
    if right.next()? != wanted {
        return None;
    }
    if version == CgroupVersion::V1 && !right.nth(1)?.split(',').any(|word| word == "memory") {
        return None;
    }
    let mut left = left.split(' ').skip(3);
    Some(Mount {
        group: unescape(left.next()?),
        point: unescape(left.next()?),
    })
}

/// The kernel writes blanks, tabs, newlines and backslashes as three octal digits.
fn unescape(text: &str) -> PathBuf {
    let escapes = [
        ("\\040", " "),
        ("\\011", "\t"),
        ("\\012", "\n"),
        ("\\134", "\\"),
    ];
    let plain = escapes
        .iter()
        .fold(text.to_owned(), |text, (code, c)| text.replace(code, c));
    PathBuf::from(plain)
}

/// The group of this process, from lines `id:controllers:path`.
fn group_of(root: &Path, version: CgroupVersion) -> Option<PathBuf> {
    text::for_each_line(&root.join("proc/self/cgroup"), |line| {
        let Ok(line) = std::str::from_utf8(line) else {
            return ControlFlow::Continue(());
        };
        let mut fields = line.splitn(3, ':');
        let (_, controllers, path) = (fields.next(), fields.next(), fields.next());
        let matches = controllers.is_some_and(|controllers| match version {
            CgroupVersion::V1 => controllers.split(',').any(|word| word == "memory"),
            CgroupVersion::V2 => controllers.is_empty(),
        });
        match path {
            Some(path) if matches => ControlFlow::Break(PathBuf::from(path)),
            _ => ControlFlow::Continue(()),
        }
    })?
}
