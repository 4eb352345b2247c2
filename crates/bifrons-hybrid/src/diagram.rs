//! Diagrams: blocks and nested diagrams composed by their ports.

mod builder;
mod port;

use std::fmt;
use std::sync::Arc;

use bifrons_expr::Unit;

pub use builder::DiagramBuilder;
pub use port::{BlockId, InputPort, OutputPort};

use crate::block::Part;
use crate::equations::{EquationSystem, RateTransition};
use crate::error::{EquationError, UnknownName};
use crate::flatten;
use crate::name::nearest;

/// A valid composition of blocks: every connected port exists, every input has one source.
///
/// Immutable; a clone shares the content and costs nothing. A diagram is a block itself: add it to
/// another diagram as often as wanted. Nothing on it recurses, however deeply it is nested.
///
/// # Examples
///
/// See the [crate](crate) documentation.
#[derive(Clone)]
pub struct Diagram(pub(crate) Arc<Content>);

pub(crate) struct Content {
    pub(crate) name: Arc<str>,
    pub(crate) members: Vec<Member>,
    /// Where the inputs of all members get their values from, member by member.
    pub(crate) sources: Vec<Source>,
    pub(crate) inputs: Vec<ExportedInput>,
    pub(crate) outputs: Vec<ExportedOutput>,
    /// Positions in `inputs`, sorted by name.
    pub(crate) inputs_by_name: Vec<usize>,
    /// Positions in `outputs`, sorted by name.
    pub(crate) outputs_by_name: Vec<usize>,
    pub(crate) block_count: usize,
    pub(crate) depth: usize,
}

#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) name: Arc<str>,
    pub(crate) part: Part,
    /// Place of the source of its first input.
    pub(crate) first_source: u32,
}

/// Where an input gets its value from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Source {
    /// Nowhere; in a built diagram only for an exported input that has a default.
    Open,
    /// From an output of a member.
    Wire { member: u32, output: u32 },
    /// From an exported input of the diagram.
    Exported { input: u32 },
    /// A number, tunable as a parameter with the path of the input.
    Constant(f64),
}

#[derive(Clone)]
pub(crate) struct ExportedInput {
    pub(crate) name: Arc<str>,
    pub(crate) default: Option<f64>,
    /// That of the first input with a unit that it feeds.
    pub(crate) unit: Option<Unit>,
}

#[derive(Clone)]
pub(crate) struct ExportedOutput {
    pub(crate) name: Arc<str>,
    pub(crate) member: usize,
    pub(crate) output: usize,
    pub(crate) unit: Option<Unit>,
}

impl Diagram {
    /// Starts an empty diagram; the same as [`DiagramBuilder::new`].
    #[must_use]
    pub fn builder(name: impl Into<Arc<str>>) -> DiagramBuilder {
        DiagramBuilder::new(name)
    }

    /// Name given at construction. In a nested diagram, paths use the name it was added under.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Names of the exported inputs, in order of export.
    pub fn input_names(&self) -> impl Iterator<Item = &str> {
        self.0.inputs.iter().map(|input| &*input.name)
    }

    /// Names of the exported outputs, in order of export.
    pub fn output_names(&self) -> impl Iterator<Item = &str> {
        self.0.outputs.iter().map(|output| &*output.name)
    }

