//! Lines of made-up files, at and around the length of the buffer.

use std::ops::ControlFlow;

use super::{for_each_line, number_after};

fn lines(text: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, text).unwrap();
    let mut seen = Vec::new();
    for_each_line(&path, |line| {
        seen.push(String::from_utf8(line.to_vec()).unwrap());
        ControlFlow::<()>::Continue(())
    })
    .unwrap();
    seen
}

#[test]
fn reads_lines_with_and_without_final_newline() {
    assert_eq!(lines("a\nbc\n"), ["a", "bc"], "with a newline at the end");
    assert_eq!(
        lines("a\n\nbc"),
        ["a", "", "bc"],
        "with an empty line, without one at the end"
    );
    assert!(lines("").is_empty(), "empty file");
}

#[test]
fn cuts_a_long_line_and_goes_on_behind_it() {
    let long = "x".repeat(10_000);
    let seen = lines(&format!("first\n{long}\nlast: 7\n"));
    assert_eq!(seen.len(), 3, "three lines");
    assert_eq!(seen[1], "x".repeat(4_096), "the beginning of the long line");
    assert_eq!(seen[2], "last: 7", "the line behind it");
}

#[test]
fn a_line_that_fills_the_buffer_exactly_is_one_line() {
    for length in [4_094, 4_095, 4_096, 4_097, 8_191, 8_192, 8_193] {
        let text = format!("{}\nend\n", "y".repeat(length));
        let seen = lines(&text);
        assert_eq!(seen.len(), 2, "length {length}");
        assert_eq!(seen[1], "end", "length {length}");
    }
}

#[test]
fn finds_a_field_behind_much_text() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("status");
    std::fs::write(
        &path,
        format!(
            "{}VmHWM:\t  12 kB\nVmHWM: 13 kB\n",
            "Noise: 1\n".repeat(2_000)
        ),
    )
    .unwrap();
    assert_eq!(
        number_after(&path, "VmHWM:"),
        Some(12),
        "first match counts"
    );
    assert_eq!(number_after(&path, "VmSwap:"), None, "absent field");
    assert_eq!(
        number_after(&dir.path().join("absent"), "VmHWM:"),
        None,
        "absent file"
    );
}
