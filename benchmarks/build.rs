//! Links the measured programs to fixed addresses.
//!
//! A position-independent program writes the address of everything it contains when it starts, so
//! each process would pay resident pages for all scenarios, not for the one that it runs.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
