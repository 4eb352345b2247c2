//! What a block is: ports, parameters, states and equations over local names.

mod builder;
mod conversion;
mod numbers;
mod template;
mod units;

use std::fmt;
use std::sync::Arc;

use bifrons_expr::{Expr, Symbol, Unit};

pub use builder::BlockSpecBuilder;
pub(crate) use builder::{Assembly, equation};
pub use conversion::UnitConversion;
pub(crate) use numbers::Numbers;
pub use template::Template;
pub(crate) use template::Templates;

use crate::diagram::Diagram;
use crate::equations::GuardEquation;
use crate::error::{BlockError, UnknownName};
use crate::event::{Clock, Trigger};
use crate::name::nearest;
use crate::range::ParameterRange;

/// Something that a [`DiagramBuilder`](crate::DiagramBuilder) can add: a block of a library, a
/// [`BlockSpec`] or a whole [`Diagram`].
///
/// A library's block is a small struct of settings; turning it into a [`Component`] writes its
/// equations and reports settings that make no sense.
///
/// # Examples
///
/// ```
/// use bifrons_expr::{Expr, Symbol};
/// use bifrons_hybrid::{Block, BlockError, BlockSpec, Component};
///
/// /// y = u²
/// struct Square;
/// impl Block for Square {
///     fn into_component(self) -> Result<Component, BlockError> {
///         let u = Expr::symbol(Symbol::new("u"));
///         Ok(BlockSpec::builder("Square").input("u").output("y", u.clone() * u).build()?.into())
///     }
/// }
/// ```
pub trait Block {
    /// Writes the block's equations.
    ///
    /// # Errors
    ///
    /// A setting or an equation of the block that is not valid.
    fn into_component(self) -> Result<Component, BlockError>;

    /// What the block is up to numbers, so that a diagram need not write equal equations anew.
    ///
    /// Blocks with equal templates must have equal components but for default values, and none
    /// may be given for settings that [`into_component`](Self::into_component) refuses.
    /// Default: none.
    fn template(&self) -> Option<Template<'_>> {
        None
    }
}

/// A block with equations or a nested diagram, ready to be added to a diagram.
#[derive(Clone)]
pub struct Component(pub(crate) Part);

#[derive(Clone)]
pub(crate) enum Part {
    Block(BlockSpec),
    Diagram(Diagram),
}

impl Component {
    /// What the component is, for messages: the kind of the block or the name of the diagram.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.0.kind()
    }

    /// Names of the inputs, in order.
    pub fn input_names(&self) -> impl Iterator<Item = &str> {
        (0..self.0.input_count()).map(|index| self.0.input_name(index))
    }

    /// Names of the outputs, in order.
    pub fn output_names(&self) -> impl Iterator<Item = &str> {
        (0..self.0.output_count()).map(|index| self.0.output_name(index))
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Part::Block(block) => block.fmt(f),
            Part::Diagram(diagram) => diagram.fmt(f),
        }
    }
}

impl Part {
    pub(crate) fn kind(&self) -> &str {
        match self {
            Self::Block(block) => block.kind(),
            Self::Diagram(diagram) => diagram.name(),
        }
    }

    pub(crate) fn input_count(&self) -> usize {
        match self {
            Self::Block(block) => block.form.inputs.len(),
            Self::Diagram(diagram) => diagram.0.inputs.len(),
        }
    }

    pub(crate) fn input_name(&self, index: usize) -> &str {
        match self {
            Self::Block(block) => block.form.locals[block.form.inputs[index]].symbol.name(),
            Self::Diagram(diagram) => &diagram.0.inputs[index].name,
        }
    }

    pub(crate) fn find_input(&self, name: &str) -> Option<usize> {
        match self {
            Self::Block(block) => block.find_port(name, &block.form.inputs),
            Self::Diagram(diagram) => diagram.find_input(name),
        }
    }

    pub(crate) fn input_unit(&self, index: usize) -> Option<&Unit> {
        match self {
            Self::Block(block) => block.form.locals[block.form.inputs[index]].unit.as_ref(),
            Self::Diagram(diagram) => diagram.0.inputs[index].unit.as_ref(),
        }
    }

    pub(crate) fn output_unit(&self, index: usize) -> Option<&Unit> {
        match self {
            Self::Block(block) => block.form.locals[block.form.outputs[index]].unit.as_ref(),
            Self::Diagram(diagram) => diagram.0.outputs[index].unit.as_ref(),
        }
    }

