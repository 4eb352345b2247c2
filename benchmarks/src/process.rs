//! What the kernel says about this process, read without allocating.
//!
//! The readers are used while the heap is being counted. Everything is absent where `/proc` is:
//! a metric that cannot be measured is left out, never reported as zero.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};

/// Facts of `/proc/self/status` that a sample reports.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Status {
    /// `VmHWM`: the largest resident set since the last [`reset_peak`], in bytes.
    pub(crate) peak: Option<u64>,
    /// Involuntary context switches so far.
    pub(crate) involuntary_switches: Option<u64>,
}

/// Reads `/proc/self/status`.
#[must_use]
pub(crate) fn status() -> Status {
    let mut buffer = [0_u8; 4096];
    let text = read("/proc/self/status", &mut buffer);
    Status {
        peak: field(text, b"VmHWM:").map(|kib| kib.saturating_mul(1024)),
        involuntary_switches: field(text, b"nonvoluntary_ctxt_switches:"),
    }
}

/// Major page faults so far, the twelfth field of `/proc/self/stat`.
#[must_use]
pub(crate) fn major_faults() -> Option<u64> {
    let mut buffer = [0_u8; 1024];
    let text = read("/proc/self/stat", &mut buffer);
    // The second field is the program's name in parentheses and may hold anything.
    let end = text.iter().rposition(|&byte| byte == b')')?;
    let field = text[end + 1..]
        .split(|&byte| byte == b' ')
        .filter(|part| !part.is_empty())
        .nth(9);
    number(field?)
}

/// Makes the kernel forget the peak: `VmHWM` becomes the present resident set.
///
/// `false` where that is not possible; then only the peak of the whole process is known.
pub(crate) fn reset_peak() -> bool {
    OpenOptions::new()
        .write(true)
        .open("/proc/self/clear_refs")
        .and_then(|mut file| file.write_all(b"5"))
        .is_ok()
}

fn read<'b>(path: &str, buffer: &'b mut [u8]) -> &'b [u8] {
    let mut length = 0;
    if let Ok(mut file) = File::open(path) {
        while length < buffer.len() {
            match file.read(&mut buffer[length..]) {
                Ok(0) | Err(_) => break,
                Ok(count) => length += count,
            }
        }
    }
    &buffer[..length]
}

fn field(text: &[u8], name: &[u8]) -> Option<u64> {
    let line = text
        .split(|&byte| byte == b'\n')
        .find(|line| line.starts_with(name))?;
    number(&line[name.len()..])
}

fn number(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..digits]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = b"VmPeak:\t    9999 kB\nVmHWM:\t    2048 kB\nnonvoluntary_ctxt_switches:\t17\n";
        assert_eq!(field(text, b"VmHWM:"), Some(2048), "VmHWM");
        assert_eq!(
            field(text, b"nonvoluntary_ctxt_switches:"),
            Some(17),
            "switches"
        );
        assert_eq!(field(text, b"VmSwap:"), None, "an absent field");
        assert_eq!(
            field(b"VmHWM:\t kB\n", b"VmHWM:"),
            None,
            "a field without a number"
        );
    }

    #[test]
    fn peak_follows_a_touched_block_and_forgets_it() {
        let Some(before) = status().peak else { return };
        let block = vec![1_u8; 64 << 20];
        let touched: u64 = block
            .iter()
            .step_by(4096)
            .map(|&byte| u64::from(byte))
            .sum();
        assert_eq!(touched, 64 << 8, "every page was written");
        let with_block = status().peak.expect("was there a moment ago");
        drop(block);
        assert!(
            with_block >= before.max(60 << 20),
            "{with_block} after 64 MiB, {before} before"
        );
        if reset_peak() {
            let after = status().peak.expect("was there a moment ago");
            assert!(after + (48 << 20) < with_block, "{after} after the reset");
        }
        assert!(major_faults().is_some(), "where status is, stat is");
    }
}
