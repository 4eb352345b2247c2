//! Labels of a category column and their codes.

use std::sync::Arc;

use crate::schema::SchemaError;

/// The labels that a category column can take; code `i` stands for label `i`.
///
/// Labels are distinct and keep their order. Cheap to clone. No labels at all are valid and allow
/// zero rows only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Categories {
    labels: Arc<[Box<str>]>,
}

impl Categories {
    /// These labels, in this order.
    ///
    /// # Errors
    /// [`SchemaError::DuplicateLabel`], or [`SchemaError::TooManyLabels`] for more than `2^31 - 1`
    /// labels, which is what columnar files hold.
    pub fn new<L: Into<Box<str>>>(
        labels: impl IntoIterator<Item = L>,
    ) -> Result<Self, SchemaError> {
        let labels: Arc<[Box<str>]> = labels.into_iter().map(Into::into).collect();
        if i32::try_from(labels.len()).is_err() {
            return Err(SchemaError::TooManyLabels {
                count: labels.len(),
            });
        }
        let mut sorted: Vec<&str> = labels.iter().map(AsRef::as_ref).collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(SchemaError::DuplicateLabel {
                label: pair[0].to_owned(),
            });
        }
        Ok(Self { labels })
    }

    /// Number of labels.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no labels.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The label of a code.
    #[must_use]
    pub fn label(&self, code: u32) -> Option<&str> {
        self.labels
            .get(usize::try_from(code).ok()?)
            .map(AsRef::as_ref)
    }

    /// The code of a label; a search through all labels.
    #[must_use]
    pub fn code(&self, label: &str) -> Option<u32> {
        let at = self.labels.iter().position(|known| **known == *label)?;
        u32::try_from(at).ok()
    }

    /// All labels, in the order of their codes.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.labels.iter().map(AsRef::as_ref)
    }
}

/// A category column of a table: codes and what they stand for.
#[derive(Clone, Copy, Debug)]
pub struct CategoryColumn<'a> {
    codes: &'a [u32],
    categories: &'a Categories,
}

impl<'a> CategoryColumn<'a> {
    pub(crate) fn new(codes: &'a [u32], categories: &'a Categories) -> Self {
        Self { codes, categories }
    }

    /// One code per row.
    #[must_use]
    pub fn codes(&self) -> &'a [u32] {
        self.codes
    }

    /// The labels.
    #[must_use]
    pub fn categories(&self) -> &'a Categories {
        self.categories
    }

    /// The label of a row; `None` behind the last row.
    #[must_use]
    pub fn label(&self, row: usize) -> Option<&'a str> {
        self.categories.label(*self.codes.get(row)?)
    }

    /// The labels of all rows.
    pub fn labels(&self) -> impl Iterator<Item = &'a str> {
        let categories = self.categories;
        self.codes
            .iter()
            .filter_map(move |code| categories.label(*code))
    }
}
