//! The pictures of the guides: data come from the example `figures` of `benchmarks`, drawing is
//! done here, so that no library needs a package for plots.

mod draw;

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use serde::Deserialize;

use crate::check::Findings;
use crate::report::answer;
use crate::workspace::Workspace;

pub use draw::draw;

/// Where pictures are, relative to the root.
const FOLDER: &str = "docs/pictures";

/// The program that prints the data.
const SOURCE: &str = "benchmarks/examples/figures";

/// The arguments of cargo that print the data.
const DATA: [&str; 5] = [
    "run",
    "--quiet",
    "--package=benchmarks",
    "--example",
    "figures",
];

/// What a picture shows; one line of JSON in the output of the example.
#[derive(Clone, Debug, Deserialize)]
pub struct Figure {
    /// Name of the file, without its ending.
    pub name: String,
    /// Headline.
    pub title: String,
    /// Label of the horizontal axis.
    pub x: String,
    /// Label of the vertical axis.
    pub y: String,
    /// Whether the horizontal and the vertical axis are logarithmic.
    pub logarithmic: [bool; 2],
    /// What the vertical axis shows; what the points need if absent.
    #[serde(default)]
    pub y_range: Option<[f64; 2]>,
    /// Where the legend is.
    #[serde(default)]
    pub legend: Corner,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// Points that belong together.
#[derive(Clone, Debug, Deserialize)]
pub struct Series {
    /// Text in the legend.
    pub name: String,
    /// How the points are drawn.
    pub style: Style,
    /// Places; `null` in JSON is not finite and interrupts a line.
    pub points: Vec<(Option<f64>, Option<f64>)>,
}

/// A corner of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Corner {
    /// Above, at the left.
    #[default]
    UpperLeft,
    /// Above, at the right.
    UpperRight,
    /// Below, at the left.
    LowerLeft,
    /// Below, at the right.
    LowerRight,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Connected.
    Line,
    /// One by one.
    Points,
    /// Connected, with a mark at each.
    Marked,
}

/// Draws all pictures; with `check` writes nothing and says which are stale.
///
/// # Errors
///
/// When the data cannot be made or read, or a picture cannot be drawn or written.
pub fn refresh(check: bool, workspace: &Workspace) -> anyhow::Result<Findings> {
    let mut findings = Findings::default();
    if !workspace.root().join(SOURCE).is_dir() {
        findings.fact(format!("pictures: none, there is no {SOURCE}"));
        return Ok(findings);
    }
    let output = workspace
        .cargo()
        .args(DATA)
        .output()
        .context("cannot run the example `figures`")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("the example `figures` failed: {}", said.trim());
    }
    let text = String::from_utf8(output.stdout).context("figures are not UTF-8")?;
    let figures = parse(&text)?;
    let mut stale = 0;
    for figure in &figures {
        let path = format!("{FOLDER}/{}.svg", figure.name);
        let picture = draw(figure).with_context(|| format!("cannot draw {path}"))?;
        if !differs(&workspace.root().join(&path), &picture) {
            continue;
        }
        stale += 1;
        if check {
            let fix = "run `cargo xtask docs` and commit the result";
            findings.error((&path, 1), "picture", "the picture is stale", fix);
        } else {
            write(&workspace.root().join(&path), &picture)?;
            answer(format_args!("drawn: {path}"));
        }
    }
    findings.fact(format!("pictures: {}, {stale} stale", figures.len()));
    Ok(findings)
}

/// Reads figures, one per line.
///
/// # Errors
///
/// With the number of the line that is no figure.
pub fn parse(text: &str) -> anyhow::Result<Vec<Figure>> {
    text.lines()
        .enumerate()
        .map(|(i, line)| {
            serde_json::from_str(line).with_context(|| format!("line {} is no figure", i + 1))
        })
        .collect()
}

fn differs(path: &Path, picture: &str) -> bool {
    fs::read_to_string(path).map_or(true, |old| old != picture)
}

fn write(path: &Path, picture: &str) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, picture).with_context(|| format!("cannot write {}", path.display()))
}
