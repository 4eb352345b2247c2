//! What this process really holds, read from the kernel's text files.
//!
//! On Linux these functions read `/proc/self`; on other systems, or when `/proc` is not mounted,
//! they give `None` (`false` for [`reset_peak`]). They use one buffer of 4 KiB on the stack and
//! no heap, so that reading does not disturb what is read.
//!
//! Resident sizes are counted in pages, include shared file pages, and the kernel batches its
//! counters per thread: expect noise of about 0.1 MiB. The peak is `VmHWM` and not the
//! `ru_maxrss` of `getrusage`: the latter survives `exec` and may show the peak of the parent.
//!
//! ```
//! use bifrons_memory::process;
//!
//! if let (Some(now), Some(peak)) = (process::resident_bytes(), process::peak_resident_bytes()) {
//!     println!("{now} bytes resident, {peak} at most");
//! }
//! ```

use std::ops::ControlFlow;
use std::path::Path;

use crate::text;

const STATUS: &str = "/proc/self/status";
const STAT: &str = "/proc/self/stat";
const CLEAR_REFS: &str = "/proc/self/clear_refs";

/// Page faults of the process since its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PageFaults {
    /// Faults that needed no reading from disk.
    pub minor: u64,
    /// Faults that had to wait for a disk.
    pub major: u64,
}

/// Context switches of the main thread since its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ContextSwitches {
    /// The thread gave the processor up by itself.
    pub voluntary: u64,
    /// The kernel took the processor away: a sign of a loaded machine.
    pub involuntary: u64,
}

/// Bytes now resident in memory (`VmRSS`).
#[must_use]
pub fn resident_bytes() -> Option<u64> {
    kibibytes(Path::new(STATUS), "VmRSS:")
}

/// Largest number of bytes resident at one time (`VmHWM`), since the start of the process or the
/// last [`reset_peak`].
#[must_use]
pub fn peak_resident_bytes() -> Option<u64> {
    kibibytes(Path::new(STATUS), "VmHWM:")
}

/// Sets the peak of the resident size back to the present resident size; whether that worked.
///
/// Writes `5` to `/proc/self/clear_refs`. Other marks of the process's pages are not touched.
pub fn reset_peak() -> bool {
    std::fs::OpenOptions::new()
        .write(true)
        .open(CLEAR_REFS)
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"5"))
        .is_ok()
}

/// Page faults so far, of all threads.
#[must_use]
pub fn page_faults() -> Option<PageFaults> {
    page_faults_in(Path::new(STAT))
}

/// Context switches so far, of the main thread.
#[must_use]
pub fn context_switches() -> Option<ContextSwitches> {
    context_switches_in(Path::new(STATUS))
}

fn kibibytes(path: &Path, key: &str) -> Option<u64> {
    text::number_after(path, key)?.checked_mul(1_024)
}

fn context_switches_in(path: &Path) -> Option<ContextSwitches> {
    Some(ContextSwitches {
        voluntary: text::number_after(path, "voluntary_ctxt_switches:")?,
        involuntary: text::number_after(path, "nonvoluntary_ctxt_switches:")?,
    })
}

/// Fields 10 and 12 of `stat`, counted behind the command's name, which may hold anything.
fn page_faults_in(path: &Path) -> Option<PageFaults> {
    text::for_each_line(path, |line| {
        let behind = line
            .iter()
            .rposition(|byte| *byte == b')')
            .map_or(line, |at| &line[at + 1..]);
        let mut words = behind
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        let minor = words.nth(7).and_then(text::number);
        let major = words.nth(1).and_then(text::number);
        ControlFlow::Break(
            minor
                .zip(major)
                .map(|(minor, major)| PageFaults { minor, major }),
        )
    })??
}

#[cfg(test)]
mod tests;
