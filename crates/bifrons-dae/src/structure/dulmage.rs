//! Dulmage-Mendelsohn decomposition: what is over-determined and what is under-determined.

use super::matching::{Matching, NONE, maximum};

/// The two parts of a bipartite graph that have no perfect matching.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Decomposition {
    /// Equations of the part with more equations than unknowns.
    pub(crate) over_equations: Vec<usize>,
    /// Equations of the part with more unknowns than equations.
    pub(crate) under_equations: Vec<usize>,
    /// Unknowns of that part.
    pub(crate) under_unknowns: Vec<usize>,
}

/// Decomposes; both parts are empty if there is a perfect matching.
///
/// A. L. Dulmage and N. S. Mendelsohn (1958), *Coverings of bipartite graphs*.
pub(crate) fn decompose(rows: &[Vec<usize>], unknown_count: usize) -> Decomposition {
    let matching = maximum(rows, unknown_count);
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); unknown_count];
    for (equation, row) in rows.iter().enumerate() {
        for &unknown in row {
            columns[unknown].push(equation);
        }
    }
    let over = over(rows, &matching);
    let (under_equations, under_unknowns) = under(&columns, &matching);
    Decomposition {
        over_equations: over,
        under_equations,
        under_unknowns,
    }
}

/// Equations that alternating paths reach from those without partner.
fn over(rows: &[Vec<usize>], matching: &Matching) -> Vec<usize> {
    let mut seen: Vec<bool> = matching.unknown_of.iter().map(|u| *u == NONE).collect();
    let mut open: Vec<usize> = (0..rows.len()).filter(|e| seen[*e]).collect();
    while let Some(equation) = open.pop() {
        for &unknown in &rows[equation] {
            let other = matching.equation_of[unknown];
            if other != NONE && !std::mem::replace(&mut seen[other], true) {
                open.push(other);
            }
        }
    }
    (0..rows.len()).filter(|e| seen[*e]).collect()
}

/// Equations and unknowns that alternating paths reach from unknowns without partner.
fn under(columns: &[Vec<usize>], matching: &Matching) -> (Vec<usize>, Vec<usize>) {
    let mut seen: Vec<bool> = matching.equation_of.iter().map(|e| *e == NONE).collect();
    let mut open: Vec<usize> = (0..columns.len()).filter(|u| seen[*u]).collect();
    let mut equations = Vec::new();
    while let Some(unknown) = open.pop() {
        for &equation in &columns[unknown] {
            let other = matching.unknown_of[equation];
            if other != NONE && !std::mem::replace(&mut seen[other], true) {
                open.push(other);
                equations.push(equation);
            }
        }
    }
    equations.sort_unstable();
    let unknowns = (0..columns.len()).filter(|u| seen[*u]).collect();
    (equations, unknowns)
}

#[cfg(test)]
mod tests {
    use super::decompose;

    #[test]
    fn names_both_parts() {
        // Equations 0 and 1 both fix unknown 0; equation 2 must do for unknowns 1 and 2.
        let rows = [vec![0], vec![0], vec![1, 2], vec![3]];
        let parts = decompose(&rows, 4);
        assert_eq!(parts.over_equations, [0, 1], "too many");
        assert_eq!(parts.under_unknowns, [1, 2], "too few");
        assert_eq!(parts.under_equations, [2], "the equation between them");
    }

    #[test]
    fn a_square_regular_system_has_neither() {
        let rows = [vec![0, 1], vec![1, 2], vec![2, 0]];
        assert_eq!(
            decompose(&rows, 3),
            super::Decomposition::default(),
            "regular"
        );
    }
}
