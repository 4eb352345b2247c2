//! Models: regimes over ages, validated once and compiled.

mod build;
mod graph;
mod names;

use std::sync::Arc;

use bifrons_expr::SwitchKind;
use bifrons_grids::{Axis, Grid};

use crate::ages::Ages;
use crate::error::{BuildErrors, ParameterError};
use crate::parameter::{Leaf, Parameters};
use crate::problem::Problem;
use crate::regime::Regime;
use crate::space::{Quantity, Space};
use crate::stage::Stage;

/// A validated life-cycle model: regimes over ages, compiled to tapes.
///
/// Cheap to clone, immutable, `Sync`. Values for its parameters make it a [`Problem`].
///
/// ```
/// use bifrons_grids::Linear;
/// use bifrons_lifecycle::{Ages, Edge, Model, Parameters, Regime};
///
/// let model = Model::builder(Ages::periods(3)?)
///     .regime(
///         Regime::new("alive")
///             .ages(0.0, 1.0)
///             .state("wealth", Linear::new(1.0, 10.0, 10)?)
///             .action("consumption", Linear::new(0.5, 10.0, 20)?)
///             .utility("ln(consumption)")
///             .constraint("budget", "consumption <= wealth")
///             .law("wealth", "wealth - consumption")
///             .edge(Edge::to("alive"))
///             .edge(Edge::to("over")),
///     )
///     .regime(Regime::new("over").ages(2.0, 2.0).utility("0"))
///     .build()?;
/// let problem = model.with_parameters(&Parameters::new().set("discount_factor", 0.95))?;
/// let solution = problem.solve()?;
/// let last = solution.values(1, "alive").unwrap_or_default();
/// assert_eq!(last[9], 10.0_f64.ln());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) ages: Ages,
    pub(crate) regimes: Vec<RegimePlan>,
    pub(crate) leaves: Vec<Leaf>,
}

/// A regime with everything that was derived from its declaration.
#[derive(Debug)]
pub(crate) struct RegimePlan {
    pub(crate) declaration: Regime,
    pub(crate) states: Vec<Quantity>,
    pub(crate) actions: Vec<Quantity>,
    /// Stages, one if no formula varies with age.
    pub(crate) stages: Vec<Stage>,
    /// Variants of the stages for simulations, if functions are declared twice.
    pub(crate) simulated: Vec<Stage>,
    /// What there is in each period in which the regime exists.
    pub(crate) periods: Vec<Option<PeriodPlan>>,
}

/// A regime in one period.
#[derive(Debug)]
pub(crate) struct PeriodPlan {
    pub(crate) stage: usize,
    pub(crate) space: Space,
    pub(crate) choices: Choices,
    /// Edges that are there.
    pub(crate) live: Vec<usize>,
}

/// Combinations of actions in row-major order, discrete actions first.
#[derive(Debug, Clone)]
pub(crate) struct Choices {
    pub(crate) axes: Vec<Axis>,
    /// Combinations of discrete actions.
    pub(crate) branches: usize,
    /// Combinations of continuous actions in each branch.
    pub(crate) inner: usize,
}

impl Choices {
    pub(crate) fn count(&self) -> usize {
        self.branches * self.inner
    }

    /// Values of a combination.
    pub(crate) fn values_into(&self, mut flat: usize, values: &mut [f64]) {
        for (value, axis) in values.iter_mut().zip(&self.axes).rev() {
            let count = axis.len();
            *value = axis.nodes()[flat % count];
            flat /= count;
        }
    }
}

impl RegimePlan {
    pub(crate) fn name(&self) -> &str {
        &self.declaration.name
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.declaration.is_terminal()
    }

    /// The stage by which subjects move.
    pub(crate) fn simulated_stage(&self, stage: usize) -> &Stage {
        self.simulated.get(stage).unwrap_or(&self.stages[stage])
    }
}

