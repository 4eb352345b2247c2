//! Friction, play and other nonlinearities of mechanisms and converters.

use bifrons_expr::Expr;
use bifrons_hybrid::{Block, BlockError, BlockSpec, Component, Direction, Guard};

use crate::check::{finite, refuse, symbol};
use crate::rate::Rate;

/// Steps of equal height.
///
/// ```text
/// y = interval · ⌊u / interval + 1/2⌋
/// ```
///
/// Input `u`; output `y`; parameter `interval`. Half way the upper step is taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantizer {
    interval: f64,
}

impl Quantizer {
    /// Steps of this height, positive and finite.
    #[must_use]
    pub fn new(interval: f64) -> Self {
        Self { interval }
    }
}

impl Block for Quantizer {
    fn into_component(self) -> Result<Component, BlockError> {
        let interval = positive("Quantizer", "interval", self.interval)?;
        let q = symbol("interval");
        let y = &q * (symbol("u") / &q + 0.5).floor();
        let block = BlockSpec::builder("Quantizer").input("u");
        Ok(block
            .parameter("interval", interval)
            .output("y", y)
            .build()?
            .into())
    }
}

/// A bound on the slope of a signal, with a lag.
///
/// ```text
/// dx/dtime = min(max((u - x) / lag, -fall), rise)      x(t0) = initial      y = x
/// ```
///
/// Input `u`; output `y`, without feedthrough; state `x`; parameters `rise`, `fall`, `lag`, `initial`.
/// Slower inputs are followed with a delay of `lag`; a bound without lag would need the slope of
/// the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimiter {
    rise: f64,
    fall: f64,
    lag: f64,
    initial: f64,
}

impl RateLimiter {
    /// Largest rise and fall per unit of time and the lag, all positive; starts at 0.
    #[must_use]
    pub fn new(rise: f64, fall: f64, lag: f64) -> Self {
        Self {
            rise,
            fall,
            lag,
            initial: 0.0,
        }
    }

    /// Sets the output at the start.
    #[must_use]
    pub fn initial(mut self, initial: f64) -> Self {
        self.initial = initial;
        self
    }
}

impl Block for RateLimiter {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "RateLimiter";
        let pull = (symbol("u") - symbol("x")) / symbol("lag");
        let slope = pull.clamp(-symbol("fall"), symbol("rise"));
        Ok(BlockSpec::builder(KIND)
            .input("u")
            .parameter("rise", positive(KIND, "rise", self.rise)?)
            .parameter("fall", positive(KIND, "fall", self.fall)?)
            .parameter("lag", positive(KIND, "lag", self.lag)?)
            .parameter("initial", finite(KIND, "initial", self.initial)?)
            .state("x", slope, symbol("initial"))
            .output("y", symbol("x"))
            .build()?
            .into())
    }
}

/// Play between two parts, sampled.
///
/// ```text
/// y[k] = min(max(y[k-1], u[k] - width/2), u[k] + width/2)      y[-1] = initial
/// ```
///
/// Input `u`; output `y`, held between ticks; parameters `width`, `initial`. Exact at the ticks for
/// an input that is monotone between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Backlash {
    rate: Rate,
    width: f64,
    initial: f64,
}

impl Backlash {
    /// Play of this width, not negative, from 0.
    #[must_use]
    pub fn new(rate: Rate, width: f64) -> Self {
        Self {
            rate,
            width,
            initial: 0.0,
        }
    }

    /// Sets the output before the first tick.
    #[must_use]
    pub fn initial(mut self, initial: f64) -> Self {
        self.initial = initial;
        self
    }
}

impl Block for Backlash {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Backlash";
        if self.width.is_nan() || self.width < 0.0 {
            return Err(refuse(KIND, "width", self.width, "must not be negative"));
        }
        let (u, half) = (symbol("u"), 0.5 * symbol("width"));
        let y = symbol("pre(held)").clamp(&u - &half, &u + &half);
        Ok(BlockSpec::builder(KIND)
            .clock(self.rate.clock(KIND)?)
            .input("u")
            .parameter("width", finite(KIND, "width", self.width)?)
            .parameter("initial", finite(KIND, "initial", self.initial)?)
            .sample("held", "tick", y, symbol("initial"))
            .output("y", symbol("held"))
            .build()?
            .into())
    }
}

