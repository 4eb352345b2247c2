//! The known name that is closest in spelling, for error messages.

/// The candidate with the fewest edits, if at most half of the characters change.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    let limit = name.chars().count().div_ceil(2);
    candidates
        .map(|candidate| (edits(name, candidate), candidate))
        .filter(|&(count, _)| count <= limit)
        .min()
        .map(|(_, candidate)| candidate.to_owned())
}

/// Insertions, deletions and replacements that turn one text into the other.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
