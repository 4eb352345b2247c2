//! From expressions to a tape.

use crate::error::CompileError;
use crate::expr::Expr;
use crate::graph::Graph;
use crate::node::{Head, NONE, Node, Order, position};
use crate::op::Op;
use crate::small;
use crate::suggest::nearest;
use crate::symbol::Symbol;
use crate::symbol_map::{SymbolCursor, SymbolMap};
use crate::tape::Tape;
use crate::tape::compact::Compact;
use crate::tape::program::Program;

/// Collects the inputs, definitions and outputs of a [`Tape`].
///
/// ```
/// use bifrons_expr::{Expr, Symbol, TapeBuilder};
/// use bifrons_lanes::Level;
///
/// let (x, k) = (Expr::symbol("x"), Expr::symbol("k"));
/// let tape = TapeBuilder::new()
///     .parameters([Symbol::new("k")])
///     .variables([Symbol::new("x")])
///     .define(Symbol::new("force"), -k * x)
///     .output(Expr::symbol("force") / 2.0)
///     .build()
///     .unwrap();
/// let mut registers = tape.registers::<1>();
/// tape.set_parameters(&mut registers, 0, &[4.0]);
/// let mut out = [[0.0]];
/// tape.evaluate(Level::detect(), &mut registers, &[&[[3.0]]], &mut out);
/// assert_eq!(out[0][0], -6.0);
/// ```
#[derive(Debug, Clone, Default)]
pub struct TapeBuilder {
    parameters: Vec<Symbol>,
    variables: Vec<Symbol>,
    definitions: Vec<(Symbol, Expr)>,
    outputs: Vec<Expr>,
}

impl TapeBuilder {
    /// A tape without inputs and outputs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends parameters: inputs that stay the same over many evaluations.
    #[must_use]
    pub fn parameters(mut self, symbols: impl IntoIterator<Item = Symbol>) -> Self {
        self.parameters.extend(symbols);
        self
    }

    /// Appends variables: inputs that change with every evaluation.
    #[must_use]
    pub fn variables(mut self, symbols: impl IntoIterator<Item = Symbol>) -> Self {
        self.variables.extend(symbols);
        self
    }

    /// Names an expression, so that later definitions and all outputs may use it as a symbol.
    #[must_use]
    pub fn define(mut self, symbol: Symbol, expr: Expr) -> Self {
        self.definitions.push((symbol, expr));
        self
    }

    /// Appends an output.
    #[must_use]
    pub fn output(mut self, expr: Expr) -> Self {
        self.outputs.push(expr);
        self
    }

    /// Appends several outputs.
    #[must_use]
    pub fn outputs(mut self, exprs: impl IntoIterator<Item = Expr>) -> Self {
        self.outputs.extend(exprs);
        self
    }

    /// Compiles: shares equal parts, drops what no output needs, moves what depends on
    /// parameters only into the prologue, fuses operations and reuses registers.
    ///
    /// The result depends on the expressions only. Cost: close to linear in the number of
    /// distinct nodes, whatever their depth.
    ///
    /// # Errors
    ///
    /// [`CompileError`] names the symbol that is unknown, used before its definition or declared
    /// twice, or the size that exceeds the index range.
    pub fn build(self) -> Result<Tape, CompileError> {
        let mut scope = Scope::new(&self)?;
        let outputs = scope.import(&self)?;
        let inputs = position(self.parameters.len() + self.variables.len());
        let inputs: Vec<u32> = (0..inputs).collect();
        let (parameters, variables) = inputs.split_at(self.parameters.len());
        let program = Program::new(&scope.graph, parameters, variables, &outputs)?;
        let compact = Compact::new(&program);
        Ok(Tape {
            parameters: self.parameters,
            variables: self.variables,
            program,
            compact,
        })
    }
}

/// What is known of expressions that are not small.
struct Imported<'b> {
    order: Order<'b>,
    /// Nodes of the graph for those of the order.
    ids: Vec<u32>,
}

/// Names and their nodes while expressions are imported.
struct Scope {
    /// Begins with one node per parameter and variable.
    graph: Graph,
    /// Node of a name, in the order of parameters, variables and definitions; [`NONE`] for a
    /// definition that is not complete.
    names: SymbolMap<u32>,
    cursor: SymbolCursor,
}

