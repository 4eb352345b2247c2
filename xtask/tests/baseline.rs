//! Baseline files that are absent, broken, newer, locked, or written by many at once.
#![expect(clippy::expect_used, reason = "functions of a test may fail it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;
use xtask::baseline::schema::{Baseline, Case, Entry, Schema, Settings, Source};
use xtask::baseline::store::{Lock, Store, StoreError, to_text};
use xtask::measure::machine::{Machine, Tool};
use xtask::report::Exit;

const FILE: &str = "memory.json";

fn case(check: &str, bytes: u64) -> Case {
    let entry = Entry::of("byte", &[bytes, bytes], None).expect("two samples");
    Case {
        scenario_version: 1,
        check: check.to_owned(),
        configuration: BTreeMap::from([("solver".to_owned(), "bdf".to_owned())]),
        facts: BTreeMap::new(),
        metrics: BTreeMap::from([("heap_peak".to_owned(), entry)]),
    }
}

fn document(cases: impl IntoIterator<Item = (String, Case)>) -> Baseline {
    Baseline {
        schema: Schema::current(),
        tool: Tool::default(),
        source: Source::default(),
        machine: Machine::default(),
        settings: Settings::default(),
        cases: cases.into_iter().collect(),
    }
}

fn three() -> Baseline {
    document(
        ["a", "b", "c"]
            .into_iter()
            .zip(1..)
            .map(|(name, n)| (name.to_owned(), case("7", n * 1_000_000))),
    )
}

fn store() -> (TempDir, Store) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let store = Store::new(directory.path());
    (directory, store)
}

fn patient_lock(store: &Store) -> Lock {
    loop {
        match store.lock() {
            Err(StoreError::Locked { .. }) => thread::sleep(Duration::from_millis(1)),
            other => return other.expect("the directory can be written"),
        }
    }
}

#[test]
fn files_round_trip_and_are_written_readably() {
    let (_directory, store) = store();
    assert_eq!(
        store.load(FILE).expect("absent is no error"),
        None,
        "no baseline"
    );
    let lock = store.lock().expect("nobody else");
    store.save(&lock, FILE, &three()).expect("a new file");
    assert_eq!(
        store.load(FILE).expect("just written"),
        Some(three()),
        "round trip"
    );
    let text = fs::read_to_string(store.path(FILE)).expect("just written");
    assert!(text.ends_with("}\n"), "a newline at the end");
    assert!(
        text.contains("\n  \"cases\": {\n    \"a\": {\n"),
        "two blanks of indent: {text}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(store.path(FILE))
            .expect("just written")
            .permissions()
            .mode();
        assert_eq!(mode & 0o444, 0o444, "everybody may read what is committed");
    }
}

#[test]
fn published_version_is_read() {
    let text = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/baseline-1.0.json"),
    )
    .expect("a fixture");
    let (directory, store) = store();
    fs::write(directory.path().join(FILE), &text).expect("a writable directory");
    let baseline = store.load(FILE).expect("version 1.0").expect("it is there");
    let case = &baseline.cases["sweep/decay?members=1000&threads=1"];
    assert_eq!(case.metrics["rss_peak"].median, 4_308_992, "{case:?}");
    assert_eq!(to_text(&baseline), text, "written as it was read");
}

/// What is put in place of a valid file, with a part of the message that it must lead to.
fn corruptions(valid: &str) -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let twice = valid.replacen("\"b\": {", "\"a\": {", 1);
    let with = |old: &str, new: &str| valid.replacen(old, new, 1).into_bytes();
    let newer_major = with("\"major\": 1", "\"major\": 2");
    vec![
        ("empty", Vec::new(), "the file is empty"),
        ("blank", b" \n".to_vec(), "the file is empty"),
        (
            "half",
            valid.as_bytes()[..valid.len() / 2].to_vec(),
            "EOF while parsing",
        ),
        (
            "another major version",
            newer_major,
            "2.0 is not `bifrons-baseline` 1.x",
        ),
        (
            "another schema",
            with("bifrons-baseline", "bifrons-report"),
            "`bifrons-report`",
        ),
        (
            "null",
            with("\"median\": 1000000", "\"median\": null"),
            "invalid type: null",
        ),
        (
            "negative",
            with("\"median\": 1000000", "\"median\": -5"),
            "integer `-5`",
        ),
        (
            "beyond range",
            with("\"median\": 1000000", "\"median\": 1e400"),
            "out of range",
        ),
        (
            "a fraction",
            with("\"median\": 1000000", "\"median\": 1.5"),
            "floating point",
        ),
        (
            "edited by hand",
            with("\"median\": 1000000", "\"median\": 9"),
            "case `a`, metric `heap_peak`",
        ),
        ("duplicate names", twice.into_bytes(), "`a` occurs twice"),
        (
            "trailing garbage",
            format!("{valid}}}").into_bytes(),
            "trailing characters",
        ),
        ("no JSON", b"\x00\x01".to_vec(), "expected value"),
    ]
}

