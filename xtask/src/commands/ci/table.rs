//! What `ci` prints at the end.

use std::time::Duration;

use super::{Outcome, Row};

/// The table of steps with their times, then all failures with the commands that reproduce
/// them, then one closing line.
#[must_use]
pub fn lines(rows: &[Row], chosen: usize) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        "step           result    time       note".to_owned(),
    ];
    let mut total = Duration::ZERO;
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for row in rows {
        total += row.duration;
        let (verdict, said) = match &row.outcome {
            Outcome::Passed(said) => ("ok", said.clone()),
            Outcome::Failed(_, said) => ("FAILED", said.clone()),
            Outcome::Skipped(why) => ("skipped", format!("skipped: {why}")),
        };
        match &row.outcome {
            Outcome::Passed(_) => passed += 1,
            Outcome::Failed(..) => failed += 1,
            Outcome::Skipped(_) => skipped += 1,
        }
        let line = format!(
            "{:<14} {verdict:<9} {:>9}  {said}",
            row.step.name(),
            human(row.duration)
        );
        lines.push(line.trim_end().to_owned());
    }
    for row in rows {
        if let Outcome::Failed(_, what) = &row.outcome {
            lines.push(format!("FAILED {}: {what}", row.step.name()));
            lines.push(format!("  reproduce: {}", row.step.command()));
        }
    }
    let left = match chosen - rows.len() {
        0 => String::new(),
        left => format!(", {left} not run"),
    };
    lines.push(format!(
        "ci: {passed} ok, {failed} failed, {skipped} skipped{left} in {}",
        human(total)
    ));
    lines
}

/// `0.8 s`, `59.9 s`, `12 m 03 s`.
fn human(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 59.95 {
        format!("{seconds:.1} s")
    } else {
        let whole = duration.as_secs();
        format!("{} m {:02} s", whole / 60, whole % 60)
    }
}
