//! Networks in diagrams and diagrams in networks.

use std::collections::BTreeMap;

use bifrons_expr::{Expr, Symbol};
use bifrons_hybrid::{BlockSpec, EquationSystem};

use crate::component::{ComponentSpec, ComponentSpecBuilder};
use crate::error::{BridgeError, ComponentError};
use crate::name::{der, differentiated};
use crate::order::{Order, order_with_symbols};
use crate::range::Range;
use crate::reduced::ReducedModel;
use crate::selection::SelectionPlan;

/// A model as explicit equations.
struct Explicit {
    states: Vec<(String, Expr, Expr)>,
    definitions: Vec<(String, Expr)>,
    outputs: Vec<(String, Expr)>,
}

impl ReducedModel {
    /// The model as a system of equations in causal order, with these variables as outputs beside
    /// the exported ones.
    ///
    /// Compiled, it runs, sweeps and plans like any other system; names keep their paths. Linear
    /// blocks of up to three iterated unknowns are solved symbolically.
    ///
    /// # Errors
    ///
    /// [`BridgeError`] if the model has inputs, switches or events, needs iterations, or if no
    /// choice of states holds everywhere: such a model runs by [`ReducedModel::simulation`].
    pub fn to_equations(&self, outputs: &[&str]) -> Result<EquationSystem, BridgeError> {
        if let Some(input) = self.inputs.first() {
            return Err(BridgeError::Input {
                input: input.name().to_owned(),
            });
        }
        let explicit = self.explicit(outputs, &|name| name.to_owned())?;
        let mut builder = EquationSystem::builder(self.name.clone());
        for parameter in &self.parameters {
            builder = builder.parameter(parameter.symbol.name(), parameter.default);
        }
        for (name, derivative, start) in explicit.states {
            builder = builder.state(name, derivative, start);
        }
        for (name, expression) in explicit.definitions {
            builder = builder.definition(name, expression);
        }
        for (name, expression) in explicit.outputs {
            builder = builder.output(name, expression);
        }
        Ok(builder.build()?)
    }

    /// The model as a block of a diagram: exported input signals are its inputs, exported signals
    /// and these variables its outputs.
    ///
    /// A block has no paths: dots become underscores, `motor.i` is `motor_i`.
    ///
    /// # Errors
    ///
    /// As [`to_equations`](Self::to_equations), but inputs are allowed.
    pub fn to_block(&self, outputs: &[&str]) -> Result<BlockSpec, BridgeError> {
        let explicit = self.explicit(outputs, &|name| name.replace('.', "_"))?;
        let mut builder = BlockSpec::builder(self.name.clone());
        for input in &self.inputs {
            builder = builder.input(input.name());
        }
        for parameter in &self.parameters {
            let name = parameter.symbol.name().replace('.', "_");
            builder = builder.parameter(name, parameter.default);
        }
        let taken = |name: &String, list: &[(String, Expr)]| list.iter().any(|(n, _)| n == name);
        for (name, derivative, start) in &explicit.states {
            builder = builder.state(name, derivative.clone(), start.clone());
        }
        for (name, expression) in &explicit.definitions {
            if taken(name, &explicit.outputs) {
                continue;
            }
            builder = builder.definition(name, expression.clone());
        }
        for (name, expression) in &explicit.outputs {
            // An output that is a definition takes its place; one that is a state gets a name.
            let own = explicit.definitions.iter().find(|(n, _)| n == name);
            let is_state = explicit.states.iter().any(|(n, _, _)| n == name);
            builder = match own {
                Some((_, definition)) => builder.output(name, definition.clone()),
                None if is_state => builder.output(format!("{name}_out"), expression.clone()),
                None => builder.output(name, expression.clone()),
            };
        }
        Ok(builder.build()?)
    }

    fn explicit(
        &self,
        outputs: &[&str],
        rename: &dyn Fn(&str) -> String,
    ) -> Result<Explicit, BridgeError> {
        let switches = self.switches.iter().map(|s| s.symbol.name().to_owned());
        let events = self.events.iter().map(|e| e.name.to_string());
        let discrete: Vec<String> = switches.chain(events).collect();
        if !discrete.is_empty() {
            return Err(BridgeError::Discrete { names: discrete });
        }
        let order = self.fixed_order()?;
        let starts = self.state_starts(&order)?;
        let rename = |name: &str| {
            let (mut base, mut suffix) = (name, String::new());
            while let Some(inner) = differentiated(base) {
                base = inner;
                suffix.push_str("_der");
            }
            rename(&[base, &suffix].concat())
        };
        let symbols = |expression: &Expr| {
            expression.substitute(&mut |symbol| {
                let name = rename(symbol.name());
                (name != symbol.name()).then(|| Expr::symbol(name))
            })
        };
        let name = |unknown: usize| rename(self.unknowns[unknown].symbol.name());
        let states = order.states.iter().zip(starts).map(|(&state, start)| {
            let derivative = name(self.unknowns[state].derivative);
            (name(state), Expr::symbol(derivative), symbols(&start))
        });
        let definitions = order.definitions.iter();
        let definitions = definitions.map(|(unknown, value)| (name(*unknown), symbols(value)));
        let exported = self
            .outputs
            .iter()
            .map(|(name, of)| (name.name(), of.name()));
        let wanted = exported.chain(outputs.iter().map(|name| (*name, *name)));
        let outputs = wanted.map(|(name, of)| {
            let value = self
                .expression(of)
                .ok_or_else(|| BridgeError::UnknownName {
                    name: of.to_owned(),
                })?;
            Ok((rename(name), symbols(&value)))
        });
        Ok(Explicit {
            states: states.collect(),
            definitions: definitions.collect(),
            outputs: outputs.collect::<Result<_, BridgeError>>()?,
        })
    }

