//! Which output depends on which symbol, and by what derivative.

use crate::cone::Cones;
use crate::derivative::Differentiation;
use crate::expr::Expr;
use crate::graph::Graph;
use crate::symbol::Symbol;
use std::collections::BTreeMap;

/// Positions of the entries of a sparse matrix, row by row, columns ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Where each row starts in `columns`; one more than there are rows.
    starts: Vec<usize>,
    columns: Vec<usize>,
    column_count: usize,
}

impl Pattern {
    fn new(column_count: usize) -> Self {
        Self {
            starts: vec![0],
            columns: vec![],
            column_count,
        }
    }

    fn push_row(&mut self, columns: impl IntoIterator<Item = usize>) {
        self.columns.extend(columns);
        self.starts.push(self.columns.len());
    }

    /// Number of rows: outputs.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns: symbols.
    #[must_use]
    pub fn column_count(&self) -> usize {
        self.column_count
    }

    /// Number of entries.
    #[must_use]
    pub fn entry_count(&self) -> usize {
        self.columns.len()
    }

    /// Columns of the entries of a row, ascending; empty for a row that does not exist.
    #[must_use]
    pub fn row(&self, row: usize) -> &[usize] {
        match (self.starts.get(row), self.starts.get(row + 1)) {
            (Some(start), Some(end)) => &self.columns[*start..*end],
            _ => &[],
        }
    }

    /// Row and column of every entry, row by row.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.row_count()).flat_map(|row| self.row(row).iter().map(move |column| (row, *column)))
    }
}

/// Derivatives of several outputs by several symbols: the entries that are not zero everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jacobian {
    pattern: Pattern,
    entries: Vec<Expr>,
}

impl Jacobian {
    /// Differentiates each output by each symbol that it depends on.
    ///
    /// Parts that outputs or derivatives have in common are shared, so a tape computes them once.
    /// Cost: for each output its number of nodes times the number of symbols that it depends on.
    ///
    /// ```
    /// use bifrons_expr::{Expr, Jacobian, Symbol};
    ///
    /// let outputs = [Expr::parse("-k * x").unwrap(), Expr::parse("x * y").unwrap()];
    /// let jacobian = Jacobian::new(&outputs, &["x", "y"].map(Symbol::new));
    /// assert_eq!(jacobian.pattern().entries().collect::<Vec<_>>(), [(0, 0), (1, 0), (1, 1)]);
    /// let entries: Vec<String> = jacobian.entries().iter().map(Expr::to_string).collect();
    /// assert_eq!(entries, ["-k", "y", "x"]);
    /// ```
    #[must_use]
    pub fn new(outputs: &[Expr], symbols: &[Symbol]) -> Self {
        let mut graph = Graph::new();
        let roots = graph.import(outputs.iter().map(Expr::node));
        let columns = columns(&graph, symbols);
        let mut cones = Cones::new(&graph);
        let all: Vec<Vec<u32>> = roots
            .iter()
            .map(|root| cones.below(&graph, *root))
            .collect();
        let mut pattern = Pattern::new(symbols.len());
        let mut entries = vec![];
        let mut differentiation = Differentiation::new(&mut graph);
        for (root, cone) in roots.iter().zip(&all) {
            let mut row = vec![];
            for column in met(cone, &columns) {
                let entry = differentiation.derivative(*root, cone, &symbols[column]);
                if !differentiation.is_zero(entry) {
                    row.push(column);
                    entries.push(entry);
                }
            }
            pattern.push_row(row);
        }
        Self {
            pattern,
            entries: graph.export(&entries),
        }
    }

    /// Where the entries are: rows are outputs, columns are symbols.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The derivatives, in the order of [`Pattern::entries`].
    #[must_use]
    pub fn entries(&self) -> &[Expr] {
        &self.entries
    }
}

/// Structural dependence: which symbols occur in which output.
///
/// A symbol counts also where its derivative vanishes everywhere (`floor(x)`); see
/// [`Jacobian::pattern`] for the entries that matter there. Cost: the sizes of the outputs.
#[must_use]
pub fn sparsity(outputs: &[Expr], symbols: &[Symbol]) -> Pattern {
    let mut graph = Graph::new();
    let roots = graph.import(outputs.iter().map(Expr::node));
    let columns = columns(&graph, symbols);
    let mut cones = Cones::new(&graph);
    let mut pattern = Pattern::new(symbols.len());
    for root in roots {
        pattern.push_row(met(&cones.below(&graph, root), &columns));
    }
    pattern
}

/// Columns of each node that is a symbol.
fn columns(graph: &Graph, symbols: &[Symbol]) -> BTreeMap<u32, Vec<usize>> {
    let mut columns: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (column, symbol) in symbols.iter().enumerate() {
        if let Some(node) = graph.find_symbol(symbol) {
            columns.entry(node).or_default().push(column);
        }
    }
    columns
}

/// Columns that occur among the nodes, ascending.
fn met(cone: &[u32], columns: &BTreeMap<u32, Vec<usize>>) -> Vec<usize> {
    let found = cone.iter().filter_map(|id| columns.get(id)).flatten();
    let mut found: Vec<usize> = found.copied().collect();
    found.sort_unstable();
    found
}
