//! Memory left by machines and control groups, read from small made-up trees.
#![expect(
    clippy::unwrap_used,
    reason = "a test tree that cannot be written fails the test"
)]

use std::path::Path;

use bifrons_memory::{Budget, BudgetError, CgroupVersion, ChunkRequest, PlanError, Surroundings};

struct Tree(tempfile::TempDir);

impl Tree {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(self, path: &str, text: &str) -> Self {
        let path = self.0.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn machine(self, available_kib: u64) -> Self {
        let text = format!(
            "MemTotal:       16000000 kB\nMemFree:  1 kB\nMemAvailable:   {available_kib} kB\n"
        );
        self.file("proc/meminfo", &text)
    }

    fn read(&self) -> Surroundings {
        Surroundings::read_at(self.0.path())
    }
}

const V2_MOUNT: &str = "\
24 30 0:22 / /proc rw,nosuid - proc proc rw
31 23 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate
";

fn v2(leaf: &str) -> Tree {
    Tree::new()
        .machine(8_000_000)
        .file("proc/self/mountinfo", V2_MOUNT)
        .file("proc/self/cgroup", &format!("0::{leaf}\n"))
}

#[test]
fn a_machine_without_groups_leaves_what_is_available() {
    let seen = Tree::new().machine(1_000).read();
    assert_eq!(seen.machine_total, Some(16_000_000 * 1_024), "total");
    assert_eq!(seen.left(), Some(1_000 * 1_024), "available");
    assert_eq!(seen.cgroup, None, "no group");
    assert_eq!(Budget::default().resolve_in(&seen), Ok(819_200), "80 %");
}

#[test]
fn an_unknown_system_asks_for_bytes() {
    let seen = Tree::new().read();
    assert_eq!(seen, Surroundings::default(), "nothing is known");
    assert_eq!(
        Budget::default().resolve_in(&seen),
        Err(BudgetError::Unknown),
        "share"
    );
    assert_eq!(Budget::bytes(7).resolve_in(&seen), Ok(7), "bytes");
    assert_eq!(
        PlanError::from(BudgetError::Unknown).to_string(),
        "budget cannot be resolved",
        "the cause is the source"
    );
}

#[test]
fn version_2_takes_the_tightest_ancestor_and_gives_file_pages_back() {
    let seen = v2("/user/job")
        .file("sys/fs/cgroup/user/job/memory.max", "max\n")
        .file("sys/fs/cgroup/user/job/memory.high", "max\n")
        .file("sys/fs/cgroup/user/job/memory.current", "100\n")
        .file("sys/fs/cgroup/user/memory.max", "1000000\n")
        .file("sys/fs/cgroup/user/memory.high", "900000\n")
        .file("sys/fs/cgroup/user/memory.current", "300000\n")
        .file(
            "sys/fs/cgroup/user/memory.stat",
            "anon 1\ninactive_file 50000\nslab 3\n",
        )
        .read();
    let group = seen.cgroup.as_ref().unwrap();
    assert_eq!(group.version, CgroupVersion::V2, "version");
    assert_eq!(group.path, Path::new("user"), "the ancestor has the limit");
    assert_eq!(
        (group.limit, group.usage, group.reclaimable),
        (900_000, 300_000, 50_000),
        "read"
    );
    assert_eq!(seen.left(), Some(650_000), "limit - (usage - reclaimable)");
}

#[test]
fn version_1_reads_its_own_hierarchy() {
    let mountinfo = "\
33 31 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
";
    let dir = "sys/fs/cgroup/memory/job";
    let tree = Tree::new()
        .machine(8_000_000)
        .file("proc/self/mountinfo", mountinfo)
        .file("proc/self/cgroup", "5:cpu:/x\n4:memory:/job\n0::/\n")
        .file(
            "sys/fs/cgroup/memory/memory.limit_in_bytes",
            "9223372036854771712\n",
        )
        .file("sys/fs/cgroup/memory/memory.usage_in_bytes", "5\n")
        .file(&format!("{dir}/memory.limit_in_bytes"), "2000\n")
        .file(&format!("{dir}/memory.usage_in_bytes"), "1500\n")
        .file(
            &format!("{dir}/memory.stat"),
            "inactive_file 9\ntotal_inactive_file 700\n",
        );
    let seen = tree.read();
    let group = seen.cgroup.as_ref().unwrap();
    assert_eq!(
        (group.version, group.path.as_path()),
        (CgroupVersion::V1, Path::new("job")),
        "group"
    );
    assert_eq!(seen.left(), Some(1_200), "with pages of descendants");
    let tree = tree.file(
        &format!("{dir}/memory.limit_in_bytes"),
        "9223372036854771712\n",
    );
    assert_eq!(tree.read().cgroup, None, "no limit anywhere");
}

#[test]
fn a_container_mounts_its_own_group_as_the_root() {
    let mountinfo =
        "35 31 0:32 /docker/a\\040b /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
    let seen = Tree::new()
        .file("proc/self/mountinfo", mountinfo)
        .file("proc/self/cgroup", "4:memory:/docker/a b\n")
        .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "4096\n")
        .file("sys/fs/cgroup/memory/memory.usage_in_bytes", "96\n")
        .read();
    assert_eq!(seen.left(), Some(4_000), "the mount point is the group");
}

#[test]
fn an_exceeded_limit_leaves_nothing() {
    let seen = v2("/job")
        .file("sys/fs/cgroup/job/memory.max", "100\n")
        .file("sys/fs/cgroup/job/memory.current", "300\n")
        .read();
    assert_eq!(seen.left(), Some(0), "not negative");
    let allowed = Budget::default().resolve_in(&seen).unwrap();
    assert!(
        ChunkRequest::new(0).plan_within(allowed).is_ok(),
        "nothing fits into nothing"
    );
}

#[test]
fn damaged_files_are_as_absent() {
    let seen = v2("/job")
        .file("proc/meminfo", "MemAvailable: many kB\n")
        .file("sys/fs/cgroup/job/memory.max", "\u{fffd}\n")
        .file("sys/fs/cgroup/job/memory.current", "")
        .read();
    assert_eq!(seen, Surroundings::default(), "nothing is known");
}

#[test]
fn shares_outside_zero_to_one_are_errors() {
    for value in [0.0, -0.5, 1.000_000_1, f64::INFINITY] {
        assert_eq!(
            Budget::share(value),
            Err(BudgetError::Share { value }),
            "{value}"
        );
    }
    assert!(Budget::share(f64::NAN).is_err(), "not a number");
    let seen = Tree::new().machine(1_000).read();
    assert_eq!(
        Budget::share(1.0).unwrap().resolve_in(&seen),
        Ok(1_024_000),
        "all of it"
    );
}
