//! Which equations are algebraic, for every kind of mass matrix.

use bifrons_algebra::Structure;

/// Largest connected block of a mass matrix that is searched for dependent rows.
const MAX_BLOCK: usize = 256;
/// Pivots below this share of the largest one of their block are zero.
const ZERO_PIVOT: f64 = 1e-12;

/// One equation after rows of `M y' = f` have been combined so that those of rank zero are apart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// `(row, factor)`: what is added up.
    pub(super) terms: Vec<(usize, f64)>,
    /// Whether the combined row of the mass matrix is zero.
    pub(super) algebraic: bool,
}

/// Splits the rows. Row `i` of the result is named by equation `i`: it contains it with factor one.
///
/// Rows and columns of the mass matrix fall into connected blocks; each block is eliminated with
/// full pivoting, so a dependent row becomes the combination of rows that vanishes. Blocks above
/// [`MAX_BLOCK`] rows are taken to be regular, except for their empty rows.
pub(super) fn split(structure: &Structure, mass: &[f64]) -> Vec<Row> {
    let n = structure.dimension();
    let mut rows: Vec<Row> = (0..n)
        .map(|i| Row {
            terms: vec![(i, 1.0)],
            algebraic: false,
        })
        .collect();
    for block in blocks(structure, mass) {
        if block.columns.is_empty() {
            block.rows.iter().for_each(|&i| rows[i].algebraic = true);
        } else if block.rows.len() <= MAX_BLOCK && block.rows.len() > 1 {
            eliminate(structure, mass, &block, &mut rows);
        }
    }
    rows
}

#[derive(Debug, Default)]
struct Block {
    rows: Vec<usize>,
    columns: Vec<usize>,
}

/// Connected components of the graph of the entries, rows ascending.
fn blocks(structure: &Structure, mass: &[f64]) -> Vec<Block> {
    let n = structure.dimension();
    // Union-find over rows `0..n` and columns `n..2n`.
    let mut parent: Vec<usize> = (0..2 * n).collect();
    for column in 0..n {
        structure.for_column(column, |row, at| {
            if mass[at] != 0.0 {
                let (a, b) = (root(&mut parent, row), root(&mut parent, n + column));
                parent[a.max(b)] = a.min(b);
            }
        });
    }
    let mut place = vec![usize::MAX; 2 * n];
    let mut found: Vec<Block> = Vec::new();
    for node in 0..2 * n {
        let top = root(&mut parent, node);
        if place[top] == usize::MAX {
            place[top] = found.len();
            found.push(Block::default());
        }
        let block = &mut found[place[top]];
        if node < n {
            block.rows.push(node);
        } else {
            block.columns.push(node - n);
        }
    }
    found
}

fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

/// Elimination of one block, `[M | I]` by rows.
fn eliminate(structure: &Structure, mass: &[f64], block: &Block, out: &mut [Row]) {
    let (count, width) = (block.rows.len(), block.columns.len());
    let value = |i: usize, j: usize| {
        let at = structure.position(block.rows[i], block.columns[j]);
        at.map_or(0.0, |at| mass[at])
    };
    let mut m: Vec<Vec<f64>> = (0..count)
        .map(|i| {
            let unit = (0..count).map(|k| if k == i { 1.0 } else { 0.0 });
            (0..width).map(|j| value(i, j)).chain(unit).collect()
        })
        .collect();
    let mut left: Vec<usize> = (0..count).collect();
    let mut largest = 0.0_f64;
    loop {
        let mut best = (0, 0, 0.0);
        for (place, &i) in left.iter().enumerate() {
            for (j, v) in m[i][..width].iter().enumerate() {
                if v.abs() > best.2 {
                    best = (place, j, v.abs());
                }
            }
        }
        largest = largest.max(best.2);
        if best.2 <= ZERO_PIVOT * largest || left.is_empty() {
            break;
        }
        let pivot = left.remove(best.0);
        let pivot_row = m[pivot].clone();
        for &i in &left {
            let factor = m[i][best.1] / pivot_row[best.1];
            for (v, p) in m[i].iter_mut().zip(&pivot_row) {
                *v -= factor * p;
            }
            m[i][best.1] = 0.0;
        }
    }
    for i in left {
        let combination = m[i][width..].iter().zip(&block.rows);
        let terms = combination.filter(|(v, _)| **v != 0.0);
        out[block.rows[i]] = Row {
            terms: terms.map(|(v, row)| (*row, *v)).collect(),
            algebraic: true,
        };
    }
}

#[cfg(test)]
mod tests {
    use bifrons_algebra::Structure;

    use super::{Row, split};

    fn algebraic(rows: &[Row]) -> Vec<usize> {
        let found = rows.iter().enumerate().filter(|(_, row)| row.algebraic);
        found.map(|(i, _)| i).collect()
    }

    #[test]
    fn empty_rows_are_algebraic() {
        let rows = split(&Structure::diagonal(4), &[1.0, 0.0, 2.0, 0.0]);
        assert_eq!(algebraic(&rows), [1, 3]);
    }

    #[test]
    fn dependent_rows_are_combined() {
        // A capacitor between two nodes, and a regular 1 × 1 block.
        let mass = [-2.0, 2.0, 0.0, 2.0, -2.0, 0.0, 0.0, 0.0, 3.0];
        let rows = split(&Structure::dense(3), &mass);
        assert_eq!(algebraic(&rows), [1]);
        assert_eq!(rows[1].terms, [(0, 1.0), (1, 1.0)]);
    }

    #[test]
    fn columns_without_equation_do_not_make_equations() {
        // Both columns in one row: the other row is empty.
        let rows = split(&Structure::dense(2), &[1.0, 0.0, 1.0, 0.0]);
        assert_eq!(algebraic(&rows), [1]);
    }
}
