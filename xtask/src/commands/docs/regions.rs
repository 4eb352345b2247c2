//! Parts of a document between markers, which are written by this tool and by nobody else.

/// Start of the opening marker; the name and ` -->` follow.
const OPEN: &str = "<!-- generated:";
/// The closing marker.
const CLOSE: &str = "<!-- /generated -->";

/// A document with fresh parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The new text.
    pub text: String,
    /// Number of generated parts.
    pub regions: usize,
    /// Line and name of the parts whose content changed.
    pub stale: Vec<(usize, String)>,
    /// What is wrong with the markers.
    pub problems: Vec<Problem>,
}

/// Something wrong with a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its line.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// Replaces the content of every marked part by what `make` says for its name.
///
/// Markers stand alone on their lines and outside of fenced blocks. A part that `make` does not
/// know, or that never ends, is left as it is and reported.
pub fn rewrite(text: &str, mut make: impl FnMut(&str) -> Result<String, String>) -> Outcome {
    let mut outcome = Outcome::default();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut at = 0;
    let mut fenced = false;
    while let Some(line) = lines.get(at) {
        if ["```", "~~~"]
            .iter()
            .any(|f| line.trim_start().starts_with(f))
        {
            fenced = !fenced;
        }
        outcome.text.push_str(line);
        at += 1;
        let name = match opening(line) {
            Some(name) if !fenced => name,
            _ => continue,
        };
        match end_of(&lines, at) {
            Some(end) => {
                outcome.regions += 1;
                let old = lines[at..end].concat();
                let new = outcome.fresh(at, name, &old, make(name));
                outcome.text.push_str(&new);
                at = end;
            }
            None => outcome.problems.push(Problem {
                line: at,
                what: format!("the generated part `{name}` has no end"),
            }),
        }
    }
    outcome
}

impl Outcome {
    /// The content to write, after noting what is stale or wrong.
    fn fresh(
        &mut self,
        line: usize,
        name: &str,
        old: &str,
        made: Result<String, String>,
    ) -> String {
        match made {
            Ok(content) => {
                let new = match content.trim() {
                    "" => "\n".to_owned(),
                    content => format!("\n{content}\n\n"),
                };
                if new != old {
                    self.stale.push((line, name.to_owned()));
                }
                new
            }
            Err(what) => {
                self.problems.push(Problem { line, what });
                old.to_owned()
            }
        }
    }
}

fn opening(line: &str) -> Option<&str> {
    line.trim().strip_prefix(OPEN)?.strip_suffix(" -->")
}

/// The index of the closing marker; another opening one before it means that there is none.
fn end_of(lines: &[&str], from: usize) -> Option<usize> {
    for (index, line) in lines.iter().enumerate().skip(from) {
        if line.trim() == CLOSE {
            return Some(index);
        }
        if opening(line).is_some() {
            break;
        }
    }
    None
}
