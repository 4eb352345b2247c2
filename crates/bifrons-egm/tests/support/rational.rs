//! The upper envelope by brute force in rational arithmetic.

use std::cmp::Ordering;

use super::fraction::Fraction;
use bifrons_egm::Record;

/// Candidates of a case.
#[derive(Debug, Clone, Default)]
pub(crate) struct Case {
    pub(crate) x: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) c: Vec<f64>,
    pub(crate) label: Vec<u32>,
}

fn exact(x: f64) -> Fraction {
    Fraction::exact(x)
}

/// A run: candidates from left to right.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) at: Vec<usize>,
}

/// Cuts a case into runs, in canonical order.
pub(crate) fn runs(case: &Case, keep_descending: bool) -> Vec<Run> {
    let live = |i: usize| case.x[i].is_finite() && case.v[i] > f64::NEG_INFINITY;
    let mut found: Vec<Run> = Vec::new();
    let mut touched = vec![false; case.x.len()];
    // Every link, then maximal chains of links of one direction.
    let link = |i: usize| {
        let linked =
            i + 1 < case.x.len() && live(i) && live(i + 1) && case.label[i] == case.label[i + 1];
        if !linked || case.x[i] == case.x[i + 1] {
            0
        } else if case.x[i + 1] > case.x[i] {
            1
        } else {
            -1
        }
    };
    let mut i = 0;
    while i < case.x.len() {
        let direction = link(i);
        if direction == 0 {
            i += 1;
            continue;
        }
        let first = i;
        while link(i) == direction {
            i += 1;
        }
        touched[first..=i].fill(true);
        let mut at: Vec<usize> = (first..=i).collect();
        if direction < 0 {
            at.reverse();
        }
        if direction > 0 || keep_descending {
            found.push(Run { at });
        }
    }
    found.extend(
        (0..case.x.len())
            .filter(|&i| live(i) && !touched[i])
            .map(|i| Run { at: vec![i] }),
    );
    found.sort_by(|a, b| order(case, a, b));
    found
}

/// By both ends, then length, label and place.
fn order(case: &Case, a: &Run, b: &Run) -> Ordering {
    let key = |run: &Run| {
        let (a, b) = (run.at[0], run.at[run.at.len() - 1]);
        let numbers = [
            case.x[a], case.v[a], case.c[a], case.x[b], case.v[b], case.c[b],
        ];
        let place = a.min(b);
        (
            numbers.map(|n| n + 0.0),
            (run.at.len(), case.label[a], place),
        )
    };
    let (p, q) = (key(a), key(b));
    let numbers =
        p.0.iter()
            .zip(&q.0)
            .map(|(s, t)| s.total_cmp(t))
            .find(|o| o.is_ne());
    numbers.unwrap_or(Ordering::Equal).then(p.1.cmp(&q.1))
}

/// Value of a channel on a run; beyond the end the last one.
fn on_run(case: &Case, run: &Run, x: f64, channel: &[f64]) -> Fraction {
    let last = run.at.len() - 1;
    if x >= case.x[run.at[last]] {
        return exact(channel[run.at[last]]);
    }
    let k = (0..last)
        .rev()
        .find(|&k| case.x[run.at[k]] <= x)
        .unwrap_or(0);
    let (i, j) = (run.at[k], run.at[k + 1]);
    let (x0, x1) = (exact(case.x[i]), exact(case.x[j]));
    let share = (exact(x) - x0.clone()) / (x1 - x0);
    exact(channel[i]) + share * (exact(channel[j]) - exact(channel[i]))
}

/// Slope of the link that leaves `x` to the right; `None` at the end.
fn slope_right(case: &Case, run: &Run, x: f64) -> Option<Fraction> {
    let last = run.at.len() - 1;
    let k = (0..last).rev().find(|&k| case.x[run.at[k]] <= x)?;
    let (i, j) = (run.at[k], run.at[k + 1]);
    (x < case.x[j])
        .then(|| (exact(case.v[j]) - exact(case.v[i])) / (exact(case.x[j]) - exact(case.x[i])))
}

