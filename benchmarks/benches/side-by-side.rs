//! Two threads of one process beside two processes of one thread each.
//!
//! `cargo bench -p benchmarks --bench side-by-side -- [MEMBERS] [ROUNDS]` sweeps the decay diagram
//! and keeps final values. Each round runs
//! one process with two threads and then two processes at the same time; every process warms up
//! first and starts when it is told to, so that only the sweep is timed. Printed are the medians
//! and the ratio of the throughputs (members per second).
#![expect(
    clippy::print_stdout,
    reason = "the ratio is the point of this program"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use bifrons_parallel::Threads;
use bifrons_sim::{Sweep, uniform_times};

const USAGE: &str = "usage: side-by-side [MEMBERS] [ROUNDS]";

fn main() -> anyhow::Result<()> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if let [mode, members, threads] = arguments.as_slice()
        && mode == "child"
    {
        return serve(members.parse()?, threads.parse()?);
    }
    let number = |index: usize, default: usize| -> anyhow::Result<usize> {
        arguments
            .get(index)
            .map_or(Ok(default), |text| text.parse().context(USAGE))
    };
    let (members, rounds) = (number(0, 100_000)?, number(1, 9)?);
    ensure!(members > 0 && rounds > 0, "{USAGE}");
    let mut threads = vec![Worker::start(members, 2)?];
    let mut processes = vec![Worker::start(members, 1)?, Worker::start(members, 1)?];
    let (mut together, mut apart) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        together.push(round(&mut threads)? / members as f64);
        apart.push(round(&mut processes)? / (2 * members) as f64);
    }
    let (together, apart) = (median(&mut together), median(&mut apart));
    println!("{members} members, medians of {rounds} rounds");
    println!("one process, two threads:  {:8.1} ns per member", together);
    println!("two processes, one thread: {:8.1} ns per member", apart);
    println!(
        "throughput of threads / processes: {:.3} (target >= 0.93)",
        apart / together
    );
    Ok(())
}

/// Nanoseconds until the last of the workers has finished one sweep.
fn round(workers: &mut [Worker]) -> anyhow::Result<f64> {
    let start = Instant::now();
    for worker in workers.iter_mut() {
        writeln!(worker.input, "go").context("a process ended early")?;
    }
    for worker in workers.iter_mut() {
        worker.answer()?;
    }
    Ok(start.elapsed().as_nanos() as f64)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// A process that sweeps whenever it is told to.
struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Worker {
    fn start(members: usize, threads: usize) -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["child", &members.to_string(), &threads.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the process cannot be started")?;
        let input = child.stdin.take().context("no standard input")?;
        let output = BufReader::new(child.stdout.take().context("no standard output")?);
        let mut worker = Self {
            child,
            input,
            output,
        };
        worker.answer()?;
        Ok(worker)
    }

    fn answer(&mut self) -> anyhow::Result<()> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        ensure!(line == "done\n", "a process ended early");
        Ok(())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Ends the loop of the child; nothing depends on how it ends.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Sweeps once to warm up, then once per line of standard input.
fn serve(members: usize, threads: usize) -> anyhow::Result<()> {
    let system = bifrons_problems::decay()?;
    let sweep = Sweep::builder(&system)
        .span(0.0, 5.0)
        .column("gain.k", uniform_times(-0.5, -2.5, members))
        .tolerance(1e-6, 1e-8)
        .threads(Threads::new(threads)?)
        .build()?;
    let answer = || -> anyhow::Result<()> {
        let result = sweep.run()?;
        ensure!(result.failures().is_empty(), "members failed");
        println!("done");
        Ok(())
    };
    answer()?;
    for line in std::io::stdin().lock().lines() {
        line?;
        answer()?;
    }
    Ok(())
}
