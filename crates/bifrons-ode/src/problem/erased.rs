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

    fn clip(&self, t: f64) -> f64 {
        if (t - self.latest) * self.direction > 0.0 {
            self.latest
        } else {
            t
        }
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
