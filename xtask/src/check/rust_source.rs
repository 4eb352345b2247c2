//! Just enough of Rust's grammar to know code from comments and literals, and where a function
//! ends.
//!
//! A full parser would bring a syntax tree that these rules do not need, and would fail on
//! the half-written file that somebody wants to check.

/// A source text beside its code: the same bytes with comments and the contents of literals
/// replaced by spaces, so that offsets and lines agree.
#[derive(Clone, Debug)]
pub struct RustSource<'a> {
    text: &'a str,
    code: Vec<u8>,
    line_starts: Vec<usize>,
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Line of the `fn` keyword, counted from 1.
    pub line: usize,
    /// Lines from the `fn` keyword through the closing brace.
    pub line_count: usize,
}

/// An attribute, `#[…]` or `#![…]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Line of the `#`, counted from 1.
    pub line: usize,
    /// What stands between the brackets, literals blanked.
    pub content: String,
}

impl<'a> RustSource<'a> {
    /// Separates code from comments and literals.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes()
                .enumerate()
                .filter(|&(_, byte)| byte == b'\n')
                .map(|(at, _)| at + 1),
        );
        Self {
            text,
            code: Masker::new(text.as_bytes()).run(),
            line_starts,
        }
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The line, counted from 1, of a byte offset.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// Offsets at which `word` stands in the code as a whole identifier.
    #[must_use]
    pub fn words(&self, word: &str) -> Vec<usize> {
        words_in(&self.code, word)
    }

    /// Whether the code (comments and literals apart) has `part` in it, spaces included.
    #[must_use]
    pub fn has_code(&self, part: &str) -> bool {
        find(&self.code, 0, part.as_bytes()).is_some()
    }

    /// Lines on which a macro of this name is called.
    #[must_use]
    pub fn macro_calls(&self, name: &str) -> Vec<usize> {
        self.words(name)
            .into_iter()
            .filter(|&at| self.code.get(at + name.len()) == Some(&b'!'))
            .map(|at| self.line_of(at))
            .collect()
    }

    /// All attributes in order.
    #[must_use]
    pub fn attributes(&self) -> Vec<Attribute> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(start) = find(&self.code, at, b"#") {
            let open = match self.code.get(start + 1) {
                Some(b'!') => start + 2,
                _ => start + 1,
            };
            at = start + 1;
            if self.code.get(open) != Some(&b'[') {
                continue;
            }
            let Some(end) = matching(&self.code, open) else {
                break;
            };
            found.push(Attribute {
                line: self.line_of(start),
                content: String::from_utf8_lossy(&self.code[open + 1..end]).into_owned(),
            });
            at = end;
        }
        found
    }

    /// All functions with a body, nested ones as well.
    #[must_use]
    pub fn functions(&self) -> Vec<Function> {
        self.words("fn")
            .into_iter()
            .filter_map(|at| self.function_at(at))
            .collect()
    }

    fn function_at(&self, keyword: usize) -> Option<Function> {
        let code = &self.code;
        let mut at = skip_space(code, keyword + 2);
        let start = at;
        while code.get(at).is_some_and(|&b| is_word(b) || b == b'$') {
            at += 1;
        }
        if at == start {
            return None; // `fn(f64) -> f64` is a type
        }
        let name = String::from_utf8_lossy(&code[start..at]).into_owned();
        let open = self.body_of(at)?;
        let close = matching(code, open)?;
        let line = self.line_of(keyword);
        Some(Function {
            name,
            line,
            line_count: self.line_of(close) + 1 - line,
        })
    }

    /// The opening brace of the body of a function whose name ends at `at`.
    fn body_of(&self, mut at: usize) -> Option<usize> {
        let code = &self.code;
        let mut angles = 0_usize;
        while let Some(&byte) = code.get(at) {
            match byte {
                b';' => return None,
                b'<' => angles += 1,
                // The arrow of a return type closes nothing.
                b'>' if !matches!(code[at - 1], b'-' | b'=') => angles = angles.saturating_sub(1),
                b'{' if angles == 0 => return Some(at),
                b'(' | b'[' | b'{' => at = matching(code, at)?,
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// Offsets at which `word` stands in `code` as a whole identifier; `r#word` does not count.
pub(crate) fn words_in(code: &[u8], word: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = find(code, at, word.as_bytes()) {
        at = start + word.len();
        let before = start.checked_sub(1).map_or(b' ', |i| code[i]);
        let after = code.get(at).copied().unwrap_or(b' ');
        if !is_word(before) && before != b'#' && !is_word(after) {
            found.push(start);
        }
    }
    found
}

fn find(code: &[u8], from: usize, part: &[u8]) -> Option<usize> {
    let tail = code.get(from..)?;
    tail.windows(part.len())
        .position(|window| window == part)
        .map(|at| from + at)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn skip_space(code: &[u8], mut at: usize) -> usize {
    while code.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The bracket that closes the one at `open`, all three kinds counted together.
fn matching(code: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, &byte) in code.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Walks over a text and blanks what is not code.
struct Masker<'a> {
    bytes: &'a [u8],
    at: usize,
    code: Vec<u8>,
}

impl<'a> Masker<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            code: Vec::with_capacity(bytes.len()),
        }
    }

    fn run(mut self) -> Vec<u8> {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'/' if self.peek(1) == Some(b'/') => self.blank_while(|b| b != b'\n'),
                b'/' if self.peek(1) == Some(b'*') => self.block_comment(),
                b'"' => self.string(),
                b'r' if self.starts_raw_string() => self.raw_string(),
                b'\'' => self.quote(),
                _ => self.keep(),
            }
        }
        self.code
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn keep(&mut self) {
        self.code.extend(self.peek(0));
        self.at += 1;
    }

    fn blank(&mut self) {
        if let Some(byte) = self.peek(0) {
            self.code.push(if byte == b'\n' { b'\n' } else { b' ' });
            self.at += 1;
        }
    }

    fn blank_while(&mut self, goes_on: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&goes_on) {
            self.blank();
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        while self.at < self.bytes.len() {
            match (self.peek(0), self.peek(1)) {
                (Some(b'/'), Some(b'*')) => {
                    depth += 1;
                    self.blank();
                }
                (Some(b'*'), Some(b'/')) => {
                    depth -= 1;
                    self.blank();
                }
                _ => {}
            }
            self.blank();
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.keep();
        loop {
            match self.peek(0) {
                None => return,
                Some(b'"') => return self.keep(),
                Some(b'\\') => {
                    self.blank();
                    self.blank();
                }
                Some(_) => self.blank(),
            }
        }
    }

    /// `r"`, `r#"`, also after the `b` or `c` of `br"` and `cr"`; not `r#name`, not `for"`.
    fn starts_raw_string(&self) -> bool {
        let mut hashes = 1;
        while self.peek(hashes) == Some(b'#') {
            hashes += 1;
        }
        if self.peek(hashes) != Some(b'"') {
            return false;
        }
        let before = |back: usize| self.at.checked_sub(back).map_or(b' ', |at| self.bytes[at]);
        !is_word(before(1)) || (matches!(before(1), b'b' | b'c') && !is_word(before(2)))
    }

    fn raw_string(&mut self) {
        self.keep();
        let mut hashes = 0;
        while self.peek(0) == Some(b'#') {
            hashes += 1;
            self.blank();
        }
        self.keep();
        while let Some(byte) = self.peek(0) {
            if byte == b'"' && (1..=hashes).all(|ahead| self.peek(ahead) == Some(b'#')) {
                self.keep();
                for _ in 0..hashes {
                    self.blank();
                }
                return;
            }
            self.blank();
        }
    }

    /// A character literal, or the tick of a lifetime or a label.
    fn quote(&mut self) {
        let width = match self.peek(1) {
            Some(b'\\') => {
                self.keep();
                self.blank();
                self.blank();
                self.blank_while(|b| b != b'\'' && b != b'\n');
                self.keep();
                return;
            }
            Some(byte) => char_width(byte),
            None => return self.keep(),
        };
        let is_literal = self.peek(1 + width) == Some(b'\'');
        self.keep();
        if is_literal {
            for _ in 0..width {
                self.blank();
            }
            self.keep();
        }
    }
}

/// Bytes of the UTF-8 character that starts with `first`.
fn char_width(first: u8) -> usize {
    match first {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}
