//! Measuring: processes, what the kernel says about them, and what they say themselves.

pub mod callgrind;
pub mod cargo_build;
pub mod catalogue;
pub mod cgroup;
pub mod child;
pub mod cold;
pub mod machine;
pub mod metric;
pub mod procfs;
pub mod protocol;
pub mod sample;
pub mod session;
