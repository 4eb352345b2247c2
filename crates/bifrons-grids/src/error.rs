//! Typed errors, one enum per family of operations.

/// Two slices that must have the same length do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`{what}` must have length {expected}, got {found}")]
pub struct LengthError {
    /// The argument.
    pub what: &'static str,
    /// The length that fits the other arguments.
    pub expected: usize,
    /// The length found.
    pub found: usize,
}

impl LengthError {
    pub(crate) const fn check(
        what: &'static str,
        found: usize,
        expected: usize,
    ) -> Result<(), Self> {
        if found == expected {
            Ok(())
        } else {
            Err(Self {
                what,
                expected,
                found,
            })
        }
    }
}

/// Why an axis cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AxisError {
    /// No node at all.
    #[error("an axis needs at least one node; give a count or a list of 1 or more")]
    Empty,
    /// More nodes than a 32-bit rank can number.
    #[error("an axis holds at most {most} nodes, got {count}; split the axis")]
    TooMany {
        /// Nodes asked for.
        count: usize,
        /// Nodes that an axis can hold.
        most: usize,
    },
    /// A bound of a regular or piecewise axis, or a breakpoint, is NaN or infinite.
    #[error("{name} must be finite, got {value}")]
    NonFiniteBound {
        /// `start`, `stop` or `breakpoint`.
        name: &'static str,
        /// The value found.
        value: f64,
    },
    /// A logarithmic axis touches zero or the negative numbers.
    #[error(
        "{name} of a logarithmic axis must be positive, got {value}; shift the axis or use a \
         linear one"
    )]
    NonPositiveBound {
        /// `start`, `stop` or `breakpoint`.
        name: &'static str,
        /// The value found.
        value: f64,
    },
    /// A node is NaN or infinite.
    #[error("node {index} must be finite, got {value}")]
    NonFiniteNode {
        /// Position in the list.
        index: usize,
        /// The value found.
        value: f64,
    },
    /// A node, bound or breakpoint lies below its predecessor.
    #[error("nodes must increase: entry {index} is {value} after {previous}; sort the list")]
    NotIncreasing {
        /// Position of the lower entry.
        index: usize,
        /// The entry before it.
        previous: f64,
        /// The entry itself.
        value: f64,
    },
    /// A node, bound or breakpoint repeats its predecessor.
    #[error(
        "entry {index} repeats the value {value}; remove it (a jump needs knots that permit pairs)"
    )]
    Duplicate {
        /// Position of the second copy.
        index: usize,
        /// The repeated value.
        value: f64,
    },
    /// Neighbouring nodes of a regular axis round to the same number.
    #[error("nodes {index} and {} both round to {value}; use fewer nodes", index + 1)]
    TooFine {
        /// Position of the first of the two.
        index: usize,
        /// The common value.
        value: f64,
    },
    /// The length of the axis is not a finite number.
    #[error("the length of the axis from {start} to {stop} overflows; rescale it")]
    RangeOverflow {
        /// First node.
        start: f64,
        /// Last node.
        stop: f64,
    },
    /// A piecewise axis is inconsistent.
    #[error(transparent)]
    Piece(#[from] PieceError),
    /// Two categories have the same label.
    #[error("categories {first} and {second} are both called `{label}`; rename one")]
    DuplicateLabel {
        /// Code of the first.
        first: usize,
        /// Code of the second.
        second: usize,
        /// The common label.
        label: String,
    },
}

/// Why the pieces of a piecewise axis do not fit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PieceError {
    /// There must be one more count than breakpoints.
    #[error("{breakpoints} breakpoints make {} pieces, but {counts} counts are given", breakpoints + 1)]
    CountMismatch {
        /// Interior breakpoints.
        breakpoints: usize,
        /// Point counts.
        counts: usize,
    },
    /// A piece cannot hold both its ends.
    #[error("piece {piece} needs at least 2 points for its ends, got {count}")]
    TooFewPoints {
        /// Position of the piece.
        piece: usize,
        /// Points asked for.
        count: usize,
    },
    /// Owners leave no two numbers to the piece between two neighbouring breakpoints.
    #[error("piece {piece} from {low} to {high} holds fewer than two numbers; move a breakpoint")]
    EmptyPiece {
        /// Position of the piece.
        piece: usize,
        /// Its first number.
        low: f64,
        /// Its last number.
        high: f64,
    },
}

