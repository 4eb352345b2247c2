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

/// Why a utility cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UtilityError {
    /// A parameter is outside of its range.
    #[error("{name} must be {required}, got {value}")]
    Parameter {
        /// Which one.
        name: &'static str,
        /// The range.
        required: &'static str,
        /// The value found.
        value: f64,
    },
    /// The marginal utility is not positive and strictly decreasing.
    #[error(
        "marginal utility must be positive and strictly decreasing, got {marginal} at consumption \
         {consumption} after the point {below}; check the formula or narrow the search"
    )]
    Marginal {
        /// Where.
        consumption: f64,
        /// Marginal utility there.
        marginal: f64,
        /// The point tested before.
        below: f64,
    },
}

impl UtilityError {
    pub(crate) fn check_positive(name: &'static str, value: f64) -> Result<(), Self> {
        if value > 0.0 && value.is_finite() {
            return Ok(());
        }
        let required = "positive and finite";
        Err(Self::Parameter {
            name,
            required,
            value,
        })
    }

    pub(crate) fn check_finite(name: &'static str, value: f64) -> Result<(), Self> {
        if value.is_finite() {
            return Ok(());
        }
        let required = "finite";
        Err(Self::Parameter {
            name,
            required,
            value,
        })
    }
}

/// Why a row cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Slices of different lengths.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// Abscissae of a row decrease, or one occurs more than twice.
    #[error(
        "abscissae of a row must ascend weakly and be equal at most twice, record {index} is {x}"
    )]
    Unsorted {
        /// The first record that is wrong.
        index: usize,
        /// Its abscissa.
        x: f64,
    },
    /// Queries decrease.
    #[error("queries must ascend, query {index} is {query} after {previous}")]
    Queries {
        /// The first query that is wrong.
        index: usize,
        /// The query.
        query: f64,
        /// The one before it.
        previous: f64,
    },
    /// A query is outside of the row and outside reads are forbidden.
    #[error(
        "query {index} is {query}, outside of the row [{low}, {high}]; extend the grid or allow reads outside"
    )]
    Outside {
        /// The first such query.
        index: usize,
        /// The query.
        query: f64,
        /// First abscissa of the row.
        low: f64,
        /// Last abscissa of the row.
        high: f64,
    },
}

/// Why an upper envelope cannot be taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// Slices of different lengths.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// E-ENV-INF: a candidate with value `+inf`.
    #[error(
        "E-ENV-INF: candidate {index} at {x} has value inf; a value must be finite, -inf or NaN (dead)"
    )]
    Infinite {
        /// The first such candidate.
        index: usize,
        /// Its abscissa.
        x: f64,
    },
    /// A candidate with value NaN where NaN is not declared as dead.
    #[error(
        "E-ENV-NAN: candidate {index} has x = {x}, value = {value}; mark dead candidates by `DeadPolicy::Drop` or mend the producer"
    )]
    NotANumber {
        /// The first such candidate.
        index: usize,
        /// Its abscissa.
        x: f64,
        /// Its value.
        value: f64,
    },
    /// E-ENV-RANGE: the abscissae span more than the largest number.
    #[error(
        "E-ENV-RANGE: abscissae from {low} to {high} span more than the largest number; rescale the state"
    )]
    Range {
        /// Smallest abscissa.
        low: f64,
        /// Largest abscissa.
        high: f64,
    },
    /// A parameter of a method is outside of its range.
    #[error("{name} must be {required}, got {value}")]
    Parameter {
        /// Which one.
        name: &'static str,
        /// The range.
        required: &'static str,
        /// The value found.
        value: f64,
    },
}

/// Why values of choices cannot be aggregated.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// The scale is negative or not a number.
    #[error("scale of the taste shocks must be zero (none) or positive and finite, got {scale}")]
    Scale {
        /// The value found.
        scale: f64,
    },
    /// A value is NaN.
    #[error("value of choice {index} is NaN; use -inf for an infeasible choice")]
    NotANumber {
        /// The first such choice.
        index: usize,
    },
    /// Slices of different lengths.
    #[error(transparent)]
    Length(#[from] LengthError),
}

