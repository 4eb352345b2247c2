//! Declaration of a regime: states, actions, functions, constraints, laws, edges.

use bifrons_expr::Expr;
use bifrons_shocks::{Discretisation, TransitionMatrix};

use crate::breakpoint::Breakpoint;
use crate::domain::Domain;
use crate::formula::Formula;
use crate::preference::Preferences;
use crate::solver::{Liquid, Outer, Solver};

/// A regime: what is known, chosen and enjoyed while it lasts, and where it leads.
///
/// Nothing is checked here; [`ModelBuilder::build`](crate::ModelBuilder::build) checks everything
/// and names all that is wrong.
///
/// A regime without edges is terminal: it has a utility and no actions. Everything is given by
/// name, and a later declaration of the same name is an error, not a replacement.
///
/// ```
/// use bifrons_grids::Linear;
/// use bifrons_lifecycle::{Edge, Regime};
///
/// let alive = Regime::new("alive")
///     .state("wealth", Linear::new(0.0, 10.0, 21)?)
///     .action("consumption", Linear::new(0.1, 10.0, 100)?)
///     .utility("ln(consumption)")
///     .constraint("budget", "consumption <= wealth")
///     .law("wealth", "(1 + r) * (wealth - consumption)")
///     .edge(Edge::to("alive"))
///     .edge(Edge::to("dead"));
/// # let _ = alive;
/// # Ok::<(), bifrons_grids::AxisError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Regime {
    pub(crate) name: String,
    pub(crate) ages: (f64, f64),
    pub(crate) states: Vec<(String, Domain)>,
    pub(crate) actions: Vec<(String, Domain)>,
    pub(crate) functions: Vec<(String, Formula)>,
    pub(crate) simulated: Vec<(String, Formula)>,
    pub(crate) constraints: Vec<(String, Formula)>,
    pub(crate) laws: Vec<(String, Law)>,
    pub(crate) shocks: Vec<Joint>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) preferences: Preferences,
    pub(crate) taste_shocks: Option<Formula>,
    pub(crate) solver: Solver,
    pub(crate) liquid: Option<Liquid>,
    pub(crate) outer: Option<Outer>,
    pub(crate) breakpoints: Vec<Breakpoint>,
    /// Whether the outer stock is adjusted.
    pub(crate) adjusts: Option<Formula>,
}

/// How the next value of a state comes about.
#[derive(Debug, Clone)]
pub(crate) enum Law {
    /// A formula of the next value.
    Value(Formula),
    /// Probabilities of the categories of the target.
    Markov(Vec<Formula>),
    /// The same value as now.
    Fixed,
}

