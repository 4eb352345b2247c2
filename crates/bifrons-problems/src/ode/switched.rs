//! Right-hand sides and states that jump, with known times.

use core::f64::consts::SQRT_2;

use bifrons_ode::{Crossing, Event, Fault, Problem, Response, RootRule};

use super::Known;

/// A ball that falls from height 10 and keeps 80 % of its speed at each bounce; the bounces
/// accumulate at [`BouncingBall::ACCUMULATION`].
#[derive(Debug, Clone, Copy, Default)]
pub struct BouncingBall;

impl BouncingBall {
    /// Acceleration of gravity.
    pub const GRAVITY: f64 = 9.81;
    /// Part of the speed that is kept.
    pub const RESTITUTION: f64 = 0.8;
    /// Height and speed at time zero.
    pub const INITIAL: [f64; 2] = [10.0, 0.0];
    /// When the bounces accumulate.
    pub const ACCUMULATION: f64 = 12.850_588_106_343_58;

    /// Times of the first bounces, and the speeds after them.
    #[must_use]
    pub fn bounces() -> (Vec<f64>, Vec<f64>) {
        let known = Known::parse(include_str!("../../data/ode/bouncing_ball.txt"));
        (known.events, known.rebounds)
    }
}

impl Problem for BouncingBall {
    const DIMENSION: usize = 2;

    fn dimension(&self) -> usize {
        2
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        dy[0] = y[1];
        dy[1] = -Self::GRAVITY;
        Ok(())
    }

    fn root_count(&self) -> usize {
        1
    }

    fn root_rule(&self, _root: usize) -> RootRule {
        RootRule::new(Crossing::Falling)
    }

    fn roots(&mut self, _t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        g[0] = y[0];
        Ok(())
    }

    fn event(&mut self, _event: &Event<'_>, y: &mut [f64]) -> Response {
        y[1] *= -Self::RESTITUTION;
        Response::Reset
    }
}

/// `x' = v`, `v' = -sign(x)` from (1, 0): the force switches where `x` passes zero; period
/// `4 √2`.
#[derive(Debug, Clone, Copy)]
pub struct BangBang {
    sign: f64,
}

impl Default for BangBang {
    fn default() -> Self {
        Self { sign: 1.0 }
    }
}

impl BangBang {
    /// The period.
    pub const PERIOD: f64 = 4.0 * SQRT_2;
    /// State at time zero.
    pub const INITIAL: [f64; 2] = [1.0, 0.0];

    /// Times at which the force switches, and states between them.
    #[must_use]
    pub fn known() -> Known {
        Known::parse(include_str!("../../data/ode/bang_bang.txt"))
    }
}

impl Problem for BangBang {
    const DIMENSION: usize = 2;

    fn dimension(&self) -> usize {
        2
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        dy[0] = y[1];
        dy[1] = -self.sign;
        Ok(())
    }

    fn root_count(&self) -> usize {
        1
    }

    fn roots(&mut self, _t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        g[0] = y[0];
        Ok(())
    }

    fn event(&mut self, _event: &Event<'_>, y: &mut [f64]) -> Response {
        self.sign = y[1].signum();
        Response::Kink
    }
}

/// `y' = -y + u` from 1 with `u = 5` for `1 ≤ t < 2` and zero otherwise: declare the stops 1 and 2.
#[derive(Debug, Clone, Copy, Default)]
pub struct TimeSwitch {
    input: f64,
}

impl TimeSwitch {
    /// Times at which the input jumps.
    pub const STOPS: [f64; 2] = [1.0, 2.0];
    /// State at time zero.
    pub const INITIAL: [f64; 1] = [1.0];

    /// States at the stops and at time 3.
    #[must_use]
    pub fn known() -> Known {
        Known::parse(include_str!("../../data/ode/time_switch.txt"))
    }
}

impl Problem for TimeSwitch {
    const DIMENSION: usize = 1;

    fn dimension(&self) -> usize {
        1
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        dy[0] = self.input - y[0];
        Ok(())
    }

    fn event(&mut self, event: &Event<'_>, _y: &mut [f64]) -> Response {
        match event.stop {
            Some(0) => self.input = 5.0,
            Some(_) => self.input = 0.0,
            None => return Response::Continue,
        }
        Response::Reset
    }
}
