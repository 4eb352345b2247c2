//! Shell text split into commands and words, as far as documents use it.

/// The commands in a piece of shell text, each a list of words.
///
/// Understood: continuation lines, `#` comments, single and double quotes, `$ ` prompts,
/// leading assignments (dropped), `;`, `&&`, `||`, `|`, `&` and redirections (dropped with their
/// file).
#[must_use]
pub fn commands(text: &str) -> Vec<Vec<String>> {
    let joined = text.replace("\\\n", " ");
    let mut found = Vec::new();
    for line in joined.lines() {
        let line = line.trim();
        let line = line.strip_prefix("$ ").unwrap_or(line);
        let mut words = Vec::new();
        let mut skip_next = false;
        for token in Tokens::new(line) {
            match token {
                Token::End => finish(&mut words, &mut found),
                Token::Redirection => skip_next = true,
                Token::Word(_) if skip_next => skip_next = false,
                Token::Word(word) => words.push(word),
            }
        }
        finish(&mut words, &mut found);
    }
    found
}

fn finish(words: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let assignments = words.iter().take_while(|word| is_assignment(word)).count();
    words.drain(..assignments);
    if !words.is_empty() {
        found.push(std::mem::take(words));
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

enum Token {
    Word(String),
    Redirection,
    End,
}

struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    fn new(line: &'a str) -> Self {
        Self { rest: line }
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        let mut quote = None;
        let mut end = self.rest.len();
        for (at, c) in self.rest.char_indices() {
            match quote {
                Some(open) if c == open => quote = None,
                Some(_) => word.push(c),
                None if c == '\'' || c == '"' => quote = Some(c),
                None if c.is_whitespace() || ";&|>".contains(c) => {
                    end = at;
                    break;
                }
                None => word.push(c),
            }
        }
        self.rest = &self.rest[end..];
        word
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        match first {
            '#' => {
                self.rest = "";
                None
            }
            ';' | '&' | '|' => {
                self.rest = self.rest.trim_start_matches([';', '&', '|']);
                Some(Token::End)
            }
            '>' => {
                self.rest = self.rest.trim_start_matches(['>', '&']);
                Some(Token::Redirection)
            }
            _ => Some(Token::Word(self.word())),
        }
    }
}
