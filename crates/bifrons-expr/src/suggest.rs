//! The known name that is closest in spelling.

/// Names longer than this are compared by their first characters only.
const LONGEST: usize = 128;

/// The candidate with the fewest edits, if fewer than half of the characters change.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted: Vec<char> = name.chars().take(LONGEST).collect();
    let limit = wanted.len() / 2 + 1;
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let limit = best.map_or(limit, |(distance, _)| distance - 1);
        let found: Vec<char> = candidate.chars().take(LONGEST).collect();
        if found.len().abs_diff(wanted.len()) > limit {
            continue;
        }
        let distance = edits(&wanted, &found);
        if distance <= limit {
            best = Some((distance, candidate));
        }
        if distance == 0 {
            break;
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edit distance with insertions, deletions, replacements and swaps of neighbours.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
