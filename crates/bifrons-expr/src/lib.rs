//! Expressions over named symbols, and tapes that evaluate them for many members at once.
#![forbid(unsafe_code)]

mod affine;
mod condition;
mod cone;
mod derivative;
mod error;
mod evaluate;
mod expr;
mod function;
mod graph;
mod jacobian;
mod node;
mod normal;
mod op;
mod operators;
mod parse;
mod print;
mod simplify;
mod substitute;
mod suggest;
mod switches;
mod symbol;
mod tape;

pub use affine::Affine;
pub use condition::Condition;
pub use error::{CompileError, EvaluateError};
pub use expr::Expr;
pub use jacobian::{Jacobian, Pattern, sparsity};
pub use parse::{ParseError, ParseErrorKind, Parser};
pub use switches::{Crossing, Evidence, Owner, Switch, SwitchKind, Switches};
pub use symbol::Symbol;
pub use tape::{Registers, Tape, TapeBuilder};
