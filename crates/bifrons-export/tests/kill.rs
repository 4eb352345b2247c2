//! A writer is killed at many moments: the target is whole or as before, and CSV goes on.
//!
//! The binary starts itself as the writer; `CHILD` says what to write.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot write its files fails"
)]
#![expect(clippy::print_stdout, reason = "this binary is its own test harness")]

#[path = "sample/rows.rs"]
mod rows;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use bifrons_export::{CsvSink, Partial};
use bifrons_table::{MemorySink, TableSink};

const CHILD: &str = "BIFRONS_EXPORT_KILL_CHILD";
const CHUNKS: u64 = 40;
const CHUNK_ROWS: u64 = 200;
const TRIALS: u64 = 45;

fn main() {
    if let Some(format) = std::env::var_os(CHILD) {
        let path = std::env::args().nth(1).unwrap();
        return child(format.to_str().unwrap(), Path::new(&path));
    }
    let mut formats = vec!["csv", "csv-keep"];
    if cfg!(feature = "arrow") {
        formats.push("arrow");
    }
    if cfg!(feature = "parquet") {
        formats.push("parquet");
    }
    for format in formats {
        let (whole, cut) = kill_at_many_moments(format);
        println!("kill {format}: ok, {whole} files whole, {cut} interrupted");
        assert!(
            cut > 0,
            "{format}: some writers were killed before their end"
        );
    }
}

fn sink(format: &str, path: &Path) -> Box<dyn TableSink> {
    match format {
        "csv" => Box::new(CsvSink::create(path)),
        "csv-keep" => Box::new(CsvSink::create(path).partial(Partial::Keep)),
        #[cfg(feature = "arrow")]
        "arrow" => Box::new(bifrons_export::ArrowSink::create(path)),
        #[cfg(feature = "parquet")]
        "parquet" => Box::new(bifrons_export::ParquetSink::create(path)),
        _ => Box::new(MemorySink::with_limit(0)),
    }
}

/// Writes all rows and tells of each chunk, so that the parent can choose its moment.
fn child(format: &str, path: &Path) {
    let mut sink = sink(format, path);
    let mut told = std::io::stdout();
    let mut tell = |chunk: u64| {
        writeln!(told, "{chunk}").unwrap();
        told.flush().unwrap();
    };
    sink.begin(&rows::schema()).unwrap();
    for chunk in 0..CHUNKS {
        tell(chunk);
        let start = chunk * CHUNK_ROWS;
        sink.append(&rows::table(start..start + CHUNK_ROWS).batch())
            .unwrap();
    }
    tell(CHUNKS);
    sink.finish().unwrap();
    tell(CHUNKS + 1);
    // Wait for the end without a clock.
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// Runs the writer to its end.
fn reference(format: &str) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let mut sink = sink(format, &path);
    sink.begin(&rows::schema()).unwrap();
    sink.append(&rows::table(0..CHUNKS * CHUNK_ROWS).batch())
        .unwrap();
    sink.finish().unwrap();
    std::fs::read(&path).unwrap()
}

/// Number of runs whose file was whole, and of those that were interrupted.
fn kill_at_many_moments(format: &str) -> (u64, u64) {
    let expected = reference(format);
    let (mut whole, mut cut) = (0, 0);
    for trial in 0..TRIALS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        // Every third run replaces an older file.
        let older = (trial % 3 == 0).then_some(b"older".to_vec());
        if let Some(older) = &older {
            std::fs::write(&path, older).unwrap();
        }
        // Moments are spread over all chunks, and over the work between two messages.
        let last_told = trial * (CHUNKS + 2) / TRIALS;
        let told = kill_after(format, &path, last_told, rows::bits(trial + 8) % 400_000);
        let found = std::fs::read(&path).ok();
        if found.as_ref() == Some(&expected) {
            whole += 1;
            continue;
        }
        assert_eq!(
            found, older,
            "{format}, trial {trial}: neither whole nor as before"
        );
        assert!(
            told <= CHUNKS,
            "{format}, trial {trial}: finished, but the file is not whole"
        );
        cut += 1;
        if format == "csv-keep" {
            go_on(&path, told, &expected);
        }
    }
    (whole, cut)
}

/// Starts a writer, kills it some work after it has told of a chunk; the last chunk told of.
fn kill_after(format: &str, path: &Path, last_told: u64, work: u64) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg(path)
        .env(CHILD, format)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut told = 0;
    while told < last_told {
        told = lines.next().unwrap().unwrap().parse().unwrap();
    }
    std::hint::black_box((0..work).fold(0, |sum: u64, i| std::hint::black_box(sum ^ i)));
    child.kill().unwrap();
    child.wait().unwrap();
    lines
        .map(|line| line.unwrap().parse().unwrap())
        .last()
        .unwrap_or(told)
}

/// Resumes a killed CSV writer: rows before the last message are there, and the end is the same.
fn go_on(path: &Path, told: u64, expected: &[u8]) {
    let mut sink = CsvSink::resume(path).unwrap();
    let rows = sink.resumed_rows();
    assert!(
        rows >= told * CHUNK_ROWS,
        "{rows} rows are there, {told} chunks were appended"
    );
    assert!(
        rows <= (told + 1) * CHUNK_ROWS,
        "{rows} rows, only {told} chunks and one more"
    );
    sink.begin(&rows::schema()).unwrap();
    sink.append(&rows::table(rows..CHUNKS * CHUNK_ROWS).batch())
        .unwrap();
    sink.finish().unwrap();
    assert!(
        std::fs::read(path).unwrap() == expected,
        "the same bytes as without a kill"
    );
}