    /// An order without iterations for states that never change.
    fn fixed_order(&self) -> Result<Order, BridgeError> {
        let plan = SelectionPlan::new(self)?;
        if !(plan.is_trivial() || plan.is_fixed) {
            return Err(BridgeError::Selection);
        }
        let mut workspace = plan.workspace();
        let parameters: Vec<f64> = self.parameters.iter().map(|p| p.default).collect();
        plan.set_parameters(&mut workspace, &parameters);
        let values = vec![1.0; self.unknowns.len()];
        let states = plan.choose(&mut workspace, 0.0, &values);
        let states = states.ok_or(BridgeError::Selection)?;
        let order = order_with_symbols(self, states).map_err(|_| BridgeError::Selection)?;
        if order.tears.is_empty() {
            return Ok(order);
        }
        Err(BridgeError::Iterations {
            equations: order.residuals.iter().map(|e| self.describe(*e)).collect(),
        })
    }

    /// Start of each state from the conditions; every hard condition must be about a state.
    fn state_starts(&self, order: &Order) -> Result<Vec<Expr>, BridgeError> {
        let numbers: BTreeMap<&Symbol, usize> = order
            .states
            .iter()
            .enumerate()
            .map(|(position, state)| (&self.unknowns[*state].symbol, position))
            .collect();
        let mut starts = vec![(false, Expr::constant(0.0)); order.states.len()];
        for start in &self.starts {
            let symbols = start.quantity.dependencies();
            let single = match (symbols.len(), symbols.first()) {
                (1, Some(symbol)) => numbers.get(symbol).zip(start.quantity.affine_in(symbol)),
                _ => None,
            };
            match single {
                Some((&position, affine)) if start.fixed || !starts[position].0 => {
                    let value = (&start.value - affine.offset) / affine.slope;
                    starts[position] = (start.fixed, value);
                }
                None if start.fixed => {
                    return Err(BridgeError::Start {
                        quantity: crate::name::plain(&start.quantity),
                    });
                }
                _ => {}
            }
        }
        Ok(starts.into_iter().map(|(_, start)| start).collect())
    }
}

impl ComponentSpec {
    /// A diagram or any other system of equations as a component with signals: inputs of the
    /// system are input signals, and every state, definition and output can be connected.
    ///
    /// Dots of paths become underscores. An output that is called like another quantity is found
    /// under the name of that quantity.
    ///
    /// # Errors
    ///
    /// [`ComponentError`] for a name that is taken after dots have been replaced.
    pub fn from_system(system: &EquationSystem) -> Result<Self, ComponentError> {
        let flat = |symbol: &Symbol| symbol.name().replace('.', "_");
        let rename = |expression: &Expr| {
            expression.substitute(&mut |symbol| {
                symbol
                    .name()
                    .contains('.')
                    .then(|| Expr::symbol(flat(symbol)))
            })
        };
        let mut spec: ComponentSpecBuilder = Self::builder(system.name());
        let mut names = std::collections::BTreeSet::new();
        for input in system.inputs() {
            names.insert(flat(input));
            spec = spec.input(flat(input));
        }
        for parameter in system.parameters() {
            names.insert(flat(&parameter.symbol));
            spec = spec.parameter(flat(&parameter.symbol), parameter.default, Range::ANY);
        }
        for state in system.states() {
            let name = flat(&state.symbol);
            spec = spec
                .variable(&name)
                .equation(der(&name), rename(&state.derivative))
                .fixed(Expr::symbol(&*name), rename(&state.start));
            names.insert(name);
        }
        for definition in system.definitions() {
            let name = flat(&definition.symbol);
            spec = spec
                .variable(&name)
                .equation(Expr::symbol(&*name), rename(&definition.expression));
            names.insert(name);
        }
        for own in system.loops() {
            for (unknown, residual) in own.variables.iter().zip(&own.residuals) {
                let name = flat(unknown);
                spec = spec.variable(&name).equation(rename(residual), 0.0);
                names.insert(name);
            }
        }
        for output in system.outputs() {
            let name = flat(&output.name);
            if names.insert(name.clone()) {
                spec = spec
                    .variable(&name)
                    .equation(Expr::symbol(&*name), rename(&output.expression));
            }
        }
        spec.build()
    }
}
