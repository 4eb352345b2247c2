//! Adaptive mesh with golden-section refinement, and branch and bound under a Lipschitz bound.

use bifrons_memory::Footprint;

use super::interpolant;
use super::mesh::Mesh;
use super::peak::golden;
use crate::error::OuterError;

/// The inner problem as a function of the outer choice.
pub trait OuterProblem {
    /// Number of queries that share the mesh: cells times liquid nodes.
    fn query_count(&self) -> usize;

    /// Values of all queries at an outer choice; `-inf` where it is infeasible.
    fn solve(&mut self, choice: f64, values: &mut [f64]);

    /// Value of one query at an outer choice of its own. `None` (the default): refined choices
    /// keep their interpolated values.
    fn polish(&mut self, query: usize, choice: f64) -> Option<f64> {
        let _ = (query, choice);
        None
    }
}

/// Settings of [`search_adaptive`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AdaptiveOptions {
    /// Nodes to begin with, at least two, ascending.
    pub initial_grid: Vec<f64>,
    /// Most nodes (129); between each two of them there is one more exact solution, the probe.
    pub max_nodes: usize,
    /// Most rounds of refinement (6).
    pub max_refinement_rounds: usize,
    /// Absolute band of values (1e-10).
    pub value_atol: f64,
    /// Relative band of values (1e-8).
    pub value_rtol: f64,
    /// Largest change of the value per unit of the outer choice, if known.
    pub outer_lipschitz_bound: Option<f64>,
    /// Golden-section steps per bracket (32).
    pub golden_iterations: usize,
    /// Most brackets per query (8).
    pub max_brackets: usize,
    /// Whether a search that runs out of nodes or rounds is an error (yes).
    pub fail_closed: bool,
}

impl AdaptiveOptions {
    /// The defaults with an initial grid.
    ///
    /// To repeat a search on the mesh of an earlier one, for instance at parameters nearby, take
    /// [`AdaptiveSolution::mesh`] as grid with no rounds and without failing closed.
    #[must_use]
    pub fn new(initial_grid: impl Into<Vec<f64>>) -> Self {
        Self {
            initial_grid: initial_grid.into(),
            max_nodes: 129,
            max_refinement_rounds: 6,
            value_atol: 1e-10,
            value_rtol: 1e-8,
            outer_lipschitz_bound: None,
            golden_iterations: 32,
            max_brackets: 8,
            fail_closed: true,
        }
    }

    /// Sets the budgets of nodes and rounds.
    #[must_use]
    pub const fn with_budgets(mut self, nodes: usize, rounds: usize) -> Self {
        self.max_nodes = nodes;
        self.max_refinement_rounds = rounds;
        self
    }

    /// Sets the bands of values.
    #[must_use]
    pub const fn with_bands(mut self, absolute: f64, relative: f64) -> Self {
        self.value_atol = absolute;
        self.value_rtol = relative;
        self
    }

    /// Sets the Lipschitz bound.
    #[must_use]
    pub const fn with_lipschitz_bound(mut self, bound: f64) -> Self {
        self.outer_lipschitz_bound = Some(bound);
        self
    }

    /// Sets whether exhaustion is an error.
    #[must_use]
    pub const fn with_fail_closed(mut self, fail_closed: bool) -> Self {
        self.fail_closed = fail_closed;
        self
    }

    fn check(&self) -> Result<(), OuterError> {
        let grid = &self.initial_grid;
        let ascends = grid.windows(2).all(|pair| pair[0] < pair[1]);
        if grid.len() < 2 || !ascends || grid.iter().any(|z| !z.is_finite()) {
            return Err(OuterError::Grid { count: grid.len() });
        }
        let bound = self.outer_lipschitz_bound.unwrap_or(1.0);
        let checks = [
            ("Lipschitz bound", bound > 0.0 && bound.is_finite(), bound),
            ("absolute band", self.value_atol >= 0.0, self.value_atol),
            ("relative band", self.value_rtol >= 0.0, self.value_rtol),
        ];
        for (name, fine, value) in checks {
            if !fine {
                let required = "finite and positive";
                return Err(OuterError::Parameter {
                    name,
                    required,
                    value,
                });
            }
        }
        Ok(())
    }
}

