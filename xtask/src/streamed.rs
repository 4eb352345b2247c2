//! Running a command whose output is for the person who waits and, in part, for us.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;

/// Runs a command, passes both of its streams on line by line, and hands every line to `look`.
///
/// The streams are copied by one thread each, so that the child never waits for us; `look` is
/// called on the calling thread.
///
/// # Errors
///
/// When the command cannot be started or a stream cannot be read. A closed stream of our own is
/// no error: the child's work counts, not who reads about it.
pub fn run(command: &mut Command, mut look: impl FnMut(&str)) -> io::Result<ExitStatus> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (sender, lines) = mpsc::channel::<String>();
    let copied = thread::scope(|scope| {
        let errors = sender.clone();
        let first = scope.spawn(move || copy(stdout, io::stdout(), &sender));
        let second = scope.spawn(move || copy(stderr, io::stderr(), &errors));
        for line in lines {
            look(&line);
        }
        let joined = [first, second].map(thread::ScopedJoinHandle::join);
        joined.into_iter().try_for_each(|result| {
            result.unwrap_or_else(|_| Err(io::Error::other("copying a stream panicked")))
        })
    });
    let status = child.wait()?;
    copied.map(|()| status)
}

fn copy(
    from: Option<impl Read>,
    mut to: impl Write,
    lines: &mpsc::Sender<String>,
) -> io::Result<()> {
    let Some(from) = from else {
        return Ok(());
    };
    let mut from = BufReader::new(from);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if from.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(());
        }
        // Nobody may be listening any more; the child still has to be drained.
        drop(to.write_all(&bytes).and_then(|()| to.flush()));
        let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        drop(lines.send(line));
    }
}
