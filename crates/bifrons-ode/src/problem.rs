//! Right-hand sides: one member at a time, or `W` members in lanes.

/// A right-hand side that could not be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Outside the domain: the step is rejected and a smaller one tried.
    Recoverable,
    /// The run is stopped with this message.
    Fatal(&'static str),
}

/// Initial-value problem `y' = f(t, y)`.
pub trait Problem {
    /// Dimension where it is known at compile time, else 0: loops over few components unroll.
    const DIMENSION: usize = 0;

    /// Number `n` of components.
    fn dimension(&self) -> usize;

    /// Writes `f(t, y)` into `dy`; both slices have `n` components.
    ///
    /// A derivative that is NaN or infinite means [`Fault::Recoverable`].
    ///
    /// # Errors
    ///
    /// A [`Fault`] where the derivative does not exist.
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault>;
}

/// A closure `f(t, y, dy)` as a [`Problem`]; made by [`closure`].
#[derive(Debug, Clone)]
pub struct Closure<F, const N: usize = 0> {
    dimension: usize,
    f: F,
}

/// Makes a [`Problem`] of `n` components from a closure that writes the derivative.
pub fn closure<F: FnMut(f64, &[f64], &mut [f64])>(n: usize, f: F) -> Closure<F> {
    Closure { dimension: n, f }
}

impl<F: FnMut(f64, &[f64], &mut [f64]), const N: usize> Closure<F, N> {
    /// Like [`closure`], with a dimension that is known at compile time.
    ///
    /// ```
    /// use bifrons_ode::{Closure, Problem};
    /// let lorenz = Closure::<_, 3>::fixed(|_t, y, dy| {
    ///     dy[0] = 10.0 * (y[1] - y[0]);
    ///     dy[1] = y[0] * (28.0 - y[2]) - y[1];
    ///     dy[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
    /// });
    /// assert_eq!(lorenz.dimension(), 3);
    /// ```
    pub fn fixed(f: F) -> Self {
        Self { dimension: N, f }
    }
}

impl<F: FnMut(f64, &[f64], &mut [f64]), const N: usize> Problem for Closure<F, N> {
    const DIMENSION: usize = N;

    #[inline(always)]
    fn dimension(&self) -> usize {
        self.dimension
    }

    #[inline(always)]
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        (self.f)(t, y, dy);
        Ok(())
    }
}

/// `W` members of one problem, one per lane, each with its own time, state and parameters.
///
/// Keep the order of operations of the scalar code in the lane code, and both give the same bits.
pub trait LaneProblem<const W: usize> {
    /// Dimension where it is known at compile time, else 0: loops over few components unroll.
    const DIMENSION: usize = 0;

    /// Number `n` of components.
    fn dimension(&self) -> usize;

    /// Puts member `member` into lane `lane`: keep its parameters, write its initial state into
    /// `state` (`n` components).
    fn load(&mut self, lane: usize, member: usize, state: &mut [f64]);

    /// Writes the derivative of every lane: `dy[i][lane] = f_i(t[lane], y[..][lane])`.
    ///
    /// Lanes without a member are evaluated, too; what they give is not used.
    fn rhs(&mut self, t: &[f64; W], y: &[[f64; W]], dy: &mut [[f64; W]]);

    /// Writes the derivative of the member in one lane, with the bits of [`LaneProblem::rhs`].
    ///
    /// Called to start or restart a lane only, after its [`LaneProblem::load`] or
    /// [`LaneProblem::restart`] and before any other lane's.
    fn rhs_one(&mut self, lane: usize, t: f64, y: &[f64], dy: &mut [f64]);

    /// The member in a lane goes on from a state that the sink has changed, see
    /// [`Flow::Restart`](crate::Flow::Restart). Default: nothing else has changed.
    fn restart(&mut self, lane: usize, member: usize) {
        let _ = (lane, member);
    }

    /// Says why the derivative of a lane is not finite, where the problem knows more.
    fn fault(&mut self, lane: usize) -> Option<Fault> {
        let _ = lane;
        None
    }
}

/// One [`Problem`] in the only lane of an ensemble.
pub(crate) struct Alone<'a, P> {
    problem: &'a mut P,
    initial: &'a [f64],
    fault: Option<Fault>,
}

impl<'a, P: Problem> Alone<'a, P> {
    pub(crate) fn new(problem: &'a mut P, initial: &'a [f64]) -> Self {
        Self {
            problem,
            initial,
            fault: None,
        }
    }
}

impl<P: Problem> LaneProblem<1> for Alone<'_, P> {
    const DIMENSION: usize = P::DIMENSION;

    #[inline(always)]
    fn dimension(&self) -> usize {
        self.problem.dimension()
    }

    fn load(&mut self, _lane: usize, _member: usize, state: &mut [f64]) {
        state.copy_from_slice(self.initial);
    }

    #[inline(always)]
    fn rhs(&mut self, t: &[f64; 1], y: &[[f64; 1]], dy: &mut [[f64; 1]]) {
        self.rhs_one(0, t[0], y.as_flattened(), dy.as_flattened_mut());
    }

    #[inline(always)]
    fn rhs_one(&mut self, _lane: usize, t: f64, y: &[f64], dy: &mut [f64]) {
        if let Err(fault) = self.problem.rhs(t, y, dy) {
            self.fault = Some(fault);
            dy.fill(f64::NAN);
        }
    }

    fn fault(&mut self, _lane: usize) -> Option<Fault> {
        self.fault.take()
    }
}
