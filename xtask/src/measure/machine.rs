//! The fingerprint of the machine and of the tools: what a number depends on besides the code.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use super::cgroup::Hierarchy;

/// The machine that measures.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct Machine {
    /// Hash of what stays the same from day to day: processor, cores, memory, system, C library,
    /// page size, virtualisation. Times are compared between equal ids only.
    pub id: String,
    /// Brand of the processor.
    pub cpu: String,
    /// Highest level of the x86-64 instruction set that it has (`x86-64-v3`), or its architecture.
    pub cpu_level: String,
    /// Processors that this process sees.
    pub cores: u64,
    /// Main memory.
    pub memory_bytes: u64,
    /// Operating system.
    pub os: String,
    /// Version of the kernel.
    pub kernel: String,
    /// C library.
    pub libc: String,
    /// Mode of transparent huge pages.
    pub thp: String,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Whether addresses are laid out at random: `0` is no.
    pub aslr: String,
    /// Version of control groups that can be used, or `none`.
    pub cgroup: String,
    /// Whether the processor runs below a hypervisor.
    pub virtualised: bool,
}

/// The tools that build what is measured.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub struct Tool {
    /// Version of this tool.
    pub xtask: String,
    /// Version of the compiler, as in `1.95.0 (59807616e)`.
    pub rustc: String,
    /// The profile of the scenario binaries.
    pub profile: String,
    /// The target they are compiled for.
    pub target: String,
    /// Flags that the environment hands to the compiler.
    pub rustflags: String,
}

impl Machine {
    /// Looks at this machine.
    #[must_use]
    pub fn detect() -> Self {
        let specifics = RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing())
            .with_memory(MemoryRefreshKind::nothing().with_ram());
        let system = System::new_with_specifics(specifics).ok();
        let cpu = system
            .as_ref()
            .and_then(|system| Some(system.cpus().first()?.brand().to_owned()));
        let info = text("/proc/cpuinfo");
        let flags = flags(&info);
        let mut machine = Self {
            id: String::new(),
            cpu: cpu.unwrap_or_default().trim().to_owned(),
            cpu_level: cpu_level(&flags).unwrap_or_else(System::cpu_arch),
            cores: std::thread::available_parallelism().map_or(0, |cores| cores.get() as u64),
            memory_bytes: system.as_ref().map_or(0, System::total_memory),
            os: std::env::consts::OS.to_owned(),
            kernel: System::kernel_version().unwrap_or_default(),
            libc: output("getconf", &["GNU_LIBC_VERSION"]),
            thp: bracketed(&text("/sys/kernel/mm/transparent_hugepage/enabled")),
            page_bytes: output("getconf", &["PAGESIZE"]).parse().unwrap_or(0),
            aslr: text("/proc/sys/kernel/randomize_va_space")
                .trim()
                .to_owned(),
            cgroup: Hierarchy::find()
                .map_or("none", |found| found.version().name())
                .to_owned(),
            virtualised: flags.contains("hypervisor"),
        };
        machine.id = machine.stable_id();
        machine
    }

    /// The hash behind [`id`](Self::id).
    fn stable_id(&self) -> String {
        let stable = format!(
            "{}|{}|{}|{}|{}|{}|{}|{}",
            self.cpu,
            self.cpu_level,
            self.cores,
            // The kernel keeps some memory for itself, and not always the same.
            self.memory_bytes.div_ceil(1 << 30),
            self.os,
            self.libc,
            self.page_bytes,
            self.virtualised,
        );
        format!("{:016x}", fnv1a(stable.as_bytes()))
    }
}

impl Tool {
    /// Asks the compiler.
    #[must_use]
    pub fn detect(profile: &str) -> Self {
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let verbose = output(&rustc, &["-vV"]);
        let field = |name: &str| {
            let found = verbose.lines().find_map(|line| line.strip_prefix(name));
            found.unwrap_or_default().trim().to_owned()
        };
        let commit: String = field("commit-hash:").chars().take(9).collect();
        Self {
            xtask: env!("CARGO_PKG_VERSION").to_owned(),
            rustc: format!("{} ({commit})", field("release:")),
            profile: profile.to_owned(),
            target: field("host:"),
            rustflags: std::env::var("RUSTFLAGS").unwrap_or_default(),
        }
    }
}

/// 64-bit FNV-1a: stable across releases of the compiler, unlike the standard hasher.
#[must_use]
pub fn fnv1a(bytes: &[u8]) -> u64 {
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold)
}

fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Standard output of a command, or nothing.
fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let bytes = output
        .ok()
        .filter(|output| output.status.success())
        .map(|output| output.stdout);
    String::from_utf8_lossy(&bytes.unwrap_or_default())
        .trim()
        .to_owned()
}

/// `always [madvise] never` → `madvise`.
fn bracketed(text: &str) -> String {
    let inner = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    inner.map(|(inner, _)| inner.to_owned()).unwrap_or_default()
}

fn flags(cpuinfo: &str) -> BTreeSet<&str> {
    let line = cpuinfo.lines().find(|line| line.starts_with("flags"));
    line.and_then(|line| line.split_once(':'))
        .map(|(_, flags)| flags.split_ascii_whitespace().collect())
        .unwrap_or_default()
}

/// Level of the x86-64 psABI that the flags add up to.
fn cpu_level(flags: &BTreeSet<&str>) -> Option<String> {
    const LEVELS: [(&str, &[&str]); 3] = [
        (
            "x86-64-v4",
            &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"],
        ),
        (
            "x86-64-v3",
            &["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"],
        ),
        (
            "x86-64-v2",
            &["cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"],
        ),
    ];
    if !flags.contains("lm") {
        return None;
    }
    // A level contains all lower ones.
    let reached = |from: usize| {
        LEVELS[from..]
            .iter()
            .all(|(_, all)| all.iter().all(|f| flags.contains(f)))
    };
    let level = (0..LEVELS.len())
        .find(|&from| reached(from))
        .map_or("x86-64", |at| LEVELS[at].0);
    Some(level.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_is_recognised_again() {
        let (first, second) = (Machine::detect(), Machine::detect());
        assert_eq!(
            first.id, second.id,
            "the id does not change between two looks"
        );
        let other = Machine {
            kernel: "9.9".to_owned(),
            ..first.clone()
        };
        assert_eq!(
            other.stable_id(),
            first.id,
            "another kernel is the same machine"
        );
        let other = Machine {
            cores: first.cores + 1,
            ..first.clone()
        };
        assert_ne!(other.stable_id(), first.id, "another core is not");
    }

    #[test]
    fn levels_contain_lower_levels() {
        let v2 = "lm cx16 popcnt sse4_1 sse4_2 ssse3";
        let v3 = format!("{v2} avx avx2 bmi1 bmi2 f16c fma movbe");
        let level = |line: &str| cpu_level(&flags(&format!("flags\t: {line}\n")));
        assert_eq!(level(v2).as_deref(), Some("x86-64-v2"), "{v2}");
        assert_eq!(level(&v3).as_deref(), Some("x86-64-v3"), "{v3}");
        assert_eq!(
            level("lm avx avx2").as_deref(),
            Some("x86-64"),
            "AVX2 alone"
        );
        assert_eq!(level("half neon"), None, "another architecture");
    }

    #[test]
    fn texts_are_read() {
        assert_eq!(
            bracketed("always [madvise] never\n"),
            "madvise",
            "mode in brackets"
        );
        assert_eq!(bracketed(""), "", "no such file");
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325, "published offset basis");
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c, "published test vector");
    }
}
