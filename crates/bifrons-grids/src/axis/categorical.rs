//! Codes with labels.

use std::sync::Arc;

use super::{Bracket, Grid};
use crate::error::AxisError;
use crate::{locate, nodes};

/// Labels with the codes `0, 1, …` in the order given.
///
/// The coordinate of a code is the code; nothing lies between two codes, so every other number
/// has coordinate NaN and interpolation across codes is an error. An *ordered* axis says that the
/// order of the codes has a meaning (health: bad, fair, good).
///
/// ```
/// use bifrons_grids::{Categorical, Grid};
///
/// let health = Categorical::ordered(["bad", "fair", "good"])?;
/// assert_eq!(health.code("good"), Some(2));
/// assert_eq!(health.label(1), Some("fair"));
/// assert_eq!(health.coordinate(2.0), 2.0);
/// assert!(health.coordinate(1.5).is_nan());
/// # Ok::<(), bifrons_grids::AxisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Categorical {
    labels: Arc<[String]>,
    codes: Arc<[f64]>,
    ordered: bool,
}

impl Categorical {
    /// Categories whose order has a meaning.
    ///
    /// # Errors
    ///
    /// [`AxisError::Empty`], [`AxisError::TooMany`], [`AxisError::DuplicateLabel`].
    pub fn ordered<L: Into<String>>(
        labels: impl IntoIterator<Item = L>,
    ) -> Result<Self, AxisError> {
        Self::new(labels.into_iter().map(Into::into).collect(), true)
    }

    /// Categories in an order without meaning.
    ///
    /// # Errors
    ///
    /// As [`Categorical::ordered`].
    pub fn unordered<L: Into<String>>(
        labels: impl IntoIterator<Item = L>,
    ) -> Result<Self, AxisError> {
        Self::new(labels.into_iter().map(Into::into).collect(), false)
    }

    fn new(labels: Vec<String>, ordered: bool) -> Result<Self, AxisError> {
        nodes::check_count(labels.len())?;
        let mut sorted: Vec<usize> = (0..labels.len()).collect();
        sorted.sort_by(|&a, &b| labels[a].cmp(&labels[b]));
        if let Some(pair) = sorted
            .windows(2)
            .find(|pair| labels[pair[0]] == labels[pair[1]])
        {
            let label = labels[pair[0]].clone();
            return Err(AxisError::DuplicateLabel {
                first: pair[0],
                second: pair[1],
                label,
            });
        }
        let codes = (0..labels.len()).map(|code| code as f64).collect();
        Ok(Self {
            labels: labels.into(),
            codes,
            ordered,
        })
    }

    /// Whether the order of the codes has a meaning.
    #[must_use]
    pub const fn is_ordered(&self) -> bool {
        self.ordered
    }

    /// All labels; the position is the code.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Label of a code.
    #[must_use]
    pub fn label(&self, code: usize) -> Option<&str> {
        self.labels.get(code).map(String::as_str)
    }

    /// Code of a label. Cost: linear in the number of labels.
    #[must_use]
    pub fn code(&self, label: &str) -> Option<usize> {
        self.labels.iter().position(|own| own == label)
    }

    /// The code that a number stands for, if it stands for one exactly.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole numbers in 0..len convert exactly"
    )]
    pub fn code_of(&self, x: f64) -> Option<usize> {
        let whole = x >= 0.0 && x < self.codes.len() as f64 && x.fract() <= 0.0;
        whole.then_some(x as usize)
    }
}

impl Grid for Categorical {
    fn nodes(&self) -> &[f64] {
        &self.codes
    }

    fn rank(&self, x: f64) -> usize {
        locate::rank(&self.codes, x)
    }

    fn is_continuous(&self) -> bool {
        false
    }

    fn coordinate(&self, x: f64) -> f64 {
        self.code_of(x).map_or(f64::NAN, |code| code as f64)
    }

    /// The code itself with weight 0; weight NaN if the number is not a code.
    fn bracket(&self, x: f64) -> Bracket {
        self.code_of(x).map_or(
            Bracket {
                cell: 0,
                weight: f64::NAN,
            },
            |cell| Bracket { cell, weight: 0.0 },
        )
    }
}
