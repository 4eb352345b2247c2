//! Expressions from text: values, names, and errors that point to the place.
#![expect(clippy::float_cmp, reason = "every value is exact")]

use std::error::Error;

use bifrons_blocks::Expression;
use bifrons_hybrid::{BlockError, NameProblem};

use crate::bench::{Bench, refusal, value, value_at};

#[test]
fn text_is_evaluated_over_inputs_parameters_and_time() {
    let block = || {
        Expression::new("k * a ^ 2 + b * time")
            .input("a")
            .parameter("k", 3.0)
            .input("b")
    };
    assert_eq!(value_at(10.0, block(), &[2.0, 0.5]), 17.0, "3·4 + 5");
    assert_eq!(
        Bench::new(block(), &[0.0; 2]).parameter_names(),
        ["block.a", "block.k", "block.b"],
        "names"
    );
    assert_eq!(value(Expression::new("2 * pi / pi"), &[]), 2.0, "no inputs");
    let choice = Expression::new("if u < 0 then -1 else u").input("u");
    assert_eq!(value(choice.clone(), &[-7.0]), -1.0, "one branch");
    assert_eq!(value(choice, &[7.0]), 7.0, "the other branch");
}

#[test]
fn a_misspelt_name_is_located_and_corrected() {
    let error = refusal(Expression::new("2 * sped").input("speed"));
    assert_eq!(
        error.to_string(),
        "`text` of block kind Expression cannot be read: `2 * sped`",
        "text"
    );
    assert!(
        error.source().is_some(),
        "the parser's message is the source"
    );
    let BlockError::Text { source, .. } = error else {
        panic!("variant: {error}")
    };
    assert_eq!(source.span(), 4..8, "place");
    assert_eq!(source.suggestion(), Some("speed"), "suggestion");
}

#[test]
fn malformed_texts_and_names_are_refused() {
    for text in ["", "1 +", "(u", "u u", "sine(u)", "u < 1"] {
        let error = refusal(Expression::new(text).input("u"));
        assert!(matches!(error, BlockError::Text { .. }), "{text}: {error}");
    }
    let twice = refusal(Expression::new("u").input("u").parameter("u", 1.0));
    assert!(
        matches!(
            twice,
            BlockError::Name {
                problem: NameProblem::Duplicate,
                ..
            }
        ),
        "twice: {twice}"
    );
    let word = refusal(Expression::new("1").input("if"));
    assert!(
        matches!(
            word,
            BlockError::Name {
                problem: NameProblem::Reserved,
                ..
            }
        ),
        "word: {word}"
    );
    let output = refusal(Expression::new("1").input("y"));
    assert!(
        matches!(output, BlockError::Name { .. }),
        "output: {output}"
    );
}
