//! Links the measured programs so that a process holds few pages beside those of its scenario.
//!
//! A position-independent program writes the address of everything it contains when it starts, so
//! each process would pay resident pages for all scenarios, not for the one that it runs: it is
//! linked to fixed addresses. Shared libraries would be mapped and relocated by each process, 1 MiB
//! of a floor of 3.3 MiB: they are linked in where the C compiler has archives of all of them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What programs ask for, and the archive of the compiler that answers.
const ARCHIVES: [(&str, &str); 3] = [
    ("libc.a", "libc.a"),
    ("libm.a", "libm.a"),
    ("libgcc_s.a", "libgcc_eh.a"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |key: &str| std::env::var(key).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    if target("CARGO_CFG_TARGET_ENV") == "gnu"
        && target("HOST") == target("TARGET")
        && let Some(folder) = std::env::var_os("OUT_DIR").map(PathBuf::from)
        && ARCHIVES
            .iter()
            .all(|(name, archive)| copy(archive, &folder.join(name)))
    {
        // Not a search path of the whole package: tests and examples keep shared libraries.
        println!("cargo::rustc-link-arg-bins=-L{}", folder.display());
        println!("cargo::rustc-link-arg-bins=-static");
    }
}

/// Copies an archive of the C compiler; `false` if there is none.
fn copy(archive: &str, to: &Path) -> bool {
    let flag = format!("-print-file-name={archive}");
    let Ok(output) = Command::new("cc").arg(flag).output() else {
        return false;
    };
    let answer = String::from_utf8_lossy(&output.stdout);
    // The compiler answers with the bare name if it has no such file.
    let path = Path::new(answer.trim());
    path.is_absolute() && std::fs::copy(path, to).is_ok()
}
