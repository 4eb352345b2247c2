//! Systems that slide along the surfaces on which their right-hand sides jump.

mod blend;
mod check;

use bifrons_expr::{Condition, Expr, Symbol};

use crate::equations::{
    Definition, DiscreteState, EquationSystem, GuardEquation, Parameter, Parts, Update,
};
use crate::error::{EquationError, SlideError};
use crate::event::{Direction, Guard, Trigger};
use crate::range::ParameterRange;
use blend::Blend;
use check::Surface;

/// The policy `Slide` of a guard: where both sides push towards its surface, the solution goes on
/// along it.
///
/// The guard watches `g(time, x, p)`, and a discrete state, the *side*, tells the equations which
/// of two right-hand sides holds: 1 where `g > 0`, -1 where `g < 0`. See
/// [`EquationSystem::with_sliding`].
#[derive(Debug, Clone, PartialEq)]
pub struct Slide {
    pub(crate) guard: String,
    pub(crate) side: String,
    pub(crate) pull: f64,
}

impl Slide {
    /// Slides along the surface of `guard`, whose side is the discrete state `side`.
    pub fn new(guard: impl Into<String>, side: impl Into<String>) -> Self {
        Self {
            guard: guard.into(),
            side: side.into(),
            pull: 0.0,
        }
    }

    /// Draws the solution back to the surface at this rate, one over time, not negative:
    /// `dg/dtime = -pull · g` while it slides. Default: 0.
    ///
    /// Explicit steps keep a `g` that is linear in the states where it was, up to rounding, those
    /// of an implicit method up to the noise of its Jacobian. A curved surface is left by the error
    /// of each step; a pull of a few times the rates of the model bounds the sum of these.
    #[must_use]
    pub fn pull(mut self, rate: f64) -> Self {
        self.pull = rate;
        self
    }
}

impl EquationSystem {
    /// The system with the policy [`Slide`] for some of its guards.
    ///
    /// ```text
    /// f⁺, f⁻   right-hand sides for side 1 and -1       r± = g_x f± + g_t
    /// side 0:  dx/dtime = a f⁺ + (1 - a) f⁻             a = (r⁻ + pull g) / (r⁻ - r⁺)
    /// enters   where g reaches 0 and r⁻ > 0 > r⁺        leaves where r⁺ reaches 0 (side 1)
    /// crosses  where g reaches 0 else                          or r⁻ reaches 0 (side -1)
    /// ```
    ///
    /// While it slides every quantity that depends on the side, outputs and other guards included,
    /// is the same blend of its two values; for one that is affine in the side this is its value
    /// for the equivalent control `2 a - 1`. The updates of the guard are replaced; it may have
    /// updated nothing but the side. The side at the start is that of `g`, whatever was declared.
    ///
    /// The result is a system like any other: it runs, sweeps on lanes, is recorded and paused as
    /// usual. Of a guard `s` it has the parameter `s.pull`, the discrete state `s.offset` (what a
    /// crossing or an exit has left of `g`) and these guards, whose firings tell what happened:
    ///
    /// | guard | fires |
    /// |-------|-------|
    /// | `s` | where sliding begins |
    /// | `s.leaves` | where it ends |
    /// | `s.rises`, `s.falls` | where `g` reaches 0 from below, from above |
    /// | `s.begins` | once at the start |
    ///
    /// **Accuracy.** Rates are derivatives of expressions; entry and exit are located like any
    /// guard. Where both rates point away from the surface the solution is not unique; one that
    /// comes there crosses. Derivatives by parameters do not follow these events:
    /// [`EquationSystem::with_sensitivities`] refuses the system.
    ///
    /// Cost: equations that depend on a side are written for each side.
    ///
    /// # Errors
    ///
    /// [`SlideError`] for unknown names, a guard that does not depend on states, or on more than
    /// states, parameters and time, whose states are reset at an instant, that ends the run, is
    /// observed or has a direction; for a side that others write or that takes part in an
    /// algebraic loop; and for surfaces of which one changes the rate of another.
    ///
    /// # References
    ///
    /// A. F. Filippov (1988), *Differential Equations with Discontinuous Righthand Sides*, Kluwer;
    /// P. T. Piiroinen, Y. A. Kuznetsov (2008), *An event-driven method to simulate Filippov
    /// systems with accurate computing of sliding motions*, ACM Transactions on Mathematical
    /// Software 34(3), <https://doi.org/10.1145/1356052.1356054>.
    ///
    /// # Examples
    ///
    /// ```
    /// use bifrons_expr::Expr;
    /// use bifrons_hybrid::{Direction, EquationSystem, Guard, Slide};
    ///
    /// let s = |name: &str| Expr::symbol(name);
    /// let system = EquationSystem::builder("friction")
    ///     .state("v", 0.5 - s("side"), 1.0)
    ///     .discrete("side", 1.0)
    ///     .guard(Guard::new("stops", Direction::Either), s("v"))
    ///     .build()?;
    /// let sliding = system.with_sliding(&[Slide::new("stops", "side")])?;
    /// assert_eq!(&*sliding.guards()[1].guard.name, "stops.rises");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_sliding(&self, slides: &[Slide]) -> Result<Self, SlideError> {
        let surfaces = check::surfaces(self, slides)?;
        let mut parts = self.parts().clone();
        for surface in &surfaces {
            let own = |guard| matches!(guard, Trigger::Guard(index) if index == surface.guard);
            parts.updates.retain(|update| !own(update.trigger));
        }
        let mut system = Self::from_parts(parts).map_err(other)?;
        for surface in &surfaces {
            let parts = surface.slide(&system);
            system = Self::from_parts(parts).map_err(|error| match error {
                EquationError::Name { name, .. } => SlideError::Taken { name },
                error => other(error),
            })?;
        }
        Ok(system)
    }
}

