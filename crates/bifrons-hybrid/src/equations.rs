//! A system of named equations, the common form of diagrams and hand-written models.

mod builder;
mod display;
mod instant;
mod rates;
mod table;

use std::collections::BTreeSet;
use std::sync::Arc;

use bifrons_expr::{Expr, Symbol, SymbolCursor};

pub use builder::EquationSystemBuilder;
pub use instant::{DiscreteState, GuardEquation, Update};
pub(crate) use instant::{InstantNode, base_name, instant_order, pre_symbol};
pub use rates::RateTransition;
pub(crate) use table::{Meaning, SymbolTable};

use crate::error::{EquationError, UnknownName};
use crate::event::{Clock, Trigger};
use crate::name::nearest;
use crate::range::ParameterRange;

/// A parameter: a number that may differ from run to run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name, with the path of the block that it belongs to: `plant.gain.k`.
    pub symbol: Symbol,
    /// The value that it has unless a run says otherwise.
    pub default: f64,
    /// The values that a run may give it.
    pub range: ParameterRange,
}

/// A state that follows a differential equation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ContinuousState {
    /// Its name, with the path of the block that it belongs to.
    pub symbol: Symbol,
    /// Its derivative with respect to `time`.
    pub derivative: Expr,
    /// Its value at the start, over parameters and the start `time`.
    pub start: Expr,
}

/// A quantity that is computed from others.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Definition {
    /// Its name, with the path of the block that it belongs to.
    pub symbol: Symbol,
    /// What it equals, over `time`, states, parameters, inputs and earlier definitions.
    pub expression: Expr,
}

/// A quantity that a run can record.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Output {
    /// The name under which it is recorded; outputs have a namespace of their own.
    pub name: Symbol,
    /// What it equals.
    pub expression: Expr,
}

/// Named equations in causal order.
///
/// ```text
/// v_j        := g_j(time, x, u, p, v_1 … v_(j-1))     definitions
/// dx_i/dtime  = f_i(time, x, u, p, v)                 states
/// x_i(t0)     = s_i(t0, p, v)                         starts
/// y_k         = h_k(time, x, u, p, v)                 outputs
/// ```
///
/// Hybrid systems have discrete states `d` that all of these may read, clocks, guards
/// `g(time, x, u, p, v, d)`, and updates of `x` and `d` at instants of clocks and crossings of
/// guards, see [`Update`].
///
/// Made by [`Diagram::flatten`](crate::Diagram::flatten) or written by hand with
/// [`EquationSystem::builder`]. Every quantity keeps its path. `Display` prints the equations.
///
/// # Examples
///
/// ```
/// use bifrons_expr::{Expr, Symbol};
/// use bifrons_hybrid::EquationSystem;
///
/// let s = |name: &str| Expr::symbol(Symbol::new(name));
/// let decay = EquationSystem::builder("decay")
///     .parameter("rate", 1.5)
///     .state("x", -(s("rate") * s("x")), 1.0)
///     .output("x", s("x"))
///     .build()?;
/// assert_eq!(decay.states()[0].symbol.name(), "x");
/// # Ok::<(), bifrons_hybrid::EquationError>(())
/// ```
#[derive(Debug, Clone)]
pub struct EquationSystem {
    parts: Parts,
    table: SymbolTable,
    /// Definitions and samples in the order in which they are evaluated at an instant; empty
    /// without samples, where it is that of the definitions.
    instant: Vec<InstantNode>,
}

#[derive(Debug, Clone)]
pub(crate) struct Parts {
    pub(crate) name: Arc<str>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) inputs: Vec<Symbol>,
    pub(crate) states: Vec<ContinuousState>,
    /// In causal order.
    pub(crate) definitions: Vec<Definition>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) discretes: Vec<DiscreteState>,
    pub(crate) clocks: Vec<Clock>,
    pub(crate) guards: Vec<GuardEquation>,
    pub(crate) updates: Vec<Update>,
    /// In causal order.
    pub(crate) loops: Vec<LoopEquations>,
    /// Guards along whose surfaces the system slides.
    pub(crate) slides: Vec<String>,
}

/// An algebraic loop that is solved by iteration wherever its unknowns are needed.
///
/// ```text
/// 0 = r_i(z, …)       z = z_0 at the start of each iteration
/// ```
///
/// Residuals read the unknowns `z` and what comes before them; the guess `z_0` reads parameters,
/// states, discrete states, inputs and `time`. The iteration always begins at the guess, so the
/// solution is a function of the point and not of what was solved before.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoopEquations {
    /// The unknowns, by their paths.
    pub variables: Vec<Symbol>,
    /// What must vanish, one per unknown.
    pub residuals: Vec<Expr>,
    /// Where the iteration begins, one per unknown.
    pub guesses: Vec<Expr>,
}

