//! Tapes of expressions whose symbols the caller knows the places of.

use crate::error::CompileError;
use crate::expr::Expr;
use crate::graph::Graph;
use crate::node::{Head, NONE, Node, Order, position};
use crate::op::Op;
use crate::small;
use crate::symbol::Symbol;
use crate::tape::Tape;
use crate::tape::compact::Compact;
use crate::tape::program::Program;

/// What a symbol stands for in a [`TapeAssembly`], each by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TapeName {
    /// A parameter.
    Parameter(usize),
    /// A variable.
    Variable(usize),
    /// A definition, which must be an earlier one.
    Definition(usize),
}

/// Makes a [`Tape`] as [`TapeBuilder`](crate::TapeBuilder) does, of names that the caller has a
/// table of.
///
/// Keeps neither names nor definitions: what a symbol stands for is asked where it is read.
///
/// ```
/// use bifrons_expr::{CompileError, Expr, Symbol, TapeAssembly, TapeName};
/// use bifrons_lanes::Level;
///
/// let (force, half) = (-Expr::symbol("k") * Expr::symbol("x"), Expr::symbol("force") / 2.0);
/// let place = |symbol: &Symbol| match symbol.name() {
///     "k" => Ok(TapeName::Parameter(0)),
///     "x" => Ok(TapeName::Variable(0)),
///     _ => Ok(TapeName::Definition(0)),
/// };
/// let mut assembly = TapeAssembly::new(vec![Symbol::new("k")], vec![Symbol::new("x")], 1);
/// assembly.define(&Symbol::new("force"), &force, place)?;
/// assembly.output(&half, place)?;
/// let tape = assembly.build()?;
/// let mut registers = tape.registers::<1>();
/// tape.set_parameters(&mut registers, 0, &[4.0]);
/// let mut out = [[0.0]];
/// tape.evaluate(Level::detect(), &mut registers, &[&[[3.0]]], &mut out);
/// assert_eq!(out[0][0], -6.0);
/// # Ok::<(), CompileError>(())
/// ```
#[derive(Debug)]
pub struct TapeAssembly<'e> {
    parameters: Vec<Symbol>,
    variables: Vec<Symbol>,
    /// Begins with one node per parameter and variable.
    graph: Graph,
    /// Nodes of the definitions so far.
    definitions: Vec<u32>,
    outputs: Vec<u32>,
    large: Large<'e>,
}

/// What is known of expressions that are not small.
struct Large<'e> {
    order: Order<'e>,
    /// Nodes of the graph for those of the order.
    ids: Vec<u32>,
}

impl std::fmt::Debug for Large<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Large").field(&self.ids.len()).finish()
    }
}

impl<'e> TapeAssembly<'e> {
    /// A tape with these inputs, with room for some definitions and outputs.
    #[must_use]
    pub fn new(parameters: Vec<Symbol>, variables: Vec<Symbol>, room: usize) -> Self {
        let inputs = parameters.len() + variables.len();
        let mut graph = Graph::sorted(inputs + room);
        for _ in 0..inputs {
            graph.new_input();
        }
        Self {
            parameters,
            variables,
            graph,
            definitions: Vec::with_capacity(room),
            outputs: Vec::new(),
            large: Large {
                order: Order::new(),
                ids: Vec::new(),
            },
        }
    }

    /// Appends a definition; the name is for errors only.
    ///
    /// # Errors
    ///
    /// That of `resolve`; [`CompileError::UsedBeforeDefinition`] if it gives a definition that
    /// there is not yet, [`CompileError::UnknownSymbol`] if it gives an input that there is not.
    pub fn define(
        &mut self,
        name: &Symbol,
        expr: &'e Expr,
        mut resolve: impl FnMut(&Symbol) -> Result<TapeName, CompileError>,
    ) -> Result<(), CompileError> {
        let id = self.root(expr, &mut resolve, &|| format!("definition `{name}`"))?;
        self.definitions.push(id);
        Ok(())
    }

    /// Appends an output.
    ///
    /// # Errors
    ///
    /// As [`define`](Self::define).
    pub fn output(
        &mut self,
        expr: &'e Expr,
        mut resolve: impl FnMut(&Symbol) -> Result<TapeName, CompileError>,
    ) -> Result<(), CompileError> {
        let index = self.outputs.len();
        let id = self.root(expr, &mut resolve, &|| format!("output {index}"))?;
        self.outputs.push(id);
        Ok(())
    }

