//! What closures attach to a problem: each adapter overrides one thing and forwards the rest.

use super::{Fault, Mass, MatrixMut, Problem, Structure};
use crate::event::{Event, Response, RootRule};

/// Forwards the named functions of [`Problem`] to `self.problem`.
macro_rules! forward {
    ($($name:ident)*) => { $(forward!(@ $name);)* };
    (@ base) => {
        const DIMENSION: usize = P::DIMENSION;
        #[inline(always)]
        fn dimension(&self) -> usize {
            self.problem.dimension()
        }
        #[inline(always)]
        fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
            self.problem.rhs(t, y, dy)
        }
    };
    (@ structure) => {
        fn structure(&self) -> &Structure {
            self.problem.structure()
        }
    };
    (@ jacobian) => {
        fn has_jacobian(&self) -> bool {
            self.problem.has_jacobian()
        }
        #[inline]
        fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
            self.problem.jacobian(t, y, out)
        }
    };
    (@ mass) => {
        fn mass(&self) -> &Mass {
            self.problem.mass()
        }
    };
    (@ index) => {
        fn index(&self, component: usize) -> u8 {
            self.problem.index(component)
        }
    };
    (@ roots) => {
        fn root_count(&self) -> usize {
            self.problem.root_count()
        }
        fn root_rule(&self, root: usize) -> RootRule {
            self.problem.root_rule(root)
        }
        #[inline]
        fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
            self.problem.roots(t, y, g)
        }
    };
    (@ event) => {
        fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
            self.problem.event(event, y)
        }
    };
}

/// A problem with a Jacobian; made by [`Problem::with_jacobian`].
#[derive(Debug, Clone)]
pub struct WithJacobian<P, J> {
    problem: P,
    structure: Structure,
    jacobian: J,
}

impl<P, J> WithJacobian<P, J> {
    pub(super) fn new(problem: P, structure: Structure, jacobian: J) -> Self {
        Self {
            problem,
            structure,
            jacobian,
        }
    }
}

impl<P: Problem, J: FnMut(f64, &[f64], &mut MatrixMut<'_>)> Problem for WithJacobian<P, J> {
    forward!(base mass index roots event);

    fn structure(&self) -> &Structure {
        &self.structure
    }

    fn has_jacobian(&self) -> bool {
        true
    }

    #[inline]
    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        (self.jacobian)(t, y, out);
        Ok(())
    }
}

/// A problem with the structure of its Jacobian; made by [`Problem::with_structure`].
#[derive(Debug, Clone)]
pub struct WithStructure<P> {
    problem: P,
    structure: Structure,
}

impl<P> WithStructure<P> {
    pub(super) fn new(problem: P, structure: Structure) -> Self {
        Self { problem, structure }
    }
}

impl<P: Problem> Problem for WithStructure<P> {
    forward!(base jacobian mass index roots event);

    fn structure(&self) -> &Structure {
        &self.structure
    }
}

/// A problem with a mass matrix; made by [`Problem::with_mass`].
#[derive(Debug, Clone)]
pub struct WithMass<P> {
    problem: P,
    mass: Mass,
}

impl<P> WithMass<P> {
    pub(super) fn new(problem: P, mass: Mass) -> Self {
        Self { problem, mass }
    }
}

impl<P: Problem> Problem for WithMass<P> {
    forward!(base structure jacobian index roots event);

    fn mass(&self) -> &Mass {
        &self.mass
    }
}

/// A problem with the index of each component; made by [`Problem::with_index`].
#[derive(Debug, Clone)]
pub struct WithIndex<P> {
    problem: P,
    index: Vec<u8>,
}

impl<P> WithIndex<P> {
    pub(super) fn new(problem: P, index: Vec<u8>) -> Self {
        Self { problem, index }
    }
}

impl<P: Problem> Problem for WithIndex<P> {
    forward!(base structure jacobian mass roots event);

    fn index(&self, component: usize) -> u8 {
        self.index.get(component).copied().unwrap_or(1)
    }
}

/// A problem with root functions; made by [`Problem::with_roots`].
#[derive(Debug, Clone)]
pub struct WithRoots<P, G> {
    problem: P,
    rules: Vec<RootRule>,
    roots: G,
}

impl<P, G> WithRoots<P, G> {
    pub(super) fn new(problem: P, count: usize, roots: G) -> Self {
        Self {
            problem,
            rules: vec![RootRule::default(); count],
            roots,
        }
    }

    /// The same problem with another rule for every root function.
    #[must_use]
    pub fn with_rule(mut self, rule: RootRule) -> Self {
        self.rules.fill(rule);
        self
    }

    /// The same problem with one rule per root function: those given come first, the others keep
    /// theirs; more rules than functions are left out.
    #[must_use]
    pub fn with_rules(mut self, rules: &[RootRule]) -> Self {
        for (own, &rule) in self.rules.iter_mut().zip(rules) {
            *own = rule;
        }
        self
    }
}

impl<P: Problem, G: FnMut(f64, &[f64], &mut [f64])> Problem for WithRoots<P, G> {
    forward!(base structure jacobian mass index event);

    fn root_count(&self) -> usize {
        self.rules.len()
    }

    fn root_rule(&self, root: usize) -> RootRule {
        self.rules.get(root).copied().unwrap_or_default()
    }

    #[inline]
    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        (self.roots)(t, y, g);
        Ok(())
    }
}

/// A problem with a handler of events; made by [`Problem::with_events`].
#[derive(Debug, Clone)]
pub struct WithEvents<P, H> {
    problem: P,
    handler: H,
}

impl<P, H> WithEvents<P, H> {
    pub(super) fn new(problem: P, handler: H) -> Self {
        Self { problem, handler }
    }
}

impl<P: Problem, H: FnMut(&Event<'_>, &mut [f64]) -> Response> Problem for WithEvents<P, H> {
    forward!(base structure jacobian mass index roots);

    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
        (self.handler)(event, y)
    }
}