impl Regime {
    /// A regime that exists at all ages, with linear preferences, solved by grid search.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ages: (f64::NEG_INFINITY, f64::INFINITY),
            states: Vec::new(),
            actions: Vec::new(),
            functions: Vec::new(),
            simulated: Vec::new(),
            constraints: Vec::new(),
            laws: Vec::new(),
            shocks: Vec::new(),
            edges: Vec::new(),
            preferences: Preferences::default(),
            taste_shocks: None,
            solver: Solver::GridSearch,
            liquid: None,
            outer: None,
            breakpoints: Vec::new(),
            adjusts: None,
        }
    }

    /// The regime exists at ages from the first to the last of these, both included.
    #[must_use]
    pub fn ages(mut self, first: f64, last: f64) -> Self {
        self.ages = (first, last);
        self
    }

    /// A state; the order of declaration is kept.
    #[must_use]
    pub fn state(mut self, name: impl Into<String>, domain: impl Into<Domain>) -> Self {
        self.states.push((name.into(), domain.into()));
        self
    }

    /// An action; ties between actions go to the first in row-major order of declaration, with
    /// discrete actions before continuous ones.
    #[must_use]
    pub fn action(mut self, name: impl Into<String>, domain: impl Into<Domain>) -> Self {
        self.actions.push((name.into(), domain.into()));
        self
    }

    /// A function of anything in the regime, in any order.
    #[must_use]
    pub fn function(mut self, name: impl Into<String>, formula: impl Into<Formula>) -> Self {
        self.functions.push((name.into(), formula.into()));
        self
    }

    /// The function `utility`: what is enjoyed in one period.
    #[must_use]
    pub fn utility(self, formula: impl Into<Formula>) -> Self {
        self.function("utility", formula)
    }

    /// Another variant of a declared function for what happens in a simulation; decisions still
    /// use the declared one.
    #[must_use]
    pub fn simulate_function(
        mut self,
        name: impl Into<String>,
        formula: impl Into<Formula>,
    ) -> Self {
        self.simulated.push((name.into(), formula.into()));
        self
    }

    /// A condition that an action must meet. It may read `next_` states whose law reads no shock.
    #[must_use]
    pub fn constraint(mut self, name: impl Into<String>, condition: impl Into<Formula>) -> Self {
        self.constraints.push((name.into(), condition.into()));
        self
    }

    /// The next value of a state of the targets.
    #[must_use]
    pub fn law(mut self, state: impl Into<String>, next: impl Into<Formula>) -> Self {
        self.laws.push((state.into(), Law::Value(next.into())));
        self
    }

    /// The next category of a state: one probability per category of the target.
    #[must_use]
    pub fn markov(mut self, state: impl Into<String>, next: impl Into<Probabilities>) -> Self {
        let state = state.into();
        let law = Law::Markov(next.into().formulas(&state));
        self.laws.push((state, law));
        self
    }

    /// The state keeps its value.
    #[must_use]
    pub fn fixed(mut self, state: impl Into<String>) -> Self {
        self.laws.push((state.into(), Law::Fixed));
        self
    }

    /// A shock between this period and the next, read by laws under this name.
    #[must_use]
    pub fn shock(self, name: impl Into<String>, law: &Discretisation) -> Self {
        let points = law.nodes().iter().map(|&node| vec![node]).collect();
        self.joint(Joint {
            outputs: vec![name.into()],
            points,
            probabilities: law.weights().to_vec(),
        })
    }

    /// Several shocks that are drawn together.
    #[must_use]
    pub fn joint(mut self, shock: Joint) -> Self {
        self.shocks.push(shock);
        self
    }

    /// A regime that may follow.
    #[must_use]
    pub fn edge(mut self, edge: Edge) -> Self {
        self.edges.push(edge);
        self
    }

    /// How utility now and the value of the future are put together.
    #[must_use]
    pub fn preferences(mut self, preferences: Preferences) -> Self {
        self.preferences = preferences;
        self
    }

    /// Extreme-value taste shocks of this scale, one for each combination of discrete actions,
    /// with mean zero: `V = λ ln Σ exp(Q/λ)`.
    #[must_use]
    pub fn taste_shocks(mut self, scale: impl Into<Formula>) -> Self {
        self.taste_shocks = Some(scale.into());
        self
    }

    /// How the regime is solved; grid search if nothing is said.
    #[must_use]
    pub fn solver(mut self, solver: Solver) -> Self {
        self.solver = solver;
        self
    }

    /// Which state, action and functions are the liquid margin of endogenous-grid solvers.
    #[must_use]
    pub fn liquid(mut self, liquid: Liquid) -> Self {
        self.liquid = Some(liquid);
        self
    }

    /// A breakpoint of the resources that is known; all of them or none are declared. See
    /// [`Breakpoint`].
    #[must_use]
    pub fn breakpoint(mut self, breakpoint: Breakpoint) -> Self {
        self.breakpoints.push(breakpoint);
        self
    }

    /// Which state, action and functions are the outer margin of nested solvers.
    ///
    /// From then on `adjusts` is a name that formulas can read: 0 where the stock after the choice
    /// is what it is after keeping, up to 1e-12 of both, else 1.
    #[must_use]
    pub fn outer(mut self, outer: Outer) -> Self {
        let (post, kept) = (
            Expr::symbol(outer.post.as_str()),
            Expr::symbol(outer.kept()),
        );
        let same = (&post - &kept).abs().le((post.abs() + kept.abs()) * 1e-12);
        self.adjusts = Some(Expr::select(same, 0.0, 1.0).into());
        self.outer = Some(outer);
        self
    }

    /// Whether it leads nowhere.
    pub(crate) fn is_terminal(&self) -> bool {
        self.edges.is_empty()
    }
}

/// A way from a regime into a regime of the next period.
///
/// The edge is there at ages at which the target exists one period later. Its probability may read
/// states, actions, functions and parameters; 1 if nothing is said. The probabilities of the edges
/// that are there must add up to one everywhere; they are never rescaled.
#[derive(Debug, Clone)]
pub struct Edge {
    pub(crate) target: String,
    pub(crate) ages: (f64, f64),
    pub(crate) probability: Formula,
    pub(crate) laws: Vec<(String, Law)>,
}

