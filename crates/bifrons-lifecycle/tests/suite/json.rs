//! A reader of JSON that parses numbers by the standard library, to the last bit.

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    pub(crate) fn read(text: &str) -> Self {
        let mut reader = Reader {
            bytes: text.as_bytes(),
            at: 0,
        };
        let value = reader.value();
        reader.space();
        assert_eq!(reader.at, reader.bytes.len(), "one value");
        value
    }

    pub(crate) fn get(&self, key: &str) -> &Self {
        match self {
            Self::Map(entries) => {
                let found = entries.iter().find(|(name, _)| name == key);
                &found.unwrap_or_else(|| panic!("no `{key}`")).1
            }
            _ => panic!("no map with `{key}`"),
        }
    }

    pub(crate) fn number(&self) -> f64 {
        match self {
            Self::Number(value) => *value,
            _ => panic!("no number: {self:?}"),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of tests are small"
    )]
    pub(crate) fn count(&self) -> usize {
        self.number() as usize
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            _ => panic!("no text: {self:?}"),
        }
    }

    pub(crate) fn list(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => panic!("no list: {self:?}"),
        }
    }

    pub(crate) fn numbers(&self) -> Vec<f64> {
        self.list().iter().map(Self::number).collect()
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn space(&mut self) {
        while self.at < self.bytes.len() && self.bytes[self.at].is_ascii_whitespace() {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self) -> Json {
        self.space();
        match self.bytes[self.at] {
            b'{' => {
                self.at += 1;
                let mut entries = Vec::new();
                while !self.eat(b'}') {
                    let key = self.value().text().to_owned();
                    assert!(self.eat(b':'), "a colon after `{key}`");
                    entries.push((key, self.value()));
                    self.eat(b',');
                }
                Json::Map(entries)
            }
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                while !self.eat(b']') {
                    items.push(self.value());
                    self.eat(b',');
                }
                Json::List(items)
            }
            b'"' => self.text(),
            _ => self.word(),
        }
    }

    fn text(&mut self) -> Json {
        let start = self.at + 1;
        let mut end = start;
        while self.bytes[end] != b'"' {
            end += if self.bytes[end] == b'\\' { 2 } else { 1 };
        }
        self.at = end + 1;
        Json::Text(String::from_utf8_lossy(&self.bytes[start..end]).into_owned())
    }

    fn word(&mut self) -> Json {
        let start = self.at;
        while self.at < self.bytes.len() && !b",]} \n\r\t".contains(&self.bytes[self.at]) {
            self.at += 1;
        }
        let word = std::str::from_utf8(&self.bytes[start..self.at]).expect("ASCII");
        match word {
            "null" => Json::Null,
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            number => Json::Number(number.parse().expect("a number")),
        }
    }
}
