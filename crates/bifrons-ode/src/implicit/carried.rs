//! Sensitivities carried beside an implicit method, step by step.
//!
//! A method takes its steps on the state alone. After each accepted step the derivative of that
//! step is applied to every column: the equations of the step, differentiated, are linear, and
//! they are solved by iteration with the factors that the step has left behind (staggered). Where
//! that converges slowly the Jacobian at the new state is factored once for all columns.
//!
//! # References
//!
//! Feehery, Tolsma and Barton (1997), Efficient sensitivity analysis of large-scale
//! differential-algebraic systems (staggered corrector); Maly and Petzold (1996), Numerical methods
//! and software for sensitivity analysis of differential-algebraic systems.

mod columns;

use crate::drive::Run;
use crate::error::{Failure, InputError, SolveError};
use crate::method::Method;
use crate::options::{Options, Save};
use crate::pool::Pool;
use crate::problem::{
    Clipped, Derivatives as _, Erased, Fault, Mass, MatrixMut, Problem, Structure,
};
use crate::recorder::Recorder;
use crate::solution::Solution;
use crate::statistics::Statistics;
use crate::stepper::{Attempt, Restart, Start, Stepper};
pub(super) use columns::{
    Direct, Linear, add_mass_columns, largest_ratio, solve_columns, tolerance,
};

use super::reverse::Reverse;
use super::{Bdf, ESDIRK4, ESDIRK5, Esdirk, RODAS4, RODAS5P, Radau, Rosenbrock, Setup, TR_BDF2};

/// The state of a problem that carries columns behind it.
pub(crate) struct Base<'e, 'p>(pub(crate) &'e mut Erased<'p>);

impl Problem for Base<'_, '_> {
    fn dimension(&self) -> usize {
        self.0.own_dimension()
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
}

/// A method that can carry columns through its last accepted step.
pub(crate) trait Carry: for<'e, 'p> Stepper<Base<'e, 'p>> {
    /// What it remembers of the columns, rows of `width` numbers.
    type Columns;

    /// Allocates for `width` numbers.
    fn columns(&self, width: usize) -> Self::Columns;

    /// Takes over the columns `s` where the method stands after a start.
    fn begin_columns(&mut self, columns: &mut Self::Columns, link: &mut Clipped<'_>, s: &[f64]);

    /// Carries the columns through the last accepted step.
    ///
    /// # Errors
    ///
    /// [`Failure::Fatal`] if the matrix of a step is singular.
    fn carry(
        &mut self,
        columns: &mut Self::Columns,
        link: &mut Clipped<'_>,
        statistics: &mut Statistics,
    ) -> Result<(), Failure>;

    /// Makes the interpolant ready.
    fn prepare_columns(&self, columns: &mut Self::Columns) {
        let _ = columns;
    }

    /// The columns at the end of the last step.
    fn end(columns: &Self::Columns) -> &[f64];

    /// The columns at the start of the last step.
    fn begin(columns: &Self::Columns) -> &[f64];

    /// Number `i` of the columns strictly inside of the last step.
    fn column_within(&self, columns: &Self::Columns, i: usize, t: f64) -> f64;

    /// Coefficients of number `i` of the columns.
    fn column_coefficients(&self, columns: &Self::Columns, i: usize, out: &mut [f64]);
}

/// A method and the columns that it carries, as a method for both together.
pub(crate) struct Carried<S: Carry> {
    inner: S,
    columns: S::Columns,
    n: usize,
    state: Vec<f64>,
    statistics: Statistics,
}

impl<S: Carry> Carried<S> {
    pub(crate) fn new(inner: S, n: usize, count: usize) -> Self {
        Self {
            columns: inner.columns(n * count),
            inner,
            n,
            state: vec![0.0; n * (1 + count)],
            statistics: Statistics::default(),
        }
    }

    fn begin(&mut self, problem: &mut Erased<'_>, y: &[f64]) {
        self.state.copy_from_slice(y);
        if let Some(mut link) = problem.derivatives() {
            self.inner
                .begin_columns(&mut self.columns, &mut link, &y[self.n..]);
        }
    }
}

/// The times of a method, whatever it integrates.
macro_rules! base {
    ($self:ident . $name:ident ( $($argument:expr),* )) => {
        Stepper::<Base<'_, '_>>::$name(&$self.inner $(, $argument)*)
    };
}

impl<'p, S: Carry> Stepper<Erased<'p>> for Carried<S> {
    fn start(&mut self, problem: &mut Erased<'p>, start: &Start<'_>) -> Result<(), Failure> {
        let own = Start {
            y: &start.y[..self.n],
            ..*start
        };
        self.inner.start(&mut Base(problem), &own)?;
        self.begin(problem, start.y);
        Ok(())
    }

    fn make_consistent(
        &mut self,
        problem: &mut Erased<'p>,
        t: f64,
        y: &mut [f64],
        first: bool,
    ) -> Result<(), Failure> {
        let (y, s) = y.split_at_mut(self.n);
        self.inner
            .make_consistent(&mut Base(problem), t, y, first)?;
        // After events the columns are consistent already.
        if let Some(mut link) = problem.derivatives().filter(|_| first) {
            link.settle(t, y, s);
        }
        Ok(())
    }