    /// Number of blocks at every level of nesting; a nested diagram itself does not count.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.0.block_count
    }

    /// Levels of nesting: 1 for a diagram of blocks.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.0.depth
    }

    /// The equations of the whole diagram, with the path of every quantity.
    ///
    /// Inputs are replaced by what they are connected to and outputs that only pass a quantity on
    /// by that quantity; the remaining definitions are sorted so that each comes after those it
    /// uses. Dependence is followed from port to port, so a block with several ports closes an
    /// algebraic loop only if its equations do. A loop that is linear in up to three loop
    /// variables is solved symbolically; the solved coefficient is checked at the default
    /// parameters, and a division by zero at other values shows as a non-finite derivative.
    ///
    /// Cost: linear in the equations, times the logarithm of the names of one block; no recursion.
    ///
    /// # Errors
    ///
    /// [`EquationError::AlgebraicLoop`] for a loop that is singular, not linear, or has too many
    /// loop variables; [`EquationError::Start`] for a start value that depends on a state.
    pub fn flatten(&self) -> Result<EquationSystem, EquationError> {
        flatten::flatten(self, true)
    }

    /// Signals that pass from one clock to another without a hold; see
    /// [`EquationSystem::check_rates`].
    ///
    /// # Errors
    ///
    /// As [`flatten`](Self::flatten).
    pub fn check_rates(&self) -> Result<Vec<RateTransition>, EquationError> {
        Ok(self.flatten()?.check_rates())
    }

    /// Whether an exported output depends on an exported input without a state between them.
    ///
    /// Read off the equations, port by port. Cost: linear in the diagram.
    ///
    /// # Errors
    ///
    /// [`UnknownName`] if the diagram does not export such an input or output.
    pub fn feedthrough(&self, input: &str, output: &str) -> Result<bool, UnknownName> {
        let unknown = |what, name: &str, known: Option<&str>| UnknownName {
            what,
            name: name.to_owned(),
            owner: self.name().to_owned(),
            nearest: known.map(str::to_owned),
        };
        let source = self
            .find_input(input)
            .ok_or_else(|| unknown("input", input, nearest(input, self.input_names())))?;
        let goal = self
            .find_output(output)
            .ok_or_else(|| unknown("output", output, nearest(output, self.output_names())))?;
        Ok(flatten::depends(self, goal, source))
    }

    pub(crate) fn find_input(&self, name: &str) -> Option<usize> {
        let Content {
            inputs,
            inputs_by_name,
            ..
        } = &*self.0;
        inputs_by_name
            .binary_search_by(|&position| (*inputs[position].name).cmp(name))
            .ok()
            .map(|found| inputs_by_name[found])
    }

    pub(crate) fn find_output(&self, name: &str) -> Option<usize> {
        let Content {
            outputs,
            outputs_by_name,
            ..
        } = &*self.0;
        outputs_by_name
            .binary_search_by(|&position| (*outputs[position].name).cmp(name))
            .ok()
            .map(|found| outputs_by_name[found])
    }
}

impl Content {
    /// Where the inputs of a member get their values from.
    pub(crate) fn sources_of(&self, member: &Member) -> &[Source] {
        sources_of(&self.sources, member)
    }
}

pub(crate) fn sources_of<'s>(sources: &'s [Source], member: &Member) -> &'s [Source] {
    let first = member.first_source as usize;
    &sources[first..first + member.part.input_count()]
}

/// The same, for lists of half the size; what they count takes more memory than any machine has
/// long before it takes 32 bits.
pub(crate) fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl fmt::Debug for Diagram {
    /// A summary: a nested diagram of any depth prints as one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Diagram")
            .field("name", &self.0.name)
            .field("members", &self.0.members.len())
            .field("blocks", &self.0.block_count)
            .field("depth", &self.0.depth)
            .field("inputs", &self.input_names().collect::<Vec<_>>())
            .field("outputs", &self.output_names().collect::<Vec<_>>())
            .finish()
    }
}

impl Drop for Content {
    /// Takes nested diagrams apart with a list instead of the call stack.
    fn drop(&mut self) {
        drop_members(&mut self.members);
    }
}

/// Empties a list of members, releasing diagrams that nobody else holds level by level.
pub(crate) fn drop_members(members: &mut Vec<Member>) {
    let nested = |member: Member| match member.part {
        Part::Diagram(diagram) => Some(diagram),
        Part::Block(_) => None,
    };
    let mut open: Vec<Diagram> = members.drain(..).filter_map(nested).collect();
    while let Some(diagram) = open.pop() {
        if let Some(mut content) = Arc::into_inner(diagram.0) {
            open.extend(content.members.drain(..).filter_map(nested));
        }
    }
}