fn other(error: EquationError) -> SlideError {
    SlideError::Equations(Box::new(error))
}

impl Surface {
    /// A name of this surface.
    fn name(&self, what: &str) -> Symbol {
        Symbol::from(format!("{}.{what}", self.slide.guard))
    }

    fn symbol(&self, what: &str) -> Expr {
        Expr::symbol(self.name(what))
    }

    /// The equations of the system that slides along this surface.
    fn slide(&self, system: &EquationSystem) -> Parts {
        let blend = Blend::new(system, &self.side, self.symbol("share"));
        let mut parts = system.parts().clone();
        parts.definitions = blend.unchanged();
        parts.definitions.extend(blend.sides());
        parts.definitions.extend(self.rates(system, &blend));
        parts.definitions.extend(blend.blended());
        for state in &mut parts.states {
            state.derivative = blend.of(&state.derivative);
        }
        for output in &mut parts.outputs {
            output.expression = blend.of(&output.expression);
        }
        for guard in &mut parts.guards {
            guard.expression = blend.of(&guard.expression);
        }
        for update in &mut parts.updates {
            update.expression = blend.of(&update.expression);
        }
        parts.parameters.push(Parameter {
            symbol: self.name("pull"),
            default: self.slide.pull,
            range: ParameterRange::new(0.0, f64::MAX),
        });
        for what in ["offset", "begun"] {
            parts.discretes.push(DiscreteState {
                symbol: self.name(what),
                start: Expr::constant(0.0),
            });
        }
        self.guards(&mut parts);
        parts.slides.push(self.slide.guard.clone());
        parts
    }

    /// The rates of the guard on both sides, and the share of the upper one.
    fn rates(&self, system: &EquationSystem, blend: &Blend<'_>) -> [Definition; 3] {
        let rate = |above: bool| {
            let mut sum = self.by_time.clone();
            for (state, slope) in &self.slopes {
                let derivative = &system.states()[*state].derivative;
                sum += slope * blend.on_side(derivative, above);
            }
            sum
        };
        let (above, below) = (self.symbol("rate_above"), self.symbol("rate_below"));
        let pulled = &below + self.symbol("pull") * &self.value;
        let define = |what, expression| Definition {
            symbol: self.name(what),
            expression,
        };
        [
            define("rate_above", rate(true)),
            define("rate_below", rate(false)),
            define("share", pulled / (&below - &above)),
        ]
    }

    /// What is watched, and which side it brings.
    fn watched(&self) -> [(GuardEquation, Expr); 4] {
        let side = Expr::symbol(&self.side);
        let (up, down) = (side.gt(0.5), side.lt(-0.5));
        let (above, below) = (self.symbol("rate_above"), self.symbol("rate_below"));
        let attracts = below.gt(0.0).and(&above.lt(0.0));
        let enter = |next: Expr| Expr::select(attracts.clone(), 0.0, next);
        let sign = |is_up: Condition| Expr::select(is_up, 1.0, -1.0);
        let freed = sign(above.ge(-&below));
        let watch = |what: &str, when: &Condition, value: Expr| GuardEquation {
            guard: Guard::new(self.name(what).name(), Direction::Rising),
            expression: Expr::select(when.clone(), value, f64::INFINITY),
        };
        let rest = &self.value - self.symbol("offset");
        let is_new = self.symbol("begun").lt(0.5);
        let mut begins = watch("begins", &is_new, Expr::constant(1.0));
        begins.guard = begins.guard.initially_below();
        let slides = self.slides();
        let kept = Expr::select(slides.clone(), &freed, &side);
        let down_or_kept = Expr::select(above.lt(0.0), -1.0, kept);
        let on_surface = enter(Expr::select(below.gt(0.0), 1.0, down_or_kept));
        let not_above = Expr::select(self.value.lt(0.0), -1.0, on_surface);
        let at_start = Expr::select(self.value.gt(0.0), 1.0, not_above);
        let leaving = above.max(-&below);
        let rises = watch("rises", &down, rest.clone());
        let falls = watch("falls", &up, -rest);
        [
            (rises, enter(sign(above.ge(0.0)))),
            (falls, enter(sign(below.gt(0.0)))),
            (watch("leaves", &slides, leaving), freed),
            (begins, at_start),
        ]
    }

    /// Where it slides.
    fn slides(&self) -> Condition {
        let side = Expr::symbol(&self.side);
        side.gt(0.5).or(&side.lt(-0.5)).not()
    }

    /// What is watched, and what it does.
    fn guards(&self, parts: &mut Parts) {
        let begun = self.symbol("begun").gt(0.5);
        // It shows that sliding has begun, and does nothing.
        parts.guards[self.guard] = GuardEquation {
            guard: Guard::new(&*self.slide.guard, Direction::Rising).initially_below(),
            expression: Expr::select(self.slides().and(&begun), 1.0, f64::INFINITY),
        };
        for (priority, (guard, next)) in (0..).zip(self.watched()) {
            let trigger = Trigger::Guard(parts.guards.len());
            parts.guards.push(guard);
            // What is left of `g` on the wrong side of zero.
            let (low, high) = (self.value.min(0.0), self.value.max(0.0));
            let offset = Expr::select(next.lt(-0.5), high, 0.0);
            let offset = Expr::select(next.gt(0.5), low, offset);
            let writes = [
                (self.side.clone(), next),
                (self.name("offset"), offset),
                (self.name("begun"), Expr::constant(1.0)),
            ];
            parts
                .updates
                .extend(writes.map(|(target, expression)| Update {
                    trigger,
                    target,
                    expression,
                    priority,
                    sample: false,
                }));
        }
    }
}
