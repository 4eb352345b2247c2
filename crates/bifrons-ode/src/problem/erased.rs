//! Problems behind a pointer: methods that cost more than a call are compiled once.

use super::{Fault, Mass, MatrixMut, Problem, Structure};
use crate::event::{Event, Response, RootRule};

/// The functions of [`Problem`], callable through a pointer.
#[expect(dead_code, reason = "the driver of general runs comes next")]
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

/// Any problem, with no dimension known at compile time.
#[expect(dead_code, reason = "the driver of general runs comes next")]
pub(crate) struct Erased<'p>(pub(crate) &'p mut dyn DynamicProblem);

macro_rules! forward {
    ($inner:ident: $by:expr) => {
        fn dimension(&self) -> usize {
            let $inner = self;
            $by.dimension()
        }
        fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
            let $inner = self;
            $by.rhs(t, y, dy)
        }
        fn structure(&self) -> &Structure {
            let $inner = self;
            $by.structure()
        }
        fn has_jacobian(&self) -> bool {
            let $inner = self;
            $by.has_jacobian()
        }
        fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
            let $inner = self;
            $by.jacobian(t, y, out)
        }
        fn mass(&self) -> &Mass {
            let $inner = self;
            $by.mass()
        }
        fn index(&self, component: usize) -> u8 {
            let $inner = self;
            $by.index(component)
        }
        fn root_count(&self) -> usize {
            let $inner = self;
            $by.root_count()
        }
        fn root_rule(&self, root: usize) -> RootRule {
            let $inner = self;
            $by.root_rule(root)
        }
        fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
            let $inner = self;
            $by.roots(t, y, g)
        }
        fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
            let $inner = self;
            $by.event(event, y)
        }
    };
}

impl Problem for Erased<'_> {
    forward!(this: this.0);
}

/// A whole problem as a [`DynamicProblem`].
#[expect(dead_code, reason = "the driver of general runs comes next")]
pub(crate) struct Whole<'p, P>(pub(crate) &'p mut P);

impl<P: Problem> DynamicProblem for Whole<'_, P> {
    forward!(this: this.0);
}