/// Why a budget cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// E-NB-DECL: pieces and thresholds do not fit together.
    #[error("E-NB-DECL: {pieces} pieces need {} thresholds between them, got {thresholds}", pieces.saturating_sub(1))]
    Count {
        /// Pieces given.
        pieces: usize,
        /// Thresholds given.
        thresholds: usize,
    },
    /// E-NB-VAR: the variable of a threshold does not move with the liquid state.
    #[error(
        "E-NB-VAR: the variable of threshold {index} must be affine and strictly monotone in the liquid state and cross its level, got slope {scale}"
    )]
    Variable {
        /// The threshold.
        index: usize,
        /// Slope of its variable.
        scale: f64,
    },
    /// E-NB-ORDER: breakpoints do not ascend strictly.
    #[error(
        "E-NB-ORDER: breakpoint {index} at {point} must lie above the one before it at {before}"
    )]
    Order {
        /// The threshold.
        index: usize,
        /// Where it is.
        point: f64,
        /// Where the one before it is.
        before: f64,
    },
    /// E-NB-MONO: resources do not increase.
    #[error(
        "E-NB-MONO: slope of interval {interval} must be positive, or zero beside a floor, got {slope}"
    )]
    Slope {
        /// The interval.
        interval: usize,
        /// Its slope.
        slope: f64,
    },
    /// E-NB-DECL: the level jumps at a kink or floor.
    #[error(
        "E-NB-DECL: breakpoint {index} at {point} is no jump, but resources go from {below} to {above}; declare a jump or mend the pieces"
    )]
    Level {
        /// The threshold.
        index: usize,
        /// Where it is.
        point: f64,
        /// Resources from below.
        below: f64,
        /// Resources from above.
        above: f64,
    },
}

/// Why an outer search fails.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OuterError {
    /// A parameter is outside of its range.
    #[error("{name} must be {required}, got {value}")]
    Parameter {
        /// Which one.
        name: &'static str,
        /// The range.
        required: &'static str,
        /// The value found.
        value: f64,
    },
    /// E-NE-GRID: the initial grid cannot be used.
    #[error(
        "E-NE-GRID: the outer grid needs at least two finite, ascending nodes, got {count} nodes"
    )]
    Grid {
        /// Nodes given.
        count: usize,
    },
    /// The search ran out of nodes or rounds.
    #[error(
        "outer search not resolved after {rounds} rounds with {nodes} nodes: {marked} intervals left, error {residual} bands; raise `max_nodes` or `max_refinement_rounds`, or allow it by `with_fail_closed(false)`"
    )]
    Convergence {
        /// Rounds made.
        rounds: usize,
        /// Nodes used.
        nodes: usize,
        /// Intervals that should be refined.
        marked: usize,
        /// Largest error of the interpolant near a maximum, in bands.
        residual: f64,
    },
    /// E-NN-LIPSCHITZ: two points contradict the bound.
    #[error(
        "E-NN-LIPSCHITZ: the value changes by {secant} per unit between {from} and {to}, more than the bound {bound}; raise the bound"
    )]
    Lipschitz {
        /// The bound given.
        bound: f64,
        /// The slope found.
        secant: f64,
        /// Left point.
        from: f64,
        /// Right point.
        to: f64,
    },
}

/// Why a step of an endogenous grid method fails.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EgmError {
    /// Slices of different lengths.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// The discount factor or a weight is not a number that can be used.
    #[error("{name} must be {required}, got {value}")]
    Parameter {
        /// Which one.
        name: &'static str,
        /// The range.
        required: &'static str,
        /// The value found.
        value: f64,
    },
    /// Savings do not ascend.
    #[error("savings must ascend, node {index} is {savings}")]
    Savings {
        /// The first node that is wrong.
        index: usize,
        /// Its value.
        savings: f64,
    },
    /// E-EGM-NONCONCAVE: the endogenous grid decreases.
    #[error(
        "E-EGM-NONCONCAVE: resources fall to {resources} at savings node {index} ({savings}): the problem is not concave; use a step with an upper envelope"
    )]
    NonConcave {
        /// The first node that is wrong.
        index: usize,
        /// Savings there.
        savings: f64,
        /// Resources there.
        resources: f64,
    },
    /// No candidate is alive.
    #[error(
        "none of the {count} savings nodes gives a candidate ({dead} dead, {saturated} saturated); is the continuation finite and increasing?"
    )]
    NoCandidate {
        /// Savings nodes.
        count: usize,
        /// Nodes without finite value or with falling continuation.
        dead: usize,
        /// Nodes whose continuation is flat.
        saturated: usize,
    },
    /// E-NB-CLIFFS: the continuation has more cliffs than the step may follow.
    #[error(
        "E-NB-CLIFFS: the continuation has {count} cliffs, the limit is {limit}; raise `cliff_target_limit` or coarsen the shocks"
    )]
    Cliffs {
        /// Cliffs found.
        count: usize,
        /// Cliffs allowed.
        limit: usize,
    },
    /// A child row cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The envelope cannot be taken.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// Choices cannot be aggregated.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
}
