//! Stiff models and systems with algebraic equations.

use bifrons_ode::{Crossing, Event, Mass, Model, Response, RootRule, Scalar};

/// `x'' = -w² x`, first component the position.
#[derive(Clone)]
pub(crate) struct Oscillator;

impl Model for Oscillator {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        dy[0] = y[1];
        dy[1] = -(p[0] * p[0] * y[0]);
    }
}

/// `y' = -l (y - cos(w t)) `, which depends on time: the slow solution of a stiff equation.
#[derive(Clone)]
pub(crate) struct Forced;

impl Model for Forced {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs<S: Scalar>(&self, t: S, y: &[S], p: &[S], dy: &mut [S]) {
        dy[0] = -(p[0] * (y[0] - (p[1] * t).cos()));
    }
}

/// Robertson's kinetics; with `conserved` the last equation is the sum of all.
#[derive(Clone)]
pub(crate) struct Robertson {
    pub(crate) conserved: bool,
}

impl Model for Robertson {
    fn dimension(&self) -> usize {
        3
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        let (slow, fast, back) = (p[0] * y[0], p[1] * y[1] * y[1], p[2] * y[1] * y[2]);
        dy[0] = back - slow;
        dy[1] = slow - back - fast;
        dy[2] = if self.conserved {
            y[0] + y[1] + y[2] - 1.0
        } else {
            fast
        };
    }
    fn mass(&self) -> Mass {
        if self.conserved {
            Mass::Diagonal(vec![1.0, 1.0, 0.0])
        } else {
            Mass::Identity
        }
    }
}

/// `y' = -k z`, `0 = z - y²`: `y = y₀ / (1 + k y₀ t)`. At `z = c` falling, `y` becomes `r y`.
#[derive(Clone)]
pub(crate) struct Square {
    pub(crate) watched: bool,
}

impl Model for Square {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        dy[0] = -(p[0] * y[1]);
        dy[1] = y[1] - y[0] * y[0];
    }
    fn mass(&self) -> Mass {
        Mass::Diagonal(vec![1.0, 0.0])
    }
    fn root_count(&self) -> usize {
        usize::from(self.watched)
    }
    fn root_rule(&self, _root: usize) -> RootRule {
        RootRule::new(Crossing::Falling)
    }
    fn roots<S: Scalar>(&self, _t: S, y: &[S], p: &[S], g: &mut [S]) {
        g[0] = y[1] - p[1];
    }
    fn event<S: Scalar>(&mut self, _event: &Event<'_>, _t: S, y: &mut [S], p: &[S]) -> Response {
        y[0] = p[2] * y[0];
        Response::Reset
    }
}

/// `y₁' - y₂' = -k y₁`, `y₂' - y₁' = 1 - y₂`: no row is empty, the sum is algebraic.
#[derive(Clone)]
pub(crate) struct Floating;

impl Model for Floating {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        dy[0] = -(p[0] * y[0]);
        dy[1] = -y[1] + 1.0;
    }
    fn mass(&self) -> Mass {
        let structure = bifrons_ode::Structure::Dense;
        Mass::Matrix(structure, vec![1.0, -1.0, -1.0, 1.0])
    }
}

/// Pendulum with the constraint on accelerations (index 1) or on positions (index 3).
#[derive(Clone)]
pub(crate) struct Pendulum {
    pub(crate) index: u8,
}

impl Model for Pendulum {
    fn dimension(&self) -> usize {
        5
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        dy[0] = y[2];
        dy[1] = y[3];
        dy[2] = -(y[4] * y[0]);
        dy[3] = -(y[4] * y[1]) - p[0];
        dy[4] = if self.index == 1 {
            y[2] * y[2] + y[3] * y[3] - y[4] * (y[0] * y[0] + y[1] * y[1]) - p[0] * y[1]
        } else {
            y[0] * y[0] + y[1] * y[1] - 1.0
        };
    }
    fn mass(&self) -> Mass {
        Mass::Diagonal(vec![1.0, 1.0, 1.0, 1.0, 0.0])
    }
    fn index(&self, component: usize) -> u8 {
        match (self.index, component) {
            (1, _) | (_, 0 | 1) => 1,
            (_, 2 | 3) => 2,
            _ => 3,
        }
    }
}