    /// Compiles, as [`TapeBuilder::build`](crate::TapeBuilder::build).
    ///
    /// # Errors
    ///
    /// [`CompileError::TooLarge`] if the size exceeds the index range.
    pub fn build(self) -> Result<Tape, CompileError> {
        let inputs = position(self.parameters.len() + self.variables.len());
        let inputs: Vec<u32> = (0..inputs).collect();
        let (parameters, variables) = inputs.split_at(self.parameters.len());
        let program = Program::new(&self.graph, parameters, variables, &self.outputs)?;
        let compact = Compact::new(&program);
        Ok(Tape {
            parameters: self.parameters,
            variables: self.variables,
            program,
            compact,
        })
    }

    /// Adds one expression.
    fn root<R>(
        &mut self,
        expr: &'e Expr,
        resolve: &mut R,
        place: &dyn Fn() -> String,
    ) -> Result<u32, CompileError>
    where
        R: FnMut(&Symbol) -> Result<TapeName, CompileError>,
    {
        if small::is_small_over_leaves(expr.node()) {
            return self.tree(expr.node(), resolve, place);
        }
        let at = self.large.order.add(expr.node());
        for i in self.large.ids.len()..self.large.order.nodes.len() {
            let operands = self.large.order.gather(i, &self.large.ids, NONE);
            let node = self.large.order.nodes[i];
            let id = self.node(node, operands, resolve, place)?;
            self.large.ids.push(id);
        }
        Ok(self.large.ids[at as usize])
    }

    /// Adds a small expression.
    fn tree<R>(
        &mut self,
        node: &Node,
        resolve: &mut R,
        place: &dyn Fn() -> String,
    ) -> Result<u32, CompileError>
    where
        R: FnMut(&Symbol) -> Result<TapeName, CompileError>,
    {
        let mut operands = [NONE; 3];
        for (id, operand) in operands.iter_mut().zip(node.operands.iter().flatten()) {
            *id = self.tree(operand, resolve, place)?;
        }
        self.node(node, operands, resolve, place)
    }

    fn node<R>(
        &mut self,
        node: &Node,
        operands: [u32; 3],
        resolve: &mut R,
        place: &dyn Fn() -> String,
    ) -> Result<u32, CompileError>
    where
        R: FnMut(&Symbol) -> Result<TapeName, CompileError>,
    {
        Ok(match &node.head {
            Head::Constant(value) => self.graph.constant(*value),
            Head::Symbol(symbol) => {
                let name = resolve(symbol)?;
                self.named(symbol, name, place)?
            }
            Head::Function(function) => self.graph.function(function),
            Head::Op(Op::NoEvent) => operands[0],
            Head::Op(op) => self.graph.op(*op, operands),
        })
    }

    fn named(
        &self,
        symbol: &Symbol,
        name: TapeName,
        place: &dyn Fn() -> String,
    ) -> Result<u32, CompileError> {
        let input = |index: usize, first: usize, count: usize| {
            let inside = (index < count).then(|| position(first + index));
            inside.ok_or_else(|| CompileError::UnknownSymbol {
                symbol: symbol.clone(),
                place: place(),
                nearest: None,
            })
        };
        let (parameters, variables) = (self.parameters.len(), self.variables.len());
        match name {
            TapeName::Parameter(index) => input(index, 0, parameters),
            TapeName::Variable(index) => input(index, parameters, variables),
            TapeName::Definition(index) => {
                let known = self.definitions.get(index).copied();
                known.ok_or_else(|| CompileError::UsedBeforeDefinition {
                    symbol: symbol.clone(),
                    place: place(),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TapeAssembly, TapeName};
    use crate::error::CompileError;
    use crate::expr::Expr;
    use crate::symbol::Symbol;

    /// A place that there is not is an error that says where it was read, at any size.
    #[test]
    fn places_that_there_are_not_are_refused() {
        let small = Expr::symbol("z") + 1.0;
        let large = (0..50).fold(small.clone(), |sum, _| &sum * &sum);
        let symbol = Symbol::new("z");
        for expr in [small, large] {
            for name in [TapeName::Parameter(1), TapeName::Variable(2)] {
                let mut tape = TapeAssembly::new(vec!["k".into()], vec!["x".into(), "y".into()], 1);
                let found = tape.output(&expr, |_| Ok(name));
                let expected = CompileError::UnknownSymbol {
                    symbol: symbol.clone(),
                    place: "output 0".to_owned(),
                    nearest: None,
                };
                assert_eq!(found, Err(expected), "{name:?}");
            }
            let mut tape = TapeAssembly::new(vec![], vec![], 1);
            let found = tape.define(&symbol, &expr, |_| Ok(TapeName::Definition(0)));
            let expected = CompileError::UsedBeforeDefinition {
                symbol: symbol.clone(),
                place: "definition `z`".to_owned(),
            };
            assert_eq!(found, Err(expected), "a definition that reads itself");
        }
    }
}
