//! From expressions to a tape.

use crate::error::CompileError;
use crate::expr::Expr;
use crate::name_index::SymbolCursor;
use crate::suggest::nearest;
use crate::symbol::Symbol;
use crate::symbol_map::SymbolMap;
use crate::tape::Tape;
use crate::tape::assembly::{TapeAssembly, TapeName};

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
        let names = Names::new(&self)?;
        let room = self.definitions.len() + self.outputs.len();
        let (parameters, variables) = (self.parameters, self.variables);
        let mut assembly = TapeAssembly::new(parameters, variables, room);
        let mut cursor = SymbolCursor::default();
        for (symbol, expr) in &self.definitions {
            let place = || format!("definition `{symbol}`");
            assembly.define(symbol, expr, |own| names.find(own, &mut cursor, &place))?;
        }
        for (index, expr) in self.outputs.iter().enumerate() {
            let place = || format!("output {index}");
            assembly.output(expr, |own| names.find(own, &mut cursor, &place))?;
        }
        assembly.build()
    }
}

/// What the names stand for.
struct Names(SymbolMap<TapeName>);

impl Names {
    fn new(builder: &TapeBuilder) -> Result<Self, CompileError> {
        let inputs = builder.parameters.len() + builder.variables.len();
        let mut names = SymbolMap::with_capacity(inputs + builder.definitions.len());
        let mut declare = |symbol: &Symbol, name| {
            let symbol_is_new = names.add(symbol, name);
            symbol_is_new
                .then_some(())
                .ok_or_else(|| CompileError::Duplicate {
                    symbol: symbol.clone(),
                })
        };
        for (index, symbol) in builder.parameters.iter().enumerate() {
            declare(symbol, TapeName::Parameter(index))?;
        }
        for (index, symbol) in builder.variables.iter().enumerate() {
            declare(symbol, TapeName::Variable(index))?;
        }
        for (index, (symbol, _)) in builder.definitions.iter().enumerate() {
            declare(symbol, TapeName::Definition(index))?;
        }
        Ok(Self(names))
    }

    fn find(
        &self,
        symbol: &Symbol,
        cursor: &mut SymbolCursor,
        place: &dyn Fn() -> String,
    ) -> Result<TapeName, CompileError> {
        let found = self.0.get_near(symbol, cursor).copied();
        found.ok_or_else(|| {
            let known = self.0.iter().map(|(known, _)| known.name());
            CompileError::UnknownSymbol {
                symbol: symbol.clone(),
                place: place(),
                nearest: nearest(symbol.name(), known).map(Symbol::new),
            }
        })
    }
}
