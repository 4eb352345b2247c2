//! Names of one regime at one age: what they mean, and in which order they can be computed.

use std::collections::{BTreeMap, BTreeSet};

use bifrons_expr::{Condition, Expr, Symbol};

use crate::error::{BuildError, ParameterError};
use crate::formula::{Closure, Formula, Kind};
use crate::parameter::{Leaf, Parameters};
use crate::spelling::nearest;

/// Arguments of a closure at most: they are passed on the stack.
pub(crate) const MOST_ARGUMENTS: usize = 16;

/// How a named quantity is computed.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Expr(Expr),
    Closure(Closure),
}

impl Body {
    /// The names that it reads.
    pub(crate) fn reads(&self) -> BTreeSet<Symbol> {
        match self {
            Self::Expr(expr) => expr.dependencies(),
            Self::Closure(closure) => closure.arguments.iter().cloned().collect(),
        }
    }
}

/// Definitions by name, and the parameters that they read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Definitions {
    bodies: BTreeMap<Symbol, Body>,
    /// Parameters by the symbol that stands for them.
    pub(crate) leaves: BTreeMap<Symbol, Leaf>,
}

/// What a name of a regime can be, apart from a parameter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    /// States, actions, functions, shocks, `next_` states, `age`, `period`.
    pub(crate) known: BTreeSet<Symbol>,
    /// Labels of categorical states and actions.
    pub(crate) labels: BTreeMap<String, Vec<String>>,
}

/// Formulas are resolved here, one after the other; errors are collected.
pub(crate) struct Resolver<'a> {
    pub(crate) regime: &'a str,
    pub(crate) period: usize,
    pub(crate) age: f64,
    pub(crate) names: &'a Names,
    pub(crate) fixed: &'a Parameters,
    pub(crate) definitions: Definitions,
    pub(crate) errors: &'a mut Vec<BuildError>,
}