impl LoopEquations {
    /// Names of the unknowns, joined by commas.
    pub(crate) fn names(&self) -> String {
        let names: Vec<&str> = self.variables.iter().map(Symbol::name).collect();
        names.join(", ")
    }

    /// Every symbol of the residuals and guesses.
    fn dependencies(&self) -> BTreeSet<Symbol> {
        let all = self.residuals.iter().chain(&self.guesses);
        all.flat_map(Expr::dependencies).collect()
    }
}

/// Marks of the definitions and parameters that some expressions need.
pub(crate) struct Needed {
    pub(crate) definitions: Vec<bool>,
    pub(crate) parameters: Vec<bool>,
    pub(crate) discretes: Vec<bool>,
    pub(crate) unknowns: Vec<bool>,
    pub(crate) time: bool,
}

impl EquationSystem {
    /// Starts a system that is written by hand.
    pub fn builder(name: impl Into<Arc<str>>) -> EquationSystemBuilder {
        EquationSystemBuilder::new(name.into())
    }

    /// Takes parts whose names are valid and whose definitions are in order.
    pub(crate) fn from_parts(parts: Parts) -> Result<Self, EquationError> {
        let table = SymbolTable::of(&parts).map_err(|(name, problem)| EquationError::Name {
            system: parts.name.to_string(),
            name: name.name().to_owned(),
            problem,
        })?;
        let instant = instant_order(&parts, &table)?;
        instant::check_rivals(&parts)?;
        let system = Self {
            parts,
            table,
            instant,
        };
        system.check_starts()?;
        Ok(system)
    }

