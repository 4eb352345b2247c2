//! The programs that compete: how each is built, and what is missing where one is not.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

use crate::measure::cargo_build::PROFILE;
use crate::report::note;
use crate::workspace::Workspace;

/// The workspace of the peers, relative to the root.
const FOLDER: &str = "benchmarks/peers";
/// Packages in it, and the names of their programs.
const PACKAGES: [(&str, &str); 3] = [
    ("diffsol", "peer-diffsol"),
    ("differential-equations", "peer-differential-equations"),
    ("ode_solvers", "peer-ode-solvers"),
];
/// Libraries of the C++ program.
const LIBRARIES: [&str; 11] = [
    "sundials_cvode",
    "sundials_ida",
    "sundials_nvecserial",
    "sundials_sunlinsolklu",
    "sundials_sunlinsoldense",
    "sundials_sunlinsolband",
    "sundials_sunmatrixdense",
    "sundials_sunmatrixband",
    "sundials_sunmatrixsparse",
    "sundials_sunnonlinsolfixedpoint",
    "klu",
];

/// A program that speaks the protocol.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// Name of the package.
    pub name: &'static str,
    /// The program.
    pub program: PathBuf,
    /// Arguments that it always needs.
    pub arguments: Vec<String>,
    /// Whether it is the one of this workspace.
    pub ours: bool,
}

/// A peer that could not be built.
#[derive(Clone, Debug)]
pub struct Absent {
    /// Name of the package.
    pub name: &'static str,
    /// What to do about it.
    pub remedy: String,
}

/// Builds ours and every peer that can be built.
///
/// # Errors
///
/// When ours does not build.
pub fn gather(
    workspace: &Workspace,
    quiet: bool,
) -> anyhow::Result<(Vec<Contestant>, Vec<Absent>)> {
    let mut contestants = vec![ours(workspace, quiet)?];
    let mut absent = Vec::new();
    let target = workspace.scratch().join("peers");
    for (name, program) in PACKAGES {
        if !quiet {
            note(format_args!("building {name}"));
        }
        match package(workspace, &target, program, quiet) {
            Ok(()) => contestants.push(Contestant {
                name,
                program: target.join("release").join(program),
                arguments: Vec::new(),
                ours: false,
            }),
            Err(error) => absent.push(Absent {
                name,
                remedy: format!("{error:#}; needs the registry once: `cargo fetch` in {FOLDER}"),
            }),
        }
    }
    match sundials(workspace, &target) {
        Ok(contestant) => contestants.push(contestant),
        Err(error) => absent.push(Absent {
            name: "sundials",
            remedy: format!("{error:#}; on Debian: apt-get install g++ libsundials-dev"),
        }),
    }
    Ok((contestants, absent))
}

fn ours(workspace: &Workspace, quiet: bool) -> anyhow::Result<Contestant> {
    let mut command = workspace.cargo();
    command.args(["build", "--profile", PROFILE, "--package", "benchmarks"]);
    command.args(["--bin", "contestant"]);
    built(&mut command, quiet).context("our contestant does not build")?;
    Ok(Contestant {
        name: "bifrons",
        // Cargo puts the profile `bench` there.
        program: workspace.target().join("release/contestant"),
        arguments: Vec::new(),
        ours: true,
    })
}

fn package(workspace: &Workspace, target: &Path, program: &str, quiet: bool) -> anyhow::Result<()> {
    let mut command = workspace.cargo();
    command
        .current_dir(workspace.root().join(FOLDER))
        .args(["build", "--release", "--package", program])
        .arg("--target-dir")
        .arg(target);
    built(&mut command, quiet)
}

fn built(command: &mut Command, quiet: bool) -> anyhow::Result<()> {
    if quiet {
        command.arg("--quiet");
    }
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let status = command.status().context("cannot start cargo")?;
    if !status.success() {
        bail!("cargo ended with {status}");
    }
    Ok(())
}

/// Compiles the C++ program with the system's compiler.
fn sundials(workspace: &Workspace, target: &Path) -> anyhow::Result<Contestant> {
    let folder = workspace.root().join(FOLDER).join("sundials");
    std::fs::create_dir_all(target).context("cannot make the folder of the program")?;
    let program = target.join("peer-sundials");
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let mut command = Command::new(&compiler);
    command
        .args(["-std=c++17", "-O3", "-I/usr/include/suitesparse"])
        .arg(folder.join("main.cpp"))
        .arg("-o")
        .arg(&program)
        .args(LIBRARIES.map(|library| format!("-l{library}")));
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", compiler.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said
            .lines()
            .find(|line| line.contains("error"))
            .unwrap_or_default();
        bail!("the C++ program does not compile: {first}");
    }
    let data = workspace.root().join("crates/bifrons-problems/data/ode");
    Ok(Contestant {
        name: "sundials",
        program,
        arguments: vec!["--data".to_owned(), data.display().to_string()],
        ours: false,
    })
}