    pub(crate) fn output_count(&self) -> usize {
        match self {
            Self::Block(block) => block.form.outputs.len(),
            Self::Diagram(diagram) => diagram.0.outputs.len(),
        }
    }

    pub(crate) fn output_name(&self, index: usize) -> &str {
        match self {
            Self::Block(block) => block.form.locals[block.form.outputs[index]].symbol.name(),
            Self::Diagram(diagram) => &diagram.0.outputs[index].name,
        }
    }

    pub(crate) fn find_output(&self, name: &str) -> Option<usize> {
        match self {
            Self::Block(block) => block.find_port(name, &block.form.outputs),
            Self::Diagram(diagram) => diagram.find_output(name),
        }
    }
}

/// So many names are looked through one by one.
const FEW: usize = 8;

/// `a == b`, for names that mostly have a few bytes.
#[inline]
fn same_name(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).all(|(a, b)| a == b)
}

/// Equations of one kind of block over local names.
///
/// ```text
/// dx_i/dtime = f_i(time, x, u, p, v)      x_i(t0) = s_i(time, p)
/// v_j        = g_j(time, x, u, p, v)      local definitions, in any order
/// y_k        = h_k(time, x, u, p, v)
/// ```
///
/// A block may have discrete states and samples (see [`Update`](crate::Update)), clocks and
/// guards of its own; all equations may read discrete states.
///
/// A name stands for one input `u`, parameter `p`, state `x`, definition `v` or output `y`;
/// `time` is the independent variable. An output may be used by other equations of the block.
/// In a diagram the names get the path of the block in front: `k` of block `gain` is `gain.k`.
#[derive(Debug, Clone)]
pub struct BlockSpec {
    /// Everything but numbers: equal blocks of a diagram share it.
    pub(crate) form: Arc<Form>,
    /// Default values of the parameters, in order of declaration.
    pub(crate) defaults: Numbers,
}

/// Ports, quantities and equations of a block.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) kind: Arc<str>,
    pub(crate) locals: Vec<Local>,
    /// Positions in `locals`, sorted by name.
    pub(crate) by_name: Vec<usize>,
    /// Positions in `locals`, ascending.
    pub(crate) inputs: Vec<usize>,
    /// Positions in `locals`, ascending.
    pub(crate) outputs: Vec<usize>,
    pub(crate) clocks: Vec<Clock>,
    pub(crate) guards: Vec<GuardEquation>,
    pub(crate) updates: Vec<BlockUpdate>,
    /// Guesses of definitions and outputs, by position in `locals`.
    pub(crate) guesses: Vec<(usize, Expr)>,
}

impl Form {
    /// Whether both are the same in everything that anybody sees, messages included.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let same_locals = |(own, other): (&Local, &Local)| own.is_same(other);
        self.kind == other.kind
            && self.locals.len() == other.locals.len()
            && self.locals.iter().zip(&other.locals).all(same_locals)
            && self.inputs == other.inputs
            && self.outputs == other.outputs
            && self.clocks == other.clocks
            && self.guards == other.guards
            && self.updates == other.updates
            && self.guesses == other.guesses
    }
}

/// An update within a block.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BlockUpdate {
    pub(crate) trigger: Trigger,
    /// Position in `locals`.
    pub(crate) target: usize,
    pub(crate) expression: Expr,
    pub(crate) priority: i32,
    pub(crate) sample: bool,
}

/// A named quantity of a block.
#[derive(Debug, Clone)]
pub(crate) struct Local {
    pub(crate) symbol: Symbol,
    pub(crate) role: Role,
    /// Where it was declared.
    pub(crate) unit: Option<Unit>,
}

impl Local {
    /// Equal with equally written units.
    fn is_same(&self, other: &Self) -> bool {
        let same_unit = match (&self.unit, &other.unit) {
            (None, None) => true,
            (Some(own), Some(other)) => own == other && own.to_string() == other.to_string(),
            _ => false,
        };
        self.symbol == other.symbol && self.role == other.role && same_unit
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Role {
    Input,
    Parameter {
        /// Position of its default among those of the block.
        default: usize,
        range: ParameterRange,
    },
    State {
        derivative: Expr,
        start: Expr,
    },
    /// A register or a sample.
    Discrete {
        start: Expr,
    },
    /// A definition or an output. `uses` are the positions in `locals` that it depends on.
    Equation {
        expression: Expr,
        uses: Vec<usize>,
    },
}

impl BlockSpec {
    /// Starts the description of a block; `kind` is its name in messages, such as `Gain`.
    pub fn builder(kind: impl Into<Arc<str>>) -> BlockSpecBuilder {
        BlockSpecBuilder::new(kind.into())
    }

    /// The kind of the block, such as `Gain`.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.form.kind
    }

    /// Names of the inputs, in order of declaration.
    pub fn input_names(&self) -> impl Iterator<Item = &str> {
        self.form
            .inputs
            .iter()
            .map(|&local| self.form.locals[local].symbol.name())
    }

    /// Names of the outputs, in order of declaration.
    pub fn output_names(&self) -> impl Iterator<Item = &str> {
        self.form
            .outputs
            .iter()
            .map(|&local| self.form.locals[local].symbol.name())
    }

    /// Names and default values of the parameters, in order of declaration.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, f64)> {
        self.form
            .locals
            .iter()
            .filter_map(|local| match local.role {
                Role::Parameter { default, .. } => {
                    Some((local.symbol.name(), self.defaults[default]))
                }
                _ => None,
            })
    }

