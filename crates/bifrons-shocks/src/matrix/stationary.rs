//! The stationary distribution.

use crate::{MatrixError, TransitionMatrix};

pub(super) fn distribution(matrix: &TransitionMatrix) -> Result<Vec<f64>, MatrixError> {
    let (rows, columns) = (matrix.row_count(), matrix.column_count());
    if rows != columns {
        return Err(MatrixError::NotSquare { rows, columns });
    }
    let class = closed_class(matrix, 0);
    if let Some(second) = escapes(matrix, &class) {
        let first = class.iter().position(|&inside| inside).unwrap_or_default();
        return Err(MatrixError::SeveralClasses { first, second });
    }
    let states: Vec<usize> = (0..rows).filter(|&state| class[state]).collect();
    let masses = eliminate(matrix, &states)?;
    let mut distribution = vec![0.0; rows];
    for (&state, mass) in states.iter().zip(masses) {
        distribution[state] = mass;
    }
    Ok(distribution)
}

/// States that can be reached from `start`, itself included.
fn reachable(matrix: &TransitionMatrix, start: usize) -> Vec<bool> {
    let mut seen = vec![false; matrix.row_count()];
    let mut waiting = vec![start];
    seen[start] = true;
    while let Some(state) = waiting.pop() {
        for (next, &p) in matrix.row(state).iter().enumerate() {
            if p > 0.0 && !seen[next] {
                seen[next] = true;
                waiting.push(next);
            }
        }
    }
    seen
}

/// A set of states that reach each other and nothing else, reachable from `start`.
fn closed_class(matrix: &TransitionMatrix, start: usize) -> Vec<bool> {
    let mut class = reachable(matrix, start);
    let mut state = 0;
    while state < class.len() {
        if class[state] {
            let from_here = reachable(matrix, state);
            let smaller = class.iter().zip(&from_here).any(|(&old, &new)| old && !new);
            if smaller {
                // What is reached from here never comes back: go on inside that smaller set.
                class = from_here;
                state = 0;
                continue;
            }
        }
        state += 1;
    }
    class
}

/// A state from which the class cannot be reached, if there is one.
fn escapes(matrix: &TransitionMatrix, class: &[bool]) -> Option<usize> {
    let mut reaches = class.to_vec();
    loop {
        let mut grown = false;
        for state in 0..reaches.len() {
            let leads = |(next, &p): (usize, &f64)| p > 0.0 && reaches[next];
            if !reaches[state] && matrix.row(state).iter().enumerate().any(leads) {
                reaches[state] = true;
                grown = true;
            }
        }
        if !grown {
            return reaches.iter().position(|&reaches| !reaches);
        }
    }
}

/// Elimination without subtractions on an irreducible set of states.
fn eliminate(matrix: &TransitionMatrix, states: &[usize]) -> Result<Vec<f64>, MatrixError> {
    let n = states.len();
    let mut a: Vec<f64> = Vec::with_capacity(n * n);
    for &from in states {
        let row = matrix.row(from);
        a.extend(states.iter().map(|&to| row[to]));
    }
    for last in (1..n).rev() {
        let leaving = a[last * n..last * n + last]
            .iter()
            .fold(0.0, |sum, p| sum + p);
        if leaving < f64::MIN_POSITIVE {
            return Err(MatrixError::Underflow {
                state: states[last],
            });
        }
        let (above, row) = a.split_at_mut(last * n);
        for entries in above.chunks_exact_mut(n) {
            entries[last] /= leaving;
            let share = entries[last];
            for (entry, p) in entries[..last].iter_mut().zip(&row[..last]) {
                *entry += share * p;
            }
        }
    }
    let mut masses = vec![1.0; n];
    for state in 1..n {
        let before = masses[..state].iter().enumerate();
        masses[state] = before.fold(0.0, |sum, (from, mass)| sum + mass * a[from * n + state]);
        // Keeps the masses finite when the first state is rare.
        if masses[state] > 1e100 {
            let scale = masses[state];
            masses[..=state].iter_mut().for_each(|mass| *mass /= scale);
        }
    }
    let sum = masses.iter().fold(0.0, |sum, mass| sum + mass);
    Ok(masses.into_iter().map(|mass| mass / sum).collect())
}
