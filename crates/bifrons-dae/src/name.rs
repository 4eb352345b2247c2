//! Names of components, connectors and variables.

use bifrons_expr::{Expr, Symbol};
use bifrons_hybrid::NameProblem;

const RESERVED: [&str; 14] = [
    "time", "if", "then", "else", "and", "or", "not", "true", "false", "let", "nan", "inf", "pi",
    "der",
];

/// The time derivative of a variable, for equations: `der("x")` is the symbol `der(x)`.
///
/// ```
/// use bifrons_dae::der;
/// use bifrons_expr::Symbol;
///
/// assert_eq!(der("x").as_symbol(), Some(&Symbol::new("der(x)")));
/// ```
#[must_use]
pub fn der(name: impl AsRef<str>) -> Expr {
    Expr::symbol(derivative_symbol(name.as_ref()))
}

/// The symbol of the derivative of the variable with this name.
pub(crate) fn derivative_symbol(name: &str) -> Symbol {
    Symbol::from(["der(", name, ")"].concat())
}

/// The variable whose derivative this name is.
pub(crate) fn differentiated(name: &str) -> Option<&str> {
    name.strip_prefix("der(")?.strip_suffix(')')
}

/// Checks one part of a path.
pub(crate) fn check_name(name: &str) -> Result<(), NameProblem> {
    let mut characters = name.chars();
    let starts_well = characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !starts_well || !characters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(NameProblem::Malformed);
    }
    if RESERVED.contains(&name) {
        return Err(NameProblem::Reserved);
    }
    Ok(())
}

/// The known name that shares the longest start and end with the wanted one, if they share half.
pub(crate) fn nearest<'a>(
    wanted: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let score = |candidate: &str| {
        let same =
            |a: &mut dyn Iterator<Item = (char, char)>| a.take_while(|(x, y)| x == y).count();
        let head = same(&mut wanted.chars().zip(candidate.chars()));
        let tail = same(&mut wanted.chars().rev().zip(candidate.chars().rev()));
        (head + tail).min(wanted.len())
    };
    let best = known.into_iter().map(|name| (score(name), name));
    let best = best.max_by_key(|(score, name)| (*score, std::cmp::Reverse(name.len())));
    best.filter(|(score, _)| 2 * score >= wanted.len())
        .map(|(_, name)| name)
}

/// `expression` as text, with derivatives and paths unquoted.
pub(crate) fn plain(expression: &Expr) -> String {
    expression.to_string().replace('\'', "")
}
