//! Where something stands in the text of a manifest.

/// The line of a key in a section, or of the section's header, or 0. The section may stand at
/// the end of a longer name: `dependencies` also finds `[target.'cfg(unix)'.dependencies]`.
#[must_use]
pub fn line_of(text: &str, section: &str, key: &str) -> usize {
    let mut header = 0;
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[') {
            let name = name.trim_end_matches(']');
            inside = name == section || name.ends_with(&format!(".{section}"));
            if inside && header == 0 {
                header = index + 1;
            }
            if name == format!("{section}.{key}") {
                return index + 1;
            }
        } else if inside && starts_with_key(line, key) {
            return index + 1;
        }
    }
    header
}

fn starts_with_key(line: &str, key: &str) -> bool {
    line.trim_start_matches('"')
        .strip_prefix(key)
        .is_some_and(|rest| rest.starts_with([' ', '.', '=', '"']))
}