impl Model {
    /// A builder over these ages.
    #[must_use]
    pub fn builder(ages: Ages) -> ModelBuilder {
        ModelBuilder {
            ages,
            regimes: Vec::new(),
            fixed: Parameters::new(),
        }
    }

    /// The ages.
    #[must_use]
    pub fn ages(&self) -> &Ages {
        &self.inner.ages
    }

    /// Names of the regimes, in order of declaration.
    pub fn regimes(&self) -> impl ExactSizeIterator<Item = &str> {
        self.inner.regimes.iter().map(RegimePlan::name)
    }

    /// Parameters that need a value, sorted by regime, function and name.
    #[must_use]
    pub fn template(&self) -> &[Leaf] {
        &self.inner.leaves
    }

    /// Names of the states of a regime in the order of its arrays: categories and processes first,
    /// continuous states last, of them the liquid one last of all.
    pub fn states(&self, regime: &str) -> impl Iterator<Item = &str> {
        let plan = self.inner.regimes.iter().find(|plan| plan.name() == regime);
        plan.into_iter()
            .flat_map(|plan| plan.states.iter().map(|state| &*state.name))
    }

    /// Number of states and of actions of a regime in a period; `None` if it does not exist then.
    #[must_use]
    pub fn sizes(&self, period: usize, regime: &str) -> Option<(usize, usize)> {
        let plan = self
            .inner
            .regimes
            .iter()
            .find(|plan| plan.name() == regime)?;
        let period = plan.periods.get(period)?.as_ref()?;
        Some((period.space.len(), period.choices.count()))
    }

    /// Breakpoints that were found in the resources of a regime that is solved by `NbEgm`.
    ///
    /// ```
    /// use bifrons_grids::Linear;
    /// use bifrons_lifecycle::{Ages, Domain, Edge, Liquid, Model, NbEgm, Regime, Solver};
    ///
    /// let alive = Regime::new("alive")
    ///     .ages(0.0, 0.0)
    ///     .state("assets", Linear::new(0.0, 20.0, 21)?)
    ///     .action("c", Domain::free())
    ///     .function("tax", "0.2 * max(0, assets - allowance)")
    ///     .function("cash", "assets + 1 - tax")
    ///     .function("savings", "cash - c")
    ///     .utility("ln(c)")
    ///     .law("assets", "savings")
    ///     .liquid(Liquid::new("assets", "c", "savings", Linear::new(0.0, 30.0, 50)?).resources("cash"))
    ///     .solver(Solver::NbEgm(NbEgm::new()))
    ///     .edge(Edge::to("over"));
    /// let over = Regime::new("over")
    ///     .ages(1.0, 1.0)
    ///     .state("assets", Linear::new(0.0, 20.0, 21)?)
    ///     .utility("ln(1 + assets)");
    /// let model = Model::builder(Ages::periods(2)?).regime(alive).regime(over).build()?;
    /// let found = model.detected("alive");
    /// assert_eq!(found.len(), 1);
    /// assert_eq!((&*found[0].at, found[0].kind), ("tax:allowance", "kink"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn detected(&self, regime: &str) -> Vec<DetectedBreak> {
        let plan = self.inner.regimes.iter().find(|plan| plan.name() == regime);
        let margin = plan.and_then(|plan| plan.stages.first()?.margin.as_ref());
        let kinked = margin.and_then(|margin| margin.kinked.as_ref());
        let switching = margin.and_then(|margin| margin.switching.as_ref());
        let resources = kinked.into_iter().map(|own| (&own.pieces, false));
        let steps = switching.into_iter().flat_map(|own| &own.pieces);
        let all = resources.chain(steps.map(|own| (own, true)));
        let all = all.flat_map(|(pieces, steps)| {
            let found = pieces.breakpoints().iter();
            found.map(move |own| (own, steps))
        });
        all.map(|(found, steps)| DetectedBreak {
            at: found.at.simplify().to_string().replace('\'', ""),
            surface: found.switch.surface.to_string().replace('\'', ""),
            kind: match found.switch.kind {
                // A law that switches ends one row and begins another.
                _ if steps => "jump",
                SwitchKind::Kink => "kink",
                SwitchKind::Jump => "jump",
                _ => "unknown",
            },
        })
        .collect()
    }

    /// The model with values for its parameters.
    ///
    /// # Errors
    ///
    /// [`ParameterError`] names what is missing, unknown, ambiguous or not finite.
    pub fn with_parameters(&self, parameters: &Parameters) -> Result<Problem, ParameterError> {
        Problem::new(self, parameters)
    }
}