    fn attempt(&mut self, problem: &mut Erased<'p>, limit: f64) -> Result<Attempt, Failure> {
        let attempt = self.inner.attempt(&mut Base(problem), limit)?;
        if attempt == Attempt::Accepted
            && self.state.len() > self.n
            && let Some(mut link) = problem.derivatives()
        {
            let (columns, counts) = (&mut self.columns, &mut self.statistics);
            self.inner.carry(columns, &mut link, counts)?;
            self.state[self.n..].copy_from_slice(S::end(&self.columns));
        }
        if attempt == Attempt::Accepted {
            self.state[..self.n].copy_from_slice(base!(self.state()));
        }
        Ok(attempt)
    }

    fn t_old(&self) -> f64 {
        base!(self.t_old())
    }

    fn t(&self) -> f64 {
        base!(self.t())
    }

    fn length(&self) -> f64 {
        base!(self.length())
    }

    fn state(&self) -> &[f64] {
        &self.state
    }

    fn prepare_dense(&mut self, problem: &mut Erased<'p>) -> Result<(), Failure> {
        self.inner.prepare_dense(&mut Base(problem))?;
        if self.state.len() > self.n {
            self.inner.prepare_columns(&mut self.columns);
        }
        Ok(())
    }

    fn interpolate(&self, t: f64, state: &mut [f64]) {
        let (y, s) = state.split_at_mut(self.n);
        base!(self.interpolate(t, y));
        if t.to_bits() == base!(self.t()).to_bits() {
            s.copy_from_slice(S::end(&self.columns));
        } else if t.to_bits() == base!(self.t_old()).to_bits() {
            s.copy_from_slice(S::begin(&self.columns));
        } else {
            for (i, s) in s.iter_mut().enumerate() {
                *s = self.inner.column_within(&self.columns, i, t);
            }
        }
    }

    fn coefficient_count(&self) -> usize {
        base!(self.coefficient_count())
    }

    fn coefficients(&self, i: usize, out: &mut [f64]) {
        match i.checked_sub(self.n) {
            None => base!(self.coefficients(i, out)),
            Some(i) => self.inner.column_coefficients(&self.columns, i, out),
        }
    }

    fn restart(
        &mut self,
        problem: &mut Erased<'p>,
        t: f64,
        y: &[f64],
        limit: f64,
        restart: Restart,
    ) -> Result<(), Failure> {
        let own = &y[..self.n];
        self.inner
            .restart(&mut Base(problem), t, own, limit, restart)?;
        self.begin(problem, y);
        Ok(())
    }

    fn statistics(&self) -> Statistics {
        let mut all = base!(self.statistics());
        all += self.statistics;
        all
    }
}

/// What is done with the method that the options name.
pub(crate) trait Visitor {
    /// What comes of it.
    type Output;
    /// Uses the method.
    fn visit<S: Reverse>(self, stepper: S) -> Result<Self::Output, SolveError>;
}

/// Makes the implicit method of the options and hands it to `visitor`.
pub(crate) fn with_method<V: Visitor>(
    method: Method,
    setup: &Setup<'_>,
    index: impl Fn(usize) -> u8,
    visitor: V,
) -> Result<V::Output, SolveError> {
    match method {
        Method::Bdf => visitor.visit(Bdf::new(setup)?),
        Method::Radau => visitor.visit(Radau::new(setup, index)?),
        Method::Rodas4 => visitor.visit(Rosenbrock::new(setup, &RODAS4)?),
        Method::Rodas5P => visitor.visit(Rosenbrock::new(setup, &RODAS5P)?),
        Method::TrBdf2 => visitor.visit(Esdirk::new(setup, &TR_BDF2)?),
        Method::Esdirk4 => visitor.visit(Esdirk::new(setup, &ESDIRK4)?),
        Method::Esdirk5 => visitor.visit(Esdirk::new(setup, &ESDIRK5)?),
        method => Err(InputError::MassWithExplicit {
            method: method.name(),
        }
        .into()),
    }
}

/// A run of state and columns.
pub(crate) struct CarriedRun<'r, 'p> {
    pub(crate) problem: Erased<'p>,
    pub(crate) span: (f64, f64),
    /// State and columns at the start.
    pub(crate) start: &'r [f64],
    pub(crate) save: &'r Save,
    pub(crate) options: &'r Options,
}

impl Visitor for CarriedRun<'_, '_> {
    type Output = Solution;

    fn visit<S: Reverse>(self, stepper: S) -> Result<Solution, SolveError> {
        let n = self.problem.own_dimension();
        let count = self.problem.dimension() / n.max(1) - usize::from(n > 0);
        let stepper = Carried::new(stepper, n, count);
        let coefficients = Stepper::<Erased<'_>>::coefficient_count(&stepper);
        let mut recorder = Recorder::new(self.save, self.span, self.start, coefficients);
        let pool = &mut Pool::once();
        let run = Run::new(
            self.problem,
            stepper,
            &mut recorder,
            self.span,
            self.options,
            pool,
        )?;
        run.run(self.start, self.options, pool);
        recorder.finish()
    }
}
