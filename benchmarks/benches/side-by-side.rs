//! Two threads of one process beside two processes of one thread each.
//!
//! `cargo bench -p benchmarks --bench side-by-side -- [WORK] [SIZE] [ROUNDS]` does one of
//!
//! - `sweep` (the default): members of the decay diagram, of which final values are kept;
//! - `population`: subjects of the model of precautionary savings, by their rows, dropped;
//! - `grid-search`: the retirement model with so many nodes of wealth, 800 of consumption.
//!
//! Each round runs one process with two threads and then two processes at the same time; every
//! process warms up first and starts when it is told to, so that only the work is timed. Printed
//! are the medians and the ratio of the throughputs.
#![expect(
    clippy::print_stdout,
    reason = "the ratio is the point of this program"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use benchmarks::models;
use bifrons_lifecycle::{Population, SimulateOptions, SolveOptions};
use bifrons_parallel::Threads;
use bifrons_sim::{Sweep, uniform_times};
use bifrons_table::{Batch, Schema, SinkError, TableSink};

const USAGE: &str = "usage: side-by-side [sweep|population|grid-search] [SIZE] [ROUNDS]";

fn main() -> anyhow::Result<()> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if let [mode, work, size, threads] = arguments.as_slice()
        && mode == "child"
    {
        return serve(work, size.parse()?, threads.parse()?);
    }
    let named = arguments
        .first()
        .filter(|text| text.parse::<usize>().is_err());
    let work = named.map_or("sweep", |text| text.as_str());
    let numbers = &arguments[usize::from(named.is_some())..];
    let number = |index: usize, default: usize| -> anyhow::Result<usize> {
        numbers
            .get(index)
            .map_or(Ok(default), |text| text.parse().context(USAGE))
    };
    let size = match work {
        "grid-search" => 100,
        _ => 100_000,
    };
    let (members, rounds) = (number(0, size)?, number(1, 9)?);
    ensure!(members > 0 && rounds > 0, "{USAGE}");
    let start = |threads: usize| Worker::start(work, members, threads);
    let mut threads = vec![start(2)?];
    let mut processes = vec![start(1)?, start(1)?];
    let (mut together, mut apart) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        together.push(round(&mut threads)? / members as f64);
        apart.push(round(&mut processes)? / (2 * members) as f64);
    }
    let (together, apart) = (median(&mut together), median(&mut apart));
    println!("{work}: size {members}, medians of {rounds} rounds");
    println!(
        "one process, two threads:  {:8.1} ns per unit of size",
        together
    );
    println!(
        "two processes, one thread: {:8.1} ns per unit of size",
        apart
    );
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
    fn start(work: &str, size: usize, threads: usize) -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["child", work, &size.to_string(), &threads.to_string()])
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

/// Does the work of a child.
fn serve(work: &str, size: usize, threads: usize) -> anyhow::Result<()> {
    let threads = Threads::new(threads)?;
    match work {
        "sweep" => sweep(size, threads),
        "population" => population(size, threads),
        "grid-search" => grid_search(size, threads),
        other => anyhow::bail!("unknown work `{other}`; {USAGE}"),
    }
}

/// Works once to warm up, then once per line of standard input.
fn repeat(mut job: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<()> {
    job()?;
    println!("done");
    for line in std::io::stdin().lock().lines() {
        line?;
        job()?;
        println!("done");
    }
    Ok(())
}

fn sweep(members: usize, threads: Threads) -> anyhow::Result<()> {
    let system = bifrons_problems::decay()?;
    let sweep = Sweep::builder(&system)
        .span(0.0, 5.0)
        .column("gain.k", uniform_times(-0.5, -2.5, members))
        .tolerance(1e-6, 1e-8)
        .threads(threads)
        .build()?;
    repeat(|| {
        let result = sweep.run()?;
        ensure!(result.failures().is_empty(), "members failed");
        Ok(())
    })
}

fn population(subjects: usize, threads: Threads) -> anyhow::Result<()> {
    let solution = models::precautionary(100, true)?.solve()?;
    let wealth: Vec<f64> = (0..subjects).map(|i| 1.0 + (i % 50) as f64).collect();
    let people = Population::new(subjects, "life")
        .state("m", wealth)
        .state_of_all("income", 2.0);
    let options = SimulateOptions::new().threads(threads);
    repeat(|| {
        let report = solution.simulate_into(&people, &options, &mut Nowhere)?;
        ensure!(report.rows == 5 * subjects, "rows are missing");
        Ok(())
    })
}

fn grid_search(wealth: usize, threads: Threads) -> anyhow::Result<()> {
    let problem = models::retirement(8, wealth, Some(800), &[(1.0, 1.0)])?;
    let options = SolveOptions::new().threads(threads);
    repeat(|| {
        drop(problem.solve_with(&options)?);
        Ok(())
    })
}

/// A sink that drops all rows.
struct Nowhere;

impl TableSink for Nowhere {
    fn begin(&mut self, _: &Schema) -> Result<(), SinkError> {
        Ok(())
    }

    fn append(&mut self, _: &Batch<'_>) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        Ok(())
    }
}
