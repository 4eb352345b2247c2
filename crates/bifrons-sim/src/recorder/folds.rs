//! What reductions carry along within a member, beside the numbers in its columns.

use bifrons_memory::Footprint;

use crate::checkpoint::{Reader, Writer};
use crate::recording::{Policy, Reduction};

/// Samples and states of the member in one lane.
#[derive(Debug, Clone)]
pub(crate) struct Folds {
    /// Signal by signal, as many as there are times; empty if there is no quantile.
    samples: Vec<f64>,
    /// Samples of one signal at most.
    most: usize,
    /// Signal by signal, the states of all custom reductions.
    states: Vec<f64>,
    /// Numbers of the states of one signal.
    numbers: usize,
}

/// Samples and states of one signal; `None` if reductions need neither.
fn shape(policy: &Policy) -> Option<(usize, usize)> {
    let Policy::Reduce { times, reductions } = policy else {
        return None;
    };
    let has_quantile = reductions
        .iter()
        .any(|own| matches!(own, Reduction::Quantile(_)));
    let samples = if has_quantile { times.len() } else { 0 };
    let states = reductions.iter().map(Reduction::state_count).sum();
    (samples + states > 0).then_some((samples, states))
}

impl Folds {
    /// One for each lane where they are needed.
    pub(crate) fn lanes(policy: &Policy, signals: usize, lanes: usize) -> Vec<Self> {
        let Some((most, numbers)) = shape(policy) else {
            return Vec::new();
        };
        let lane = Self {
            samples: vec![0.0; signals * most],
            most,
            states: vec![0.0; signals * numbers],
            numbers,
        };
        vec![lane; lanes]
    }

    /// Bytes of [`lanes`](Self::lanes).
    pub(crate) fn footprint(policy: &Policy, signals: usize, lanes: usize) -> Footprint {
        let Some((samples, numbers)) = shape(policy) else {
            return Footprint::ZERO;
        };
        Footprint::of::<f64>(signals * (samples + numbers))
            .beside(Footprint::of::<Self>(1))
            .times(lanes as u64)
    }

    /// Keeps the samples of a signal from `index` on, if a quantile needs them.
    pub(crate) fn keep(&mut self, signal: usize, index: usize, values: &[f64]) {
        if self.most > 0 {
            let start = signal * self.most + index;
            self.samples[start..start + values.len()].copy_from_slice(values);
        }
    }

    /// The states of a signal.
    pub(crate) fn states(&mut self, signal: usize) -> &mut [f64] {
        &mut self.states[signal * self.numbers..(signal + 1) * self.numbers]
    }

    /// The first `count` samples of a signal in ascending order, NaN at the ends.
    pub(crate) fn sort(&mut self, signal: usize, count: usize) -> &[f64] {
        let start = signal * self.most;
        let samples = &mut self.samples[start..start + count];
        samples.sort_unstable_by(f64::total_cmp);
        samples
    }

    pub(crate) fn save(&self, writer: &mut Writer) {
        writer.numbers(&self.samples);
        writer.numbers(&self.states);
    }

    /// Reads what [`save`](Self::save) has written; `None` if it does not fit.
    pub(crate) fn restore(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        reader.fill(&mut self.samples)?;
        reader.fill(&mut self.states)
    }
}

/// The quantile of ascending samples by linear interpolation, see [`Reduction::Quantile`].
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a position within the samples"
)]
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return f64::NAN;
    };
    if first.is_nan() || last.is_nan() {
        return f64::NAN;
    }
    let position = (sorted.len() - 1) as f64 * q;
    let below = position.floor();
    let part = position - below;
    let low = sorted[below as usize];
    let high = *sorted.get(below as usize + 1).unwrap_or(last);
    // Without the products where one of them could be zero times infinity.
    if part <= 0.0 || low.total_cmp(&high).is_eq() {
        return low;
    }
    // Rounding must not leave the interval; the products do not overflow.
    ((1.0 - part) * low + part * high).max(low).min(high)
}
