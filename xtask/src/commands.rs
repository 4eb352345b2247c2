//! One module per command; each has `run(args, &Workspace) -> anyhow::Result<Report>`.

pub mod bench;
pub mod bench_memory;
pub mod bench_time;
pub mod check;
pub mod ci;
pub mod docs;
pub mod peers;
pub mod release;
pub mod test;