/// A breakpoint that was found in a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DetectedBreak {
    /// Where, as a formula; parameters are written `function:name`.
    pub at: String,
    /// The function whose sign decides.
    pub surface: String,
    /// `kink`, `jump` or `unknown`; a kink of a `select` is a jump if its sides disagree.
    pub kind: &'static str,
}

/// Collects regimes; see [`Model`].
#[derive(Debug, Clone)]
pub struct ModelBuilder {
    ages: Ages,
    regimes: Vec<Regime>,
    fixed: Parameters,
}

impl ModelBuilder {
    /// Adds a regime.
    #[must_use]
    pub fn regime(mut self, regime: Regime) -> Self {
        self.regimes.push(regime);
        self
    }

    /// Gives a parameter a value for good: it is folded into the formulas and leaves the template.
    /// Paths are those of [`Parameters`].
    #[must_use]
    pub fn fix(mut self, path: impl Into<String>, value: f64) -> Self {
        self.fixed = self.fixed.set(path, value);
        self
    }

    /// Checks everything and compiles.
    ///
    /// # Errors
    ///
    /// [`BuildErrors`] with all that is wrong: each error has a code, a place and a remedy.
    ///
    /// | code | meaning |
    /// |---|---|
    /// | `E-NAME-DUPLICATE`, `E-NAME-RESERVED`, `E-NAME-LABEL`, `E-NAME-NEXT`, `E-NAME-FUTURE` | a name that is taken, reserved, unknown, or known too late |
    /// | `E-PARSE`, `E-FORMULA-PERIOD`, `E-FORMULA-ARGUMENTS`, `E-COMPILE` | a formula that cannot be read or compiled |
    /// | `E-DAG-CYCLE` | functions that need each other |
    /// | `E-UTILITY`, `E-TERMINAL-ACTION` | a regime without utility, a terminal one with choices |
    /// | `E-GRID`, `E-GRID-AGE`, `E-GRID-SIZE` | a grid that does not exist, changes its kind or is too large |
    /// | `E-EDGE-TARGET`, `E-EDGE-DUPLICATE` | an edge to nowhere, or twice to the same regime |
    /// | `E-LAW-MISSING`, `E-LAW-UNUSED`, `E-LAW-FIXED`, `E-LAW-MARKOV`, `E-LAW-PROCESS` | a state of a target without exactly one fitting law |
    /// | `E-SHOCK` | a joint law with wrong shapes or probabilities |
    /// | `E-GRAPH-NO-TERMINAL`, `E-GRAPH-EMPTY` | ages from which no terminal regime can be reached |
    /// | `E-EV1-NO-DISCRETE`, `E-EV1-NONLINEAR-CE`, `E-EV1-SCALE` | taste shocks without discrete actions, with Epstein-Zin, or of a scale that depends on the state |
    ///
    /// Solvers that invert an Euler equation refuse what they cannot take with codes `E-EGM-…`,
    /// `E-DC-…`, `E-NB-…`, `E-NE-…` and `E-NN-…`, and `E-LOWER-BOUND-MISMATCH` for a borrowing limit that is not where the grid of
    /// savings begins.
    pub fn build(self) -> Result<Model, BuildErrors> {
        build::build(self.ages, self.regimes, &self.fixed)
    }
}
