//! The outer margin of nested solvers: a stock that is kept or adjusted.

use bifrons_egm::{AdaptiveOptions, NbEgmOptions, ReadOptions};
use bifrons_grids::Axis;

use super::{DcEgm, NbEgm};

/// An outer margin: a continuous stock that is kept, or adjusted at a cost.
///
/// ```text
/// V(l, z) = max( W(M(l, z); keep(z)),  max over z' of W(M(l, z) - cost(z, z'); z') )
/// W(x; z') = max over c of  u(c, z') + β E V(next l, next z)
/// ```
///
/// `post` is the stock after the choice, a function that is straight in the outer action with a
/// factor that is a power of two, so that the action follows from the stock without rounding. In
/// formulas of the regime `adjusts` is 1 where the stock is adjusted and 0 where it is kept.
///
/// ```
/// use bifrons_grids::Linear;
/// use bifrons_lifecycle::{Domain, Edge, Liquid, Negm, Outer, OuterSearch, Regime, Solver};
///
/// let regime = Regime::new("owner")
///     .state("cash", Linear::new(0.0, 10.0, 21)?)
///     .state("durable", Linear::new(0.5, 5.0, 10)?)
///     .action("c", Domain::free())
///     .action("investment", Domain::free())
///     .function("left", "0.9*durable")
///     .function("stock", "left + investment")
///     .function("cost", "adjusts*(stock - left + 0.3)")
///     .function("resources", "cash - cost")
///     .function("savings", "resources - c")
///     .utility("0.7*ln(c) + 0.3*ln(stock)")
///     .law("cash", "1.02*savings")
///     .law("durable", "stock")
///     .liquid(Liquid::new("cash", "c", "savings", Linear::new(0.0, 10.0, 50)?).resources("resources"))
///     .outer(Outer::new("durable", "investment", "stock").keep("left").cost("cost"))
///     .solver(Solver::Negm(Negm::new(OuterSearch::grid(Linear::new(0.5, 5.0, 19)?))))
///     .edge(Edge::to("owner"));
/// # let _ = regime;
/// # Ok::<(), bifrons_grids::AxisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Outer {
    pub(crate) state: String,
    pub(crate) action: String,
    pub(crate) post: String,
    pub(crate) keep: Option<String>,
    pub(crate) cost: Option<String>,
    pub(crate) fixed: Option<(String, [f64; 2])>,
}

impl Outer {
    /// State, action, and the function that is the stock after the choice.
    #[must_use]
    pub fn new(
        state: impl Into<String>,
        action: impl Into<String>,
        post: impl Into<String>,
    ) -> Self {
        Self {
            state: state.into(),
            action: action.into(),
            post: post.into(),
            keep: None,
            cost: None,
            fixed: None,
        }
    }

    /// The function that is the stock after keeping, of the state alone; the state itself if
    /// nothing is said.
    #[must_use]
    pub fn keep(mut self, function: impl Into<String>) -> Self {
        self.keep = Some(function.into());
        self
    }

    /// The function that adjusting takes from resources; zero where `adjusts` is zero. Resources
    /// are declared net of it.
    #[must_use]
    pub fn cost(mut self, function: impl Into<String>) -> Self {
        self.cost = Some(function.into());
        self
    }

    /// A cost of adjusting in units of utility, `scale · χ` with `χ` uniform on `[low, high]` and
    /// known when the choice is made; `scale` is a function of everything but the liquid margin
    /// and the outer choice. Values are expectations over `χ`, in closed form.
    #[must_use]
    pub fn uniform_fixed_cost(mut self, scale: impl Into<String>, low: f64, high: f64) -> Self {
        self.fixed = Some((scale.into(), [low, high]));
        self
    }

    /// The function that is the stock after keeping.
    pub(crate) fn kept(&self) -> &str {
        self.keep.as_deref().unwrap_or(&self.state)
    }
}

/// Which stocks are considered when adjusting.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum OuterSearch {
    /// The nodes of a grid; exact for them.
    Grid(Axis),
    /// A mesh that all states of a regime and age share, refined where a maximum is near until
    /// its interpolant is right within a band; then golden section between the points, for
    /// every read. Fails closed: a search that runs out of nodes or rounds is an error.
    Adaptive(AdaptiveOptions),
}

impl OuterSearch {
    /// The nodes of a grid.
    #[must_use]
    pub fn grid(grid: impl Into<Axis>) -> Self {
        Self::Grid(grid.into())
    }
}

/// Settings of [`Solver::Negm`](super::Solver::Negm).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Negm {
    /// The inner problem given the outer choice.
    pub inner: DcEgm,
    /// Which outer choices are considered.
    pub search: OuterSearch,
    /// Outer choices in flight: solved and read together; 0 is all of them. Bounds memory and
    /// changes no bit.
    pub outer_batch_size: usize,
}

impl Negm {
    /// The inner problem with the defaults of [`DcEgm`], one outer choice in flight.
    #[must_use]
    pub fn new(search: OuterSearch) -> Self {
        Self {
            inner: DcEgm::new(),
            search,
            outer_batch_size: 1,
        }
    }

    /// Settings of the inner problem.
    #[must_use]
    pub fn inner(mut self, inner: DcEgm) -> Self {
        self.inner = inner;
        self
    }

    /// Outer choices in flight.
    #[must_use]
    pub fn outer_batch_size(mut self, choices: usize) -> Self {
        self.outer_batch_size = choices;
        self
    }
}

/// Settings of [`Solver::NNbEgm`](super::Solver::NNbEgm).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NNbEgm {
    /// The inner problem given the outer choice.
    pub inner: NbEgm,
    /// Which outer choices are considered.
    pub search: OuterSearch,
    /// As of [`Negm`].
    pub outer_batch_size: usize,
}

impl NNbEgm {
    /// The inner problem with the defaults of [`NbEgm`], one outer choice in flight.
    #[must_use]
    pub fn new(search: OuterSearch) -> Self {
        Self {
            inner: NbEgm::new(),
            search,
            outer_batch_size: 1,
        }
    }

    /// Settings of the inner problem.
    #[must_use]
    pub fn inner(mut self, inner: NbEgm) -> Self {
        self.inner = inner;
        self
    }

    /// Outer choices in flight.
    #[must_use]
    pub fn outer_batch_size(mut self, choices: usize) -> Self {
        self.outer_batch_size = choices;
        self
    }

    /// How candidates are compared, and how rows are read.
    pub(crate) fn step(&self) -> (NbEgmOptions, ReadOptions) {
        (self.inner.step, self.inner.read)
    }
}