    /// Everything, to make another system of it.
    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Name of the system.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// Parameters, in order of declaration.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parts.parameters
    }

    /// Inputs of the whole system that have no value.
    #[must_use]
    pub fn inputs(&self) -> &[Symbol] {
        &self.parts.inputs
    }

    /// Continuous states, in order of declaration.
    #[must_use]
    pub fn states(&self) -> &[ContinuousState] {
        &self.parts.states
    }

    /// Definitions; each uses earlier ones only.
    #[must_use]
    pub fn definitions(&self) -> &[Definition] {
        &self.parts.definitions
    }

    /// Outputs, in order of declaration.
    #[must_use]
    pub fn outputs(&self) -> &[Output] {
        &self.parts.outputs
    }

    /// Discrete states, in order of declaration.
    #[must_use]
    pub fn discretes(&self) -> &[DiscreteState] {
        &self.parts.discretes
    }

    /// Clocks, in order of declaration.
    #[must_use]
    pub fn clocks(&self) -> &[Clock] {
        &self.parts.clocks
    }

    /// Guards, in order of declaration.
    #[must_use]
    pub fn guards(&self) -> &[GuardEquation] {
        &self.parts.guards
    }

    /// Updates, in order of declaration.
    #[must_use]
    pub fn updates(&self) -> &[Update] {
        &self.parts.updates
    }

    /// Algebraic loops that are solved by iteration, each uses earlier ones only.
    #[must_use]
    pub fn loops(&self) -> &[LoopEquations] {
        &self.parts.loops
    }

    /// Unknowns of all loops.
    pub(crate) fn unknowns(&self) -> impl Iterator<Item = &Symbol> {
        self.parts.loops.iter().flat_map(|own| &own.variables)
    }

    pub(crate) fn unknown_count(&self) -> usize {
        self.parts.loops.iter().map(|own| own.variables.len()).sum()
    }

    /// Name of a clock or guard.
    #[must_use]
    pub fn trigger_name(&self, trigger: Trigger) -> &str {
        instant::trigger_name(&self.parts, trigger)
    }

    /// Pairs of updates that must not be due at once.
    pub(crate) fn rivals(&self) -> Vec<crate::event::Rivals> {
        instant::rivals(&self.parts)
    }

    /// Marks the discrete states that are samples.
    pub(crate) fn sample_marks(&self) -> Vec<bool> {
        instant::samples(&self.parts, &self.table)
    }

    /// Definitions and samples in the order of an instant.
    pub(crate) fn instant(&self) -> impl Iterator<Item = InstantNode> {
        // Every definition is in the list if it is not empty.
        let plain = if self.instant.is_empty() {
            self.parts.definitions.len()
        } else {
            0
        };
        let plain = (0..plain).map(InstantNode::Definition);
        plain.chain(self.instant.iter().copied())
    }

    /// The definition of a quantity, by its path.
    ///
    /// # Errors
    ///
    /// [`UnknownName`] if there is no such definition.
    pub fn definition(&self, name: &str) -> Result<&Definition, UnknownName> {
        match self.table.find(&self.parts, name) {
            Some(Meaning::Definition(index)) => Ok(&self.parts.definitions[index]),
            _ => {
                let known = self.parts.definitions.iter().map(|d| d.symbol.name());
                Err(UnknownName {
                    what: "definition",
                    name: name.to_owned(),
                    owner: self.name().to_owned(),
                    nearest: nearest(name, known).map(str::to_owned),
                })
            }
        }
    }

    /// What a symbol stands for.
    pub(crate) fn meaning(&self, symbol: &Symbol) -> Option<Meaning> {
        self.table.find(&self.parts, symbol.name())
    }

    /// As [`meaning`](Self::meaning), also of what a symbol reads before an instant.
    pub(crate) fn meaning_near(
        &self,
        symbol: &Symbol,
        cursor: &mut SymbolCursor,
    ) -> Option<Meaning> {
        self.table.find_near(&self.parts, symbol, cursor)
    }

    /// What the expressions need, directly or through definitions.
    pub(crate) fn needed(&self, roots: &[Expr]) -> Needed {
        let mut needed = Needed {
            definitions: vec![false; self.parts.definitions.len()],
            parameters: vec![false; self.parts.parameters.len()],
            discretes: vec![false; self.parts.discretes.len()],
            unknowns: vec![false; self.unknown_count()],
            time: false,
        };
        let mut cursor = SymbolCursor::default();
        for root in roots {
            self.mark(root, &mut needed, &mut cursor);
        }
        for index in (0..self.parts.definitions.len()).rev() {
            if needed.definitions[index] {
                let expression = &self.parts.definitions[index].expression;
                self.mark(expression, &mut needed, &mut cursor);
            }
        }
        needed
    }

    fn mark(&self, expression: &Expr, needed: &mut Needed, cursor: &mut SymbolCursor) {
        expression.visit_symbols(|symbol| {
            match self.table.find_near(&self.parts, symbol, cursor) {
                Some(Meaning::Definition(index)) => needed.definitions[index] = true,
                Some(Meaning::Parameter(index)) => needed.parameters[index] = true,
                Some(Meaning::Discrete(index)) => needed.discretes[index] = true,
                Some(Meaning::Unknown { position, .. }) => needed.unknowns[position] = true,
                Some(Meaning::Time) => needed.time = true,
                Some(Meaning::Input | Meaning::State(_)) | None => {}
            }
        });
    }

    /// A start may read parameters, the start time and definitions of these.
    fn check_starts(&self) -> Result<(), EquationError> {
        let continuous = self.parts.states.iter().map(|s| (&s.symbol, &s.start));
        let discrete = self.parts.discretes.iter().map(|d| (&d.symbol, &d.start));
        for (state, start) in continuous.chain(discrete) {
            let mut known = true;
            start.visit_symbols(|symbol| known &= self.is_parameter(symbol));
            if known {
                continue;
            }
            let mut open: Vec<Symbol> = start.dependencies().into_iter().collect();
            let mut seen = vec![false; self.parts.definitions.len()];
            let mut entered = vec![false; self.parts.loops.len()];
            while let Some(symbol) = open.pop() {
                match self.meaning(&symbol) {
                    Some(Meaning::Unknown { of: index, .. }) => {
                        if !std::mem::replace(&mut entered[index], true) {
                            open.extend(self.parts.loops[index].dependencies());
                        }
                    }
                    Some(Meaning::State(_) | Meaning::Input | Meaning::Discrete(_)) => {
                        return Err(EquationError::Start {
                            system: self.name().to_owned(),
                            state: state.name().to_owned(),
                            symbol: symbol.name().to_owned(),
                        });
                    }
                    Some(Meaning::Definition(index)) => {
                        if !std::mem::replace(&mut seen[index], true) {
                            let definition = &self.parts.definitions[index];
                            open.extend(definition.expression.dependencies());
                        }
                    }
                    Some(Meaning::Parameter(_) | Meaning::Time) | None => {}
                }
            }
        }
        Ok(())
    }

    fn is_parameter(&self, symbol: &Symbol) -> bool {
        matches!(
            self.meaning(symbol),
            Some(Meaning::Parameter(_) | Meaning::Time)
        )
    }
}
