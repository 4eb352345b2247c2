//! Systems that carry the derivatives of their states by parameters along.

mod carried;
mod implicit;

use bifrons_expr::{Expr, Symbol};

use crate::equations::{
    ContinuousState, DiscreteState, EquationSystem, Meaning, Output, Update, base_name, pre_symbol,
};
use crate::error::{EquationError, SensitivityError, UnknownName};
use crate::event::Trigger;
use crate::name::{TIME, nearest};

impl EquationSystem {
    /// The system with the derivatives of all states and outputs by some parameters.
    ///
    /// ```text
    /// S = ∂x/∂p         dS/dtime = f_x S + f_p          S(t0) = ∂s/∂p
    /// ∂y/∂p = h_x S + h_p
    /// ```
    ///
    /// At a crossing of a guard `g` the time of the event moves with the parameter, and at every
    /// instant the updates `x⁺ = r(x⁻)` are differentiated as well (saltation):
    ///
    /// ```text
    /// τ  = -(g_x S⁻ + g_p) / (g_x f⁻ + g_t)         0 at instants of clocks
    /// S⁺ = r_x (S⁻ + f⁻ τ) + r_p + r_t τ - f⁺ τ
    /// ```
    ///
    /// The result is a system like any other: it runs, sweeps on lanes and is recorded as usual.
    /// Its states and outputs are those of this system, followed for each parameter `p` by
    /// `d(x)/d(p)` and `d(y)/d(p)`; steps are chosen for all of them. A row at the very instant
    /// of an event is a derivative at fixed time, just after it.
    ///
    /// The unknowns `z` of loops that are solved by iteration follow by the implicit function
    /// theorem; their derivatives are unknowns of further, linear loops `d(z)/d(p)`:
    ///
    /// ```text
    /// r_z ∂z/∂p + r_x S + r_p = 0
    /// ```
    ///
    /// A guard that fires because another update at the same instant has carried it through zero
    /// moves with that instant: `τ` is that of the trigger that came first. Where this may happen
    /// the system gets the discrete state `event(time)`, the time of the last update.
    ///
    /// **Accuracy.** The derivatives are exact, integrated with the tolerance of the run. At a
    /// kink they are those of the branch that owns the point; a jump of a right-hand side that no
    /// guard announces is not seen. A guard must cross with a nonzero rate, and two that cross at
    /// the same time have a derivative on each side only.
    ///
    /// Cost: one state for each state and parameter; expressions of definitions are inserted.
    ///
    /// # Errors
    ///
    /// [`SensitivityError::UnknownName`] for a name that is no parameter,
    /// [`SensitivityError::Loop`] for a system with a loop that is solved by iteration and reads
    /// a sample that is taken when a guard fires, [`SensitivityError::Slides`] for a system with
    /// the policy [`Slide`](crate::Slide).
    ///
    /// # References
    ///
    /// R. Serban, J. S. Freeman (2001), *Identification and identifiability of unknown parameters
    /// in multibody dynamic systems*, Multibody System Dynamics 5, 335–350;
    /// I. A. Hiskens, M. A. Pai (2000), *Trajectory sensitivity analysis of hybrid systems*, IEEE
    /// Transactions on Circuits and Systems I 47(2), 204–220,
    /// <https://doi.org/10.1109/81.828574>.
    ///
    /// # Examples
    ///
    /// ```
    /// use bifrons_expr::Expr;
    /// use bifrons_hybrid::EquationSystem;
    ///
    /// let s = |name: &str| Expr::symbol(name);
    /// let decay = EquationSystem::builder("decay")
    ///     .parameter("rate", 1.5)
    ///     .state("x", -(s("rate") * s("x")), 1.0)
    ///     .output("x", s("x"))
    ///     .build()?;
    /// let both = decay.with_sensitivities(&["rate"])?;
    /// assert_eq!(both.states()[1].symbol.name(), "d(x)/d(rate)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_sensitivities(&self, parameters: &[&str]) -> Result<Self, SensitivityError> {
        if let Some(guard) = self.parts().slides.first() {
            return Err(SensitivityError::Slides {
                system: self.name().to_owned(),
                guard: guard.clone(),
            });
        }
        let residuals = implicit::residuals(self);
        implicit::check(self, &residuals)?;
        let carried = carried::carried(self, &residuals);
        let other = |error| SensitivityError::Equations(Box::new(error));
        let base = carried::remembering(self, &carried).map_err(other)?;
        let mut parts = base.parts().clone();
        let slopes: Vec<Expr> = base.states().iter().map(|s| s.derivative.clone()).collect();
        for name in parameters {
            if !matches!(
                self.meaning(&Symbol::new(name)),
                Some(Meaning::Parameter(_))
            ) {
                let known = self.parameters().iter().map(|p| p.symbol.name());
                return Err(SensitivityError::UnknownName(UnknownName {
                    what: "parameter",
                    name: (*name).to_owned(),
                    owner: self.name().to_owned(),
                    nearest: nearest(name, known).map(str::to_owned),
                }));
            }
            let tangent = Tangent {
                system: &base,
                parameter: Symbol::new(name),
                slopes: base.inserted(slopes.clone()),
                samples: base.sample_marks(),
                residuals: residuals.clone(),
                carried: carried.clone(),
            };
            if parts.loops.len() == base.loops().len() {
                parts.loops.extend(tangent.loops_at_guards());
            }
            parts.loops.extend(tangent.loops());
            parts.states.extend(tangent.states());
            parts.discretes.extend(tangent.discretes());
            parts.updates.extend(tangent.updates());
            parts.outputs.extend(tangent.outputs());
        }
        Self::from_parts(parts).map_err(|error| match error {
            EquationError::Name { name, .. } => SensitivityError::Twice { name },
            other => SensitivityError::Equations(Box::new(other)),
        })
    }
}

