//! Instruction counts by valgrind's callgrind.
//!
//! The count covers the whole process, from the dynamic linker to the exit. It varies by about
//! 1e-5, does not depend on load, and is comparable for one target, compiler and level of the
//! instruction set only.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Finds valgrind on the search path.
#[must_use]
pub fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join("valgrind"))
        .find(|file| file.is_file())
}

/// The arguments with which valgrind counts `program`; those of the program follow.
#[must_use]
pub fn arguments(program: &Path) -> Vec<OsString> {
    vec![
        "--tool=callgrind".into(),
        "--callgrind-out-file=/dev/null".into(),
        program.as_os_str().to_owned(),
    ]
}

/// The number of instructions in the report that callgrind writes on standard error.
#[must_use]
pub fn collected(errors: &str) -> Option<u64> {
    let line = errors
        .lines()
        .find_map(|line| line.split_once("Collected :"))?;
    line.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_is_found_in_the_report() {
        let report = "==9== Events    : Ir\n==9== Collected : 35039310\n==9== \n\
            ==9== I   refs:      35,039,310\n";
        assert_eq!(collected(report), Some(35_039_310), "the plain number");
        assert_eq!(collected("==9== Collected : \n"), None, "no number");
        assert_eq!(collected("killed"), None, "no report");
    }
}
