//! The parts of a Markdown text that point somewhere: links, headings, code spans, shell blocks.

use std::collections::BTreeMap;

/// A parsed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Targets of links, images and reference definitions, with their lines.
    pub links: Vec<(usize, String)>,
    /// Code spans and shell blocks.
    pub quotes: Vec<Quote>,
    /// Names under which the headings can be reached.
    pub anchors: Vec<String>,
    /// Text of the first heading.
    pub title: Option<String>,
}

/// Quoted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Line, counted from 1, on which it starts.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// Whether it is a fenced block of shell commands; else it is a code span.
    pub is_shell_block: bool,
}

/// An open fence.
struct Fence {
    mark: String,
    shell: Option<Quote>,
}

impl Document {
    /// Parses a text. Everything is Markdown, so nothing fails; what is not understood is text.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut document = Self::default();
        let mut seen = BTreeMap::new();
        let mut fence: Option<Fence> = None;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            if let Some(open) = &mut fence {
                if closes(line, &open.mark) {
                    document.quotes.extend(open.shell.take());
                    fence = None;
                } else if let Some(quote) = &mut open.shell {
                    let quoted = line.trim_start().strip_prefix("> ");
                    quote.text.push_str(quoted.unwrap_or(line));
                    quote.text.push('\n');
                }
            } else if let Some((mark, info)) = opens(line) {
                let shell = ["sh", "bash", "console", "shell"]
                    .contains(&info)
                    .then(|| Quote {
                        line: number + 1,
                        text: String::new(),
                        is_shell_block: true,
                    });
                fence = Some(Fence { mark, shell });
            } else {
                document.heading(line, &mut seen);
                document.prose(number, line);
            }
        }
        document
    }

    fn heading(&mut self, line: &str, seen: &mut BTreeMap<String, usize>) {
        let text = line.trim_start_matches('#');
        let level = line.len() - text.len();
        if !(1..=6).contains(&level) || !text.starts_with(' ') {
            return;
        }
        let text = text.trim().trim_end_matches('#').trim_end();
        if self.title.is_none() {
            self.title = Some(text.replace('`', ""));
        }
        let slug = slug(text);
        let count = seen.entry(slug.clone()).or_insert(0);
        self.anchors.push(match *count {
            0 => slug,
            n => format!("{slug}-{n}"),
        });
        *count += 1;
    }

    fn prose(&mut self, number: usize, line: &str) {
        let (plain, spans) = split_spans(line);
        for text in spans {
            self.quotes.push(Quote {
                line: number,
                text,
                is_shell_block: false,
            });
        }
        let definition = plain.trim_start();
        if definition.starts_with('[')
            && let Some((_, target)) = definition.split_once("]: ")
        {
            self.links.push((number, first_word(target)));
        }
        for (at, _) in plain.match_indices("](") {
            if let Some(target) = target_at(&plain[at + 2..]) {
                self.links.push((number, target));
            }
        }
        for (at, _) in plain.match_indices("<a id=\"") {
            let rest = &plain[at + 7..];
            let end = rest.find('"').unwrap_or(rest.len());
            self.anchors.push(rest[..end].to_owned());
        }
    }
}

/// The mark and the language of a line that opens a fenced block.
fn opens(line: &str) -> Option<(String, &str)> {
    let line = line.trim_start().trim_start_matches("> ");
    let first = line.chars().next().filter(|c| "`~".contains(*c))?;
    let info = line.trim_start_matches(first);
    let length = line.len() - info.len();
    if length < 3 || info.contains('`') {
        return None;
    }
    let language = info.trim().split([',', ' ']).next().unwrap_or_default();
    Some((line[..length].to_owned(), language))
}

fn closes(line: &str, mark: &str) -> bool {
    let line = line.trim_start().trim_start_matches("> ").trim_end();
    line.starts_with(mark) && line.trim_start_matches(&mark[..1]).is_empty()
}

/// The line with its code spans blanked, and the texts of the spans.
fn split_spans(line: &str) -> (String, Vec<String>) {
    let mut plain = String::new();
    let mut spans = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let after = rest[start..].trim_start_matches('`');
        let mark = &rest[start..rest.len() - after.len()];
        let Some(end) = end_of_span(after, mark.len()) else {
            plain.push_str(&rest[..rest.len() - after.len()]);
            rest = after;
            continue;
        };
        plain.push_str(&rest[..start]);
        plain.push(' ');
        spans.push(after[..end].trim().to_owned());
        rest = &after[end + mark.len()..];
    }
    plain.push_str(rest);
    (plain, spans)
}

/// Where a run of exactly `length` backticks starts.
fn end_of_span(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('`').map(|found| at + found) {
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        if run == length {
            return Some(start);
        }
        at = start + run;
    }
    None
}

/// The target of an inline link whose text starts after the opening parenthesis.
fn target_at(text: &str) -> Option<String> {
    if let Some(text) = text.strip_prefix('<') {
        return text.find('>').map(|end| text[..end].to_owned());
    }
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(first_word(&text[..at])),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A target without the title that may follow it.
fn first_word(text: &str) -> String {
    text.split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The anchor that the usual renderers give to a heading: lower case, punctuation removed, spaces
/// as hyphens.
#[must_use]
pub fn slug(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}