impl Resolver<'_> {
    /// Defines a symbol by a formula; parameters belong to `owner`.
    pub(crate) fn define(&mut self, symbol: Symbol, owner: &str, formula: &Formula, truth: bool) {
        if let Some(body) = self.body(owner, formula, truth) {
            self.definitions.bodies.insert(symbol, body);
        }
    }

    fn body(&mut self, owner: &str, formula: &Formula, truth: bool) -> Option<Body> {
        let expr = match &formula.0 {
            Kind::Text(text) => self.parse(owner, text, truth)?,
            Kind::Expr(expr) => expr.clone(),
            Kind::Condition(condition) => condition.as_number(),
            Kind::Closure(closure) => {
                let arguments = closure.arguments.iter();
                let arguments = arguments.map(|name| self.meaning(owner, name)).collect();
                return self.closure(owner, closure, arguments);
            }
            Kind::ByAge(of) => return self.body(owner, &of(self.age), truth),
            Kind::ByPeriod(list) => match list.get(self.period) {
                Some(formula) => return self.body(owner, formula, truth),
                None => {
                    self.refuse(
                        "E-FORMULA-PERIOD",
                        owner,
                        format!("there is no formula for period {}", self.period),
                        "give one formula for each period at which the regime exists",
                    );
                    return None;
                }
            },
        };
        let expr = expr.substitute(&mut |symbol| match self.meaning(owner, symbol) {
            Meaning::Name(name) if name == *symbol => None,
            Meaning::Name(name) => Some(Expr::symbol(name)),
            Meaning::Number(value) => Some(Expr::constant(value)),
        });
        Some(Body::Expr(expr))
    }

    /// A closure whose arguments are names; numbers are filled in.
    fn closure(&mut self, owner: &str, closure: &Closure, arguments: Vec<Meaning>) -> Option<Body> {
        let mut names = Vec::new();
        let slots: Vec<Result<usize, f64>> = arguments
            .into_iter()
            .map(|argument| match argument {
                Meaning::Number(value) => Err(value),
                Meaning::Name(name) => {
                    names.push(name);
                    Ok(names.len() - 1)
                }
            })
            .collect();
        if slots.len() > MOST_ARGUMENTS {
            self.refuse(
                "E-FORMULA-ARGUMENTS",
                owner,
                format!("a closure of {} arguments", slots.len()),
                format!("use at most {MOST_ARGUMENTS}"),
            );
            return None;
        }
        if slots.iter().all(Result::is_ok) {
            return Some(Body::Closure(Closure {
                arguments: names,
                body: closure.body.clone(),
            }));
        }
        let inner = closure.body.clone();
        Some(Body::Closure(Closure {
            arguments: names,
            body: std::sync::Arc::new(move |given: &[f64]| {
                let mut all = [0.0; MOST_ARGUMENTS];
                for (value, slot) in all.iter_mut().zip(&slots) {
                    *value = slot.map_or_else(|value| value, |index| given[index]);
                }
                inner(&all[..slots.len()])
            }),
        }))
    }

    fn parse(&mut self, owner: &str, text: &str, truth: bool) -> Option<Expr> {
        let parsed = if truth {
            Condition::parse(text).map(|condition| condition.as_number())
        } else {
            Expr::parse(text)
        };
        parsed
            .map_err(|error| {
                self.refuse(
                    "E-PARSE",
                    owner,
                    format!("`{text}` cannot be read: {error}"),
                    "correct the text",
                );
            })
            .ok()
    }

    /// What a symbol of a formula stands for.
    fn meaning(&mut self, owner: &str, symbol: &Symbol) -> Meaning {
        if self.names.known.contains(symbol) {
            return Meaning::Name(symbol.clone());
        }
        let name = symbol.name();
        if let Some((before, label)) = name.rsplit_once('.')
            && let Some(labels) = self.names.labels.get(before)
        {
            return match labels.iter().position(|known| known == label) {
                Some(code) => Meaning::Number(code as f64),
                None => {
                    let near = nearest(label, labels.iter().map(|label| &**label));
                    self.refuse(
                        "E-NAME-LABEL",
                        owner,
                        format!("`{before}` has no category `{label}`"),
                        format!("use one of {labels:?}{}", hint(near)),
                    );
                    Meaning::Number(f64::NAN)
                }
            };
        }
        if let Some(state) = name.strip_prefix("next_") {
            self.refuse(
                "E-NAME-NEXT",
                owner,
                format!("`{name}` is read, but no law of the regime gives the next `{state}`"),
                "declare a law for the state on the regime",
            );
            return Meaning::Number(f64::NAN);
        }
        self.parameter(owner, name)
    }

    fn parameter(&mut self, owner: &str, name: &str) -> Meaning {
        let leaf = Leaf {
            regime: self.regime.to_owned(),
            function: owner.to_owned(),
            name: name.to_owned(),
        };
        match self.fixed.value_of(&leaf) {
            Ok(Some(value)) => Meaning::Number(value),
            Ok(None) => {
                let symbol = Symbol::new(format!("{owner}:{name}"));
                self.definitions.leaves.insert(symbol.clone(), leaf);
                Meaning::Name(symbol)
            }
            Err(error) => {
                let code = match error {
                    ParameterError::Ambiguous { .. } => "E-PARAM-AMBIGUOUS",
                    _ => "E-PARAM-FIXED",
                };
                self.refuse(code, owner, error.to_string(), "fix it once, finite");
                Meaning::Number(f64::NAN)
            }
        }
    }

    fn refuse(
        &mut self,
        code: &'static str,
        item: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        let error = BuildError::new(code, self.regime, item, message, remedy);
        // Formulas are resolved for each age; the same complaint once is enough.
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }
}

fn hint(near: Option<String>) -> String {
    near.map(|near| format!("; did you mean `{near}`?"))
        .unwrap_or_default()
}

/// What a symbol stands for.
enum Meaning {
    Name(Symbol),
    Number(f64),
}

impl Definitions {
    /// The body of a name, if it is defined here.
    pub(crate) fn get(&self, symbol: &Symbol) -> Option<&Body> {
        self.bodies.get(symbol)
    }

