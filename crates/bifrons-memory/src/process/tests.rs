//! Process facts read from made-up files.

use super::{ContextSwitches, PageFaults, context_switches_in, kibibytes, page_faults_in};

fn file(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, text).unwrap();
    (dir, path)
}

#[test]
fn reads_faults_behind_a_name_with_parentheses() {
    let (_dir, path) = file("42 (a) b ( c) R 1 42 42 0 -1 4194304 1234 5 67 8 0 0\n");
    assert_eq!(
        page_faults_in(&path),
        Some(PageFaults {
            minor: 1234,
            major: 67
        }),
        "fields 10, 12"
    );
    let (_dir, path) = file("42 (short) R 1\n");
    assert_eq!(page_faults_in(&path), None, "missing fields");
    let (_dir, path) = file("");
    assert_eq!(page_faults_in(&path), None, "empty file");
}

#[test]
fn reads_kibibytes_and_switches() {
    let (_dir, path) = file(
        "Name:\tx\nVmHWM:\t    1776 kB\nvoluntary_ctxt_switches:\t3\nnonvoluntary_ctxt_switches:\t9\n",
    );
    assert_eq!(
        kibibytes(&path, "VmHWM:"),
        Some(1776 * 1024),
        "kB of the kernel are KiB"
    );
    assert_eq!(kibibytes(&path, "VmRSS:"), None, "absent");
    let expected = ContextSwitches {
        voluntary: 3,
        involuntary: 9,
    };
    assert_eq!(context_switches_in(&path), Some(expected), "both counters");
}
