//! Line by line reading of the kernel's text files with one small buffer and no heap.

use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

/// Longest line that is seen whole; longer ones are cut, since only their beginning matters.
const LINE: usize = 4_096;

/// Calls `visit` for each line of `path` until it breaks; `None` if the file cannot be read.
pub(crate) fn for_each_line<B>(
    path: &Path,
    mut visit: impl FnMut(&[u8]) -> ControlFlow<B>,
) -> Option<Option<B>> {
    let mut file = File::open(path).ok()?;
    let mut buffer = [0_u8; LINE];
    let mut filled = 0;
    let mut skipping = false;
    loop {
        let read = match file.read(&mut buffer[filled..]) {
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        filled += read;
        let mut start = 0;
        while let Some(length) = buffer[start..filled].iter().position(|byte| *byte == b'\n') {
            let line = &buffer[start..start + length];
            start += length + 1;
            if std::mem::take(&mut skipping) {
                continue;
            }
            if let ControlFlow::Break(value) = visit(line) {
                return Some(Some(value));
            }
        }
        buffer.copy_within(start..filled, 0);
        filled -= start;
        if read == 0 || filled == LINE {
            if filled > 0
                && !skipping
                && let ControlFlow::Break(value) = visit(&buffer[..filled])
            {
                return Some(Some(value));
            }
            if read == 0 {
                return Some(None);
            }
            filled = 0;
            skipping = true;
        }
    }
}

/// The first word after `key` in the first line that starts with `key`.
pub(crate) fn number_after(path: &Path, key: &str) -> Option<u64> {
    for_each_line(path, |line| match line.strip_prefix(key.as_bytes()) {
        Some(rest) => ControlFlow::Break(number(rest)),
        None => ControlFlow::Continue(()),
    })
    .flatten()
    .flatten()
}

/// The number at the start of `path`, such as a cgroup's limit; `None` for `max`.
pub(crate) fn leading_number(path: &Path) -> Option<u64> {
    number_after(path, "")
}

/// The number of the first word of `text`.
pub(crate) fn number(text: &[u8]) -> Option<u64> {
    let word = text
        .split(u8::is_ascii_whitespace)
        .find(|word| !word.is_empty())?;
    std::str::from_utf8(word).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
