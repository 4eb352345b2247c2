//! One child process: started in its own group, watched, ended in time, waited for.

use std::ffi::OsString;
use std::fmt;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use wait4::{ResUse, Wait4 as _};

use super::procfs::{self, Observation, Watched};

/// Longest time that a killed child may take to disappear.
const REAP: Duration = Duration::from_secs(2);
/// Bytes of standard output that are kept; the rest is read and dropped.
const OUTPUT_KEPT: usize = 8 << 20;
/// Bytes of standard error that are kept, the last ones.
const ERRORS_KEPT: usize = 16 << 10;

/// A child to be run.
#[derive(Clone, Debug)]
pub struct Job {
    /// Path of the program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its working directory.
    pub directory: PathBuf,
    /// Its whole environment; nothing is inherited.
    pub environment: Vec<(OsString, OsString)>,
    /// After this time the child and its process group are killed.
    pub timeout: Duration,
}

impl Job {
    /// A job with the environment of every sample: the caller's `PATH`, `LC_ALL=C`, `TZ=UTC`.
    pub fn new(program: &Path, directory: &Path, timeout: Duration) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let environment: [(&str, OsString); 3] =
            [("PATH", path), ("LC_ALL", "C".into()), ("TZ", "UTC".into())];
        Self {
            program: program.to_owned(),
            arguments: Vec::new(),
            directory: directory.to_owned(),
            environment: environment.map(|(key, value)| (key.into(), value)).into(),
            timeout,
        }
    }

    /// The same job with more arguments.
    #[must_use]
    pub fn with(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, from whomever.
    Signalled(i32),
    /// Killed by us because it took longer than it may.
    TimedOut(Duration),
}

impl Ending {
    fn of(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signalled(signal);
        }
        // Without a signal there is a code on every system.
        Self::Exited(status.code().unwrap_or(-1))
    }

    /// Whether the child says that all went well.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Exited(0)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit code {code}"),
            Self::Signalled(signal) => write!(f, "killed by signal {signal}"),
            Self::TimedOut(after) => write!(f, "timeout after {:.1} s", after.as_secs_f64()),
        }
    }
}

/// A line of standard output and when it arrived.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Time since the child was started.
    pub after: Duration,
    /// The line, without its end.
    pub text: String,
}

/// What is left of a child.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How it ended.
    pub ending: Ending,
    /// Time from start to end.
    pub wall: Duration,
    /// Processor time, user and system, descendants it waited for included.
    pub cpu: Duration,
    /// `ru_maxrss` in bytes. On Linux it is at least the peak of the process that started the
    /// child, see [`parent_peak`](Self::parent_peak).
    pub maxrss: Option<u64>,
    /// Largest resident set of the child that watching from outside has seen, in bytes.
    pub watched_peak: Option<u64>,
    /// Peak of this process when it started the child.
    pub parent_peak: Option<u64>,
    /// Lines of standard output.
    pub lines: Vec<Arrival>,
    /// The end of standard error.
    pub errors: String,
    /// Processes of its group that it had left behind, and that were killed.
    pub strays: usize,
}

impl Finished {
    /// A lower bound of the peak of a child that did not live to report its own: what was
    /// watched, and what the kernel reports if that cannot be this process's own.
    #[must_use]
    pub fn peak_lower_bound(&self) -> Option<u64> {
        let own = self.parent_peak.unwrap_or(0);
        self.watched_peak.max(
            self.maxrss
                .filter(|&peak| peak > own.saturating_add(own / 20)),
        )
    }
}

/// Runs the child to its end.
///
/// # Errors
///
/// When it cannot be started, or does not go away when killed. How it ended is no error.
pub fn run(job: &Job) -> anyhow::Result<Finished> {
    let parent_peak = procfs::own_peak();
    let start = Instant::now();
    let mut child = spawn(job)?;
    let lines = child.stdout.take().map(|stream| read_lines(stream, start));
    let errors = child.stderr.take().map(read_tail);
    let group = child.id();
    let (ending, used, watched_peak) = watch(&mut child, job.timeout, start)?;
    let wall = start.elapsed();
    let strays = end_group(group);
    Ok(Finished {
        ending,
        wall,
        cpu: used.rusage.utime + used.rusage.stime,
        maxrss: Some(used.rusage.maxrss).filter(|&bytes| bytes > 0),
        watched_peak,
        parent_peak,
        lines: lines.map(collect).unwrap_or_default(),
        errors: errors
            .map(|tail| collect(tail).concat())
            .unwrap_or_default(),
        strays,
    })
}