/// Dry friction with sticking, viscous friction and the Stribeck effect.
///
/// ```text
/// sliding (mode m = ±1):  y = -m (coulomb + (static - coulomb) exp(-(v/stribeck)²)) - viscous v
/// sticking (mode 0):      y = -f
/// slides → sticks         when v reaches 0 and |f| <= static
/// sticks → slides         when f rises through static (m = 1) or falls through -static (m = -1)
/// ```
///
/// Inputs `v` (velocity) and `f` (the other forces); outputs `y` (force of the friction) and `mode`;
/// parameters `coulomb`, `static`, `viscous`, `stribeck`, `initial` (mode at the start: -1, 0 or 1).
/// The changes of mode are events. While it sticks the forces cancel exactly, and what is left of
/// the velocity is the width of the located crossing, a few units in the last place of the time
/// times the acceleration.
///
/// Armstrong-Hélouvry, B., Dupont, P., Canudas de Wit, C. (1994): A survey of models, analysis
/// tools and compensation methods for the control of machines with friction. Automatica 30,
/// 1083–1138.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Friction {
    coulomb: f64,
    breakaway: f64,
    viscous: f64,
    stribeck: f64,
    mode: f64,
}

impl Friction {
    /// Coulomb friction of this size, not negative; sticks at the start.
    #[must_use]
    pub fn coulomb(force: f64) -> Self {
        Self {
            coulomb: force,
            breakaway: force,
            viscous: 0.0,
            stribeck: 1.0,
            mode: 0.0,
        }
    }

    /// Sets the friction per velocity.
    #[must_use]
    pub fn viscous(mut self, coefficient: f64) -> Self {
        self.viscous = coefficient;
        self
    }

    /// Sets the force that breaks it away, not less than Coulomb's, and the velocity at which the
    /// difference has fallen to `1/e`.
    #[must_use]
    pub fn stribeck(mut self, breakaway: f64, velocity: f64) -> Self {
        (self.breakaway, self.stribeck) = (breakaway, velocity);
        self
    }

    /// Slides at the start, in the positive direction if `velocity` is positive, else in the
    /// negative one; sticks if it is 0.
    #[must_use]
    pub fn starting_at(mut self, velocity: f64) -> Self {
        self.mode = if velocity > 0.0 {
            1.0
        } else if velocity < 0.0 {
            -1.0
        } else {
            0.0
        };
        self
    }
}

impl Block for Friction {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Friction";
        if self.coulomb.is_nan() || self.coulomb < 0.0 {
            let requirement = "must not be negative";
            return Err(refuse(KIND, "coulomb", self.coulomb, requirement));
        }
        if self.breakaway.is_nan() || self.breakaway < self.coulomb {
            let requirement = "must not be less than `coulomb`";
            return Err(refuse(KIND, "static", self.breakaway, requirement));
        }
        let (v, f, m) = (symbol("v"), symbol("f"), symbol("m"));
        let (coulomb, limit) = (symbol("coulomb"), symbol("static"));
        let bell = (-(&v / symbol("stribeck")).powi(2)).exp();
        let dry = &coulomb + (&limit - &coulomb) * bell;
        let sliding = -(&m * dry) - symbol("viscous") * &v;
        let sticks = m.abs().lt(0.5);
        let stopped = Expr::select(f.abs().le(&limit), 0.0, f.sign());
        let next = Expr::select(sticks.clone(), &m, stopped);
        let broken = |mode: f64| Expr::select(sticks.clone(), mode, &m);
        Ok(BlockSpec::builder(KIND)
            .input("v")
            .input("f")
            .parameter("coulomb", finite(KIND, "coulomb", self.coulomb)?)
            .parameter("static", finite(KIND, "static", self.breakaway)?)
            .parameter("viscous", finite(KIND, "viscous", self.viscous)?)
            .parameter("stribeck", positive(KIND, "stribeck", self.stribeck)?)
            .parameter("initial", self.mode)
            .discrete("m", symbol("initial"))
            .guard(Guard::new("stops", Direction::Either), v)
            .guard(Guard::new("breaks_up", Direction::Rising), &f - &limit)
            .guard(Guard::new("breaks_down", Direction::Falling), &f + &limit)
            .update("stops", "m", next)
            .update_with_priority("breaks_up", "m", broken(1.0), 1)
            .update_with_priority("breaks_down", "m", broken(-1.0), 2)
            .output("y", Expr::select(sticks.clone(), -&f, sliding))
            .output("mode", m)
            .build()?
            .into())
    }
}

pub(crate) fn positive(kind: &str, setting: &str, value: f64) -> Result<f64, BlockError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(refuse(kind, setting, value, "must be positive and finite"))
}
