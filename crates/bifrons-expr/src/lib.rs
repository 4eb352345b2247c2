//! Expressions over named symbols whose piecewise structure is known, and tapes that evaluate
//! them for many members at once.
//!
//! An [`Expr`] is built with operators and functions or read from text. It is a shared, immutable
//! graph of any depth: nothing here recurses, not even `Drop`. What other tools ask a modeller to
//! declare is read off the expression:
//!
//! | question | answer |
//! |---|---|
//! | slope | [`Expr::derivative`], [`Jacobian`], [`sparsity`] |
//! | straight in a symbol? | [`Expr::affine_in`], [`Expr::inverse`] |
//! | where does it switch? | [`Expr::switches`], [`Expr::pieces_along`], [`Expr::smoothness`] |
//! | how large, which way? | [`Expr::interval`], [`Enclosure`], [`Expr::monotone`] |
//! | shorter form | [`Expr::simplify`] |
//! | text | `to_string`, [`Expr::parse`], [`Parser`] |
//! | do its units fit? | [`Expr::unit`], [`Unit`], [`Source`] |
//!
//! What is no formula, a closure or a table of `bifrons-grids`, is called as a [`Function`].
//!
//! A [`Tape`] is compiled from expressions by [`TapeBuilder`] and evaluated for `W` members at
//! once. Its results have the bits of [`Expr::evaluate`] for every width and instruction set; NaN
//! counts as one value.
//!
//! ```
//! use bifrons_expr::{Expr, Symbol, TapeBuilder};
//! use bifrons_lanes::Level;
//!
//! let [x, v, mu] = ["x", "v", "mu"].map(Expr::symbol);
//! let tape = TapeBuilder::new()
//!     .parameters([Symbol::new("mu")])
//!     .variables(["x", "v"].map(Symbol::new))
//!     .output(v.clone())
//!     .output(&mu * (1.0 - x.powi(2)) * &v - &x)
//!     .build()?;
//! let mut registers = tape.registers::<1>();
//! tape.set_parameters(&mut registers, 0, &[5.0]);
//! let mut slope = [[0.0]; 2];
//! tape.evaluate(Level::detect(), &mut registers, &[&[[2.0], [1.0]]], &mut slope);
//! assert_eq!(slope, [[1.0], [-17.0]]);
//! # Ok::<(), bifrons_expr::CompileError>(())
//! ```
//!
//! The crate has no features.
#![forbid(unsafe_code)]

mod affine;
mod condition;
mod cone;
mod derivative;
mod error;
mod evaluate;
mod expr;
mod external;
mod function;
mod graph;
mod hoist;
mod interval;
mod inverse;
mod jacobian;
mod name_index;
mod node;
mod normal;
mod op;
mod operators;
mod parse;
mod pieces;
mod print;
mod shape;
mod simplify;
mod small;
mod substitute;
mod suggest;
mod switches;
mod symbol;
mod symbol_map;
mod tape;
mod unit;

pub use affine::Affine;
pub use condition::Condition;
pub use error::{CompileError, EvaluateError};
pub use expr::Expr;
pub use external::{Function, FunctionBuilder, FunctionError};
pub use hoist::{Hoisted, Operand, Part};
pub use interval::{Bounds, Enclosure, EnclosureMemory, Interval};
pub use inverse::Inverse;
pub use jacobian::{Jacobian, Pattern, sparsity};
pub use name_index::{NameIndex, SymbolCursor};
pub use parse::{ParseError, ParseErrorKind, Parser, Source};
pub use pieces::{Breakpoint, Located, Pieces};
pub use shape::{Monotonicity, Smoothness};
pub use switches::{Crossing, Evidence, Owner, Switch, SwitchKind, Switches};
pub use symbol::Symbol;
pub use symbol_map::SymbolMap;
pub use tape::{Registers, Tape, TapeAssembly, TapeBuilder, TapeName};
pub use unit::{
    Dimension, Exponent, Unit, UnitError, UnitErrorKind, UnitParseError, UnitParseErrorKind,
    UnitTable,
};
