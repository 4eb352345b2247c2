//! How often root functions fire: impacts that accumulate, states that chatter.

use bifrons_memory::Footprint;

use crate::error::Failure;

/// Firings of one function that follow each other within this part of the time, in a row.
const CLOSE: f64 = 1.0 / (1_u64 << 36) as f64;
const CLOSE_ROW: u32 = 3;
/// Part of the span in which firings of one root function are counted.
const WINDOW: f64 = 1e-4;
/// Times that handlers may be called at one instant.
const MOST_ITERATIONS: u32 = 100;

/// Counts of firings, function by function.
#[derive(Debug, Clone)]
pub(crate) struct Rate {
    /// Time within which firings are counted, and how many there may be.
    window: f64,
    most: u32,
    functions: Vec<Recent>,
    instant: f64,
    iterations: u32,
}

#[derive(Debug, Clone, Copy)]
struct Recent {
    last: f64,
    /// Firings in a row that came close after each other.
    close: u32,
    window_start: f64,
    in_window: u32,
}

const NONE: Recent = Recent {
    last: f64::NAN,
    close: 0,
    window_start: f64::NAN,
    in_window: 0,
};

impl Rate {
    /// Nothing has fired yet; firings are counted within a part of the span.
    pub(crate) fn new(count: usize, span: f64, most: u32) -> Self {
        let mut rate = Self {
            window: 0.0,
            most,
            functions: vec![NONE; count],
            instant: f64::NAN,
            iterations: 0,
        };
        rate.configure(span, most);
        rate
    }

    /// Takes over the settings of another run.
    pub(crate) fn configure(&mut self, span: f64, most: u32) {
        self.window = if span.is_finite() { WINDOW * span } else { 0.0 };
        self.most = most;
    }

    /// Bytes of the counts.
    pub(crate) fn footprint(count: usize) -> Footprint {
        Footprint::of::<Recent>(count)
    }

    /// Forgets everything.
    pub(crate) fn reset(&mut self) {
        self.functions.fill(NONE);
        self.instant = f64::NAN;
        self.iterations = 0;
    }

    /// Notes that function `root` fires at `t`.
    ///
    /// # Errors
    ///
    /// [`Failure::EventAccumulation`] if it does so too often.
    pub(crate) fn note(&mut self, root: usize, t: f64) -> Result<(), Failure> {
        let recent = &mut self.functions[root];
        let gap = (t - recent.last).abs();
        recent.close = if gap <= CLOSE * t.abs() {
            recent.close + 1
        } else {
            0
        };
        recent.last = t;
        if (t - recent.window_start).abs() <= self.window {
            recent.in_window += 1;
        } else {
            recent.window_start = t;
            recent.in_window = 1;
        }
        let accumulated = |count, window| Failure::EventAccumulation {
            root,
            t,
            count,
            window,
        };
        if recent.close >= CLOSE_ROW {
            return Err(accumulated(recent.close, CLOSE * t.abs()));
        }
        if recent.in_window > self.most {
            return Err(accumulated(recent.in_window, self.window));
        }
        Ok(())
    }

    /// Notes that the handler is called at `t` on behalf of function `root`.
    ///
    /// # Errors
    ///
    /// [`Failure::EventAccumulation`] if time does not pass.
    pub(crate) fn note_call(&mut self, root: usize, t: f64) -> Result<(), Failure> {
        if t.to_bits() == self.instant.to_bits() {
            self.iterations += 1;
        } else {
            self.instant = t;
            self.iterations = 0;
        }
        if self.iterations > MOST_ITERATIONS {
            return Err(Failure::EventAccumulation {
                root,
                t,
                count: self.iterations,
                window: 0.0,
            });
        }
        Ok(())
    }
}