fn spawn(job: &Job) -> anyhow::Result<Child> {
    let mut command = Command::new(&job.program);
    command
        .args(&job.arguments)
        .current_dir(&job.directory)
        .env_clear()
        .envs(job.environment.iter().map(|(key, value)| (key, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
        .spawn()
        .with_context(|| format!("cannot start {}", job.program.display()))
}

/// Waits for the end, kills when the time is over, and notes the resident set on the way.
fn watch(
    child: &mut Child,
    timeout: Duration,
    start: Instant,
) -> anyhow::Result<(Ending, ResUse, Option<u64>)> {
    let watched = Watched::new(child.id());
    let mut peak = None;
    let mut pause = Duration::from_micros(200);
    let mut looked = start;
    let mut killed: Option<Instant> = None;
    loop {
        if let Some(used) = child.try_wait4().context("cannot wait for the child")? {
            let ending = match killed {
                Some(_) => Ending::TimedOut(timeout),
                None => Ending::of(used.status),
            };
            return Ok((ending, used, peak));
        }
        match killed {
            None if start.elapsed() >= timeout => {
                // Not waited for yet, so the id is still the child's.
                kill_group(child.id());
                // The leader may have left the group. That it has ended meanwhile is no error.
                drop(child.kill());
                killed = Some(Instant::now());
                pause = Duration::from_millis(1);
            }
            Some(since) if since.elapsed() > REAP => {
                bail!("process {} does not end when killed", child.id());
            }
            _ => {}
        }
        if looked.elapsed() >= Duration::from_millis(20) {
            looked = Instant::now();
            if let Some(Observation::Alive(seen)) = watched.map(Watched::observe) {
                peak = peak.max(seen);
            }
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// Kills what is left of a group whose leader has been waited for; how many there were.
fn end_group(group: u32) -> usize {
    let strays = procfs::group_members(group).len();
    if strays > 0 {
        kill_group(group);
        let since = Instant::now();
        while !procfs::group_members(group).is_empty() && since.elapsed() < REAP {
            thread::sleep(Duration::from_millis(2));
        }
    }
    strays
}

/// Sends the kill signal to every member of a process group.
///
/// The shell's `kill` does it: the standard library can signal a single process only, and a
/// system call of our own would need unsafe code.
fn kill_group(group: u32) {
    let mut shell = Command::new("/bin/sh");
    shell
        .arg("-c")
        .arg("kill -9 \"-$1\"")
        .arg("kill")
        .arg(group.to_string());
    shell
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // Failure means that nobody is left to be killed; survivors are looked for afterwards.
    drop(shell.status());
}

fn read_lines(stream: impl Read + Send + 'static, start: Instant) -> Receiver<Arrival> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut kept = 0;
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            // A line without end must not fill the memory: it is cut, and so not JSON.
            let limit = u64::try_from(OUTPUT_KEPT).unwrap_or(u64::MAX);
            match reader.by_ref().take(limit).read_until(b'\n', &mut bytes) {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            let after = start.elapsed();
            kept += bytes.len();
            if kept <= OUTPUT_KEPT {
                let text = String::from_utf8_lossy(&bytes)
                    .trim_end_matches(['\n', '\r'])
                    .into();
                if sender.send(Arrival { after, text }).is_err() {
                    break;
                }
            }
        }
    });
    receiver
}

fn read_tail(mut stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut tail: Vec<u8> = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(count) => tail.extend_from_slice(&buffer[..count]),
            }
            if tail.len() > 2 * ERRORS_KEPT {
                tail.drain(..tail.len() - ERRORS_KEPT);
            }
        }
        // The receiver has given up when the stream was held open by somebody else.
        drop(sender.send(String::from_utf8_lossy(&tail).into_owned()));
    });
    receiver
}

/// Everything that was read. A process that left the group may hold the stream open; then what
/// came within a second is all.
fn collect<T>(receiver: Receiver<T>) -> Vec<T> {
    let deadline = Instant::now() + Duration::from_secs(1);
    let mut items = Vec::new();
    loop {
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(item) => items.push(item),
            Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => return items,
        }
    }
}
