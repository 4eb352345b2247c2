//! Groups of columns that share no row.

use crate::structure::Structure;

/// Groups of structurally orthogonal columns: one difference gives all columns of a group.
///
/// Bands need `lower + upper + 1` groups and dense matrices `n`. Patterns are coloured greedily,
/// long columns first, ties by index; the number of groups is at least the longest row.
///
/// # References
///
/// Curtis, Powell and Reid (1974), On the estimation of sparse Jacobian matrices; Coleman and
/// Moré (1983), Estimation of sparse Jacobian matrices and graph coloring problems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colouring {
    groups: usize,
    /// Group of each column.
    group: Vec<u32>,
    /// Columns sorted by group, and where each group starts.
    columns: Vec<u32>,
    starts: Vec<u32>,
}

impl Colouring {
    /// Groups the columns of a structure. Cost for a pattern: the sum of the squared row lengths.
    #[must_use]
    pub fn new(structure: &Structure) -> Self {
        let n = structure.dimension();
        let group: Vec<u32> = match structure {
            Structure::Dense { .. } => (0..n).map(to_u32).collect(),
            Structure::Diagonal { .. } => vec![0; n],
            Structure::Banded { lower, upper, .. } => {
                (0..n).map(|j| to_u32(j % (lower + upper + 1))).collect()
            }
            Structure::Sparse(_) => greedy(structure),
        };
        let groups = group.iter().max().map_or(0, |&most| most as usize + 1);
        let mut starts = vec![0_u32; groups + 1];
        for &g in &group {
            starts[g as usize + 1] += 1;
        }
        for g in 0..groups {
            starts[g + 1] += starts[g];
        }
        let mut columns: Vec<u32> = (0..n).map(to_u32).collect();
        columns.sort_by_key(|&column| (group[column as usize], column));
        Self {
            groups,
            group,
            columns,
            starts,
        }
    }

    /// Number of groups: evaluations of the function per Jacobian.
    #[must_use]
    pub const fn group_count(&self) -> usize {
        self.groups
    }

    /// Group of a column.
    #[must_use]
    pub fn group_of(&self, column: usize) -> usize {
        self.group[column] as usize
    }

    /// Columns of a group, ascending.
    #[must_use]
    pub fn columns(&self, group: usize) -> &[u32] {
        &self.columns[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "patterns hold 32-bit indices"
)]
fn to_u32(i: usize) -> u32 {
    i as u32
}

fn greedy(structure: &Structure) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let n = structure.dimension();
    let mut lengths = vec![0_u32; n];
    let mut row_starts = vec![0_usize; n + 1];
    for column in 0..n {
        structure.for_column(column, |row, _| {
            lengths[column] += 1;
            row_starts[row + 1] += 1;
        });
    }
    for row in 0..n {
        row_starts[row + 1] += row_starts[row];
    }
    let mut next = row_starts.clone();
    let mut in_row = vec![0_u32; row_starts[n]];
    for column in 0..n {
        structure.for_column(column, |row, _| {
            in_row[next[row]] = to_u32(column);
            next[row] += 1;
        });
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&column| (core::cmp::Reverse(lengths[column]), column));
    let mut group = vec![NONE; n];
    // Column that a group was last forbidden for.
    let mut forbidden = vec![NONE; n + 1];
    for column in order {
        structure.for_column(column, |row, _| {
            for &other in &in_row[row_starts[row]..row_starts[row + 1]] {
                let taken = group[other as usize];
                if taken != NONE {
                    forbidden[taken as usize] = to_u32(column);
                }
            }
        });
        let free = forbidden.iter().position(|&f| f != to_u32(column));
        group[column] = to_u32(free.unwrap_or(n));
    }
    group
}
