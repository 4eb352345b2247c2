//! From expressions to a tape.

use crate::error::CompileError;
use crate::expr::Expr;
use crate::graph::Graph;
use crate::node::{Head, NONE, Order};
use crate::op::Op;
use crate::suggest::nearest;
use crate::symbol::Symbol;
use crate::symbol_map::SymbolMap;
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
        let inputs: Vec<u32> = self
            .parameters
            .iter()
            .chain(&self.variables)
            .map(|s| scope.known(s))
            .collect();
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

/// Names and their nodes while expressions are imported.
struct Scope {
    graph: Graph,
    /// Node of a name; [`NONE`] for a definition that is not complete.
    names: SymbolMap<u32>,
}

impl Scope {
    fn new(builder: &TapeBuilder) -> Result<Self, CompileError> {
        let mut scope = Self {
            graph: Graph::sorted(),
            names: SymbolMap::with_capacity(
                builder.parameters.len() + builder.variables.len() + builder.definitions.len(),
            ),
        };
        for symbol in builder.parameters.iter().chain(&builder.variables) {
            let node = scope.graph.symbol(symbol);
            scope.declare(symbol, node)?;
        }
        for (symbol, _) in &builder.definitions {
            scope.declare(symbol, NONE)?;
        }
        Ok(scope)
    }

    fn declare(&mut self, symbol: &Symbol, node: u32) -> Result<(), CompileError> {
        match self.names.insert(symbol.clone(), node) {
            None => Ok(()),
            Some(_) => Err(CompileError::Duplicate {
                symbol: symbol.clone(),
            }),
        }
    }

    fn known(&self, symbol: &Symbol) -> u32 {
        self.names.get(symbol.name()).copied().unwrap_or(NONE)
    }

    /// Adds all expressions and returns the nodes of the outputs.
    fn import(&mut self, builder: &TapeBuilder) -> Result<Vec<u32>, CompileError> {
        let definitions = builder.definitions.iter().map(|(_, expr)| expr.node());
        let order = Order::of(definitions.chain(builder.outputs.iter().map(Expr::node)));
        let mut ids = Vec::with_capacity(order.nodes.len());
        let mut outputs = Vec::with_capacity(builder.outputs.len());
        for (root, (&end, &position)) in order.ends.iter().zip(&order.roots).enumerate() {
            for i in ids.len()..end {
                let id = match &order.nodes[i].head {
                    Head::Constant(value) => self.graph.constant(*value),
                    Head::Symbol(symbol) => self.resolve(symbol, builder, root)?,
                    Head::Function(function) => self.graph.function(function),
                    Head::Op(Op::NoEvent) => ids[order.operands[i][0] as usize],
                    Head::Op(op) => self.graph.op(*op, order.gather(i, &ids, NONE)),
                };
                ids.push(id);
            }
            let id = ids[position as usize];
            match builder.definitions.get(root) {
                Some((symbol, _)) => {
                    self.names.insert(symbol.clone(), id);
                }
                None => outputs.push(id),
            }
        }
        Ok(outputs)
    }

    fn resolve(
        &self,
        symbol: &Symbol,
        builder: &TapeBuilder,
        root: usize,
    ) -> Result<u32, CompileError> {
        let place = || match builder.definitions.get(root) {
            Some((name, _)) => format!("definition `{name}`"),
            None => format!("output {}", root - builder.definitions.len()),
        };
        match self.names.get(symbol.name()) {
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
