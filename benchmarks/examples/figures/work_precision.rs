//! Work-precision curves of `bifrons-ode`, beside the peers' results that are committed.

use anyhow::Context as _;
use benchmarks::Bifrons;
use bifrons_problems::contest::{Arguments, run};
use serde_json::Value;

use crate::figure::{Figure, Series};

/// Results of the peers without times.
const PEERS: &str = include_str!("../../peers/counts.json");

/// A picture: problem, name of the file, headline, our methods, methods of the peers.
type Plan = (
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [(&'static str, &'static str)],
);

const PLANS: [Plan; 4] = [
    (
        "lorenz",
        "work-lorenz",
        "Lorenz's system to t = 10",
        &["dopri5", "tsit5", "dop853"],
        &[
            ("differential-equations", "dop853"),
            ("diffsol", "tsit45"),
            ("sundials", "cvode_adams"),
        ],
    ),
    (
        "robertson",
        "work-robertson",
        "Robertson's reactions to t = 4e5",
        &["bdf", "radau", "rodas5p", "esdirk5"],
        &[("sundials", "cvode_bdf_dense"), ("diffsol", "bdf")],
    ),
    (
        "hires",
        "work-hires",
        "HIRES, eight equations",
        &["bdf", "radau", "rodas5p", "esdirk5"],
        &[("sundials", "cvode_bdf_dense"), ("diffsol", "bdf")],
    ),
    (
        "transistor_amplifier",
        "work-transistor",
        "Transistor amplifier, index 1",
        &["bdf", "radau", "rodas5p"],
        &[("sundials", "ida_dense"), ("diffsol", "bdf")],
    ),
];

/// One picture per problem: evaluations of the right-hand side over the error at the end.
pub(crate) fn curves() -> anyhow::Result<Vec<Figure>> {
    PLANS.iter().map(picture).collect()
}

fn picture(plan: &Plan) -> anyhow::Result<Figure> {
    let &(problem, name, title, methods, peers) = plan;
    let words = ["--samples", "0", "--patience", "1000", "--problem", problem];
    let chosen = methods.iter().flat_map(|method| ["--method", method]);
    let words = words.into_iter().chain(chosen).map(str::to_owned);
    let mut out = Vec::new();
    run(&Bifrons, &Arguments::parse(words)?, &mut out)?;
    let own = String::from_utf8(out)?;
    let mut series = Vec::new();
    for method in methods {
        let points = points(&own, problem, "bifrons", method)?;
        series.push(Series::line(*method, points));
    }
    for (peer, method) in peers {
        let points = points(PEERS, problem, peer, method)?;
        series.push(Series::points(format!("{peer} {method}"), points));
    }
    Ok(Figure {
        name,
        title,
        x: "error",
        y: "evaluations of the right-hand side",
        logarithmic: [true, true],
        y_range: None,
        legend: "upper-right",
        series,
    })
}

/// Errors and evaluations of a method that reached the end.
fn points(lines: &str, problem: &str, peer: &str, method: &str) -> anyhow::Result<Vec<(f64, f64)>> {
    let mut points = Vec::new();
    for line in lines.lines() {
        let value: Value = serde_json::from_str(line).context("a line of a contestant")?;
        let is = |key: &str, wanted: &str| value[key].as_str() == Some(wanted);
        if is("problem", problem) && is("peer", peer) && is("method", method) {
            points.extend(value["error"].as_f64().zip(value["rhs"].as_f64()));
        }
    }
    Ok(points)
}