    /// Names of the continuous states, in order of declaration.
    pub fn state_names(&self) -> impl Iterator<Item = &str> {
        self.form
            .locals
            .iter()
            .filter_map(|local| match local.role {
                Role::State { .. } => Some(local.symbol.name()),
                _ => None,
            })
    }

    /// The unit of a quantity, where it was declared; `None` fits everything.
    #[must_use]
    pub fn unit(&self, name: &str) -> Option<&Unit> {
        self.form.locals[self.find(name)?].unit.as_ref()
    }

    /// Whether `output` depends on `input` without a state between them.
    ///
    /// Read off the equations, through the block's definitions. Cost: linear in the block.
    ///
    /// # Errors
    ///
    /// [`UnknownName`] if the block has no such input or output.
    pub fn feedthrough(&self, input: &str, output: &str) -> Result<bool, UnknownName> {
        let source = self.port(input, &self.form.inputs, "input")?;
        let goal = self.port(output, &self.form.outputs, "output")?;
        let mut seen = vec![false; self.form.locals.len()];
        let mut open = vec![goal];
        while let Some(local) = open.pop() {
            if local == source {
                return Ok(true);
            }
            if let Role::Equation { uses, .. } = &self.form.locals[local].role
                && !std::mem::replace(&mut seen[local], true)
            {
                open.extend(uses);
            }
        }
        Ok(false)
    }

    /// Position in `locals` of a name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let Form {
            locals, by_name, ..
        } = &*self.form;
        if locals.len() <= FEW {
            let found = |local: &Local| same_name(local.symbol.name(), name);
            return locals.iter().position(found);
        }
        builder::find(locals, by_name, name)
    }

    /// Position among some ports, the inputs or the outputs, of a name.
    fn find_port(&self, name: &str, ports: &[usize]) -> Option<usize> {
        if ports.len() <= FEW {
            let found = |&local: &usize| same_name(self.form.locals[local].symbol.name(), name);
            return ports.iter().position(found);
        }
        ports.binary_search(&self.find(name)?).ok()
    }

    fn port(&self, name: &str, ports: &[usize], what: &'static str) -> Result<usize, UnknownName> {
        self.find(name)
            .filter(|local| ports.binary_search(local).is_ok())
            .ok_or_else(|| {
                let known = ports
                    .iter()
                    .map(|&local| self.form.locals[local].symbol.name());
                UnknownName {
                    what,
                    name: name.to_owned(),
                    owner: self.form.kind.to_string(),
                    nearest: nearest(name, known).map(str::to_owned),
                }
            })
    }
}

impl From<BlockSpec> for Component {
    fn from(spec: BlockSpec) -> Self {
        Self(Part::Block(spec))
    }
}

impl From<Arc<BlockSpec>> for Component {
    /// Uses one description for many blocks without a copy.
    fn from(spec: Arc<BlockSpec>) -> Self {
        Self(Part::Block((*spec).clone()))
    }
}

impl From<Diagram> for Component {
    fn from(diagram: Diagram) -> Self {
        Self(Part::Diagram(diagram))
    }
}

impl Block for Component {
    fn into_component(self) -> Result<Component, BlockError> {
        Ok(self)
    }
}

impl Block for BlockSpec {
    fn into_component(self) -> Result<Component, BlockError> {
        Ok(self.into())
    }
}

impl Block for Arc<BlockSpec> {
    fn into_component(self) -> Result<Component, BlockError> {
        Ok(self.into())
    }
}

impl Block for Diagram {
    fn into_component(self) -> Result<Component, BlockError> {
        Ok(self.into())
    }
}