impl Scope {
    fn new(builder: &TapeBuilder) -> Result<Self, CompileError> {
        let inputs = builder.parameters.len() + builder.variables.len();
        let names = inputs + builder.definitions.len();
        let mut scope = Self {
            graph: Graph::sorted(names + builder.outputs.len()),
            names: SymbolMap::with_capacity(names),
            cursor: SymbolCursor::default(),
        };
        for symbol in builder.parameters.iter().chain(&builder.variables) {
            let node = scope.graph.new_symbol(symbol);
            scope.declare(symbol, node)?;
        }
        for (symbol, _) in &builder.definitions {
            scope.declare(symbol, NONE)?;
        }
        Ok(scope)
    }

    fn declare(&mut self, symbol: &Symbol, node: u32) -> Result<(), CompileError> {
        if self.names.add(symbol, node) {
            return Ok(());
        }
        Err(CompileError::Duplicate {
            symbol: symbol.clone(),
        })
    }

    /// Adds all expressions and returns the nodes of the outputs.
    fn import(&mut self, builder: &TapeBuilder) -> Result<Vec<u32>, CompileError> {
        let mut imported = Imported {
            order: Order::new(),
            ids: Vec::new(),
        };
        let first = builder.parameters.len() + builder.variables.len();
        for (root, (_, expr)) in builder.definitions.iter().enumerate() {
            let id = self.root(expr, &mut imported, builder, root)?;
            if let Some(own) = self.names.value_mut(first + root) {
                *own = id;
            }
        }
        let roots = builder.definitions.len()..;
        let outputs = builder.outputs.iter().zip(roots);
        outputs
            .map(|(expr, root)| self.root(expr, &mut imported, builder, root))
            .collect()
    }

    /// Adds one expression.
    fn root<'b>(
        &mut self,
        expr: &'b Expr,
        imported: &mut Imported<'b>,
        builder: &TapeBuilder,
        root: usize,
    ) -> Result<u32, CompileError> {
        if small::is_small_over_leaves(expr.node()) {
            return self.tree(expr.node(), builder, root);
        }
        let Imported { order, ids } = imported;
        let at = order.add(expr.node());
        for i in ids.len()..order.nodes.len() {
            let operands = order.gather(i, ids, NONE);
            ids.push(self.node(order.nodes[i], operands, builder, root)?);
        }
        Ok(ids[at as usize])
    }

    /// Adds a small expression.
    fn tree(
        &mut self,
        node: &Node,
        builder: &TapeBuilder,
        root: usize,
    ) -> Result<u32, CompileError> {
        let mut operands = [NONE; 3];
        for (id, operand) in operands.iter_mut().zip(node.operands.iter().flatten()) {
            *id = self.tree(operand, builder, root)?;
        }
        self.node(node, operands, builder, root)
    }

    fn node(
        &mut self,
        node: &Node,
        operands: [u32; 3],
        builder: &TapeBuilder,
        root: usize,
    ) -> Result<u32, CompileError> {
        Ok(match &node.head {
            Head::Constant(value) => self.graph.constant(*value),
            Head::Symbol(symbol) => self.resolve(symbol, builder, root)?,
            Head::Function(function) => self.graph.function(function),
            Head::Op(Op::NoEvent) => operands[0],
            Head::Op(op) => self.graph.op(*op, operands),
        })
    }

    fn resolve(
        &mut self,
        symbol: &Symbol,
        builder: &TapeBuilder,
        root: usize,
    ) -> Result<u32, CompileError> {
        let place = || match builder.definitions.get(root) {
            Some((name, _)) => format!("definition `{name}`"),
            None => format!("output {}", root - builder.definitions.len()),
        };
        match self.names.get_near(symbol, &mut self.cursor) {
            Some(&NONE) => {
                let symbol = symbol.clone();
                Err(CompileError::UsedBeforeDefinition {
                    symbol,
                    place: place(),
                })
            }
            Some(&id) => Ok(id),
            None => Err(CompileError::UnknownSymbol {
                symbol: symbol.clone(),
                place: place(),
                nearest: nearest(symbol.name(), self.names.iter().map(|(s, _)| s.name()))
                    .map(Symbol::new),
            }),
        }
    }
}