impl Edge {
    /// An edge to the regime of this name.
    #[must_use]
    pub fn to(target: impl Into<String>) -> Self {
        Self {
            target: target.into(),
            ages: (f64::NEG_INFINITY, f64::INFINITY),
            probability: Formula::from(Expr::constant(1.0)),
            laws: Vec::new(),
        }
    }

    /// The edge is there at source ages from the first to the last of these only.
    #[must_use]
    pub fn ages(mut self, first: f64, last: f64) -> Self {
        self.ages = (first, last);
        self
    }

    /// Probability of this edge.
    #[must_use]
    pub fn probability(mut self, probability: impl Into<Formula>) -> Self {
        self.probability = probability.into();
        self
    }

    /// The next value of a state of this target, instead of the law of the regime.
    #[must_use]
    pub fn law(mut self, state: impl Into<String>, next: impl Into<Formula>) -> Self {
        self.laws.push((state.into(), Law::Value(next.into())));
        self
    }

    /// The next category of a state of this target, instead of the law of the regime.
    #[must_use]
    pub fn markov(mut self, state: impl Into<String>, next: impl Into<Probabilities>) -> Self {
        let state = state.into();
        let law = Law::Markov(next.into().formulas(&state));
        self.laws.push((state, law));
        self
    }

    /// The state keeps its value on this edge.
    #[must_use]
    pub fn fixed(mut self, state: impl Into<String>) -> Self {
        self.laws.push((state.into(), Law::Fixed));
        self
    }
}

/// Probabilities of the next category: one formula per category, or a matrix by the category now.
#[derive(Debug, Clone)]
pub struct Probabilities(Source);

#[derive(Debug, Clone)]
enum Source {
    Formulas(Vec<Formula>),
    Matrix(TransitionMatrix),
}

impl Probabilities {
    /// Formulas for the state of this name.
    fn formulas(self, state: &str) -> Vec<Formula> {
        match self.0 {
            Source::Formulas(formulas) => formulas,
            Source::Matrix(matrix) => (0..matrix.column_count())
                .map(|column| by_row(&matrix, state, column))
                .collect(),
        }
    }
}

/// Entry of a column chosen by the code of the state now.
fn by_row(matrix: &TransitionMatrix, state: &str, column: usize) -> Formula {
    let code = Expr::symbol(state);
    let mut rows: Vec<f64> = matrix.rows().map(|row| row[column]).collect();
    let last = rows.pop().unwrap_or(0.0);
    // Equal rows are drawn whatever the category is.
    if rows.iter().all(|row| row.to_bits() == last.to_bits()) {
        rows.clear();
    }
    let chosen = rows
        .iter()
        .enumerate()
        .rev()
        .fold(Expr::constant(last), |rest, (row, &entry)| {
            Expr::select(code.eq(row as f64), entry, rest)
        });
    Formula::from(chosen)
}

impl<F: Into<Formula>, const N: usize> From<[F; N]> for Probabilities {
    fn from(formulas: [F; N]) -> Self {
        Self(Source::Formulas(
            formulas.into_iter().map(Into::into).collect(),
        ))
    }
}

impl From<Vec<Formula>> for Probabilities {
    fn from(formulas: Vec<Formula>) -> Self {
        Self(Source::Formulas(formulas))
    }
}

/// Row: category now. Column: category next.
impl From<TransitionMatrix> for Probabilities {
    fn from(matrix: TransitionMatrix) -> Self {
        Self(Source::Matrix(matrix))
    }
}

/// A joint law of several shocks on finitely many points.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    pub(crate) outputs: Vec<String>,
    pub(crate) points: Vec<Vec<f64>>,
    pub(crate) probabilities: Vec<f64>,
}

impl Joint {
    /// Named outputs, one list of values per point, and the probability of each point.
    ///
    /// Shapes and the sum of the probabilities are checked when the model is built.
    #[must_use]
    pub fn new<S: Into<String>>(
        outputs: impl IntoIterator<Item = S>,
        points: impl IntoIterator<Item = Vec<f64>>,
        probabilities: impl Into<Vec<f64>>,
    ) -> Self {
        Self {
            outputs: outputs.into_iter().map(Into::into).collect(),
            points: points.into_iter().collect(),
            probabilities: probabilities.into(),
        }
    }
}
