//! A JSON writer that allocates nothing.
//!
//! The lines of a sample are written while the heap is being counted, so writing one must not
//! change the count. Pieces go straight into the buffered standard output; the only errors are
//! those of writing.

use std::io::{self, Write};

/// One JSON object under construction on `out`, written member by member.
#[derive(Debug)]
pub(crate) struct Line<'a, W: Write> {
    out: &'a mut W,
    /// One bit per open level: set once the level has a member.
    begun: u64,
    /// One bit per open level: set when the level is an array.
    array: u64,
    depth: u32,
}

impl<'a, W: Write> Line<'a, W> {
    /// Opens the outermost object.
    pub(crate) fn open(out: &'a mut W) -> io::Result<Self> {
        out.write_all(b"{")?;
        Ok(Self {
            out,
            begun: 0,
            array: 0,
            depth: 0,
        })
    }

    /// Writes `"key": "value"`.
    pub(crate) fn text(&mut self, key: &str, value: &str) -> io::Result<()> {
        self.key(key)?;
        self.string(value)
    }

    /// Writes `"key": value`.
    pub(crate) fn integer(&mut self, key: &str, value: u64) -> io::Result<()> {
        self.key(key)?;
        write!(self.out, "{value}")
    }

    /// Writes `"key": value` in the shortest form that reads back to the same bits.
    /// A value that is not finite has no JSON form and is an error.
    pub(crate) fn real(&mut self, key: &str, value: f64) -> io::Result<()> {
        if !value.is_finite() {
            let text = format!("{key} is {value}, which JSON cannot carry");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        self.key(key)?;
        write!(self.out, "{value:e}")
    }

    /// Writes `"key": [values…]`.
    pub(crate) fn integers(&mut self, key: &str, values: &[u64]) -> io::Result<()> {
        self.begin_array(key)?;
        for value in values {
            self.key("")?;
            write!(self.out, "{value}")?;
        }
        self.end()
    }

    /// Opens an object as the member `key`, or as an element when inside an array.
    pub(crate) fn begin(&mut self, key: &str) -> io::Result<()> {
        self.key(key)?;
        self.descend(false);
        self.out.write_all(b"{")
    }

    /// Opens an array as the member `key`, or as an element when inside an array.
    pub(crate) fn begin_array(&mut self, key: &str) -> io::Result<()> {
        self.key(key)?;
        self.descend(true);
        self.out.write_all(b"[")
    }

    /// Closes the innermost object or array.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        let bracket = if self.array >> self.depth & 1 == 1 {
            b"]"
        } else {
            b"}"
        };
        self.depth = self.depth.saturating_sub(1);
        self.out.write_all(bracket)
    }

    /// Closes the outermost object and hands the line to the reader.
    pub(crate) fn close(self) -> io::Result<()> {
        debug_assert_eq!(self.depth, 0, "every begin has its end");
        self.out.write_all(b"}\n")?;
        self.out.flush()
    }

    fn descend(&mut self, array: bool) {
        self.depth += 1;
        let bit = 1 << self.depth;
        self.begun &= !bit;
        if array {
            self.array |= bit;
        } else {
            self.array &= !bit;
        }
    }

    fn key(&mut self, key: &str) -> io::Result<()> {
        let bit = 1 << self.depth;
        if self.begun & bit != 0 {
            self.out.write_all(b",")?;
        }
        self.begun |= bit;
        if self.array & bit == 0 {
            self.string(key)?;
            self.out.write_all(b":")?;
        }
        Ok(())
    }

    fn string(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(b"\"")?;
        let mut plain = 0;
        for (at, byte) in text.bytes().enumerate() {
            let escape: &[u8] = match byte {
                b'"' => b"\\\"",
                b'\\' => b"\\\\",
                b'\n' => b"\\n",
                b'\t' => b"\\t",
                b'\r' => b"\\r",
                // Other control characters do not occur in names; a blank keeps the JSON valid.
                0..0x20 => b" ",
                _ => continue,
            };
            self.out.write_all(&text.as_bytes()[plain..at])?;
            self.out.write_all(escape)?;
            plain = at + 1;
        }
        self.out.write_all(&text.as_bytes()[plain..])?;
        self.out.write_all(b"\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_lines_parse_back() {
        let mut out = Vec::new();
        let mut line = Line::open(&mut out).expect("a vector takes every byte");
        line.text("name", "a \"quoted\"\\\n\u{1} ü").expect("text");
        line.begin("map").expect("object");
        line.integer("n", u64::MAX).expect("integer");
        line.end().expect("end of object");
        line.begin_array("list").expect("array");
        line.begin("").expect("element");
        line.real("x", 0.1 + 0.2).expect("real");
        line.end().expect("end of element");
        line.begin("").expect("element");
        line.end().expect("end of element");
        line.end().expect("end of array");
        line.integers("samples", &[1, 2, 3]).expect("integers");
        line.integers("none", &[]).expect("integers");
        line.close().expect("close");
        let value: serde_json::Value =
            serde_json::from_slice(&out).expect("the line is one JSON object");
        let expected = serde_json::json!({
            "name": "a \"quoted\"\\\n  ü",
            "map": {"n": u64::MAX},
            "list": [{"x": 0.1 + 0.2}, {}],
            "samples": [1, 2, 3],
            "none": [],
        });
        assert_eq!(value, expected, "{}", String::from_utf8_lossy(&out));
        assert_eq!(
            out.iter().filter(|&&byte| byte == b'\n').count(),
            1,
            "one line"
        );
    }

    #[test]
    fn numbers_without_a_json_form_are_refused() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut out = Vec::new();
            let mut line = Line::open(&mut out).expect("a vector takes every byte");
            let error = line.real("error", value).expect_err("not a JSON number");
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{value}");
        }
    }
}