/// The best outer choice of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OuterBest {
    /// The choice; NaN if nothing is feasible.
    pub choice: f64,
    /// Its value; `-inf` if nothing is feasible.
    pub value: f64,
    /// Whether the value is an exact inner solution and not read between two of them.
    pub is_exact: bool,
    /// Choice and value of the best other local maximum.
    pub second: Option<(f64, f64)>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AdaptiveSolution {
    /// All points at which the inner problem was solved.
    pub mesh: Vec<f64>,
    /// Rounds of refinement.
    pub rounds: usize,
    /// Intervals that should be refined further: zero unless the search ran out of its budgets.
    pub unresolved: usize,
    /// Largest error of the interpolant next to a maximum, in bands.
    pub residual: f64,
    /// By how much any outer choice can exceed the best point, over all queries; only under a
    /// Lipschitz bound. Without one the result holds relative to the mesh.
    pub certified_gap: Option<f64>,
    /// The best choice of each query.
    pub best: Vec<OuterBest>,
}

impl AdaptiveSolution {
    /// Memory of a search, its mesh included.
    #[must_use]
    pub fn footprint(queries: usize, options: &AdaptiveOptions) -> Footprint {
        let points = options
            .max_nodes
            .max(options.initial_grid.len())
            .saturating_mul(2);
        Footprint::of::<f64>(points.saturating_mul(queries))
            .beside(Footprint::of::<[f64; 3]>(points))
            .beside(Footprint::of::<OuterBest>(queries))
    }
}

/// Maximises over the outer choice for all queries on one mesh.
///
/// Each round solves the inner problem at the middle of every interval and refines the interval
/// if the cubic through the nodes is wrong there by more than a band and a maximum is near, if
/// the middle exceeds everything known, or if two maxima are too close to call. Under a Lipschitz
/// bound every interval whose upper bound `(a + b)/2 + L h/2` (Piyavskii, 1972) exceeds the best
/// value by more than a band is refined as well; when no interval is left the best point is
/// certified. Then each local maximum is refined by golden section on the interpolant.
///
/// Of equal values the smaller choice wins.
///
/// # Errors
///
/// [`OuterError::Grid`], [`OuterError::Parameter`]; [`OuterError::Convergence`] if nodes or
/// rounds run out and the search fails closed; [`OuterError::Lipschitz`] if two points contradict
/// the bound.
///
/// ```
/// use bifrons_egm::{AdaptiveOptions, OuterProblem, search_adaptive};
///
/// struct Parabola;
/// impl OuterProblem for Parabola {
///     fn query_count(&self) -> usize { 1 }
///     fn solve(&mut self, z: f64, values: &mut [f64]) { values[0] = -(z - 0.3) * (z - 0.3); }
/// }
/// let found = search_adaptive(&mut Parabola, &AdaptiveOptions::new([0.0, 0.5, 1.0]))?;
/// assert!((found.best[0].choice - 0.3).abs() < 1e-6);
/// # Ok::<(), bifrons_egm::OuterError>(())
/// ```
pub fn search_adaptive(
    problem: &mut dyn OuterProblem,
    options: &AdaptiveOptions,
) -> Result<AdaptiveSolution, OuterError> {
    options.check()?;
    let queries = problem.query_count();
    let most = 2 * options.max_nodes.max(options.initial_grid.len());
    let mut search = Search {
        mesh: Mesh::new(queries, most),
        options,
        queries,
        marks: Vec::new(),
        residual: 0.0,
    };
    for &z in &options.initial_grid {
        search.mesh.add(z, true, |values| problem.solve(z, values));
    }
    let mut rounds = 0;
    let unresolved = loop {
        search.probe(problem);
        search.mark()?;
        let marked = search.marks.iter().filter(|&&mark| mark).count();
        let room = search.mesh.node_count() + marked <= options.max_nodes;
        if marked == 0 || rounds == options.max_refinement_rounds || !room {
            break marked;
        }
        search.promote();
        rounds += 1;
    };
    if unresolved > 0 && options.fail_closed {
        return Err(OuterError::Convergence {
            rounds,
            nodes: search.mesh.node_count(),
            marked: unresolved,
            residual: search.residual,
        });
    }
    Ok(AdaptiveSolution {
        rounds,
        unresolved,
        residual: search.residual,
        certified_gap: search.certified_gap(),
        best: (0..queries)
            .map(|query| search.refine(problem, query))
            .collect(),
        mesh: search.mesh.z,
    })
}

struct Search<'a> {
    mesh: Mesh,
    options: &'a AdaptiveOptions,
    queries: usize,
    /// By interval between nodes.
    marks: Vec<bool>,
    residual: f64,
}

