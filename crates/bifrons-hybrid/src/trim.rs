//! Operating points: values at which chosen derivatives vanish and outputs have chosen values.

mod search;

use std::collections::BTreeMap;

use bifrons_expr::{Expr, Jacobian, Symbol};

use crate::equations::{EquationSystem, Meaning};
use crate::error::{TrimError, UnknownName};
use crate::name::{TIME, nearest};
use search::{Search, Verdict};

/// The search for an operating point; made by [`EquationSystem::trim`].
///
/// ```text
/// 0 = f_i(t, x, u, p) - w_i for each state     0 = h_k(t, x, u, p) - y_k for each chosen output
/// ```
///
/// Unknown are all states that are not fixed, and the inputs and parameters that are free.
/// Discrete states keep the values that they start with, unless fixed at others.
#[derive(Debug, Clone)]
#[must_use]
pub struct Trim<'s> {
    system: &'s EquationSystem,
    time: f64,
    fixed: Vec<(String, f64)>,
    free: Vec<(String, f64)>,
    outputs: Vec<(String, f64)>,
    derivatives: Vec<(String, Option<f64>)>,
}

/// A point that a [`Trim`] found, and how well it fits.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OperatingPoint {
    /// Time, states, inputs, discrete states and parameters by name.
    pub values: BTreeMap<String, f64>,
    /// Outputs by name.
    pub outputs: BTreeMap<String, f64>,
    /// Conditions, as `der(x)` or the name of an output, with what is left of each.
    pub residuals: Vec<(String, f64)>,
    /// Evaluations of the conditions and their derivatives.
    pub evaluations: u32,
    /// Steps that were plain ones of Newton's method.
    pub newton_steps: u32,
    /// Steps that were damped by Levenberg and Marquardt's method.
    pub damped_steps: u32,
}

impl OperatingPoint {
    /// Values in the form that [`EquationSystem::linearise`] takes.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, f64)> {
        self.values.iter().map(|(name, value)| (&**name, *value))
    }

    /// The condition that fits worst.
    #[must_use]
    pub fn worst(&self) -> Option<(&str, f64)> {
        let residuals = self.residuals.iter();
        let worst = residuals.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        worst.map(|(name, residual)| (&**name, *residual))
    }
}

impl EquationSystem {
    /// Starts the search for an operating point at which all derivatives vanish.
    ///
    /// # Examples
    ///
    /// ```
    /// use bifrons_expr::Expr;
    /// use bifrons_hybrid::EquationSystem;
    ///
    /// // A pendulum with a torque `m`, held at 0.5 rad.
    /// let s = |name: &str| Expr::symbol(name);
    /// let pendulum = EquationSystem::builder("pendulum")
    ///     .parameter("m", 0.0)
    ///     .state("q", s("w"), 0.0)
    ///     .state("w", s("m") - 9.81 * s("q").sin(), 0.0)
    ///     .output("q", s("q"))
    ///     .build()?;
    /// let point = pendulum.trim().free("m", 0.0).output("q", 0.5).solve()?;
    /// assert!((point.values["m"] - 9.81 * 0.5_f64.sin()).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trim(&self) -> Trim<'_> {
        Trim {
            system: self,
            time: 0.0,
            fixed: Vec::new(),
            free: Vec::new(),
            outputs: Vec::new(),
            derivatives: Vec::new(),
        }
    }
}

