//! Which solver a regime uses, and the margins that it works on.

mod outer;

pub use outer::{NNbEgm, Negm, Outer, OuterSearch};

use bifrons_egm::{DcEgmOptions, NbEgmOptions, ReadOptions};
use bifrons_grids::{Axis, Grid};

/// How a regime is solved.
///
/// | solver | takes | cost of one regime and age |
/// |---|---|---|
/// | [`Solver::GridSearch`] | every model | states × actions × nodes of the expectation |
/// | [`Solver::Egm`] | one continuous state and action, concave | savings nodes × nodes of the expectation |
/// | [`Solver::NbEgm`] | as `DcEgm`, with resources that are straight between kinks and cliffs, and Epstein-Zin preferences without cliffs; no taste shocks | the same and the breakpoints |
/// | [`Solver::Negm`] | as `DcEgm`, and a stock that is kept or adjusted; no taste shocks | `DcEgm` for each outer choice, and one read more per read |
/// | [`Solver::NNbEgm`] | as `NbEgm`, and a stock that is kept or adjusted | the same with `NbEgm` |
/// | [`Solver::DcEgm`] | the same with discrete states and actions, processes, taste shocks | the same for each combination |
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Solver {
    /// All combinations of actions on their grids; takes every model.
    #[default]
    GridSearch,
    /// The endogenous grid method (Carroll 2006): one liquid state, which is what can be spent,
    /// one action, and a concave problem.
    Egm,
    /// The endogenous grid method with discrete choices (Iskhakov, Jørgensen, Rust and Schjerning
    /// 2017).
    DcEgm(DcEgm),
    /// The endogenous grid method for budgets with kinks, cliffs and floors, which are found in the
    /// formula of the resources; the best discrete choice, no taste shocks.
    NbEgm(NbEgm),
    /// The nested endogenous grid method (Druedahl 2021): `DcEgm` given a second stock, whose
    /// choice is searched for outside.
    Negm(Negm),
    /// Nested, with `NbEgm` inside: a second stock and budgets with kinks, cliffs and floors.
    NNbEgm(NNbEgm),
}

impl Solver {
    /// Name for reports and errors.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::GridSearch => "GridSearch",
            Self::Egm => "Egm",
            Self::DcEgm(_) => "DcEgm",
            Self::NbEgm(_) => "NbEgm",
            Self::Negm(_) => "Negm",
            Self::NNbEgm(_) => "NNbEgm",
        }
    }

    /// Settings of the solvers that invert an Euler equation.
    pub(crate) fn settings(&self) -> Option<DcEgm> {
        match self {
            Self::GridSearch => None,
            Self::Egm => Some(DcEgm::default()),
            Self::DcEgm(settings) => Some(*settings),
            Self::NbEgm(settings) => Some(DcEgm::new().read(settings.read)),
            Self::Negm(settings) => Some(settings.inner),
            Self::NNbEgm(settings) => Some(DcEgm::new().read(settings.step().1)),
        }
    }

    /// Settings of steps for budgets with breakpoints.
    pub(crate) fn kinked(&self) -> Option<NbEgmOptions> {
        match self {
            Self::NbEgm(settings) => Some(settings.step),
            Self::NNbEgm(settings) => Some(settings.step().0),
            _ => None,
        }
    }

    /// Branches of `count` whose values on the grid are held at a time.
    pub(crate) fn branches_at_a_time(&self, count: usize) -> usize {
        match self {
            Self::NbEgm(own) if own.branch_batch_size > 0 => own.branch_batch_size.min(count),
            _ => count,
        }
    }

    /// Intervals of the liquid state, of `count`, whose continuations are held at a time.
    pub(crate) fn intervals_at_a_time(&self, count: usize) -> usize {
        match self {
            Self::NbEgm(own) if own.interval_batch_size > 0 => own.interval_batch_size.min(count),
            _ => count,
        }
    }

    /// The outer search and the outer choices in flight.
    pub(crate) fn outer(&self) -> Option<(&OuterSearch, usize)> {
        match self {
            Self::Negm(settings) => Some((&settings.search, settings.outer_batch_size)),
            Self::NNbEgm(settings) => Some((&settings.search, settings.outer_batch_size)),
            _ => None,
        }
    }
}

/// Settings of [`Solver::DcEgm`].
///
/// Probabilities, the discount factor and laws may move smoothly with the liquid state, as
/// benefits that fade with assets do. Then a row has one record for each node of the liquid
/// state, each from a step of its own:
///
/// ```text
/// V(l) = max over c of  u(c) + W(M(l) - c; l)          dV/dl = u'(c) M'(l) + ∂W/∂l
/// ```
///
/// The derivative is exact, from formulas: closures of the liquid state are refused
/// (`E-DC-SAVSTAGE`), as are jumps (`E-DC-JUMP`). Values between nodes are cubics, of order 4 in
/// the step of the liquid grid, policies straight, of order 2; marginals are derivatives of the
/// values. Cost: that of one row for each liquid node. Memory: a row is as long as the liquid grid.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct DcEgm {
    /// How folds are resolved and how many points stand for the constrained region.
    pub step: DcEgmOptions,
    /// How rows are read.
    pub read: ReadOptions,
    /// Nodes of the expectation that are collected before they are added; 0 adds each at once.
    /// Bounds a buffer and changes no bit.
    pub stochastic_node_batch_size: usize,
}

