//! The scanner behind the rules for Rust files: what is code, and where functions end.

use xtask::check::rust_source::RustSource;

/// Name, line and number of lines of a function.
type Measured<'a> = (&'a str, usize, usize);

fn functions(text: &str) -> Vec<(String, usize, usize)> {
    RustSource::new(text)
        .functions()
        .into_iter()
        .map(|f| (f.name, f.line, f.line_count))
        .collect()
}

#[test]
fn comments_and_literals_are_no_code() {
    for (text, has_word) in [
        ("word", true),
        ("// word", false),
        ("/* word */", false),
        ("/* /* */ word */ x", false),
        ("/* /* */ */ word", true),
        ("\"word\"", false),
        ("\"\\\"word\"", false),
        ("\"\\\\\" word", true),
        ("r\"\\\" word", true),
        ("r#\"a\" word\"#", false),
        ("r##\"a\"# word\"##", false),
        ("br#\"word\"#", false),
        ("cr\"word\"", false),
        ("b\"word\"", false),
        ("'\"' word '\"'", true),
        ("'\\'' word", true),
        ("'\\u{22}' word '\"'", true),
        ("'ü' word", true),
        ("fn f<'a>(x: &'a str) { word }", true),
        ("'outer: loop { word }", true),
        ("r#word", false),
        ("sword", false),
        ("words", false),
        ("for_r \"word\"", false),
    ] {
        let source = RustSource::new(text);
        assert_eq!(!source.words("word").is_empty(), has_word, "in {text}");
    }
}

#[test]
fn functions_are_measured_from_keyword_to_brace() {
    let cases: &[(&str, &[Measured<'_>])] = &[
        ("fn one() {}", &[("one", 1, 1)]),
        ("\n\nfn two(\n) {\n}\n", &[("two", 3, 3)]),
        ("fn a() -> [u8; { 1 }] {\n}", &[("a", 1, 2)]),
        ("fn a() -> L<{ N + 1 }> {\n}", &[("a", 1, 2)]),
        (
            "fn a<T>(t: T)\nwhere\n    T: Fn(u8) -> L<u8>,\n{\n}",
            &[("a", 1, 5)],
        ),
        (
            "fn a() { let s = \"}\"; }\nfn b() { '}'; /* } */ }",
            &[("a", 1, 1), ("b", 2, 1)],
        ),
        (
            "trait T { fn no_body(&self); fn body(&self) {\n} }",
            &[("body", 1, 2)],
        ),
        ("type F = fn(f64) -> f64;", &[]),
        (
            "fn outer() {\n fn inner() {\n }\n}",
            &[("outer", 1, 4), ("inner", 2, 2)],
        ),
        (
            "macro_rules! m { ($n:ident) => { fn $n() {\n} } }",
            &[("$n", 1, 2)],
        ),
        ("fn broken() {", &[]),
    ];
    for (text, expected) in cases {
        let expected: Vec<_> = expected
            .iter()
            .map(|&(name, line, count)| (name.to_owned(), line, count))
            .collect();
        assert_eq!(functions(text), expected, "in {text}");
    }
}

#[test]
fn attributes_come_with_line_and_content() {
    let text = "//! x\n#![forbid(a)]\n\n#[cfg_attr(test, expect(b, reason = \"[\"))]\nstruct S;";
    let found: Vec<_> = RustSource::new(text)
        .attributes()
        .into_iter()
        .map(|a| (a.line, a.content))
        .collect();
    assert_eq!(
        found,
        [
            (2, "forbid(a)".to_owned()),
            (4, "cfg_attr(test, expect(b, reason = \" \"))".to_owned())
        ],
        "literals are blanked, brackets in them do not count"
    );
}

#[test]
fn macro_calls_are_not_other_words() {
    let text = "stop!();\nlet stop = 1;\n// stop!()\nstop ! ();\nstop![]";
    assert_eq!(
        RustSource::new(text).macro_calls("stop"),
        [1, 5],
        "two calls in code"
    );
}

/// Every text of up to six of these characters is scanned to its end without a panic, and what
/// is found lies within the text.
#[test]
fn all_short_texts_are_scanned() {
    const PIECES: [&str; 9] = ["\"", "'", "#", "/", "*", "r", "\\", "ü", "fn a{"];
    for length in 0..=6_u32 {
        for code in 0..PIECES.len().pow(length) {
            let mut rest = code;
            let mut text = String::new();
            for _ in 0..length {
                text.push_str(PIECES[rest % PIECES.len()]);
                rest /= PIECES.len();
            }
            let source = RustSource::new(&text);
            assert!(source.attributes().is_empty(), "no brackets in {text}");
            for function in source.functions() {
                assert_eq!((function.line, function.line_count), (1, 1), "in {text}");
            }
        }
    }
}