/// The derivative of a quantity by a parameter, as a name.
fn derivative_name(quantity: &Symbol, parameter: &Symbol) -> Symbol {
    Symbol::from(format!("d({})/d({})", quantity.name(), parameter.name()))
}

/// Everything differentiated by one parameter.
struct Tangent<'s> {
    system: &'s EquationSystem,
    parameter: Symbol,
    /// Right-hand sides with definitions inserted.
    slopes: Vec<Expr>,
    samples: Vec<bool>,
    /// Of the loops, with definitions inserted.
    residuals: Vec<Vec<Expr>>,
    /// Per guard: whether an update may carry it through zero.
    carried: Vec<bool>,
}

impl Tangent<'_> {
    fn name(&self, quantity: &Symbol) -> Symbol {
        derivative_name(quantity, &self.parameter)
    }

    /// The change of an expression with the parameter, where time moves by `delay` with it.
    fn change(&self, expression: &Expr, delay: Option<&Expr>) -> Expr {
        let mut sum = Expr::constant(0.0);
        for symbol in expression.dependencies() {
            let slope = expression.derivative(&symbol);
            if slope.as_constant() == Some(0.0) {
                continue;
            }
            let base = Symbol::new(base_name(symbol.name()));
            let is_before = base != symbol;
            let change = match self.system.meaning(&base) {
                Some(Meaning::Parameter(_)) if base == self.parameter => Expr::constant(1.0),
                Some(Meaning::State(index)) => {
                    let own = Expr::symbol(self.name(&base));
                    match delay {
                        Some(delay) => own + self.before(&self.slopes[index]) * delay,
                        None => own,
                    }
                }
                Some(Meaning::Unknown { .. }) => {
                    let own = Expr::symbol(self.name(&base));
                    match delay {
                        Some(delay) => own + Expr::symbol(implicit::rate_name(&base)) * delay,
                        None => own,
                    }
                }
                Some(Meaning::Discrete(_)) => {
                    let own = self.name(&base);
                    Expr::symbol(if is_before { pre_symbol(&own) } else { own })
                }
                Some(Meaning::Time) => match delay {
                    Some(delay) => delay.clone(),
                    None => continue,
                },
                _ => continue,
            };
            sum += slope * change;
        }
        sum
    }

    /// An expression as it was just before the instant: samples are not fresh.
    fn before(&self, expression: &Expr) -> Expr {
        expression.substitute(&mut |symbol| match self.system.meaning(symbol) {
            Some(Meaning::Discrete(index)) if self.samples[index] => {
                Some(Expr::symbol(pre_symbol(symbol)))
            }
            _ => None,
        })
    }

    fn start(&self, start: &Expr) -> Expr {
        let inserted = self.system.inserted(vec![start.clone()]);
        self.change(&inserted[0], None)
    }

    fn states(&self) -> Vec<ContinuousState> {
        let states = self.system.states().iter().zip(&self.slopes);
        let tangent = |(state, slope): (&ContinuousState, &Expr)| ContinuousState {
            symbol: self.name(&state.symbol),
            derivative: self.change(slope, None),
            start: self.start(&state.start),
        };
        states.map(tangent).collect()
    }

    fn discretes(&self) -> Vec<DiscreteState> {
        let tangent = |discrete: &DiscreteState| DiscreteState {
            symbol: self.name(&discrete.symbol),
            start: self.start(&discrete.start),
        };
        self.system.discretes().iter().map(tangent).collect()
    }

    fn outputs(&self) -> Vec<Output> {
        let roots = self.system.outputs().iter();
        let roots = self
            .system
            .inserted(roots.map(|output| output.expression.clone()).collect());
        let outputs = self.system.outputs().iter().zip(&roots);
        let tangent = |(output, root): (&Output, &Expr)| Output {
            name: self.name(&output.name),
            expression: self.change(root, None),
        };
        outputs.map(tangent).collect()
    }

    /// How the time of an event moves with the parameter.
    fn delay(&self, guard: usize) -> Expr {
        let expression = self.system.guards()[guard].expression.clone();
        let expression = self.before(&self.system.inserted(vec![expression])[0]);
        let own = -self.change(&expression, None) / self.rate(&expression);
        if !self.carried[guard] {
            return own;
        }
        let last = Symbol::new(carried::LAST);
        let is_same = Expr::symbol(&last).eq(Expr::symbol(TIME));
        Expr::select(is_same, Expr::symbol(self.name(&last)), own)
    }

    /// The updates of one trigger, with definitions inserted.
    fn updates_of(&self, trigger: Trigger) -> Vec<Update> {
        let own = self
            .system
            .updates()
            .iter()
            .filter(|u| u.trigger == trigger);
        let own: Vec<Update> = own.cloned().collect();
        let roots = own.iter().map(|update| update.expression.clone());
        let inserted = self.system.inserted(roots.collect());
        own.into_iter()
            .zip(inserted)
            .map(|(update, expression)| Update {
                expression,
                ..update
            })
            .collect()
    }

    fn updates(&self) -> Vec<Update> {
        let mut updates = Vec::new();
        for clock in 0..self.system.clocks().len() {
            for update in self.updates_of(Trigger::Clock(clock)) {
                updates.push(Update {
                    target: self.name(&update.target),
                    expression: self.change(&update.expression, None),
                    ..update
                });
            }
        }
        for guard in 0..self.system.guards().len() {
            self.saltation(guard, &mut updates);
        }
        updates
    }

    /// What the crossing of a guard does to the derivatives of all states.
    fn saltation(&self, guard: usize, updates: &mut Vec<Update>) {
        let trigger = Trigger::Guard(guard);
        let own = self.updates_of(trigger);
        if own.is_empty() {
            return;
        }
        let delay = self.delay(guard);
        // Lower than any of a model, and different for each guard.
        let order = i32::MIN.saturating_add(i32::try_from(guard).unwrap_or(i32::MAX));
        let after = implicit::after(&own);
        for update in own.iter().filter(|update| self.is_discrete(&update.target)) {
            updates.push(Update {
                target: self.name(&update.target),
                expression: self.change(&update.expression, Some(&delay)),
                ..update.clone()
            });
        }
        for (index, state) in self.system.states().iter().enumerate() {
            let slope = self.moved(guard, &self.slopes[index], &after);
            let value = Expr::symbol(&state.symbol);
            let value = after.get(&state.symbol).unwrap_or(&value);
            let update = own.iter().filter(|update| update.target == state.symbol);
            let priority = update.map(|update| update.priority).max();
            updates.push(Update {
                trigger,
                target: self.name(&state.symbol),
                expression: self.change(value, Some(&delay)) - slope * &delay,
                priority: priority.unwrap_or(order),
                sample: false,
            });
        }
    }

    fn is_discrete(&self, symbol: &Symbol) -> bool {
        matches!(self.system.meaning(symbol), Some(Meaning::Discrete(_)))
    }
}
