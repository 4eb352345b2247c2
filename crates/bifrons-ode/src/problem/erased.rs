//! Problems behind a pointer: methods that cost more than a call are compiled once.

use super::{Fault, Mass, MatrixMut, Problem, Structure};
use crate::event::{Event, Response, RootRule};

/// The functions of [`Problem`], callable through a pointer.
pub(crate) trait DynamicProblem {
    fn dimension(&self) -> usize;
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault>;
    fn structure(&self) -> &Structure;
    fn has_jacobian(&self) -> bool;
    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault>;
    fn mass(&self) -> &Mass;
    fn index(&self, component: usize) -> u8;
    fn root_count(&self) -> usize;
    fn root_rule(&self, root: usize) -> RootRule;
    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault>;
    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response;
    /// Components that are the state; those behind them are carried along.
    fn own_dimension(&self) -> usize {
        self.dimension()
    }
    /// Derivatives of the right-hand side, where the problem carries sensitivities.
    fn derivatives(&mut self) -> Option<&mut dyn Derivatives> {
        None
    }
}

/// Derivatives of the right-hand side in the directions of columns `s_d`, at `d n` of a slice, and
/// of the parameters `q_d` that belong to them.
pub(crate) trait Derivatives {
    /// Writes `f_y s_d + f_q` for all columns.
    fn columns(&mut self, t: f64, y: &[f64], s: &[f64], out: &mut [f64]);
    /// Writes the derivatives of `J u + f_t time` for all columns.
    fn second(&mut self, t: f64, y: &[f64], s: &[f64], along: (f64, &[f64]), out: &mut [f64]);
    /// Writes the Jacobian by columns; not numbers if the model states a wrong structure.
    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut [f64]);
    /// Writes the Jacobian in the order of its structure.
    fn jacobian_values(&mut self, t: f64, y: &[f64], out: &mut [f64]);
    /// Writes the derivatives of the slope `y'` for all columns, zero where there are none.
    fn slopes(&mut self, t: f64, y: &[f64], s: &[f64], out: &mut [f64]);
    /// Makes the columns satisfy the derivatives of the algebraic equations.
    fn settle(&mut self, t: f64, y: &[f64], s: &mut [f64]);
}

/// Derivatives that are evaluated up to a time only, as the right-hand side is.
pub(crate) struct Clipped<'c> {
    inner: &'c mut dyn Derivatives,
    direction: f64,
    latest: f64,
}

/// The latest time, along a direction, that is not after `latest`.
fn clip(t: f64, latest: f64, direction: f64) -> f64 {
    if (t - latest) * direction > 0.0 {
        latest
    } else {
        t
    }
}

impl Derivatives for Clipped<'_> {
    fn columns(&mut self, t: f64, y: &[f64], s: &[f64], out: &mut [f64]) {
        let t = clip(t, self.latest, self.direction);
        self.inner.columns(t, y, s, out);
    }
    fn second(&mut self, t: f64, y: &[f64], s: &[f64], along: (f64, &[f64]), out: &mut [f64]) {
        let t = clip(t, self.latest, self.direction);
        self.inner.second(t, y, s, along, out);
    }
    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut [f64]) {
        let t = clip(t, self.latest, self.direction);
        self.inner.jacobian(t, y, out);
    }
    fn jacobian_values(&mut self, t: f64, y: &[f64], out: &mut [f64]) {
        let t = clip(t, self.latest, self.direction);
        self.inner.jacobian_values(t, y, out);
    }
    fn slopes(&mut self, t: f64, y: &[f64], s: &[f64], out: &mut [f64]) {
        let t = clip(t, self.latest, self.direction);
        self.inner.slopes(t, y, s, out);
    }
    fn settle(&mut self, t: f64, y: &[f64], s: &mut [f64]) {
        let t = clip(t, self.latest, self.direction);
        self.inner.settle(t, y, s);
    }
}

/// A whole problem as a [`DynamicProblem`].
pub(crate) struct Whole<'p, P>(pub(crate) &'p mut P);

impl<P: Problem> DynamicProblem for Whole<'_, P> {
    fn dimension(&self) -> usize {
        self.0.dimension()
    }
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        self.0.rhs(t, y, dy)
    }
    fn structure(&self) -> &Structure {
        self.0.structure()
    }
    fn has_jacobian(&self) -> bool {
        self.0.has_jacobian()
    }
    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        self.0.jacobian(t, y, out)
    }
    fn mass(&self) -> &Mass {
        self.0.mass()
    }
    fn index(&self, component: usize) -> u8 {
        self.0.index(component)
    }
    fn root_count(&self) -> usize {
        self.0.root_count()
    }
    fn root_rule(&self, root: usize) -> RootRule {
        self.0.root_rule(root)
    }
    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        self.0.roots(t, y, g)
    }
    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
        self.0.event(event, y)
    }
}