/// The run that owns `x`.
fn owner(case: &Case, runs: &[Run], x: f64) -> Option<usize> {
    let mut best: Option<(usize, Fraction, Option<Fraction>)> = None;
    for (index, run) in runs.iter().enumerate() {
        let (a, b) = (case.x[run.at[0]], case.x[run.at[run.at.len() - 1]]);
        if x < a || x > b {
            continue;
        }
        let (value, slope) = (on_run(case, run, x, &case.v), slope_right(case, run, x));
        let wins = best.as_ref().is_none_or(|(_, v, s)| {
            // No slope: the run does not go on, which loses ties.
            value > *v || (value == *v && slope > *s)
        });
        if wins {
            best = Some((index, value, slope));
        }
    }
    best.map(|(index, ..)| index)
}

/// All numbers next to an event: ends of links and crossings.
fn events(case: &Case, runs: &[Run]) -> Vec<f64> {
    let mut numbers = Vec::new();
    let mut links = Vec::new();
    for run in runs {
        numbers.extend(run.at.iter().map(|&i| case.x[i] + 0.0));
        links.extend(run.at.windows(2).map(|pair| (pair[0], pair[1])));
    }
    let line = |(i, j): (usize, usize)| {
        let slope = (exact(case.v[j]) - exact(case.v[i])) / (exact(case.x[j]) - exact(case.x[i]));
        let origin = exact(case.v[i]) - slope.clone() * exact(case.x[i]);
        (slope, origin)
    };
    for (n, &a) in links.iter().enumerate() {
        for &b in &links[..n] {
            let ((s, p), (t, q)) = (line(a), line(b));
            if s != t {
                numbers.push(((q - p) / (s - t)).rounded());
            }
        }
    }
    let near = |x: f64| {
        [
            x.next_down().next_down(),
            x.next_down(),
            x,
            x.next_up(),
            x.next_up().next_up(),
        ]
    };
    let mut all: Vec<f64> = numbers.into_iter().flat_map(near).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// The records of the envelope.
pub(crate) fn envelope(case: &Case, keep_descending: bool) -> Vec<Record> {
    let runs = runs(case, keep_descending);
    let events = events(case, &runs);
    // Stretches of one owner, as first number, first number after it, owner.
    let mut stretches: Vec<(f64, f64, usize)> = Vec::new();
    let mut before = None;
    for &x in &events {
        let now = owner(case, &runs, x);
        if let (Some(run), true) = (now, now != before) {
            stretches.push((x, f64::INFINITY, run));
        }
        if before != now && before.is_some() {
            let done = stretches.len() - 1 - usize::from(now.is_some());
            stretches[done].1 = x;
        }
        before = now;
    }
    let mut records: Vec<Record> = Vec::new();
    let gap_after = |n: usize| n + 1 < stretches.len() && stretches[n].1 < stretches[n + 1].0;
    for (n, &(start, end, run)) in stretches.iter().enumerate() {
        let closes = gap_after(n) || n + 1 == stretches.len();
        let last = if closes { end.next_down() } else { end };
        let mut at = vec![start];
        at.extend(
            runs[run]
                .at
                .iter()
                .map(|&i| case.x[i] + 0.0)
                .filter(|&x| x > start && x < last),
        );
        if last > start {
            at.push(last);
        }
        for x in at {
            let record = Record {
                x,
                value: on_run(case, &runs[run], x, &case.v).rounded(),
                policy: on_run(case, &runs[run], x, &case.c).rounded(),
                marginal: 0.0,
                owner: case.label[runs[run].at[0]],
            };
            records.push(record);
        }
        if gap_after(n) {
            let size = records.len();
            records[size - 1].owner = u32::MAX;
        }
    }
    records
}
