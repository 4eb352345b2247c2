//! A closure as a problem: the easy door.

use super::{Fault, Problem};

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