impl DcEgm {
    /// The exact envelope, Hermite values, marginals through the policy.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How folds are resolved.
    #[must_use]
    pub fn step(mut self, step: DcEgmOptions) -> Self {
        self.step = step;
        self
    }

    /// How rows are read.
    #[must_use]
    pub fn read(mut self, read: ReadOptions) -> Self {
        self.read = read;
        self
    }

    /// Nodes of the expectation that are collected before they are added.
    #[must_use]
    pub fn stochastic_node_batch_size(mut self, nodes: usize) -> Self {
        self.stochastic_node_batch_size = nodes;
        self
    }
}

/// Settings of [`Solver::NbEgm`].
///
/// Probabilities, the discount factor and laws may depend on the liquid state by steps, as an
/// asset test does: `if a <= limit then 0.9 else 0.4`. The switches are found in the formulas, the
/// continuation has a row for each interval between two of them, and each is a cliff of the value.
/// A formula that moves within an interval is refused (`E-NB-PCONST`).
///
/// Savings nodes are added at the breakpoints of next period's resources and rows, and where next
/// period's best branch changes; rows with such a change are averaged twice.
///
/// ```text
/// V(l) = max over c of  u(c) + β_i E_i V'(next l),   l in interval i,   savings = M(l) - c
/// ```
///
/// Cost: that of one row for each interval. Memory, by thread: `16 b` bytes for each savings node,
/// where `b` intervals are held at a time, beside their nodes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct NbEgm {
    /// How candidates are compared, how dense curves are, how many cliffs are followed.
    pub step: NbEgmOptions,
    /// How rows are read.
    pub read: ReadOptions,
    /// Branches whose values at the liquid nodes are held at a time before they are folded into
    /// the best; 0 is all of them. Bounds a buffer and changes no bit.
    pub branch_batch_size: usize,
    /// Intervals of the liquid state whose continuations are held at a time, where laws,
    /// probabilities or the discount factor switch along the liquid state; 0 is all of a cell.
    /// Bounds a buffer and changes no bit.
    pub interval_batch_size: usize,
}

impl NbEgm {
    /// The exact envelope, Hermite values, at most 256 cliffs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How candidates are compared.
    #[must_use]
    pub fn step(mut self, step: NbEgmOptions) -> Self {
        self.step = step;
        self
    }

    /// How rows are read.
    #[must_use]
    pub fn read(mut self, read: ReadOptions) -> Self {
        self.read = read;
        self
    }

    /// Branches whose values are held at a time.
    #[must_use]
    pub fn branch_batch_size(mut self, branches: usize) -> Self {
        self.branch_batch_size = branches;
        self
    }

    /// Links that envelopes compare at a time with all abscissae of a row; 0 sweeps over the
    /// abscissae from left to right and is the fast way. Is a setting of [`step`](Self::step),
    /// and therefore comes after it. Bounds a buffer of `24 n b` bytes, of `n` candidates of a row
    /// and `b` links, and changes no bit; see [`NbEgmOptions::envelope_segment_block_size`].
    #[must_use]
    pub fn envelope_segment_block_size(mut self, links: usize) -> Self {
        self.step = self.step.with_envelope_segment_block_size(links);
        self
    }

    /// Intervals of the liquid state whose continuations are held at a time.
    #[must_use]
    pub fn interval_batch_size(mut self, intervals: usize) -> Self {
        self.interval_batch_size = intervals;
        self
    }
}

/// The liquid margin: a stock of assets, what is consumed of it, and what is left.
///
/// ```text
/// savings = resources(state, ..) - action          laws read savings, not the action
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Liquid {
    pub(crate) state: String,
    pub(crate) action: String,
    pub(crate) resources: Option<String>,
    pub(crate) savings: String,
    pub(crate) grid: Axis,
}

impl Liquid {
    /// State, action, the function that is left over, and its grid; the lowest node of the grid
    /// is the borrowing limit.
    #[must_use]
    pub fn new(
        state: impl Into<String>,
        action: impl Into<String>,
        savings: impl Into<String>,
        grid: impl Into<Axis>,
    ) -> Self {
        Self {
            state: state.into(),
            action: action.into(),
            resources: None,
            savings: savings.into(),
            grid: grid.into(),
        }
    }

    /// The function that says what can be spent; the state itself if nothing is said.
    #[must_use]
    pub fn resources(mut self, function: impl Into<String>) -> Self {
        self.resources = Some(function.into());
        self
    }

    /// The borrowing limit: the lowest node of the grid of savings.
    #[must_use]
    pub fn lower(&self) -> f64 {
        self.grid.first()
    }
}