#[test]
fn broken_file_is_neither_absent_nor_overwritten() {
    let valid = to_text(&three());
    for (name, bytes, expected) in corruptions(&valid) {
        let (directory, store) = store();
        let path = directory.path().join(FILE);
        fs::write(&path, &bytes).expect("a writable directory");
        let error = store.load(FILE).expect_err(name);
        let message = error.to_string();
        assert!(
            message.starts_with("baseline unreadable: "),
            "{name}: {message}"
        );
        assert!(
            message.contains(expected),
            "{name}: {message} lacks {expected}"
        );
        assert!(message.contains(FILE), "{name}: {message} names the file");
        assert_eq!(error.into_failure().exit, Exit::Baseline, "{name}");
        let lock = store.lock().expect("nobody else");
        store.save(&lock, FILE, &three()).expect_err(name);
        assert_eq!(
            fs::read(&path).expect("still there"),
            bytes,
            "{name}: preserved"
        );
    }
}

#[test]
fn directory_and_forbidden_file_are_unreadable() {
    let (directory, store) = store();
    let path = directory.path().join(FILE);
    fs::create_dir(&path).expect("a writable directory");
    let error = store.load(FILE).expect_err("a directory");
    assert!(matches!(error, StoreError::Unreadable { .. }), "{error}");
    fs::remove_dir(&path).expect("empty");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::write(&path, to_text(&three())).expect("a writable directory");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).expect("our own file");
        // The superuser may read everything.
        if fs::read(&path).is_err() {
            let error = store.load(FILE).expect_err("no permission");
            assert!(matches!(error, StoreError::Unreadable { .. }), "{error}");
        }
    }
}

#[test]
fn byte_order_mark_is_accepted() {
    let (directory, store) = store();
    let text = format!("\u{feff}{}", to_text(&three()));
    fs::write(directory.path().join(FILE), text).expect("a writable directory");
    assert_eq!(
        store.load(FILE).expect("readable"),
        Some(three()),
        "with a mark in front"
    );
}

#[test]
fn newer_minor_version_is_read_but_not_overwritten() {
    let (directory, store) = store();
    let text = to_text(&three())
        .replacen("\"minor\": 0", "\"minor\": 7", 1)
        .replacen(
            "\"cases\"",
            "\"comment\": \"of a later version\",\n  \"cases\"",
            1,
        );
    let path = directory.path().join(FILE);
    fs::write(&path, &text).expect("a writable directory");
    let baseline = store.load(FILE).expect("readable").expect("it is there");
    assert_eq!(baseline.cases, three().cases, "what this version knows");
    let lock = store.lock().expect("nobody else");
    let error = store
        .save(&lock, FILE, &three())
        .expect_err("a member would be lost");
    assert!(
        matches!(&error, StoreError::Newer { found, .. } if found.minor == 7),
        "{error}"
    );
    assert_eq!(
        fs::read_to_string(&path).expect("still there"),
        text,
        "untouched"
    );
}

#[test]
fn failed_write_leaves_the_old_file() {
    let (directory, store) = store();
    let lock = store.lock().expect("nobody else");
    store.save(&lock, FILE, &three()).expect("a new file");
    let before = fs::read(store.path(FILE)).expect("just written");
    // A new file that was written and not renamed is what a crash in between leaves.
    fs::write(directory.path().join(".baseline-crashed"), &before[..10]).expect("writable");
    assert_eq!(
        store.load(FILE).expect("readable"),
        Some(three()),
        "strays do not matter"
    );
    // A file cannot be renamed onto a directory.
    fs::create_dir_all(store.path("time.json/inside")).expect("a writable directory");
    store
        .save(&lock, "time.json", &three())
        .expect_err("a directory is in the way");
    let names: Vec<String> = fs::read_dir(directory.path())
        .expect("readable")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(".baseline-") && !name.ends_with("crashed"))
        .collect();
    assert_eq!(names, Vec::<String>::new(), "nothing is left behind");
}

