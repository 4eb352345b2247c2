//! The project's own commands, run as `cargo xtask COMMAND`.
//!
//! One module per command under [`commands`]; the doc comments of [`cli`] are the manual that
//! `--help` prints. A command returns a [`report::Report`], whose exit code is documented in
//! [`report::Exit`]. Nothing here depends on a crate of the workspace: the tool that judges the
//! libraries must build when they do not.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stderr,
    reason = "a command-line tool answers on its standard streams"
)]

pub mod baseline;
pub mod check;
pub mod cli;
pub mod commands;
pub mod measure;
pub mod render;
pub mod report;
pub mod streamed;
pub mod workspace;

pub use cli::main;
