//! One instant: the handler is called until nothing further crosses by what it does.

use super::{Track, Watch};
use crate::error::Failure;
use crate::event::{Event, Response};
use crate::stepper::Restart;

/// What an event leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// The trajectory goes on.
    Nothing,
    /// The method starts anew.
    Restart(Restart),
    /// The run ends.
    Terminate,
}

/// Whether two states are the same, bit for bit.
pub(crate) fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// Calls the handler for the functions that fired and the stop that is due at `t`.
///
/// The state `y` becomes what the handlers leave, `before` what they found; `last` is scratch.
///
/// # Errors
///
/// [`Failure::EventAccumulation`], [`Failure::EventState`], and what root functions meet.
pub(crate) fn happen(
    watch: &mut Watch,
    track: &mut impl Track,
    t: f64,
    stop: Option<usize>,
    (y, before, last): (&mut [f64], &mut [f64], &mut [f64]),
) -> Result<Change, Failure> {
    let mut stop = stop;
    let mut change = Change::Nothing;
    before.copy_from_slice(y);
    last.copy_from_slice(y);
    loop {
        for fired in &watch.fired {
            watch.rate.note(fired.index, t)?;
        }
        if let Some(first) = watch.fired.first() {
            watch.rate.note_call(first.index, t)?;
        }
        let event = Event {
            t,
            roots: &watch.fired,
            stop,
        };
        let response = track.event(&event, y);
        track.note(&event, last, y);
        if response == Response::Terminate || watch.is_terminal() {
            return Ok(Change::Terminate);
        }
        if let Some(component) = y.iter().position(|y| !y.is_finite()) {
            let value = y[component];
            y.copy_from_slice(last);
            return Err(Failure::EventState {
                component,
                value,
                t,
            });
        }
        let own = track.own(y.len());
        if same_bits(&last[..own], &y[..own]) {
            return Ok(unchanged(watch, response, change));
        }
        change = Change::Restart(Restart::Reset);
        last.copy_from_slice(y);
        stop = None;
        if watch.is_empty() || !watch.jump(track, t, y)? {
            return Ok(change);
        }
    }
}

/// What follows if the handler left the state as it was.
fn unchanged(watch: &mut Watch, response: Response, change: Change) -> Change {
    match response {
        Response::Continue | Response::Terminate => change,
        Response::Reset => {
            watch.kink();
            Change::Restart(Restart::Reset)
        }
        Response::Kink => {
            watch.kink();
            match change {
                Change::Nothing => Change::Restart(Restart::Kink),
                other => other,
            }
        }
    }
}