#[test]
fn second_writer_is_refused() {
    let (_directory, store) = store();
    let lock = store.lock().expect("nobody else");
    let error = store.lock().expect_err("one at a time");
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    assert_eq!(error.into_failure().exit, Exit::Baseline, "exit code 4");
    drop(lock);
    store.lock().expect("free again");
}

const ENTRIES: usize = 2000;

fn tagged(id: usize) -> Baseline {
    let case = |number| {
        let tag = Case {
            metrics: BTreeMap::new(),
            ..case(&format!("writer-{id}"), 1)
        };
        (format!("case-{number}"), tag)
    };
    document((0..ENTRIES).map(case))
}

/// The one writer of a document, found without parsing; `None` when it is torn or mixed.
fn only_writer(text: &str) -> Option<&str> {
    let tag = text.split("\"check\": \"").nth(1)?.split('"').next()?;
    let all = text.matches("\"check\": \"").count();
    let same = text.matches(&format!("\"check\": \"{tag}\"")).count();
    (all == ENTRIES && same == ENTRIES && text.ends_with("}\n")).then_some(tag)
}

#[test]
fn readers_see_one_complete_document_of_one_writer() {
    const WRITERS: usize = 50;
    const READS: usize = 1000;
    let (_directory, store) = store();
    store
        .save(&patient_lock(&store), FILE, &tagged(0))
        .expect("a first file");
    let (written, reads, parsed) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    thread::scope(|scope| {
        for part in 0..5 {
            let (store, written) = (&store, &written);
            scope.spawn(move || {
                for id in (1 + part..=WRITERS).step_by(5) {
                    let baseline = tagged(id);
                    store
                        .save(&patient_lock(store), FILE, &baseline)
                        .expect("saved");
                    written.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        scope.spawn(|| {
            // At least so many reads, and until the last writer is done.
            while reads.load(Ordering::Relaxed) < READS || written.load(Ordering::Relaxed) < WRITERS
            {
                let text = fs::read_to_string(store.path(FILE)).expect("never absent");
                assert!(
                    only_writer(&text).is_some(),
                    "torn or mixed: {} bytes",
                    text.len()
                );
                if reads.fetch_add(1, Ordering::Relaxed).is_multiple_of(50) {
                    store.load(FILE).expect("complete").expect("never absent");
                    parsed.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    });
    assert_eq!(written.into_inner(), WRITERS, "every writer has written");
    assert!(
        parsed.into_inner() >= READS / 50,
        "some of the reads parse the whole"
    );
}

fn writer(mode: &str, id: &str, directory: &Path, count: usize) -> Child {
    Command::new(env!("CARGO_BIN_EXE_baseline-writer"))
        .arg(mode)
        .arg(directory)
        .arg(id)
        .arg(count.to_string())
        .stdin(Stdio::null())
        .spawn()
        .expect("the fixture starts")
}

#[test]
fn killed_writer_leaves_a_readable_document() {
    let (directory, store) = store();
    store
        .save(&patient_lock(&store), FILE, &tagged(0))
        .expect("a first file");
    // Delays spread over one round of writing by a fixed linear congruence.
    let mut state = 12_345_u64;
    for round in 0..20 {
        let id = format!("writer-{round}");
        let mut child = writer("forever", &id, directory.path(), ENTRIES);
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        thread::sleep(Duration::from_millis(10 + (state >> 33) % 60));
        child.kill().expect("it runs for ever");
        child.wait().expect("killed");
        let text = fs::read_to_string(store.path(FILE)).expect("never absent");
        assert!(
            only_writer(&text).is_some(),
            "round {round}: {} bytes",
            text.len()
        );
        // The lock of a killed process is free again.
        store.lock().expect("nobody else");
    }
    store.load(FILE).expect("complete").expect("never absent");
}

#[test]
fn no_update_is_lost_between_processes() {
    let (directory, store) = store();
    let children: Vec<Child> = (0..8)
        .map(|id| writer("add", &id.to_string(), directory.path(), 25))
        .collect();
    for mut child in children {
        let status = child.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
    let baseline = store.load(FILE).expect("complete").expect("written");
    assert_eq!(baseline.cases.len(), 200, "8 writers, 25 cases each");
}
