//! The solvers of this workspace on the reference problems, one line of JSON per run; what
//! `cargo xtask peers` compares with other packages.
#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::process::ExitCode;

use benchmarks::Bifrons;
use bifrons_problems::contest::{Arguments, run};

/// Exit code: the arguments make no sense.
const USED_WRONGLY: u8 = 2;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => return complain(&error, ExitCode::from(USED_WRONGLY)),
    };
    match run(&Bifrons, &arguments, &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(&error, ExitCode::FAILURE),
    }
}

fn complain(error: &dyn core::error::Error, code: ExitCode) -> ExitCode {
    // A closed standard error is no reason to change the code.
    let _ = writeln!(io::stderr(), "error: {error}");
    code
}
