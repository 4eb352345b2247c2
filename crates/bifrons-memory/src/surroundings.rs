//! How much memory the machine and the control group leave.

use std::path::Path;

use crate::cgroup::CgroupMemory;
use crate::text;

/// The memory around this process at one moment: the machine's and its control group's.
///
/// Read from `/proc/meminfo` and the cgroup files; fields are `None` where a system has none.
/// Nothing is cached: each call reads again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Surroundings {
    /// Bytes of the machine (`MemTotal`).
    pub machine_total: Option<u64>,
    /// Bytes that new work can get without swapping, as the kernel estimates (`MemAvailable`).
    pub machine_available: Option<u64>,
    /// The tightest limit of the control groups that hold this process, if there is one.
    pub cgroup: Option<CgroupMemory>,
}

impl Surroundings {
    /// Reads the surroundings of this process.
    #[must_use]
    pub fn read() -> Self {
        Self::read_at(Path::new("/"))
    }

    /// Reads from a tree below `root` that has `proc/meminfo`, `proc/self/cgroup`,
    /// `proc/self/mountinfo` and the cgroup mounts that the latter names, as a container's root
    /// file system seen from outside has.
    #[must_use]
    pub fn read_at(root: &Path) -> Self {
        let meminfo = root.join("proc/meminfo");
        let kibibytes = |key| text::number_after(&meminfo, key)?.checked_mul(1_024);
        Self {
            machine_total: kibibytes("MemTotal:"),
            machine_available: kibibytes("MemAvailable:"),
            cgroup: CgroupMemory::read_at(root),
        }
    }

    /// Bytes left for this process: the smaller of what the machine and the control group leave;
    /// `None` if neither is known.
    #[must_use]
    pub fn left(&self) -> Option<u64> {
        let cgroup = self.cgroup.as_ref().map(CgroupMemory::left);
        match (self.machine_available, cgroup) {
            (Some(machine), Some(cgroup)) => Some(machine.min(cgroup)),
            (machine, cgroup) => machine.or(cgroup),
        }
    }
}