impl Trim<'_> {
    /// The time at which the system is looked at. Default: 0.
    pub fn at(mut self, time: f64) -> Self {
        self.time = time;
        self
    }

    /// Holds a state, input, discrete state or parameter at a value. Inputs are otherwise at 0,
    /// parameters at their defaults.
    pub fn fix(mut self, name: impl Into<String>, value: f64) -> Self {
        self.fixed.push((name.into(), value));
        self
    }

    /// Frees an input or parameter, or says where the search begins for a state. States begin at
    /// their start values otherwise.
    pub fn free(mut self, name: impl Into<String>, guess: f64) -> Self {
        self.free.push((name.into(), guess));
        self
    }

    /// Asks for the value of an output.
    pub fn output(mut self, name: impl Into<String>, value: f64) -> Self {
        self.outputs.push((name.into(), value));
        self
    }

    /// Asks for another derivative of a state than 0.
    pub fn derivative(mut self, state: impl Into<String>, value: f64) -> Self {
        self.derivatives.push((state.into(), Some(value)));
        self
    }

    /// Does not ask for the derivative of a state, such as a position in steady motion.
    pub fn unsteady(mut self, state: impl Into<String>) -> Self {
        self.derivatives.push((state.into(), None));
        self
    }

    /// Searches: by Newton's method where there are as many unknowns as conditions and it works,
    /// else by Levenberg and Marquardt's. With more unknowns than conditions the point is one
    /// near the beginning; with fewer they must be consistent.
    ///
    /// **Accuracy.** Every residual is at most `1e-10` of the sum of the sizes of its terms, and
    /// the search goes on until it does not get smaller any more.
    ///
    /// Cost: per step the conditions, their derivatives, and a dense factorisation.
    ///
    /// # Errors
    ///
    /// [`TrimError::UnknownName`]; [`TrimError::NotFinite`] at the beginning;
    /// [`TrimError::NoConvergence`] with the best point and the condition that fits worst.
    ///
    /// # References
    ///
    /// J. J. Moré (1978), *The Levenberg-Marquardt algorithm: implementation and theory*, in
    /// Numerical Analysis, Lecture Notes in Mathematics 630, 105–116,
    /// <https://doi.org/10.1007/BFb0067700>.
    pub fn solve(self) -> Result<OperatingPoint, TrimError> {
        let mut point = self.point()?;
        let unknowns = self.unknowns(&mut point)?;
        let (names, conditions) = self.conditions()?;
        let (mut variables, mut residuals) = (unknowns, self.system.inlined(conditions));
        let mut names = names;
        for own in self.system.loops() {
            // Unknowns of loops are unknown here as well.
            variables.extend(own.variables.iter().cloned());
            residuals.extend(self.system.inlined(own.residuals.clone()));
            names.extend(own.variables.iter().map(|z| format!("loop of {z}")));
            for (z, guess) in own.variables.iter().zip(&own.guesses) {
                let guess = guess.evaluate(&mut |symbol| point.get(symbol).copied());
                point.insert(z.clone(), guess.unwrap_or(0.0));
            }
        }
        let jacobian = Jacobian::new(&residuals, &variables);
        let mut search = Search::new(variables.len(), residuals.len());
        search.start(
            variables
                .iter()
                .map(|v| point.get(v).copied().unwrap_or(0.0)),
        );
        let verdict = loop {
            for (variable, value) in variables.iter().zip(search.trial()) {
                point.insert(variable.clone(), *value);
            }
            let read = |expression: &Expr| {
                let value = expression.evaluate(&mut |symbol| point.get(symbol).copied());
                value.unwrap_or(f64::NAN)
            };
            let values: Vec<f64> = residuals.iter().map(read).collect();
            let entries = jacobian.entries().iter().map(read);
            let entries = jacobian.pattern().entries().zip(entries);
            if let Some(verdict) = search.observe(&values, entries) {
                break verdict;
            }
        };
        for (variable, value) in variables.iter().zip(search.best()) {
            point.insert(variable.clone(), *value);
        }
        self.report(&point, names, &search, verdict)
    }

    fn report(
        &self,
        point: &BTreeMap<Symbol, f64>,
        names: Vec<String>,
        search: &Search,
        verdict: Verdict,
    ) -> Result<OperatingPoint, TrimError> {
        let system = self.system;
        let outputs = system.outputs().iter().map(|o| o.expression.clone());
        let outputs = system.inlined(outputs.collect());
        let outputs = system.outputs().iter().zip(&outputs).map(|(output, root)| {
            let value = root.evaluate(&mut |symbol| point.get(symbol).copied());
            (output.name.name().to_owned(), value.unwrap_or(f64::NAN))
        });
        let found = OperatingPoint {
            values: point
                .iter()
                .map(|(symbol, value)| (symbol.name().to_owned(), *value))
                .filter(|(name, _)| {
                    let meaning = system.meaning(&Symbol::new(name));
                    !matches!(meaning, Some(Meaning::Unknown { .. }))
                })
                .collect(),
            outputs: outputs.collect(),
            residuals: names
                .into_iter()
                .zip(search.residuals().iter().copied())
                .collect(),
            evaluations: search.evaluations,
            newton_steps: search.newton_steps,
            damped_steps: search.damped_steps,
        };
        if verdict == Verdict::Found {
            return Ok(found);
        }
        let (condition, residual) = found.worst().unwrap_or(("nothing", f64::NAN));
        let (system, condition) = (system.name().to_owned(), condition.to_owned());
        if verdict == Verdict::NotFinite {
            return Err(TrimError::NotFinite { system });
        }
        Err(TrimError::NoConvergence {
            system,
            condition,
            residual,
            best: Box::new(found),
        })
    }

    /// Values of everything at the beginning, with what is fixed.
    fn point(&self) -> Result<BTreeMap<Symbol, f64>, TrimError> {
        let system = self.system;
        let mut point: BTreeMap<Symbol, f64> = system
            .parameters()
            .iter()
            .map(|parameter| (parameter.symbol.clone(), parameter.default))
            .collect();
        point.extend(system.inputs().iter().map(|input| (input.clone(), 0.0)));
        point.insert(Symbol::new(TIME), self.time);
        for (name, value) in &self.fixed {
            point.insert(self.find(name)?, *value);
        }
        for (name, value) in &self.free {
            point.insert(self.find(name)?, *value);
        }
        let states = system.states().iter().map(|s| (&s.symbol, &s.start));
        let discretes = system.discretes().iter().map(|d| (&d.symbol, &d.start));
        let all: Vec<(&Symbol, &Expr)> = states.chain(discretes).collect();
        let starts = system.inlined(all.iter().map(|(_, start)| (*start).clone()).collect());
        for ((symbol, _), start) in all.iter().zip(&starts) {
            if !point.contains_key(*symbol) {
                let value = start.evaluate(&mut |symbol| point.get(symbol).copied());
                point.insert((*symbol).clone(), value.unwrap_or(0.0));
            }
        }
        Ok(point)
    }

    fn find(&self, name: &str) -> Result<Symbol, TrimError> {
        let symbol = Symbol::new(name);
        match self.system.meaning(&symbol) {
            Some(
                Meaning::State(_) | Meaning::Input | Meaning::Parameter(_) | Meaning::Discrete(_),
            ) => Ok(symbol),
            _ => {
                let system = self.system;
                let states = system.states().iter().map(|s| s.symbol.name());
                let inputs = system.inputs().iter().map(Symbol::name);
                let parameters = system.parameters().iter().map(|p| p.symbol.name());
                let known = states.chain(inputs).chain(parameters);
                Err(self.unknown("state, input or parameter", name, known))
            }
        }
    }

    fn unknown<'n>(
        &self,
        what: &'static str,
        name: &str,
        known: impl Iterator<Item = &'n str>,
    ) -> TrimError {
        TrimError::UnknownName(UnknownName {
            what,
            name: name.to_owned(),
            owner: self.system.name().to_owned(),
            nearest: nearest(name, known).map(str::to_owned),
        })
    }

    /// States that are not fixed, then what is free.
    fn unknowns(&self, point: &mut BTreeMap<Symbol, f64>) -> Result<Vec<Symbol>, TrimError> {
        let fixed = |symbol: &Symbol| self.fixed.iter().any(|(name, _)| name == symbol.name());
        let states = self.system.states().iter().map(|s| s.symbol.clone());
        let mut unknowns: Vec<Symbol> = states.filter(|symbol| !fixed(symbol)).collect();
        for (name, guess) in &self.free {
            let symbol = self.find(name)?;
            if fixed(&symbol) {
                return Err(TrimError::FixedAndFree { name: name.clone() });
            }
            if !unknowns.contains(&symbol) {
                unknowns.push(symbol.clone());
            }
            point.insert(symbol, *guess);
        }
        Ok(unknowns)
    }

    /// Names and residuals of the conditions.
    fn conditions(&self) -> Result<(Vec<String>, Vec<Expr>), TrimError> {
        let system = self.system;
        let (mut names, mut residuals) = (Vec::new(), Vec::new());
        for (name, _) in &self.derivatives {
            if !matches!(system.meaning(&Symbol::new(name)), Some(Meaning::State(_))) {
                let known = system.states().iter().map(|s| s.symbol.name());
                return Err(self.unknown("state", name, known));
            }
        }
        for state in system.states() {
            let mut own = self.derivatives.iter().rev();
            let own = own.find(|(name, _)| name == state.symbol.name());
            let wanted = own.map_or(Some(0.0), |(_, wanted)| *wanted);
            if let Some(wanted) = wanted {
                names.push(format!("der({})", state.symbol));
                residuals.push(&state.derivative - wanted);
            }
        }
        for (name, wanted) in &self.outputs {
            let Some(output) = system.outputs().iter().find(|o| o.name.name() == name) else {
                let known = system.outputs().iter().map(|o| o.name.name());
                return Err(self.unknown("output", name, known));
            };
            names.push(name.clone());
            residuals.push(&output.expression - *wanted);
        }
        Ok((names, residuals))
    }
}
