//! Models written once over any scalar.

use bifrons_ode::{Crossing, Event, Model, Response, RootRule, Scalar};

/// `y' = -k y`.
#[derive(Clone)]
pub(crate) struct Decay;

impl Model for Decay {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        dy[0] = -(p[0] * y[0]);
    }
}

/// Lorenz's system with its three parameters.
#[derive(Clone)]
pub(crate) struct Lorenz;

impl Model for Lorenz {
    fn dimension(&self) -> usize {
        3
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        dy[0] = p[0] * (y[1] - y[0]);
        dy[1] = y[0] * (p[1] - y[2]) - y[1];
        dy[2] = y[0] * y[1] - p[2] * y[2];
    }
}

/// A ball on a floor: gravity, restitution.
#[derive(Clone)]
pub(crate) struct Ball;

impl Model for Ball {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        dy[0] = y[1];
        dy[1] = -p[0];
    }
    fn root_count(&self) -> usize {
        1
    }
    fn root_rule(&self, _root: usize) -> RootRule {
        RootRule::new(Crossing::Falling)
    }
    fn roots<S: Scalar>(&self, _t: S, y: &[S], _p: &[S], g: &mut [S]) {
        g[0] = y[0];
    }
    fn event<S: Scalar>(&mut self, _event: &Event<'_>, _t: S, y: &mut [S], p: &[S]) -> Response {
        y[1] = -(p[1] * y[1]);
        Response::Reset
    }
}

/// `y' = -a y` until `y = b`, then `y' = -c y`: a mode of the model.
#[derive(Clone)]
pub(crate) struct Switch {
    pub(crate) after: bool,
}

impl Model for Switch {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        let rate = if self.after { p[2] } else { p[0] };
        dy[0] = -(rate * y[0]);
    }
    fn root_count(&self) -> usize {
        1
    }
    fn roots<S: Scalar>(&self, _t: S, y: &[S], p: &[S], g: &mut [S]) {
        g[0] = y[0] - p[1];
    }
    fn event<S: Scalar>(&mut self, _event: &Event<'_>, _t: S, _y: &mut [S], _p: &[S]) -> Response {
        self.after = true;
        Response::Kink
    }
}

/// `y₁' = -a y₁`, `y₂' = 1`, ends where `y₁ = b`.
#[derive(Clone)]
pub(crate) struct Threshold;

impl Model for Threshold {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        dy[0] = -(p[0] * y[0]);
        dy[1] = S::constant(1.0);
    }
    fn root_count(&self) -> usize {
        1
    }
    fn root_rule(&self, _root: usize) -> RootRule {
        RootRule::new(Crossing::Falling).terminal()
    }
    fn roots<S: Scalar>(&self, _t: S, y: &[S], p: &[S], g: &mut [S]) {
        g[0] = y[0] - p[1];
    }
}
