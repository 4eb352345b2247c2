//! The ages of a model.

use crate::error::BuildError;

/// Ages at which decisions are made, ascending: period `t` has age `ages[t]`.
///
/// ```
/// use bifrons_lifecycle::Ages;
///
/// let ages = Ages::every(25.0, 26.0, 0.25)?;
/// assert_eq!(ages.values(), [25.0, 25.25, 25.5, 25.75, 26.0]);
/// # Ok::<(), bifrons_lifecycle::BuildError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ages {
    values: Vec<f64>,
}

/// Periods beyond which a model is surely a mistake.
const MOST: f64 = 1e6;

impl Ages {
    /// `start, start + step, …` up to and including `stop` (within a millionth of a step).
    ///
    /// # Errors
    ///
    /// `E-AGES` if a number is not finite, the step is not positive or `stop < start`.
    pub fn every(start: f64, stop: f64, step: f64) -> Result<Self, BuildError> {
        let count = ((stop - start) / step + 1e-6).floor();
        if !(step > 0.0 && step.is_finite() && (0.0..=MOST).contains(&count)) {
            return Err(Self::refuse(format!(
                "ages from {start} to {stop} in steps of {step} do not exist"
            )));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and a million"
        )]
        let count = count as usize;
        Self::list((0..=count).map(|t| start + step * t as f64))
    }

    /// The first `count` ages 0, 1, …: periods are ages.
    ///
    /// # Errors
    ///
    /// `E-AGES` for zero periods.
    pub fn periods(count: usize) -> Result<Self, BuildError> {
        Self::list((0..count).map(|t| t as f64))
    }

    /// A list of ages.
    ///
    /// # Errors
    ///
    /// `E-AGES` if the list is empty, not finite or not strictly ascending.
    pub fn list(values: impl IntoIterator<Item = f64>) -> Result<Self, BuildError> {
        let values: Vec<f64> = values.into_iter().collect();
        if values.is_empty() {
            return Err(Self::refuse("there is no age".to_owned()));
        }
        let finite = values.iter().all(|age| age.is_finite());
        if !finite || values.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(Self::refuse(format!(
                "{values:?} is not finite and strictly ascending"
            )));
        }
        Ok(Self { values })
    }

    fn refuse(message: String) -> BuildError {
        BuildError::new(
            "E-AGES",
            "",
            "ages",
            message,
            "give at least one age, finite and ascending",
        )
    }

    /// The ages.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Number of periods, at least 1.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.len()
    }
}
