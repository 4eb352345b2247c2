//! What can be wrong with laws, processes and matrices.

use thiserror::Error;

/// Why a law or a process is refused, or has no discrete form of the kind asked for.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ShockError {
    /// A parameter is NaN or infinite.
    #[error("{name} must be finite, got {value}")]
    NotFinite {
        /// Which parameter.
        name: &'static str,
        /// Value found.
        value: f64,
    },
    /// A standard deviation or a width is negative, or zero where that has no meaning, or NaN.
    #[error("{name} must be {required}, got {value}")]
    Spread {
        /// Which parameter.
        name: &'static str,
        /// What is allowed.
        required: &'static str,
        /// Value found.
        value: f64,
    },
    /// The ends of a uniform law are not finite or out of order.
    #[error("a uniform law needs finite ends in ascending order, got {start} and {stop}")]
    Interval {
        /// Lower end as given.
        start: f64,
        /// Upper end as given.
        stop: f64,
    },
    /// A number of nodes is zero or too large.
    #[error("number of nodes must be between 1 and {most}, got {count}")]
    NodeCount {
        /// Number found.
        count: usize,
        /// Largest number allowed.
        most: usize,
    },
    /// Nodes are not finite or not strictly ascending.
    ///
    /// Computed nodes coincide if the spread is below the rounding of the mean.
    #[error(
        "nodes must be finite and strictly ascending, got {value} at {index} after {before}; \
         nodes computed from a spread below the rounding of the mean coincide, use spread 0 then"
    )]
    Nodes {
        /// Index of the offending node.
        index: usize,
        /// The node before it, or negative infinity for the first.
        before: f64,
        /// The offending node.
        value: f64,
    },
    /// The persistence of an AR(1) process is not in [-1, 1].
    #[error("persistence must be in [-1, 1], got {value}")]
    Persistence {
        /// Value found.
        value: f64,
    },
    /// The process has no stationary variance, so that nodes cannot be chosen from it.
    #[error(
        "persistence {persistence} has no stationary variance; \
         give the nodes yourself (`kernel`) or a persistence below 1 in absolute value"
    )]
    NoStationaryVariance {
        /// Persistence of the process.
        persistence: f64,
    },
    /// A mixture has no component, or its weights do not sum to one.
    #[error("weights of a mixture must sum to 1 within {tolerance}, got {sum}")]
    MixtureWeights {
        /// Sum found, 0 without components.
        sum: f64,
        /// Tolerance.
        tolerance: f64,
    },
    /// A weight of a mixture is not in (0, 1].
    #[error("weight of mixture component {component} must be in (0, 1], got {value}")]
    MixtureWeight {
        /// Component, counted from 0.
        component: usize,
        /// Value found.
        value: f64,
    },
    /// The parameters of one category are refused.
    #[error("category {category} is refused")]
    Category {
        /// Category, counted from 0.
        category: usize,
        /// Why.
        #[source]
        source: Box<ShockError>,
    },
    /// The categories do not have the same number of nodes, or there is none.
    #[error("category {category} has {found} nodes, category 0 has {required}")]
    CategoryNodes {
        /// Category, counted from 0.
        category: usize,
        /// Nodes of that category.
        found: usize,
        /// Nodes of category 0; 0 without categories.
        required: usize,
    },
    /// The iteration for quadrature nodes did not converge.
    #[error("quadrature with {count} nodes did not converge")]
    Quadrature {
        /// Number of nodes asked for.
        count: usize,
    },
    /// The probabilities are refused.
    #[error("probabilities are refused")]
    Matrix(#[from] MatrixError),
}

/// Why a table of probabilities is refused, or has no (unique) stationary distribution.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// There is no row or no column.
    #[error("a transition matrix needs at least one row and one column, got {rows} x {columns}")]
    Empty {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// The number of values does not fit the shape.
    #[error("{rows} x {columns} probabilities are needed, got {found}")]
    Shape {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
        /// Values found.
        found: usize,
    },
    /// A row has another length than the first.
    #[error("row {row} has {found} probabilities, {required} are needed")]
    RowLength {
        /// Row, counted from 0.
        row: usize,
        /// Values found.
        found: usize,
        /// Values needed.
        required: usize,
    },
    /// A probability is negative, above one, or not finite.
    #[error("probability must be in [0, 1], got {value} in row {row}, column {column}")]
    Probability {
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// Value found.
        value: f64,
    },
    /// A row does not sum to one.
    #[error("row {row} must sum to 1 within {tolerance}, got {sum}")]
    RowSum {
        /// Row, counted from 0.
        row: usize,
        /// Sum found, added in order.
        sum: f64,
        /// Tolerance.
        tolerance: f64,
    },
    /// The operation needs as many rows as columns.
    #[error("a square matrix is needed, got {rows} x {columns}")]
    NotSquare {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// A vector or a matrix does not have the length that the matrix needs.
    #[error("{name} must have length {required}, got {found}")]
    Length {
        /// Which argument.
        name: &'static str,
        /// Length found.
        found: usize,
        /// Length needed.
        required: usize,
    },
    /// Two sets of states are never left, so the long run depends on the start.
    #[error(
        "the stationary distribution is not unique: the states that {first} and {second} reach \
         are never left; choose one set of states"
    )]
    SeveralClasses {
        /// A state of one set.
        first: usize,
        /// A state of another.
        second: usize,
    },
    /// Transitions out of a state are so rare that they underflow.
    #[error(
        "transitions from state {state} underflow; the stationary distribution is not determined"
    )]
    Underflow {
        /// The state.
        state: usize,
    },
}
