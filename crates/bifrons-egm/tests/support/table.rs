//! Reference tables: lines of a key and numbers, kept as text until they are parsed.

/// One line.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) key: String,
    pub(crate) words: Vec<String>,
}

impl Line {
    pub(crate) fn numbers(&self) -> Vec<f64> {
        self.words
            .iter()
            .map(|word| word.parse().unwrap())
            .collect()
    }
}

/// A part of a table that starts with a line of a certain key.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) lines: Vec<Line>,
}

impl Block {
    /// Blocks of a text, each from a line with the key to the next one.
    pub(crate) fn all(text: &str, key: &str) -> Vec<Self> {
        let lines = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| {
                let body = line.split('#').next().unwrap();
                let mut words = body.split_whitespace().map(str::to_owned);
                let key = words.next().unwrap_or_default();
                Line {
                    key,
                    words: words.collect(),
                }
            });
        split(lines, key)
    }

    /// Parts of this block from lines with the key on.
    pub(crate) fn parts(&self, key: &str) -> Vec<Self> {
        split(self.lines.iter().cloned(), key)
    }

    pub(crate) fn words(&self, key: &str) -> Vec<String> {
        let line = self.lines.iter().find(|line| line.key == key);
        line.unwrap_or_else(|| panic!("no line {key}"))
            .words
            .clone()
    }

    pub(crate) fn list(&self, key: &str) -> Vec<f64> {
        self.words(key)
            .iter()
            .map(|word| word.parse().unwrap())
            .collect()
    }

    pub(crate) fn number(&self, key: &str) -> f64 {
        self.list(key)[0]
    }

    pub(crate) fn count(&self, key: &str) -> usize {
        self.words(key)[0].parse().unwrap()
    }

    pub(crate) fn rows(&self, key: &str) -> Vec<Vec<f64>> {
        self.lines
            .iter()
            .filter(|line| line.key == key)
            .map(Line::numbers)
            .collect()
    }
}

fn split(lines: impl Iterator<Item = Line>, key: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in lines {
        if line.key == key {
            blocks.push(Block { lines: Vec::new() });
        }
        if let Some(block) = blocks.last_mut() {
            block.lines.push(line);
        }
    }
    blocks
}
