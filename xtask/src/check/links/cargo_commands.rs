//! Quoted `cargo` commands: our own against the command line's definition, the others against
//! the packages and targets that they name.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::markdown::Quote;
use super::{ParseCommand, shell};
use crate::check::Findings;
use crate::check::files::SourceFile;

/// Packages of the tree with the folders that they lie in, and all paths.
pub(super) struct Packages {
    folders: BTreeMap<String, String>,
    paths: BTreeSet<String>,
}

impl Packages {
    pub(super) fn new(files: &[SourceFile]) -> Self {
        let mut folders = BTreeMap::new();
        for file in files {
            let Some(text) = file.manifest() else {
                continue;
            };
            let name = text.parse::<Table>().ok().and_then(|table| {
                let name = table.get("package")?.get("name").and_then(Value::as_str)?;
                Some(name.to_owned())
            });
            if let Some(name) = name {
                let folder = file.path.trim_end_matches("Cargo.toml");
                folders.insert(name, folder.to_owned());
            }
        }
        let paths = files.iter().map(|file| file.path.clone()).collect();
        Self { folders, paths }
    }

    fn has_example(&self, package: &str, example: &str) -> bool {
        self.folders.get(package).is_some_and(|folder| {
            [".rs", "/main.rs"].iter().any(|end| {
                self.paths
                    .contains(&format!("{folder}examples/{example}{end}"))
            })
        })
    }
}

/// Checks the cargo commands in a quote; returns how many there were.
pub(super) fn check(
    file: &SourceFile,
    quote: &Quote,
    packages: &Packages,
    parse: ParseCommand<'_>,
    findings: &mut Findings,
) -> usize {
    if !quote.text.contains("cargo ") {
        return 0;
    }
    let mut count = 0;
    for words in shell::commands(&quote.text) {
        if words.first().is_none_or(|word| word != "cargo") || words.len() < 2 {
            continue;
        }
        let line = line_of(quote, &words);
        let words = without_placeholders(words);
        count += 1;
        if words.get(1).is_some_and(|word| word == "xtask") {
            our_command((&file.path, line), &words[2..], parse, findings);
        } else {
            other_command((&file.path, line), &words[1..], packages, findings);
        }
    }
    count
}

fn our_command(
    at: (&str, usize),
    words: &[String],
    parse: ParseCommand<'_>,
    findings: &mut Findings,
) {
    // The tool as such is meant, or any of its commands.
    if words.first().is_none_or(|word| word == "COMMAND") {
        return;
    }
    if let Err(why) = parse(words) {
        findings.error(
            at,
            "quoted-command",
            format!("`cargo xtask {}` does not parse: {why}", words.join(" ")),
            "correct the command; `cargo xtask --help` shows the present ones",
        );
    }
}

fn other_command(
    at: (&str, usize),
    words: &[String],
    packages: &Packages,
    findings: &mut Findings,
) {
    let ours = words.iter().take_while(|word| *word != "--");
    let words: Vec<&str> = ours.map(String::as_str).collect();
    let mut package = None;
    let mut example = None;
    for pair in words.windows(2) {
        match pair {
            ["-p" | "--package", name] => package = Some(*name),
            ["--example", name] => example = Some(*name),
            _ => {}
        }
    }
    // Commands about packages from elsewhere (`cargo tree -i`, `cargo add`) name other packages.
    if ![
        "build", "check", "clippy", "test", "run", "bench", "nextest", "doc",
    ]
    .contains(&words[0])
    {
        return;
    }
    let fix = "name a package and an example of this workspace";
    match (package, example) {
        (Some(package), _) if !packages.folders.contains_key(package) => findings.error(
            at,
            "quoted-command",
            format!("there is no package `{package}`"),
            fix,
        ),
        (Some(package), Some(example)) if !packages.has_example(package, example) => {
            findings.error(
                at,
                "quoted-command",
                format!("package `{package}` has no example `{example}`"),
                fix,
            );
        }
        _ => {}
    }
}

/// Cuts a usage sketch where the optional parts begin and fills `<slots>`.
fn without_placeholders(words: Vec<String>) -> Vec<String> {
    words
        .into_iter()
        .take_while(|word| !word.starts_with('[') && !word.contains('…') && *word != "...")
        .map(|word| word.replace(['<', '>'], ""))
        .collect()
}

fn line_of(quote: &Quote, words: &[String]) -> usize {
    if !quote.is_shell_block {
        return quote.line;
    }
    let start: Vec<&str> = words.iter().take(3).map(String::as_str).collect();
    let start = start.join(" ");
    let offset = quote.text.lines().position(|line| line.contains(&start));
    quote.line + offset.unwrap_or_default()
}
