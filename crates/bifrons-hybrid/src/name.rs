//! Names of blocks, ports and quantities, and the nearest known name to a misspelt one.

use std::fmt;

/// Name of the independent variable in every expression.
pub const TIME: &str = "time";

/// Why a text is not accepted as a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameProblem {
    /// Not a letter or `_` followed by letters, digits and `_`.
    Malformed,
    /// A word of the expression language (`time`, `if`, `and`, …).
    Reserved,
    /// The name is already taken in the same block, diagram or system.
    Duplicate,
}

impl fmt::Display for NameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "must be a letter or `_` followed by letters, digits or `_`",
            Self::Reserved => "is a word of the expression language, choose another name",
            Self::Duplicate => "is already taken, names must be unique",
        })
    }
}

fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        TIME | "if"
            | "then"
            | "else"
            | "and"
            | "or"
            | "not"
            | "true"
            | "false"
            | "let"
            | "nan"
            | "inf"
            | "pi"
    )
}

/// Checks one part of a path (`gain` or `k` of `gain.k`).
pub(crate) fn check_name(name: &str) -> Result<(), NameProblem> {
    let is_part = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_';
    let starts_well = name.bytes().next().is_some_and(|c| !c.is_ascii_digit());
    if !starts_well || !name.as_bytes().iter().all(is_part) {
        return Err(NameProblem::Malformed);
    }
    if is_reserved(name) {
        return Err(NameProblem::Reserved);
    }
    Ok(())
}

/// Checks a path: names joined by dots.
pub(crate) fn check_path(path: &str) -> Result<(), NameProblem> {
    path.split('.').try_for_each(check_name)
}

/// The known name nearest to `wanted`, if one is near enough to be a likely slip.
///
/// Near means an edit distance (insertions, deletions, replacements, swaps of neighbours, each
/// counted once, case ignored) of at most a third of the longer length, at least one; or equality
/// of the last part of the path. The first of several nearest names wins.
pub(crate) fn nearest<'a>(
    wanted: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted_lower: Vec<char> = wanted.to_lowercase().chars().collect();
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let lower: Vec<char> = candidate.to_lowercase().chars().collect();
        let limit = (lower.len().max(wanted_lower.len()) / 3).max(1);
        let close = if lower.len().abs_diff(wanted_lower.len()) <= limit {
            Some(edit_distance(&wanted_lower, &lower)).filter(|distance| *distance <= limit)
        } else {
            None
        };
        let same_end = last_part(candidate) == last_part(wanted);
        let distance = match close {
            Some(distance) => distance,
            None if same_end => usize::MAX,
            None => continue,
        };
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn last_part(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Restricted edit distance (optimal string alignment), three rows of the table kept.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row: Vec<usize> = vec![0; b.len() + 1];
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        std::mem::swap(&mut before_last, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[b.len()]
}

/// ``; did you mean `x`?`` or nothing, for the end of an error message.
pub(crate) struct Hint<'a>(pub(crate) &'a Option<String>);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NameProblem, check_name, check_path, edit_distance, nearest};

    #[test]
    fn accepts_identifiers_and_refuses_the_rest() {
        for good in ["k", "x0", "_hidden", "Motor_1"] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in ["", "1x", "a.b", "a b", "α", "x[1]", "-"] {
            assert_eq!(check_name(bad), Err(NameProblem::Malformed), "{bad}");
        }
        assert_eq!(
            check_name("time"),
            Err(NameProblem::Reserved),
            "time is the variable"
        );
        assert_eq!(check_path("plant.motor.k"), Ok(()), "a path");
        assert_eq!(
            check_path("plant..k"),
            Err(NameProblem::Malformed),
            "an empty part"
        );
    }

    #[test]
    fn edit_distance_counts_each_slip_once() {
        let distance = |a: &str, b: &str| {
            edit_distance(
                &a.chars().collect::<Vec<_>>(),
                &b.chars().collect::<Vec<_>>(),
            )
        };
        assert_eq!(distance("", "abc"), 3, "insertions");
        assert_eq!(distance("gain", "gain"), 0, "equal");
        assert_eq!(distance("gian", "gain"), 1, "swap");
        assert_eq!(distance("kitten", "sitting"), 3, "textbook");
    }

    #[test]
    fn nearest_prefers_the_smallest_slip_and_knows_when_to_stay_silent() {
        let known = ["gain.k", "plant.gain.k", "integrator.x0"];
        assert_eq!(nearest("gian.k", known), Some("gain.k"), "a swap");
        assert_eq!(
            nearest("integrator.xo", known),
            Some("integrator.x0"),
            "a replacement"
        );
        assert_eq!(
            nearest("x0", known),
            Some("integrator.x0"),
            "the last part of a path"
        );
        assert_eq!(nearest("pressure", known), None, "nothing is near");
    }
}