impl Search<'_> {
    /// Solves at the middle of every interval that has no probe.
    fn probe(&mut self, problem: &mut dyn OuterProblem) {
        let nodes = self.nodes();
        for pair in nodes.windows(2).rev() {
            if pair[1] == pair[0] + 1 {
                let middle = 0.5 * (self.mesh.z[pair[0]] + self.mesh.z[pair[1]]);
                if middle > self.mesh.z[pair[0]] && middle < self.mesh.z[pair[1]] {
                    self.mesh
                        .add(middle, false, |values| problem.solve(middle, values));
                }
            }
        }
    }

    fn nodes(&self) -> Vec<usize> {
        (0..self.mesh.z.len())
            .filter(|&i| self.mesh.is_node[i])
            .collect()
    }

    fn band(&self, value: f64) -> f64 {
        self.options.value_atol + self.options.value_rtol * value.abs()
    }

    /// Decides which intervals between nodes are refined.
    fn mark(&mut self) -> Result<(), OuterError> {
        let nodes = self.nodes();
        let z: Vec<f64> = nodes.iter().map(|&i| self.mesh.z[i]).collect();
        let count = nodes.len() - 1;
        let mut marks = vec![false; count];
        let mut errors = vec![0.0_f64; count];
        self.residual = 0.0;
        for query in 0..self.queries {
            self.mark_query(query, &nodes, &z, &mut marks, &mut errors)?;
        }
        // Neighbours of marked intervals that are nearly as wrong, one after the other.
        for i in 1..count {
            marks[i] |= marks[i - 1] && errors[i] > 1.0 / 16.0;
        }
        for i in (1..count).rev() {
            marks[i - 1] |= marks[i] && errors[i - 1] > 1.0 / 16.0;
        }
        self.marks = marks;
        Ok(())
    }

    fn mark_query(
        &mut self,
        query: usize,
        nodes: &[usize],
        z: &[f64],
        marks: &mut [bool],
        errors: &mut [f64],
    ) -> Result<(), OuterError> {
        let y = |i: usize| self.mesh.y(nodes[i], query);
        let count = nodes.len();
        let peak = |i: usize| {
            let fine = |k: usize| !(y(k) > y(i));
            y(i) > f64::NEG_INFINITY && (i == 0 || fine(i - 1)) && (i + 1 == count || fine(i + 1))
        };
        let Some(best) = (0..count)
            .filter(|&i| y(i) > f64::NEG_INFINITY)
            .reduce(|a, b| if y(b) > y(a) { b } else { a })
        else {
            return self.mark_infeasible(query, nodes, marks);
        };
        let top = y(best);
        let second = (0..count)
            .filter(|&i| i != best && peak(i))
            .map(y)
            .fold(f64::NEG_INFINITY, f64::max);
        let mut residual = self.residual;
        for i in 0..count - 1 {
            let Some(middle) = self.middle(nodes[i], nodes[i + 1], query) else {
                continue;
            };
            self.check_lipschitz(nodes[i], nodes[i + 1], query)?;
            if middle > top + self.band(top) {
                marks[i] = true;
            }
            if self.upper_bound(nodes[i], nodes[i + 1], query) > top.max(middle) + self.band(top) {
                marks[i] = true;
            }
            let read = interpolant::read(z, y, i, self.mesh.z[nodes[i] + 1]);
            if !(read.is_finite() && middle.is_finite()) {
                continue;
            }
            let gap = (middle - read).abs();
            let error = gap / self.band(middle.abs().max(read.abs()));
            let flanks = peak(i) || peak(i + 1);
            let touches = i == best || i + 1 == best;
            let close = top - second;
            if flanks {
                errors[i] = errors[i].max(error);
                residual = residual.max(error);
                marks[i] |= error > 1.0 || (close > self.band(top) && close < 10.0 * gap);
            }
            marks[i] |= touches && error > 0.1;
        }
        self.residual = residual;
        Ok(())
    }

    /// A query without feasible node: intervals with a feasible middle are refined.
    fn mark_infeasible(
        &self,
        query: usize,
        nodes: &[usize],
        marks: &mut [bool],
    ) -> Result<(), OuterError> {
        for (mark, pair) in marks.iter_mut().zip(nodes.windows(2)) {
            let feasible = self
                .middle(pair[0], pair[1], query)
                .is_some_and(|y| y > f64::NEG_INFINITY);
            *mark |= feasible;
        }
        Ok(())
    }

    /// Value at the probe between two nodes.
    fn middle(&self, left: usize, right: usize, query: usize) -> Option<f64> {
        (right == left + 2).then(|| self.mesh.y(left + 1, query))
    }

    fn check_lipschitz(&self, left: usize, right: usize, query: usize) -> Result<(), OuterError> {
        let Some(bound) = self.options.outer_lipschitz_bound else {
            return Ok(());
        };
        for i in left..right {
            let (a, b) = (self.mesh.y(i, query), self.mesh.y(i + 1, query));
            let h = self.mesh.z[i + 1] - self.mesh.z[i];
            let slack = self.band(a.abs().max(b.abs()));
            if a.is_finite() && b.is_finite() && (b - a).abs() > bound * h + slack {
                return Err(OuterError::Lipschitz {
                    bound,
                    secant: (b - a).abs() / h,
                    from: self.mesh.z[i],
                    to: self.mesh.z[i + 1],
                });
            }
        }
        Ok(())
    }

    /// Largest value that the bound allows for between two points.
    fn upper_bound(&self, left: usize, right: usize, query: usize) -> f64 {
        let Some(bound) = self.options.outer_lipschitz_bound else {
            return f64::NEG_INFINITY;
        };
        let mut most = f64::NEG_INFINITY;
        for i in left..right {
            let (a, b) = (self.mesh.y(i, query), self.mesh.y(i + 1, query));
            let h = self.mesh.z[i + 1] - self.mesh.z[i];
            let here = match (a.is_finite(), b.is_finite()) {
                (true, true) => 0.5 * (a + b) + 0.5 * bound * h,
                (true, false) => a + bound * h,
                (false, true) => b + bound * h,
                (false, false) => f64::NEG_INFINITY,
            };
            most = most.max(here);
        }
        most
    }

    fn certified_gap(&self) -> Option<f64> {
        self.options.outer_lipschitz_bound?;
        let last = self.mesh.z.len() - 1;
        let gap = |query: usize| {
            let best = self
                .mesh
                .best(query)
                .map_or(f64::NEG_INFINITY, |i| self.mesh.y(i, query));
            (self.upper_bound(0, last, query) - best).max(0.0)
        };
        Some((0..self.queries).map(gap).fold(0.0, f64::max))
    }

    /// Makes the probes of marked intervals nodes.
    fn promote(&mut self) {
        let nodes = self.nodes();
        for (pair, &mark) in nodes.windows(2).zip(&self.marks) {
            if mark && pair[1] == pair[0] + 2 {
                self.mesh.is_node[pair[0] + 1] = true;
            }
        }
    }

    /// Best point of a query, refined by golden section around local maxima.
    fn refine(&self, problem: &mut dyn OuterProblem, query: usize) -> OuterBest {
        let Some(top) = self.mesh.best(query) else {
            let (choice, value) = (f64::NAN, f64::NEG_INFINITY);
            return OuterBest {
                choice,
                value,
                is_exact: true,
                second: None,
            };
        };
        let mut peaks: Vec<usize> = (0..self.mesh.z.len())
            .filter(|&i| self.mesh.is_peak(i, query))
            .collect();
        peaks.sort_by(|&a, &b| {
            self.mesh
                .y(b, query)
                .total_cmp(&self.mesh.y(a, query))
                .then(a.cmp(&b))
        });
        peaks.truncate(self.options.max_brackets);
        let exact = OuterBest {
            choice: self.mesh.z[top],
            value: self.mesh.y(top, query),
            is_exact: true,
            second: None,
        };
        let mut list = vec![(exact, top)];
        for &peak in &peaks {
            let y = |i: usize| self.mesh.y(i, query);
            let (choice, value) = golden(&self.mesh.z, y, peak, self.options.golden_iterations);
            let polished = problem.polish(query, choice);
            let value = polished.unwrap_or(value);
            let is_exact = polished.is_some();
            list.push((
                OuterBest {
                    choice,
                    value,
                    is_exact,
                    second: None,
                },
                peak,
            ));
        }
        list.sort_by(|(a, _), (b, _)| {
            b.value
                .total_cmp(&a.value)
                .then(a.choice.total_cmp(&b.choice))
        });
        let (best, around) = list[0];
        let second = list
            .iter()
            .find(|(_, peak)| *peak != around)
            .map(|(other, _)| (other.choice, other.value));
        OuterBest { second, ..best }
    }
}
