//! `W` members at a time, and one problem as the only member.

use super::{Fault, Problem};
use crate::ensemble::Progress;
use crate::event::{Event, Response, RootRule};

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

    /// Where the member stands that was just loaded, if it goes on from a step of an earlier run:
    /// the state is that of the step then. Default: it starts anew.
    fn progress(&self, lane: usize, member: usize) -> Option<Progress> {
        let _ = (lane, member);
        None
    }

    /// Writes the derivative of every lane: `dy[i][lane] = f_i(t[lane], y[..][lane])`.
    ///
    /// Lanes without a member are evaluated, too; what they give is not used.
    fn rhs(&mut self, t: &[f64; W], y: &[[f64; W]], dy: &mut [[f64; W]]);

    /// Writes the derivative of the member in one lane, with the bits of [`LaneProblem::rhs`].
    ///
    /// Called to start or restart a lane, after its [`LaneProblem::load`] or
    /// [`LaneProblem::restart`] and before any other lane's, and, if there are root functions,
    /// after an event in any lane.
    fn rhs_one(&mut self, lane: usize, t: f64, y: &[f64], dy: &mut [f64]);

    /// Writes the Jacobian of every lane by columns, `out[j n + i][lane] = ∂f_i/∂y_j`, and returns
    /// true; asked for by implicit methods. Default: false, and differences take `n` evaluations.
    ///
    /// Lanes without a member are evaluated, too; what they give is not used.
    fn jacobian(&mut self, t: &[f64; W], y: &[[f64; W]], out: &mut [[f64; W]]) -> bool {
        let _ = (t, y, out);
        false
    }

    /// Number of root functions, the same for all members. Default: none.
    fn root_count(&self) -> usize {
        0
    }

    /// How root function `root` is watched. Default: both directions, never terminal.
    fn root_rule(&self, root: usize) -> RootRule {
        let _ = root;
        RootRule::default()
    }

    /// Writes all root functions of every lane: `g[root][lane]`, see [`Problem::roots`].
    ///
    /// Lanes without a member are evaluated, too; what they give is not used.
    fn roots(&mut self, t: &[f64; W], y: &[[f64; W]], g: &mut [[f64; W]]) {
        let _ = (t, y, g);
    }

    /// Writes the root functions of the member in one lane, with the bits of
    /// [`LaneProblem::roots`].
    fn roots_one(&mut self, lane: usize, t: f64, y: &[f64], g: &mut [f64]) {
        let _ = (lane, t, y, g);
    }

    /// Handles an event of the member in one lane, see [`Problem::event`].
    fn event(&mut self, lane: usize, event: &Event<'_>, y: &mut [f64]) -> Response {
        let _ = (lane, event, y);
        Response::Continue
    }

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
