//! What can go wrong.

use crate::symbol::Symbol;

/// Evaluation of an expression at a point failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The point gives no value for a symbol that occurs.
    #[error("symbol `{symbol}` has no value at this point: supply one or substitute it before")]
    UnknownSymbol {
        /// The symbol.
        symbol: Symbol,
    },
}

/// Compilation of a tape failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// A symbol is neither a parameter nor a variable nor an earlier definition.
    #[error("{place} uses the unknown symbol `{symbol}`{}: declare it as parameter or variable, or define it before", hint(.nearest.as_ref()))]
    UnknownSymbol {
        /// The symbol.
        symbol: Symbol,
        /// Where it is used: an output by index or a definition by name.
        place: String,
        /// The known name that is closest in spelling.
        nearest: Option<Symbol>,
    },
    /// A definition is used by itself or by an earlier definition.
    #[error(
        "{place} uses `{symbol}` before its definition is complete: order the definitions so that each uses earlier ones only"
    )]
    UsedBeforeDefinition {
        /// The symbol.
        symbol: Symbol,
        /// The definition that uses it.
        place: String,
    },
    /// Two inputs or definitions have the same name.
    #[error(
        "`{symbol}` is declared twice: each parameter, variable and definition needs its own name"
    )]
    Duplicate {
        /// The name.
        symbol: Symbol,
    },
    /// More registers than a tape can index.
    #[error(
        "the program needs {needed} registers or outputs, the limit is {limit}: split the outputs over several tapes"
    )]
    TooLarge {
        /// Registers or outputs that the program needs, whichever is more.
        needed: usize,
        /// The most that a tape can have.
        limit: usize,
    },
}

fn hint(nearest: Option<&Symbol>) -> String {
    nearest
        .map(|symbol| format!(" (nearest known name: `{symbol}`)"))
        .unwrap_or_default()
}