    /// The same definitions with some names defined anew by the body of another.
    pub(crate) fn with_aliases(&self, aliases: &[(Symbol, Symbol)]) -> Self {
        let mut changed = self.clone();
        for (name, source) in aliases {
            if let Some(body) = self.bodies.get(source) {
                changed.bodies.insert(name.clone(), body.clone());
            }
        }
        changed
    }

    /// The same definitions without some names, which become inputs.
    pub(crate) fn without(&self, names: &[Symbol]) -> Self {
        let mut changed = self.clone();
        changed.bodies.retain(|name, _| !names.contains(name));
        changed
    }

    /// The definitions that these names need, operands first.
    ///
    /// # Errors
    ///
    /// Names on a cycle, in order.
    pub(crate) fn needed(
        &self,
        roots: impl IntoIterator<Item = Symbol>,
    ) -> Result<Vec<Symbol>, Vec<Symbol>> {
        let mut order = Vec::new();
        let mut state: BTreeMap<Symbol, bool> = BTreeMap::new();
        let mut stack: Vec<(Symbol, bool)> = roots.into_iter().map(|root| (root, false)).collect();
        stack.reverse();
        while let Some((name, leaving)) = stack.pop() {
            let Some(body) = self.bodies.get(&name) else {
                continue;
            };
            if leaving {
                state.insert(name.clone(), true);
                order.push(name);
                continue;
            }
            match state.get(&name) {
                Some(true) => continue,
                Some(false) => return Err(cycle(&stack, &name)),
                None => {}
            }
            state.insert(name.clone(), false);
            stack.push((name, true));
            for read in body.reads().into_iter().rev() {
                stack.push((read, false));
            }
        }
        Ok(order)
    }

    /// A name is cyclic; the first cycle through any of the names.
    pub(crate) fn any_cycle(&self) -> Option<Vec<Symbol>> {
        self.needed(self.bodies.keys().cloned()).err()
    }

    /// Everything that these names depend on, themselves included: definitions and inputs.
    pub(crate) fn ancestors(&self, roots: impl IntoIterator<Item = Symbol>) -> BTreeSet<Symbol> {
        let mut found = BTreeSet::new();
        let mut stack: Vec<Symbol> = roots.into_iter().collect();
        while let Some(name) = stack.pop() {
            if found.insert(name.clone())
                && let Some(body) = self.bodies.get(&name)
            {
                stack.extend(body.reads());
            }
        }
        found
    }

    /// The expression of a name with all definitions put in, except those of `kept` names and of
    /// closures, which stay as symbols; `None` if the name is a closure itself or unknown.
    pub(crate) fn inlined(&self, name: &Symbol, kept: &BTreeSet<Symbol>) -> Option<Expr> {
        let order = self.needed([name.clone()]).ok()?;
        let mut whole: BTreeMap<Symbol, Expr> = BTreeMap::new();
        for step in order {
            if kept.contains(&step) && step != *name {
                continue;
            }
            if let Some(Body::Expr(expr)) = self.bodies.get(&step) {
                let put = expr.substitute(&mut |symbol| whole.get(symbol).cloned());
                whole.insert(step, put);
            }
        }
        whole.remove(name)
    }

    /// Everything that an expression depends on, `cut` names themselves but nothing behind them.
    pub(crate) fn reaches(&self, expr: &Expr, cut: &BTreeSet<Symbol>) -> BTreeSet<Symbol> {
        let mut found = BTreeSet::new();
        let mut stack: Vec<Symbol> = expr.dependencies().into_iter().collect();
        while let Some(name) = stack.pop() {
            if found.insert(name.clone())
                && !cut.contains(&name)
                && let Some(body) = self.bodies.get(&name)
            {
                stack.extend(body.reads());
            }
        }
        found
    }
}

/// The names between two visits of a name.
fn cycle(stack: &[(Symbol, bool)], name: &Symbol) -> Vec<Symbol> {
    let open: Vec<Symbol> = stack
        .iter()
        .filter(|(_, leaving)| *leaving)
        .map(|(open, _)| open.clone())
        .collect();
    let start = open.iter().position(|open| open == name).unwrap_or(0);
    open[start..].to_vec()
}
