//! The protocol of contests, with a solver that is not one.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_problems::contest::{Arguments, Contestant, Ran, Ready, Tolerances, run};
use bifrons_problems::ode::ReferenceProblem;

/// Returns the reference with an error of twice the tolerance, or fails.
struct Oracle;

impl Contestant for Oracle {
    fn name(&self) -> &'static str {
        "oracle"
    }
    fn version(&self) -> &'static str {
        "1"
    }
    fn methods(&self) -> &'static [&'static str] {
        &["knows", "refuses", "fails"]
    }
    fn prepare<'m, M: ReferenceProblem, const N: usize>(
        &self,
        method: &str,
        model: &'m M,
        tolerances: Tolerances,
    ) -> Option<Ready<'m>> {
        let fails = match method {
            "refuses" => return None,
            "fails" => true,
            _ => false,
        };
        Some(Box::new(move || {
            if fails {
                return Err("step \"0\" is\ntoo small".to_owned());
            }
            let scale = model.facts().scale;
            let off = |y: f64| y + 2.0 * tolerances.relative * (scale + y.abs());
            let state = model.end().1.into_iter().map(off).collect();
            Ok(Ran {
                state,
                steps: 3,
                ..Ran::default()
            })
        }))
    }
}

fn lines(words: &[&str]) -> Vec<String> {
    let words = words.iter().map(|&word| word.to_owned());
    let arguments = Arguments::parse(words).expect("valid");
    let mut out = Vec::new();
    run(&Oracle, &arguments, &mut out).expect("in memory");
    let text = String::from_utf8(out).expect("text");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_line_holds_error_and_counts_or_what_went_wrong() {
    let lines = lines(&["--problem", "hires", "--rtol", "1e-4", "--samples", "1"]);
    assert_eq!(lines.len(), 2, "{lines:?}");
    let start = "{\"peer\":\"oracle\",\"version\":\"1\",\"method\":\"knows\",\"problem\":\"hires\",\
                 \"rtol\":1e-4,\"atol\":1e-8,\"error\":";
    let rest = lines[0].strip_prefix(start).expect("known start");
    let (error, rest) = rest.split_once(',').expect("counts follow");
    let error: f64 = error.parse().expect("a number");
    assert!((error - 2e-4).abs() < 1e-12, "{error}");
    assert!(
        rest.starts_with("\"steps\":3,\"rhs\":0,\"jacobians\":0,\"factorisations\":0,\"wall_ns\":"),
        "{rest}"
    );
    assert!(rest.ends_with("\"samples\":1}"), "{rest}");
    assert!(
        lines[1].contains("\"failure\":\"step \\\"0\\\" is too small\""),
        "{}",
        lines[1]
    );
}

#[test]
fn lists_name_every_problem_that_a_method_takes() {
    let all = lines(&["--list"]);
    assert_eq!(all.len(), 2 * 31, "two methods take all problems");
    let one = lines(&["--list", "--method", "knows", "--problem", "e5"]);
    assert_eq!(one, ["e5 knows"], "chosen");
}

#[test]
fn wrong_arguments_are_named() {
    for (words, expected) in [
        (&["--fast", "1"][..], "`--fast`"),
        (&["--rtol"], "`--rtol`"),
        (&["--rtol", "-1"], "got `-1`"),
        (&["--samples", "-1"], "`-1`"),
        (&["--patience", "long"], "got `long`"),
    ] {
        let words = words.iter().map(|&word| word.to_owned());
        let error = Arguments::parse(words).expect_err("wrong").to_string();
        assert!(
            error.contains(expected) && error.contains("--list"),
            "{error}"
        );
    }
}