/// Why a product space, or an index into it, does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// One entry per axis is wanted.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// The number of points does not fit the address space.
    #[error("a product of {axes} axes has more points than can be numbered; use fewer nodes")]
    TooLarge {
        /// Number of axes.
        axes: usize,
    },
    /// More axes than a multilinear read takes.
    #[error("a multilinear read takes at most {most} axes, got {axes}; fix some of them")]
    TooManyAxes {
        /// Number of axes.
        axes: usize,
        /// Axes that a read takes.
        most: usize,
    },
    /// An index beyond the nodes of its axis.
    #[error("index {index} on axis {axis} is beyond its {count} nodes")]
    Index {
        /// The axis.
        axis: usize,
        /// The index found.
        index: usize,
        /// Nodes of the axis.
        count: usize,
    },
    /// A flat index beyond the points of the space.
    #[error("flat index {index} is beyond the {count} points of the space")]
    FlatIndex {
        /// The index found.
        index: usize,
        /// Points of the space.
        count: usize,
    },
}

/// Why an interpolant cannot be fitted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// Values or slopes do not match the nodes.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// The nodes are not a valid axis.
    #[error(transparent)]
    Nodes(#[from] AxisError),
    /// The axis holds categories.
    #[error("an axis of {count} categories cannot be interpolated; read its codes one by one")]
    Categorical {
        /// Number of categories.
        count: usize,
    },
    /// The secant of a cell between finite values is not a finite number.
    #[error("the secant from node {index} to {} overflows; rescale the values", index + 1)]
    SecantOverflow {
        /// Left node of the cell.
        index: usize,
    },
    /// The method wants given slopes.
    #[error("Hermite interpolation needs slopes; use `with_slopes` or a monotone cubic")]
    SlopesMissing,
    /// The method does not take slopes.
    #[error("only Hermite interpolation takes slopes; fit without them")]
    SlopesUnused,
    /// The coefficient of relative risk aversion is not a finite number.
    #[error("risk aversion must be finite, got {value}")]
    RiskAversion {
        /// The value found.
        value: f64,
    },
    /// A value that the utility function does not take (or too close to its ends).
    #[error(
        "value {value} at node {index} is outside the range of utility with risk aversion \
         {risk_aversion}; shift the values or use another method"
    )]
    OutsideUtilityRange {
        /// Position of the value.
        index: usize,
        /// The value.
        value: f64,
        /// Coefficient of relative risk aversion.
        risk_aversion: f64,
    },
}

/// Why a query cannot be answered.
///
/// The answers of all other queries of the call are written.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Slices of different length; nothing is written.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// Queries that must be sorted are not; nothing is written.
    #[error(
        "sorted queries must not decrease (NaN last): query {index} is {query} after {previous}; \
         sort them or use the unsorted read"
    )]
    Unsorted {
        /// Position of the query.
        index: usize,
        /// The query before it.
        previous: f64,
        /// The query itself.
        query: f64,
    },
    /// A given rank exceeds the number of nodes; nothing is written.
    #[error("rank {rank} of query {index} exceeds the {most} nodes; take ranks of these nodes")]
    Rank {
        /// Position of the query.
        index: usize,
        /// The rank found.
        rank: u32,
        /// The largest rank.
        most: u32,
    },
    /// A query outside the range (or NaN) where the policy forbids it; its answer is NaN.
    #[error(
        "query {index} is {query}, outside [{low}, {high}]; widen the axis or choose a policy \
         that extrapolates"
    )]
    Outside {
        /// Position of the first such query (0 in scalar reads).
        index: usize,
        /// The axis; 0 in one dimension.
        axis: usize,
        /// The query.
        query: f64,
        /// First node.
        low: f64,
        /// Last node.
        high: f64,
    },
    /// A number on a categorical axis that is not one of its codes; the answer is NaN.
    #[error("query {index} is {query} on categorical axis {axis}; give a code below {count}")]
    NotACode {
        /// Position of the first such query (0 in scalar reads).
        index: usize,
        /// The axis.
        axis: usize,
        /// The query.
        query: f64,
        /// Number of categories.
        count: usize,
    },
}