/// A [`DynamicProblem`] is a problem with no dimension known at compile time.
impl Problem for dyn DynamicProblem + '_ {
    fn dimension(&self) -> usize {
        DynamicProblem::dimension(self)
    }
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        DynamicProblem::rhs(self, t, y, dy)
    }
    fn structure(&self) -> &Structure {
        DynamicProblem::structure(self)
    }
    fn has_jacobian(&self) -> bool {
        DynamicProblem::has_jacobian(self)
    }
    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        DynamicProblem::jacobian(self, t, y, out)
    }
    fn mass(&self) -> &Mass {
        DynamicProblem::mass(self)
    }
    fn index(&self, component: usize) -> u8 {
        DynamicProblem::index(self, component)
    }
    fn root_count(&self) -> usize {
        DynamicProblem::root_count(self)
    }
    fn root_rule(&self, root: usize) -> RootRule {
        DynamicProblem::root_rule(self, root)
    }
    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        DynamicProblem::roots(self, t, y, g)
    }
    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
        DynamicProblem::event(self, event, y)
    }
}

/// A problem whose derivatives are evaluated up to a time only.
pub(crate) struct Bounded<'p, P: ?Sized> {
    problem: &'p mut P,
    direction: f64,
    /// Last time, along the direction, at which derivatives are evaluated.
    latest: f64,
}

/// Any problem, with no dimension known at compile time.
pub(crate) type Erased<'p> = Bounded<'p, dyn DynamicProblem + 'p>;

impl<'p, P: ?Sized> Bounded<'p, P> {
    pub(crate) fn new(problem: &'p mut P, direction: f64) -> Self {
        Self {
            problem,
            direction,
            latest: direction * f64::INFINITY,
        }
    }

    /// Evaluates derivatives before `stop` only, or everywhere: a derivative that jumps there is
    /// not seen by a step that ends there.
    pub(crate) fn stay_before(&mut self, stop: Option<f64>) {
        self.latest = match stop {
            None => self.direction * f64::INFINITY,
            Some(t) if self.direction > 0.0 => t.next_down(),
            Some(t) => t.next_up(),
        };
    }

    /// Last time, along the direction, at which derivatives are evaluated.
    pub(crate) const fn latest(&self) -> f64 {
        self.latest
    }

    /// As [`Erased::latest`] of another run.
    pub(crate) const fn set_latest(&mut self, latest: f64) {
        self.latest = latest;
    }

    fn clip(&self, t: f64) -> f64 {
        clip(t, self.latest, self.direction)
    }
}

impl Bounded<'_, dyn DynamicProblem + '_> {
    /// Derivatives of the right-hand side, where the problem carries sensitivities.
    pub(crate) fn derivatives(&mut self) -> Option<Clipped<'_>> {
        let (direction, latest) = (self.direction, self.latest);
        self.problem.derivatives().map(|inner| Clipped {
            inner,
            direction,
            latest,
        })
    }
}

/// What a problem carries along behind its state.
pub(crate) trait Carries: Problem {
    /// Components that are the state; those behind them are carried along.
    fn own_dimension(&self) -> usize;
}

impl<P: Problem> Carries for P {
    fn own_dimension(&self) -> usize {
        self.dimension()
    }
}

impl Carries for dyn DynamicProblem + '_ {
    fn own_dimension(&self) -> usize {
        DynamicProblem::own_dimension(self)
    }
}

impl<P: Carries + ?Sized> Bounded<'_, P> {
    /// Components that are the state; those behind them are carried along.
    pub(crate) fn own_dimension(&self) -> usize {
        self.problem.own_dimension()
    }
}

impl<P: Problem + ?Sized> Problem for Bounded<'_, P> {
    const DIMENSION: usize = P::DIMENSION;

    fn dimension(&self) -> usize {
        self.problem.dimension()
    }
    #[inline]
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        let t = self.clip(t);
        self.problem.rhs(t, y, dy)
    }
    fn structure(&self) -> &Structure {
        self.problem.structure()
    }
    fn has_jacobian(&self) -> bool {
        self.problem.has_jacobian()
    }
    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        let t = self.clip(t);
        self.problem.jacobian(t, y, out)
    }
    fn mass(&self) -> &Mass {
        self.problem.mass()
    }
    fn index(&self, component: usize) -> u8 {
        self.problem.index(component)
    }
    fn root_count(&self) -> usize {
        self.problem.root_count()
    }
    fn root_rule(&self, root: usize) -> RootRule {
        self.problem.root_rule(root)
    }
    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        self.problem.roots(t, y, g)
    }
    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
        self.problem.event(event, y)
    }
}
